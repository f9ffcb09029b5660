/* Films of runs: every frame is in them; interrupted, killed and gone on with they are the same. */
#include "film/stage.h"
#include "worlds.h"

#include "film/inside.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define FRAMES 8 /* 0 to 7 */

static rp_record *record, *shorter;

static rp_record *make_run(const char *folder, int64_t last, const char *more)
{
    char text[4096];
    rp_report *report = rp_report_create();
    rp_record *made;
    snprintf(text, sizeof text, "%s%s", BUSY_SCENE, more);
    rp_scene *scene = scene_of(text);
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    options.frames = last;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = 1;
    options.world = &of_world;
    check_ok(rp_run(scene, &options, NULL, report), report);
    check_ok(rp_record_open(folder, &made, report), report);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return made;
}

static int begin(void **state)
{
    if (enter_work(state) != 0) return -1;
    record = make_run("run", FRAMES - 1, "");
    shorter = make_run("short", 3, "seed: 5\n");
    return 0;
}

static int end(void **state)
{
    rp_record_close(record);
    rp_record_close(shorter);
    return leave_work(state);
}

/* --- rendering that is stopped -----------------------------------------------------------------
 */

/* When to end it, by asking or by force: with so many pictures; -1: never. */
typedef struct watch {
    int64_t stop, kill;
    bool stop_encoding;
    bool impatient; /* stop when all pictures are on their way into the film, or stuck there */
    int looks;
    rp_film_progress state; /* at the end */
} watch;

#define TO_THE_END ((watch){.stop = -1, .kill = -1})

static bool look(void *user, const rp_film_progress *p)
{
    watch *w = user;
    if (p->encoding && w->impatient) return ++w->looks < FRAMES + 5;
    if (p->encoding) return !w->stop_encoding;
    if (p->frame == w->kill) kill(getpid(), SIGKILL);
    return p->frame != w->stop;
}

static rp_film_options small_film(const char *path, watch *w)
{
    rp_film_options options = rp_default_film_options();
    options.path = path;
    options.width = 48;
    options.height = 32;
    options.samples = 1;
    options.threads = 1;
    options.progress = look;
    options.user = w;
    return options;
}

static rp_film_run all_of(const rp_record *of)
{
    return (rp_film_run){
        .series = rp_record_series(of, RP_SERIES_COARSE), .from = 0, .to = INT64_MAX};
}

static rp_code make(const rp_film_options *options, const rp_film_run *runs, int count, watch *w,
                    rp_report *report)
{
    rp_film *film = NULL;
    rp_code code = rp_film_open(options, runs, count, &film, report);
    if (code == RP_OK) code = rp_film_render(film, report);
    if (code == RP_OK) code = rp_film_finish(film, report);
    if (film) w->state = rp_film_state(film);
    rp_film_close(film);
    return code;
}

static rp_code make_whole(const char *path, watch *w, rp_report *report)
{
    rp_film_options options = small_film(path, w);
    rp_film_run run = all_of(record);
    return make(&options, &run, 1, w, report);
}

static void same_pictures(const char *a, const char *b)
{
    assert_int_equal(count_files(a, ".png"), FRAMES);
    assert_int_equal(count_files(b, ".png"), FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        char name[32];
        snprintf(name, sizeof name, "%06d.png", i);
        same_file(a, b, name);
    }
}

