/* What follows from the values of a sound scene: poses, unit vectors, shapes and meshes. */
#include "base/hash.h"
#include "scene/read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PIECE ((size_t)1 << 20)
#define ENDING_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static rp_pose pose_of(rp_vec3 position, rp_vec3 rotation)
{
    return (rp_pose){position, rp_quat_euler(rotation)};
}

/* A hash of a file's content; false when it cannot be read. */
static bool hash_file(const char *path, uint64_t *hash)
{
    FILE *file = fopen(path, "rb");
    char *piece = rp_allocate(PIECE);
    *hash = 0;
    for (size_t size; file && piece && (size = fread(piece, 1, PIECE, file)) > 0;)
        *hash = rp_hash(piece, size, *hash);
    bool whole = file && piece && !ferror(file);
    if (file) fclose(file);
    rp_release(piece, PIECE);
    return whole;
}

/* The name under which a run keeps a mesh: its content, and the ending that tells its format. */
static void name_mesh(rp_reader *reader, const rp_node *named, rp_shape_spec *spec)
{
    uint64_t hash;
    const char *slash = strrchr(spec->file, '/'), *dot = strrchr(slash ? slash : spec->file, '.');
    bool plain = dot && strlen(dot) <= 8 && strspn(dot + 1, ENDING_LETTERS) == strlen(dot + 1);
    spec->kept = rp_read_take(reader, 64);
    if (!spec->kept) return;
    if (hash_file(spec->file, &hash))
        snprintf(spec->kept, 64, "meshes/%016" PRIx64 "%s", hash, plain ? dot : "");
    else
        rp_node_fail(reader->tree, named, NULL, "cannot read '%s': %s", spec->file,
                     strerror(errno));
}

/* Reads a mesh; what is wrong with it is told at the place that names it. */
static void make_mesh(rp_reader *reader, const rp_node *entry, rp_shape_spec *spec, rp_shape *shape)
{
    const rp_node *named = rp_node_find(entry, "file");
    struct stat info;
    if (stat(spec->file, &info) != 0) {
        rp_node_fail(reader->tree, named, NULL, "cannot open '%s': %s", spec->file,
                     strerror(errno));
        return;
    }
    if (!S_ISREG(info.st_mode)) {
        rp_node_fail(reader->tree, named, NULL, "'%s' is not a file", spec->file);
        return;
    }
    rp_report *inner = rp_report_create();
    rp_mesh *mesh = NULL;
    rp_code code = rp_mesh_read(spec->file, spec->scale > 0 ? spec->scale : 1, &mesh, inner);
    shape->mesh = mesh;
    if (code == RP_OK) name_mesh(reader, named, spec);
    if (code == RP_ERROR_MEMORY)
        rp_tree_no_memory(reader->tree, (size_t)info.st_size);
    else if (code != RP_OK && rp_report_count(inner) == 0)
        rp_node_fail(reader->tree, named, NULL, "cannot use this mesh: %s", rp_code_text(code));
    for (int i = 0; code != RP_ERROR_MEMORY && i < rp_report_count(inner); i++) {
        const rp_fault *fault = rp_report_fault(inner, i);
        char line[32] = "";
        if (fault->line > 0) snprintf(line, sizeof line, "line %d: ", fault->line);
        rp_node_fail(reader->tree, named, NULL, "cannot use this mesh: %s%s", line, fault->message);
    }
    rp_report_destroy(inner);
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

static void make_body_pose(rp_body_spec *body)
{
    body->pose = pose_of(body->position, body->rotation);
    if (rp_v3_length(body->normal) > 0) {
        body->normal = rp_v3_normal(body->normal);
        body->pose.orientation = rp_quat_between(rp_v3(0, 0, 1), body->normal);
    }
    if (body->motion != RP_MOTION_KEYS) return;
    const rp_key_spec *first = body->keys.items;
    body->pose = pose_of(first->position, first->rotation);
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
        make_body_pose(&bodies[i]);
        make_shape(reader, entry, &bodies[i].shape_spec, &bodies[i].shape);
    }
    make_regions(reader, scene);
    for (int i = 0; i < scene->emitters.count; i++)
        emitters[i].direction = rp_v3_normal(emitters[i].direction);
    scene->light.direction = rp_v3_normal(scene->light.direction);
}

static void rename_mesh(const rp_node *entry, const rp_shape_spec *spec)
{
    rp_node *named = rp_node_find(entry, "file");
    if (named && spec->kept) named->text = spec->kept;
}

void rp_make_portable(rp_reader *reader, const rp_scene *scene)
{
    static const char *const sections[] = {"sources", "bodies", "moisture"};
    int shape = 0; /* in the order of the sections */
    for (int s = 0; s < 3; s++) {
        const rp_node *section = rp_node_find(reader->root, sections[s]);
        const rp_node *entry = section ? section->first : NULL;
        for (; entry; entry = entry->next)
            rename_mesh(entry, rp_scene_shape_at(scene, shape++));
    }
}
