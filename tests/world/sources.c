/* Sources fill what they should: meshes wholly, voids and bodies not at all; streams stop at
 * bodies and walls.
 */
#include "scene/scene.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPACING 0.02
#define EVEN "gravity: [0, 0, 0]\nparticles: {spacing: 2 cm, jitter: 0}\nsolver: {method: null}\n"

static rp_view view_of(const rp_world *world)
{
    rp_view view;
    rp_world_view(world, &view);
    return view;
}

static rp_vec3 grain(const rp_view *view, size_t i)
{
    return rp_v3(view->x[i], view->y[i], view->z[i]);
}

/* No grain is nearer to the shape than `gap`. */
static void check_clear(const rp_view *view, const rp_shape *shape, rp_pose pose, double gap)
{
    for (size_t i = 0; i < view->count; i++)
        assert_true(rp_shape_distance(shape, rp_pose_to_local(pose, grain(view, i)), NULL) > gap);
}

static void voids_stay_empty(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 2 cm, jitter: 0.5}\nsolver: {method: null}\n"
                               "sources: {all: {shape: box, size: [1, 1, 1]}}\n"
                               "voids:\n"
                               "  ball: {shape: sphere, radius: 0.3, position: [0.1, 0, 0]}\n"
                               "  shaft: {shape: cylinder, radius: 5 cm, height: 2, position: "
                               "[-0.4, 0, 0], rotation: [90, 0, 0]}\n");
    rp_world *world = world_of(scene, 1);
    rp_view view = view_of(world);
    const rp_void_spec *voids = rp_scene_voids(scene);
    for (int i = 0; i < 2; i++)
        check_clear(&view, &voids[i].shape, voids[i].pose, 0);
    double ball = 4 * RP_PI / 3 * pow(0.31, 3), shaft = RP_PI * 0.06 * 0.06;
    double wanted = (1 - ball - shaft) / pow(SPACING, 3);
    check_near((double)view.count, wanted, 0.01 * wanted);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* A body that has moved on when a source appears keeps it out of where it is, not where it was. */
static void bodies_keep_sources_out(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        EVEN "sources:\n"
             "  early: {shape: box, size: [0.2, 0.4, 0.4], position: [-0.5, 0, 0]}\n"
             "  late: {shape: box, size: [0.4, 0.4, 0.4], position: [0.5, 0, 0], at: 0.5 s}\n"
             "bodies:\n"
             "  ram: {shape: sphere, radius: 0.1, motion: keys, interpolation: linear, keys: "
             "[{time: 0, position: [-0.5, 0, 0]}, {time: 0.5, position: [0.5, 0, 0]}]}\n");
    const rp_shape *ram = &rp_scene_bodies(scene)[0].shape;
    rp_world *world = world_of(scene, 1);
    rp_view view = view_of(world);
    double ball = 4 * RP_PI / 3 * pow(0.11, 3) / pow(SPACING, 3);
    check_clear(&view, ram, rp_scene_bodies(scene)[0].pose, 0.499 * SPACING);
    size_t early = view.count;
    check_near((double)early, 10 * 20 * 20 - 0.9 * ball, 0.1 * ball); /* the ball sticks out */
    run_world(world, 0.501);
    view = view_of(world);
    check_near(view.bodies[0].position[0], 0.5, 1e-12);
    size_t late = view.count - early;
    check_near((double)late, 20 * 20 * 20 - ball, 0.05 * ball);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static size_t count_of(const char *text)
{
    rp_scene *scene = scene_of(text);
    rp_world *world = world_of(scene, 1);
    size_t count = view_of(world).count;
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return count;
}

static void a_floor_takes_nothing_away(void **state)
{
    (void)state;
    assert_int_equal(count_of(EVEN "sources: {a: {shape: box, size: [0.4, 0.4, 0.4], position: "
                                   "[0.123, 0, 0.2]}}\n"
                                   "bodies: {floor: {shape: plane}}\n"),
                     8000);
    assert_int_equal(count_of(EVEN "sources: {a: {shape: box, size: [0.4, 0.4, 0.4], position: "
                                   "[0.123, 0, 0.199]}}\n"
                                   "bodies: {floor: {shape: plane}}\n"),
                     8000 - 400);
    assert_int_equal(count_of(EVEN "sources: {a: {shape: box, size: [0.4, 0.4, 0.4]}}\n"
                                   "bodies: {rock: {shape: box, size: [1, 1, 1]}}\n"),
                     0);
}

