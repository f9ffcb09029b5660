/* A scene from its sources to its end, and drafts. */
#include "scene/scene.h"
#include "base/report.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rp_scene_destroy(rp_scene *scene)
{
    if (!scene) return;
    for (rp_scene_mesh *m = scene->meshes; m; m = m->next)
        rp_mesh_destroy(m->mesh);
    rp_text_release(scene->text);
    rp_text_release(scene->portable);
    rp_arena_destroy(&scene->store);
    rp_release(scene, sizeof *scene);
}

/* Texts that are left out are empty, so that nobody needs to ask. */
static void fill_texts(rp_scene *scene)
{
    static char empty[1];
    if (!scene->title) scene->title = empty;
    if (!scene->description) scene->description = empty;
}

/* From the merged tree to the scene's values; faults are in the tree. */
static void fill_scene(rp_tree *tree, rp_node *root, const rp_scene_schema *schema, rp_scene *scene)
{
    rp_reader reader = {.tree = tree,
                        .store = &scene->store,
                        .meshes = &scene->meshes,
                        .memory = scene->memory,
                        .schema = schema,
                        .root = root,
                        .chosen = rp_read_choice(schema, root)};
    rp_read_table(&reader, rp_scene_table(), root, scene);
    fill_texts(scene);
    scene->method = reader.method;
    scene->method_params = reader.method_params;
    if (tree->broken) return;
    rp_check_scene(&reader, scene);
    if (tree->code != RP_OK) return;
    rp_make_scene(&reader, scene);
    if (tree->code != RP_OK) return;
    scene->text = rp_write_yaml(root);
    rp_make_portable(&reader, scene);
    scene->portable = rp_write_yaml(root);
    if (!scene->text || !scene->portable) rp_tree_no_memory(tree, 0);
}

/* The scene's own copies of meshes from memory, in the same order. */
static bool copy_memory(rp_scene *scene, const rp_memory_mesh *meshes)
{
    rp_memory_mesh **end = &scene->memory;
    for (const rp_memory_mesh *m = meshes; m; m = m->next) {
        rp_memory_mesh *own = rp_arena_take(&scene->store, sizeof *own);
        char *name = rp_arena_take(&scene->store, strlen(m->name) + 1);
        char *text = rp_arena_take(&scene->store, m->size);
        if (!own || !name || !text) return false;
        strcpy(name, m->name);
        memcpy(text, m->text, m->size);
        *own = (rp_memory_mesh){name, text, m->size, NULL};
        *end = own;
        end = &own->next;
    }
    return true;
}

/* The tree's root to a scene, with meshes from memory; ends the tree. */
static rp_code finish_tree(rp_tree *tree, rp_node *root, const rp_setting *settings, int count,
                           const rp_memory_mesh *memory, const rp_scene_schema *schema,
                           rp_scene **out)
{
    rp_scene *scene = NULL;
    if (root && !tree->broken) rp_load_settings(tree, root, settings, count);
    if (root && !tree->broken) {
        scene = rp_allocate_zero(sizeof *scene);
        if (scene && copy_memory(scene, memory))
            fill_scene(tree, root, schema, scene);
        else
            rp_tree_no_memory(tree, sizeof *scene);
    }
    rp_code code = tree->code;
    if (code != RP_OK) {
        rp_scene_destroy(scene);
        scene = NULL;
    }
    *out = scene;
    rp_tree_end(tree);
    return code;
}

rp_code rp_scene_read(const char *path, const rp_setting *settings, int setting_count,
                      const rp_scene_schema *schema, rp_scene **out, rp_report *report)
{
    rp_tree tree = {.report = report};
    rp_node *root = rp_load_file(&tree, path);
    return finish_tree(&tree, root, settings, setting_count, NULL, schema, out);
}

rp_code rp_scene_read_text(const char *text, size_t size, const char *name,
                           const rp_setting *settings, int setting_count,
                           const rp_scene_schema *schema, rp_scene **out, rp_report *report)
{
    rp_tree tree = {.report = report};
    rp_node *root = rp_load_text(&tree, text, size, name);
    return finish_tree(&tree, root, settings, setting_count, NULL, schema, out);
}

rp_code rp_scene_read_more(const rp_scene *scene, const rp_setting *additions, int count,
                           const rp_scene_schema *schema, rp_scene **out, rp_report *report)
{
    rp_tree tree = {.report = report, .flag = ""};
    rp_node *root = rp_load_text(&tree, scene->text, strlen(scene->text), "scene");
    return finish_tree(&tree, root, additions, count, scene->memory, schema, out);
}

/* All that a source needs is read again from the scene's own text; what it does not need, bodies
 * with their meshes first of all, is left out. */
