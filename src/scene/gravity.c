/* Gravity that changes with time, for beds that are tilted: (W8) of docs/theory/world.md. Turning
 * gravity instead of the bed keeps bodies at rest and the friction on them plain. */
#include "math/elementary.h"
#include "scene/scene.h"

/* Sine of the angle below which two vectors that point apart count as opposite, rad. */
#define OPPOSITE 1e-6

static const rp_gravity_key_spec *keys_of(const rp_scene *scene)
{
    return scene->gravity_keys.items;
}

bool rp_gravity_is_opposite(rp_vec3 a, rp_vec3 b)
{
    a = rp_v3_normalized(a);
    b = rp_v3_normalized(b);
    return rp_v3_dot(a, b) < 0 && rp_v3_length(rp_v3_cross(a, b)) < OPPOSITE;
}

/* From the unit vector `a` the share `s` of the angle towards the unit vector `b`. */
static rp_vec3 turned(rp_vec3 a, rp_vec3 b, double s)
{
    rp_vec3 axis = rp_v3_cross(a, b);
    double angle = s * rp_atan2(rp_v3_length(axis), rp_v3_dot(a, b));
    rp_vec3 across =
        rp_v3_normalized(rp_v3_cross(axis, a)); /* zero where there is nothing to turn */
    return rp_v3_madd(rp_v3_scale(a, rp_cos(angle)), rp_sin(angle), across);
}

static rp_vec3 between(const rp_gravity_key_spec *from, const rp_gravity_key_spec *to, double time)
{
    double s = (time - from->time) / (to->time - from->time);
    double before = rp_v3_length(from->gravity), after = rp_v3_length(to->gravity);
    rp_vec3 a = rp_v3_normalized(from->gravity), b = rp_v3_normalized(to->gravity);
    if (!(before > 0)) a = b;
    if (!(after > 0)) b = a;
    return rp_v3_scale(turned(a, b, s), before + s * (after - before));
}

rp_vec3 rp_scene_gravity(const rp_scene *scene, double time)
{
    const rp_gravity_key_spec *keys = keys_of(scene);
    int count = scene->gravity_keys.count, i = 0;
    if (!count) return scene->gravity;
    while (i < count - 1 && time >= keys[i + 1].time)
        i++;
    /* The keys' own values where they hold, not what rounding makes of them. */
    if (i == count - 1 || time <= keys[i].time) return keys[i].gravity;
    return between(&keys[i], &keys[i + 1], time);
}

double rp_scene_gravity_max(const rp_scene *scene)
{
    if (!scene->gravity_keys.count) return rp_v3_length(scene->gravity);
    double most = 0; /* lengths change linearly, so the longest is at a key */
    for (int i = 0; i < scene->gravity_keys.count; i++)
        most = fmax(most, rp_v3_length(keys_of(scene)[i].gravity));
    return most;
}

rp_vec3 rp_gravity_at(const rp_gravity *gravity, double time)
{
    return gravity->is_set ? gravity->value : rp_scene_gravity(gravity->scene, time);
}

double rp_gravity_max(const rp_gravity *gravity)
{
    return gravity->is_set ? rp_v3_length(gravity->value) : rp_scene_gravity_max(gravity->scene);
}
