/* Surfaces: walls only where the domain is closed, and grains touching shapes that move. */
#include "check.h"

#include "base/random.h"
#include "couple/couple.h"

#include <string.h>

static rp_scene empty_scene(void)
{
    rp_scene scene = {0};
    scene.domain.low = rp_v3(-1, -2, -3);
    scene.domain.high = rp_v3(1, 2, 3);
    for (int side = 0; side < RP_SIDES; side++)
        scene.domain.friction[side] = 0.1 * side;
    scene.domain.restitution = 0.1;
    return scene;
}

static int wall_count(const rp_scene *scene)
{
    rp_bodies *bodies;
    rp_couple *couple;
    check_ok(rp_bodies_create(scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(scene, bodies, &couple, NULL), NULL);
    int count = rp_couple_count(couple);
    for (int i = 0; i < count; i++)
        assert_int_equal(rp_couple_surfaces(couple)[i].body, -1);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
    return count;
}

static void walls_stand_only_where_the_domain_is_closed(void **state)
{
    (void)state;
    rp_scene scene = empty_scene();
    assert_int_equal(wall_count(&scene), 6);
    scene.domain.open = 1u << 5; /* top */
    assert_int_equal(wall_count(&scene), 5);
    scene.domain.periodic = 1; /* x */
    assert_int_equal(wall_count(&scene), 3);
    scene.domain.low.y = -INFINITY;
    assert_int_equal(wall_count(&scene), 2);
    scene.domain.high.y = INFINITY;
    scene.domain.open |= 1u << 4; /* bottom */
    assert_int_equal(wall_count(&scene), 0);
}

/* A point 0.1 inside each wall in turn, in the order left, right, front, back, bottom, top. */
static void walls_face_inwards(void **state)
{
    (void)state;
    rp_scene scene = empty_scene();
    rp_bodies *bodies;
    rp_couple *couple;
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(&scene, bodies, &couple, NULL), NULL);
    const rp_vec3 inward[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const double half[3] = {1, 2, 3};
    for (int side = 0; side < 6; side++) {
        const rp_surface *wall = &rp_couple_surfaces(couple)[side];
        rp_vec3 point = rp_v3_scale(inward[side], 0.1 - half[side / 2]);
        point = rp_v3_add(point, rp_v3_scale(rp_v3_perpendicular(inward[side]), 0.7));
        rp_touch touch;
        assert_true(rp_surface_touch(wall, point, 0.11, &touch));
        check_near(touch.distance, 0.1, 1e-14);
        check_near(rp_v3_length(rp_v3_sub(touch.normal, inward[side])), 0, 1e-14);
        check_near(rp_v3_length(touch.velocity), 0, 0);
        assert_false(rp_surface_touch(wall, point, 0.09, &touch));
        rp_vec3 outside = rp_v3_madd(point, -0.3, inward[side]);
        assert_true(rp_surface_touch(wall, outside, 0.01, &touch));
        check_near(touch.distance, -0.2, 1e-14);
        assert_true(wall->side == side && wall->friction == 0.1 * side && wall->restitution == 0.1);
    }
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
}

static rp_vec3 random_point(uint64_t number)
{
    rp_random4 r = rp_random(3, RP_RANDOM_TEST, number);
    return rp_v3(2 * rp_random_unit(r.bits[0]) - 1, 2 * rp_random_unit(r.bits[1]) - 1,
                 2 * rp_random_unit(r.bits[2]) - 1);
}

static rp_shape shape_of(int kind, const rp_mesh *mesh)
{
    return (rp_shape){.kind = (rp_shape_kind)kind,
                      .size = {0.4, 0.6, 0.8},
                      .radius = 0.4,
                      .height = 0.7,
                      .neck = 0.2,
                      .thickness = 0.1,
                      .mesh = mesh};
}

/* The surface's velocity at a point is how a mark of the body comes past it: the place that the
 * mark has a moment later, taken from the pose at that moment. */
static void check_touches(const rp_shape *shape)
{
    rp_key_spec keys[3] = {
        {0, {-1, 0, 0}, {0, 0, -2}}, {1, {0.1, 0.2, 0}, {1, 0.5, 1}}, {2, {1, 1, 1}, {2, 1, 3}}};
    rp_body_spec spec = {.name = "arm", .motion = RP_MOTION_KEYS, .keys = {keys, 3}};
    spec.keys_move = spec.keys_turn = true;
    spec.shape = *shape;
    spec.friction = 0.7;
    rp_scene scene = {.bodies = {&spec, 1}, .domain = {.open = 63}};
    rp_bodies *bodies;
    rp_couple *couple;
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(&scene, bodies, &couple, NULL), NULL);
    const double dt = 1e-6;
    assert_int_equal(rp_bodies_begin(bodies, 1.1, dt, NULL), RP_OK);
    assert_int_equal(rp_bodies_finish(bodies, NULL), RP_OK);
    rp_couple_refresh(couple);
    const rp_surface *surface = rp_couple_surfaces(couple);
    assert_int_equal(rp_couple_count(couple), 1);
    assert_true(surface->body == 0 && surface->friction == 0.7);

    rp_pose from = rp_motion_keys_pose(keys, 3, RP_INTERPOLATION_SMOOTH, 1.1),
            to = rp_motion_keys_pose(keys, 3, RP_INTERPOLATION_SMOOTH, 1.1 + dt);
    int touches = 0;
    for (uint64_t i = 0; i < 500; i++) {
        rp_vec3 point = random_point(i);
        rp_touch touch;
        double distance = rp_shape_distance(shape, rp_pose_to_local(to, point), NULL);
        bool near = rp_surface_touch(surface, point, 0.2, &touch);
        assert_int_equal(near, distance < 0.2);
        if (!near) continue;
        touches++;
        check_near(touch.distance, distance, 1e-12);
        check_near(rp_v3_length(touch.normal), 1, 1e-12);
        rp_vec3 foot = rp_v3_madd(point, -touch.distance, touch.normal);
        check_near(rp_shape_distance(shape, rp_pose_to_local(to, foot), NULL), 0, 1e-12);
        rp_vec3 mark = rp_pose_to_world(from, rp_pose_to_local(to, point));
        rp_vec3 velocity = rp_v3_scale(rp_v3_sub(point, mark), 1 / dt);
        check_near(rp_v3_length(rp_v3_sub(touch.velocity, velocity)), 0, 1e-4);
        assert_true(rp_v3_length(velocity) > 0.1);
    }
    assert_in_range(touches, 10, 450);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
}

