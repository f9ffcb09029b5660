/* Files, their includes, and settings: all are merged into one tree before any value is
 * interpreted. Included files come first, what the including file says overrides them, settings
 * override both. */
#include "base/file.h"
#include "document/document.h"
#include "document/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file that is being read, and the one that includes it: a chain that shows cycles. */
typedef struct visit {
    const struct visit *from;
    const rp_node *by;    /* the node that names it; NULL for the scene itself */
    uint64_t identity[2]; /* of the file */
    int depth;
} visit;

static rp_node *load_visit(rp_tree *tree, const char *path, visit *v);

/* Reports a fault of a file: at the include that names it, or for the scene file itself. */
static void file_fail(rp_tree *tree, rp_code code, const char *path, const visit *v,
                      const char *what)
{
    tree->broken = true;
    if (v->by) {
        rp_node_fail(tree, v->by, NULL, "'%s': %s", path, what);
        return;
    }
    rp_document document = {.name = path};
    rp_document_fail(tree, code, &document, 0, 0, 0, "%s", what);
}

/* Returns why a file is refused before a byte of it is read, or NULL: devices and pipes may have no
 * end. */
static const char *refuse(const rp_tree *tree, const rp_file_info *info)
{
    if (info->kind == RP_FILE_FOLDER) return "this is a folder, not a scene file";
    if (info->kind != RP_FILE_PLAIN) return "this is not a plain file";
    if (info->size > RP_SCENE_BYTES_MAX - tree->bytes)
        return "the files of a scene may have 16 MiB together; this one is too large";
    return NULL;
}

static bool read_file(rp_tree *tree, const char *path, visit *v, rp_document *document)
{
    rp_file_info info;
    char what[256];
    int error = rp_file_status(path, &info);
    snprintf(what, sizeof what, "cannot open this file: %s", strerror(error));
    const char *wrong = error ? what : refuse(tree, &info);
    if (!wrong) {
        size_t size = (size_t)info.size;
        memcpy(v->identity, info.identity, sizeof v->identity);
        tree->bytes += size;
        char *text = rp_tree_allocate(tree, size + 1);
        if (!text) return false;
        error = rp_file_read_start(path, text, size, &document->size);
        text[document->size] = 0;
        document->text = text;
        if (error) wrong = strerror(error);
    }
    if (wrong) file_fail(tree, RP_ERROR_IO, path, v, wrong);
    return !wrong;
}

/* Returns a copy of the folder part of a path. */
static const char *folder_of(rp_tree *tree, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    return rp_tree_text(tree, path, slash == path ? 1 : (size_t)(slash - path));
}

static char *join(rp_tree *tree, const char *folder, const char *file)
{
    if (file[0] == '/' || !folder || strcmp(folder, ".") == 0)
        return rp_tree_text(tree, file, strlen(file));
    size_t size = strlen(folder) + strlen(file) + 2;
    char *path = rp_tree_allocate(tree, size);
    if (path) snprintf(path, size, "%s/%s", folder, file);
    return path;
}

char *rp_tree_resolve_path(rp_tree *tree, const rp_document *document, const char *file)
{
    char *path = join(tree, document ? document->folder : NULL, file);
    if (!path) return NULL;
    char absolute[RP_PATH_MAX];
    bool known = rp_file_resolve(path, absolute, sizeof absolute);
    return known ? rp_tree_text(tree, absolute, strlen(absolute)) : path;
}

/* True when the file is one of those that include it. */
static bool is_cycle(const visit *v)
{
    for (const visit *other = v->from; other; other = other->from)
        if (memcmp(other->identity, v->identity, sizeof v->identity) == 0) return true;
    return false;
}

/* Merges one included file into those before it. */
static void include_one(rp_tree *tree, rp_node *base, const rp_node *named, const visit *from)
{
    if (named->kind != RP_NODE_SCALAR || !named->text[0]) {
        rp_node_fail(tree, named, NULL, "expected the name of a file, or a list of names");
        return;
    }
    if (from->depth == RP_INCLUDE_DEPTH_MAX) {
        rp_node_fail(tree, named, NULL, "files include each other more than 16 deep here");
        tree->broken = true;
        return;
    }
    visit v = {.from = from, .by = named, .depth = from->depth + 1};
    const char *path = join(tree, named->document->folder, named->text);
    rp_node *root = path ? load_visit(tree, path, &v) : NULL;
    if (root) rp_node_merge(base, root);
}

