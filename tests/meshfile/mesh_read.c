/* Mesh files written here and read back: formats, scale, and every refusal. */
#include "check.h"

#include "base/memory.h"
#include "meshfile/meshfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/repose-mesh-XXXXXX";
static char path[512];
static int warnings;
static int allocations_left = -1; /* then memory runs out; -1: never */

/* A box of 1 x 2 x 3 with one corner at the origin; bits 0, 1, 2 of a corner are x, y, z. */
static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static void corner(int i, double at[3])
{
    at[0] = i & 1 ? 1 : 0;
    at[1] = i & 2 ? 2 : 0;
    at[2] = i & 4 ? 3 : 0;
}

static FILE *create(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = create(name);
    fputs(text, file);
    fclose(file);
}

static void obj_vertices(FILE *file)
{
    for (int i = 0; i < 8; i++) {
        double at[3];
        corner(i, at);
        fprintf(file, "v %g %g %g\n", at[0], at[1], at[2]);
    }
}

static void write_obj(const char *name, int faces, int turned)
{
    FILE *file = create(name);
    obj_vertices(file);
    for (int f = 0; f < faces; f++) {
        const int *q = quads[f];
        if (turned)
            fprintf(file, "f %d %d %d %d\n", q[3] + 1, q[2] + 1, q[1] + 1, q[0] + 1);
        else
            fprintf(file, "f %d %d %d %d\n", q[0] + 1, q[1] + 1, q[2] + 1, q[3] + 1);
    }
    fclose(file);
}

/* Corner k of triangle t, two per quad. */
static int triangle_corner(int t, int k)
{
    static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    return quads[t / 2][halves[t % 2][k]];
}

static void write_stl(const char *name)
{
    FILE *file = create(name);
    char header[80] = "made for a test";
    uint32_t count = 12;
    fwrite(header, 1, sizeof header, file);
    fwrite(&count, 4, 1, file);
    for (int t = 0; t < 12; t++) {
        float values[12] = {0};
        uint16_t none = 0;
        for (int k = 0; k < 3; k++) {
            double at[3];
            corner(triangle_corner(t, k), at);
            for (int j = 0; j < 3; j++)
                values[3 + 3 * k + j] = (float)at[j];
        }
        fwrite(values, 4, 12, file);
        fwrite(&none, 2, 1, file);
    }
    fclose(file);
}

static void write_stl_text(const char *name)
{
    FILE *file = create(name);
    fprintf(file, "solid test\n");
    for (int t = 0; t < 12; t++) {
        fprintf(file, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            double at[3];
            corner(triangle_corner(t, k), at);
            fprintf(file, "vertex %g %g %g\n", at[0], at[1], at[2]);
        }
        fprintf(file, "endloop\nendfacet\n");
    }
    fprintf(file, "endsolid test\n");
    fclose(file);
}

static void write_ply(const char *name)
{
    FILE *file = create(name);
    fprintf(file, "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
                  "property float z\nelement face 6\nproperty list uchar int vertex_indices\n"
                  "end_header\n");
    for (int i = 0; i < 8; i++) {
        double at[3];
        corner(i, at);
        fprintf(file, "%g %g %g\n", at[0], at[1], at[2]);
    }
    for (int f = 0; f < 6; f++)
        fprintf(file, "4 %d %d %d %d\n", quads[f][0], quads[f][1], quads[f][2], quads[f][3]);
    fclose(file);
}

static void check_box(double scale)
{
    rp_report *report = rp_report_create();
    rp_mesh *mesh;
    check_ok(rp_mesh_read(path, scale, &mesh, report), report);
    assert_int_equal(mesh->vertex_count, 8);
    assert_int_equal(mesh->triangle_count, 12);
    check_near(rp_mesh_volume(mesh), 6 * scale * scale * scale, 1e-12);
    check_near(rp_mesh_winding(mesh, rp_v3(0.5 * scale, scale, scale)), 1, 1e-12);
    check_near(mesh->bounds.high.z, 3 * scale, 1e-15);
    check_near(mesh->bounds.low.z, 0, 0);
    rp_mesh_destroy(mesh);
    rp_report_destroy(report);
}

/* Reads `path`, expects a fault that names the file and says `words`. */
static void check_refused(rp_code code, const char *words)
{
    rp_report *report = rp_report_create();
    rp_mesh *mesh = (rp_mesh *)path;
    assert_int_equal(rp_mesh_read(path, 1, &mesh, report), code);
    assert_null(mesh);
    assert_int_equal(rp_report_count(report), 1);
    const rp_fault *fault = rp_report_fault(report, 0);
    assert_string_equal(fault->file, path);
    if (!strstr(fault->message, words)) fail_msg("%s", fault->message);
    rp_report_destroy(report);
}

