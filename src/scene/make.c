/* What follows from the values of a sound scene: poses, unit vectors, shapes, meshes, animations
 * and kinds of grains. */
#include "base/file.h"
#include "base/random.h"
#include "base/report.h"
#include "scene/read.h"

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

/* A hash of a file's content. 0 or an error number. */
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

/* The name under which a run keeps a file: its content, and the ending that tells its format. NULL,
 * with the fault told, when it cannot be read. */
static char *name_kept(rp_reader *reader, const rp_node *named, const char *file)
{
    uint64_t hash;
    const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
    bool plain = dot && strlen(dot) <= 8 && strspn(dot + 1, ENDING_LETTERS) == strlen(dot + 1);
    char *kept = rp_read_take(reader, 64);
    if (!kept) return NULL;
    int error = hash_file(file, &hash);
    if (!error) {
        snprintf(kept, 64, "meshes/%016" PRIx64 "%s", hash, plain ? dot : "");
        return kept;
    }
    rp_node_fail(reader->tree, named, NULL, "cannot read '%s': %s", file, strerror(error));
    return NULL;
}

/* The same for a mesh that came with the draft. */
static char *name_memory(rp_reader *reader, const rp_memory_mesh *memory)
{
    char *kept = rp_read_take(reader, 64);
    uint64_t hash = 0; /* piece by piece, as that of the file that a run makes of it */
    for (size_t at = 0; at < memory->size; at += PIECE)
        hash =
            rp_hash(memory->text + at, memory->size - at < PIECE ? memory->size - at : PIECE, hash);
    if (kept) snprintf(kept, 64, "meshes/%016" PRIx64 ".obj", hash);
    return kept;
}

const rp_memory_mesh *rp_memory_mesh_find(const rp_memory_mesh *meshes, const char *file)
{
    while (meshes && strcmp(meshes->name, file) != 0)
        meshes = meshes->next;
    return meshes;
}