/* Merges the included files below what the file itself says. */
static rp_node *resolve_includes(rp_tree *tree, rp_node *root, const visit *v)
{
    rp_node *include = rp_node_find(root, "include");
    if (!include) return root;
    if (!root->document->folder) {
        rp_node_fail(tree, include, NULL,
                     "a scene from memory has no folder to include files from");
        rp_node_remove(include);
        return root;
    }
    rp_node *base = rp_node_create(tree, RP_NODE_MAP, root);
    if (!base) return NULL;
    if (include->kind == RP_NODE_LIST)
        for (const rp_node *named = include->first; named; named = named->next)
            include_one(tree, base, named, v);
    else
        include_one(tree, base, include, v);
    rp_node_remove(include);
    rp_node_merge(base, root);
    return base;
}

/* The root of a scene must be a map that is not empty. */
static rp_node *expect_map(rp_tree *tree, rp_node *root)
{
    if (!root || root->kind == RP_NODE_MAP) return root;
    if (root->kind == RP_NODE_SCALAR && root->plain && !root->text[0])
        rp_node_fail(tree, root, NULL, "this scene is empty; `repose help scene` lists the keys");
    else
        rp_node_fail(tree, root, NULL, "a scene is a map of keys such as `time: {duration: 2 s}`");
    tree->broken = true;
    return NULL;
}

static rp_node *load_visit(rp_tree *tree, const char *path, visit *v)
{
    rp_document *document = rp_tree_document(tree, path);
    if (!document) return NULL;
    if (++tree->files > RP_SCENE_FILES_MAX) {
        file_fail(tree, RP_ERROR_INPUT, path, v, "a scene may be made of at most 256 files");
        return NULL;
    }
    document->folder = folder_of(tree, path);
    if (!document->folder || !read_file(tree, path, v, document)) return NULL;
    if (is_cycle(v)) {
        file_fail(tree, RP_ERROR_INPUT, path, v,
                  "this file includes itself, directly or through others");
        return NULL;
    }
    rp_node *root = expect_map(tree, rp_yaml_parse(tree, document));
    return root ? resolve_includes(tree, root, v) : NULL;
}

rp_node *rp_tree_load_file(rp_tree *tree, const char *path)
{
    visit v = {.depth = 0};
    return load_visit(tree, path, &v);
}

rp_node *rp_tree_load_text(rp_tree *tree, const char *text, size_t size, const char *name)
{
    rp_document *document = rp_tree_document(tree, name);
    if (!document) return NULL;
    if (size > RP_SCENE_BYTES_MAX) {
        rp_document_fail(tree, RP_ERROR_INPUT, document, 0, 0, 0,
                         "a scene may have 16 MiB; this one is too large");
        return NULL;
    }
    document->size = size;
    document->text = rp_tree_text(tree, text, size);
    if (!document->text) return NULL;
    visit v = {.depth = 0};
    rp_node *root = expect_map(tree, rp_yaml_parse(tree, document));
    return root ? resolve_includes(tree, root, &v) : NULL;
}

/* --- settings --------------------------------------------------------------------------------- */

/* A part of a key path: a key, or an index of a list, written `keys[1]` or `keys.1`. */
typedef struct path_part {
    const char *text;
    bool bracketed;
} path_part;

/* Returns the first part of `*rest`, and moves `*rest` behind it. */
static path_part next_part(rp_tree *tree, const char **rest)
{
    bool bracketed = **rest == '[';
    const char *start = *rest + bracketed;
    size_t length = strcspn(start, bracketed ? "]" : ".[");
    const char *end = start + length + bracketed;
    *rest = *end == '.' ? end + 1 : end;
    return (path_part){rp_tree_text(tree, start, length), bracketed};
}

/* Checks a key path: keys between single dots, indices in brackets behind them, and a limited
 * depth. */
static bool is_key_path(const char *path)
{
    int depth = 0;
    const char *c = path;
    do {
        bool bracketed = *c == '[';
        size_t length = strcspn(c + bracketed, bracketed ? "]" : ".[]");
        if (!length) return false;
        if (bracketed && (c == path || c[-1] == '.' || c[length + 1] != ']')) return false;
        c += length + 2 * (size_t)bracketed;
        if (*c && *c != '.' && *c != '[') return false;
        if (*c == '.' && !*++c) return false;
        depth++;
    } while (*c);
    return depth < RP_SCENE_DEPTH_MAX / 2;
}

