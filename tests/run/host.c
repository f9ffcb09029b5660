/* What a host program may do around the library, as docs/guide/library.md says: other rounding,
 * traps and denormals, forks, threads with small stacks. Results are the same bits, or there is a
 * fault. */
#include "files.h"
#include "worlds.h"

#include "repose/film.h"

#include <fenv.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* docs/guide/library.md states it; instrumented code needs more. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_LEAST ((size_t)2 << 20)
#else
#define STACK_LEAST ((size_t)256 << 10)
#endif

#if defined(__SANITIZE_THREAD__)
#define CHILD_HAS_THREADS false
#else
#define CHILD_HAS_THREADS true
#endif

#define HEAP                                                                                       \
    "time: {duration: 0.1 s, frame_rate: 50}\n"                                                    \
    "domain: {low: [-0.5, -0.5, 0], high: [0.5, 0.5, inf]}\n"                                      \
    "particles: {spacing: 4 cm}\n"                                                                 \
    "sources:\n"                                                                                   \
    "  heap: {shape: box, size: [0.4, 0.4, 0.3], position: [0, 0, 0.2]}\n"                         \
    "bodies:\n"                                                                                    \
    "  stone: {shape: sphere, radius: 0.1, position: [0.3, 0, 0.1]}\n"                             \
    "measurements: {energy: {what: energy}}\n"

static char work[] = "/tmp/repose-host-XXXXXX";

/* From the text to the state: reading, making and stepping all count. */
static uint64_t state_of(const char *text, const rp_executor *executor)
{
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    rp_world_options options = rp_default_world_options();
    options.threads = 2;
    options.executor = executor;
    uint64_t hash = 0;
    if (rp_scene_parse(text, "host", &scene, NULL) == RP_OK &&
        rp_world_create(scene, &options, &world, NULL) == RP_OK &&
        rp_world_run_to(world, 0.07, NULL) == RP_OK && rp_world_step(world, NULL) == RP_OK)
        hash = rp_world_hash(world);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return hash;
}

static const char *const texts[] = {HEAP, HEAP "solver: {method: dem}\n", BUSY_SCENE};
#define TEXTS 3

static void rounding_does_not_reach_results(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < TEXTS; i++) {
        uint64_t expected = state_of(texts[i], NULL);
        assert_true(expected != 0);
        for (int m = 0; m < 3; m++) {
            assert_int_equal(fesetround(modes[m]), 0);
            uint64_t found = state_of(texts[i], NULL);
            int kept = fegetround();
            fesetround(FE_TONEAREST);
            assert_true(found == expected);
            assert_int_equal(kept, modes[m]); /* the host's own comes back */
        }
    }
}

static void traps_do_not_end_the_program(void **state)
{
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        uint64_t expected = state_of(texts[i], NULL);
        assert_true(expected != 0);
        feclearexcept(FE_ALL_EXCEPT);
        assert_int_not_equal(feenableexcept(FE_ALL_EXCEPT), -1);
        uint64_t found = state_of(texts[i], NULL);
        int kept = fedisableexcept(FE_ALL_EXCEPT);
        assert_true(found == expected);
        assert_int_equal(kept, FE_ALL_EXCEPT);
    }
}

#if defined(__x86_64__)
static unsigned inside; /* the control register while the library is at work */

static void look_inside(void *user, int tasks, void (*task)(void *argument, int index),
                        void *argument)
{
    (void)user;
    inside = _mm_getcsr();
    for (int i = 0; i < tasks; i++)
        task(argument, i);
}
#endif

static void denormal_numbers_are_kept(void **state)
{
    (void)state;
#if defined(__x86_64__)
    const rp_executor executor = {.threads = 3, .run = look_inside};
    for (int i = 0; i < TEXTS; i++) {
        uint64_t expected = state_of(texts[i], NULL);
        assert_true(expected != 0);
        unsigned before = _mm_getcsr();
        _mm_setcsr(before | 0x8040); /* to zero, results and operands */
        uint64_t found = state_of(texts[i], &executor);
        unsigned kept = _mm_getcsr();
        _mm_setcsr(before);
        assert_true(found == expected);
        assert_int_equal(kept & 0x8040, 0x8040);
        assert_int_equal(inside & 0x8040, 0);
    }
#endif
}

/* A host's threads that round upward. */
static void run_upward(void *user, int tasks, void (*task)(void *argument, int index),
                       void *argument)
{
    (void)user;
    fesetround(FE_UPWARD);
    for (int i = 0; i < tasks; i++)
        task(argument, i);
    fesetround(FE_TONEAREST);
}

static void threads_of_the_host_round_as_they_like(void **state)
{
    (void)state;
    const rp_executor executor = {.threads = 3, .run = run_upward};
    for (int i = 0; i < TEXTS; i++) {
        uint64_t expected = state_of(texts[i], NULL);
        assert_true(expected != 0);
        assert_true(state_of(texts[i], &executor) == expected);
    }
}

