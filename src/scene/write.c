/* The tree as YAML text, always in the same form: maps one key to a line, lists in brackets, so
 * that equal scenes give equal texts. */
#include "scene/node.h"

#include <stdio.h>
#include <string.h>

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

/* True when the text means itself without quotes, in brackets too. */
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

/* Everything that the other styles cannot carry goes into double quotes. */
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

char *rp_write_yaml(const rp_node *root)
{
    writer w = {0};
    put_block(&w, root, 0);
    put_text(&w, "");
    /* rp_text_release goes by the length, so the text must fill its block exactly */
    char *text = w.failed ? NULL : rp_text_copy(w.text);
    rp_release(w.text, w.capacity);
    return text;
}
