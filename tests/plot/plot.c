/* Figures: what is in them gets drawn, and nothing in them is ever run. */
#include "check.h"

#include "base/memory.h"
#include "base/report.h"
#include "plot/plot.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double x[] = {0, 1, 2, 3}, y[] = {1, 4, NAN, 16}, spread[] = {0.5, 0.5, 0.5, 1};

/* Texts that would do harm if any of them were read as a command. */
static const char *const evil[] = {
    "'; system('touch pwned'); '",
    "\"; system('touch pwned') #",
    "`touch pwned`",
    "$(touch pwned)",
    "\nsystem 'touch pwned'\n",
    "@system",
    "END\nsystem 'touch pwned'",
    "\\'; system 'touch pwned'",
    "{/:Bold x}",
    "%s %n",
    "a\r!touch pwned",
    "<script>&amp;&nope;</script>",
    "\xff\xc0\x80 \xed\xa0\x80",
    "ä ° ± µ 砂",
};
#define EVIL (sizeof evil / sizeof *evil)

static int enter_folder(void **state)
{
    static char folder[64];
    snprintf(folder, sizeof folder, "/tmp/repose-plot-XXXXXX");
    *state = folder;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

/* Not inlined: GCC 12 would take the text for the address of the pointer to it, and warn. */
static __attribute__((noinline)) char *script_of(const rp_figure *figure, size_t *size)
{
    char *text;
    assert_int_equal(rp_figure_script(figure, false, &text, size, NULL), RP_OK);
    return text;
}

static char *svg_of(const rp_figure *figure, size_t *size)
{
    char *text = NULL;
    rp_report *report = rp_report_create();
    check_ok(rp_figure_svg(figure, &text, size, report), report);
    rp_report_destroy(report);
    return text;
}

static rp_figure *evil_figure(const char *text)
{
    rp_figure *figure = rp_figure_create(text, text, text);
    rp_figure_add(figure, text, RP_PLOT_LINE, x, y, NULL, 4);
    return figure;
}

/* Outside of quotes the script is the same whatever the texts say. */
static void texts_stay_in_their_quotes(void **state)
{
    (void)state;
    for (size_t i = 0; i < EVIL; i++) {
        size_t size;
        rp_figure *figure = evil_figure(evil[i]);
        char *script = script_of(figure, &size);
        bool quoted = false;
        size_t lines = 0;
        for (char *c = script; *c; c++) {
            if (*c == '\'') quoted = !quoted;
            if (*c == '\n') {
                assert_false(quoted);
                lines++;
            }
            if (!quoted && *c != '\'') assert_null(strchr("`@!;", *c));
        }
        rp_figure *plain = evil_figure("plain");
        size_t plain_size, plain_lines = 0;
        char *other = script_of(plain, &plain_size);
        for (char *c = other; *c; c++)
            plain_lines += *c == '\n';
        assert_int_equal(lines, plain_lines);
        rp_release(script, size + 1);
        rp_release(other, plain_size + 1);
        rp_figure_destroy(figure);
        rp_figure_destroy(plain);
    }
}

static void nothing_in_a_text_is_run(void **state)
{
    (void)state;
    if (!rp_plot_can()) skip();
    for (size_t i = 0; i < EVIL; i++) {
        size_t size;
        rp_figure *figure = evil_figure(evil[i]);
        char *svg = svg_of(figure, &size);
        assert_non_null(svg);
        assert_non_null(strstr(svg, "</svg>"));
        assert_null(strstr(svg, "<script>"));
        struct stat info;
        assert_int_equal(stat("pwned", &info), -1);
        rp_release(svg, size + 1);
        rp_figure_destroy(figure);
    }
}

static void all_that_is_in_it_is_drawn(void **state)
{
    (void)state;
    if (!rp_plot_can()) skip();
    rp_figure *figure = rp_figure_create("the title", "the x [m]", "the y [s]");
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, x, y, spread, 4);
    rp_figure_add(figure, "banded", RP_PLOT_LINE, x, y, spread, 4);
    rp_figure_add(figure, "theory", RP_PLOT_DASHED, x, y, NULL, 4);
    rp_figure_add(figure, "", RP_PLOT_DUST, x, y, NULL, 4);
    rp_figure_add(figure, "empty", RP_PLOT_LINE, x, y, NULL, 0);
    assert_int_equal(rp_figure_series(figure), 5);
    assert_string_equal(rp_figure_title(figure), "the title");
    size_t size;
    char *svg = svg_of(figure, &size);
    static const char *const words[] = {"the title", "the x [m]", "the y [s]",
                                        "measured",  "banded",    "theory"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(svg, words[i])) fail_msg("the picture lacks '%s'", words[i]);
    assert_int_equal(strlen(svg), size);
    rp_release(svg, size + 1);
    rp_figure_destroy(figure);
}

