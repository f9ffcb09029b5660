/* Nodes of a document: memory, links, merging, key paths, and faults with their positions; and the
 * tree as YAML text, always in the same form, so that equal scenes give equal texts. */
#include "document/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PAGE ((size_t)64 << 10)
#define FAULTS_SHOWN 100

void rp_tree_end(rp_tree *tree)
{
    rp_arena_destroy(&tree->arena);
}

rp_code rp_tree_no_memory(rp_tree *tree, size_t size)
{
    if (tree->code != RP_ERROR_MEMORY) rp_fail_memory(tree->report, size, "the scene");
    tree->broken = true;
    return tree->code = RP_ERROR_MEMORY;
}

/* Allocates from pages: the arena rounds every block up to a cache line, and most nodes are
 * smaller. */
void *rp_tree_allocate(rp_tree *tree, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    if (size > PAGE / 4) {
        void *block = rp_arena_take(&tree->arena, size);
        if (!block) rp_tree_no_memory(tree, size);
        return block;
    }
    if (tree->page_left < size) {
        char *page = rp_arena_take(&tree->arena, PAGE);
        if (!page) {
            rp_tree_no_memory(tree, PAGE);
            return NULL;
        }
        tree->page = page;
        tree->page_left = PAGE;
    }
    void *block = tree->page;
    tree->page += size;
    tree->page_left -= size;
    return block;
}

