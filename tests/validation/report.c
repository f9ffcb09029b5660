/* Verdicts, and the pages that show them: complete, well-formed, and no text becomes markup. */
#include "check.h"

#include "base/memory.h"
#include "base/report.h"
#include "system/atomic.h"
#include "validation/validation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVIL "<script>alert(\"&\")</script>"

static rp_code run_well(rp_case_context *c)
{
    static const double x[] = {0, 1}, y[] = {1, 2};
    rp_judge_near(c, "near " EVIL, 1.0, 1.1, 0.2, "m");
    rp_judge_at_most(c, "small", 0.5, 0.5, EVIL);
    rp_judge_at_least(c, "large", 7.5, 7.25, "");
    rp_case_note(c, "a note with %s", EVIL);
    rp_case_note(c, "quick: %d", c->quick);
    for (int i = 0; i < 2; i++)
        rp_figure_add(rp_case_figure(c, "figure " EVIL, "x", "y"), "s", RP_PLOT_POINTS, x, y, NULL,
                      2);
    rp_case_progress(c, "step %d", 3);
    return RP_OK;
}

/* Two slices of a world end exactly where it was specified to go; nothing is said so soon. */
static rp_code run_world(rp_case_context *c)
{
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    rp_code code = rp_scene_parse("particles: {spacing: 1 cm}\nsolver: {method: null}\n"
                                  "sources: {one: {shape: box, size: [1 cm, 1 cm, 1 cm]}}\n",
                                  "test", &scene, c->report);
    if (code == RP_OK) code = rp_world_create(scene, c->world, &world, c->report);
    if (code == RP_OK) code = rp_case_run_to(c, world, 0.3, 2);
    if (code == RP_OK) rp_judge_near(c, "time", rp_world_time(world), 0.3, 0, "s");
    c->said = 0.001; /* long ago: now something is due after each slice */
    if (code == RP_OK) code = rp_case_run_to(c, world, 0.4, 1);
    if (code == RP_OK) rp_judge_near(c, "time", rp_world_time(world), 0.4, 0, "s");
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    return code;
}

static rp_code run_badly(rp_case_context *c)
{
    rp_judge_near(c, "right", 1, 1, 0, "");
    rp_judge_near(c, "wrong", 1, 2, 0.5, "");
    return RP_OK;
}

static rp_code run_not_at_all(rp_case_context *c)
{
    rp_scene *scene = NULL;
    return rp_case_scene(c, "missing.yaml", NULL, 0, &scene);
}

static const rp_case well = {"well", "It goes " EVIL, run_well},
                     badly = {"badly", "It misses", run_badly},
                     not_at_all = {"not-at-all", "It has no scene", run_not_at_all};

static int said;
static void hear(void *user, const char *text)
{
    assert_string_equal(user, "me");
    assert_string_equal(text, "step 3");
    said++;
}

static char heard[512];
static void keep(void *user, const char *text)
{
    (void)user;
    size_t used = strlen(heard);
    snprintf(heard + used, sizeof heard - used, "%s\n", text);
}

static const char *folder;

static int enter_folder(void **state)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/repose-page-XXXXXX");
    folder = *state = mkdtemp(path);
    return folder && chdir(folder) == 0 && mkdir("well", 0755) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    unlink("well/README.md"), rmdir("well"), unlink("page.html");
    return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

static void numbers_are_judged(void **state)
{
    (void)state;
    rp_case_result *r = calloc(1, sizeof *r);
    rp_case_context *c = &r->context;
    rp_judge_near(c, "a", 1, 1.5, 0.5, "m");
    rp_judge_near(c, "b", 1, 1.5, 0.49, "m");
    rp_judge_near(c, "c", NAN, 0, INFINITY, "m");
    rp_judge_at_most(c, "d", 2, 2, "");
    rp_judge_at_most(c, "e", 2.1, 2, "");
    rp_judge_at_most(c, "f", -5, 2, "");
    rp_judge_at_most(c, "g", NAN, 2, "");
    rp_judge_at_least(c, "h", 2, 2, "");
    rp_judge_at_least(c, "i", 1.9, 2, "");
    rp_judge_at_least(c, "j", NAN, 2, "");
    rp_judge_control(c, "k", 1, 1.5, 0.5, "m");
    rp_judge_control(c, "l", 1, 1.5, 0.49, "m");
    rp_judge_control(c, "m", NAN, 1.5, 0.49, "m");
    rp_judge_control(c, "n", INFINITY, 1.5, 0.49, "m");
    static const bool expected[] = {true, false, false, true,  false, true,  false,
                                    true, false, false, false, true,  false, false};
    assert_int_equal(c->verdict_count, 14);
    for (int i = 0; i < 14; i++)
        assert_int_equal(c->verdicts[i].ok, expected[i]);
    for (int i = 14; i <= RP_VERDICTS_MAX; i++) /* one too many: it must not pass unseen */
        rp_judge_near(c, "more", 0, 0, 0, "");
    assert_int_equal(c->verdict_count, RP_VERDICTS_MAX);
    assert_false(c->verdicts[RP_VERDICTS_MAX - 1].ok);
    free(r);
}

