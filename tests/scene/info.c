/* What a scene tells of itself: the numbers of its text, and shapes as sound triangles. */
#include "check.h"

#include "repose/scene_info.h"

#include <math.h>
#include <string.h>

static const char text[] =
    "domain: {low: [0, 0, 0], high: [1, 2, inf], periodic: [x], open: [top]}\n"
    "particles: {spacing: 2 cm}\n"
    "materials:\n"
    "  sand: {density: 1600, angle: 30 deg, colour: [0.5, 0.25, 1]}\n"
    "sources:\n"
    "  heap: {shape: box, size: [0.2, 0.2, 0.2], position: [0.5, 1, 0.5], at: 2}\n"
    "emitters:\n"
    "  spout: {nozzle: disc, radius: 0.1, position: [0.5, 1, 1], direction: [0, 0, -2], speed: 1}\n"
    "bodies:\n"
    "  ground: {shape: plane}\n"
    "  block: {shape: box, size: [2, 4, 6], position: [1, 2, 3], rotation: [0, 0, 90 deg],\n"
    "          motion: dynamic, density: 500, hidden: yes}\n"
    "  ball: {shape: sphere, radius: 0.5}\n"
    "cameras:\n"
    "  still: {position: [3, 0, 0], target: [0, 0, 0], field_of_view: 60 deg, orbit: 90 deg/s}\n"
    "lamps:\n"
    "  bulb: {position: [1, 1, 1], radius: 5 cm, strength: 2}\n"
    "detail: {factor: 8, live: no}\n"
    "output: {frame_every: 3}\n";

static rp_scene *scene;

static void check_place(const double *got, double x, double y, double z)
{
    assert_true(fabs(got[0] - x) < 1e-12 && fabs(got[1] - y) < 1e-12 && fabs(got[2] - z) < 1e-12);
}

static void bodies_are_told(void **state)
{
    (void)state;
    assert_int_equal(rp_scene_body_count(scene), 3);
    rp_body_info block = rp_scene_body_info(scene, rp_scene_find_body(scene, "block"));
    assert_string_equal(block.name, "block");
    assert_string_equal(block.motion, "dynamic");
    assert_string_equal(block.shape, "box");
    assert_true(block.hidden && block.density == 500 && block.mass == 0);
    check_place(block.position, 1, 2, 3);
    check_place(block.low, -1, -2, -3);
    assert_true(fabs(block.orientation[0] - sqrt(0.5)) < 1e-12);
    assert_true(fabs(block.orientation[3] - sqrt(0.5)) < 1e-12);
    assert_null(rp_scene_body_info(scene, 3).name);
    assert_null(rp_scene_body_info(scene, -1).name);
    assert_true(isinf(rp_scene_body_info(scene, 0).low[2]));
}

static void the_rest_is_told(void **state)
{
    (void)state;
    rp_material_info sand = rp_scene_material_info(scene, 0);
    assert_int_equal(rp_scene_material_count(scene), 1);
    assert_true(sand.density == 1600 && fabs(sand.angle - M_PI / 6) < 1e-12);
    check_place(sand.colour, 0.5, 0.25, 1);
    rp_domain_info domain = rp_scene_domain(scene);
    check_place(domain.low, 0, 0, 0);
    assert_true(isinf(domain.high[2]) && domain.periodic[0] && !domain.periodic[1]);
    assert_true(domain.open[5] && !domain.open[4] && domain.spacing == 0.02);
    check_place(domain.gravity, 0, 0, -9.81);
    rp_source_info heap = rp_scene_source_info(scene, 0);
    assert_true(rp_scene_source_count(scene) == 1 && heap.at == 2);
    check_place(heap.position, 0.5, 1, 0.5);
    rp_emitter_info spout = rp_scene_emitter_info(scene, 0);
    assert_true(rp_scene_emitter_count(scene) == 1 && spout.radius == 0.1 && spout.width == 0);
    check_place(spout.direction, 0, 0, -1);
    rp_lamp_info bulb = rp_scene_lamp_info(scene, 0);
    assert_true(rp_scene_lamp_count(scene) == 1 && bulb.strength == 2 && bulb.radius == 0.05);
    assert_true(rp_scene_light(scene).strength > 0);
    assert_true(rp_scene_detail(scene).factor == 8 && !rp_scene_detail(scene).live);
    assert_int_equal(rp_scene_frame_every(scene), 3);
}

