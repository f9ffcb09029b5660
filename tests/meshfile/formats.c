/* The readers of OBJ, STL and PLY, from bytes in memory: every form of each format, faces with many
 * corners, and mistakes by line or byte. */
#include "check.h"

#include "base/memory.h"
#include "geom/shapes.h"
#include "meshfile/inside.h"

#include <stdlib.h>
#include <string.h>

/* The corner of a cube with edge 1: four faces. */
#define OBJ_VERTICES "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
#define OBJ_FACES "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
#define PLY_HEADER(form)                                                                           \
    "ply\nformat " form " 1.0\ncomment made for a test\\\nelement vertex 4\nproperty float x\n"    \
    "property double y\nproperty uchar red\nproperty short z\nelement face 4\n"                    \
    "property list uchar uint vertex_indices\nproperty list ushort float weights\nend_header\n"

static rp_code read_as(rp_mesh_reader *reader, const void *data, size_t size, rp_mesh **mesh,
                       rp_report *report)
{
    /* A copy that ends where the bytes end: sanitizers see what reads on. */
    char *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    rp_mesh_bytes bytes = {.name = "mesh", .data = copy, .size = size, .scale = 2};
    rp_code code = rp_mesh_read_bytes(reader, &bytes, mesh, report);
    free(copy);
    return code;
}

static void check_corner(rp_mesh_reader *reader, const void *data, size_t size)
{
    rp_report *report = rp_report_create();
    rp_mesh *mesh;
    check_ok(read_as(reader, data, size, &mesh, report), report);
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 4);
    check_near(rp_mesh_volume(mesh), 8.0 / 6, 1e-15);
    rp_mesh_destroy(mesh);
    rp_report_destroy(report);
}

static void check_text(rp_mesh_reader *reader, const char *text)
{
    check_corner(reader, text, strlen(text));
}

/* Expects a fault at this line (0: none) that says `words`. */
static void check_fault(rp_mesh_reader *reader, const void *data, size_t size, int line,
                        const char *words)
{
    rp_report *report = rp_report_create();
    rp_mesh *mesh = (rp_mesh *)report;
    assert_int_equal(read_as(reader, data, size, &mesh, report), RP_ERROR_INPUT);
    assert_null(mesh);
    assert_int_equal(rp_report_count(report), 1);
    const rp_fault *fault = rp_report_fault(report, 0);
    assert_string_equal(fault->file, "mesh");
    if (!strstr(fault->message, words) || fault->line != line)
        fail_msg("line %d: %s", fault->line, fault->message);
    rp_report_destroy(report);
}

static void check_text_fault(rp_mesh_reader *reader, const char *text, int line, const char *words)
{
    check_fault(reader, text, strlen(text), line, words);
}

static void obj_has_many_forms(void **state)
{
    (void)state;
    check_text(rp_mesh_read_obj, OBJ_VERTICES OBJ_FACES);
    check_text(rp_mesh_read_obj, OBJ_VERTICES "f -4 -2 -3\nf 1/7 2/8 4/9\nf 1//1 4//1 3//1\n"
                                              "f 2/1/1 3/2/1 4/3/1");
    check_text(rp_mesh_read_obj, "# \xc3\xa4\r\no a\r\nv 0 0 0 1\r\nv 1e0 -0 +0.0 0.5 0.5 0.5\r\n"
                                 "v 0 .1E+1 0\r\nv 0 0 1000000000000000000000000e-24\r\n"
                                 "vn 0 0 1\r\nusemtl b\r\n\r\nf 1 3 \\\r\n 2\r\nf 1 2 4\r\n"
                                 "\tf 1  4\t3\r\nf 2 3 4\r\ns off\r\n");
}