static rp_node *place_in_list(rp_tree *tree, rp_node *list, const char *part, const rp_node *like)
{
    char *end;
    long index = strtol(part, &end, 10);
    rp_node *child = list->first;
    for (long i = 0; child && i < index; i++)
        child = child->next;
    if (child && *part && !*end && index >= 0) return child;
    rp_node_fail(tree, like, NULL, "'%s' is not a place in this list of %d; the first is 0", part,
                 list->count);
    return NULL;
}

/* Reports a list, or an entry of one, that does not exist: settings do not extend lists. */
static rp_node *fail_no_list(rp_tree *tree, const rp_node *node, const char *part,
                             const rp_node *like)
{
    char where[256], hint[96] = "";
    rp_node_path(node, part, where, sizeof where);
    rp_nearest nearest = rp_nearest_to(part ? part : "");
    for (const rp_node *child = node->first; part && child; child = child->next)
        if (child->key) rp_nearest_try(&nearest, child->key, strlen(child->key));
    if (part) rp_nearest_hint(&nearest, hint, sizeof hint);
    rp_node_fail(tree, like, NULL, "the scene has no %s'%s'%s", part ? "" : "list ", where, hint);
    return NULL;
}

/* Returns the child that a part of a key path names, creating maps on the way; `rest` is what
 * follows. */
static rp_node *step_down(rp_tree *tree, rp_node *node, path_part part, const char *rest,
                          const rp_node *like)
{
    if (node->kind == RP_NODE_LIST) return place_in_list(tree, node, part.text, like);
    if (part.bracketed) return fail_no_list(tree, node, NULL, like);
    rp_node *child = rp_node_find(node, part.text);
    if (child) return child;
    if (strchr(rest, '[')) return fail_no_list(tree, node, part.text, like);
    if (node->kind == RP_NODE_SCALAR) {
        /* the scalar is overridden by the keys below it */
        node->kind = RP_NODE_MAP;
        node->text = NULL;
        node->document = like->document;
    }
    child = rp_node_create(tree, RP_NODE_MAP, like);
    if (!child) return NULL;
    child->key = part.text;
    rp_node_append(node, child);
    return child;
}

/* Sets the value at a key path. */
static void put_value(rp_tree *tree, rp_node *root, const char *path, rp_node *value)
{
    rp_node *node = root;
    if (!is_key_path(path)) {
        rp_node_fail(tree, value, NULL,
                     "'%s' is not a key path such as time.duration or bodies.plate.keys[0].time",
                     path);
        return;
    }
    while (*path) {
        path_part part = next_part(tree, &path);
        node = part.text ? step_down(tree, node, part, path, value) : NULL;
        if (!node) return;
    }
    if (node->kind == RP_NODE_MAP && value->kind == RP_NODE_MAP)
        rp_node_merge(node, value);
    else
        rp_node_replace(node, value);
}

/* Parses one setting as YAML and applies it. Its size is limited as that of a file. */
static void load_setting(rp_tree *tree, rp_node *root, const rp_setting *setting)
{
    size_t key_size = strlen(setting->key), value_size = strlen(setting->value);
    if (key_size > 1000 || value_size > RP_SCENE_BYTES_MAX - tree->bytes) {
        rp_document document = {.name = "--set"};
        rp_document_fail(tree, RP_ERROR_INPUT, &document, 0, 0, 0, "this setting is too large");
        return;
    }
    tree->bytes += value_size;
    const char *flag = tree->flag ? tree->flag : "--set ";
    size_t size = strlen(flag) + key_size + value_size + sizeof "=";
    char *name = rp_tree_allocate(tree, size);
    if (!name) return;
    snprintf(name, size < 300 ? size : 300, "%s%s=%s", flag, setting->key, setting->value);
    rp_document *document = rp_tree_document(tree, name);
    if (!document) return;
    document->one_line = true;
    document->text = rp_tree_text(tree, setting->value, value_size);
    document->size = value_size;
    rp_node *value = document->text ? rp_yaml_parse(tree, document) : NULL;
    if (value) put_value(tree, root, setting->key, value);
}

void rp_tree_apply_settings(rp_tree *tree, rp_node *root, const rp_setting *settings, int count)
{
    for (int i = 0; i < count; i++)
        load_setting(tree, root, &settings[i]);
}
