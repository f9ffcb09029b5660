/* Parameter tables as text for the terminal, as pages of the manual, and as one flat list with full
 * paths for programs. */
#include "base/memory.h"
#include "document/words.h"
#include "scene/inside.h"

#include <ctype.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

/* --- help ------------------------------------------------------------------------------------- */

typedef struct printer {
    rp_help_style style;
    rp_line_fn *line;
    void *user;
    const rp_scene_schema *schema; /* NULL: methods are left out */
} printer;

/* Describes how a value is written: "number in m", "one of: disc, rectangle". */
static void kind_text(const rp_param *param, char *text, size_t size)
{
    char words[512] = "";
    const char *unit = param->unit && param->unit[0] ? param->unit : NULL;
    bool listed = param->kind == RP_PARAM_WORD || param->kind == RP_PARAM_WORDS;
    if (listed) rp_words_list(param->words, words, sizeof words);
    switch (param->kind) {
    case RP_PARAM_REAL:
        snprintf(text, size, "number%s%s%s%.*s", unit ? " in " : "", unit ? unit : "",
                 param->also ? " or " : "", param->also ? (int)strcspn(param->also, "=") : 0,
                 param->also ? param->also : "");
        break;
    case RP_PARAM_VEC3:
        snprintf(text, size, "[x, y, z]%s%s", unit ? " in " : "", unit ? unit : "");
        break;
    case RP_PARAM_COUNT:
        snprintf(text, size, "whole number");
        break;
    case RP_PARAM_SWITCH:
        snprintf(text, size, "yes or no");
        break;
    case RP_PARAM_WORD:
        snprintf(text, size, "one of: %s", words);
        break;
    case RP_PARAM_WORDS:
        snprintf(text, size, "list of: %s", words);
        break;
    case RP_PARAM_FILE:
        snprintf(text, size, "file");
        break;
    case RP_PARAM_COLOUR:
        snprintf(text, size, "colour");
        break;
    case RP_PARAM_NAME:
        snprintf(text, size, "name from %s", param->words);
        break;
    default:
        snprintf(text, size, "text");
    }
}

/* Describes one number for all keys, or a map of them. */
static void each_text(const rp_param *param, char *text, size_t size)
{
    kind_text(&param->table->params[0], text, size);
    for (int i = 0; i < param->table->count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s%s", i ? ", " : "; or a map of such: {",
                 param->table->params[i].key, i + 1 < param->table->count ? "" : "}");
    }
}

static void range_text(const rp_param *param, char *text, size_t size)
{
    bool number = param->kind == RP_PARAM_REAL || param->kind == RP_PARAM_VEC3 ||
                  param->kind == RP_PARAM_COUNT;
    text[0] = 0;
    if (!number || param->low == param->high) return;
    if (param->low < -DBL_MAX && param->high > DBL_MAX)
        snprintf(text, size, "any, or inf");
    else if (param->high > DBL_MAX)
        snprintf(text, size, "%g or more, or inf", param->low);
    else if (param->low < -DBL_MAX)
        snprintf(text, size, "%g or less, or -inf", param->high);
    else
        snprintf(text, size, "%g to %g", param->low, param->high);
}

static void preset_text(const rp_param *param, char *text, size_t size)
{
    if (!param->preset)
        snprintf(text, size, "must be given");
    else if (!param->preset[0])
        snprintf(text, size, "none");
    else
        snprintf(text, size, "%s", param->preset);
}

static void print_param(const printer *p, const rp_param *param, const char *path)
{
    char kind[600], range[100], preset[100], line[1200];
    if (param->kind == RP_PARAM_EACH)
        each_text(param, kind, sizeof kind);
    else
        kind_text(param, kind, sizeof kind);
    range_text(param->kind == RP_PARAM_EACH ? &param->table->params[0] : param, range,
               sizeof range);
    preset_text(param, preset, sizeof preset);
    if (p->style == RP_HELP_MARKDOWN) {
        snprintf(line, sizeof line, "| `%s%s` | %s | %s | %s | %s |", path, param->key, kind, range,
                 preset, param->help);
        p->line(p->user, line);
        return;
    }
    snprintf(line, sizeof line, "  %s%s", path, param->key);
    p->line(p->user, line);
    snprintf(line, sizeof line, "      %s", param->help);
    p->line(p->user, line);
    snprintf(line, sizeof line, "      %s%s%s%s; default: %s", kind, range[0] ? " (" : "", range,
             range[0] ? ")" : "", preset);
    p->line(p->user, line);
}