static void check_tidy(const char *folder)
{
    assert_int_equal(count_files(folder, ".partial"), 0);
    assert_int_equal(count_files(folder, "-lock"), 0);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void a_folder_gets_every_frame(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    check_ok(make_whole("whole", &w, report), report);
    assert_int_equal(w.state.frame, FRAMES);
    assert_int_equal(w.state.kept, 0);
    assert_int_equal(count_files("whole", ".png"), FRAMES);
    check_tidy("whole");
    check_ok(make_whole("whole", &w, report), report);
    assert_int_equal(w.state.kept, FRAMES);
    rp_report_destroy(report);
}

static void a_film_has_every_frame_and_leaves_nothing_else(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    const char *films[] = {"deep/in/film.mp4", "deep/film.webm"};
    const char *wanted[] = {"h264,48,32,yuv420p,bt709,20/1,8", "vp9,48,32,yuv420p,bt709,20/1,8"};
    rp_report *report = rp_report_create();
    for (int i = 0; i < 2; i++) {
        char found[256];
        watch w = TO_THE_END;
        check_ok(make_whole(films[i], &w, report), report);
        if (probe(films[i], found, sizeof found)) assert_string_equal(found, wanted[i]);
    }
    assert_int_equal(count_files("deep/in", ""), 3); /* with . and .. */
    rp_report_destroy(report);
}

static void the_rate_can_be_chosen(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    char found[256];
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film("slow.mp4", &w);
    rp_film_run run = all_of(record);
    options.frames_per_second = 5;
    run.from = 2;
    run.to = 4;
    check_ok(make(&options, &run, 1, &w, report), report);
    if (probe("slow.mp4", found, sizeof found))
        assert_string_equal(found, "h264,48,32,yuv420p,bt709,5/1,3");
    rp_report_destroy(report);
}

static void interrupted_and_gone_on_with_is_the_same(void **state)
{
    (void)state;
    watch w = {.stop = 3, .kill = -1};
    rp_report *report = rp_report_create();
    assert_int_equal(make_whole("stopped", &w, report), RP_INTERRUPTED);
    assert_int_equal(count_files("stopped", ".png"), 3);
    check_tidy("stopped");
    w = TO_THE_END;
    check_ok(make_whole("stopped", &w, report), report);
    assert_int_equal(w.state.kept, 3);
    same_pictures("whole", "stopped");
    rp_report_destroy(report);
}

static void a_film_interrupted_while_it_is_encoded_goes_on(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    watch w = {.stop = -1, .kill = -1, .stop_encoding = true};
    rp_report *report = rp_report_create();
    assert_int_equal(make_whole("late.mp4", &w, report), RP_INTERRUPTED);
    assert_int_equal(count_files("late.mp4.frames", ".png"), FRAMES);
    assert_int_equal(access("late.mp4", F_OK), -1);
    /* An encoder was killed. */
    assert_int_equal(mkdir(".late.mp4.4711-0.partial", 0700), 0);
    fclose(fopen(".late.mp4.4711-0.partial/output", "w"));
    fclose(fopen(".late.mp4.mine.partial", "w"));
    w = TO_THE_END;
    check_ok(make_whole("late.mp4", &w, report), report);
    assert_int_equal(w.state.kept, FRAMES);
    assert_int_equal(access("late.mp4.frames", F_OK), -1);
    assert_int_equal(access(".late.mp4.4711-0.partial", F_OK), -1);
    assert_int_equal(access(".late.mp4.mine.partial", F_OK), 0);
    unlink(".late.mp4.mine.partial");
    rp_report_destroy(report);
}

static void a_kill_leaves_whole_pictures_only(void **state)
{
    (void)state;
    for (int64_t at = 1; at < FRAMES; at += 3) {
        watch w = {.stop = -1, .kill = at};
        int status;
        pid_t child = fork();
        if (child == 0) _exit(make_whole("killed", &w, NULL));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(count_files("killed", ".png"), at);
    }
    /* A write that was cut off. */
    FILE *file = fopen("killed/.000007.png.123-0.partial", "w");
    fputs("half", file);
    fclose(file);
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    check_ok(make_whole("killed", &w, report), report);
    same_pictures("whole", "killed");
    check_tidy("killed");
    rp_report_destroy(report);
}

static void other_settings_paint_anew(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film("other", &w);
    rp_film_run run = all_of(record);
    check_ok(make(&options, &run, 1, &w, report), report);
    options.grain_scale = 0.7;
    check_ok(make(&options, &run, 1, &w, report), report);
    assert_int_equal(w.state.kept, 0);
    check_ok(make(&options, &run, 1, &w, report), report);
    assert_int_equal(w.state.kept, FRAMES);
    options.grain_scale = 1;
    options.camera = "automatic";
    check_ok(make(&options, &run, 1, &w, report), report);
    assert_int_equal(w.state.kept, 0);
    run = all_of(shorter);
    check_ok(make(&options, &run, 1, &w, report), report);
    assert_int_equal(w.state.kept, 0);
    assert_int_equal(count_files("other", ".png"), 4); /* none of the other run */
    rp_report_destroy(report);
}

static void a_frame_that_is_newer_is_rendered_again(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    const struct timespec later[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    check_ok(make_whole("newer", &w, report), report);
    usleep(20000);
    assert_int_equal(utimensat(AT_FDCWD, "run/frames/000005.h5", later, 0), 0);
    check_ok(make_whole("newer", &w, report), report);
    assert_int_equal(w.state.kept, FRAMES - 1);
    rp_report_destroy(report);
}

/* Such as a power cut leaves. */
static void a_picture_that_is_cut_short_is_rendered_again(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    check_ok(make_whole("cut", &w, report), report);
    assert_int_equal(truncate("cut/000002.png", 100), 0);
    assert_int_equal(truncate("cut/000005.png", 0), 0);
    check_ok(make_whole("cut", &w, report), report);
    assert_int_equal(w.state.kept, FRAMES - 2);
    same_pictures("whole", "cut");
    rp_report_destroy(report);
}

static void change_byte(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 16, file);
    fclose(file);
}

/* Such as a failing disk does: the film has every picture all the same. */
static void a_picture_with_a_changed_byte_is_rendered_again(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    watch w = {.stop = -1, .kill = -1, .stop_encoding = true};
    rp_report *report = rp_report_create();
    assert_int_equal(make_whole("changed.mp4", &w, report), RP_INTERRUPTED);
    change_byte("changed.mp4.frames/000003.png", 300);
    change_byte("changed.mp4.frames/000006.png", 20); /* in the size */
    w = TO_THE_END;
    check_ok(make_whole("changed.mp4", &w, report), report);
    assert_int_equal(w.state.kept, FRAMES - 2);
    char found[256], wanted[16];
    snprintf(wanted, sizeof wanted, ",%d", FRAMES);
    if (probe("changed.mp4", found, sizeof found)) assert_non_null(strstr(found, wanted));
    rp_report_destroy(report);
}

static bool change_while_encoding(void *user, const rp_film_progress *p)
{
    if (p->encoding && p->frame == 1) change_byte(user, 300);
    return true;
}

/* One that changes when all are rendered fails the film, and the next try mends it. */
static void a_picture_that_changes_late_fails_the_film(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    watch w = TO_THE_END;
    rp_film_options options = small_film("latest.mp4", &w);
    rp_film_run run = all_of(record);
    rp_report *report = rp_report_create();
    options.progress = change_while_encoding;
    options.user = "latest.mp4.frames/000003.png";
    assert_int_equal(make(&options, &run, 1, &w, report), RP_ERROR_DAMAGED);
    says(report, "latest.mp4.frames/000003.png");
    assert_int_equal(access("latest.mp4", F_OK), -1);
    check_ok(make_whole("latest.mp4", &w, report), report);
    rp_report_destroy(report);
}

/* The first request to stop counts while ffmpeg does not read, or does not end. */
static void a_film_stops_while_ffmpeg_keeps_it_waiting(void **state)
{
    (void)state;
    static const char *const scripts[] = {"sleep 600", "cat >/dev/null; sleep 600"};
    for (int i = 0; i < 2; i++) {
        watch w = TO_THE_END;
        rp_report *report = rp_report_create();
        replace_ffmpeg(scripts[i]);
        w.impatient = true;
        alarm(60);
        assert_int_equal(make_whole("stuck.mp4", &w, report), RP_INTERRUPTED);
        alarm(0);
        restore_ffmpeg();
        assert_int_equal(count_files("stuck.mp4.frames", ".png"), FRAMES);
        assert_int_equal(count_files(".", ".partial"), 0);
        rp_report_destroy(report);
    }
}

static void what_is_not_ours_stays(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    assert_int_equal(mkdir("mine.mp4.frames", 0755), 0);
    fclose(fopen("mine.mp4.frames/notes.txt", "w"));
    check_ok(make_whole("mine.mp4", &w, report), report);
    assert_int_equal(count_files("mine.mp4.frames", ""), 3);
    assert_int_equal(access("mine.mp4.frames/notes.txt", F_OK), 0);

    assert_int_equal(mkdir("theirs", 0755), 0);
    FILE *file = fopen("theirs/settings.txt", "w");
    fputs("volume: 11\n", file);
    fclose(file);
    assert_int_equal(make_whole("theirs", &w, report), RP_ERROR_INPUT);
    says(report, "theirs/settings.txt");
    assert_int_equal(count_files("theirs", ""), 3);
    rp_report_clear(report);

    assert_int_equal(mkdir("holiday", 0755), 0);
    fclose(fopen("holiday/000003.png", "w"));
    assert_int_equal(make_whole("holiday", &w, report), RP_ERROR_INPUT);
    says(report, "000003.png");
    assert_int_equal(count_files("holiday", ""), 3);
    rp_report_clear(report);
    assert_int_equal(make_whole(rp_record_folder(record), &w, report), RP_ERROR_INPUT);
    says(report, "folder of a run");
    rp_report_destroy(report);
}

/* Before anything is rendered; or, when it happens later, with the pictures rendered so far. */
static void a_damaged_frame_is_named_and_the_rest_stays(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_record *torn = make_run("torn", 19, "");
    rp_film_options options = small_film("torn-pictures", &w);
    rp_film_run run = all_of(torn);
    rp_film *film;
    check_ok(rp_film_open(&options, &run, 1, &film, report), report);
    int file = open("torn/frames/000009.h5", O_WRONLY);
    assert_int_equal(pwrite(file, "x", 1, 3000), 1);
    close(file);
    assert_int_equal(rp_film_render(film, report), RP_ERROR_DAMAGED);
    rp_film_close(film);
    says(report, "000009.h5");
    assert_int_equal(count_files("torn-pictures", ".png"), 9);
    rp_report_clear(report);
    assert_int_equal(rp_film_open(&options, &run, 1, &film, report), RP_ERROR_DAMAGED);
    says(report, "000009.h5");
    assert_int_equal(count_files("torn-pictures", ".png"), 9);
    rp_record_close(torn);
    rp_report_destroy(report);
}

static void two_processes_do_not_share_a_folder(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film("shared", &w);
    rp_film_run run = all_of(record);
    rp_film *film, *other;
    check_ok(rp_film_open(&options, &run, 1, &film, report), report);
    assert_int_equal(rp_film_open(&options, &run, 1, &other, report), RP_ERROR_INPUT);
    says(report, "another repose");
    assert_null(other);
    rp_film_close(film);
    rp_report_clear(report);
    check_ok(make_whole("shared", &w, report), report);
    rp_report_destroy(report);
}

/* The longer run continues while the shorter holds its last frame. */
static void runs_of_different_length_are_side_by_side(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film("pair", &w);
    rp_film_run runs[] = {all_of(shorter), all_of(record)};
    options.width = 97;
    check_ok(make(&options, runs, 2, &w, report), report);
    assert_int_equal(count_files("pair", ".png"), FRAMES);
    options.path = NULL;
    rp_film *film;
    rp_picture *a, *b;
    check_ok(rp_film_open(&options, runs, 2, &film, report), report);
    check_ok(rp_film_picture(film, 4, &a, report), report);
    check_ok(rp_film_picture(film, 7, &b, report), report);
    assert_int_equal(a->width, 97);
    bool left_same = true, right_same = true;
    for (int y = 0; y < a->height; y++) {
        left_same &= memcmp(rp_picture_at(a, 0, y), rp_picture_at(b, 0, y), 3 * 48) == 0;
        right_same &= memcmp(rp_picture_at(a, 48, y), rp_picture_at(b, 48, y), 3 * 49) == 0;
    }
    assert_true(left_same);
    assert_false(right_same);
    rp_picture_destroy(a);
    rp_picture_destroy(b);
    rp_film_close(film);
    rp_report_destroy(report);
}

static void runs_side_by_side_have_captions(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film(NULL, &w);
    rp_film_run runs[] = {all_of(shorter), all_of(record)};
    options.width = 240;
    options.height = 90;
    rp_film *film, *alone;
    rp_picture *both, *left;
    check_ok(rp_film_open(&options, runs, 2, &film, report), report);
    assert_string_equal(rp_film_caption(film, 0).text, "short");
    check_ok(rp_film_picture(film, 1, &both, report), report);
    film->sources[0].run.series = film->sources[1].run.series;
    assert_string_equal(rp_film_caption(film, 1).text, "run");
    options.width = 120;
    check_ok(rp_film_open(&options, runs, 1, &alone, report), report);
    check_ok(rp_film_picture(alone, 1, &left, report), report);
    assert_memory_equal(rp_picture_at(both, 0, 0), rp_picture_at(left, 0, 0), 3 * 120);
    int changed = 0; /* by the caption alone, below */
    for (int y = 45; y < 90; y++)
        changed += memcmp(rp_picture_at(both, 0, y), rp_picture_at(left, 0, y), 3 * 120) != 0;
    assert_in_range(changed, 8, 40);
    rp_picture_destroy(both);
    rp_picture_destroy(left);
    rp_film_close(film);
    rp_film_close(alone);
    rp_report_destroy(report);
}

static void runs_of_different_rates_are_refused(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_record *sparse = make_run("sparse", 4, "output: {frame_every: 2}\n");
    rp_film_options options = small_film("pair-of-rates", &w);
    rp_film_run runs[] = {all_of(record), all_of(sparse)};
    assert_int_equal(make(&options, runs, 2, &w, report), RP_ERROR_INPUT);
    says(report, "side by side");
    rp_record_close(sparse);
    rp_report_destroy(report);
}

/* A film that follows a run, and is continued with it, has the camera of the first frame
 * throughout. */
static void a_live_film_grows_with_its_run(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film("live", &w);
    rp_film_run run = all_of(shorter);
    options.live = true;
    rp_record *growing;
    rp_frame_file *frame;
    rp_film *film;
    check_ok(rp_record_create("growing", rp_record_scene(record), 1, &growing, report), report);
    run.series = rp_record_series(growing, RP_SERIES_COARSE);
    for (int64_t n = 0; n < FRAMES; n++) {
        check_ok(rp_series_read(rp_record_series(record, RP_SERIES_COARSE), n, &frame, report),
                 report);
        check_ok(rp_record_write_frame(growing, n, rp_frame_view(frame), report), report);
        rp_frame_close(frame);
        if (n == 0 || n == 4) check_ok(rp_film_open(&options, &run, 1, &film, report), report);
        check_ok(rp_film_render(film, report), report);
        assert_int_equal(count_files("live", ".png"), n + 1);
        assert_int_equal(rp_film_state(film).kept, n < 4 ? 0 : 4);
        if (n == 3 || n + 1 == FRAMES) rp_film_close(film);
    }
    rp_record_close(growing);
    rp_report_destroy(report);
}

static void expect_fault(rp_film_options options, rp_code code, const char *words)
{
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_run run = all_of(record);
    assert_int_equal(make(&options, &run, 1, &w, report), code);
    says(report, words);
    assert_int_equal(access("bad.mp4.frames", F_OK), -1);
    rp_report_destroy(report);
}

static void bad_options_are_told_before_anything_is_made(void **state)
{
    (void)state;
    skip_without_ffmpeg();
    watch w = TO_THE_END;
    rp_film_options o = small_film("bad.mp4", &w);
#define EXPECT(change, words)                                                                      \
    o = small_film("bad.mp4", &w);                                                                 \
    o.change;                                                                                      \
    expect_fault(o, RP_ERROR_INPUT, words)
    EXPECT(width = 0, "0 x 32 pixels");
    EXPECT(height = 8193, "1 to 8192");
    EXPECT(samples = 0, "0 samples");
    EXPECT(samples = 5000, "4096");
    EXPECT(grain_scale = NAN, "grain size");
    EXPECT(grain_scale = 0, "grain size");
    EXPECT(orbit = INFINITY, "orbit");
    EXPECT(range_low = 3, "above the first");
    EXPECT(orbit = 1e300, "10000 are allowed");
    EXPECT(camera = "absent", "there are: automatic");
    EXPECT(frames_per_second = -2, "pictures a second");
    EXPECT(camera = "automatc", "did you mean 'automatic'");
    EXPECT(colour = "desnity", "desnity");
    EXPECT(path = "", "no name");
#undef EXPECT
    o = small_film("run/manifest.json/bad.mp4", &w);
    expect_fault(o, RP_ERROR_IO, "manifest.json");
    assert_int_equal(mkdir("folder.mp4", 0755), 0);
    o = small_film("folder.mp4", &w);
    expect_fault(o, RP_ERROR_IO, "folder.mp4");
}

static void without_ffmpeg_nothing_is_rendered(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    replace_ffmpeg(NULL);
    expect_fault(small_film("bad.mp4", &w), RP_ERROR_UNSUPPORTED, "apt-get install ffmpeg");
    restore_ffmpeg();
}

/* Hours of rendering are not lost because ffmpeg is broken. */
static void pictures_survive_an_ffmpeg_that_fails(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    replace_ffmpeg("echo 'no such codec' >&2; exit 1");
    assert_int_equal(make_whole("broken.mp4", &w, report), RP_ERROR_IO);
    says(report, "no such codec");
    restore_ffmpeg();
    same_pictures("whole", "broken.mp4.frames");
    rp_report_destroy(report);
}

/* The time is in the upper left corner: of films if asked, of sheets always. */
static void pictures_tell_their_time(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film(NULL, &w);
    rp_film_run run = all_of(record);
    options.width = 160;
    options.height = 90;
    rp_film *film;
    rp_picture *plain, *timed, *later, *sheet;
    check_ok(rp_film_open(&options, &run, 1, &film, report), report);
    check_ok(rp_film_picture(film, 0, &plain, report), report);
    film->options.show_time = true;
    check_ok(rp_film_picture(film, 0, &timed, report), report);
    check_ok(rp_film_picture(film, 5, &later, report), report);
    film->options.show_time = false;
    check_ok(rp_film_sheet(film, 2, 1, &sheet, report), report);
    bool same = true, changes = false;
    for (int y = 9; y < 34; y++) {
        same &= memcmp(rp_picture_at(plain, 9, y), rp_picture_at(timed, 9, y), 3 * 40) == 0;
        changes |= memcmp(rp_picture_at(later, 9, y), rp_picture_at(timed, 9, y), 3 * 40) != 0;
    }
    assert_false(same);
    assert_true(changes);
    assert_memory_equal(rp_picture_at(plain, 0, 60), rp_picture_at(timed, 0, 60), 3 * 160 * 30);
    int margin = sheet->height - 90; /* of both edges */
    for (int y = 0; y < 90; y++)
        assert_memory_equal(rp_picture_at(sheet, margin / 2, margin / 2 + y),
                            rp_picture_at(timed, 0, y), 3 * 160);
    rp_picture *all[] = {plain, timed, later, sheet};
    for (int i = 0; i < 4; i++)
        rp_picture_destroy(all[i]);
    rp_film_close(film);
    rp_report_destroy(report);
}

static void sheets_and_single_pictures(void **state)
{
    (void)state;
    watch w = TO_THE_END;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film(NULL, &w);
    rp_film_run run = all_of(record);
    rp_film *film;
    rp_picture *picture;
    check_ok(rp_film_open(&options, &run, 1, &film, report), report);
    check_ok(rp_film_last(film, &picture, report), report);
    assert_int_equal(picture->width, 48);
    rp_picture_destroy(picture);
    check_ok(rp_film_sheet(film, 3, 2, &picture, report), report);
    assert_in_range(picture->width, 3 * 48, 3 * 48 + 64);
    rp_picture_destroy(picture);
    check_ok(rp_film_sheet(film, 12, 12, &picture, report), report);
    rp_picture_destroy(picture);
    assert_int_equal(rp_film_sheet(film, 13, 1, &picture, report), RP_ERROR_INPUT);
    assert_null(picture);
    assert_int_equal(rp_film_render(film, report), RP_ERROR_INPUT);
    rp_film_close(film);
    rp_film_close(NULL);
    rp_report_destroy(report);
}

/* The picture of a frame's view is that of a film with this frame alone. */
static void a_view_has_a_picture_of_its_own(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_film_options options = small_film(NULL, NULL);
    options.progress = NULL;
    options.samples = 2;
    rp_film_run run = {rp_record_series(record, RP_SERIES_COARSE), 3, 3};
    rp_film *film;
    rp_picture *picture;
    rp_frame_file *frame;
    assert_int_equal(mkdir("last", 0755) | mkdir("view", 0755), 0);
    check_ok(rp_film_open(&options, &run, 1, &film, report), report);
    check_ok(rp_film_last(film, &picture, report), report);
    check_ok(rp_picture_write_png(picture, "last/3.png", report), report);
    rp_picture_destroy(picture);
    rp_film_close(film);
    check_ok(rp_series_read(rp_record_series(record, RP_SERIES_COARSE), 3, &frame, report), report);
    const rp_view *view = rp_frame_view(frame);
    const rp_scene *scene = rp_record_scene(record);
    check_ok(rp_view_picture(view, scene, &options, "view/3.png", report), report);
    same_file("last", "view", "3.png");
    assert_int_not_equal(rp_view_picture(view, scene, &options, "none/3.png", report), RP_OK);
    options.colour = "nothing";
    assert_int_equal(rp_view_picture(view, scene, &options, "view/4.png", report), RP_ERROR_INPUT);
    assert_int_equal(count_files("view", ""), count_files("last", ""));
    rp_frame_close(frame);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_gets_every_frame),
        cmocka_unit_test(a_film_has_every_frame_and_leaves_nothing_else),
        cmocka_unit_test(the_rate_can_be_chosen),
        cmocka_unit_test(interrupted_and_gone_on_with_is_the_same),
        cmocka_unit_test(a_film_interrupted_while_it_is_encoded_goes_on),
        cmocka_unit_test(a_kill_leaves_whole_pictures_only),
        cmocka_unit_test(other_settings_paint_anew),
        cmocka_unit_test(a_frame_that_is_newer_is_rendered_again),
        cmocka_unit_test(a_picture_that_is_cut_short_is_rendered_again),
        cmocka_unit_test(a_picture_with_a_changed_byte_is_rendered_again),
        cmocka_unit_test(a_picture_that_changes_late_fails_the_film),
        cmocka_unit_test(a_film_stops_while_ffmpeg_keeps_it_waiting),
        cmocka_unit_test(what_is_not_ours_stays),
        cmocka_unit_test(a_damaged_frame_is_named_and_the_rest_stays),
        cmocka_unit_test(two_processes_do_not_share_a_folder),
        cmocka_unit_test(runs_of_different_length_are_side_by_side),
        cmocka_unit_test(runs_side_by_side_have_captions),
        cmocka_unit_test(runs_of_different_rates_are_refused),
        cmocka_unit_test(a_live_film_grows_with_its_run),
        cmocka_unit_test(bad_options_are_told_before_anything_is_made),
        cmocka_unit_test(without_ffmpeg_nothing_is_rendered),
        cmocka_unit_test(pictures_survive_an_ffmpeg_that_fails),
        cmocka_unit_test(pictures_tell_their_time),
        cmocka_unit_test(sheets_and_single_pictures),
        cmocka_unit_test(a_view_has_a_picture_of_its_own),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
