/* The flat list of parameters: complete, with paths that drafts accept, and found by real paths. */
#include "check.h"

#include "repose/params.h"
#include "repose/scene.h"

#include <string.h>

static rp_param_list *list;

static void every_entry_is_whole(void **state)
{
    (void)state;
    assert_true(rp_param_list_count(list) > 150);
    assert_null(rp_param_list_at(list, -1));
    assert_null(rp_param_list_at(list, rp_param_list_count(list)));
    for (int i = 0; i < rp_param_list_count(list); i++) {
        const rp_param_info *info = rp_param_list_at(list, i);
        assert_true(info->path[0] && info->key[0] && info->help[0] && info->section_help[0]);
        assert_true(info->kind < RP_PARAM_TABLE);
        assert_non_null(info->unit);
        assert_non_null(info->also);
        bool listed = info->kind == RP_PARAM_WORD || info->kind == RP_PARAM_WORDS ||
                      info->kind == RP_PARAM_NAME || info->kind == RP_PARAM_EACH;
        assert_true(listed == (info->words[0] != 0));
        size_t length = strlen(info->section);
        assert_memory_equal(info->path, info->section, length);
        assert_string_equal(info->path + length + (length > 0), info->key);
    }
}

static void paths_are_found(void **state)
{
    (void)state;
    const rp_param_info *info = rp_param_list_find(list, "time.duration", NULL);
    assert_int_equal(info->kind, RP_PARAM_REAL);
    assert_string_equal(info->unit, "s");
    info = rp_param_list_find(list, "materials.sand.angle", NULL);
    assert_string_equal(info->path, "materials.NAME.angle");
    assert_true(info->low < info->high);
    info = rp_param_list_find(list, "bodies.plate.keys[12].time", NULL);
    assert_string_equal(info->section, "bodies.NAME.keys[N]");
    assert_string_equal(rp_param_list_find(list, "domain.friction", NULL)->words,
                        "left|right|front|back|bottom|top");
    const char *const none[] = {
        "", "time", "time.duratio", "time.duration.", "bodies..shape", "bodies.plate.keys[x].time"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(rp_param_list_find(list, none[i], NULL));
}

static void methods_have_their_own(void **state)
{
    (void)state;
    assert_string_equal(rp_method_name(0), "frictional");
    assert_null(rp_method_name(rp_method_count()));
    assert_null(rp_method_help(-1));
    for (int i = 0; i < rp_method_count(); i++) {
        assert_true(rp_method_help(i)[0]);
        int own = 0;
        for (int k = 0; k < rp_param_list_count(list); k++) {
            const rp_param_info *info = rp_param_list_at(list, k);
            own += info->method && strcmp(info->method, rp_method_name(i)) == 0;
        }
        assert_true(own > 0);
    }
    assert_null(rp_param_list_find(list, "solver.tolerance", "null"));
}

/* A default, said again, changes nothing: list and reader are of one mind. */
static void defaults_are_accepted(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles.spacing", "2 cm"); /* must be given */
    for (int i = 0; i < rp_param_list_count(list); i++) {
        const rp_param_info *info = rp_param_list_at(list, i);
        bool plain = !info->method && !strstr(info->path, "NAME") && !strstr(info->path, "[N]");
        if (plain && info->preset && info->preset[0]) rp_draft_set(draft, info->path, info->preset);
    }
    rp_scene *scene = NULL;
    check_ok(rp_draft_finish(draft, &scene, report), report);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
}

static void count_lines(void *user, const char *line)
{
    *(int *)user += line[0] != 0;
}

static void help_is_text(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    int all = 0, section = 0;
    check_ok(rp_scene_help(NULL, RP_HELP_TEXT, count_lines, &all, report), report);
    check_ok(rp_scene_help("materials", RP_HELP_MARKDOWN, count_lines, &section, report), report);
    assert_true(all > 400 && section > 10 && section < all);
    assert_int_equal(rp_scene_help("material", RP_HELP_TEXT, count_lines, &all, report),
                     RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "did you mean 'materials'?"));
    rp_report_destroy(report);
}

static void words_are_suggested(void **state)
{
    (void)state;
    static const char *const known[] = {"density", "angle", "box"};
    char text[16];
    assert_true(rp_word_suggest("desnity", known, 3, text, sizeof text));
    assert_string_equal(text, "density");
    assert_true(rp_word_suggest("cube", known, 3, text, sizeof text));
    assert_string_equal(text, "box");
    assert_false(rp_word_suggest("xylophone", known, 3, text, sizeof text));
    assert_string_equal(text, "");
}

static int begin(void **state)
{
    (void)state;
    list = rp_param_list_create();
    return list ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    rp_param_list_destroy(list);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_whole),   cmocka_unit_test(paths_are_found),
        cmocka_unit_test(methods_have_their_own), cmocka_unit_test(defaults_are_accepted),
        cmocka_unit_test(help_is_text),           cmocka_unit_test(words_are_suggested)};
    return cmocka_run_group_tests(tests, begin, end);
}
