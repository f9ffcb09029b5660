/* From a tree of nodes to a filled scene: what read.c, value.c, check.c and make.c share. */
#ifndef RP_SCENE_READ_H
#define RP_SCENE_READ_H

#include "document/document.h"
#include "scene/scene.h"

typedef struct rp_reader {
    rp_tree *tree;
    rp_arena *store;              /* of the scene */
    rp_scene_mesh **meshes;       /* likewise */
    const rp_memory_mesh *memory; /* likewise */
    const rp_scene_schema *schema;
    rp_node *root;
    const rp_scene_method *chosen; /* what the scene names, known before it is read; or NULL */
    const rp_param_table *method;  /* the same, once `solver:` has been read */
    void *method_params;
} rp_reader;

/* read.c: fills `target` from the map by the table. Knows no key. Missing defaults are added to the
 * tree, whose keys then stand in the order of the table: written out it is the complete scene.
 * Faults are noted in the tree. */
void rp_read_table(rp_reader *reader, const rp_param_table *table, rp_node *map, void *target);
/* Zeroed, for the life of the scene; NULL, with the fault noted, when memory runs out. */
void *rp_read_allocate(rp_reader *reader, size_t size);
/* A fault that makes the map around the node unfit for check.c. Use: rp_read_fail(r, node, …) */
#define rp_read_fail(reader, node, ...)                                                            \
    (rp_read_mark_invalid(node), (void)rp_node_fail((reader)->tree, node, NULL, __VA_ARGS__))
void rp_read_mark_invalid(rp_node *node);

/* The method that the scene names, or the default one; NULL when there is no such method. */
const rp_scene_method *rp_read_chosen_method(const rp_scene_schema *schema, const rp_node *root);
/* The table that a method adds to a section such as "materials"; NULL: none. */
const rp_param_table *rp_scene_method_table(const rp_scene_method *method, const char *section);

/* value.c: one value of a simple kind. */
void rp_read_value(rp_reader *reader, const rp_param *param, rp_node *node, void *target);
/* "'5 parsec'", "a list" …: what was found, short enough for a message. */
const char *rp_read_describe(const rp_node *node, char *text, size_t size);

/* check.c: what a table cannot say. */
void rp_scene_check(rp_reader *reader, const rp_scene *scene);
/* True when some key of a body gives it: "position" or "rotation". */
bool rp_body_keys_have(const rp_node *body, const char *what);
/* make.c: poses, unit vectors, shapes, meshes and animations. */
void rp_scene_build(rp_reader *reader, rp_scene *scene);
/* Puts the names that a run keeps files under in place of their paths in the tree. */
void rp_scene_make_portable(rp_reader *reader, const rp_scene *scene);

/* The fault stands at the value when it is there, at the section when not. */
#define rp_fail_key(tree, map, name, ...)                                                          \
    do {                                                                                           \
        const rp_node *value_ = rp_node_find(map, name);                                           \
        (void)rp_node_fail(tree, value_ ? value_ : (map), value_ ? NULL : (name), __VA_ARGS__);    \
    } while (0)

static inline bool rp_v3_is_zero(rp_vec3 v)
{
    return !(rp_v3_length(v) > 0);
}

/* scene.c: builds a scene from the merged tree, its settings and meshes from memory, and ends the
 * tree. */
rp_code rp_scene_finish_tree(rp_tree *tree, rp_node *root, const rp_setting *settings, int count,
                             const rp_memory_mesh *memory, const rp_scene_schema *schema,
                             rp_scene **out);

/* check_bodies.c: one entry of a section each. */
void rp_check_roughness(rp_tree *tree, const rp_node *map, const rp_roughness *roughness);
void rp_check_source(rp_tree *tree, const rp_node *map, const rp_source_spec *source);
void rp_check_void(rp_tree *tree, const rp_node *map, const rp_void_spec *hole);
void rp_check_emitter(rp_tree *tree, const rp_node *map, const rp_emitter_spec *emitter);
void rp_check_moisture(rp_tree *tree, const rp_node *map, const rp_moisture_spec *region);
void rp_check_body(rp_tree *tree, const rp_node *map, const rp_body_spec *body);
void rp_check_joints(rp_tree *tree, const rp_node *root, const rp_scene *scene);

#endif