static void numbers_are_read_to_the_last_bit(void **state)
{
    (void)state;
    static const char *const texts[] = {"0.1",
                                        "-123.456e-7",
                                        "9007199254740993",
                                        "3.14159265358979323846",
                                        "1e22",
                                        "1e23",
                                        "5e-324",
                                        "1.7976931348623157e308",
                                        "0.000000000000000000000001",
                                        "7.",
                                        ".5",
                                        "-0",
                                        "123456789012345678",
                                        "1e-22",
                                        "4.35",
                                        "2.2250738585072011e-308",
                                        "0x10",
                                        "1e400"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rp_mesh_bytes bytes = {.name = "n", .data = texts[i], .size = strlen(texts[i])};
        rp_mesh_text text;
        double found;
        rp_mesh_text_begin(&text, &bytes);
        assert_true(rp_mesh_text_number(&text, &found));
        assert_true(found == strtod(texts[i], NULL));
    }
    for (uint64_t i = 0; i < 20000; i++) {
        rp_random4 r = rp_random(1, RP_RANDOM_TEST, i);
        char word[64];
        double value = ((double)r.bits[0] - 2e9) / (1 + (double)(r.bits[1] % 100000)), found;
        snprintf(word, sizeof word, "%.*g", 3 + (int)(r.bits[2] % 15), value);
        rp_mesh_bytes bytes = {.name = "n", .data = word, .size = strlen(word)};
        rp_mesh_text text;
        rp_mesh_text_begin(&text, &bytes);
        assert_true(rp_mesh_text_number(&text, &found));
        assert_true(found == strtod(word, NULL));
    }
}

static void obj_mistakes_have_lines(void **state)
{
    (void)state;
    check_text_fault(rp_mesh_read_obj, "v 0 0 0\nv 1 x 0\n", 2, "found 'x'");
    check_text_fault(rp_mesh_read_obj, "v 0 0\n", 1, "line ends here");
    check_text_fault(rp_mesh_read_obj, "v 0 0", 1, "file ends here");
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES "f 1 2 5\n", 5, "vertex 5");
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES "f 1 2 0\n", 5, "vertex 0");
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES "f 1 2 -5\n", 5, "vertex -5");
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES "f 1 2 3x\n", 5, "found '3x'");
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES "f 1 2\n", 5, "2 corners");
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES "f 1 2 99999999999999999999\n", 5, "expected");
    check_text_fault(rp_mesh_read_obj, "\n\nhello\n", 3, "no line of an OBJ file");
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES, 0, "no triangles");
}

static void faults_of_a_solid_have_lines(void **state)
{
    (void)state;
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES "f 1 3 2\nf 1 2 4\nf 1 4 3\n", 5, "is open");
    /* A face that is turned is turned back. */
    check_text(rp_mesh_read_obj, OBJ_VERTICES "f 1 2 3\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    check_text_fault(rp_mesh_read_obj, OBJ_VERTICES OBJ_FACES "f 1 2 2\n", 9, "no area");
    check_text_fault(rp_mesh_read_obj, "v 0 0 0\nv 1 0 0\nv 0 nan 0\nv 0 0 1\n" OBJ_FACES, 5,
                     "vertex 2 of triangle 1 is (");
    /* A vertex that no face uses does no harm. */
    check_text(rp_mesh_read_obj, OBJ_VERTICES "v nan inf 1e300\n" OBJ_FACES);
}

/* An L of six corners, hollow at one of them, pulled up into a prism. */
static void hollow_faces_are_covered_once(void **state)
{
    (void)state;
    static const int outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    for (int turn = 0; turn < 6; turn++) {
        char text[2000] = "";
        for (int i = 0; i < 12; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "v %d %d %d\n",
                     outline[i % 6][0], outline[i % 6][1], i / 6);
        char top[100] = "f", bottom[100] = "f";
        for (int i = 0; i < 6; i++) {
            snprintf(top + strlen(top), 20, " %d", 7 + (i + turn) % 6);
            snprintf(bottom + strlen(bottom), 20, " %d", 6 - (i + turn) % 6);
            snprintf(text + strlen(text), 60, "f %d %d %d %d\n", i + 1, (i + 1) % 6 + 1,
                     (i + 1) % 6 + 7, i + 7);
        }
        snprintf(text + strlen(text), 300, "%s\n%s\n", top, bottom);
        rp_mesh *mesh;
        assert_int_equal(read_as(rp_mesh_read_obj, text, strlen(text), &mesh, NULL), RP_OK);
        assert_int_equal(mesh->triangle_count, 20);
        check_near(rp_mesh_volume(mesh), 3 * 8, 1e-12);
        double area = 0;
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            rp_vec3 c[3];
            rp_mesh_corners(mesh, t, c);
            area += rp_v3_length(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0]))) / 2;
        }
        check_near(area, 4 * (2 * 3 + 8), 1e-12);
        rp_mesh_destroy(mesh);
    }
}

