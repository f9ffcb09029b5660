/* Forces on bodies in recorded frames: means by time since the frame before, whatever the solver,
 * also where a run was broken off between two frames. */
#include "files.h"
#include "worlds.h"

#include "world/world.h"

#include <string.h>
#include <unistd.h>

#define LAST 4
#define RATE 40.0 /* frames per second, as the scene says */

static const char scene_text[] =
    "time: {duration: 0.1 s, frame_rate: 40}\n"
    "domain: {low: [-0.2, -0.2, -0.1], high: [0.2, 0.2, 0.5]}\n"
    "particles: {spacing: 3 cm}\n"
    "sources: {block: {shape: box, size: [0.2, 0.2, 0.12], position: [0, 0, 0.08]}}\n"
    "bodies:\n"
    "  plate: {shape: box, size: [0.4, 0.4, 0.04], position: [0, 0, -0.02]}\n"
    "  comb: {shape: box, size: [0.02, 0.3, 0.2], motion: keys, keys: [{time: 0, position: "
    "[-0.15, 0, 0.1]}, {time: 0.1, position: [0, 0, 0.1]}]}\n"
    "output: {frame_every: 2}\n";

static rp_scene *scene_with(const char *solver)
{
    char text[2048];
    snprintf(text, sizeof text, "%ssolver: {method: %s}\n", scene_text, solver);
    return scene_of(text);
}

/* Stops after so many steps; 0: never. */
static bool on_progress(void *user, const rp_progress *progress)
{
    const uint64_t *stop_at = user;
    return !*stop_at || progress->steps < *stop_at;
}

static rp_code run_into(const char *folder, const rp_scene *scene, uint64_t stop_at, bool resume)
{
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.resume = resume;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = 1;
    options.world = &of_world;
    options.progress = on_progress;
    options.user = &stop_at;
    return rp_run(scene, &options, NULL, NULL);
}

/* Sums of a body's load in the plain way, over two frames. */
typedef struct sums {
    double force[3], torque[3], time;
} sums;

static sums sum_steps(rp_world *world, int body, int frame)
{
    sums s = {0};
    for (int f = frame - 1; f <= frame; f++)
        while (rp_world_time(world) < f / RATE) {
            assert_int_equal(rp_world_step_toward(world, f / RATE, NULL), RP_OK);
            rp_view view;
            rp_world_view(world, &view);
            for (int a = 0; a < 3; a++) {
                s.force[a] += view.dt * view.bodies[body].force[a];
                s.torque[a] += view.dt * view.bodies[body].torque[a];
            }
            s.time += view.dt;
        }
    return s;
}

static void check_body(const rp_body_state *state, const sums *s)
{
    for (int a = 0; a < 3; a++) {
        double force = s->force[a] / s->time, torque = s->torque[a] / s->time;
        assert_true(fabs(state->force[a] - force) <= 1e-9 * (1 + fabs(force)));
        assert_true(fabs(state->torque[a] - torque) <= 1e-9 * (1 + fabs(torque)));
    }
}

/* The frames on disk are those of every second frame. */
static void check_frames(const char *folder, const rp_scene *scene)
{
    rp_record *record;
    rp_frame_file *frame;
    bool felt = false;
    assert_int_equal(rp_record_open(folder, &record, NULL), RP_OK);
    for (int body = 0; body < 2; body++) {
        rp_world *world = world_of(scene, 1);
        for (int f = 2; f <= LAST; f += 2) {
            sums s = sum_steps(world, body, f);
            assert_int_equal(
                rp_series_read(rp_record_series(record, RP_SERIES_COARSE), f, &frame, NULL), RP_OK);
            check_body(&rp_frame_view(frame)->bodies[body], &s);
            felt = felt || fabs(s.force[2]) > 1;
            rp_frame_close(frame);
        }
        rp_world_destroy(world);
    }
    assert_true(felt);
    rp_record_close(record);
}

static void frames_hold_means(void **state)
{
    (void)state;
    static const char *const solvers[] = {"frictional", "pcisph", "dem", "null"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        rp_scene *scene = scene_with(solvers[i]);
        assert_int_equal(run_into(solvers[i], scene, 0, false), RP_OK);
        check_frames(solvers[i], scene);
        rp_scene_destroy(scene);
    }
}

static void a_break_between_frames_changes_no_mean(void **state)
{
    (void)state;
    rp_scene *scene = scene_with("frictional");
    assert_int_equal(run_into("broken", scene, 3, false), RP_INTERRUPTED);
    assert_int_equal(run_into("broken", scene, 5, true), RP_INTERRUPTED);
    assert_int_equal(run_into("broken", scene, 0, true), RP_OK);
    for (int f = 0; f <= LAST; f += 2) {
        char name[64];
        snprintf(name, sizeof name, "frames/%06d.h5", f);
        same_file("frictional", "broken", name);
    }
    rp_scene_destroy(scene);
}

static char work[] = "/tmp/repose-means-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(work) && chdir(work) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    if (chdir("/") != 0) return -1;
    remove_tree(work);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_hold_means),
        cmocka_unit_test(a_break_between_frames_changes_no_mean),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
