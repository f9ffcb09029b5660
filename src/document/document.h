/* A scene file as a tree of light nodes that remember where they stood. Files, includes and
 * settings are merged as trees before anything is understood; the reader then walks the result, and
 * the scene's text is written from it. Only yaml.c knows the YAML library. */
#ifndef RP_DOCUMENT_DOCUMENT_H
#define RP_DOCUMENT_DOCUMENT_H

#include "base/memory.h"
#include "base/report.h"
#include "repose/scene.h"

#include <stdbool.h>
#include <stdint.h>

/* What keeps a hostile file from taking the machine along. */
#define RP_SCENE_DEPTH_MAX 64
#define RP_SCENE_NODES_MAX 1000000 /* aliases counted as often as they are used */
#define RP_SCENE_KEYS_MAX 10000    /* of one map */
#define RP_SCENE_FILES_MAX 256
#define RP_INCLUDE_DEPTH_MAX 16

typedef enum rp_node_kind { RP_NODE_SCALAR, RP_NODE_MAP, RP_NODE_LIST } rp_node_kind;

/* A text that nodes came from. */
typedef struct rp_document {
    const char *name;   /* a path, or "--set key=value" */
    const char *folder; /* what files named in it are relative to; NULL: the working folder */
    const char *text;
    size_t size;
    bool one_line; /* a setting: places in it have no line */
} rp_document;

typedef struct rp_node {
    rp_node_kind kind;
    bool plain;       /* a scalar without quotes */
    bool bad;         /* it, or a value right below it, was not understood */
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

/* Memory and budgets of one scene's tree, and where its faults go. */
typedef struct rp_tree {
    rp_arena arena;
    char *page; /* of the arena; small pieces are cut from it */
    size_t page_left;
    size_t bytes; /* read so far */
    int nodes, files;
    const char *flag; /* what settings are called in faults; NULL: "--set " */
    rp_report *report;
    rp_code code; /* of the first fault */
    bool broken;  /* a text could not be read to its end, so what is missing says nothing */
} rp_tree;

void rp_tree_end(rp_tree *tree);
/* Lives as long as the tree; NULL, with the fault noted, when memory runs out. */
void *rp_tree_allocate(rp_tree *tree, size_t size);
char *rp_tree_text(rp_tree *tree, const char *text, size_t length);
rp_document *rp_tree_document(rp_tree *tree, const char *name);

/* An empty node at the place of `like` (NULL: nowhere). NULL on failure, the fault is noted. */
rp_node *rp_node_create(rp_tree *tree, rp_node_kind kind, const rp_node *like);
void rp_node_append(rp_node *parent, rp_node *child);
/* Puts `fresh` where `old` was, under the same key. */
void rp_node_replace(rp_node *old, rp_node *fresh);
void rp_node_remove(rp_node *child);
/* The child under that key, or NULL; NULL is let pass as the map. */
rp_node *rp_node_find(const rp_node *map, const char *key);
/* True when the key is in the map, not as a default. */
static inline bool rp_node_has(const rp_node *map, const char *key)
{
    return rp_node_find(map, key) != NULL;
}
/* The child's place among its siblings. */
int rp_node_index(const rp_node *child);
/* Works the map `over` into `base`: maps merge, everything else replaces. */
void rp_node_merge(rp_node *base, rp_node *over);
/* "bodies.paddle.keys[1].time"; `last` is added as one more key when not NULL. */
void rp_node_path(const rp_node *node, const char *last, char *path, size_t size);

/* Faults with a place. They set tree->code and return it. `last` names a key that is not there, or
 * NULL. */
rp_code rp_node_fail(rp_tree *tree, const rp_node *node, const char *last, const char *format, ...)
    RP_PRINTF(4, 5);
/* The same, at the key instead of the value. */
rp_code rp_node_fail_key(rp_tree *tree, const rp_node *node, const char *format, ...)
    RP_PRINTF(3, 4);
/* At some place of a document. */
rp_code rp_document_fail(rp_tree *tree, rp_code code, const rp_document *document, int line,
                         int column, size_t offset, const char *format, ...) RP_PRINTF(7, 8);
rp_code rp_tree_no_memory(rp_tree *tree, size_t size);

/* yaml.c: the document's text as nodes; NULL when a fault stopped it. An empty text is an empty
 * scalar. The byte behind the text must be zero. */
rp_node *rp_yaml_parse(rp_tree *tree, const rp_document *document);

/* load.c: a file with its includes, and settings worked in. */
rp_node *rp_tree_load_file(rp_tree *tree, const char *path);
rp_node *rp_tree_load_text(rp_tree *tree, const char *text, size_t size, const char *name);
void rp_tree_apply_settings(rp_tree *tree, rp_node *root, const rp_setting *settings, int count);
/* `file` as seen from the document that names it, as an absolute path. NULL when memory ran out. */
char *rp_tree_resolve_path(rp_tree *tree, const rp_document *document, const char *file);

/* write.c: the tree as YAML text; release with rp_text_release. NULL when memory ran out. */
char *rp_yaml_write(const rp_node *root);

#endif
