/* What a scene holds, for the public interface. */
#include "repose/scene_info.h"
#include "base/report.h"
#include "scene/scene.h"

#include <string.h>

/* True when a list of specs has that index. */
#define HAS_ENTRY(scene, list, place) ((scene) && (place) >= 0 && (place) < (scene)->list.count)

static void put(double to[3], rp_vec3 from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static void put_quat(double to[4], rp_quat from)
{
    to[0] = from.w;
    to[1] = from.x;
    to[2] = from.y;
    to[3] = from.z;
}

/* Returns a word as a constant text. */
static const char *word_at(const char *const *words, int count, int place)
{
    return place >= 0 && place < count ? words[place] : "";
}

static const char *shape_word(rp_shape_kind kind)
{
    static const char *const words[] = {"plane",   "box",  "sphere", "cylinder",
                                        "capsule", "cone", "funnel", "mesh"};
    _Static_assert(sizeof words / sizeof *words == RP_SHAPE_MESH + 1, "as in RP_SHAPE_WORDS");
    return word_at(words, RP_SHAPE_MESH + 1, (int)kind);
}

static const char *motion_word(int motion)
{
    static const char *const words[] = {"fixed", "keys", "dynamic"};
    _Static_assert(sizeof words / sizeof *words == RP_MOTION_DYNAMIC + 1, "as in RP_MOTION_WORDS");
    return word_at(words, RP_MOTION_DYNAMIC + 1, motion);
}

int rp_scene_body_count(const rp_scene *scene)
{
    return scene ? scene->bodies.count : 0;
}

rp_body_info rp_scene_body_info(const rp_scene *scene, int body)
{
    rp_body_info info = {0};
    if (!HAS_ENTRY(scene, bodies, body)) return info;
    const rp_body_spec *spec = &rp_scene_bodies(scene)[body];
    rp_box3 bounds = rp_shape_bounds(&spec->shape);
    info = (rp_body_info){.name = spec->name,
                          .motion = motion_word(spec->motion),
                          .shape = shape_word(spec->shape.kind),
                          .density = spec->density,
                          .mass = spec->mass,
                          .friction = spec->friction,
                          .restitution = spec->restitution,
                          .hidden = spec->hidden};
    put(info.position, spec->pose.position);
    put_quat(info.orientation, spec->pose.orientation);
    put(info.low, bounds.low);
    put(info.high, bounds.high);
    memcpy(info.colour, spec->colour, sizeof info.colour);
    return info;
}

int rp_scene_material_count(const rp_scene *scene)
{
    return scene ? scene->materials.count : 0;
}

rp_material_info rp_scene_material_info(const rp_scene *scene, int material)
{
    rp_material_info info = {0};
    if (!HAS_ENTRY(scene, materials, material)) return info;
    const rp_material_spec *spec = &rp_scene_materials(scene)[material];
    info = (rp_material_info){.name = spec->name, .density = spec->density, .angle = spec->angle};
    memcpy(info.colour, spec->colour, sizeof info.colour);
    return info;
}

rp_camera_view rp_camera_view_at(const rp_camera_spec *camera, double time)
{
    if (!camera->keys.count)
        return (rp_camera_view){camera->position, camera->target, camera->up,
                                camera->field_of_view};
    rp_keyframes keys = {camera->keys.items, camera->keys.count, sizeof(rp_camera_key_spec),
                         offsetof(rp_camera_key_spec, time),
                         (rp_interpolation)camera->interpolation};
    return (rp_camera_view){
        rp_keyframes_vec3(&keys, offsetof(rp_camera_key_spec, position), time),
        rp_keyframes_vec3(&keys, offsetof(rp_camera_key_spec, target), time), camera->up,
        rp_keyframes_value(&keys, offsetof(rp_camera_key_spec, field_of_view), time)};
}

int rp_scene_camera_count(const rp_scene *scene)
{
    return scene ? scene->cameras.count : 0;
}

rp_camera_info rp_scene_camera_info(const rp_scene *scene, int camera, double time)
{
    rp_camera_info info = {0};
    if (!HAS_ENTRY(scene, cameras, camera)) return info;
    RP_ENTER();
    const rp_camera_spec *spec = &rp_scene_cameras(scene)[camera];
    rp_camera_view sight = rp_camera_view_at(spec, time);
    rp_quat turn = rp_quat_from_axis(rp_v3_normalized(sight.up), spec->orbit * time);
    rp_vec3 arm = rp_quat_rotate(turn, rp_v3_sub(sight.position, sight.target));
    info = (rp_camera_info){.name = spec->name, .field_of_view = sight.field_of_view};
    put(info.position, rp_v3_add(sight.target, arm));
    put(info.target, sight.target);
    put(info.up, sight.up);
    return info;
}

rp_domain_info rp_scene_domain(const rp_scene *scene)
{
    rp_domain_info info = {0};
    if (!scene) return info;
    RP_ENTER();
    info.spacing = scene->particles.spacing;
    put(info.low, scene->domain.low);
    put(info.high, scene->domain.high);
    put(info.gravity, rp_scene_gravity(scene, 0));
    for (int i = 0; i < 3; i++)
        info.periodic[i] = scene->domain.periodic >> i & 1;
    for (int i = 0; i < RP_SIDES; i++)
        info.open[i] = scene->domain.open >> i & 1;
    return info;
}

int rp_scene_source_count(const rp_scene *scene)
{
    return scene ? scene->sources.count : 0;
}

rp_source_info rp_scene_source_info(const rp_scene *scene, int source)
{
    rp_source_info info = {0};
    if (!HAS_ENTRY(scene, sources, source)) return info;
    const rp_source_spec *spec = &rp_scene_sources(scene)[source];
    rp_box3 bounds = rp_shape_bounds(&spec->shape);
    info = (rp_source_info){.name = spec->name, .material = spec->material, .at = spec->at};
    put(info.low, bounds.low);
    put(info.high, bounds.high);
    put(info.position, spec->pose.position);
    put_quat(info.orientation, spec->pose.orientation);
    return info;
}

int rp_scene_emitter_count(const rp_scene *scene)
{
    return scene ? scene->emitters.count : 0;
}

rp_emitter_info rp_scene_emitter_info(const rp_scene *scene, int emitter)
{
    rp_emitter_info info = {0};
    if (!HAS_ENTRY(scene, emitters, emitter)) return info;
    const rp_emitter_spec *spec = &rp_scene_emitters(scene)[emitter];
    bool disc = spec->nozzle == RP_NOZZLE_DISC;
    info = (rp_emitter_info){.name = spec->name,
                             .material = spec->material,
                             .radius = disc ? spec->radius : 0,
                             .width = disc ? 0 : spec->width,
                             .height = disc ? 0 : spec->height,
                             .speed = spec->speed,
                             .start = spec->start,
                             .stop = spec->stop};
    put(info.position, spec->position);
    put(info.direction, spec->direction);
    return info;
}

rp_light_info rp_scene_light(const rp_scene *scene)
{
    rp_light_info info = {0};
    if (!scene) return info;
    info.strength = scene->light.strength;
    info.sky = scene->light.sky;
    put(info.direction, scene->light.direction);
    memcpy(info.colour, scene->light.colour, sizeof info.colour);
    return info;
}

int rp_scene_lamp_count(const rp_scene *scene)
{
    return scene ? scene->lamps.count : 0;
}

rp_lamp_info rp_scene_lamp_info(const rp_scene *scene, int lamp)
{
    rp_lamp_info info = {0};
    if (!HAS_ENTRY(scene, lamps, lamp)) return info;
    const rp_lamp_spec *spec = &rp_scene_lamps(scene)[lamp];
    info = (rp_lamp_info){.name = spec->name, .radius = spec->radius, .strength = spec->strength};
    put(info.position, spec->position);
    memcpy(info.colour, spec->colour, sizeof info.colour);
    return info;
}

rp_detail_info rp_scene_detail(const rp_scene *scene)
{
    if (!scene) return (rp_detail_info){0};
    return (rp_detail_info){.factor = scene->detail.factor, .live = scene->detail.live};
}

int64_t rp_scene_frame_every(const rp_scene *scene)
{
    return scene ? scene->output.frame_every : 0;
}

/* --- shapes as triangles ---------------------------------------------------------------------- */

#define CREASE_COS 0.766 /* faces at an angle above 40 degrees have a crease between them */
#define SEGMENTS_MAX 1024

/* The arrays behind an rp_triangles, and their sizes. */
typedef struct surface {
    rp_triangles shown; /* first member, so that a pointer to one is a pointer to the other */
    float *positions, *normals;
    uint32_t *indices;
    size_t position_capacity, normal_capacity, index_bytes;
} surface;

/* A mesh with the triangles around each vertex. */
typedef struct mesh_around {
    const rp_mesh *mesh;
    rp_vec3 *normals;  /* of each triangle, as long as twice its area */
    uint32_t *starts;  /* of each vertex, in `corners`; one more behind the last */
    uint32_t *corners; /* 3 triangle + corner, by vertex */
} mesh_around;

static void find_normals(mesh_around *a)
{
    for (size_t t = 0; t < a->mesh->triangle_count; t++) {
        rp_vec3 c[3];
        rp_mesh_corners(a->mesh, t, c);
        a->normals[t] = rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0]));
    }
}

