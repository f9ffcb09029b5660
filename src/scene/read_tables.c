/* The generic reader: walks parameter tables and fills structs from the tree. It knows kinds of
 * parameters, not keys. Missing defaults are added to the tree, and keys are put into the order of
 * the table: written as text the tree is then the complete scene. */
#include "base/report.h"
#include "document/words.h"
#include "scene/inside.h"

#include <stdio.h>
#include <string.h>

#define ENTRIES_MAX RP_SCENE_KEYS_MAX
#define LIST_MAX 100000
#define NAME_MAX_BYTES 60

void rp_read_mark_invalid(rp_node *node)
{
    node->bad = true;
    if (node->parent) node->parent->bad = true;
}

void *rp_read_allocate(rp_reader *reader, size_t size)
{
    void *block = rp_arena_take(reader->store, size);
    if (block)
        memset(block, 0, size);
    else
        rp_tree_no_memory(reader->tree, size);
    return block;
}

/* --- tables of methods ------------------------------------------------------------------------ */

const rp_param_table *rp_scene_method_table(const rp_scene_method *method, const char *section)
{
    if (!method) return NULL;
    if (strcmp(section, "materials") == 0) return method->materials;
    return strcmp(section, "bodies") == 0 ? method->bodies : method->sources;
}

const rp_scene_method *rp_read_chosen_method(const rp_scene_schema *schema, const rp_node *root)
{
    const rp_node *solver = rp_node_find(root, "solver");
    const rp_node *named =
        solver && solver->kind == RP_NODE_MAP ? rp_node_find(solver, "method") : NULL;
    if (!named) return schema->method_at(0);
    for (int i = 0; i < schema->method_count && named->kind == RP_NODE_SCALAR; i++)
        if (strcmp(schema->method_at(i)->params->name, named->text) == 0)
            return schema->method_at(i);
    return NULL;
}

/* --- unknown keys ----------------------------------------------------------------------------- */

/* Calls `visit` with every key of a table, including shared parts and keys that methods add, until
 * it returns true. */
typedef bool key_visit(void *user, const char *key);
static bool visit_keys(const rp_reader *reader, const rp_param_table *table, key_visit *visit,
                       void *user)
{
    bool found = false;
    for (int i = 0; table && i < table->count && !found; i++) {
        const rp_param *param = &table->params[i];
        if (param->kind == RP_PARAM_PART)
            found = visit_keys(reader, param->table, visit, user);
        else if (param->kind != RP_PARAM_OWN)
            found = visit(user, param->key);
        for (int m = 0; param->kind == RP_PARAM_OWN && m < reader->schema->method_count; m++)
            found = found ||
                    visit_keys(reader,
                               rp_scene_method_table(reader->schema->method_at(m), param->words),
                               visit, user);
    }
    return found;
}

static bool is_key(void *user, const char *key)
{
    return strcmp(user, key) == 0;
}

static bool has_key(const rp_reader *reader, const rp_param_table *table, const char *key)
{
    return visit_keys(reader, table, is_key, (void *)key);
}

static bool try_key(void *user, const char *key)
{
    rp_nearest_try(user, key, strlen(key));
    return false;
}

typedef struct key_list {
    char text[512];
} key_list;

static bool list_key(void *user, const char *key)
{
    char *text = ((key_list *)user)->text;
    size_t used = strlen(text);
    snprintf(text + used, sizeof(key_list) - used, "%s%s", used ? ", " : "", key);
    return false;
}

/* Reports unknown keys, with the most similar known key or a list of all. `extra` is one more known
 * key, or NULL. */
