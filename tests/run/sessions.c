/* Benchmarks and validation through the public interface: the lists of cases, a short one of each,
 * and pictures of a view in memory. */
#include "worlds.h"

#include "repose/repose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void a_benchmark_gives_rates(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_bench_options options = rp_default_bench_options();
    rp_bench_list *list = NULL;
    assert_true(rp_bench_count() > 0 && rp_bench_help(0)[0]);
    assert_null(rp_bench_name(rp_bench_count()));
    options.particles = 20000;
    options.threads = 1;
    check_ok(rp_bench_run("null", &options, &list, report), report);
    assert_true(rp_bench_list_machine(list).bandwidth > 0 && rp_bench_list_count(list) > 0);
    for (int i = 0; i < rp_bench_list_count(list); i++)
        assert_true(rp_bench_list_at(list, i)->rate > 0 && rp_bench_list_at(list, i)->name[0]);
    assert_null(rp_bench_list_at(list, rp_bench_list_count(list)));
    rp_bench_list_destroy(list);
    options.size = 0;
    assert_int_equal(rp_bench_run("null", &options, &list, report), RP_ERROR_INPUT);
    rp_report_destroy(report);
}

static int find_case(const char *name)
{
    int i = 0;
    while (rp_case_name(i) && strcmp(rp_case_name(i), name) != 0)
        i++;
    return i;
}

static void count_words(void *user, const char *name, const char *text)
{
    assert_string_equal(name, "bounce");
    *(int *)user += text[0] != 0;
}

static void a_case_gives_verdicts(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_validation *validation = NULL;
    rp_validation_options options = rp_default_validation_options();
    rp_case_outcome outcome;
    int said = 0, bounce = find_case("bounce");
    assert_true(bounce < rp_case_count() && rp_case_usual_count() <= rp_case_count());
    assert_true(rp_case_is_meant(bounce, "bounce") && !rp_case_is_meant(bounce, "dem"));
    assert_true(rp_case_is_meant(find_case("dem-pair"), "dem"));
    options.folder = RP_SOURCE_DIR "/validation";
    options.threads = 1;
    options.quick = true;
    options.say = count_words;
    options.user = &said;
    check_ok(rp_validation_create(&options, &validation, report), report);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(rp_validation_run(validation, bounce, &outcome), RP_OK);
        assert_true(outcome.verdict_count > 0 && outcome.verdicts[0].ok && said > 0);
        assert_string_equal(outcome.name, "bounce");
    }
    assert_int_equal(rp_validation_run(validation, -1, &outcome), RP_ERROR_INPUT);
    char path[] = "/tmp/repose-results-XXXXXX.md";
    int file = mkstemps(path, 3);
    assert_true(file >= 0);
    close(file);
    remove(path);
    check_ok(rp_validation_write(validation, path, report), report);
    assert_int_equal(access(path, R_OK), 0);
    remove(path);
    rp_validation_destroy(validation);
    rp_report_destroy(report);
}

static void a_view_is_painted_into_memory(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_scene *scene = scene_of(BUSY_SCENE);
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    rp_film_options options = rp_default_film_options();
    options.width = 64;
    options.height = 48;
    options.samples = rp_film_quality_samples("draft");
    rp_picture *picture = NULL;
    rp_code code = rp_view_render(&view, scene, &options, &picture, report);
    if (code != RP_ERROR_UNSUPPORTED) { /* a build without rays */
        check_ok(code, report);
        assert_true(picture->width == 64 && picture->height == 48);
        int low = 255, high = 0;
        for (int i = 0; i < 3 * 64 * 48; i++) {
            low = picture->pixels[i] < low ? picture->pixels[i] : low;
            high = picture->pixels[i] > high ? picture->pixels[i] : high;
        }
        assert_true(low < high);
        rp_picture_destroy(picture);
    }
    assert_int_equal(rp_film_quality_samples("awful"), 0);
    assert_true(rp_film_is_video("a.mp4") && !rp_film_is_video("a.png"));
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_benchmark_gives_rates),
                                       cmocka_unit_test(a_case_gives_verdicts),
                                       cmocka_unit_test(a_view_is_painted_into_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
