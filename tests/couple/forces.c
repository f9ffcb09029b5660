/* Forces on bodies: the right sum, and the same bits for any number of threads. */
#include "check.h"

#include "base/random.h"
#include "base/threads.h"
#include "couple/couple.h"

#include <string.h>

#define GRAINS 50000
#define BLOCK 64
#define BODIES 3
#define ROWS 100 /* of forces: several blocks share one */

static rp_body_spec specs[BODIES];
static int allocations_left = -1; /* then memory runs out; -1: never */

static rp_scene three_bodies(void)
{
    static char *const names[BODIES] = {"one", "two", "three"};
    for (int i = 0; i < BODIES; i++) {
        specs[i] = (rp_body_spec){.name = names[i], .motion = RP_MOTION_FIXED};
        specs[i].pose = (rp_pose){rp_v3(i, -2 * i, 0.5), rp_quat_identity()};
        specs[i].shape = (rp_shape){.kind = RP_SHAPE_SPHERE, .radius = 1};
    }
    return (rp_scene){.bodies = {specs, BODIES}, .domain = {.open = 63}};
}

static int body_of(size_t grain)
{
    return (int)(grain % (BODIES + 1)) - 1; /* some push on walls */
}

static rp_vec3 point_of(size_t grain)
{
    rp_random4 r = rp_random(5, RP_RANDOM_TEST, 2 * grain);
    return rp_v3(rp_random_unit(r.bits[0]), rp_random_unit(r.bits[1]), rp_random_unit(r.bits[2]));
}

static rp_vec3 force_of(size_t grain)
{
    rp_random4 r = rp_random(5, RP_RANDOM_TEST, 2 * grain + 1);
    return rp_v3(rp_random_unit(r.bits[0]) - 0.5, 1e3 * rp_random_unit(r.bits[1]),
                 1e-3 * rp_random_unit(r.bits[2]));
}

/* A couple as large as what forces do, N m. */
static rp_vec3 couple_of(size_t grain)
{
    return rp_v3_scale(point_of(grain + GRAINS), 300);
}

/* A body's own surface, or a wall for body -1. */
static const rp_surface *surface_of(const rp_couple *couple, size_t grain)
{
    static const rp_surface a_wall = {.body = -1};
    int body = body_of(grain);
    return body < 0 ? &a_wall : &rp_couple_surfaces(couple)[body];
}

static void push_range(void *context, rp_range range)
{
    for (size_t i = range.begin; i < range.end; i++) {
        const rp_surface *surface = surface_of(context, i);
        rp_couple_add_force(context, range.begin / BLOCK, surface, point_of(i), force_of(i));
        rp_couple_add_torque(context, range.begin / BLOCK, surface, couple_of(i));
    }
}

/* The sums of one step on so many threads; 0 for none. */
static void run_step(rp_couple *couple, int thread_count, rp_arena *arena)
{
    rp_threads *threads = NULL;
    if (thread_count) check_ok(rp_threads_create(thread_count, &threads, NULL), NULL);
    check_ok(rp_couple_begin(couple, GRAINS, BLOCK, ROWS, arena, NULL), NULL);
    rp_couple_for(couple, threads, push_range, couple);
    rp_couple_finish(couple);
    rp_arena_reset(arena);
    rp_threads_destroy(threads);
}

static void serial_sum(int body, rp_vec3 *force, rp_vec3 *torque)
{
    *force = *torque = rp_v3(0, 0, 0);
    for (size_t i = 0; i < GRAINS; i++) {
        if (body_of(i) != body) continue;
        rp_vec3 arm = rp_v3_sub(point_of(i), specs[body].pose.position);
        *force = rp_v3_add(*force, force_of(i));
        *torque = rp_v3_add(*torque, rp_v3_add(rp_v3_cross(arm, force_of(i)), couple_of(i)));
    }
}

static void check_vec3(const double found[3], rp_vec3 exact, double tolerance)
{
    check_near(found[0], exact.x, tolerance);
    check_near(found[1], exact.y, tolerance);
    check_near(found[2], exact.z, tolerance);
}

