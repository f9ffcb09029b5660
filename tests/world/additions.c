/* Bodies and joints that come and go while a world runs. */
#include "world/running.h"

#include "world/world.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define G 9.81
#define BALL "{shape: sphere, radius: 0.1, position: [0, 0, 1], motion: dynamic, density: 900}"
/* Sand on a floor that is a body, above another floor. */
#define SAND                                                                                       \
    "time: {duration: 5 s}\n"                                                                      \
    "domain: {low: [-0.1, -0.1, -1], high: [0.1, 0.1, 1]}\n"                                       \
    "bodies: {floor: {shape: box, size: [0.3, 0.3, 0.04], position: [0, 0, -0.02]}}\n"
#define SPH                                                                                        \
    SAND "particles: {spacing: 4 cm}\n"                                                            \
         "solver: {sleeping: yes}\n"                                                               \
         "sources: {bed: {shape: box, size: [0.16, 0.16, 0.16], position: [0, 0, 0.1]}}\n"
#define DEM                                                                                        \
    SAND "particles: {spacing: 4 cm}\n"                                                            \
         "materials: {sand: {young: 1e6 Pa}}\n"                                                    \
         "grains: {pea: {shape: sphere}}\n"                                                        \
         "solver: {method: dem}\n"                                                                 \
         "sources: {bed: {shape: box, size: [0.16, 0.16, 0.16], position: [0, 0, 0.1]}}\n"

static int add_body(running *s, const char *name, const char *text)
{
    int body;
    check_ok(rp_world_add_body(s->world, name, text, &body, s->report), s->report);
    rp_world_view(s->world, &s->view);
    return body;
}

static void an_added_body_falls_like_one_of_the_scene(void **state)
{
    (void)state;
    running a = running_of(OPEN_SPACE "bodies: {ball: " BALL "}\n"), b = running_of(OPEN_SPACE);
    assert_int_equal(add_body(&b, "ball", BALL), 0);
    assert_int_equal(rp_body_find(b.world, "ball"), 0);
    assert_int_equal(rp_scene_find_body(rp_world_scene(b.world), "ball"), 0);
    assert_int_equal(b.view.body_count, 1);
    run(&a, 0.5);
    run(&b, 0.5);
    assert_memory_equal(a.view.bodies, b.view.bodies, sizeof *a.view.bodies);
    assert_int_equal(add_body(&b, "late", BALL), 1);
    check_resumes(&b, 0.75);
    check_near(b.view.bodies[1].velocity[2], -G * 0.25, 1e-9);
    check_near(b.view.bodies[0].velocity[2], -G * 0.75, 1e-9);
    end(&a);
    end(&b);
}

/* What lies far away changes nothing of what grains and bodies do, nor of what they remember. */
static void check_undisturbed(const char *text, double tolerance)
{
    running a = running_of(text), b = running_of(text);
    run(&a, 0.3);
    run(&b, 0.3);
    assert_int_equal(add_body(&b, "moon", "{shape: sphere, radius: 1 cm, position: [0, 0, 50]}"),
                     1);
    run(&a, 0.5);
    check_resumes(&b, 0.5);
    assert_int_equal(a.view.count, b.view.count);
    for (size_t i = 0; i < a.view.count; i++) {
        check_near((double)a.view.x[i], (double)b.view.x[i], tolerance);
        check_near((double)a.view.vz[i], (double)b.view.vz[i], 100 * tolerance);
    }
    end(&a);
    end(&b);
}

static void sand_goes_on_as_before(void **state)
{
    (void)state;
    check_undisturbed(SPH, 0);
}

/* Contacts are listed in another order, so sums round otherwise. */
static void single_grains_go_on_as_before(void **state)
{
    (void)state;
    check_undisturbed(DEM, 1e-7);
}

static double mean_vz(const rp_view *view)
{
    double sum = 0;
    for (size_t i = 0; i < view->count; i++)
        sum += (double)view->vz[i];
    return sum / (double)view->count;
}

