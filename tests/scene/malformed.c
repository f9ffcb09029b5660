/* Hundreds of malformed scenes, by hand and by program: each is refused with a message, none takes
 * the machine along. */
#include "check.h"

#include "base/random.h"
#include "base/report.h"
#include "scene/schema.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEMORY_MAX ((size_t)1 << 30)
#define FILE_MAX ((size_t)16 << 20)

/* Sanitizers need address space and memory of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

static int cases; /* refused so far */

/* The text with the setting, if there is one, is refused, with a message. */
static void check_refused(const char *text, size_t size, const rp_setting *setting)
{
    rp_report *report = rp_report_create();
    rp_scene *scene;
    rp_code code = rp_scene_read_text(text, size, "malformed.yaml", setting, setting ? 1 : 0,
                                      &schema, &scene, report);
    if (code == RP_OK)
        fail_msg("this passes: %.60s (%s = %s)", text, setting ? setting->key : "",
                 setting ? setting->value : "");
    assert_null(scene);
    assert_true(rp_report_count(report) > 0);
    for (int i = 0; i < rp_report_count(report); i++)
        assert_true(rp_report_fault(report, i)->message[0]);
    rp_report_destroy(report);
    assert_true(rp_memory_now().peak_bytes < MEMORY_MAX);
    cases++;
}

static void check_refused_text(const char *text)
{
    check_refused(text, strlen(text), NULL);
}

/* --- cut off ---------------------------------------------------------------------------------- */

/* True when a bracket or a quote is open at the end; good enough for full_scene. */
static bool is_open(const char *text, size_t size)
{
    int brackets = 0;
    bool quote = false;
    for (size_t i = 0; i < size; i++) {
        quote ^= text[i] == '\'';
        brackets += text[i] == '[' || text[i] == '{';
        brackets -= text[i] == ']' || text[i] == '}';
    }
    return brackets || quote;
}

static void cut_off_anywhere(void **state)
{
    (void)state;
    size_t size = strlen(full_scene);
    size_t spacing = (size_t)(strstr(full_scene, "particles:") - full_scene);
    int before = cases;
    for (size_t i = 0; i < size; i++) {
        rp_scene *scene = NULL;
        if (i < spacing || is_open(full_scene, i))
            check_refused(full_scene, i, NULL);
        else if (rp_scene_read_text(full_scene, i, "cut.yaml", NULL, 0, &schema, &scene, NULL) ==
                 RP_OK)
            rp_scene_destroy(scene);
    }
    assert_true(cases - before > 500);
}

/* --- wrong values, from the tables ------------------------------------------------------------ */

static void check_value(const char *path, const char *value)
{
    rp_setting setting = {path, value};
    check_refused(full_scene, strlen(full_scene), &setting);
}

static void check_values(const char *path, const char *const *values)
{
    for (; *values; values++)
        check_value(path, *values);
}

static void check_numbers(const char *path, const rp_param *param, bool triple)
{
    static const char *const wrong[] = {"x",      "nan", "-nan",   "1 2",   "1e999",
                                        "-1e999", "0x1", "1 m/m/", "1 xyz", "{a: 1}",
                                        "1,5",    "--1", "1e",     NULL};
    char value[200];
    for (int i = 0; wrong[i]; i++) {
        snprintf(value, sizeof value, triple ? "[0, %s, 0]" : "%s", wrong[i]);
        check_value(path, value);
    }
    const double outside[] = {param->low - fabs(param->low) - 1, param->high * 2 + 1};
    for (int i = 0; i < 2; i++) {
        if (!isfinite(outside[i])) continue;
        snprintf(value, sizeof value, triple ? "[%g, %g, %g]" : "%g", outside[i], outside[i],
                 outside[i]);
        check_value(path, value);
    }
    const char *other = strchr(param->unit, 'm') ? "deg" : "m3";
    snprintf(value, sizeof value, triple ? "[1 %s, 1 %s, 1 %s]" : "1 %s", other, other, other);
    check_value(path, value);
    if (isfinite(param->high)) check_value(path, triple ? "[inf, inf, inf]" : "inf");
    if (isfinite(param->low)) check_value(path, triple ? "[-inf, -inf, -inf]" : "-inf");
}

static void check_table(const rp_param_table *table, const char *path);

