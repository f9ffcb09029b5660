/* Contacts of a run: in its frames where the scene says so, for measurements in any case, and the
 * same after an interruption. */
#include "files.h"
#include "worlds.h"

#include <unistd.h>

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
    /* What is measured on the way does not ask what frames hold. */
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

int main(void)
{
    char folder[] = "/tmp/repose-run-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_hold_contacts_where_asked),
        cmocka_unit_test(a_resumed_run_has_the_same_contacts),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_tree(folder);
    return failed;
}
