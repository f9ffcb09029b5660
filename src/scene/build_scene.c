/* Builds what follows from the values of a valid scene: poses, unit vectors, shapes, meshes,
 * animations and kinds of grains. Faults in files are reported at the key that names the file. */
#include "base/file.h"
#include "base/random.h"
#include "base/report.h"
#include "scene/inside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PIECE ((size_t)1 << 20)
#define ENDING_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static rp_pose pose_of(rp_vec3 position, rp_vec3 rotation)
{
    return (rp_pose){position, rp_quat_from_euler(rotation)};
}

/* Hashes the content of a file in pieces. Returns 0 or an error number. */
static int hash_file(const char *path, uint64_t *hash)
{
    rp_file_info info;
    size_t size = 0;
    *hash = 0;
    int error = rp_file_status(path, &info);
    char *data = error ? NULL : rp_allocate((size_t)info.size);
    if (!error) error = data ? rp_file_read_start(path, data, (size_t)info.size, &size) : ENOMEM;
    for (size_t at = 0; !error && at < size; at += PIECE)
        *hash = rp_hash(data + at, size - at < PIECE ? size - at : PIECE, *hash);
    rp_release(data, data ? (size_t)info.size : 0);
    return error;
}

/* Returns the name under which run folders store a file: a hash of its content with the file's
 * extension, which tells the format. NULL, with the fault reported, when it cannot be read. */
static char *stored_name_of(rp_reader *reader, const rp_node *named, const char *file)
{
    uint64_t hash;
    const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
    bool plain = dot && strlen(dot) <= 8 && strspn(dot + 1, ENDING_LETTERS) == strlen(dot + 1);
    char *stored_name = rp_read_allocate(reader, 64);
    if (!stored_name) return NULL;
    int error = hash_file(file, &hash);
    if (!error) {
        snprintf(stored_name, 64, "meshes/%016" PRIx64 "%s", hash, plain ? dot : "");
        return stored_name;
    }
    rp_node_fail(reader->tree, named, NULL, "cannot read '%s': %s", file, strerror(error));
    return NULL;
}

/* The same for a mesh from memory. */
static char *stored_name_of_memory(rp_reader *reader, const rp_memory_mesh *memory)
{
    char *stored_name = rp_read_allocate(reader, 64);
    uint64_t hash = 0; /* in pieces, as for the file that a run writes */
    for (size_t at = 0; at < memory->size; at += PIECE)
        hash =
            rp_hash(memory->text + at, memory->size - at < PIECE ? memory->size - at : PIECE, hash);
    if (stored_name) snprintf(stored_name, 64, "meshes/%016" PRIx64 ".obj", hash);
    return stored_name;
}

const rp_memory_mesh *rp_memory_mesh_find(const rp_memory_mesh *meshes, const char *file)
{
    while (meshes && strcmp(meshes->name, file) != 0)
        meshes = meshes->next;
    return meshes;
}

/* Reads a mesh from memory or from its file. */
static rp_code read_mesh_data(rp_reader *reader, const char *file, double scale,
                              const rp_memory_mesh *memory, rp_mesh **mesh, rp_report *inner)
{
    if (memory)
        return rp_mesh_read_memory(memory->name, memory->text, memory->size, scale, mesh, inner);
    if (strncmp(file, RP_MEMORY_PREFIX, strlen(RP_MEMORY_PREFIX)) == 0)
        return rp_fail(inner, RP_ERROR_INPUT,
                       "no mesh of this name was added with rp_draft_add_mesh%s",
                       reader->memory ? "" : ", which only drafts have");
    return rp_mesh_read(file, scale, mesh, inner);
}