static void print_values(const printer *p, const rp_param_table *table, const char *path)
{
    for (int i = 0; i < table->count; i++) {
        const rp_param *param = &table->params[i];
        if (param->kind == RP_PARAM_PART)
            print_values(p, param->table, path);
        else if (!rp_param_is_section(param) && param->kind != RP_PARAM_OWN)
            print_param(p, param, path);
    }
}

static void print_heading(const printer *p, const rp_param_table *table, const char *path)
{
    char line[600];
    const char *title = path[0] ? path : table->name;
    int length = (int)strlen(title) - (path[0] && title[strlen(title) - 1] == '.');
    bool markdown = p->style == RP_HELP_MARKDOWN;
    if (markdown)
        snprintf(line, sizeof line, "## `%.*s`", length, title);
    else
        snprintf(line, sizeof line, "%.*s: %s", length, title, table->help);
    p->line(p->user, line);
    if (!markdown) return;
    p->line(p->user, "");
    snprintf(line, sizeof line, "%c%s.", table->help[0] & ~0x20, table->help + 1);
    p->line(p->user, line);
    p->line(p->user, "");
    p->line(p->user, "| key | value | range | default | meaning |");
    p->line(p->user, "| --- | --- | --- | --- | --- |");
}

/* Returns the methods that add a key to a section, one bit each. */
static unsigned methods_with(const printer *p, const char *section, const char *key)
{
    unsigned bits = 0;
    for (int m = 0; m < p->schema->method_count; m++) {
        const rp_param_table *table = rp_scene_method_table(p->schema->method_at(m), section);
        for (int i = 0; table && i < table->count; i++)
            if (strcmp(table->params[i].key, key) == 0) bits |= 1u << m;
    }
    return bits;
}

/* "materials.NAME, frictional and pcisph only". */
static void print_own_heading(const printer *p, unsigned methods, const char *path)
{
    char line[600], names[300] = "";
    bool markdown = p->style == RP_HELP_MARKDOWN;
    for (int m = 0; m < p->schema->method_count; m++) {
        if (!(methods >> m & 1)) continue;
        const char *joint = !names[0] ? "" : methods >> (m + 1) ? ", " : " and ";
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s%s%s", joint, markdown ? "`" : "",
                 p->schema->method_at(m)->params->name, markdown ? "`" : "");
    }
    snprintf(line, sizeof line, markdown ? "### `%.*s`, %s only" : "%.*s, %s only",
             (int)strlen(path) - 1, path, names);
    p->line(p->user, line);
    if (!markdown) return;
    p->line(p->user, "");
    p->line(p->user, "| key | value | range | default | meaning |");
    p->line(p->user, "| --- | --- | --- | --- | --- |");
}

/* Prints the keys of method `m` that no method before it has, grouped by the methods that share
 * them. */
static void print_own(const printer *p, const char *section, int m, const char *path)
{
    const rp_param_table *table = rp_scene_method_table(p->schema->method_at(m), section);
    unsigned before = (1u << m) - 1, printed[32];
    int groups = 0;
    for (int i = 0; table && i < table->count; i++) {
        unsigned methods = methods_with(p, section, table->params[i].key);
        bool done = methods & before;
        for (int g = 0; g < groups; g++)
            done = done || printed[g] == methods;
        if (done || groups == 32) continue;
        printed[groups++] = methods;
        print_own_heading(p, methods, path);
        for (int k = i; k < table->count; k++)
            if (methods_with(p, section, table->params[k].key) == methods)
                print_param(p, &table->params[k], path);
        p->line(p->user, "");
    }
}

static void print_table(const printer *p, const rp_param_table *table, const char *path);

/* Prints the table of a section, with the path of its keys: "bodies.NAME.", "keys[N].". */
static void print_section(const printer *p, const rp_param *param, const char *path)
{
    char inner[256];
    snprintf(inner, sizeof inner, "%s%s%s", path, param->key, rp_param_entry(param));
    print_table(p, param->table, inner);
}

static void print_table(const printer *p, const rp_param_table *table, const char *path)
{
    print_heading(p, table, path);
    print_values(p, table, path);
    p->line(p->user, "");
    for (int i = 0; i < table->count; i++) {
        const rp_param *param = &table->params[i];
        if (rp_param_is_section(param) && param->kind != RP_PARAM_METHOD)
            print_section(p, param, path);
        for (int m = 0; param->kind == RP_PARAM_OWN && p->schema && m < p->schema->method_count;
             m++)
            print_own(p, param->words, m, path);
    }
}