/* From memory or from the file, and the name that a run keeps it under. */
static rp_code fetch_mesh(rp_reader *reader, const char *file, double scale,
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

/* Tells at the place that names the file what is wrong with it. */
static void tell_faults(rp_reader *reader, const rp_node *named, const char *what, rp_code code,
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

/* NULL, with the fault noted, when it cannot be read. */
static rp_scene_mesh *read_mesh(rp_reader *reader, const rp_node *named, const char *file,
                                double scale)
{
    rp_scene_mesh *m = rp_read_take(reader, sizeof *m);
    rp_report *inner = rp_report_create();
    rp_mesh *mesh = NULL;
    const rp_memory_mesh *memory = rp_memory_mesh_find(reader->memory, file);
    rp_code code = m ? fetch_mesh(reader, file, scale, memory, &mesh, inner) : RP_OK;
    tell_faults(reader, named, "mesh", code, inner);
    rp_report_destroy(inner);
    if (!m || code != RP_OK) {
        rp_mesh_destroy(mesh);
        return NULL;
    }
    char *kept = memory ? name_memory(reader, memory) : name_kept(reader, named, file);
    *m = (rp_scene_mesh){file, kept, scale, mesh, *reader->meshes};
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

static void make_mesh(rp_reader *reader, const rp_node *entry, rp_shape_spec *spec, rp_shape *shape)
{
    double scale = spec->scale > 0 ? spec->scale : 1;
    rp_scene_mesh *m = find_mesh(reader, spec->file, scale);
    if (!m) {
        m = read_mesh(reader, rp_node_find(entry, "file"), spec->file, scale);
        if (m && !(spec->scale > 0)) warn_of_size(m);
    }
    if (!m) return;
    shape->mesh = m->mesh;
    spec->kept = m->kept;
}

static void make_shape(rp_reader *reader, const rp_node *entry, rp_shape_spec *spec,
                       rp_shape *shape)
{
    *shape = (rp_shape){.kind = (rp_shape_kind)spec->kind,
                        .size = spec->size,
                        .radius = spec->radius,
                        .height = spec->height,
                        .neck = spec->neck,
                        .thickness = spec->thickness};
    if (shape->kind == RP_SHAPE_MESH) make_mesh(reader, entry, spec, shape);
}

static void make_body_pose(const rp_node *entry, rp_body_spec *body)
{
    body->pose = pose_of(body->position, body->rotation);
    if (rp_v3_length(body->normal) > 0) {
        body->normal = rp_v3_normalized(body->normal);
        body->pose.orientation = rp_quat_between(rp_v3(0, 0, 1), body->normal);
    }
    const rp_key_spec *first = body->keys.items;
    body->keys_move = rp_keys_give(entry, "position");
    body->keys_turn = rp_keys_give(entry, "rotation");
    if (body->keys_move) body->pose.position = first->position;
    if (body->keys_turn) body->pose.orientation = rp_quat_from_euler(first->rotation);
}

/* Puts the keys of an animation into the world: its file's frame stands where the body's position
 * and rotation say. */
static void take_animation(rp_reader *reader, rp_body_spec *body, const rp_animation_key *keys,
                           int count)
{
    double scale = body->shape_spec.scale > 0 ? body->shape_spec.scale : 1;
    rp_animation_key *own = rp_read_take(reader, (size_t)count * sizeof *own);
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

static void make_animation(rp_reader *reader, const rp_node *entry, rp_body_spec *body)
{
    const rp_node *named = rp_node_find(entry, "animation");
    if (!named || !body->animation_file) return;
    rp_report *inner = rp_report_create();
    rp_animation_key *keys;
    int count;
    rp_code code = rp_gltf_animation_read(body->animation_file, body->node, &keys, &count, inner);
    if (code == RP_OK) take_animation(reader, body, keys, count);
    if (code == RP_OK) body->animation_kept = name_kept(reader, named, body->animation_file);
    tell_faults(reader, named, "animation", code, inner);
    rp_gltf_animation_release(keys, count);
    rp_report_destroy(inner);
}

static void make_clump(rp_reader *reader, const rp_node *entry, rp_grain_spec *grain)
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
    tell_faults(reader, named ? named : entry, "grain", code, inner);
    rp_report_destroy(inner);
}

static void make_grains(rp_reader *reader, rp_scene *scene)
{
    rp_grain_spec *grains = scene->grains.items;
    const rp_node *section = rp_node_find(reader->root, "grains");
    const rp_node *entry = section ? section->first : NULL;
    double room = (1 - scene->particles.jitter) * scene->particles.spacing;
    for (int i = 0; i < scene->grains.count && entry; i++, entry = entry->next) {
        if (!rp_is_given(entry, "material")) grains[i].material = -1;
        make_clump(reader, entry, &grains[i]);
        rp_grain_measure(&grains[i], room);
    }
}

/* What contacts do not say. */
static void make_contacts(rp_reader *reader, rp_scene *scene)
{
    rp_contact_spec *contacts = scene->contacts.items;
    const rp_node *section = rp_node_find(reader->root, "contacts");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->contacts.count && entry; i++, entry = entry->next) {
        if (!rp_is_given(entry, "friction")) contacts[i].friction = NAN;
        if (!rp_is_given(entry, "restitution")) contacts[i].restitution = NAN;
        if (!rp_is_given(entry, "rolling_friction")) contacts[i].rolling_friction = NAN;
    }
}

/* What a joint does not say. */
static void make_joints(rp_reader *reader, rp_scene *scene)
{
    rp_joint_spec *joints = scene->joints.items;
    const rp_node *section = rp_node_find(reader->root, "joints");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->joints.count && entry; i++, entry = entry->next) {
        rp_joint_spec *joint = &joints[i];
        bool hinge = joint->kind == RP_JOINT_HINGE;
        if (!rp_is_given(entry, "other")) joint->other = -1;
        if (!rp_is_given(entry, "axis")) joint->axis = rp_v3(0, 0, 1);
        if (!rp_is_given(entry, hinge ? "low_angle" : "low")) joint->low = -INFINITY;
        if (!rp_is_given(entry, hinge ? "high_angle" : "high")) joint->high = INFINITY;
        joint->axis = rp_v3_normalized(joint->axis);
    }
}

/* The regions of `moisture:`. */
static void make_regions(rp_reader *reader, rp_scene *scene)
{
    rp_moisture_spec *regions = scene->moisture.items;
    const rp_node *section = rp_node_find(reader->root, "moisture");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->moisture.count && entry; i++, entry = entry->next) {
        regions[i].everywhere = !rp_is_given(entry, "shape");
        regions[i].pose = pose_of(regions[i].position, regions[i].rotation);
        if (!regions[i].everywhere)
            make_shape(reader, entry, &regions[i].shape_spec, &regions[i].shape);
    }
}