rp_code rp_scene_read_source(const rp_scene *scene, const char *name, const char *text,
                             const rp_scene_schema *schema, rp_scene **out, rp_report *report)
{
    static const char *const others[] = {"sources",  "voids",        "emitters", "bodies", "joints",
                                         "moisture", "measurements", "cameras",  "lamps"};
    char key[128];
    *out = NULL;
    if (!*name || strlen(name) > 60 || strpbrk(name, ".[]"))
        return rp_fail(report, RP_ERROR_INPUT,
                       "'%.80s' is not the name of a source: letters, digits, _ and -, and up to "
                       "60 bytes",
                       name);
    snprintf(key, sizeof key, "sources.%s", name);
    const rp_setting setting = {key, text};
    rp_tree tree = {.report = report, .flag = ""};
    rp_node *root = rp_load_text(&tree, scene->text, strlen(scene->text), "scene");
    for (size_t i = 0; root && i < sizeof others / sizeof *others; i++) {
        rp_node *section = rp_node_find(root, others[i]);
        if (section) rp_node_remove(section);
    }
    return finish_tree(&tree, root, &setting, 1, scene->memory, schema, out);
}

const char *rp_scene_text(const rp_scene *scene)
{
    return scene ? scene->text : NULL;
}

const char *rp_scene_title(const rp_scene *scene)
{
    return scene ? scene->title : NULL;
}

double rp_scene_duration(const rp_scene *scene)
{
    return scene ? scene->time.duration : 0;
}

double rp_scene_frame_rate(const rp_scene *scene)
{
    return scene ? scene->time.frame_rate : 0;
}

int64_t rp_scene_frame_count(const rp_scene *scene)
{
    if (!scene) return 0;
    RP_ENTER();
    /* Whole frames after the first, the nearest number; time that passes at all is one frame. */
    double frames = scene->time.duration * scene->time.frame_rate;
    return (int64_t)(frames > 0 ? fmax(1, floor(frames + 0.5)) : 0) + 1;
}

int rp_scene_find_body(const rp_scene *scene, const char *name)
{
    if (!scene || !name) return -1;
    const rp_body_spec *bodies = scene->bodies.items;
    for (int i = 0; i < scene->bodies.count; i++)
        if (strcmp(bodies[i].name, name) == 0) return i;
    return -1;
}

int rp_scene_find_material(const rp_scene *scene, const char *name)
{
    if (!scene || !name) return -1;
    const rp_material_spec *materials = scene->materials.items;
    for (int i = 0; i < scene->materials.count; i++)
        if (strcmp(materials[i].name, name) == 0) return i;
    return -1;
}

int rp_scene_shape_count(const rp_scene *scene)
{
    return scene->sources.count + scene->bodies.count + scene->moisture.count + scene->voids.count;
}

const rp_shape_spec *rp_scene_shape_at(const rp_scene *scene, int index)
{
    RP_ASSERT(index >= 0 && index < rp_scene_shape_count(scene));
    if (index < scene->sources.count) return &rp_scene_sources(scene)[index].shape_spec;
    index -= scene->sources.count;
    if (index < scene->bodies.count) return &rp_scene_bodies(scene)[index].shape_spec;
    index -= scene->bodies.count;
    if (index < scene->moisture.count) return &rp_scene_moisture(scene)[index].shape_spec;
    return &rp_scene_voids(scene)[index - scene->moisture.count].shape_spec;
}

int rp_scene_file_count(const rp_scene *scene)
{
    return rp_scene_shape_count(scene) + scene->bodies.count;
}

rp_kept_file rp_scene_file_at(const rp_scene *scene, int index)
{
    RP_ASSERT(index >= 0 && index < rp_scene_file_count(scene));
    int shapes = rp_scene_shape_count(scene);
    if (index >= shapes) {
        const rp_body_spec *body = &rp_scene_bodies(scene)[index - shapes];
        return (rp_kept_file){body->animation_file, body->animation_kept, NULL};
    }
    const rp_shape_spec *shape = rp_scene_shape_at(scene, index);
    const rp_memory_mesh *memory =
        shape->file ? rp_memory_mesh_find(scene->memory, shape->file) : NULL;
    return (rp_kept_file){shape->file, shape->kept, memory};
}

/* --- drafts ----------------------------------------------------------------------------------- */

struct rp_draft {
    rp_setting *settings; /* copies */
    size_t count, capacity;
    rp_memory_mesh *meshes; /* the newest first */
    bool out_of_memory;     /* told when it is finished */
    const char *refusal;    /* likewise: what else is wrong with it; NULL: nothing */
};

rp_draft *rp_draft_create(void)
{
    return rp_allocate_zero(sizeof(rp_draft));
}

