/* glTF, GLB and OFF from bytes in memory: every form of indices and triangles, nodes, and files
 * that are damaged or want too much. */
#include "check.h"

#include "base/memory.h"
#include "geom/shapes.h"
#include "meshfile/meshfile.h"

#include <stdlib.h>
#include <string.h>

/* The corner of a cube with edge 1: four vertices of three floats, then twelve indices of 16 bits.
 */
#define BYTES                                                                                      \
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/"                             \
    "AAACAAEAAAABAAMAAAADAAIAAQACAAMA"
#define ASSET "{\"asset\":{\"version\":\"2.0\"},"
#define ONE_NODE "\"nodes\":[{\"mesh\":0}],"
#define MESH(primitive) "\"meshes\":[{\"primitives\":[{" primitive "}]}],"
#define LIST MESH("\"attributes\":{\"POSITION\":0},\"indices\":1")
#define VIEWS                                                                                      \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,"           \
    "\"byteLength\":24}],"
#define POSITIONS "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}"
#define INDICES "{\"bufferView\":1,\"componentType\":5123,\"count\":12,\"type\":\"SCALAR\"}"
#define ACCESSORS "\"accessors\":[" POSITIONS "," INDICES "],"
#define BUFFER(length, bytes)                                                                      \
    "\"buffers\":[{\"byteLength\":" length                                                         \
    ",\"uri\":\"data:application/octet-stream;base64," bytes "\"}]}"
#define END VIEWS ACCESSORS BUFFER("72", BYTES)

static const char plain[] = ASSET ONE_NODE LIST END;
static const char off[] = "OFF\n# corner\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n"
                          "3 0 1 3 255 0 0\n3 0 3 2\n3 1 2 3\n";

static rp_code read_as(rp_mesh_reader *reader, const void *data, size_t size, rp_mesh **mesh,
                       rp_report *report)
{
    /* A copy that ends where the bytes end: sanitizers see what reads on. */
    char *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    rp_mesh_bytes bytes = {.name = "mesh", .data = copy, .size = size, .scale = 1};
    rp_code code = rp_mesh_read_bytes(reader, &bytes, mesh, report);
    free(copy);
    return code;
}

static void check_volume(rp_mesh_reader *reader, const void *data, size_t size, double volume)
{
    rp_report *report = rp_report_create();
    rp_mesh *mesh;
    check_ok(read_as(reader, data, size, &mesh, report), report);
    check_near(rp_mesh_volume(mesh), volume, 1e-6);
    rp_mesh_destroy(mesh);
    rp_report_destroy(report);
}

static void check_text(const char *text, double volume)
{
    check_volume(rp_mesh_read_gltf, text, strlen(text), volume);
}

static void check_fault(rp_mesh_reader *reader, const void *data, size_t size, const char *words)
{
    rp_report *report = rp_report_create();
    rp_mesh *mesh;
    assert_int_equal(read_as(reader, data, size, &mesh, report), RP_ERROR_INPUT);
    assert_null(mesh);
    assert_int_equal(rp_report_count(report), 1);
    if (!strstr(rp_report_fault(report, 0)->message, words))
        fail_msg("%s", rp_report_fault(report, 0)->message);
    rp_report_destroy(report);
}

static void check_refused(const char *text, const char *words)
{
    check_fault(rp_mesh_read_gltf, text, strlen(text), words);
}