static void check_param(const rp_param *param, const char *prefix)
{
    static const char *const not_triples[] = {"1",      "[]",          "[1, 2]", "[1, 2, 3, 4]",
                                              "{x: 1}", "[[1], 2, 3]", "''",     NULL};
    static const char *const not_counts[] = {"1.5", "-5",  "1e3", "99999999999999999999",
                                             "x",   "''",  "[1]", "{a: 1}",
                                             "5 m", "inf", "nan", NULL};
    static const char *const not_words[] = {"nonsense", "''", "{a: 1}", "[nonsense]", "5", NULL};
    static const char *const not_texts[] = {"[a]", "{a: b}", NULL};
    static const char *const not_colours[] = {
        "#12", "'#12345g'", "[1, 2]", "[0, 0, -1]", "mauve", "{r: 1}", "[0, 0, nan]", "''", NULL};
    static const char *const not_maps[] = {"5", "[1]", "text", NULL};
    char path[200], inner[300];
    snprintf(path, sizeof path, "%s%s", prefix, param->key);
    switch (param->kind) {
    case RP_PARAM_VEC3:
        check_values(path, not_triples);
        check_numbers(path, param, true);
        break;
    case RP_PARAM_REAL:
        check_values(path, (const char *const[]){"[1]", "''", "{}", NULL});
        check_numbers(path, param, false);
        break;
    case RP_PARAM_EACH:
        check_values(path, (const char *const[]){"[1]", "''", "{no_such_key: 1}", NULL});
        check_numbers(path, &param->table->params[0], false);
        snprintf(inner, sizeof inner, "%s.", path);
        check_table(param->table, inner);
        break;
    case RP_PARAM_COUNT:
        check_values(path, not_counts);
        break;
    case RP_PARAM_WORD:
    case RP_PARAM_WORDS:
    case RP_PARAM_SWITCH:
    case RP_PARAM_NAME:
        check_values(path, not_words);
        break;
    case RP_PARAM_TEXT:
    case RP_PARAM_FILE:
        check_values(path, not_texts);
        break;
    case RP_PARAM_COLOUR:
        check_values(path, not_colours);
        break;
    case RP_PARAM_PART:
        check_table(param->table, prefix);
        break;
    case RP_PARAM_OWN:
        for (int m = 0; m < schema.method_count && strcmp(param->words, "materials") == 0; m++)
            check_table(schema.method_at(m)->materials, prefix);
        break;
    case RP_PARAM_NAMED:
        check_values(path, not_maps);
        snprintf(inner, sizeof inner, "%s.fresh.", path);
        check_table(param->table, inner);
        break;
    case RP_PARAM_LIST:
        check_values(path, not_maps);
        snprintf(inner, sizeof inner, "%s.1.", prefix[0] ? "bodies.paddle.keys" : path);
        check_table(param->table, inner);
        break;
    case RP_PARAM_TABLE:
        check_values(path, not_maps);
        snprintf(inner, sizeof inner, "%s.", path);
        check_table(param->table, inner);
        break;
    case RP_PARAM_METHOD:
        check_values(path, not_maps);
        check_table(&toy_table, "solver.");
    }
}

static void check_table(const rp_param_table *table, const char *path)
{
    char unknown[320];
    snprintf(unknown, sizeof unknown, "%sno_such_key", path);
    check_value(unknown, "1");
    for (int i = 0; i < table->count; i++)
        check_param(&table->params[i], path);
}

static void wrong_values_for_every_parameter(void **state)
{
    (void)state;
    int before = cases;
    check_table(rp_scene_table(), "");
    assert_true(cases - before > 500);
}

/* --- hostile texts ---------------------------------------------------------------------------- */

/* `count` times `part` between `head` and `tail`. */
static void check_repeated(const char *head, const char *part, size_t count, const char *tail)
{
    size_t length = strlen(part), used = strlen(head);
    char *text = malloc(used + count * length + strlen(tail) + 1);
    memcpy(text, head, used);
    for (size_t i = 0; i < count; i++, used += length)
        memcpy(text + used, part, length);
    strcpy(text + used, tail);
    check_refused(text, used + strlen(tail), NULL);
    free(text);
}