static void formats_give_the_same_box(void **state)
{
    (void)state;
    write_obj("box.obj", 6, 0);
    check_box(1);
    check_box(0.001);
    write_stl("box.stl");
    check_box(1);
    write_stl_text("text.stl");
    check_box(1);
    write_ply("box.ply");
    check_box(2);
    /* Known by their content. */
    write_ply("box.data");
    check_box(1);
    write_stl_text("text.data");
    check_box(1);
}

static void nodes_are_put_in_their_place(void **state)
{
    (void)state;
    /* A tetrahedron of volume 1/6, once as it is, once mirrored in x and moved: both outward. */
    write_text("two.gltf",
               "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],"
               "\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"scale\":[-2,1,1],\"translation\":[-1,0,0]}],"
               "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
               "\"buffers\":[{\"byteLength\":72,\"uri\":\"data:application/octet-stream;base64,"
               "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/"
               "AAACAAEAAAABAAMAAAADAAIAAQACAAMA\"}],"
               "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},"
               "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":24}],"
               "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,"
               "\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,1]},"
               "{\"bufferView\":1,\"componentType\":5123,\"count\":12,\"type\":\"SCALAR\"}]}");
    rp_report *report = rp_report_create();
    rp_mesh *mesh;
    check_ok(rp_mesh_read(path, 1, &mesh, report), report);
    assert_int_equal(mesh->vertex_count, 8);
    check_near(rp_mesh_volume(mesh), 3.0 / 6, 1e-12);
    check_near(mesh->bounds.low.x, -3, 1e-12);
    check_near(mesh->bounds.high.x, 1, 1e-12);
    rp_mesh_destroy(mesh);
    rp_report_destroy(report);
}

static void an_inside_out_box_is_turned_with_a_warning(void **state)
{
    (void)state;
    write_obj("turned.obj", 6, 1);
    warnings = 0;
    check_box(1);
    assert_int_equal(warnings, 1);
}

