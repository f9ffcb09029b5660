/* Measurements while a scene runs and afterwards; contacts and mean loads in recorded frames. */
#include "files.h"
#include "worlds.h"

#include "repose/repose.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- contacts --------------------------------------------------------------------------------- */

/* Contacts of a run: in its frames where the scene says so, for measurements in any case, and the
 * same after an interruption. */

#define LAST 6
#define SCENE                                                                                      \
    "time: {duration: 0.12 s, frame_rate: 50}\n"                                                   \
    "domain: {low: [0, 0, 0], high: [0.06, 0.06, 0.5], periodic: [x, y]}\n"                        \
    "particles: {spacing: 1 cm, jitter: 0.1}\n"                                                    \
    "materials: {glass: {young: 2 MPa}}\n"                                                         \
    "grains: {ball: {shape: tetrahedron}}\n"                                                       \
    "sources: {block: {shape: box, size: [0.06, 0.06, 0.06], position: [0.03, 0.03, 0.03]}}\n"     \
    "measurements: {load: {what: stress, every: 2}, touching: {what: contacts}}\n"                 \
    "solver: {method: dem}\n"

static void run(const char *folder, const char *more, int frames, bool resume)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", SCENE, more);
    rp_report *report = rp_report_create();
    rp_scene *scene = scene_of(text);
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.frames = frames;
    options.resume = resume;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = 2;
    options.world = &of_world;
    check_ok(rp_run(scene, &options, NULL, report), report);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

/* How many the last frame holds; -1 where it holds none at all. */
static long contacts_of(const char *folder, int64_t number)
{
    rp_report *report = rp_report_create();
    rp_record *record;
    rp_frame_file *frame;
    check_ok(rp_record_open(folder, &record, report), report);
    check_ok(rp_series_read(rp_record_series(record, RP_SERIES_COARSE), number, &frame, report),
             report);
    const rp_view *view = rp_frame_view(frame);
    long count = view->contacts ? (long)view->contact_count : -1;
    rp_frame_close(frame);
    rp_record_close(record);
    rp_report_destroy(report);
    return count;
}

static void frames_hold_contacts_where_asked(void **state)
{
    (void)state;
    run("with", "output: {contacts: yes}\n", LAST, false);
    run("without", "", LAST, false);
    assert_true(contacts_of("with", 0) == 0); /* nothing has moved yet */
    assert_true(contacts_of("with", LAST) > 300);
    assert_int_equal(contacts_of("without", 0), -1);
    assert_int_equal(contacts_of("without", LAST), -1);
    /* Measurements of the run do not depend on what frames hold. */
    same_file("with", "without", "measurements/touching.csv");
    same_file("with", "without", "measurements/load.csv");
    size_t size;
    char *text = file_bytes("without", "measurements/touching.csv", &size);
    text[size] = 0;
    assert_null(strstr(text, "nan"));
    free(text);
    remove_tree("without");
}

static void a_resumed_run_has_the_same_contacts(void **state)
{
    (void)state;
    run("parts", "output: {contacts: yes}\n", 3, false);
    run("parts", "output: {contacts: yes}\n", LAST, true);
    same_file("with", "parts", "frames/000003.h5");
    same_file("with", "parts", "frames/000004.h5");
    same_file("with", "parts", "frames/000006.h5");
    same_file("with", "parts", "measurements/touching.csv");
    remove_tree("with");
    remove_tree("parts");
}

static char contacts_folder[] = "/tmp/repose-run-XXXXXX";

static int contacts_enter(void **state)
{
    (void)state;
    return mkdtemp(contacts_folder) && chdir(contacts_folder) == 0 ? 0 : -1;
}

static int contacts_leave(void **state)
{
    (void)state;
    if (chdir("/") != 0) return -1;
    remove_tree(contacts_folder);
    return 0;
}

/* --- means of loads --------------------------------------------------------------------------- */

/* Forces on bodies in recorded frames: means by time since the frame before, whatever the solver,
 * also where a run was broken off between two frames. */

#define MEANS_LAST 4
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