static void refuse_unknown_keys(rp_reader *reader, const rp_param_table *table, const char *extra,
                                rp_node *map)
{
    for (rp_node *child = map->first; child; child = child->next) {
        if (has_key(reader, table, child->key) || (extra && strcmp(extra, child->key) == 0))
            continue;
        char hint[96];
        key_list known = {0};
        rp_nearest nearest = rp_nearest_to(child->key);
        visit_keys(reader, table, try_key, &nearest);
        if (extra) rp_nearest_try(&nearest, extra, strlen(extra));
        rp_nearest_hint(&nearest, hint, sizeof hint);
        if (extra) list_key(&known, extra);
        visit_keys(reader, table, list_key, &known);
        map->bad = true;
        rp_node_fail_key(reader->tree, child, "unknown key '%.60s' for a %s%s%s", child->key,
                         table->name,
                         nearest.found ? hint : "; known keys: ", nearest.found ? "" : known.text);
    }
}

/* --- defaults --------------------------------------------------------------------------------- */

static rp_node *preset_scalar(rp_reader *reader, const rp_node *like, const char *text,
                              size_t length)
{
    rp_node *node = rp_node_create(reader->tree, RP_NODE_SCALAR, like);
    char *copy = rp_tree_text(reader->tree, text, length);
    if (!node || !copy) return NULL;
    node->text = copy;
    node->plain = true;
    return node;
}

/* Creates the node of a default: a scalar or a list of scalars, which needs no YAML parser. */
static rp_node *preset_node(rp_reader *reader, const rp_node *like, const char *preset)
{
    if (preset[0] != '[') return preset_scalar(reader, like, preset, strlen(preset));
    rp_node *list = rp_node_create(reader->tree, RP_NODE_LIST, like);
    const char *at = preset + 1;
    while (list && *at && *at != ']') {
        size_t length = strcspn(at, ",]");
        rp_node *item = preset_scalar(reader, like, at, length);
        if (!item) return NULL;
        rp_node_append(list, item);
        at += length + (at[length] == ',');
        at += strspn(at, " ");
    }
    return list;
}

/* Returns the node for a key that the scene does not give: its default, or an empty section. NULL
 * when there is nothing to read. */
static rp_node *missing_node(rp_reader *reader, const rp_param *param, rp_node *map)
{
    bool section = param->kind == RP_PARAM_TABLE || param->kind == RP_PARAM_METHOD;
    bool named = param->kind == RP_PARAM_NAMED;
    rp_node *node = NULL;
    if (section || named) {
        if (named && (!param->preset || !param->preset[0])) return NULL;
        node = rp_node_create(reader->tree, RP_NODE_MAP, map);
    } else if (!param->preset) {
        map->bad = true;
        rp_node_fail(reader->tree, map, param->key, "must be given: %s", param->help);
    } else if (param->preset[0]) {
        node = preset_node(reader, map, param->preset);
    }
    if (!node) return NULL;
    node->key = param->key;
    rp_node_append(map, node);
    return node;
}

/* --- sections, named entries, lists ----------------------------------------------------------- */

/* Requires a map; a key without a value is an empty map. */
static bool expect_map(rp_reader *reader, rp_node *node, const char *name)
{
    if (node->kind == RP_NODE_MAP) return true;
    if (node->kind == RP_NODE_SCALAR && node->plain && !node->text[0]) {
        node->kind = RP_NODE_MAP;
        return true;
    }
    char shown[100];
    rp_read_fail(reader, node, "found %s, expected a map of keys for a %s",
                 rp_read_describe(node, shown, sizeof shown), name);
    return false;
}

/* Checks a name: it becomes part of key paths, columns and file names. */
static bool check_name(rp_reader *reader, const rp_node *entry)
{
    const char *name = entry->key;
    size_t length = strlen(name);
    bool ok = length > 0 && length <= NAME_MAX_BYTES && name[0] != '-';
    for (size_t i = 0; i < length && ok; i++) {
        unsigned char c = (unsigned char)name[i];
        ok = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '_' || c == '-' || c >= 0x80;
    }
    if (!ok)
        rp_node_fail_key(reader->tree, entry,
                         "a name has letters, digits, _ and -, and up to %d bytes", NAME_MAX_BYTES);
    return ok;
}

/* True for a plain `~`, which stands for the default, also over what an include says. */
static bool stands_for_default(const rp_node *node)
{
    return node->kind == RP_NODE_SCALAR && node->plain && strcmp(node->text, "~") == 0;
}