static void files_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/missing.obj", folder);
    check_refused(RP_ERROR_IO, "No such file");
    snprintf(path, sizeof path, "%s/folder.obj", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    check_refused(RP_ERROR_IO, "directory");
    snprintf(path, sizeof path, "%s/pipe.obj", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_refused(RP_ERROR_IO, "not a file");
    write_text("empty.obj", "");
    check_refused(RP_ERROR_INPUT, "0 bytes");
    write_text("huge.stl", "");
    assert_int_equal(truncate(path, ((off_t)2 << 30) + 1), 0);
    check_refused(RP_ERROR_INPUT, "2 GB are allowed");
    assert_int_equal(truncate(path, 0), 0);
}

static void files_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    write_text("mesh.nonsense", "no mesh at all");
    check_refused(RP_ERROR_INPUT, "can be read");
    write_text("words.obj", "nothing but words in here, for once\n");
    check_refused(RP_ERROR_INPUT, "");
    write_text("words.stl", "nothing but words in here, for once\n");
    check_refused(RP_ERROR_INPUT, "cannot read mesh");
    write_text("far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    check_refused(RP_ERROR_INPUT, "");
    write_text("points.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"
                             "property float y\nproperty float z\nend_header\n0 0 0\n1 1 1\n");
    check_refused(RP_ERROR_INPUT, "no triangles");
    write_stl("cut.stl");
    assert_int_equal(truncate(path, 84 + 50 * 7 + 20), 0);
    check_refused(RP_ERROR_INPUT, "");
}

static void meshes_that_are_no_solids_are_refused(void **state)
{
    (void)state;
    write_obj("open.obj", 5, 0);
    check_refused(RP_ERROR_INPUT, "is open");

    FILE *file = create("nan.obj");
    obj_vertices(file);
    fprintf(file, "v nan 0 0\nf 1 2 9\n");
    fclose(file);
    check_refused(RP_ERROR_INPUT, "of triangle 1 is (");

    file = create("flat.obj");
    obj_vertices(file);
    fprintf(file, "v 0.5 0 0\nf 1 9 2\n");
    for (int f = 0; f < 6; f++)
        fprintf(file, "f %d %d %d %d\n", quads[f][0] + 1, quads[f][1] + 1, quads[f][2] + 1,
                quads[f][3] + 1);
    fclose(file);
    check_refused(RP_ERROR_INPUT, "no area");
}

static void bad_scales_are_refused(void **state)
{
    (void)state;
    write_obj("box.obj", 6, 0);
    const double scales[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        rp_mesh *mesh;
        assert_int_equal(rp_mesh_read(path, scales[i], &mesh, NULL), RP_ERROR_INPUT);
        assert_null(mesh);
    }
}

static void running_out_of_memory_is_a_fault(void **state)
{
    (void)state;
    write_obj("box.obj", 6, 0);
    rp_code code = RP_ERROR_MEMORY;
    int most = 0;
    for (; code == RP_ERROR_MEMORY; most++) {
        rp_mesh *mesh;
        allocations_left = most;
        code = rp_mesh_read(path, 1, &mesh, NULL);
        allocations_left = -1;
        assert_true((code == RP_OK) == (mesh != NULL));
        rp_mesh_destroy(mesh);
    }
    assert_int_equal(code, RP_OK);
    assert_true(most > 5);
}

static void *allocate_some(void *user, size_t size, size_t alignment)
{
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    return rp_default_hooks().allocate(user, size, alignment);
}

static void count_warnings(void *user, rp_level level, const char *message)
{
    (void)user;
    (void)message;
    if (level == RP_LOG_WARNING) warnings++;
}

/* What a scene's mesh should be: its box and volume, and a point inside and one outside. */
typedef struct made {
    const char *name;
    rp_box3 bounds;
    double volume; /* m3 */
    rp_vec3 inside, outside;
} made;

static const made meshes[] = {
    /* In the blade; in its hollow, behind the line from edge to edge. */
    {"bulldozer", {{-0.55, -0.40, 0}, {0.55, 0.40, 0.60}}, 0.156, {0.48, 0, 0.16}, {0.53, 0, 0.16}},
    {"dumper-chassis", {{-0.74, -0.37, 0}, {0.815, 0.37, 0.57}}, 0.198, {0, 0, 0.25}, {0, 0, 0.35}},
    /* In the floor; where the load lies. */
    {"dumper-bed",
     {{-0.14, -0.405, 0}, {1.205, 0.405, 0.335}},
     0.063,
     {0.5, 0, 0.02},
     {0.5, 0, 0.1}},
    /* Above the gate; in it. */
    {"castle", {{-0.51, -0.51, 0}, {0.51, 0.51, 0.63}}, 0.233, {0, -0.35, 0.3}, {0, -0.35, 0.1}},
    /* In the stem; in the hole. */
    {"letter-r", {{-0.245, -0.075, 0}, {0.245, 0.075, 0.6}}, 0.031, {-0.2, 0, 0.3}, {0, 0, 0.41}},
    /* In an ear; between the ears. */
    {"hare",
     {{-0.226, -0.132, 0}, {0.176, 0.132, 0.526}},
     0.0136,
     {0.02, 0.047, 0.46},
     {0.02, 0, 0.46}},
    /* In a grouser; beside the web. */
    {"wheel", {{-0.22, -0.075, -0.22}, {0.22, 0.075, 0.22}}, 0.0136, {0.21, 0, 0}, {0, 0.05, 0.1}},
    {"bowling-pin",
     {{-0.061, -0.061, 0}, {0.061, 0.061, 0.381}},
     0.0021,
     {0, 0, 0.3},
     {0.04, 0, 0.25}},
};

static void check_made(const made *m)
{
    rp_mesh *mesh;
    rp_report *report = rp_report_create();
    snprintf(path, sizeof path, "%s/scenes/meshes/%s.obj", RP_SOURCE_DIR, m->name);
    check_ok(rp_mesh_read(path, 1, &mesh, report), report);
    for (int axis = 0; axis < 3; axis++) {
        check_near((&mesh->bounds.low.x)[axis], (&m->bounds.low.x)[axis], 2e-3);
        check_near((&mesh->bounds.high.x)[axis], (&m->bounds.high.x)[axis], 2e-3);
    }
    check_near(rp_mesh_volume(mesh), m->volume, 0.02 * m->volume);
    assert_true(rp_mesh_winding(mesh, m->inside) > 0.9);
    check_near(rp_mesh_winding(mesh, m->outside), 0, 0.01);
    rp_mesh_destroy(mesh);
    rp_report_destroy(report);
}

static void meshes_of_the_scenes_are_solids(void **state)
{
    (void)state;
    warnings = 0;
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        check_made(&meshes[i]);
    assert_int_equal(warnings, 0);
}

/* The last test: all the others gave back what they took. */
static void no_memory_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    rp_hooks hooks = rp_default_hooks();
    hooks.log = count_warnings;
    hooks.allocate = allocate_some;
    rp_set_hooks(&hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_give_the_same_box),
        cmocka_unit_test(nodes_are_put_in_their_place),
        cmocka_unit_test(an_inside_out_box_is_turned_with_a_warning),
        cmocka_unit_test(files_that_cannot_be_read_are_refused),
        cmocka_unit_test(files_that_make_no_sense_are_refused),
        cmocka_unit_test(meshes_that_are_no_solids_are_refused),
        cmocka_unit_test(bad_scales_are_refused),
        cmocka_unit_test(running_out_of_memory_is_a_fault),
        cmocka_unit_test(meshes_of_the_scenes_are_solids),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