static void sums_are_right_and_do_not_depend_on_threads(void **state)
{
    (void)state;
    rp_scene scene = three_bodies();
    rp_bodies *bodies;
    rp_couple *couple;
    rp_arena arena = {0};
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(&scene, bodies, &couple, NULL), NULL);
    run_step(couple, 0, &arena);
    rp_body_state first[BODIES];
    memcpy(first, rp_bodies_states(bodies), sizeof first);
    for (int i = 0; i < BODIES; i++) {
        rp_vec3 force, torque;
        serial_sum(i, &force, &torque);
        check_vec3(first[i].force, force, 1e-12 * rp_v3_length(force));
        check_vec3(first[i].torque, torque, 1e-12 * rp_v3_length(torque));
    }
    const int counts[] = {1, 2, 4};
    for (int c = 0; c < 3; c++)
        for (int repeat = 0; repeat < 5; repeat++) {
            run_step(couple, counts[c], &arena);
            assert_memory_equal(first, rp_bodies_states(bodies), sizeof first);
        }
    rp_arena_destroy(&arena);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
}

static void a_step_without_pushes_leaves_no_force(void **state)
{
    (void)state;
    rp_scene scene = three_bodies();
    rp_bodies *bodies;
    rp_couple *couple;
    rp_arena arena = {0};
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(&scene, bodies, &couple, NULL), NULL);
    for (size_t blocks = 0; blocks < 2; blocks++) {
        rp_bodies_states(bodies)[1].force[0] = 5;
        check_ok(rp_couple_begin(couple, blocks, 1, ROWS, &arena, NULL), NULL);
        rp_couple_finish(couple);
        assert_true(rp_bodies_states(bodies)[1].force[0] == 0);
    }
    rp_arena_destroy(&arena);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
}

/* After the first steps everything comes from the arena. */
static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    rp_scene scene = three_bodies();
    rp_bodies *bodies;
    rp_couple *couple;
    rp_arena arena = {0};
    check_ok(rp_bodies_create(&scene, &bodies, NULL), NULL);
    check_ok(rp_couple_create(&scene, bodies, &couple, NULL), NULL);
    uint64_t calls = 0;
    for (int step = 0; step < 5; step++) {
        if (step == 2) calls = rp_memory_now().calls;
        assert_int_equal(rp_bodies_begin(bodies, 0.1 * step, 0.1, NULL), RP_OK);
        assert_int_equal(rp_bodies_finish(bodies, NULL), RP_OK);
        rp_couple_refresh(couple);
        run_step(couple, 0, &arena);
    }
    assert_true(rp_memory_now().calls == calls);
    rp_arena_destroy(&arena);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
}

static void *allocate_some(void *user, size_t size, size_t alignment)
{
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    return rp_default_hooks().allocate(user, size, alignment);
}

static rp_code everything_that_allocates(void)
{
    rp_scene scene = three_bodies();
    rp_bodies *bodies = NULL;
    rp_couple *couple = NULL;
    rp_arena arena = {0};
    rp_store store;
    rp_store_begin(&store);
    rp_code code = rp_bodies_create(&scene, &bodies, NULL);
    if (code == RP_OK) code = rp_couple_create(&scene, bodies, &couple, NULL);
    if (code == RP_OK) code = rp_couple_begin(couple, 1000, 1, 1000, &arena, NULL);
    if (code == RP_OK) code = rp_bodies_save(bodies, &store, NULL);
    if (code == RP_OK) code = rp_bodies_load(bodies, &store, NULL);
    rp_store_end(&store);
    rp_arena_destroy(&arena);
    rp_couple_destroy(couple);
    rp_bodies_destroy(bodies);
    return code;
}

static void running_out_of_memory_is_a_fault(void **state)
{
    (void)state;
    rp_code code = RP_ERROR_MEMORY;
    int most = 0;
    for (; code == RP_ERROR_MEMORY; most++) {
        allocations_left = most;
        code = everything_that_allocates();
        allocations_left = -1;
    }
    assert_int_equal(code, RP_OK);
    assert_true(most > 20);
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
    hooks.allocate = allocate_some;
    rp_set_hooks(&hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right_and_do_not_depend_on_threads),
        cmocka_unit_test(a_step_without_pushes_leaves_no_force),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(running_out_of_memory_is_a_fault),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