static const char stl_text[] =
    "solid corner of a cube\n facet normal 0 0 -1\n  outer loop\n   vertex 0 0 0\n   vertex 0 1 0\n"
    "   vertex 1 0 0\n  endloop\n endfacet\n\nfacet normal 0 -1 0\nouter loop\nvertex 0 0 0\n"
    "vertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid corner\nSOLID\nFACET NORMAL 0 0 0\n"
    "OUTER LOOP\nVERTEX 0 0 0\nVERTEX 0 0 1\nVERTEX 0 1 0\nENDLOOP\nENDFACET\n"
    "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\n"
    "endfacet\nendsolid\n";

static void stl_text_is_read(void **state)
{
    (void)state;
    check_text(rp_mesh_read_stl, stl_text);
    check_text_fault(rp_mesh_read_stl, "solid\nfacet\nouter lop\n", 3, "'outer loop' expected");
    check_text_fault(rp_mesh_read_stl, "solid\nfacet\nouter loop\nvertex 1 2\n", 4, "line ends");
    check_text_fault(rp_mesh_read_stl, "solid\nfacet\nouter loop\nvertex 1 2 z\n", 4, "'z'");
    check_text_fault(rp_mesh_read_stl, "solid\n", 2, "the file ends here");
    check_text_fault(rp_mesh_read_stl, "solid a\nendsolid a\n", 0, "no triangles");
    check_text_fault(rp_mesh_read_stl, "solid a\nendsolid a\nmore\n", 3, "'solid' expected");
    /* Every cut of the file is refused or is no solid, and nothing breaks. */
    for (size_t size = 0; size < sizeof stl_text - 20; size += 3) {
        rp_mesh *mesh;
        assert_int_equal(read_as(rp_mesh_read_stl, stl_text, size, &mesh, NULL), RP_ERROR_INPUT);
    }
}

/* Bytes of a PLY file with the corner of a cube. */
static size_t ply_bytes(char *to, bool big)
{
    static const double vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const char *header = big ? PLY_HEADER("binary_big_endian") : PLY_HEADER("binary_little_endian");
    size_t size = strlen(header);
    memcpy(to, header, size);
#define PUT(T, V)                                                                                  \
    do {                                                                                           \
        T value_ = (T)(V);                                                                         \
        for (size_t b_ = 0; b_ < sizeof(T); b_++)                                                  \
            to[size + b_] = ((char *)&value_)[big ? sizeof(T) - 1 - b_ : b_];                      \
        size += sizeof(T);                                                                         \
    } while (0)
    for (int i = 0; i < 4; i++) {
        PUT(float, vertices[i][0]);
        PUT(double, vertices[i][1]);
        PUT(uint8_t, 200);
        PUT(int16_t, vertices[i][2]);
    }
    for (int i = 0; i < 4; i++) {
        PUT(uint8_t, 3);
        for (int k = 0; k < 3; k++)
            PUT(uint32_t, faces[i][k]);
        PUT(uint16_t, i);
        for (int k = 0; k < i; k++)
            PUT(float, 0.5);
    }
#undef PUT
    return size;
}

