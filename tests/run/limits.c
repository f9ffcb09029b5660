/* What a run takes, as the system sees it: the resident size of a child process against the limit
 * that the run was given. */
#include "files.h"
#include "worlds.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Instrumented programs have memory of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INSTRUMENTED true
#else
#define INSTRUMENTED false
#endif

typedef struct outcome {
    rp_code code;
    double bytes;   /* resident, at most */
    double seconds; /* of the processor */
} outcome;

typedef rp_code child_fn(const char *folder, size_t limit);

/* In a child, since resident sizes never shrink. */
static outcome in_child(child_fn *run, const char *folder, size_t limit)
{
    pid_t child = fork();
    if (child == 0) _exit((int)run(folder, limit));
    int status;
    struct rusage use;
    assert_int_equal(wait4(child, &status, 0, &use), child);
    assert_true(WIFEXITED(status));
    return (outcome){(rp_code)WEXITSTATUS(status), 1024.0 * (double)use.ru_maxrss,
                     (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec};
}

static rp_code run_text(const char *text, const char *folder, size_t limit)
{
    rp_scene *scene = scene_of(text);
    rp_run_options options = rp_default_run_options();
    options.folder = folder;
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = 2;
    options.world = &of_world;
    of_world.memory_limit = limit;
    rp_report *report = rp_report_create();
    rp_code code = rp_run(scene, &options, NULL, report);
    assert_true((code == RP_OK) == (rp_report_count(report) == 0));
    rp_report_destroy(report);
    rp_scene_destroy(scene);
    return code;
}

/* Half a million grains in the second step, sixty in the place of each. */
static rp_code pour_a_crowd(const char *folder, size_t limit)
{
    return run_text("domain: {low: [-100, -100, -100], high: [100, 100, 100], periodic: [x, y], "
                    "open: [top]}\n"
                    "particles: {spacing: 10, jitter: 0}\n"
                    "gravity: [0, 0, 0]\n"
                    "emitters: {e: {radius: 38, speed: 95000, position: [0, 0, 0], direction: "
                    "[0.94, 0.33, 0]}}\n"
                    "time: {step: 1, duration: 4 s, frame_rate: 1}\n",
                    folder, limit);
}

/* Sources that overlap: lists, and what is kept of every pair, take six times as much as the
 * estimate says, 156 MB in all. */
static rp_code list_too_many(const char *folder, size_t limit)
{
    char text[4096] = "domain: {low: [-1, -1, 0], high: [1, 1, 2]}\n"
                      "particles: {spacing: 3 cm}\n"
                      "time: {duration: 0.01 s, frame_rate: 100}\n"
                      "sources:\n";
    size_t used = strlen(text);
    for (int i = 0; i < 6; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "  s%d: {shape: box, size: [0.7, 0.7, 0.7], position: [0, 0, 1]}\n", i);
    return run_text(text, folder, limit);
}

static rp_code run_coarse(const char *folder, size_t limit)
{
    return run_text("domain: {low: [-1, -1, 0], high: [1, 1, 2]}\n"
                    "particles: {spacing: 4 cm}\n"
                    "time: {duration: 0.05 s, frame_rate: 20}\n"
                    "sources: {s: {shape: box, size: [0.8, 0.8, 0.8], position: [0, 0, 0.5]}}\n",
                    folder, limit);
}

/* 6.4 million fine grains take 357 MB where all are in memory. */
static rp_code refine(const char *folder, size_t limit)
{
    static const rp_setting factor = {"detail.factor", "800"};
    rp_refine_options options = rp_default_refine_options();
    options.folder = folder;
    options.settings = &factor;
    options.setting_count = 1;
    options.threads = 2;
    options.memory_limit = limit;
    return rp_refine(&options, NULL, NULL);
}

static void within(const char *what, outcome o, rp_code code, double bytes)
{
    print_message("%s: %.0f MB, %.2f s\n", what, o.bytes / 1e6, o.seconds);
    assert_int_equal(o.code, code);
    if (!INSTRUMENTED) assert_true(o.bytes <= bytes);
}

static void limits_are_those_of_the_process(void **state)
{
    (void)state;
    char base[64] = "/tmp/repose-limits-XXXXXX", folder[128];
    assert_non_null(mkdtemp(base));
    snprintf(folder, sizeof folder, "%s/run", base);
    within("a crowd", in_child(pour_a_crowd, folder, 0), RP_ERROR_INPUT, 300e6);
    remove_tree(folder);
    within("lists", in_child(list_too_many, folder, 145000000), RP_ERROR_MEMORY, 145e6);
    remove_tree(folder);
    within("coarse grains", in_child(run_coarse, folder, 250000000), RP_OK, 250e6);
    within("fine grains", in_child(refine, folder, 300000000), RP_OK, 300e6);
    remove_tree(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_those_of_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