/* Reports the faults of a file at the key that names it. */
static void report_faults(rp_reader *reader, const rp_node *named, const char *what, rp_code code,
                          const rp_report *inner)
{
    if (code == RP_ERROR_MEMORY)
        rp_tree_no_memory(reader->tree, 0);
    else if (code != RP_OK && rp_report_count(inner) == 0)
        rp_node_fail(reader->tree, named, NULL, "cannot use this %s: %s", what, rp_code_text(code));
    for (int i = 0; code != RP_ERROR_MEMORY && i < rp_report_count(inner); i++) {
        const rp_fault *fault = rp_report_fault(inner, i);
        char line[32] = "";
        if (fault->line > 0) snprintf(line, sizeof line, "line %d: ", fault->line);
        rp_node_fail(reader->tree, named, NULL, "cannot use this %s: %s%s", what, line,
                     fault->message);
    }
}

static rp_scene_mesh *find_mesh(const rp_reader *reader, const char *file, double scale)
{
    rp_scene_mesh *m = *reader->meshes;
    while (m && (m->scale != scale || strcmp(m->file, file) != 0))
        m = m->next;
    return m;
}

/* Returns NULL, with the fault reported, when it cannot be read. */
static rp_scene_mesh *read_mesh(rp_reader *reader, const rp_node *named, const char *file,
                                double scale)
{
    rp_scene_mesh *m = rp_read_allocate(reader, sizeof *m);
    rp_report *inner = rp_report_create();
    rp_mesh *mesh = NULL;
    const rp_memory_mesh *memory = rp_memory_mesh_find(reader->memory, file);
    rp_code code = m ? read_mesh_data(reader, file, scale, memory, &mesh, inner) : RP_OK;
    report_faults(reader, named, "mesh", code, inner);
    rp_report_destroy(inner);
    if (!m || code != RP_OK) {
        rp_mesh_destroy(mesh);
        return NULL;
    }
    char *stored_name =
        memory ? stored_name_of_memory(reader, memory) : stored_name_of(reader, named, file);
    *m = (rp_scene_mesh){file, stored_name, scale, mesh, *reader->meshes};
    *reader->meshes = m;
    return m;
}

static void warn_of_size(const rp_scene_mesh *m)
{
    double length;
    if (rp_mesh_seems_in_mm(m->mesh, &length))
        rp_log(RP_LOG_WARNING, "%s: the mesh is %.4g m long; is it in mm? try `scale: 0.001`",
               m->file, length);
}

static void build_mesh(rp_reader *reader, const rp_node *entry, rp_shape_spec *spec,
                       rp_shape *shape)
{
    double scale = spec->scale > 0 ? spec->scale : 1;
    rp_scene_mesh *m = find_mesh(reader, spec->file, scale);
    if (!m) {
        m = read_mesh(reader, rp_node_find(entry, "file"), spec->file, scale);
        if (m && !(spec->scale > 0)) warn_of_size(m);
    }
    if (!m) return;
    shape->mesh = m->mesh;
    spec->stored_name = m->stored_name;
}

static void build_shape(rp_reader *reader, const rp_node *entry, rp_shape_spec *spec,
                        rp_shape *shape)
{
    *shape = (rp_shape){.kind = (rp_shape_kind)spec->kind,
                        .size = spec->size,
                        .radius = spec->radius,
                        .height = spec->height,
                        .neck = spec->neck,
                        .thickness = spec->thickness};
    if (shape->kind == RP_SHAPE_MESH) build_mesh(reader, entry, spec, shape);
}

static void build_body_pose(const rp_node *entry, rp_body_spec *body)
{
    body->pose = pose_of(body->position, body->rotation);
    if (rp_v3_length(body->normal) > 0) {
        body->normal = rp_v3_normalized(body->normal);
        body->pose.orientation = rp_quat_between(rp_v3(0, 0, 1), body->normal);
    }
    const rp_key_spec *first = body->keys.items;
    body->keys_move = rp_body_keys_have(entry, "position");
    body->keys_turn = rp_body_keys_have(entry, "rotation");
    if (body->keys_move) body->pose.position = first->position;
    if (body->keys_turn) body->pose.orientation = rp_quat_from_euler(first->rotation);
}

/* Transforms the keys of an animation to the world: position and rotation of the body place the
 * file's frame. */
