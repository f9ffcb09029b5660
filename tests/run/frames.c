/* The hook for finished frames: each one once, in order, on disk, with its fine grains. */
#include "files.h"
#include "worlds.h"

#include <unistd.h>

#define LAST 8

typedef struct seen {
    int64_t numbers[LAST + 1];
    int count;
    bool fine;
    int64_t stop; /* after this frame; -1: never */
} seen;

static void on_frame(void *user, const rp_record *record, int64_t number)
{
    seen *s = user;
    rp_frame_file *frame = NULL;
    assert_in_range(s->count, 0, LAST);
    s->numbers[s->count++] = number;
    assert_int_equal(
        rp_series_number(rp_record_series(record, RP_SERIES_COARSE),
                         rp_series_count(rp_record_series(record, RP_SERIES_COARSE)) - 1),
        number);
    assert_int_equal(
        rp_series_read(rp_record_series(record, RP_SERIES_COARSE), number, &frame, NULL), RP_OK);
    rp_frame_close(frame);
    if (!s->fine) return;
    assert_int_equal(
        rp_series_number(rp_record_series(record, RP_SERIES_FINE),
                         rp_series_count(rp_record_series(record, RP_SERIES_FINE)) - 1),
        number);
    assert_int_equal(rp_series_read(rp_record_series(record, RP_SERIES_FINE), number, &frame, NULL),
                     RP_OK);
    rp_frame_close(frame);
}

static bool on_progress(void *user, const rp_progress *progress)
{
    const seen *s = user;
    return s->stop < 0 || progress->frame < s->stop;
}

static rp_code run(const char *folder, const char *more, bool resume, seen *s)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", BUSY_SCENE, more);
    rp_scene *scene = scene_of(text);
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.frames = LAST;
    options.resume = resume;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = 1;
    options.world = &of_world;
    options.frame_written = on_frame;
    options.progress = on_progress;
    options.user = s;
    rp_code code = rp_run(scene, &options, NULL, NULL);
    rp_scene_destroy(scene);
    return code;
}

static void every_frame_is_told_once(void **state)
{
    (void)state;
    seen s = {.stop = -1};
    assert_int_equal(run("all", "", false, &s), RP_OK);
    assert_int_equal(s.count, LAST + 1);
    for (int i = 0; i <= LAST; i++)
        assert_int_equal(s.numbers[i], i);
}

static void frames_that_are_not_written_are_not_told(void **state)
{
    (void)state;
    seen s = {.stop = -1};
    assert_int_equal(run("sparse", "output: {frame_every: 3}\n", false, &s), RP_OK);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.numbers[2], 6);
}

static void fine_grains_are_there(void **state)
{
    (void)state;
    seen s = {.stop = -1, .fine = true};
    assert_int_equal(run("fine", "detail: {factor: 4}\n", false, &s), RP_OK);
    assert_int_equal(s.count, LAST + 1);
}

static void a_resumed_run_tells_what_is_new(void **state)
{
    (void)state;
    seen s = {.stop = 4};
    assert_int_equal(run("resumed", "", false, &s), RP_INTERRUPTED);
    assert_int_equal(s.count, 5);
    s = (seen){.stop = -1};
    assert_int_equal(run("resumed", "", true, &s), RP_OK);
    assert_int_equal(s.count, LAST - 4);
    assert_int_equal(s.numbers[0], 5);
}

static char work[] = "/tmp/repose-frames-XXXXXX";

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
        cmocka_unit_test(every_frame_is_told_once),
        cmocka_unit_test(frames_that_are_not_written_are_not_told),
        cmocka_unit_test(fine_grains_are_there),
        cmocka_unit_test(a_resumed_run_tells_what_is_new),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