char *rp_tree_text(rp_tree *tree, const char *text, size_t length)
{
    char *copy = rp_tree_allocate(tree, length + 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

rp_document *rp_tree_document(rp_tree *tree, const char *name)
{
    rp_document *document = rp_tree_allocate(tree, sizeof *document);
    char *copy = rp_tree_text(tree, name, strlen(name));
    if (!document || !copy) return NULL;
    *document = (rp_document){.name = copy, .text = ""};
    return document;
}

rp_node *rp_node_create(rp_tree *tree, rp_node_kind kind, const rp_node *like)
{
    if (++tree->nodes > RP_SCENE_NODES_MAX) {
        if (!tree->broken)
            rp_node_fail(tree, like, NULL,
                         "the scene has more than %d values once its aliases are written out",
                         RP_SCENE_NODES_MAX);
        tree->broken = true;
        return NULL;
    }
    rp_node *node = rp_tree_allocate(tree, sizeof *node);
    if (!node) return NULL;
    *node = (rp_node){.kind = kind};
    if (!like) return node;
    node->document = like->document;
    node->line = node->key_line = like->line;
    node->column = node->key_column = like->column;
    node->offset = node->key_offset = like->offset;
    return node;
}

void rp_node_append(rp_node *parent, rp_node *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

/* Returns the link that points to `child`, in its elder sibling or its parent. */
static rp_node **link_to(rp_node *child, rp_node **elder)
{
    rp_node **link = &child->parent->first;
    *elder = NULL;
    while (*link != child) {
        *elder = *link;
        link = &(*link)->next;
    }
    return link;
}

void rp_node_replace(rp_node *old, rp_node *fresh)
{
    rp_node *elder;
    rp_node **link = link_to(old, &elder);
    fresh->key = old->key;
    fresh->parent = old->parent;
    fresh->next = old->next;
    *link = fresh;
    if (old->parent->last == old) old->parent->last = fresh;
}

void rp_node_remove(rp_node *child)
{
    rp_node *elder;
    rp_node **link = link_to(child, &elder);
    *link = child->next;
    if (child->parent->last == child) child->parent->last = elder;
    child->parent->count--;
    child->parent = child->next = NULL;
}

rp_node *rp_node_find(const rp_node *map, const char *key)
{
    if (!map || map->kind != RP_NODE_MAP) return NULL;
    for (rp_node *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

int rp_node_index(const rp_node *child)
{
    int index = 0;
    for (const rp_node *other = child->parent->first; other != child; other = other->next)
        index++;
    return index;
}

/* The depth of files is limited, and with it this recursion. */
void rp_node_merge(rp_node *base, rp_node *over)
{
    for (rp_node *child = over->first, *next; child; child = next) {
        next = child->next;
        rp_node *old = rp_node_find(base, child->key);
        if (!old)
            rp_node_append(base, child);
        else if (old->kind == RP_NODE_MAP && child->kind == RP_NODE_MAP)
            rp_node_merge(old, child);
        else
            rp_node_replace(old, child);
    }
}

static void path_add(char *path, size_t size, const char *key, int index)
{
    size_t used = strlen(path);
    if (key)
        snprintf(path + used, size - used, "%s%s", used ? "." : "", key);
    else
        snprintf(path + used, size - used, "[%d]", index);
}

void rp_node_path(const rp_node *node, const char *last, char *path, size_t size)
{
    const rp_node *chain[RP_SCENE_DEPTH_MAX * 2];
    int depth = 0;
    path[0] = 0;
    for (; node && node->parent && depth < RP_SCENE_DEPTH_MAX * 2; node = node->parent)
        chain[depth++] = node;
    while (depth-- > 0) {
        const rp_node *step = chain[depth];
        path_add(path, size, step->key, step->key ? 0 : rp_node_index(step));
    }
    if (last) path_add(path, size, last, 0);
}

/* Returns the start of the line of `offset`. A line that is too long to be shown is not searched to
 * its start: many faults in one endless line would take endless time. */
static const char *line_start(const rp_document *document, size_t offset)
{
    const char *text = document->text, *start = text + offset;
    for (int steps = 0; start > text && start[-1] != '\n' && start[-1] != '\r'; start--)
        if (++steps > 1000) return NULL;
    return start;
}

static rp_place place_in(const rp_document *document, int line, int column, size_t offset)
{
    rp_place place = {0};
    if (!document) return place;
    place.file = document->name;
    if (document->one_line || !line) return place;
    place.line = line;
    place.column = column;
    place.excerpt = offset <= document->size ? line_start(document, offset) : NULL;
    return place;
}

static rp_code add_fault(rp_tree *tree, rp_code code, const rp_place *place, const char *key,
                         const char *format, va_list arguments)
{
    char message[1200];
    vsnprintf(message, sizeof message, format, arguments);
    if (tree->code == RP_OK) tree->code = code;
    rp_fail_at(tree->report, code, place, key, "%s", message);
    return code;
}

/* Limits the number of faults: computing key paths for millions of them would take too long. */
static bool is_full(rp_tree *tree)
{
    if (tree->report && rp_report_count(tree->report) < FAULTS_SHOWN) return false;
    if (tree->code == RP_OK) tree->code = RP_ERROR_INPUT;
    rp_fail(tree->report, RP_ERROR_INPUT, "one more");
    return true;
}

rp_code rp_node_fail(rp_tree *tree, const rp_node *node, const char *last, const char *format, ...)
{
    if (is_full(tree)) return RP_ERROR_INPUT;
    char path[512];
    rp_node_path(node, last, path, sizeof path);
    rp_place place = {0};
    if (node) place = place_in(node->document, node->line, node->column, node->offset);
    va_list arguments;
    va_start(arguments, format);
    rp_code code = add_fault(tree, RP_ERROR_INPUT, &place, path, format, arguments);
    va_end(arguments);
    return code;
}

rp_code rp_node_fail_key(rp_tree *tree, const rp_node *node, const char *format, ...)
{
    if (is_full(tree)) return RP_ERROR_INPUT;
    char path[512];
    rp_node_path(node, NULL, path, sizeof path);
    rp_place place = place_in(node->document, node->key_line, node->key_column, node->key_offset);
    va_list arguments;
    va_start(arguments, format);
    rp_code code = add_fault(tree, RP_ERROR_INPUT, &place, path, format, arguments);
    va_end(arguments);
    return code;
}

rp_code rp_document_fail(rp_tree *tree, rp_code code, const rp_document *document, int line,
                         int column, size_t offset, const char *format, ...)
{
    rp_place place = place_in(document, line, column, offset);
    va_list arguments;
    va_start(arguments, format);
    add_fault(tree, code, &place, NULL, format, arguments);
    va_end(arguments);
    return code;
}

/* --- the tree as YAML text -------------------------------------------------------------------- */

typedef struct writer {
    char *text;
    size_t used, capacity;
    bool failed;
} writer;

static void put(writer *w, const char *text, size_t size)
{
    if (w->failed) return;
    if (!rp_reserve((void **)&w->text, &w->capacity, w->used, w->used + size + 1, 1)) {
        w->failed = true;
        return;
    }
    memcpy(w->text + w->used, text, size);
    w->used += size;
    w->text[w->used] = 0;
}

static void put_text(writer *w, const char *text)
{
    put(w, text, strlen(text));
}

/* True when the text can be written without quotes, also inside brackets. */
static bool is_plain(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               " _-+./^%";
    size_t size = strlen(text);
    if (!size || strspn(text, safe) != size) return false;
    if (text[0] == ' ' || text[size - 1] == ' ' || text[0] == '%') return false;
    if (strncmp(text, "---", 3) == 0 || strncmp(text, "...", 3) == 0) return false;
    return text[0] != '-' || (text[1] >= '0' && text[1] <= '9') || text[1] == '.';
}

/* Writes a text in double quotes, with escapes where necessary. */
static void put_quoted(writer *w, const char *text)
{
    put_text(w, "\"");
    for (const char *c = text; *c; c++) {
        char code[8];
        if (*c == '"' || *c == '\\')
            snprintf(code, sizeof code, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            snprintf(code, sizeof code, "\\x%02x", (unsigned char)*c);
        else if (strncmp(c, "\xc2", 1) == 0 && (unsigned char)c[1] < 0xa1)
            snprintf(code, sizeof code, "\\x%02x", (unsigned char)*++c);
        else
            snprintf(code, sizeof code, "%c", *c);
        put_text(w, code);
    }
    put_text(w, "\"");
}

static void put_scalar(writer *w, const char *text)
{
    if (is_plain(text))
        put_text(w, text);
    else
        put_quoted(w, text);
}

static void put_flow(writer *w, const rp_node *node)
{
    if (node->kind == RP_NODE_SCALAR) {
        put_scalar(w, node->text);
        return;
    }
    bool map = node->kind == RP_NODE_MAP;
    put_text(w, map ? "{" : "[");
    for (const rp_node *child = node->first; child; child = child->next) {
        if (map) put_scalar(w, child->key);
        if (map) put_text(w, ": ");
        put_flow(w, child);
        if (child->next) put_text(w, ", ");
    }
    put_text(w, map ? "}" : "]");
}

static void indent(writer *w, int depth)
{
    for (int i = 0; i < depth; i++)
        put_text(w, "  ");
}

static void put_block(writer *w, const rp_node *node, int depth)
{
    for (const rp_node *child = node->first; child; child = child->next) {
        indent(w, depth);
        if (node->kind == RP_NODE_LIST) {
            put_text(w, "- ");
            put_flow(w, child);
        } else {
            bool list_of_maps =
                child->kind == RP_NODE_LIST && child->first && child->first->kind == RP_NODE_MAP;
            put_scalar(w, child->key);
            put_text(w, ":");
            if (list_of_maps || (child->kind == RP_NODE_MAP && child->first)) {
                put_text(w, "\n");
                put_block(w, child, depth + 1);
                continue;
            }
            put_text(w, " ");
            put_flow(w, child);
        }
        put_text(w, "\n");
    }
}

char *rp_yaml_write(const rp_node *root)
{
    writer w = {0};
    put_block(&w, root, 0);
    put_text(&w, "");
    /* rp_text_release uses the length, so the text must fill its block exactly */
    char *text = w.failed ? NULL : rp_text_copy(w.text);
    rp_release(w.text, w.capacity);
    return text;
}
