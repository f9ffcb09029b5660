/* What the files of this room share: the reader that turns a tree of nodes into a scene, checks,
 * and the building of what follows from the values. */
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
    const rp_scene_method
        *chosen; /* the method that the scene names, or NULL; known before values are read */
    const rp_param_table *method; /* the same, once `solver:` was read */
    void *method_params;
} rp_reader;

/* read_tables.c: fills `target` from the map by the table. It knows no key. Missing defaults are
 * added to the tree, and keys are put into the order of the table: written out the tree is the
 * complete scene. Faults are reported in the tree. */
void rp_read_table(rp_reader *reader, const rp_param_table *table, rp_node *map, void *target);
/* Allocates zeroed memory for the life of the scene; NULL, with the fault reported, when memory
 * runs out. */
void *rp_read_allocate(rp_reader *reader, size_t size);
/* Reports a fault that makes the map around the node invalid, so that checks skip it. Use:
 * rp_read_fail(reader, node, …) */
#define rp_read_fail(reader, node, ...)                                                            \
    (rp_read_mark_invalid(node), (void)rp_node_fail((reader)->tree, node, NULL, __VA_ARGS__))
void rp_read_mark_invalid(rp_node *node);

/* Returns the method that the scene names, or the default one; NULL when there is no such method.
 */
const rp_scene_method *rp_read_chosen_method(const rp_scene_schema *schema, const rp_node *root);
/* Returns the table that a method adds to a section such as "materials"; NULL: none. */
const rp_param_table *rp_scene_method_table(const rp_scene_method *method, const char *section);

/* read_values.c: reads one value of a simple kind. */
void rp_read_value(rp_reader *reader, const rp_param *param, rp_node *node, void *target);
/* Describes what was found, short enough for a message: "'5 parsec'", "a list of 3". */
const char *rp_read_describe(const rp_node *node, char *text, size_t size);

/* check_scene.c: checks that a table cannot express. */
void rp_scene_check(rp_reader *reader, const rp_scene *scene);
/* True when some key of a body has it: "position" or "rotation". */
bool rp_body_keys_have(const rp_node *body, const char *what);
/* build_scene.c: builds poses, unit vectors, shapes, meshes and animations. */
void rp_scene_build(rp_reader *reader, rp_scene *scene);
/* Replaces paths of files in the tree by their names in run folders. */
void rp_scene_make_portable(rp_reader *reader, const rp_scene *scene);

/* Reports a fault at the value when it is given, else at the section. */
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