static void deep_nesting(void **state)
{
    (void)state;
    static const char *const parts[] = {"[",  "{",     "{a: ", "- ",  "? ",
                                        "[{", "a:\n ", "[? ",  "- [", "'"};
    for (int i = 0; i < 10; i++) {
        check_repeated("title: ", parts[i], 10000, "");
        check_repeated("", parts[i], 10000, "");
        check_repeated("", parts[i], 100, "");
        if (i < 4) check_repeated("", parts[i], FILE_MAX / strlen(parts[i]) - 10, "");
    }
    char *text = malloc(60000000);
    size_t used = 0;
    for (int depth = 0; depth < 10000 && used < FILE_MAX; depth++)
        used += (size_t)sprintf(text + used, "%*sa:\n", depth, "");
    check_refused(text, used < FILE_MAX ? used : FILE_MAX, NULL);
    free(text);
}

static void alias_bombs(void **state)
{
    (void)state;
    char text[4000];
    for (int form = 0; form < 3; form++) {
        static const char *const first[] = {"a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n",
                                            "a0: &a0 {x: 1, y: 2, z: 3}\n", "a0: &a0 lol\n"};
        size_t used = (size_t)sprintf(text, "%s", first[form]);
        for (int i = 1; i < 20; i++) {
            used += (size_t)sprintf(text + used, "a%d: &a%d [", i, i);
            for (int k = 0; k < 9; k++)
                used += (size_t)sprintf(text + used, "*a%d, ", i - 1);
            used += (size_t)sprintf(text + used, "*a%d]\n", i - 1);
        }
        check_refused(text, used, NULL);
    }
    size_t used = (size_t)sprintf(text, "a0: &a0 [x]\n");
    for (int i = 1; i < 100; i++)
        used += (size_t)sprintf(text + used, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    check_refused(text, used, NULL);
    check_refused_text("a: &a [*a]\n");
    check_refused_text("a: &a {b: *a}\n");
    check_refused_text("? &a [*a]\n: b\n");
}

static void floods(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "a",     "a\n",  "\"", "# x\n",     "&a ",   "&a\n",  "*a ",    "*a: ",   "! ",
        "!a\n",  "%A\n", ",",  "[]",        "[],",   "a,",    ": ",     ":\n",    "?\n",
        "-\n",   "\n",   " ",  "---\n",     "...\n", "1,\n",  "a: 1,",  "a: 1\n", "|\n",
        ">\n\n", "'",    "''", "\"\\x41\"", "\r",    "- a\n", "k: {}\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t count = FILE_MAX / 64 / strlen(parts[i]) - 1;
        check_repeated("", parts[i], count, "");
        check_repeated("a: |\n", parts[i], count, "");
        check_repeated("[", parts[i], count, "]");
        check_repeated("{", parts[i], count, "");
    }
    check_repeated("[", "1,\n", FILE_MAX / 3 - 1, "]");
    check_repeated("", "a: 1\n", FILE_MAX / 5 - 1, "");
    check_repeated("|\n", "\n", FILE_MAX - 10, "");
    check_repeated("", "a", FILE_MAX + 1, "");
    check_repeated("particles: {spacing: 1}\nbodies:\n", " a: {}\n", 20000, "");
    check_repeated("particles: {spacing: 1}\ntitle: [", "1,\n", 900000, "]\n");
}

static void many_entries(void **state)
{
    (void)state;
    char *text = malloc(2000000);
    size_t used = (size_t)sprintf(text, "particles: {spacing: 1}\nmaterials:\n");
    for (int i = 0; i < 256; i++)
        used += (size_t)sprintf(text + used, "  m%d: {}\n", i);
    check_refused(text, used, NULL);
    used = (size_t)sprintf(text, "particles: {spacing: 1}\nbodies:\n");
    for (int i = 0; i < 10001; i++)
        used += (size_t)sprintf(text + used, "  b%d: {shape: plane}\n", i);
    check_refused(text, used, NULL);
    free(text);
}

static void garbage(void **state)
{
    (void)state;
    unsigned char noise[4096];
    for (uint64_t seed = 1; seed <= 100; seed++) {
        size_t size = seed * 40;
        for (size_t i = 0; i < size; i++)
            noise[i] = (unsigned char)rp_random(seed, RP_RANDOM_TEST, i).bits[0];
        check_refused((char *)noise, size, NULL);
        /* printable noise looks more like YAML */
        for (size_t i = 0; i < size; i++)
            noise[i] = (unsigned char)" \n:-[]{}ab&*!|>'\"%@,?#~1"[noise[i] % 24];
        check_refused((char *)noise, size, NULL);
    }
}