static void moving_shapes_are_touched_where_they_are(void **state)
{
    (void)state;
    rp_shape box = shape_of(RP_SHAPE_BOX, NULL);
    rp_mesh *mesh;
    check_ok(rp_shape_tessellate(&box, 3, 0, &mesh, NULL), NULL);
    for (int kind = RP_SHAPE_PLANE; kind <= RP_SHAPE_MESH; kind++) {
        rp_shape shape = shape_of(kind, mesh);
        check_touches(&shape);
    }
    rp_mesh_destroy(mesh);
}

/* A belt that runs along x of a box which stands on its end and drifts: up along its sides, and not
 * at all through its ends. */
static void belts_run_along_the_surface(void **state)
{
    (void)state;
    rp_body_spec spec = {.name = "belt", .motion = RP_MOTION_KEYS, .belt = {2, 0, 0}};
    spec.shape = (rp_shape){.kind = RP_SHAPE_BOX, .size = {4, 1, 1}};
    spec.pose.orientation = rp_quat_from_euler(rp_v3(0, -RP_PI / 2, 0)); /* x points up */
    spec.velocity = rp_v3(0, 0.5, 0);
    rp_scene scene = {.bodies = {&spec, 1}, .domain = {.open = 63}};
    rp_bodies *bodies;
    rp_couple *couple;
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(&scene, bodies, &couple, NULL), NULL);
    const rp_surface *surface = rp_couple_surfaces(couple);
    rp_touch side, end, edge;
    assert_true(rp_surface_touch(surface, rp_v3(0.6, 0, 1), 0.2, &side));
    check_near(rp_v3_length(rp_v3_sub(side.velocity, rp_v3(0, 0.5, 2))), 0, 1e-14);
    assert_true(rp_surface_touch(surface, rp_v3(0.1, 0, 2.1), 0.2, &end));
    check_near(rp_v3_length(rp_v3_sub(end.velocity, rp_v3(0, 0.5, 0))), 0, 1e-14);
    assert_true(rp_surface_touch(surface, rp_v3(0.6, 0, 2.1), 0.2, &edge));
    check_near(rp_v3_length(rp_v3_sub(edge.velocity, rp_v3(-1, 0.5, 1))), 0, 1e-14);
    double speed;
    assert_int_equal(rp_couple_fastest(couple, &speed), 0);
    check_near(speed, 2.5, 1e-15);
    check_near(rp_couple_max_speed(couple), 2.5, 1e-15);
    check_near(rp_couple_max_motion(couple), 0.5, 1e-15);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
}

