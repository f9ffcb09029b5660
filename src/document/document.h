/* Documents: scene files as trees of nodes that remember their positions. Files, includes and
 * settings are merged as trees before any value is interpreted; the reader then walks the result,
 * and the scene's text is written from it. Only yaml.c knows the YAML library. */
#ifndef RP_DOCUMENT_DOCUMENT_H
#define RP_DOCUMENT_DOCUMENT_H

#include "base/memory.h"
#include "base/report.h"
#include "repose/scene.h"

#include <stdbool.h>
#include <stdint.h>

/* Limits that protect against hostile files. */
#define RP_SCENE_DEPTH_MAX 64
#define RP_SCENE_NODES_MAX 1000000 /* aliases counted as often as they are used */
#define RP_SCENE_KEYS_MAX 10000    /* of one map */
#define RP_SCENE_FILES_MAX 256
#define RP_INCLUDE_DEPTH_MAX 16

typedef enum rp_node_kind { RP_NODE_SCALAR, RP_NODE_MAP, RP_NODE_LIST } rp_node_kind;

/* A text that nodes come from. */
typedef struct rp_document {
    const char *name; /* a path, or "--set key=value" */
    const char
        *folder; /* the folder that file names in it are relative to; NULL: the working folder */
    const char *text;
    size_t size;
    bool one_line; /* a setting: its faults have no line */
} rp_document;

typedef struct rp_node {
    rp_node_kind kind;
    bool plain;       /* a scalar without quotes */
    bool bad;         /* it, or a value directly below it, is invalid */
    uint32_t offset;  /* in the document's text */
    int line, column; /* from 1 */
    const rp_document *document;
    const char *text; /* of a scalar, with a zero behind it; else NULL */
    const char *key;  /* in the map above; else NULL */
    int key_line, key_column;
    uint32_t key_offset;
    int count; /* of children */
    struct rp_node *parent, *first, *last, *next;
} rp_node;

/* Memory, limits and faults of one scene's tree. */
typedef struct rp_tree {
    rp_arena arena;
    char *page; /* page of the arena from which small blocks are cut */
    size_t page_left;
    size_t bytes; /* read so far */
    int nodes, files;
    const char *flag; /* prefix of settings in faults; NULL: "--set " */
    rp_report *report;
    rp_code code; /* of the first fault */
    bool broken;  /* a text could not be read to its end: what is missing is no fault */
} rp_tree;

void rp_tree_end(rp_tree *tree);
/* Allocates memory that lives as long as the tree; NULL, with the fault reported, when memory runs
 * out. */
void *rp_tree_allocate(rp_tree *tree, size_t size);
char *rp_tree_text(rp_tree *tree, const char *text, size_t length);
rp_document *rp_tree_document(rp_tree *tree, const char *name);

/* Creates an empty node at the position of `like` (NULL: none). NULL on failure, with the fault
 * reported. */
rp_node *rp_node_create(rp_tree *tree, rp_node_kind kind, const rp_node *like);
void rp_node_append(rp_node *parent, rp_node *child);
/* Replaces `old` by `fresh`, under the same key. */
void rp_node_replace(rp_node *old, rp_node *fresh);
void rp_node_remove(rp_node *child);
/* Returns the child under that key, or NULL; `map` may be NULL. */
rp_node *rp_node_find(const rp_node *map, const char *key);
/* True when the key is in the map, not as a default. */
static inline bool rp_node_has(const rp_node *map, const char *key)
{
    return rp_node_find(map, key) != NULL;
}
/* Returns the index of a child among its siblings. */
int rp_node_index(const rp_node *child);
/* Merges the map `over` into `base`: maps merge key by key, everything else replaces. */
void rp_node_merge(rp_node *base, rp_node *over);
/* Writes the key path, such as "bodies.paddle.keys[1].time"; `last` is added as one more key when
 * not NULL. */
void rp_node_path(const rp_node *node, const char *last, char *path, size_t size);

/* Reports a fault at a node. Sets tree->code and returns it. `last` names a key that is missing, or
 * NULL. */
rp_code rp_node_fail(rp_tree *tree, const rp_node *node, const char *last, const char *format, ...)
    RP_PRINTF(4, 5);
/* The same, at the key instead of the value. */
rp_code rp_node_fail_key(rp_tree *tree, const rp_node *node, const char *format, ...)
    RP_PRINTF(3, 4);
/* Reports a fault at a position of a document. */
rp_code rp_document_fail(rp_tree *tree, rp_code code, const rp_document *document, int line,
                         int column, size_t offset, const char *format, ...) RP_PRINTF(7, 8);
rp_code rp_tree_no_memory(rp_tree *tree, size_t size);

/* yaml.c: parses the document's text; NULL when a fault stopped it. An empty text is an empty
 * scalar. The byte behind the text must be zero. */
rp_node *rp_yaml_parse(rp_tree *tree, const rp_document *document);

/* merge.c: loads a file with its includes, or a text, and applies settings. */
rp_node *rp_tree_load_file(rp_tree *tree, const char *path);
rp_node *rp_tree_load_text(rp_tree *tree, const char *text, size_t size, const char *name);
void rp_tree_apply_settings(rp_tree *tree, rp_node *root, const rp_setting *settings, int count);
/* Returns the absolute path of a file that a document names. NULL when memory ran out. */
char *rp_tree_resolve_path(rp_tree *tree, const rp_document *document, const char *file);

/* nodes.c: returns the tree as YAML text; release it with rp_text_release. NULL when memory ran
 * out. */
char *rp_yaml_write(const rp_node *root);

#endif