void rp_param_help(const rp_param_table *table, const char *path, rp_help_style style,
                   rp_line_fn *line, void *user)
{
    printer p = {style, line, user, NULL};
    char prefix[256] = "";
    if (path && path[0]) snprintf(prefix, sizeof prefix, "%s.", path);
    print_table(&p, table, prefix);
}

/* Prints the methods one after another; `method` itself is not one of their parameters. */
static void print_methods(const printer *p, const rp_scene_schema *schema)
{
    char line[600];
    for (int i = 0; i < schema->method_count; i++) {
        const rp_param_table *method = schema->method_at(i)->params;
        bool markdown = p->style == RP_HELP_MARKDOWN;
        snprintf(line, sizeof line, markdown ? "## `solver: {method: %s}`" : "solver: {method: %s}",
                 method->name);
        p->line(p->user, line);
        if (markdown) p->line(p->user, "");
        snprintf(line, sizeof line, markdown ? "%s%s" : "  %s%s", method->help,
                 i ? "" : " (the default method)");
        p->line(p->user, line);
        if (markdown) p->line(p->user, "");
        if (markdown) p->line(p->user, "| key | value | range | default | meaning |");
        if (markdown) p->line(p->user, "| --- | --- | --- | --- | --- |");
        print_values(p, method, "solver.");
        p->line(p->user, "");
    }
}

static void print_includes(const printer *p)
{
    bool markdown = p->style == RP_HELP_MARKDOWN;
    p->line(p->user, markdown ? "## `include`" : "include: other scene files");
    if (markdown) p->line(p->user, "");
    p->line(p->user, "  A file, or a list of files, relative to the file that names it. What the "
                     "including file");
    p->line(p->user, "  says counts; maps merge key by key, everything else replaces. `~` takes "
                     "a key back.");
    p->line(p->user, "");
}

static rp_code fail_section(const char *section, rp_report *report)
{
    const rp_param_table *scene = rp_scene_table();
    rp_nearest nearest = rp_nearest_to(section);
    char hint[96];
    for (int i = 0; i < scene->count; i++)
        rp_nearest_try(&nearest, scene->params[i].key, strlen(scene->params[i].key));
    rp_nearest_hint(&nearest, hint, sizeof hint);
    return rp_fail(report, RP_ERROR_INPUT, "a scene has no section '%s'%s", section, hint);
}

rp_code rp_scene_help_with(const rp_scene_schema *schema, const char *section, rp_help_style style,
                           rp_line_fn *line, void *user, rp_report *report)
{
    const rp_param_table *scene = rp_scene_table();
    printer p = {style, line, user, schema};
    if (!section) {
        print_table(&p, scene, "");
        print_methods(&p, schema);
        print_includes(&p);
        return RP_OK;
    }
    for (int i = 0; i < scene->count; i++) {
        const rp_param *param = &scene->params[i];
        if (strcmp(param->key, section) != 0) continue;
        if (param->kind == RP_PARAM_METHOD)
            print_methods(&p, schema);
        else if (rp_param_is_section(param))
            print_section(&p, param, "");
        else
            print_param(&p, param, "");
        return RP_OK;
    }
    return fail_section(section, report);
}

/* --- the flat list ---------------------------------------------------------------------------- */

#define PATH_BYTES 256

struct rp_param_list {
    rp_param_info *items;
    size_t count, capacity;
    rp_arena texts; /* paths, sections and joined words */
    bool failed;    /* memory ran out */
};

/* What the parameters of a table have in common. */
typedef struct place {
    rp_param_list *list;
    const char *prefix;  /* "bodies.NAME." */
    const char *section; /* "bodies.NAME" */
    const char *help;    /* of the section */
    const char *method;  /* NULL: all */
} place;

static const char *copy_text(rp_param_list *list, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = rp_arena_take(&list->texts, size);
    list->failed |= !copy;
    return copy ? memcpy(copy, text, size) : "";
}