static void triangles_have_many_forms(void **state)
{
    (void)state;
    check_text(plain, 1.0 / 6);
    /* A slash of base64 may be written with a backslash. */
    check_text(ASSET ONE_NODE LIST VIEWS ACCESSORS BUFFER(
                   "72", "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA\\/"
                         "AAACAAEAAAABAAMAAAADAAIAAQACAAMA"),
               1.0 / 6);
    /* A strip of six indices of 8 bits: 0 2 1 3 0 2. */
    check_text(ASSET ONE_NODE MESH("\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":5") VIEWS
               "\"accessors\":[" POSITIONS ",{\"bufferView\":1,\"componentType\":5121,"
               "\"count\":6,\"type\":\"SCALAR\"}]," BUFFER(
                   "72", "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/"
                         "AAIBAwACAAAAAAAAAAAAAAAAAAAAAAAA"),
               1.0 / 6);
    /* A fan of the first three and a list without indices cannot close: their faults say so. */
    check_refused(ASSET ONE_NODE MESH("\"attributes\":{\"POSITION\":0},\"mode\":6") END, "is open");
    check_refused(ASSET ONE_NODE MESH("\"attributes\":{\"POSITION\":0}") END,
                  "less than three corners");
    /* Floats that stand apart, 16 bytes from one to the next: overlapping reads of the same buffer.
     */
    check_refused(ASSET ONE_NODE LIST "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48,"
                                      "\"byteStride\":16},{\"buffer\":0,\"byteOffset\":48,"
                                      "\"byteLength\":24}]," ACCESSORS BUFFER("72", BYTES),
                  "accessor 0 lies beyond");
    /* The last vertex, taken from elsewhere: twice as high. */
    check_text(ASSET ONE_NODE LIST
               "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,"
               "\"byteLength\":24},{\"buffer\":0,\"byteOffset\":72,\"byteLength\":12},"
               "{\"buffer\":0,\"byteOffset\":84,\"byteLength\":1}],"
               "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":"
               "\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":3,\"componentType\":"
               "5121},\"values\":{\"bufferView\":2}}}," INDICES
               "]," BUFFER("85", BYTES "AAAAAAAAAAAAAABAAw=="),
               2.0 / 6);
}

static void nodes_move_turn_and_mirror(void **state)
{
    (void)state;
    /* Once as it is; below a node that doubles, by a matrix with a shift; mirrored. */
    check_text(ASSET
               "\"scenes\":[{\"nodes\":[0,2]}],\"nodes\":[{\"mesh\":0,\"scale\":[-1,1,1],"
               "\"translation\":[-3,0,0]},{\"mesh\":0,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,5,0,"
               "0,1]},{\"scale\":[2,2,2],\"rotation\":[0,0,0.70710678,0.70710678],"
               "\"children\":[1]},{\"mesh\":0}]," LIST END,
               1.0 / 6 + 8.0 / 6);
    check_refused(ASSET "\"nodes\":[{\"children\":[1]},{\"children\":[0]}]," LIST END,
                  "hangs below itself");
    check_refused(ASSET "\"nodes\":[{\"children\":[0]}]," LIST END, "hangs below itself");
    check_refused(ASSET "\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]," LIST END,
                  "below two nodes");
    check_refused(ASSET "\"nodes\":[{\"children\":[7]}]," LIST END, "not there");
    check_refused(ASSET "\"nodes\":[{\"mesh\":3}]," LIST END, "names a mesh that is not there");
    check_refused(ASSET "\"nodes\":[{\"mesh\":0,\"scale\":[1,1]}]," LIST END, "makes no sense");
}

static void damaged_files_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{\"asset\":{\"version\":\"1.0\"}}", "this file says '1.0'"},
        {"{\"asset\"", "this is no glTF file"},
        {"{\"asset\":{\"version\":\"2.0\"}} x", "something follows"},
        {"[1,2", "the end comes too early"},
        {"{\"a\":1,}", "the name of a member"},
        {"{\"a\":\"\\q\"}", "strange escape"},
        {"{\"a\":01}", "expected"},
        {"nothing", "a value is expected"},
        {ASSET "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
         "'KHR_draco_mesh_compression', which is not read"},
        {ASSET "\"nodes\":[]}", "no triangles"},
        {ASSET ONE_NODE LIST VIEWS ACCESSORS "\"buffers\":[{\"byteLength\":72,\"uri\":\"a.bin\"}]}",
         "is in another file"},
        {ASSET ONE_NODE LIST VIEWS ACCESSORS "\"buffers\":[{\"byteLength\":72}]}", "has no bytes"},
        {ASSET ONE_NODE LIST VIEWS ACCESSORS BUFFER("72", "AA?A"), "strange character"},
        {ASSET ONE_NODE LIST VIEWS ACCESSORS BUFFER("73", BYTES), "was cut"},
        {ASSET ONE_NODE LIST VIEWS "\"accessors\":[" POSITIONS "]," BUFFER("72", BYTES),
         "names an accessor that is not there"},
        {ASSET ONE_NODE LIST VIEWS
         "\"accessors\":[" POSITIONS ",{\"bufferView\":1,\"componentType\""
         ":5123,\"count\":4000000,\"type\":\"SCALAR\"}]," BUFFER("72", BYTES),
         "accessor 1 lies beyond"},
        {ASSET ONE_NODE LIST VIEWS "\"accessors\":[{\"componentType\":5126,\"count\":400000000,"
                                   "\"type\":\"VEC3\"}," INDICES "]," BUFFER("72", BYTES),
         "has no buffer view"},
        {ASSET ONE_NODE LIST VIEWS "\"accessors\":[" POSITIONS
                                   ",{\"bufferView\":0,\"componentType\""
                                   ":5125,\"count\":12,\"type\":\"SCALAR\"}]," BUFFER("72", BYTES),
         "names a vertex that is not there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(cases[i].text, cases[i].words);
    char deep[300] = "";
    for (int i = 0; i < 100; i++)
        strcat(deep, "[");
    check_refused(deep, "64 levels");
}

/* Nodes that name one mesh over and over, a million times the triangles of the file. */
static void repeated_meshes_are_bounded(void **state)
{
    (void)state;
    size_t nodes = 400000, size = strlen(plain) + nodes * 12 + 100;
    char *text = malloc(size), *at = text;
    at += sprintf(at, "%s\"nodes\":[{\"mesh\":0}", ASSET);
    for (size_t i = 1; i < nodes; i++)
        at += sprintf(at, ",{\"mesh\":0}");
    sprintf(at, "],%s%s",
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1},"
            "{\"attributes\":{\"POSITION\":0},\"indices\":1},{\"attributes\":{\"POSITION\":0},"
            "\"indices\":1},{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],",
            END);
    check_fault(rp_mesh_read_gltf, text, strlen(text), "repeat meshes");
    free(text);
}