/* Removes entries that are `~`: so a file can remove what an include gave. */
static void drop_defaults(rp_node *map)
{
    for (rp_node *entry = map->first, *next; entry; entry = next) {
        next = entry->next;
        if (stands_for_default(entry)) rp_node_remove(entry);
    }
}

static void read_named(rp_reader *reader, const rp_param *param, rp_node *map, rp_named_list *out)
{
    if (!expect_map(reader, map, "section of named entries")) return;
    drop_defaults(map);
    if (!map->count && param->preset && param->preset[0]) {
        rp_node *entry = rp_node_create(reader->tree, RP_NODE_MAP, map);
        if (!entry) return;
        entry->key = param->preset;
        rp_node_append(map, entry);
    }
    size_t size = param->table->size;
    char *items = map->count ? rp_read_allocate(reader, (size_t)map->count * size) : NULL;
    if (!items) return;
    *out = (rp_named_list){.items = items, .count = map->count};
    char *item = items;
    for (rp_node *entry = map->first; entry; entry = entry->next, item += size) {
        check_name(reader, entry);
        char *name = rp_read_allocate(reader, strlen(entry->key) + 1);
        if (!name) return;
        strcpy(name, entry->key);
        memcpy(item, &name, sizeof name); /* the name is the first member of every such struct */
        if (expect_map(reader, entry, param->table->name))
            rp_read_table(reader, param->table, entry, item);
    }
}

static void read_list(rp_reader *reader, const rp_param *param, rp_node *list, rp_plain_list *out)
{
    char shown[100];
    if (list->kind != RP_NODE_LIST || list->count > LIST_MAX) {
        rp_read_fail(reader, list, "found %s, expected a list of up to %d maps, each a %s",
                     rp_read_describe(list, shown, sizeof shown), LIST_MAX, param->table->name);
        return;
    }
    size_t size = param->table->size;
    char *items = list->count ? rp_read_allocate(reader, (size_t)list->count * size) : NULL;
    if (!items) return;
    *out = (rp_plain_list){.items = items, .count = list->count};
    for (rp_node *entry = list->first; entry; entry = entry->next, items += size) {
        if (expect_map(reader, entry, param->table->name))
            rp_read_table(reader, param->table, entry, items);
        if (entry->bad) rp_read_mark_invalid(list);
    }
}

/* Reads one number for all keys, or a map of those that differ from the default. */
static void read_each(rp_reader *reader, const rp_param *param, rp_node *node, double *out)
{
    const rp_param_table *table = param->table;
    bool map = node->kind == RP_NODE_MAP;
    rp_node *all = map ? preset_node(reader, node, param->preset) : node;
    if (!all) return;
    rp_read_value(reader, &table->params[0], all, out);
    for (int i = 1; i < table->count; i++)
        out[i] = out[0];
    if (map) rp_read_table(reader, table, node, out);
}

/* --- the method ------------------------------------------------------------------------------- */

static const rp_param_table *find_method(rp_reader *reader, rp_node *node)
{
    const rp_scene_schema *schema = reader->schema;
    char shown[100], hint[96] = "", known[512] = "";
    rp_nearest nearest = rp_nearest_to(node->kind == RP_NODE_SCALAR ? node->text : "");
    for (int i = 0; i < schema->method_count; i++) {
        const char *name = schema->method_at(i)->params->name;
        if (node->kind == RP_NODE_SCALAR && strcmp(name, node->text) == 0)
            return schema->method_at(i)->params;
        rp_nearest_try(&nearest, name, strlen(name));
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", name);
    }
    rp_nearest_hint(&nearest, hint, sizeof hint);
    rp_read_fail(reader, node, "found %s, expected a method: %s%s",
                 rp_read_describe(node, shown, sizeof shown), known, hint);
    return NULL;
}

static void read_params(rp_reader *reader, const rp_param_table *table, rp_node *map, void *target);

