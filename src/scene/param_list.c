/* Parameter tables as one flat list with full paths, for help, sliders and documentation. */
#include "base/memory.h"
#include "scene/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 256

struct rp_param_list {
    rp_param_info *items;
    size_t count, capacity;
    rp_arena texts; /* paths, sections and joined words */
    bool failed;    /* memory ran out */
};

/* What all parameters of a table share. */
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

/* The keys that one number may stand for: "left|right". */
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

/* What each method adds to the section. */
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

/* The sections inside come behind the values of the table, as in help and manual. */
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

/* Whether a path is of that form, in which NAME stands for a name and N for a number. */
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