/* Slow twin: sums of the load of a body, over two frames. */
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
        for (int f = 2; f <= MEANS_LAST; f += 2) {
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
    for (int f = 0; f <= MEANS_LAST; f += 2) {
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

/* --- series of a record ----------------------------------------------------------------------- */

/* Measurements through the public interface: of a view, and of a run. */

static char measure_work[] = "/tmp/repose-measure-XXXXXX";
static rp_report *report;
static rp_scene *scene;
static rp_record *record;

static double number_of(const rp_measured *numbers, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(numbers[i].name, name) == 0) return numbers[i].value;
    fail_msg("there is no number '%s'", name);
    return NAN;
}

static void every_kind_measures_a_view(void **state)
{
    (void)state;
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    rp_measure_input in = {.view = &view, .scene = scene};
    for (int i = 0; i < rp_measure_count(); i++) {
        rp_measure_info kind = rp_measure_info_at(i);
        rp_measured numbers[RP_MEASURED_MAX];
        int count = 0;
        rp_table table = {0};
        assert_string_equal(rp_measure_info_of(kind.name).help, kind.help);
        /* A kind gives numbers or a table, never both. */
        rp_code wrong = kind.is_table ? rp_measure_numbers(kind.name, &in, numbers, &count, NULL)
                                      : rp_measure_table(kind.name, &in, &table, NULL);
        assert_int_equal(wrong, RP_ERROR_INPUT);
        if (kind.is_table || kind.of_body || kind.of_contacts) continue;
        rp_measure_numbers(kind.name, &in, numbers, &count, NULL);
        assert_true(count > 0 && count <= RP_MEASURED_MAX);
    }
    assert_null(rp_measure_info_at(rp_measure_count()).name);
    assert_null(rp_measure_info_of("enrgy").name);
    rp_world_destroy(world);
}

static void numbers_are_those_of_the_view(void **state)
{
    (void)state;
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input in = {.view = &view, .scene = scene, .options = &options};
    rp_measured numbers[RP_MEASURED_MAX];
    int count = 0;
    check_ok(rp_measure_numbers("count", &in, numbers, &count, report), report);
    assert_true(number_of(numbers, count, "grains") == (double)view.count);
    options.plane_axis = 3;
    assert_int_equal(rp_measure_numbers("count", &in, numbers, &count, NULL), RP_ERROR_INPUT);
    options = rp_default_measure_options();
    options.quantity = RP_BODY_QUANTITIES;
    assert_int_equal(rp_measure_numbers("body", &in, numbers, &count, NULL), RP_ERROR_INPUT);
    options.size = 0;
    assert_int_equal(rp_measure_numbers("count", &in, numbers, &count, NULL), RP_ERROR_INPUT);
    rp_world_destroy(world);
}

static void a_run_gives_a_series(void **state)
{
    (void)state;
    rp_measure_series *series = NULL;
    check_ok(rp_record_measure(record, "count", NULL, &series, report), report);
    const rp_table *table = rp_measure_series_table(series);
    assert_int_equal(table->rows, rp_series_count(rp_record_series(record, RP_SERIES_COARSE)));
    assert_string_equal(table->columns[0].name, "frame");
    assert_string_equal(table->columns[1].unit, "s");
    double times[16];
    assert_true(table->rows <= 16);
    rp_table_column(table, 1, times);
    for (size_t i = 1; i < table->rows; i++)
        assert_true(times[i] > times[i - 1]);
    assert_true(table->values[2] > 0); /* grains of the first frame */
    rp_measure_series_destroy(series);

    rp_measure_options options = rp_default_measure_options();
    options.plane_axis = 2;
    check_ok(rp_record_measure(record, "flow", &options, &series, report), report);
    assert_int_equal(rp_measure_series_table(series)->rows,
                     rp_series_count(rp_record_series(record, RP_SERIES_COARSE)) - 1);
    rp_measure_series_destroy(series);
    assert_int_equal(rp_record_measure(record, "height-profile", NULL, &series, report),
                     RP_ERROR_INPUT);
    assert_null(series);
}

static int begin(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(measure_work));
    report = rp_report_create();
    scene = scene_of(BUSY_SCENE);
    rp_run_options options = rp_default_run_options();
    options.folder = measure_work;
    options.frames = 3;
    check_ok(rp_run(scene, &options, NULL, report), report);
    check_ok(rp_record_open(measure_work, &record, report), report);
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", measure_work);
    rp_record_close(record);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest contacts_tests[] = {
        cmocka_unit_test(frames_hold_contacts_where_asked),
        cmocka_unit_test(a_resumed_run_has_the_same_contacts),
    };
    const struct CMUnitTest means_tests[] = {
        cmocka_unit_test(frames_hold_means),
        cmocka_unit_test(a_break_between_frames_changes_no_mean),
    };
    const struct CMUnitTest measure_tests[] = {
        cmocka_unit_test(every_kind_measures_a_view),
        cmocka_unit_test(numbers_are_those_of_the_view),
        cmocka_unit_test(a_run_gives_a_series),
    };
    int failed = 0;
    failed +=
        cmocka_run_group_tests_name("contacts", contacts_tests, contacts_enter, contacts_leave);
    failed += cmocka_run_group_tests_name("means", means_tests, enter, leave);
    failed += cmocka_run_group_tests_name("measure", measure_tests, begin, end);
    return failed;
}