/* One byte of a good scene is changed: it may still be good, but nothing breaks. */
static void changed_bytes(void **state)
{
    (void)state;
    static char text[sizeof full_scene];
    int refused = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        memcpy(text, full_scene, sizeof text);
        rp_random4 random = rp_random(7, RP_RANDOM_TEST, i);
        text[random.bits[0] % (sizeof text - 1)] = (char)random.bits[1];
        if (random.bits[2] & 1)
            text[random.bits[3] % (sizeof text - 1)] = "{}[]:,'\"\n #&*|-~"[random.bits[2] >> 28];
        rp_scene *scene = NULL;
        rp_report *report = rp_report_create();
        rp_code code =
            rp_scene_read_text(text, sizeof text - 1, "x", NULL, 0, &schema, &scene, report);
        assert_int_equal(code == RP_OK, rp_report_count(report) == 0);
        refused += code != RP_OK;
        rp_scene_destroy(scene);
        rp_report_destroy(report);
    }
    assert_true(refused > 1000);
    cases += refused;
}

static void by_hand(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "\n\n",
        "#",
        "---",
        "--- ---",
        "...",
        "null",
        "~",
        "5",
        "[]",
        "- a",
        "{}",
        "a",
        "{a",
        "a: {",
        "'",
        "\"",
        "|",
        ">",
        "&a",
        "*a",
        "!",
        "!!map {}",
        "%YAML 1.2\n---\na: 1",
        "? a",
        "? {a: b}\n: c",
        "{a: 1, a: 2}",
        "{particles: {spacing: 1}, particles: {spacing: 1}}",
        "\xef\xbb\xbf",
        "\xff\xfe",
        "\xfe\xff",
        "a: \"\\ud800\"",
        "a: \"\\xzz\"",
        "a: 'b",
        "particles: {spacing: 1}\n---\nparticles: {spacing: 1}",
        "particles: {spacing: 1}\n...\nx",
        "particles: {spacing: 1}\n<<: {seed: 1}",
        "particles: {<<: {spacing: 1}}",
        "particles: {spacing: 1}}",
        "particles: [spacing: 1]",
        "particles: spacing: 1",
        "particles:\n  spacing: 1\n jitter: 0",
        "particles: {spacing 1}",
        "particles: {spacing: }",
        "particles: {spacing: 0}",
        "particles: {spacing: -1}",
        "particles: {spacing: 1 1}",
        "particles: {spacing: 1e-400}",
        "particles: {spacing: 1 m m}",
        "particles: {spacing: ~}",
        "particles: {spacing: 1, '': 2}",
        "particles: {spacing: 1}\n'': 1",
        "particles: 1 cm",
        "particles: {spacing: !!float 1}",
        "particles: {spacing: @1}",
        "particles: {spacing: `1`}",
        "include: x",
        "include: [x, y]",
        "include: 5\nparticles: {spacing: 1}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_refused_text(texts[i]);
    check_refused("particles: {spacing: 1}\n\0", 25, NULL);
    check_refused("\0", 1, NULL);
    check_refused("particles: {spacing: 1\0}\n", 25, NULL);
}

static void it_was_many_and_memory_was_bounded(void **state)
{
    (void)state;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    print_message("%d malformed scenes, %ld MiB at most\n", cases, usage.ru_maxrss >> 10);
    assert_true(cases >= 2000);
    assert_true(rp_memory_now().bytes == 0);
#ifndef SANITIZED
    assert_true((size_t)usage.ru_maxrss << 10 < MEMORY_MAX);
#endif
}

int main(void)
{
#ifndef SANITIZED
    const struct rlimit limit = {MEMORY_MAX, MEMORY_MAX};
    setrlimit(RLIMIT_AS, &limit);
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(wrong_values_for_every_parameter),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(alias_bombs),
        cmocka_unit_test(floods),
        cmocka_unit_test(many_entries),
        cmocka_unit_test(garbage),
        cmocka_unit_test(changed_bytes),
        cmocka_unit_test(it_was_many_and_memory_was_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
