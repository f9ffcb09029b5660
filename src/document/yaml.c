/* YAML text to nodes, through libfyaml's event parser. No other file knows the library.
 *
 * The text is scanned before the library sees it, for what libfyaml 0.7.12 does not handle:
 *   - it queues the tokens of a whole line to find out whether the line is a key, 400 bytes for
 *     each: 16 MB of "[" took 6 GB. Long lines are refused;
 *   - the same happens over many lines with anchors, tags and aliases. Their number is limited;
 *   - line breaks in a block text take quadratic time. Long runs of blank lines are refused;
 *   - it passes the faulty line to printf as the format when it prints its own messages, so "%n" in
 *     a scene would write to memory. Messages are collected instead, which prints nothing. Only
 *     fy_diag_destroy frees them; fy_diag_unref alone leaks them;
 *   - it leaks when it decodes seven or more pairs of quotes in a row in a text in single quotes,
 *     so those are decoded here.
 */
#include "document/document.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 65536
#define MARKS_MAX 10000 /* characters that may be anchors, aliases or tags */
#define BLANK_LINES_MAX 1000
#define BRACKETS_MAX 1000
#define ANCHORS_MAX 1000

/* --- the scan before parsing ------------------------------------------------------------------ */

typedef struct scan {
    rp_tree *tree;
    const rp_document *document;
    size_t at, line_at; /* offsets */
    int line;           /* from 1 */
    int blank_lines, brackets;
    int marks;
} scan;

static bool scan_fail(scan *s, const char *what)
{
    int column = 1;
    for (size_t i = s->line_at; i < s->at; i++)
        column += ((unsigned char)s->document->text[i] & 0xc0) != 0x80;
    rp_document_fail(s->tree, RP_ERROR_INPUT, s->document, s->line, column, s->at, "%s", what);
    s->tree->broken = true;
    return false;
}

/* Returns the number of bytes of the UTF-8 character at `c`, 0 when it is invalid: a wrong length,
 * an overlong form, a surrogate, or beyond U+10FFFF. */