static rp_case_result *run_three(void)
{
    rp_case_result *results = calloc(3, sizeof *results);
    results[0].context.say = hear;
    results[0].context.user = "me";
    results[0].context.quick = true;
    assert_int_equal(rp_case_run(&well, folder, &results[0]), RP_OK);
    assert_int_equal(rp_case_run(&badly, folder, &results[1]), RP_ERROR_FAILED);
    assert_int_equal(rp_case_run(&not_at_all, folder, &results[2]), RP_ERROR_IO);
    return results;
}

static void results_tell_what_became_of_a_case(void **state)
{
    (void)state;
    said = 0;
    rp_case_result *r = run_three();
    assert_int_equal(said, 1);
    assert_int_equal(r[0].context.figure_count, 2);
    assert_string_equal(r[0].context.notes, "a note with " EVIL "\nquick: 1\n");
    assert_int_equal(rp_report_count(r[2].context.report), 1);
    assert_true(r[0].seconds >= 0);
    for (int i = 0; i < 3; i++)
        rp_case_result_end(&r[i]);
    free(r);
}

static void worlds_run_in_slices_and_tell(void **state)
{
    (void)state;
    static const rp_case flying = {"flying", "A grain falls", run_world};
    rp_world_options world = rp_default_world_options();
    rp_case_result *r = calloc(1, sizeof *r);
    r->context.world = &world;
    r->context.say = keep;
    assert_int_equal(rp_case_run(&flying, folder, r), RP_OK);
    assert_int_equal(r->context.verdict_count, 2);
    assert_string_equal(heard, "0.4 of 0.4 s, 1 grains\nok time: 0.4 s\n");
    rp_case_result_end(r);
    free(r);
}

/* Every tag is closed in turn, every ampersand begins an entity. */
static void check_well_formed(const char *text)
{
    char open[64][32];
    int depth = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '&') {
            size_t name = strspn(c + 1, "#abcdefghijklmnopqrstuvwxyz0123456789");
            assert_true(name > 0 && c[1 + name] == ';');
        }
        if (*c != '<') continue;
        const char *end = strchr(c, '>');
        assert_non_null(end);
        if (c[1] != '!' && c[1] != '?' && end[-1] != '/') {
            bool closing = c[1] == '/';
            char name[32];
            size_t length = strcspn(c + 1 + closing, " >\n\t");
            assert_in_range(length, 1, 31);
            snprintf(name, sizeof name, "%.*s", (int)length, c + 1 + closing);
            if (closing) {
                assert_true(depth > 0);
                assert_string_equal(open[--depth], name);
            } else {
                assert_true(depth < 64);
                snprintf(open[depth++], 32, "%s", name);
            }
        }
        c = end;
    }
    assert_int_equal(depth, 0);
}

static char *page_of(const rp_case_result *results, size_t *size)
{
    char *page;
    rp_report *report = rp_report_create();
    check_ok(rp_case_write_html("page.html", results, 3, report), report);
    check_ok(rp_file_read("page.html", &page, size, report), report);
    rp_report_destroy(report);
    return page;
}

static void write_readme(void)
{
    FILE *file = fopen("well/README.md", "w");
    fputs("# well\n\nText with `a < b`, **bold**, a lone ` and " EVIL ".\n\n- one\n  goes on\n"
          "- two `x`\n\n## More\n| a | b |\n|---|---|\n| 1 | 2 & 3 |\n\n```\ncode <i>\n\n- no list"
          "\n```\nend",
          file);
    fclose(file);
}

static void the_page_is_whole_and_tame(void **state)
{
    (void)state;
    write_readme();
    rp_case_result *results = run_three();
    size_t size;
    char *page = page_of(results, &size);
    check_well_formed(page);
    assert_null(strstr(page, "<script"));
    static const char *const words[] = {
        "1 of 3 cases",    "did not run",           "missing.yaml",
        "at most 0.5",     "1.1 ± 0.2 m",           "quick: 1",
        "quick form",      "<code>a &lt; b</code>", "<strong>bold</strong>",
        "<li>one goes on", "<h3>More</h3>",         "<td> 2 &amp; 3 </td>",
        "- no list",       "prefers-color-scheme",  "repose 0.",
        "a lone ` and",    "at least 7.25",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(page, words[i])) fail_msg("the page lacks '%s'", words[i]);
    if (rp_plot_can()) assert_non_null(strstr(page, "id=\"figure2-"));
    rp_release(page, size + 1);
    for (int i = 0; i < 3; i++)
        rp_case_result_end(&results[i]);
    free(results);
}

static void without_gnuplot_the_page_says_so(void **state)
{
    (void)state;
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    rp_case_result *results = run_three();
    size_t size;
    setenv("PATH", "/nowhere", 1);
    char *page = page_of(results, &size);
    setenv("PATH", path, 1);
    check_well_formed(page);
    assert_non_null(strstr(page, "gnuplot-nox"));
    assert_null(strstr(page, "<svg"));
    rp_release(page, size + 1);
    for (int i = 0; i < 3; i++)
        rp_case_result_end(&results[i]);
    free(results);
    free(path);
}