static void set_animation(rp_reader *reader, rp_body_spec *body, const rp_animation_key *keys,
                          int count)
{
    double scale = body->shape_spec.scale > 0 ? body->shape_spec.scale : 1;
    rp_animation_key *own = rp_read_allocate(reader, (size_t)count * sizeof *own);
    if (!own) return;
    for (int i = 0; i < count; i++) {
        rp_vec3 position = rp_v3_scale(keys[i].position, scale);
        own[i].time = keys[i].time;
        own[i].position = rp_pose_to_world(body->pose, position);
        own[i].orientation = rp_quat_mul(body->pose.orientation, keys[i].orientation);
    }
    body->animation = (rp_plain_list){.items = own, .count = count};
    body->pose = (rp_pose){own[0].position, own[0].orientation};
}

static void build_animation(rp_reader *reader, const rp_node *entry, rp_body_spec *body)
{
    const rp_node *named = rp_node_find(entry, "animation");
    if (!named || !body->animation_file) return;
    rp_report *inner = rp_report_create();
    rp_animation_key *keys;
    int count;
    rp_code code = rp_gltf_animation_read(body->animation_file, body->node, &keys, &count, inner);
    if (code == RP_OK) set_animation(reader, body, keys, count);
    if (code == RP_OK)
        body->animation_stored_name = stored_name_of(reader, named, body->animation_file);
    report_faults(reader, named, "animation", code, inner);
    rp_gltf_animation_release(keys, count);
    rp_report_destroy(inner);
}

static void build_clump(rp_reader *reader, const rp_node *entry, rp_grain_spec *grain)
{
    rp_ball balls[RP_CLUMP_MAX];
    const rp_ball_spec *given = grain->spheres.items;
    int count;
    rp_clump_shape(grain->shape, balls, &count);
    for (int i = 0; i < grain->spheres.count; i++)
        balls[count++] = (rp_ball){given[i].position, given[i].radius};
    rp_report *inner = rp_report_create();
    rp_code code = rp_clump_make(balls, count, &grain->clump, inner);
    const rp_node *named = rp_node_find(entry, "spheres");
    report_faults(reader, named ? named : entry, "grain", code, inner);
    rp_report_destroy(inner);
}

static void build_grains(rp_reader *reader, rp_scene *scene)
{
    rp_grain_spec *grains = scene->grains.items;
    const rp_node *section = rp_node_find(reader->root, "grains");
    const rp_node *entry = section ? section->first : NULL;
    double room = (1 - scene->particles.jitter) * scene->particles.spacing;
    for (int i = 0; i < scene->grains.count && entry; i++, entry = entry->next) {
        if (!rp_node_has(entry, "material")) grains[i].material = -1;
        build_clump(reader, entry, &grains[i]);
        rp_grain_set_sizes(&grains[i], room);
    }
}

/* Sets what contacts do not give. */
static void build_contacts(rp_reader *reader, rp_scene *scene)
{
    rp_contact_spec *contacts = scene->contacts.items;
    const rp_node *section = rp_node_find(reader->root, "contacts");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->contacts.count && entry; i++, entry = entry->next) {
        if (!rp_node_has(entry, "friction")) contacts[i].friction = NAN;
        if (!rp_node_has(entry, "restitution")) contacts[i].restitution = NAN;
        if (!rp_node_has(entry, "rolling_friction")) contacts[i].rolling_friction = NAN;
    }
}

/* Sets what joints do not give. */
static void build_joints(rp_reader *reader, rp_scene *scene)
{
    rp_joint_spec *joints = scene->joints.items;
    const rp_node *section = rp_node_find(reader->root, "joints");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->joints.count && entry; i++, entry = entry->next) {
        rp_joint_spec *joint = &joints[i];
        bool hinge = joint->kind == RP_JOINT_HINGE;
        if (!rp_node_has(entry, "other")) joint->other = -1;
        if (!rp_node_has(entry, "axis")) joint->axis = rp_v3(0, 0, 1);
        if (!rp_node_has(entry, hinge ? "low_angle" : "low")) joint->low = -INFINITY;
        if (!rp_node_has(entry, hinge ? "high_angle" : "high")) joint->high = INFINITY;
        joint->axis = rp_v3_normalized(joint->axis);
    }
}