static void ply_has_three_forms(void **state)
{
    (void)state;
    check_text(rp_mesh_read_ply, PLY_HEADER("ascii") "0 0 9 0\n\n1 0 9 0\n0 1 9 0\r\n0 0 9 1\n3 0 "
                                                     "2 1 0\n3 0 1 3 2 0.5 1\n3 0 3 2 0\n"
                                                     "3 1 2 3 1 -2");
    char bytes[2000];
    for (int big = 0; big < 2; big++) {
        size_t size = ply_bytes(bytes, big);
        check_corner(rp_mesh_read_ply, bytes, size);
        for (size_t cut = 0; cut < size; cut++) {
            rp_mesh *mesh;
            assert_int_equal(read_as(rp_mesh_read_ply, bytes, cut, &mesh, NULL), RP_ERROR_INPUT);
        }
        check_fault(rp_mesh_read_ply, bytes, size - 3, 0, "face 4 of 4, at byte");
    }
}

static void ply_mistakes_have_places(void **state)
{
    (void)state;
    check_text_fault(rp_mesh_read_ply, "plot\n", 1, "begins with 'ply'");
    check_text_fault(rp_mesh_read_ply, "ply\nformat text 1.0\n", 2, "found 'text'");
    check_text_fault(rp_mesh_read_ply, "ply\nelement vertex -3\n", 2, "how many");
    check_text_fault(rp_mesh_read_ply, "ply\nelement vertex 3\nproperty real x\n", 3, "'real'");
    check_text_fault(rp_mesh_read_ply, "ply\nproperty float x\n", 2, "before any element");
    check_text_fault(rp_mesh_read_ply, "ply\nformat ascii 1.0\nend_header\n", 4, "no element");
    check_text_fault(rp_mesh_read_ply, "ply\nformat ascii 1.0\nelement vertex 1\n", 4,
                     "'end_header' expected");
    check_text_fault(rp_mesh_read_ply,
                     PLY_HEADER("ascii") "0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n3 0 1 4 0\n", 17,
                     "face 1 of 4: names a vertex");
    check_text_fault(rp_mesh_read_ply,
                     PLY_HEADER("ascii") "0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n2 0 1 0\n", 17,
                     "less than three");
    check_text_fault(rp_mesh_read_ply, PLY_HEADER("ascii") "0 0 0 0\n0 o 0 0\n", 14,
                     "vertex 2 of 4");
    check_text_fault(rp_mesh_read_ply,
                     "ply\nformat ascii 1.0\nelement nothing 999999999999999999\n"
                     "element vertex 99999999999999\nproperty float x\nproperty float y\n"
                     "property float z\nend_header\n1 2 3\n",
                     10, "vertex 2 of");
}

static void stl_bytes_are_read(void **state)
{
    (void)state;
    static const float corners[4][3][3] = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                                           {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                                           {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                                           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    unsigned char bytes[84 + 4 * 50 + 7] = "solid although it is bytes";
    bytes[80] = 4;
    for (int t = 0; t < 4; t++)
        memcpy(bytes + 84 + 50 * t + 12, corners[t], sizeof corners[t]);
    check_corner(rp_mesh_read_stl, bytes, 84 + 4 * 50);
    bytes[0] = 'S' + 1;
    check_corner(rp_mesh_read_stl, bytes, sizeof bytes); /* with a warning */
    check_fault(rp_mesh_read_stl, bytes, 84 + 3 * 50 + 7, 0, "in triangle 4");
    check_fault(rp_mesh_read_stl, bytes, 50, 0, "50 bytes");
    bytes[83] = 255;
    check_fault(rp_mesh_read_stl, bytes, sizeof bytes, 0, "announces 4278190084 triangles");
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
        cmocka_unit_test(obj_has_many_forms),
        cmocka_unit_test(numbers_are_read_to_the_last_bit),
        cmocka_unit_test(obj_mistakes_have_lines),
        cmocka_unit_test(faults_of_a_solid_have_lines),
        cmocka_unit_test(hollow_faces_are_covered_once),
        cmocka_unit_test(stl_text_is_read),
        cmocka_unit_test(stl_bytes_are_read),
        cmocka_unit_test(ply_has_three_forms),
        cmocka_unit_test(ply_mistakes_have_places),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