static void a_page_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(rp_case_write_html("no/such/folder.html", NULL, 0, NULL), RP_ERROR_IO);
}

static char *results_of(const rp_case_result *results, int count, size_t *size)
{
    char *page;
    rp_report *report = rp_report_create();
    check_ok(rp_case_write_results("results.md", results, count, report), report);
    check_ok(rp_file_read("results.md", &page, size, report), report);
    rp_report_destroy(report);
    return page;
}

/* A run replaces what it ran, in the form that it ran it in, and keeps all the rest. */
static void results_of_other_cases_stay(void **state)
{
    (void)state;
    rp_case_result *r = calloc(2, sizeof *r);
    size_t size, again;
    r[0].which = rp_case_at(0), r[0].context.quick = true;
    r[1].which = rp_case_at(1);
    rp_judge_near(&r[0].context, "a | b", 1.25, 1, 0.5, "m");
    rp_judge_at_most(&r[1].context, "small", 3, 2, "");
    rp_judge_control(&r[1].context, "wrong", 3, 2, 0.5, "m");
    rp_judge_control(&r[1].context, "wrong, unseen", 2.25, 2, 0.5, "m");
    char *page = results_of(r, 2, &size);
    assert_non_null(strstr(page, "| a \\| b | 1.25 m | 1 ± 0.5 m | ok |\n"));
    assert_non_null(strstr(page, "| small | 3 | at most 2 | **missed** |\n"));
    assert_non_null(strstr(page, "| wrong | 3 m | must miss 2 ± 0.5 m | ok, it misses |\n"));
    assert_non_null(
        strstr(page, "| wrong, unseen | 2.25 m | must miss 2 ± 0.5 m | **not missed** |"));
    char *same = results_of(NULL, 0, &again);
    assert_string_equal(page, same);
    rp_release(same, again + 1);
    r[0].context.quick = false; /* the full form stands beside the quick one */
    r[0].context.verdicts[0].measured = 7.5;
    char *more = results_of(r, 1, &again);
    const char *quick = strstr(more, "1.25 m"), *full = strstr(more, "7.5 m");
    assert_true(quick && full && quick < full);
    assert_non_null(strstr(more, "at most 2 | **missed**"));
    rp_release(more, again + 1);
    rp_release(page, size + 1);
    unlink("results.md");
    free(r);
}

/* Results stand in one place, which the program writes: it has every case, and no case's text
 * states any. */
static void results_stand_in_one_place(void **state)
{
    (void)state;
    static const char *const words[] = {"came out", "issed", " gave "};
    char *page, *text, part[256];
    size_t size, length;
    assert_int_equal(
        rp_file_read(RP_SOURCE_DIR "/docs/theory/validation-results.md", &page, &size, NULL),
        RP_OK);
    for (int i = 0; i < rp_case_count(); i++) {
        const char *name = rp_case_at(i)->name;
        snprintf(part, sizeof part, "\n## %s\n%s.\n", name, rp_case_at(i)->title);
        if (!strstr(page, part)) fail_msg("validation-results.md lacks %s", name);
        snprintf(part, sizeof part, RP_SOURCE_DIR "/validation/%s/README.md", name);
        assert_int_equal(rp_file_read(part, &text, &length, NULL), RP_OK);
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (strstr(text, words[w]))
                fail_msg("%s states results ('%s'); they belong to validation-results.md", part,
                         words[w]);
        rp_release(text, length + 1);
    }
    rp_release(page, size + 1);
}

static void words_name_cases_and_groups(void **state)
{
    (void)state;
    const rp_case *pair = rp_case_find("dem-pair"), *fine = rp_case_find("pile-angle-fine");
    assert_non_null(pair);
    assert_true(rp_case_matches(pair, "dem-pair"));
    assert_true(rp_case_matches(pair, "dem"));
    assert_false(rp_case_matches(pair, "de"));
    assert_false(rp_case_matches(pair, "dem-"));
    assert_false(rp_case_matches(pair, ""));
    assert_false(rp_case_matches(pair, "all"));
    assert_true(rp_case_matches(fine, "pile"));
    assert_false(rp_case_matches(fine, "pile-angle")); /* that is a case of its own */
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_judged),
        cmocka_unit_test(results_tell_what_became_of_a_case),
        cmocka_unit_test(worlds_run_in_slices_and_tell),
        cmocka_unit_test(the_page_is_whole_and_tame),
        cmocka_unit_test(without_gnuplot_the_page_says_so),
        cmocka_unit_test(a_page_that_cannot_be_written_is_an_error),
        cmocka_unit_test(results_of_other_cases_stay),
        cmocka_unit_test(results_stand_in_one_place),
        cmocka_unit_test(words_name_cases_and_groups),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