static void rough_surfaces_hold_grains_as_grains_do(void **state)
{
    (void)state;
    rp_material_spec sand = {.angle = RP_PI / 6, .friction = 0.9};
    rp_surface surface = {.friction = 0.4};
    check_near(rp_surface_friction(&surface, &sand), 0.6, 1e-15);
    surface.friction = 0;
    check_near(rp_surface_friction(&surface, &sand), 0, 0);
    surface.friction = INFINITY;
    check_near(rp_surface_friction(&surface, &sand), 1 / sqrt(3), 1e-15);
    sand.friction = 0; /* which says nothing there */
    check_near(rp_surface_friction(&surface, &sand), 1 / sqrt(3), 1e-15);
    sand.angle = 0;
    check_near(rp_surface_friction(&surface, &sand), 0, 0);
}

/* --- surfaces near blocks of grains ----------------------------------------------------------- */

#define BALLS 60
#define POINTS 700
#define POINTS_BLOCK 64
static float points[3][POINTS];

static rp_ball around_points(const void *context, rp_range range)
{
    if (range.begin == POINTS_BLOCK) return (rp_ball){.radius = -1}; /* that block asks for none */
    rp_couple_points all = {points[0], points[1], points[2], *(const double *)context};
    return rp_couple_ball_of_points(&all, range);
}

/* Balls along x, of which a block is near none, few, or nearly all. */
static void check_near_lists(const rp_couple *couple, double reach, rp_threads *threads)
{
    rp_arena arena = {0};
    rp_surface_list *near;
    rp_couple_search search = {POINTS, POINTS_BLOCK, around_points, &reach};
    check_ok(rp_couple_near(couple, &search, threads, &arena, &near, NULL), NULL);
    for (size_t begin = 0, block = 0; begin < POINTS; begin += POINTS_BLOCK, block++) {
        size_t end = begin + POINTS_BLOCK < POINTS ? begin + POINTS_BLOCK : POINTS;
        rp_ball ball = around_points(&reach, (rp_range){begin, end, 0});
        int count = 0;
        for (int k = 0; k < rp_couple_count(couple) && ball.radius >= 0; k++) {
            if (!rp_surface_may_touch(&rp_couple_surfaces(couple)[k], ball.centre, ball.radius))
                continue;
            assert_true(count < near[block].count);
            assert_int_equal(near[block].index[count++], k);
        }
        assert_int_equal(near[block].count, count);
    }
    rp_arena_destroy(&arena);
}

static void all_surfaces_near_a_block_are_listed(void **state)
{
    (void)state;
    static rp_body_spec balls[BALLS];
    static char name[] = "ball";
    rp_scene scene = {.bodies = {balls, BALLS}, .domain = {.open = 63}};
    rp_bodies *bodies;
    rp_couple *couple;
    rp_threads *threads;
    for (int i = 0; i < BALLS; i++)
        balls[i] = (rp_body_spec){.name = name,
                                  .motion = RP_MOTION_FIXED,
                                  .pose = {rp_v3(i, 0, 0), rp_quat_identity()},
                                  .shape = {.kind = RP_SHAPE_SPHERE, .radius = 0.1}};
    for (size_t i = 0; i < POINTS; i++)
        points[0][i] = 1.2f * (float)(i / POINTS_BLOCK) + 0.001f * (float)(i % POINTS_BLOCK);
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(&scene, bodies, &couple, NULL), NULL);
    check_ok(rp_threads_create(3, &threads, NULL), NULL);
    const double reaches[] = {0.05, 1, 3.4, 4.5, 100};
    for (int n = 0; n < 5; n++) {
        check_near_lists(couple, reaches[n], NULL);
        check_near_lists(couple, reaches[n], threads);
    }
    rp_threads_destroy(threads);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
}

/* The last test: all the others gave back what they took. */
static void no_memory_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_stand_only_where_the_domain_is_closed),
        cmocka_unit_test(walls_face_inwards),
        cmocka_unit_test(moving_shapes_are_touched_where_they_are),
        cmocka_unit_test(belts_run_along_the_surface),
        cmocka_unit_test(rough_surfaces_hold_grains_as_grains_do),
        cmocka_unit_test(all_surfaces_near_a_block_are_listed),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