static size_t character_size(const unsigned char *c, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (c[0] < 0x80) return 1;
    size_t size = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : c[0] >= 0xc2 ? 2 : 0;
    if (!size || c[0] > 0xf4 || size > left) return 0;
    uint32_t code = c[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((c[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (c[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[size] || surrogate || code > 0x10ffff ? 0 : size;
}

static bool scan_character(scan *s)
{
    const unsigned char *c = (const unsigned char *)s->document->text + s->at;
    size_t size = character_size(c, s->document->size - s->at);
    if (!size) return scan_fail(s, "this is not UTF-8 text: is it really a scene file?");
    if (c[0] < 0x20 && c[0] != '\t' && c[0] != '\n' && c[0] != '\r')
        return scan_fail(s, c[0] ? "there is a control character here: is it really a scene file?"
                                 : "there is a zero byte here: is it really a scene file?");
    if (c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0 && c[1] != 0x85))
        return scan_fail(s, "there is a control character here");
    s->brackets += c[0] == '[' || c[0] == '{';
    s->brackets -= c[0] == ']' || c[0] == '}';
    s->marks += c[0] == '&' || c[0] == '*' || c[0] == '!';
    if (s->brackets > BRACKETS_MAX) return scan_fail(s, "too many brackets are open here");
    if (s->marks > MARKS_MAX) return scan_fail(s, "too many of the characters & * ! up to here");
    if (s->at - s->line_at > LINE_MAX_BYTES)
        return scan_fail(s, "this line is longer than 65536 bytes; break it");
    s->at += size;
    return true;
}

/* Checks the beginning of a line: blank lines, directives, tabs. */
static bool scan_line_start(scan *s)
{
    const char *line = s->document->text + s->at;
    size_t left = s->document->size - s->at, blanks = 0;
    while (blanks < left && (line[blanks] == ' ' || line[blanks] == '\t'))
        blanks++;
    bool blank = blanks == left || line[blanks] == '\n' || line[blanks] == '\r';
    s->line_at = s->at;
    s->blank_lines = blank ? s->blank_lines + 1 : 0;
    if (s->blank_lines > BLANK_LINES_MAX) return scan_fail(s, "too many blank lines up to here");
    if (left && line[0] == '%')
        return scan_fail(s, "YAML directives (%...) are not used in scenes");
    if (left && line[0] == '\t' && !blank && line[blanks] != '#')
        return scan_fail(s, "this line begins with a tab; indent with blanks");
    return true;
}

/* Scans the whole text once for what libfyaml cannot handle, before it sees any of it. */
static bool scan_text(rp_tree *tree, const rp_document *document)
{
    scan s = {.tree = tree, .document = document, .line = 1};
    const char *text = document->text;
    if (!scan_line_start(&s)) return false;
    while (s.at < document->size) {
        bool ends = text[s.at] == '\n' || (text[s.at] == '\r' && text[s.at + 1] != '\n');
        if (!scan_character(&s)) return false;
        if (!ends) continue;
        s.line++;
        if (!scan_line_start(&s)) return false;
    }
    return true;
}

/* --- events to nodes -------------------------------------------------------------------------- */

typedef struct anchor {
    const char *name;
    const rp_node *node;
} anchor;

typedef struct build {
    rp_tree *tree;
    const rp_document *document;
    rp_node *root;
    rp_node *open[RP_SCENE_DEPTH_MAX];         /* stack of maps and lists that are not closed */
    const char *anchor_of[RP_SCENE_DEPTH_MAX]; /* their anchors, or NULL */
    int depth;
    rp_node *key; /* a key whose value has not come */
    anchor anchors[ANCHORS_MAX];
    int anchor_count;
    int documents;
} build;

/* Returns a node with the position of a mark, for faults and new nodes. */
static rp_node here(const build *b, const struct fy_mark *mark)
{
    rp_node node = {.document = b->document, .line = 1, .column = 1};
    if (!mark) return node;
    node.line = node.key_line = mark->line + 1;
    node.column = node.key_column = mark->column + 1;
    node.offset = node.key_offset = (uint32_t)mark->input_pos;
    return node;
}

/* An empty value has no mark of its own: it is at the position of its key. */
static rp_node here_event(const build *b, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (!mark && b->key) return *b->key;
    return here(b, mark);
}

static bool build_fail(build *b, const rp_node *place, const char *format, const char *detail)
{
    rp_document_fail(b->tree, RP_ERROR_INPUT, place->document, place->line, place->column,
                     place->offset, format, detail);
    b->tree->broken = true;
    return false;
}

/* libfyaml's mark is behind an opening quote; ours is on it. */
static void step_on_quote(rp_node *place)
{
    const char *text = place->document->text;
    uint32_t offset = place->offset;
    if (place->column < 2 || offset < 1 || (text[offset - 1] != '"' && text[offset - 1] != '\''))
        return;
    place->column--;
    place->offset--;
}

/* Decodes a text in single quotes on one line: doubled quotes become one. */
static const char *single_quoted(build *b, const char *raw, size_t size)
{
    size_t used = 0;
    char *text = rp_tree_text(b->tree, raw, size);
    for (size_t i = 0; text && i < size; i++) {
        text[used++] = raw[i];
        if (raw[i] == '\'') i++;
    }
    if (text) text[used] = 0;
    return text;
}

/* Decodes a text in any other style. */
static const char *other_text(build *b, struct fy_token *token)
{
    size_t length = 0;
    const char *text = fy_token_get_text(token, &length);
    if (!text) {
        rp_tree_no_memory(b->tree, 0);
        return NULL;
    }
    const char *copy = rp_tree_text(b->tree, text, length);
    if (!copy || strlen(copy) == length) return copy;
    rp_node place = here(b, fy_token_start_mark(token));
    step_on_quote(&place);
    build_fail(b, &place, "a zero byte in a text%s", "");
    return NULL;
}

/* The text of a scalar, an anchor or an alias; empty without a token. NULL with the fault noted. */
static const char *token_text(build *b, struct fy_token *token)
{
    if (!token) return "";
    const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
    if (fy_token_scalar_style(token) != FYSS_SINGLE_QUOTED || !start || !end)
        return other_text(b, token);
    const char *raw = b->document->text + start->input_pos;
    size_t size = end->input_pos - start->input_pos;
    bool lines = memchr(raw, '\n', size) || memchr(raw, '\r', size);
    if (!lines) return single_quoted(b, raw, size);
    if (!memmem(raw, size, "''''''''''''", 12)) return other_text(b, token);
    rp_node place = here(b, start);
    build_fail(b, &place, "too many single quotes in a row; put this text in double quotes%s", "");
    return NULL;
}

static bool set_anchor(build *b, const char *name, const rp_node *node)
{
    if (b->anchor_count == ANCHORS_MAX)
        return build_fail(b, node, "too many anchors; the last is '&%s'", name);
    b->anchors[b->anchor_count++] = (anchor){name, node};
    return true;
}

/* Adds a finished scalar, alias or a new container to the innermost open container. In a map
 * scalars alternate between key and value. */
static bool place_node(build *b, rp_node *node)
{
    if (!b->depth) {
        b->root = node;
        return true;
    }
    rp_node *parent = b->open[b->depth - 1];
    if (parent->kind == RP_NODE_LIST) {
        rp_node_append(parent, node);
        return true;
    }
    if (!b->key) {
        if (node->kind != RP_NODE_SCALAR)
            return build_fail(b, node, "a key must be a word, not a %s",
                              node->kind == RP_NODE_MAP ? "map" : "list");
        b->key = node;
        return true;
    }
    node->key = b->key->text;
    node->key_line = b->key->line;
    node->key_column = b->key->column;
    node->key_offset = b->key->offset;
    b->key = NULL;
    if (parent->count == RP_SCENE_KEYS_MAX)
        return build_fail(b, node, "a map may have 10000 keys; '%s' is one too many", node->key);
    rp_node_append(parent, node);
    return true;
}

static bool refuse_tag(build *b, struct fy_event *event)
{
    struct fy_token *tag = fy_event_get_tag_token(event);
    if (!tag) return true;
    rp_node place = here(b, fy_token_start_mark(tag));
    return build_fail(b, &place, "tags such as !!str or !name are not used in scenes%s", "");
}

static bool add_scalar(build *b, struct fy_event *event)
{
    rp_node place = here_event(b, event);
    step_on_quote(&place);
    rp_node *node = rp_node_create(b->tree, RP_NODE_SCALAR, &place);
    const char *text = token_text(b, event->scalar.value);
    if (!node || !text) return false;
    node->text = text;
    node->plain = !event->scalar.value || fy_token_scalar_style(event->scalar.value) == FYSS_PLAIN;
    struct fy_token *name = fy_event_get_anchor_token(event);
    if (name) {
        const char *anchor_name = token_text(b, name);
        if (!anchor_name || !set_anchor(b, anchor_name, node)) return false;
    }
    return place_node(b, node);
}

static bool open_container(build *b, struct fy_event *event, rp_node_kind kind)
{
    rp_node place = here_event(b, event);
    if (b->depth == RP_SCENE_DEPTH_MAX)
        return build_fail(b, &place, "the scene is nested deeper than 64 levels here%s", "");
    rp_node *node = rp_node_create(b->tree, kind, &place);
    if (!node || !place_node(b, node)) return false;
    struct fy_token *name = fy_event_get_anchor_token(event);
    const char *anchor_name = name ? token_text(b, name) : NULL;
    if (name && !anchor_name) return false;
    b->anchor_of[b->depth] = anchor_name;
    b->open[b->depth++] = node;
    return true;
}

static int by_key(const void *a, const void *b)
{
    const rp_node *one = *(rp_node *const *)a, *other = *(rp_node *const *)b;
    int order = strcmp(one->key, other->key);
    return order ? order
                 : (one->key_offset > other->key_offset) - (one->key_offset < other->key_offset);
}

/* Reports keys that are given twice and keeps the first of each. They are sorted, so that a map of
 * many keys does not take quadratic time. */
static bool check_duplicates(build *b, rp_node *map)
{
    size_t size = (size_t)map->count * sizeof(rp_node *), n = 0;
    rp_node **sorted = rp_allocate(size);
    if (!sorted) {
        rp_tree_no_memory(b->tree, size);
        return false;
    }
    for (rp_node *child = map->first; child; child = child->next)
        sorted[n++] = child;
    qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 1, first = 0; i < n; i++) {
        if (strcmp(sorted[first]->key, sorted[i]->key) != 0) {
            first = i;
            continue;
        }
        rp_node_fail_key(b->tree, sorted[i],
                         "'%s' is given twice, on line %d and on line %d; keep one", sorted[i]->key,
                         sorted[first]->key_line, sorted[i]->key_line);
        rp_node_remove(sorted[i]);
    }
    rp_release(sorted, size);
    return true;
}

static bool close_container(build *b)
{
    rp_node *node = b->open[--b->depth];
    if (node->kind == RP_NODE_MAP && !check_duplicates(b, node)) return false;
    const char *name = b->anchor_of[b->depth];
    return !name || set_anchor(b, name, node);
}

/* Copies what an anchor names, with the positions of the anchor: that is where a fault is to be
 * corrected. */
static rp_node *copy_node(build *b, const rp_node *node, int depth)
{
    if (depth > RP_SCENE_DEPTH_MAX) {
        build_fail(b, node, "aliases nest this deeper than 64 levels%s", "");
        return NULL;
    }
    rp_node *copy = rp_node_create(b->tree, node->kind, node);
    if (!copy) return NULL;
    copy->text = node->text;
    copy->plain = node->plain;
    for (const rp_node *child = node->first; child; child = child->next) {
        rp_node *twin = copy_node(b, child, depth + 1);
        if (!twin) return NULL;
        twin->key = child->key;
        twin->key_line = child->key_line;
        twin->key_column = child->key_column;
        twin->key_offset = child->key_offset;
        rp_node_append(copy, twin);
    }
    return copy;
}

static bool add_alias(build *b, struct fy_event *event)
{
    rp_node place = here_event(b, event);
    const char *name = token_text(b, event->alias.anchor);
    if (!name) return false;
    for (int i = b->anchor_count - 1; i >= 0; i--) {
        if (strcmp(b->anchors[i].name, name) != 0) continue;
        rp_node *copy = copy_node(b, b->anchors[i].node, b->depth);
        return copy && place_node(b, copy);
    }
    return build_fail(b, &place, "'*%s' is used here, but nothing of that name is finished before",
                      name);
}

/* Handles one event of the parser: containers open and close, scalars and aliases are added. */
static bool take_event(build *b, struct fy_event *event)
{
    rp_node place;
    switch (event->type) {
    case FYET_DOCUMENT_START:
        place = here_event(b, event);
        if (b->documents++) return build_fail(b, &place, "a second document begins here%s", "");
        return true;
    case FYET_MAPPING_START:
        return refuse_tag(b, event) && open_container(b, event, RP_NODE_MAP);
    case FYET_SEQUENCE_START:
        return refuse_tag(b, event) && open_container(b, event, RP_NODE_LIST);
    case FYET_SCALAR:
        return refuse_tag(b, event) && add_scalar(b, event);
    case FYET_ALIAS:
        return add_alias(b, event);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return close_container(b);
    default:
        return true;
    }
}

/* Reports what libfyaml found wrong, in its words. */
static void report_syntax(build *b, struct fy_diag *diag)
{
    void *iterator = NULL;
    for (struct fy_diag_error *error; (error = fy_diag_errors_iterate(diag, &iterator));) {
        if (error->type < FYET_ERROR || b->tree->broken) continue;
        size_t offset = 0;
        for (int line = 1; line < error->line && offset < b->document->size; offset++)
            line += b->document->text[offset] == '\n';
        rp_document_fail(b->tree, RP_ERROR_INPUT, b->document, error->line, error->column, offset,
                         "not YAML: %s", error->msg);
        b->tree->broken = true;
    }
    rp_node place = here(b, NULL);
    if (!b->tree->broken) build_fail(b, &place, "not YAML%s", "");
}

static void run_parser(build *b, struct fy_parser *parser, struct fy_diag *diag)
{
    const rp_document *document = b->document;
    if (fy_parser_set_string(parser, document->text, document->size)) {
        rp_tree_no_memory(b->tree, document->size);
        return;
    }
    for (struct fy_event *event; (event = fy_parser_parse(parser));) {
        bool is_ok = take_event(b, event);
        fy_parser_event_free(parser, event);
        if (!is_ok) {
            b->tree->broken = true;
            return;
        }
    }
    if (fy_parser_get_stream_error(parser) || fy_diag_got_error(diag)) report_syntax(b, diag);
}

static void parse_events(build *b)
{
    struct fy_diag_cfg diag_options = {.level = FYET_ERROR, .module_mask = ~0u};
    struct fy_diag *diag = fy_diag_create(&diag_options);
    struct fy_parser *parser = NULL;
    if (diag) {
        fy_diag_set_collect_errors(diag, true);
        struct fy_parse_cfg options = {
            .flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DISABLE_MMAP_OPT, .diag = diag};
        parser = fy_parser_create(&options);
    }
    if (parser)
        run_parser(b, parser, diag);
    else
        rp_tree_no_memory(b->tree, sizeof *b);
    if (diag) fy_diag_reset_error(diag); /* its messages refer to tokens of the parser */
    if (parser) fy_parser_destroy(parser);
    if (diag) fy_diag_destroy(diag);
}

rp_node *rp_yaml_parse(rp_tree *tree, const rp_document *document)
{
    if (!scan_text(tree, document)) return NULL;
    /* A fault in this document must not depend on faults of earlier ones. */
    bool was_broken = tree->broken;
    tree->broken = false;
    build *b = rp_allocate_zero(sizeof *b);
    if (!b) {
        rp_tree_no_memory(tree, sizeof *b);
        return NULL;
    }
    b->tree = tree;
    b->document = document;
    parse_events(b);
    if (!b->root && !tree->broken) {
        rp_node place = here(b, NULL);
        b->root = rp_node_create(tree, RP_NODE_SCALAR, &place);
        if (b->root) b->root->text = "";
        if (b->root) b->root->plain = true;
    }
    rp_node *root = tree->broken ? NULL : b->root;
    tree->broken |= was_broken;
    rp_release(b, sizeof *b);
    return root;
}