/* Sorts all corners by their vertex (counting sort). */
static void sort_corners(mesh_around *a)
{
    const uint32_t *vertices = &a->mesh->triangles[0][0];
    size_t count = 3 * a->mesh->triangle_count;
    for (size_t i = 0; i < count; i++)
        a->starts[vertices[i] + 1]++;
    for (size_t v = 0; v < a->mesh->vertex_count; v++)
        a->starts[v + 1] += a->starts[v];
    for (size_t i = count; i-- > 0;)
        a->corners[--a->starts[vertices[i] + 1]] = (uint32_t)i;
    /* Each start has moved to that of the vertex before it: shift them back. */
    memmove(a->starts, a->starts + 1, a->mesh->vertex_count * sizeof *a->starts);
    a->starts[a->mesh->vertex_count] = (uint32_t)count;
}

/* Returns the normal of a corner: the area-weighted sum over the faces around its vertex that have
 * no crease towards its own face. */
static rp_vec3 corner_normal(const mesh_around *a, uint32_t vertex, uint32_t corner)
{
    rp_vec3 own = rp_v3_normalized(a->normals[corner / 3]), sum = {0, 0, 0};
    for (uint32_t i = a->starts[vertex]; i < a->starts[vertex + 1]; i++) {
        rp_vec3 other = a->normals[a->corners[i] / 3];
        if (rp_v3_dot(own, rp_v3_normalized(other)) >= CREASE_COS) sum = rp_v3_add(sum, other);
    }
    rp_vec3 normal = rp_v3_normalized(sum);
    return rp_v3_length(normal) > 0 ? normal : own;
}