/* The regions of `moisture:`. */
static void build_regions(rp_reader *reader, rp_scene *scene)
{
    rp_moisture_spec *regions = scene->moisture.items;
    const rp_node *section = rp_node_find(reader->root, "moisture");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->moisture.count && entry; i++, entry = entry->next) {
        regions[i].everywhere = !rp_node_has(entry, "shape");
        regions[i].pose = pose_of(regions[i].position, regions[i].rotation);
        if (!regions[i].everywhere)
            build_shape(reader, entry, &regions[i].shape_spec, &regions[i].shape);
    }
}

static void build_voids(rp_reader *reader, rp_scene *scene)
{
    rp_void_spec *voids = scene->voids.items;
    const rp_node *section = rp_node_find(reader->root, "voids");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->voids.count && entry; i++, entry = entry->next) {
        voids[i].pose = pose_of(voids[i].position, voids[i].rotation);
        build_shape(reader, entry, &voids[i].shape_spec, &voids[i].shape);
    }
}

/* Sets what the keys of cameras do not give. */
static void build_cameras(rp_reader *reader, rp_scene *scene)
{
    const rp_camera_spec *cameras = scene->cameras.items;
    const rp_node *section = rp_node_find(reader->root, "cameras");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->cameras.count && entry; i++, entry = entry->next) {
        rp_camera_key_spec *keys = cameras[i].keys.items;
        const rp_node *list = rp_node_find(entry, "keys"), *key = list ? list->first : NULL;
        for (int k = 0; k < cameras[i].keys.count && key; k++, key = key->next) {
            if (!rp_node_has(key, "target")) keys[k].target = cameras[i].target;
            if (!rp_node_has(key, "field_of_view"))
                keys[k].field_of_view = cameras[i].field_of_view;
        }
    }
}

void rp_scene_build(rp_reader *reader, rp_scene *scene)
{
    rp_source_spec *sources = scene->sources.items;
    rp_emitter_spec *emitters = scene->emitters.items;
    rp_body_spec *bodies = scene->bodies.items;
    const rp_node *section = rp_node_find(reader->root, "sources");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->sources.count && entry; i++, entry = entry->next) {
        sources[i].pose = pose_of(sources[i].position, sources[i].rotation);
        build_shape(reader, entry, &sources[i].shape_spec, &sources[i].shape);
    }
    section = rp_node_find(reader->root, "bodies");
    entry = section ? section->first : NULL;
    for (int i = 0; i < scene->bodies.count && entry; i++, entry = entry->next) {
        build_body_pose(entry, &bodies[i]);
        build_shape(reader, entry, &bodies[i].shape_spec, &bodies[i].shape);
        build_animation(reader, entry, &bodies[i]);
    }
    build_grains(reader, scene);
    build_contacts(reader, scene);
    build_joints(reader, scene);
    build_regions(reader, scene);
    build_voids(reader, scene);
    build_cameras(reader, scene);
    for (int i = 0; i < scene->emitters.count; i++)
        emitters[i].direction = rp_v3_normalized(emitters[i].direction);
    scene->light.direction = rp_v3_normalized(scene->light.direction);
}

static void rename_file(const rp_node *entry, const char *key, const char *stored_name)
{
    rp_node *named = rp_node_find(entry, key);
    if (named && stored_name) named->text = stored_name;
}

void rp_scene_make_portable(rp_reader *reader, const rp_scene *scene)
{
    static const char *const sections[] = {"sources", "bodies", "moisture", "voids"};
    int shape = 0; /* in the order of the sections */
    for (int s = 0; s < 4; s++) {
        const rp_node *section = rp_node_find(reader->root, sections[s]);
        const rp_node *entry = section ? section->first : NULL;
        for (; entry; entry = entry->next)
            rename_file(entry, "file", rp_scene_shape_at(scene, shape++)->stored_name);
    }
    const rp_node *section = rp_node_find(reader->root, "bodies");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->bodies.count && entry; i++, entry = entry->next)
        rename_file(entry, "animation", rp_scene_bodies(scene)[i].animation_stored_name);
}