static void images_of_bodies_keep_sources_out(void **state)
{
    (void)state;
    rp_scene *scene =
        scene_of(EVEN "domain: {low: [-0.5, -0.5, -0.5], high: [0.5, 0.5, 0.5], periodic: [x, y]}\n"
                      "sources: {all: {shape: box, size: [1, 1, 1], position: [0.1, 0, 0]}}\n"
                      "bodies: {ball: {shape: sphere, radius: 0.2, position: [0.5, 0.5, 0]}}\n");
    rp_world *world = world_of(scene, 1);
    rp_view view = view_of(world);
    for (size_t i = 0; i < view.count; i++) {
        double x = 0.5 - fabs(view.x[i]), y = 0.5 - fabs(view.y[i]), z = view.z[i];
        assert_true(x * x + y * y + z * z > 0.2099 * 0.2099);
    }
    double wanted = (1 - 4 * RP_PI / 3 * pow(0.21, 3)) / pow(SPACING, 3);
    check_near((double)view.count, wanted, 0.002 * wanted);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* --- rows are judged in leaps; the twin asks at every place ----------------------------------- */

static size_t count_one_by_one(const rp_scene *scene)
{
    const rp_source_spec *source = rp_scene_sources(scene);
    const rp_void_spec *hole = rp_scene_voids(scene);
    const rp_body_spec *body = rp_scene_bodies(scene);
    rp_box3 box = rp_shape_bounds(&source->shape);
    rp_vec3 size = rp_v3_sub(box.high, box.low), middle = rp_v3_add(box.low, box.high);
    int n[3] = {(int)(size.x / SPACING + 1e-6), (int)(size.y / SPACING + 1e-6),
                (int)(size.z / SPACING + 1e-6)};
    size_t count = 0;
    for (int place = 0; place < n[0] * n[1] * n[2]; place++) {
        int i = place % n[0], j = place / n[0] % n[1], k = place / n[0] / n[1];
        rp_vec3 local = rp_v3_madd(rp_v3_scale(middle, 0.5), SPACING / 2,
                                   rp_v3(2 * i - n[0] + 1, 2 * j - n[1] + 1, 2 * k - n[2] + 1));
        rp_vec3 point = rp_pose_to_world(source->pose, local);
        bool inside = rp_shape_contains(&source->shape, local);
        double to_hole = rp_shape_distance(&hole->shape, rp_pose_to_local(hole->pose, point), NULL);
        double to_body = rp_shape_distance(&body->shape, rp_pose_to_local(body->pose, point), NULL);
        count += inside && fmin(to_hole, to_body) > SPACING * (0.5 - 1e-6);
    }
    return count;
}

static void leaps_miss_nothing(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "shape: box, size: [0.71, 0.5, 0.6]", "shape: sphere, radius: 0.4",
        "shape: cone, radius: 0.4, height: 0.5",
        "shape: funnel, radius: 0.4, height: 0.5, neck: 0.1, thickness: 0.13"};
    for (int s = 0; s < 16; s++) {
        char text[1000];
        snprintf(text, sizeof text,
                 EVEN "sources: {a: {%s, position: [0.1, 0.2, 0.3], rotation: [10, 20, 30]}}\n"
                      "voids: {v: {%s, position: [0.33, 0.2, 0.4]}}\n"
                      "bodies: {b: {%s, position: [-0.2, 0.2, 0.5], rotation: [0, 50, 0]}}\n",
                 shapes[s % 4], shapes[s / 4], shapes[(s + 1) % 4]);
        rp_scene *scene = scene_of(text);
        size_t wanted = count_one_by_one(scene);
        rp_scene_destroy(scene);
        assert_true(wanted > 100);
        assert_int_equal(count_of(text), wanted);
    }
}

/* --- meshes ----------------------------------------------------------------------------------- */

