/* What a scene holds, for the public interface: plain numbers from the specs. */
#include "base/report.h"
#include "repose/scene_info.h"
#include "scene/scene.h"

#include <string.h>

/* Whether a list of specs has an entry at that place. */
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

/* A word of "a|b|c" as a text that lives for ever. */
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

rp_sight rp_camera_sight(const rp_camera_spec *camera, double time)
{
    if (!camera->keys.count)
        return (rp_sight){camera->position, camera->target, camera->up, camera->field_of_view};
    rp_keyframes keys = {camera->keys.items, camera->keys.count, sizeof(rp_camera_key_spec),
                         offsetof(rp_camera_key_spec, time),
                         (rp_interpolation)camera->interpolation};
    return (rp_sight){rp_keyframes_vec3(&keys, offsetof(rp_camera_key_spec, position), time),
                      rp_keyframes_vec3(&keys, offsetof(rp_camera_key_spec, target), time),
                      camera->up,
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
    rp_sight sight = rp_camera_sight(spec, time);
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