static void make_voids(rp_reader *reader, rp_scene *scene)
{
    rp_void_spec *voids = scene->voids.items;
    const rp_node *section = rp_node_find(reader->root, "voids");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->voids.count && entry; i++, entry = entry->next) {
        voids[i].pose = pose_of(voids[i].position, voids[i].rotation);
        make_shape(reader, entry, &voids[i].shape_spec, &voids[i].shape);
    }
}

/* What the keys of cameras do not say. */
static void make_cameras(rp_reader *reader, rp_scene *scene)
{
    const rp_camera_spec *cameras = scene->cameras.items;
    const rp_node *section = rp_node_find(reader->root, "cameras");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->cameras.count && entry; i++, entry = entry->next) {
        rp_camera_key_spec *keys = cameras[i].keys.items;
        const rp_node *list = rp_node_find(entry, "keys"), *key = list ? list->first : NULL;
        for (int k = 0; k < cameras[i].keys.count && key; k++, key = key->next) {
            if (!rp_is_given(key, "target")) keys[k].target = cameras[i].target;
            if (!rp_is_given(key, "field_of_view"))
                keys[k].field_of_view = cameras[i].field_of_view;
        }
    }
}

void rp_make_scene(rp_reader *reader, rp_scene *scene)
{
    rp_source_spec *sources = scene->sources.items;
    rp_emitter_spec *emitters = scene->emitters.items;
    rp_body_spec *bodies = scene->bodies.items;
    const rp_node *section = rp_node_find(reader->root, "sources");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->sources.count && entry; i++, entry = entry->next) {
        sources[i].pose = pose_of(sources[i].position, sources[i].rotation);
        make_shape(reader, entry, &sources[i].shape_spec, &sources[i].shape);
    }
    section = rp_node_find(reader->root, "bodies");
    entry = section ? section->first : NULL;
    for (int i = 0; i < scene->bodies.count && entry; i++, entry = entry->next) {
        make_body_pose(entry, &bodies[i]);
        make_shape(reader, entry, &bodies[i].shape_spec, &bodies[i].shape);
        make_animation(reader, entry, &bodies[i]);
    }
    make_grains(reader, scene);
    make_contacts(reader, scene);
    make_joints(reader, scene);
    make_regions(reader, scene);
    make_voids(reader, scene);
    make_cameras(reader, scene);
    for (int i = 0; i < scene->emitters.count; i++)
        emitters[i].direction = rp_v3_normalized(emitters[i].direction);
    scene->light.direction = rp_v3_normalized(scene->light.direction);
}

static void rename_file(const rp_node *entry, const char *key, const char *kept)
{
    rp_node *named = rp_node_find(entry, key);
    if (named && kept) named->text = kept;
}

void rp_make_portable(rp_reader *reader, const rp_scene *scene)
{
    static const char *const sections[] = {"sources", "bodies", "moisture", "voids"};
    int shape = 0; /* in the order of the sections */
    for (int s = 0; s < 4; s++) {
        const rp_node *section = rp_node_find(reader->root, sections[s]);
        const rp_node *entry = section ? section->first : NULL;
        for (; entry; entry = entry->next)
            rename_file(entry, "file", rp_scene_shape_at(scene, shape++)->kept);
    }
    const rp_node *section = rp_node_find(reader->root, "bodies");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->bodies.count && entry; i++, entry = entry->next)
        rename_file(entry, "animation", rp_scene_bodies(scene)[i].animation_kept);
}