void rp_draft_refuse(rp_draft *draft, const char *reason)
{
    if (draft && !draft->refusal) draft->refusal = reason;
}

void rp_draft_set(rp_draft *draft, const char *key, const char *value)
{
    if (!draft) return;
    if (!key || !value) {
        rp_draft_refuse(draft, "a key, a value, a name, a joint or a mesh of the draft is NULL");
        return;
    }
    rp_setting setting = {rp_text_copy(key), rp_text_copy(value)};
    bool room = rp_reserve((void **)&draft->settings, &draft->capacity, draft->count,
                           draft->count + 1, sizeof *draft->settings);
    if (setting.key && setting.value && room) {
        draft->settings[draft->count++] = setting;
        return;
    }
    rp_text_release((char *)setting.key);
    rp_text_release((char *)setting.value);
    draft->out_of_memory = true;
}

/* --- meshes of drafts ------------------------------------------------------------------------- */

void rp_draft_take_mesh(rp_draft *draft, const char *name, char *text, size_t size)
{
    rp_memory_mesh *mesh = rp_allocate_zero(sizeof *mesh);
    size_t length = strlen(RP_MEMORY_PREFIX) + strlen(name) + 1;
    char *whole = rp_allocate(length);
    if (!text || !mesh || !whole) {
        draft->out_of_memory = true;
        rp_release(mesh, sizeof *mesh);
        rp_release(whole, length);
        rp_release(text, size);
        return;
    }
    snprintf(whole, length, RP_MEMORY_PREFIX "%s", name);
    *mesh = (rp_memory_mesh){whole, text, size, draft->meshes};
    draft->meshes = mesh;
}

static void release_meshes(rp_draft *draft)
{
    while (draft->meshes) {
        rp_memory_mesh *mesh = draft->meshes;
        draft->meshes = mesh->next;
        rp_release(mesh->name, strlen(mesh->name) + 1);
        rp_release(mesh->text, mesh->size);
        rp_release(mesh, sizeof *mesh);
    }
}

void rp_draft_destroy(rp_draft *draft)
{
    if (!draft) return;
    release_meshes(draft);
    for (size_t i = 0; i < draft->count; i++) {
        rp_text_release((char *)draft->settings[i].key);
        rp_text_release((char *)draft->settings[i].value);
    }
    rp_release(draft->settings, draft->capacity * sizeof *draft->settings);
    rp_release(draft, sizeof *draft);
}

rp_code rp_draft_finish_with(rp_draft *draft, const rp_scene_schema *schema, rp_scene **out,
                             rp_report *report)
{
    *out = NULL;
    if (!draft) return rp_fail_memory(report, sizeof *draft, "a draft");
    if (draft->refusal) {
        const char *refusal = draft->refusal;
        rp_draft_destroy(draft);
        return rp_fail(report, RP_ERROR_INPUT, "%s", refusal);
    }
    rp_tree tree = {.report = report, .flag = ""};
    rp_document *document = rp_tree_document(&tree, "draft");
    rp_node place = {.document = document};
    rp_node *root = document ? rp_node_create(&tree, RP_NODE_MAP, &place) : NULL;
    if (draft->out_of_memory) rp_tree_no_memory(&tree, 0);
    rp_code code =
        finish_tree(&tree, root, draft->settings, (int)draft->count, draft->meshes, schema, out);
    rp_draft_destroy(draft);
    return code;
}

bool rp_scene_domain_wall(const rp_domain_spec *domain, int side, rp_vec3 *foot, rp_vec3 *inward)
{
    static const rp_vec3 ways[RP_SIDES] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                           {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    const double bounds[RP_SIDES] = {domain->low.x,  domain->high.x, domain->low.y,
                                     domain->high.y, domain->low.z,  domain->high.z};
    bool open = domain->open >> side & 1, periodic = domain->periodic >> (side / 2) & 1;
    *inward = ways[side];
    /* On the axis of the side: the bound times the unit vector, whichever way that points. */
    *foot = rp_v3_scale(*inward, side % 2 ? -bounds[side] : bounds[side]);
    return isfinite(bounds[side]) && !open && !periodic;
}

rp_pose rp_scene_wall_pose(rp_vec3 foot, rp_vec3 inward)
{
    return (rp_pose){foot, rp_quat_between(rp_v3(0, 0, 1), inward)};
}

bool rp_scene_domain_has_left(const rp_domain_spec *domain, const float at[3])
{
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    for (int axis = 0; axis < 3; axis++) {
        if (domain->open >> (2 * axis) & 1 && at[axis] < low[axis]) return true;
        if (domain->open >> (2 * axis + 1) & 1 && at[axis] > high[axis]) return true;
    }
    return false;
}