static size_t glb_bytes(char *to)
{
    static const float positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint16_t indices[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const char *json = ASSET ONE_NODE LIST VIEWS ACCESSORS "\"buffers\":[{\"byteLength\":72}]}  ";
    uint32_t length = (uint32_t)strlen(json) & ~3u, packed = 72;
    uint32_t head[5] = {0x46546c67, 2, 28 + length + packed, length, 0x4e4f534a};
    memcpy(to, head, 20);
    memcpy(to + 20, json, length);
    memcpy(to + 20 + length, &packed, 4);
    memcpy(to + 24 + length, "BIN", 4);
    memcpy(to + 28 + length, positions, 48);
    memcpy(to + 76 + length, indices, 24);
    return 28 + length + packed;
}

static void glb_holds_its_bytes(void **state)
{
    (void)state;
    char bytes[2000];
    size_t size = glb_bytes(bytes);
    check_volume(rp_mesh_read_gltf, bytes, size, 1.0 / 6);
    for (size_t cut = 0; cut < size; cut++) {
        rp_mesh *mesh;
        assert_int_equal(read_as(rp_mesh_read_gltf, bytes, cut, &mesh, NULL), RP_ERROR_INPUT);
    }
    bytes[4] = 1;
    check_fault(rp_mesh_read_gltf, bytes, size, "GLB of version 2");
}

static void off_is_read_and_its_mistakes_have_lines(void **state)
{
    (void)state;
    check_volume(rp_mesh_read_off, off, strlen(off), 1.0 / 6);
    static const struct {
        const char *text, *words;
    } cases[] = {{"OFF\n4 x 0\n", "how many faces"},
                 {"OFF\n1 1 0\n0 0\n", "a coordinate of a vertex"},
                 {"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "names a vertex that is not there"},
                 {"OFF\n1 1 0\n0 0 0\n2 0 0\n", "3 to 1024 corners"},
                 {"OFF\n99999999999 1 0\n0 0 0\n", "file ends here"},
                 {"NOFF\n1 1 0\n", "plain form"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_fault(rp_mesh_read_off, cases[i].text, strlen(cases[i].text), cases[i].words);
}

/* Bytes changed, cut out and doubled at random: refused with a message, or a solid. */
static void mutants_break_nothing(void **state)
{
    (void)state;
    char seeds[3][2000], mutant[2100];
    size_t sizes[3] = {sizeof plain - 1, glb_bytes(seeds[1]), sizeof off - 1};
    memcpy(seeds[0], plain, sizes[0]);
    memcpy(seeds[2], off, sizes[2]);
    int accepted = 0;
    for (uint64_t i = 0; i < 6000; i++) {
        size_t which = i % 3, size = sizes[which];
        memcpy(mutant, seeds[which], size);
        for (uint64_t k = 0; k <= i % 4; k++) {
            rp_random4 r = rp_random(11, RP_RANDOM_TEST, 4 * i + k);
            size_t at = r.bits[0] % size, from = r.bits[1] % size;
            if (r.bits[2] % 3 == 0)
                mutant[at] = (char)r.bits[3];
            else if (r.bits[2] % 3 == 1)
                mutant[at] = seeds[which][from];
            else
                memmove(mutant + at, mutant + from, size - (at > from ? at : from));
        }
        rp_report *report = rp_report_create();
        rp_mesh *mesh;
        rp_code code =
            read_as(which == 2 ? rp_mesh_read_off : rp_mesh_read_gltf, mutant, size, &mesh, report);
        assert_true(code == RP_OK || (code == RP_ERROR_INPUT && rp_report_count(report) == 1));
        if (mesh) assert_int_equal(rp_mesh_check(mesh, "mutant", NULL), RP_OK);
        accepted += code == RP_OK;
        rp_mesh_destroy(mesh);
        rp_mesh_bytes bytes = {.name = "mutant", .data = mutant, .size = size, .scale = 1};
        rp_animation_key *keys;
        int count;
        assert_true(rp_gltf_animation_read_bytes(&bytes, NULL, &keys, &count, NULL) != RP_OK);
        rp_report_destroy(report);
    }
    assert_true(accepted > 100);
}

static void keep_quiet(void *user, rp_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

/* The last test: all the others gave back what they took. */
static void no_memory_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    rp_hooks hooks = rp_default_hooks();
    hooks.log = keep_quiet;
    rp_set_hooks(&hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_have_many_forms),
        cmocka_unit_test(nodes_move_turn_and_mirror),
        cmocka_unit_test(damaged_files_are_told),
        cmocka_unit_test(repeated_meshes_are_bounded),
        cmocka_unit_test(glb_holds_its_bytes),
        cmocka_unit_test(off_is_read_and_its_mistakes_have_lines),
        cmocka_unit_test(mutants_break_nothing),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