static void check_falls(const char *text, double settled)
{
    running s = running_of(text);
    run(&s, settled);
    assert_null(s.view.bodies_absent);
    check_near(mean_vz(&s.view), 0, 0.02);
    check_ok(rp_world_remove_body(s.world, 0, s.report), s.report);
    rp_world_view(s.world, &s.view);
    assert_int_equal(s.view.body_count, 1);
    assert_int_equal(s.view.bodies_absent[0], 1);
    assert_int_equal(rp_body_take_control(s.world, 0, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_world_remove_body(s.world, 0, NULL), RP_ERROR_INPUT);
    check_resumes(&s, settled + 0.1);
    check_near(mean_vz(&s.view), -G * 0.1, 0.1);
    check_near(s.view.bodies[0].force[2], 0, 0);
    /* And onto a new one. */
    assert_int_equal(add_body(&s, "net",
                              "{shape: box, size: [0.3, 0.3, 0.04], position: [0, 0, "
                              "-0.3]}"),
                     1);
    check_resumes(&s, settled + 0.5);
    check_near(mean_vz(&s.view), 0, 0.1);
    assert_true(s.view.bodies[1].force[2] < -1);
    end(&s);
}

static void sand_falls_where_a_body_was(void **state)
{
    (void)state;
    check_falls(SPH, 1.5);
}

static void single_grains_fall_where_a_body_was(void **state)
{
    (void)state;
    check_falls(DEM, 0.5);
}

static void a_body_lands_in_sand(void **state)
{
    (void)state;
    running s = running_of(SPH);
    run(&s, 0.2);
    int ball = add_body(&s, "ball",
                        "{shape: sphere, radius: 4 cm, position: [0, 0, 0.3], motion: dynamic, "
                        "density: 3000}");
    check_resumes(&s, 0.6);
    assert_true(s.view.bodies[ball].force[2] > 0.5); /* N */
    check_near(s.view.bodies[ball].velocity[2], 0, 0.2);
    end(&s);
}

/* A joint takes hold where its bodies are when it is added, and ends with one of them. */
static void joints_are_added(void **state)
{
    (void)state;
    running s = running_of(OPEN_SPACE);
    int ball = add_body(&s, "ball", BALL), joint;
    run(&s, 0.1);
    double z = s.view.bodies[ball].position[2];
    check_ok(rp_world_add_joint(s.world, "rope", "{kind: fixed, body: ball}", &joint, s.report),
             s.report);
    assert_int_equal(rp_joint_find(s.world, "rope"), joint);
    check_resumes(&s, 0.5);
    check_near(s.view.bodies[ball].position[2], z, 1e-2);
    rp_joint_state now;
    check_ok(rp_joint_read(s.world, joint, &now, s.report), s.report);
    check_near(now.force[2], rp_body_mass(s.world, ball) * G, 1e-2);
    int other = add_body(&s, "hook", BALL);
    check_ok(rp_world_add_joint(s.world, "chain", "{kind: fixed, body: hook, other: ball}", NULL,
                                s.report),
             s.report);
    check_resumes(&s, 0.8);
    check_ok(rp_joint_read(s.world, joint, &now, s.report), s.report);
    check_near(now.force[2], 2 * rp_body_mass(s.world, ball) * G, 5e-2);
    check_ok(rp_world_remove_body(s.world, ball, s.report), s.report);
    check_resumes(&s, 0.9);
    check_ok(rp_joint_read(s.world, joint, &now, s.report), s.report);
    assert_false(now.holds);
    check_near(s.view.bodies[other].velocity[2], -G * 0.1, 1e-6);
    assert_int_equal(
        rp_world_add_joint(s.world, "knot", "{kind: fixed, body: hook, other: ball}", NULL, NULL),
        RP_ERROR_INPUT);
    end(&s);
}

/* A state from before something was added leads back there; a file holds what was added. */
static void states_know_what_was_added(void **state)
{
    (void)state;
    running s = running_of(SPH);
    char path[] = "/tmp/repose-added-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    rp_snapshot *early;
    run(&s, 0.1);
    uint64_t before = rp_world_hash(s.world);
    check_ok(rp_world_snapshot(s.world, &early, s.report), s.report);
    add_body(&s, "ball", BALL);
    run(&s, 0.2);
    uint64_t after = rp_world_hash(s.world);
    check_ok(rp_world_save(s.world, path, s.report), s.report);
    check_ok(rp_world_restore(s.world, early, s.report), s.report);
    assert_true(rp_world_hash(s.world) == before);
    assert_int_equal(rp_body_find(s.world, "ball"), -1);
    check_ok(rp_world_load(s.world, path, s.report), s.report);
    assert_true(rp_world_hash(s.world) == after);
    assert_int_equal(rp_body_find(s.world, "ball"), 1);
    rp_snapshot_destroy(early);
    unlink(path);
    end(&s);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    running s = running_of(SPH);
    run(&s, 0.1);
    uint64_t before = rp_world_hash(s.world);
    const char *const bad[][2] = {
        {"floor", BALL},          {"a.b", BALL},      {"", BALL},
        {"ball", "{shape: egg}"}, {"ball", "~"},      {"ball", "{shape: sphere, radius: -1}"},
        {"ball", "{shape: [}"},   {"ball", "sphere"},
    };
    int body = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(rp_world_add_body(s.world, bad[i][0], bad[i][1], &body, s.report),
                         RP_ERROR_INPUT);
        assert_int_equal(body, -1);
    }
    assert_int_equal(rp_world_add_joint(s.world, "j", "{kind: fixed, body: moon}", NULL, NULL),
                     RP_ERROR_INPUT);
    assert_int_equal(rp_world_remove_body(s.world, 5, NULL), RP_ERROR_INPUT);
    assert_true(rp_world_hash(s.world) == before);
    run(&s, 0.2);
    end(&s);
}

/* A state names what was added to its world, and a file may name anything. */
static void forged_additions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } forged[] = {
#define FORGED(key, value) {key "\0" value, sizeof(key "\0" value)}
        FORGED("sources.more", "{shape: sphere, radius: 0.05}"),
        FORGED("solver.method", "null"),
        FORGED("bodies.floor", "~"),
        FORGED("bodies.floor.size", "[1, 1, 1]"),
        FORGED("bodies.", BALL),
    };
    running s = running_of(SPH);
    run(&s, 0.1);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        rp_store store;
        rp_store_begin(&store);
        check_ok(rp_world_write_state(s.world, &store, s.report), s.report);
        check_ok(rp_store_put(&store, "world/added", "", RP_U8, forged[i].text, forged[i].size,
                              s.report),
                 s.report);
        rp_world *other = world_of(s.scene, 1);
        assert_int_equal(rp_world_read_state(other, &store, NULL), RP_ERROR_DAMAGED);
        rp_world_destroy(other);
        rp_store_end(&store);
    }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_added_body_falls_like_one_of_the_scene),
        cmocka_unit_test(sand_goes_on_as_before),
        cmocka_unit_test(single_grains_go_on_as_before),
        cmocka_unit_test(sand_falls_where_a_body_was),
        cmocka_unit_test(single_grains_fall_where_a_body_was),
        cmocka_unit_test(a_body_lands_in_sand),
        cmocka_unit_test(joints_are_added),
        cmocka_unit_test(states_know_what_was_added),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(forged_additions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