static bool add_vertex(surface *s, rp_vec3 at, const float normal[3])
{
    size_t used = 3 * s->shown.vertex_count;
    if (!rp_reserve((void **)&s->positions, &s->position_capacity, used, used + 3, sizeof(float)) ||
        !rp_reserve((void **)&s->normals, &s->normal_capacity, used, used + 3, sizeof(float)))
        return false;
    const float place[3] = {(float)at.x, (float)at.y, (float)at.z};
    memcpy(s->positions + used, place, sizeof place);
    memcpy(s->normals + used, normal, sizeof place);
    s->shown.vertex_count++;
    return true;
}

/* Adds the vertices that one vertex of the mesh becomes: one for each different normal. */
static bool add_corners(surface *s, const mesh_around *a, uint32_t vertex)
{
    size_t first = s->shown.vertex_count;
    for (uint32_t i = a->starts[vertex]; i < a->starts[vertex + 1]; i++) {
        rp_vec3 n = corner_normal(a, vertex, a->corners[i]);
        const float normal[3] = {(float)n.x, (float)n.y, (float)n.z};
        size_t same = first;
        while (same < s->shown.vertex_count &&
               memcmp(s->normals + 3 * same, normal, sizeof normal) != 0)
            same++;
        if (same == s->shown.vertex_count && !add_vertex(s, a->mesh->vertices[vertex], normal))
            return false;
        s->indices[a->corners[i]] = (uint32_t)same;
    }
    return true;
}