/* In the child: on, to the same bits, and everything released. */
static int go_on(rp_world *world, rp_scene *scene, int answers)
{
    alarm(60);
    if (rp_world_run_to(world, 0.08, NULL) != RP_OK) return 1;
    uint64_t hash = rp_world_hash(world);
    rp_world_destroy(world);
    /* With threads of its own, which the thread sanitizer cannot follow. */
    uint64_t other = CHILD_HAS_THREADS ? state_of(HEAP, NULL) : 0;
    rp_scene_destroy(scene);
    bool sent = write(answers, &hash, sizeof hash) == sizeof hash &&
                write(answers, &other, sizeof other) == sizeof other;
    return sent ? 0 : 2;
}

static void a_forked_child_goes_on_with_a_world(void **state)
{
    (void)state;
    int ends[2], status;
    uint64_t hash, other;
    rp_scene *scene = scene_of(HEAP);
    rp_world *world = world_of(scene, 3);
    run_world(world, 0.04);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) _exit(go_on(world, scene, ends[1]));
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(read(ends[0], &hash, sizeof hash), sizeof hash);
    assert_int_equal(read(ends[0], &other, sizeof other), sizeof other);
    close(ends[0]);
    run_world(world, 0.08);
    assert_true(rp_world_hash(world) == hash);
    assert_true(!CHILD_HAS_THREADS || state_of(HEAP, NULL) == other);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static rp_code picture_of(const char *folder, rp_report *report)
{
    rp_record *record = NULL;
    rp_film *film = NULL;
    rp_film_options options = rp_default_film_options();
    options.path = "pictures";
    options.width = options.height = 32;
    options.samples = 1;
    options.threads = 2;
    rp_code code = rp_record_open(folder, &record, report);
    rp_film_run run = {.series = rp_record_series(record, RP_SERIES_COARSE), .to = 1};
    if (code == RP_OK) code = rp_film_open(&options, &run, 1, &film, report);
    if (code == RP_OK) code = rp_film_render(film, report);
    if (code == RP_OK) code = rp_film_finish(film, report);
    rp_film_close(film);
    rp_record_close(record);
    return code == RP_ERROR_UNSUPPORTED ? RP_OK : code; /* without libpng or Embree */
}

/* Everything that a host may ask for, one after another. */
static void *do_all(void *argument)
{
    rp_report *report = argument;
    rp_scene *scene = NULL;
    rp_run_options run = rp_default_run_options();
    run.folder = "small";
    rp_world_options of_world = rp_default_world_options();
    of_world.threads = 2;
    run.world = &of_world;
    rp_code code =
        rp_scene_parse(HEAP "detail: {factor: 4}\noutput: {formats: [vtp, ply, csv, usda]}\n",
                       "host", &scene, report);
    if (code == RP_OK) code = rp_run(scene, &run, NULL, report);
    run.resume = true;
    if (code == RP_OK) code = rp_run(scene, &run, NULL, report);
    rp_refine_options refine = rp_default_refine_options();
    refine.folder = "small";
    refine.output = "finer";
    refine.settings = &(rp_setting){"detail.factor", "9"};
    refine.setting_count = 1;
    if (code == RP_OK) code = rp_refine(&refine, NULL, report);
    if (code == RP_OK) code = picture_of("small", report);
    rp_scene_destroy(scene);
    for (int i = 0; i < TEXTS && code == RP_OK; i++)
        if (!state_of(texts[i], NULL)) code = RP_ERROR_FAILED;
    return code == RP_OK ? NULL : argument;
}

static void a_small_stack_is_enough(void **state)
{
    (void)state;
    pthread_t thread;
    pthread_attr_t attributes;
    void *failed;
    rp_report *report = rp_report_create();
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_LEAST), 0);
    assert_int_equal(pthread_create(&thread, &attributes, do_all, report), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    pthread_attr_destroy(&attributes);
    check_ok(failed ? RP_ERROR_FAILED : RP_OK, report);
    rp_report_destroy(report);
}

static void worlds_do_not_run_back(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(HEAP);
    rp_world *world = world_of(scene, 1);
    rp_report *report = rp_report_create();
    run_world(world, 0.02);
    run_world(world, 0.02); /* being there is fine */
    uint64_t before = rp_world_hash(world);
    assert_int_equal(rp_world_run_to(world, 0.01, report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "cannot run back to 0.01 s"));
    assert_int_equal(rp_world_run_to(world, -1, report), RP_ERROR_INPUT);
    assert_int_equal(rp_world_run_to(world, NAN, report), RP_ERROR_INPUT);
    assert_true(rp_world_hash(world) == before);
    run_world(world, 0.04); /* nothing is broken by it */
    rp_report_destroy(report);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(work) && chdir(work) == 0 ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    if (chdir("/") != 0) return -1;
    remove_tree(work);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_does_not_reach_results),
        cmocka_unit_test(traps_do_not_end_the_program),
        cmocka_unit_test(denormal_numbers_are_kept),
        cmocka_unit_test(threads_of_the_host_round_as_they_like),
        cmocka_unit_test(a_forked_child_goes_on_with_a_world),
        cmocka_unit_test(a_small_stack_is_enough),
        cmocka_unit_test(worlds_do_not_run_back),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