static void cameras_move(void **state)
{
    (void)state;
    assert_int_equal(rp_scene_camera_count(scene), 1);
    rp_camera_info camera = rp_scene_camera_info(scene, 0, 0);
    check_place(camera.position, 3, 0, 0);
    assert_true(fabs(camera.field_of_view - M_PI / 3) < 1e-12);
    camera = rp_scene_camera_info(scene, 0, 1); /* a quarter of a turn about its target */
    check_place(camera.position, 0, 3, 0);
    check_place(camera.target, 0, 0, 0);
}

/* The volume by the divergence theorem, and normals of length 1 that point as the faces do. */
static double volume_of(const rp_triangles *t)
{
    double volume = 0;
    for (size_t i = 0; i < t->triangle_count; i++) {
        const float *p[3], *n[3];
        for (int k = 0; k < 3; k++) {
            assert_true(t->indices[3 * i + (size_t)k] < t->vertex_count);
            p[k] = t->positions + 3 * t->indices[3 * i + (size_t)k];
            n[k] = t->normals + 3 * t->indices[3 * i + (size_t)k];
        }
        double a[3], b[3], face[3];
        for (int k = 0; k < 3; k++) {
            a[k] = p[1][k] - p[0][k];
            b[k] = p[2][k] - p[0][k];
        }
        for (int k = 0; k < 3; k++)
            face[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        for (int k = 0; k < 3; k++) {
            volume += p[0][k] * face[k] / 6;
            double along = n[k][0] * face[0] + n[k][1] * face[1] + n[k][2] * face[2];
            assert_true(along > 0);
            assert_true(fabs(hypot(hypot(n[k][0], n[k][1]), n[k][2]) - 1) < 1e-6);
        }
    }
    return volume;
}

static void shapes_become_triangles(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_triangles *t = NULL;
    check_ok(rp_scene_body_triangles(scene, 1, 16, 1, &t, report), report);
    assert_int_equal(t->triangle_count, 12);
    assert_int_equal(t->vertex_count, 24); /* each corner three times: it has three normals */
    assert_true(fabs(volume_of(t) - 48) < 1e-5);
    rp_triangles_destroy(t);
    check_ok(rp_scene_body_triangles(scene, 2, 64, 1, &t, report), report);
    assert_true(fabs(volume_of(t) / (M_PI / 6) - 1) < 0.01);
    assert_true(t->vertex_count < t->triangle_count); /* smooth: shared */
    rp_triangles_destroy(t);
    check_ok(rp_scene_body_triangles(scene, 0, 8, 10, &t, report), report);
    assert_int_equal(t->triangle_count, 2);
    rp_triangles_destroy(t);
    assert_int_equal(rp_scene_body_triangles(scene, 3, 8, 10, &t, report), RP_ERROR_INPUT);
    assert_int_equal(rp_scene_body_triangles(scene, 1, 2, 10, &t, report), RP_ERROR_INPUT);
    assert_null(t);
    rp_report_destroy(report);
}

static int begin(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    check_ok(rp_scene_parse(text, "info", &scene, report), report);
    rp_report_destroy(report);
    return 0;
}

static int end(void **state)
{
    (void)state;
    rp_scene_destroy(scene);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_told), cmocka_unit_test(the_rest_is_told),
        cmocka_unit_test(cameras_move), cmocka_unit_test(shapes_become_triangles)};
    return cmocka_run_group_tests(tests, begin, end);
}