/* A number behind a word of the script, such as a margin. */
static double value_behind(const char *script, const char *word)
{
    const char *at = strstr(script, word);
    if (!at) fail_msg("the script lacks '%s'", word);
    return strtod(at + strlen(word), NULL);
}

/* Names stand beside the curves where they are many or there are several panels. */
static void names_stand_beside_the_curves(void **state)
{
    (void)state;
    rp_figure *few = rp_figure_create("t", "x", "y"), *many = rp_figure_create("t", "x", "y");
    rp_figure_add(few, "measured", RP_PLOT_LINE, x, y, NULL, 4);
    for (int i = 0; i < 13; i++)
        rp_figure_add(many, "a quantity", RP_PLOT_LINE, x, y, NULL, 4);
    size_t size, many_size;
    char *script = script_of(few, &size), *other = script_of(many, &many_size);
    /* Above the upper margin, or right of the right one. */
    assert_true(0.925 > value_behind(script, "set tmargin at screen "));
    assert_non_null(strstr(script, "screen 0.925 center top"));
    assert_true(value_behind(other, "set key at screen ") >
                value_behind(other, "set rmargin at screen "));
    /* Two of one colour have different dashes. */
    assert_non_null(strstr(other, "lines lw 2.4 lc rgb '#b98a4a'"));
    assert_non_null(strstr(other, "lines lw 2.4 dt '-' lc rgb '#b98a4a'"));
    assert_non_null(strstr(other, "lines lw 2.4 dt '.' lc rgb '#b98a4a'"));
    rp_release(script, size + 1);
    rp_release(other, many_size + 1);
    rp_figure_destroy(few);
    rp_figure_destroy(many);
}

static size_t count_words(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text++)
        count++;
    return count;
}

/* Each panel has an axis of its own; the title and the time are there once. */
static void panels_stand_below_each_other(void **state)
{
    (void)state;
    rp_figure *figure = rp_figure_create("the title", "time [s]", "force [N]");
    rp_figure_add(figure, "first", RP_PLOT_LINE, x, y, spread, 4);
    rp_figure_add_panel(figure, "volume [m3]");
    rp_figure_add(figure, "second", RP_PLOT_LINE, x, y, NULL, 2);
    rp_figure_add_panel(figure, "nothing");
    size_t size;
    char *script = script_of(figure, &size);
    assert_int_equal(count_words(script, "\nplot "), 3);
    assert_int_equal(count_words(script, "'time [s]'"), 1);
    assert_int_equal(count_words(script, "'the title'"), 1);
    assert_non_null(strstr(script, "set ylabel 'force [N]'"));
    assert_non_null(strstr(script, "set ylabel 'volume [m3]'"));
    assert_non_null(
        strstr(script, "set xrange [0:3]")); /* the same for both, though one ends early */
    const char *first = strstr(script, "title 'first'"), *second = strstr(script, "title 'second'");
    assert_true(first && second && strstr(first, "\nplot ") < second);
    rp_release(script, size + 1);
    if (rp_plot_can()) {
        char *svg = svg_of(figure, &size);
        static const char *const words[] = {"force [N]", "volume [m3]", "first", "second"};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (!strstr(svg, words[i])) fail_msg("the picture lacks '%s'", words[i]);
        rp_release(svg, size + 1);
    }
    rp_figure_destroy(figure);
}