/* Joins the keys of a table: "left|right". */
static const char *join_keys(rp_param_list *list, const rp_param_table *table)
{
    char words[512] = "";
    size_t used = 0;
    for (int i = 0; i < table->count && used < sizeof words; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? "|" : "",
                                 table->params[i].key);
    return copy_text(list, words);
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void add_value(const place *p, const rp_param *param)
{
    rp_param_list *list = p->list;
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", p->prefix, param->key);
    bool each = param->kind == RP_PARAM_EACH;
    const rp_param *number = each ? &param->table->params[0] : param;
    rp_param_info info = {
        .path = copy_text(list, path),
        .key = param->key,
        .section = p->section,
        .section_help = p->help,
        .method = p->method,
        .kind = param->kind,
        .unit = or_empty(number->unit),
        .preset = param->preset,
        .low = number->low,
        .high = number->high,
        .words = each ? join_keys(list, param->table) : or_empty(param->words),
        .also = or_empty(number->also),
        .help = param->help,
    };
    if (rp_reserve((void **)&list->items, &list->capacity, list->count, list->count + 1,
                   sizeof *list->items))
        list->items[list->count++] = info;
    else
        list->failed = true;
}

static void add_values(const place *p, const rp_param_table *table)
{
    for (int i = 0; i < table->count; i++) {
        const rp_param *param = &table->params[i];
        if (param->kind == RP_PARAM_PART)
            add_values(p, param->table);
        else if (!rp_param_is_section(param) && param->kind != RP_PARAM_OWN)
            add_value(p, param);
    }
}

/* Adds the keys that each method adds to the section. */
static void add_own(const place *p, const char *section, const rp_scene_schema *schema)
{
    for (int m = 0; m < schema->method_count; m++) {
        const rp_scene_method *method = schema->method_at(m);
        const rp_param_table *table = rp_scene_method_table(method, section);
        place own = *p;
        own.method = method->params->name;
        if (table) add_values(&own, table);
    }
}

/* Sections inside follow the values of the table, as in help and manual. */
static void add_table(rp_param_list *list, const rp_param_table *table, const char *prefix,
                      const char *method, const rp_scene_schema *schema)
{
    char section[PATH_BYTES], inner[PATH_BYTES];
    snprintf(section, sizeof section, "%s", prefix);
    size_t length = strlen(section);
    if (length) section[length - 1] = 0; /* the dot */
    place p = {list, prefix, copy_text(list, section), table->help, method};
    add_values(&p, table);
    for (int i = 0; i < table->count; i++) {
        const rp_param *param = &table->params[i];
        if (param->kind == RP_PARAM_OWN) add_own(&p, param->words, schema);
        if (!rp_param_is_section(param) || param->kind == RP_PARAM_METHOD) continue;
        snprintf(inner, sizeof inner, "%s%s%s", prefix, param->key, rp_param_entry(param));
        add_table(list, param->table, inner, method, schema);
    }
}

rp_param_list *rp_param_list_create_with(const rp_scene_schema *schema)
{
    rp_param_list *list = rp_allocate_zero(sizeof *list);
    if (!list) return NULL;
    add_table(list, rp_scene_table(), "", NULL, schema);
    for (int i = 0; i < schema->method_count; i++) {
        const rp_param_table *method = schema->method_at(i)->params;
        add_table(list, method, "solver.", method->name, schema);
    }
    if (!list->failed) return list;
    rp_param_list_destroy(list);
    return NULL;
}

void rp_param_list_destroy(rp_param_list *list)
{
    if (!list) return;
    rp_arena_destroy(&list->texts);
    rp_release(list->items, list->capacity * sizeof *list->items);
    rp_release(list, sizeof *list);
}

int rp_param_list_count(const rp_param_list *list)
{
    return list ? (int)list->count : 0;
}

const rp_param_info *rp_param_list_at(const rp_param_list *list, int index)
{
    return index >= 0 && index < rp_param_list_count(list) ? &list->items[index] : NULL;
}

/* True when a path matches a form, in which NAME stands for a name and N for a number. */
static bool has_form(const char *path, const char *form)
{
    while (*form) {
        if (strncmp(form, "NAME", 4) == 0) {
            size_t length = strcspn(path, ".");
            if (!length) return false;
            path += length;
            form += 4;
        } else if (strncmp(form, "[N]", 3) == 0) {
            if (*path != '[' || !isdigit((unsigned char)path[1])) return false;
            path += 1 + strspn(path + 1, "0123456789");
            if (*path++ != ']') return false;
            form += 3;
        } else if (*path++ != *form++) {
            return false;
        }
    }
    return !*path;
}

const rp_param_info *rp_param_list_find(const rp_param_list *list, const char *path,
                                        const char *method)
{
    for (int i = 0; path && i < rp_param_list_count(list); i++) {
        const rp_param_info *info = &list->items[i];
        bool known = !method || !info->method || strcmp(method, info->method) == 0;
        if (known && has_form(path, info->path)) return info;
    }
    return NULL;
}