static void a_mesh_is_filled(void **state)
{
    (void)state;
    char folder[] = "/tmp/repose-sources-XXXXXX", path[100], text[500];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cube.obj", folder);
    FILE *file = fopen(path, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
          "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n",
          file);
    fclose(file);
    for (int turned = 0; turned < 2; turned++) {
        snprintf(text, sizeof text,
                 EVEN "sources: {a: {shape: mesh, file: %s, scale: 0.5, position: [1, 2, 3], "
                      "rotation: [0, 0, %d]}}\n",
                 path, 20 * turned);
        double wanted = pow(0.5 / SPACING, 3);
        check_near((double)count_of(text), wanted, 0.02 * wanted);
    }
    /* As a void and as a body it keeps out what it would hold, and half a spacing around. */
    for (int s = 0; s < 2; s++) {
        snprintf(text, sizeof text,
                 EVEN "sources: {a: {shape: box, size: [1, 1, 1]}}\n"
                      "%s: {a: {shape: mesh, file: %s, scale: 0.48, position: [0, 0, 0]}}\n",
                 s ? "bodies" : "voids", path);
        assert_in_range(count_of(text), 50 * 50 * 50 - 25 * 25 * 25, 50 * 50 * 50 - 24 * 24 * 24);
    }
    remove(path);
    rmdir(folder);
}

/* --- streams ---------------------------------------------------------------------------------- */

/* A plate under half of the nozzle, a hand that covers it from 0.5 s on, and a thin sheet right
 * behind the nozzle: what pours is what is free, and nothing is behind the plates. */
static void streams_stop_at_bodies(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        EVEN "time: {step: 0.03 s}\nemitters:\n"
             "  half: {nozzle: rectangle, width: 0.4, height: 0.4, speed: 4}\n"
             "  shut: {nozzle: rectangle, width: 0.4, height: 0.4, speed: 4, position: [5, 0, 0]}\n"
             "  hand: {nozzle: rectangle, width: 0.4, height: 0.4, speed: 4, position: [9, 0, 0]}\n"
             "bodies:\n"
             "  plate: {shape: box, size: [1, 1, 0.1], position: [0.5, 0, 0]}\n"
             "  sheet: {shape: box, size: [1, 1, 1 mm], position: [5, 0, -0.01]}\n"
             "  cover: {shape: box, size: [1, 1, 0.1], motion: keys, interpolation: linear, keys: "
             "[{time: 0.5, position: [9, 2, 0]}, {time: 0.501, position: [9, 0, 0]}]}\n");
    rp_world *world = world_of(scene, 1);
    double full = 0.4 * 0.4 * 4 / pow(SPACING, 3); /* grains a second */
    size_t half = 0, shut = 0, hand = 0;
    run_world(world, 1);
    rp_view view = view_of(world);
    for (size_t i = 0; i < view.count; i++) {
        half += view.x[i] < 2;
        shut += view.x[i] > 2 && view.x[i] < 7;
        hand += view.x[i] > 7;
        if (view.x[i] < 2) assert_true(view.x[i] < -0.499 * SPACING);
    }
    check_near((double)half, (0.2 - SPACING / 2) / 0.4 * full, 0.05 * full);
    assert_int_equal(shut, 0);
    check_near((double)hand, 0.5 * full, 0.05 * full);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* A nozzle whose edge lies in a wall: what pours keeps as clear of it as of a body. */
static void streams_keep_clear_of_walls(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        EVEN "domain: {low: [-0.2, -1, -4], high: [1, 1, 1], open: [right, front, back, "
             "bottom, top]}\n"
             "emitters: {spout: {nozzle: rectangle, width: 0.4, height: 0.4, speed: 4}}\n");
    rp_world *world = world_of(scene, 1);
    double full = 0.4 * 0.4 * 4 / pow(SPACING, 3), low = INFINITY; /* grains a second; m */
    run_world(world, 0.5);
    rp_view view = view_of(world);
    for (size_t i = 0; i < view.count; i++)
        low = fmin(low, (double)view.x[i]);
    assert_true(low > -0.2 + 0.499 * SPACING);
    assert_true(low < -0.2 + SPACING);
    check_near((double)view.count, 0.5 * full * (1 - SPACING / 2 / 0.4), 0.03 * full);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voids_stay_empty),
        cmocka_unit_test(bodies_keep_sources_out),
        cmocka_unit_test(a_floor_takes_nothing_away),
        cmocka_unit_test(images_of_bodies_keep_sources_out),
        cmocka_unit_test(leaps_miss_nothing),
        cmocka_unit_test(a_mesh_is_filled),
        cmocka_unit_test(streams_stop_at_bodies),
        cmocka_unit_test(streams_keep_clear_of_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