static bool fill(surface *s, mesh_around *a)
{
    s->shown.triangle_count = a->mesh->triangle_count;
    find_normals(a);
    sort_corners(a);
    for (size_t v = 0; v < a->mesh->vertex_count; v++)
        if (!add_corners(s, a, (uint32_t)v)) return false;
    s->shown.positions = s->positions;
    s->shown.normals = s->normals;
    s->shown.indices = s->indices;
    return true;
}

static rp_code make(const rp_mesh *mesh, rp_triangles **out, rp_report *report)
{
    size_t normal_bytes = mesh->triangle_count * sizeof(rp_vec3);
    size_t start_bytes = (mesh->vertex_count + 1) * sizeof(uint32_t);
    size_t index_bytes = 3 * mesh->triangle_count * sizeof(uint32_t);
    surface *s = rp_allocate_zero(sizeof *s);
    mesh_around a = {.mesh = mesh,
                     .normals = rp_allocate(normal_bytes),
                     .starts = rp_allocate_zero(start_bytes),
                     .corners = rp_allocate(index_bytes)};
    if (s) s->indices = rp_allocate(index_bytes);
    if (s) s->index_bytes = index_bytes;
    bool made = s && s->indices && a.normals && a.starts && a.corners && fill(s, &a);
    rp_release(a.normals, normal_bytes);
    rp_release(a.starts, start_bytes);
    rp_release(a.corners, index_bytes);
    if (made) {
        *out = &s->shown;
        return RP_OK;
    }
    rp_triangles_destroy(s ? &s->shown : NULL);
    return rp_fail_memory(report, index_bytes + normal_bytes, "the triangles of a body");
}

rp_code rp_scene_body_triangles(const rp_scene *scene, int body, int segments, double plane_size,
                                rp_triangles **out, rp_report *report)
{
    RP_NEED(scene, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    if (body < 0 || body >= scene->bodies.count)
        return rp_fail(report, RP_ERROR_INPUT, "there is no body %d; the scene has %d", body,
                       scene->bodies.count);
    if (segments < 3 || segments > SEGMENTS_MAX || !(plane_size > 0))
        return rp_fail(report, RP_ERROR_INPUT,
                       "round parts of %d pieces, planes of %g m: 3 to %d, and more than 0, are "
                       "allowed",
                       segments, plane_size, SEGMENTS_MAX);
    rp_mesh *mesh = NULL;
    RP_TRY(rp_shape_tessellate(&rp_scene_bodies(scene)[body].shape, segments, plane_size, &mesh,
                               report));
    rp_code code = make(mesh, out, report);
    rp_mesh_destroy(mesh);
    return code;
}

void rp_triangles_destroy(rp_triangles *triangles)
{
    if (!triangles) return;
    surface *s = (surface *)triangles;
    rp_release(s->positions, s->position_capacity * sizeof *s->positions);
    rp_release(s->normals, s->normal_capacity * sizeof *s->normals);
    rp_release(s->indices, s->index_bytes);
    rp_release(s, sizeof *s);
}