static void read_method(rp_reader *reader, rp_node *map)
{
    RP_ASSERT(reader->schema->method_count > 0);
    if (!expect_map(reader, map, "solver")) return;
    rp_node *chosen = rp_node_find(map, "method");
    if (!chosen) {
        const char *first = reader->schema->method_at(0)->params->name;
        chosen = preset_scalar(reader, map, first, strlen(first));
        if (!chosen) return;
        chosen->key = "method";
        rp_node_append(map, chosen);
    }
    const rp_param_table *method = find_method(reader, chosen);
    if (!method) return;
    void *params = rp_read_allocate(reader, method->size ? method->size : 1);
    if (!params) return;
    reader->method = method;
    reader->method_params = params;
    refuse_unknown_keys(reader, method, "method", map);
    rp_node_remove(chosen);
    rp_node_append(map, chosen);
    read_params(reader, method, map, params);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void read_param(rp_reader *reader, const rp_param *param, rp_node *node, void *target)
{
    switch (param->kind) {
    case RP_PARAM_TABLE:
        if (expect_map(reader, node, param->table->name))
            rp_read_table(reader, param->table, node, target);
        break;
    case RP_PARAM_EACH:
        read_each(reader, param, node, target);
        break;
    case RP_PARAM_METHOD:
        read_method(reader, node);
        break;
    case RP_PARAM_NAMED:
        read_named(reader, param, node, target);
        break;
    case RP_PARAM_LIST:
        read_list(reader, param, node, target);
        break;
    default:
        rp_read_value(reader, param, node, target);
    }
}

/* Checks values of methods that the scene did not choose: another run may choose them. They are not
 * stored. Keys that several methods know are checked once. */
static void check_others(rp_reader *reader, const char *section, int method, rp_node *map)
{
    const rp_param_table *own = rp_scene_method_table(reader->chosen, section);
    const rp_param_table *table = rp_scene_method_table(reader->schema->method_at(method), section);
    void *unused = table ? rp_read_allocate(reader, table->size) : NULL;
    for (int i = 0; unused && i < table->count; i++) {
        const rp_param *param = &table->params[i];
        bool known = has_key(reader, own, param->key);
        for (int m = 0; m < method && !known; m++)
            known = has_key(reader, rp_scene_method_table(reader->schema->method_at(m), section),
                            param->key);
        rp_node *node = known ? NULL : rp_node_find(map, param->key);
        if (!node) continue;
        rp_node_remove(node);
        if (stands_for_default(node)) continue;
        rp_node_append(map, node);
        read_param(reader, param, node, (char *)unused + param->offset);
    }
}

/* Reads the keys that methods add to an entry of a section. */
static void read_own(rp_reader *reader, const char *section, rp_node *map, void **target)
{
    const rp_param_table *own = rp_scene_method_table(reader->chosen, section);
    if (own) *target = rp_read_allocate(reader, own->size);
    if (own && *target) read_params(reader, own, map, *target);
    for (int m = 0; m < reader->schema->method_count; m++)
        check_others(reader, section, m, map);
}

static void read_params(rp_reader *reader, const rp_param_table *table, rp_node *map, void *target)
{
    for (int i = 0; i < table->count; i++) {
        const rp_param *param = &table->params[i];
        void *place = (char *)target + param->offset;
        if (param->kind == RP_PARAM_PART) {
            read_params(reader, param->table, map, place);
            continue;
        }
        if (param->kind == RP_PARAM_OWN) {
            read_own(reader, param->words, map, place);
            continue;
        }
        rp_node *node = rp_node_find(map, param->key);
        if (node) rp_node_remove(node);
        if (node && !stands_for_default(node))
            rp_node_append(map, node); /* the written scene is in the table's order */
        else
            node = missing_node(reader, param, map);
        if (node) read_param(reader, param, node, place);
    }
}

void rp_read_table(rp_reader *reader, const rp_param_table *table, rp_node *map, void *target)
{
    refuse_unknown_keys(reader, table, NULL, map);
    read_params(reader, table, map, target);
}