static void files_are_what_their_names_say(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_figure *figure = rp_figure_create("t", "x", "y");
    rp_figure_add(figure, "s", RP_PLOT_LINE, x, y, NULL, 4);
    assert_int_equal(rp_figure_write(figure, "plot.jpg", report), RP_ERROR_INPUT);
    assert_int_equal(rp_plot_check_name(".svg", report), RP_ERROR_INPUT);
    if (rp_plot_can()) {
        assert_int_equal(rp_figure_write(figure, "no/such/folder.png", report), RP_ERROR_IO);
        rp_report_clear(report);
        check_ok(rp_figure_write(figure, "plot.png", report), report);
        check_ok(rp_figure_write(figure, "plot.svg", report), report);
        char head[2][8] = {{0}};
        for (int i = 0; i < 2; i++) {
            FILE *file = fopen(i ? "plot.svg" : "plot.png", "rb");
            assert_non_null(file);
            assert_int_equal(fread(head[i], 1, 5, file), 5);
            fclose(file);
        }
        assert_memory_equal(head[0], "\x89PNG\r", 5);
        assert_memory_equal(head[1], "<?xml", 5);
        assert_int_equal(unlink("plot.png") | unlink("plot.svg"), 0);
    }
    rp_figure_destroy(figure);
    rp_report_destroy(report);
}

/* Without gnuplot a figure can still be made; only drawing fails, and says what to install. */
static void without_gnuplot_the_package_is_named(void **state)
{
    (void)state;
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    rp_report *report = rp_report_create();
    rp_figure *figure = rp_figure_create("t", "x", "y");
    setenv("PATH", "/nowhere", 1);
    assert_false(rp_plot_can());
    assert_int_equal(rp_figure_write(figure, "plot.svg", report), RP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "gnuplot-nox"));
    rp_report_clear(report);

    /* A gnuplot that fails is reported in its words, and leaves no file. */
    FILE *file = fopen("gnuplot", "w");
    fputs("#!/bin/sh\necho 'line 3: it is broken' >&2\nexit 1\n", file);
    fclose(file);
    assert_int_equal(chmod("gnuplot", 0755), 0);
    setenv("PATH", *state, 1);
    assert_int_equal(rp_figure_write(figure, "plot.svg", report), RP_ERROR_IO);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "it is broken"));
    assert_int_equal(access("plot.svg", F_OK), -1);
    unlink("gnuplot");
    setenv("PATH", path, 1);
    free(path);
    rp_figure_destroy(figure);
    rp_report_destroy(report);
}

static void numbers_have_points_and_gaps(void **state)
{
    (void)state;
    const double odd[] = {0.5, INFINITY, -NAN, 1e300};
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is there */
    rp_figure *figure = rp_figure_create("t", "x", "y");
    rp_figure_add(figure, "s", RP_PLOT_LINE, odd, odd, NULL, 4);
    size_t size;
    char *script = script_of(figure, &size);
    assert_non_null(strstr(script, "\n0.5 0.5 \nNaN NaN \nNaN NaN \n1e+300 1e+300 \nEND\n"));
    rp_release(script, size + 1);
    rp_figure_destroy(figure);
    setlocale(LC_ALL, "C");
}

static void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stay_in_their_quotes),
        cmocka_unit_test(nothing_in_a_text_is_run),
        cmocka_unit_test(all_that_is_in_it_is_drawn),
        cmocka_unit_test(names_stand_beside_the_curves),
        cmocka_unit_test(panels_stand_below_each_other),
        cmocka_unit_test(files_are_what_their_names_say),
        cmocka_unit_test(without_gnuplot_the_package_is_named),
        cmocka_unit_test(numbers_have_points_and_gaps),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
