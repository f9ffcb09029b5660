/* Checks of values that must fit each other in sources, voids, emitters, moisture regions, bodies
 * and joints. The first part says which keys each kind needs and allows. */
#include "document/words.h"
#include "scene/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEYS_BYTES 256    /* for a list of keys in a message */
#define LENGTH_LEAST 1e-6 /* m: grains are single-precision numbers */

/* --- fixed grains ---------------------------------------------------------------------------- */

void rp_check_roughness(rp_tree *tree, const rp_node *map, const rp_roughness *roughness)
{
    const rp_node *own = rp_node_find(map, "roughness");
    double radius = roughness->radius, period = roughness->period;
    if (!own || own->kind != RP_NODE_MAP) return;
    if (radius > 0 && radius < LENGTH_LEAST)
        rp_fail_key(tree, own, "radius", "%g m is too small; fixed grains have at least %g m",
                    radius, LENGTH_LEAST);
    if (period > 0 && !rp_node_has(own, "radius"))
        rp_fail_key(tree, own, "radius",
                    "a period is given, so say how large the fixed grains are");
    if (period > 0 && period < radius / 2)
        rp_fail_key(
            tree, own, "period",
            "fixed grains of a radius of %g m that are %g m apart are one in the other; make "
            "it %g m at least",
            radius, period, radius / 2);
}

/* --- shapes and nozzles ----------------------------------------------------------------------- */

typedef struct needs {
    const char *required, *optional; /* keys, as words */
} needs;

static const char shape_keys[] = "size|radius|height|neck|thickness|file|scale";
static const needs shape_needs[] = {
    [RP_SHAPE_PLANE] = {"", ""},
    [RP_SHAPE_BOX] = {"size", ""},
    [RP_SHAPE_SPHERE] = {"radius", ""},
    [RP_SHAPE_CYLINDER] = {"radius|height", ""},
    [RP_SHAPE_CAPSULE] = {"radius|height", ""},
    [RP_SHAPE_CONE] = {"radius|height", ""},
    [RP_SHAPE_FUNNEL] = {"radius|height|neck|thickness", ""},
    [RP_SHAPE_MESH] = {"file", "scale"},
};
static const char nozzle_keys[] = "radius|width|height";
static const needs nozzle_needs[] = {
    [RP_NOZZLE_DISC] = {"radius", ""},
    [RP_NOZZLE_RECTANGLE] = {"width|height", ""},
};

/* Of `keys`, those that are required must be given, and those without a meaning must not. */
static void check_needs(rp_tree *tree, const rp_node *map, const char *what, const char *keys,
                        const needs *wants)
{
    char key[64], wanted[KEYS_BYTES], known[KEYS_BYTES], all[KEYS_BYTES];
    const char *both = wants->required[0] && wants->optional[0] ? "|" : "";
    snprintf(all, sizeof all, "%s%s%s", wants->required, both, wants->optional);
    rp_words_list(wants->required, wanted, sizeof wanted);
    rp_words_list(all, known, sizeof known);
    for (int i = 0; i < rp_words_count(keys); i++) {
        rp_words_at(keys, i, key, sizeof key);
        bool given = rp_node_has(map, key);
        bool required = rp_words_find(wants->required, key) >= 0;
        bool allowed = required || rp_words_find(wants->optional, key) >= 0;
        if (required && !given)
            rp_node_fail(tree, map, key, "a %s needs %s; %s is not given", what, wanted, key);
        if (given && !allowed && known[0])
            rp_fail_key(tree, map, key, "%s means nothing for a %s, which has %s", key, what,
                        known);
        if (given && !allowed && !known[0])
            rp_fail_key(tree, map, key, "%s means nothing for a %s", key, what);
    }
}

static void check_shape(rp_tree *tree, const rp_node *map, const rp_shape_spec *shape)
{
    char word[64];
    rp_words_at(RP_SHAPE_WORDS, shape->kind, word, sizeof word);
    check_needs(tree, map, word, shape_keys, &shape_needs[shape->kind]);
    if (shape->kind == RP_SHAPE_FUNNEL && shape->neck > shape->radius)
        rp_fail_key(tree, map, "neck", "the neck (%g m) is wider than the radius (%g m) above it",
                    shape->neck, shape->radius);
}

void rp_check_source(rp_tree *tree, const rp_node *map, const rp_source_spec *source)
{
    if (source->shape_spec.kind == RP_SHAPE_PLANE)
        rp_fail_key(tree, map, "shape",
                    "a source must have an inside to fill; a plane is for bodies");
    else
        check_shape(tree, map, &source->shape_spec);
}

void rp_check_void(rp_tree *tree, const rp_node *map, const rp_void_spec *hole)
{
    check_shape(tree, map, &hole->shape_spec);
}

void rp_check_emitter(rp_tree *tree, const rp_node *map, const rp_emitter_spec *emitter)
{
    char word[64];
    rp_words_at(RP_NOZZLE_WORDS, emitter->nozzle, word, sizeof word);
    check_needs(tree, map, word, nozzle_keys, &nozzle_needs[emitter->nozzle]);
    if (rp_v3_is_zero(emitter->direction))
        rp_fail_key(tree, map, "direction", "the direction must not be zero");
    if (!(emitter->stop > emitter->start))
        rp_fail_key(tree, map, "stop", "stop (%g s) must come after start (%g s)", emitter->stop,
                    emitter->start);
}

void rp_check_moisture(rp_tree *tree, const rp_node *map, const rp_moisture_spec *region)
{
    static const needs nothing = {"", ""};
    if (rp_node_has(map, "shape"))
        check_shape(tree, map, &region->shape_spec);
    else {
        check_needs(tree, map, "region without a shape", shape_keys, &nothing);
        if (!rp_v3_is_zero(region->position))
            rp_fail_key(tree, map, "position",
                        "a region without a shape is everywhere; give a shape");
        if (!rp_v3_is_zero(region->rotation))
            rp_fail_key(tree, map, "rotation",
                        "a region without a shape is everywhere; give a shape");
    }
}

/* --- bodies ----------------------------------------------------------------------------------- */

bool rp_body_keys_have(const rp_node *body, const char *what)
{
    const rp_node *list = rp_node_find(body, "keys"), *key = list ? list->first : NULL;
    while (key && !rp_node_has(key, what))
        key = key->next;
    return key;
}

static void check_key_list(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    const rp_node *list = rp_node_find(map, "keys"), *entry = list ? list->first : NULL;
    const rp_key_spec *keys = body->keys.items;
    bool turn = rp_body_keys_have(map, "rotation"),
         move = rp_body_keys_have(map, "position") || !turn;
    for (int i = 0; i < body->keys.count && entry; i++, entry = entry->next) {
        if (move && !rp_node_has(entry, "position"))
            rp_node_fail(tree, entry, "position",
                         "must be given: where it is; or by no key, where they only turn it");
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            rp_fail_key(tree, entry, "time", "times must rise: %g s comes after %g s", keys[i].time,
                        keys[i - 1].time);
    }
}

static void check_keys(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    const rp_node *list = rp_node_find(map, "keys");
    bool animated = rp_node_has(map, "animation");
    bool even = rp_node_has(map, "velocity") || rp_node_has(map, "spin");
    bool lost = body->motion == RP_MOTION_KEYS && !body->keys.count && !animated && !even;
    if (lost)
        rp_node_fail(tree, list ? list : map, list ? NULL : "keys",
                     "a body moved by keys needs at least one, or an animation, a velocity or a "
                     "spin");
    if (body->motion != RP_MOTION_KEYS && list)
        rp_node_fail(tree, list, NULL, "keys are given, so say `motion: keys`, or leave them out");
    if (body->interpolation != RP_INTERPOLATION_SMOOTH && animated)
        rp_fail_key(tree, map, "interpolation", "an animation is linear; this is for keys");
    else if (body->interpolation != RP_INTERPOLATION_SMOOTH && !body->keys.count && !lost)
        rp_fail_key(tree, map, "interpolation", "there are no keys that it could be between");
    check_key_list(tree, map, body);
}

/* A pose is given once: by the body's own values, or by its keys. */
static void check_pose(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool moved = rp_body_keys_have(map, "position"), turned = rp_body_keys_have(map, "rotation");
    if (moved && !rp_v3_is_zero(body->position))
        rp_fail_key(tree, map, "position", "its keys say where it is; leave this out, or theirs");
    if (turned && !rp_v3_is_zero(body->rotation))
        rp_fail_key(tree, map, "rotation",
                    "its keys say how it is turned; leave this out, or theirs");
    if (turned && !rp_v3_is_zero(body->normal))
        rp_fail_key(tree, map, "normal",
                    "its keys say how it is turned; leave this out, or theirs");
}

/* Checks `key`, which is velocity or spin; `verb` says what it makes the body do, `pose` what keys
 * would give instead. */
static void check_rate(rp_tree *tree, const rp_node *map, const rp_body_spec *body, const char *key,
                       const char *verb, const char *pose)
{
    if (body->motion == RP_MOTION_FIXED)
        rp_fail_key(tree, map, key,
                    "a fixed body does not %s; say `motion: keys` for one that does so for ever, "
                    "`motion: dynamic` for one that starts so, or give a belt, the velocity of its "
                    "surface",
                    verb);
    if (body->motion != RP_MOTION_KEYS) return;
    if (rp_node_has(map, "animation"))
        rp_fail_key(tree, map, key, "the animation says how it %ss; leave one of them out", verb);
    else if (rp_body_keys_have(map, pose))
        rp_fail_key(tree, map, key, "its keys give a %s; leave this out, or theirs", pose);
}

static void check_motion(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    check_pose(tree, map, body);
    if (!rp_v3_is_zero(body->velocity)) check_rate(tree, map, body, "velocity", "move", "position");
    if (!rp_v3_is_zero(body->spin)) check_rate(tree, map, body, "spin", "turn", "rotation");
    if (!rp_v3_is_zero(body->belt) && body->motion == RP_MOTION_DYNAMIC)
        rp_fail_key(tree, map, "belt",
                    "the surface of a dynamic body moves with it; say `motion: fixed` or `keys`");
}

static void check_animation(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool animated = rp_node_has(map, "animation");
    if (animated && rp_node_has(map, "keys"))
        rp_fail_key(tree, map, "animation", "a body follows keys or an animation, not both");
    if (animated && body->motion != RP_MOTION_KEYS)
        rp_fail_key(tree, map, "animation",
                    "an animation is given, so say `motion: keys`, or leave it out");
    if (animated && rp_node_has(map, "normal"))
        rp_fail_key(tree, map, "normal", "with an animation a plane is turned by rotation alone");
    if (!animated && rp_node_has(map, "node"))
        rp_fail_key(tree, map, "node", "node is one of an animation's, which is not given");
}

static void check_plane(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool plane = body->shape_spec.kind == RP_SHAPE_PLANE, normal = rp_node_has(map, "normal");
    if (normal && !plane) rp_fail_key(tree, map, "normal", "only a plane has a normal");
    if (normal && plane && rp_v3_is_zero(body->normal))
        rp_fail_key(tree, map, "normal", "the normal must not be zero");
    if (normal && plane && rp_node_has(map, "rotation"))
        rp_fail_key(tree, map, "rotation",
                    "a plane is turned by normal or by rotation, not by both");
    if (plane && body->motion == RP_MOTION_DYNAMIC)
        rp_fail_key(tree, map, "motion", "a plane has no end, so it cannot be dynamic");
}

static void check_mass(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool density = rp_node_has(map, "density"), mass = rp_node_has(map, "mass");
    if (density && mass)
        rp_fail_key(tree, map, "mass", "a body has a density or a mass, not both; leave one out");
    if (body->motion != RP_MOTION_DYNAMIC && (density || mass))
        rp_fail_key(
            tree, map, density ? "density" : "mass",
            "only forces would ask for it, and none moves this body; say `motion: dynamic`, "
            "or leave it out");
    if (body->motion == RP_MOTION_DYNAMIC && !density && !mass)
        rp_node_fail(tree, map, "density",
                     "a dynamic body needs a density, such as 2500 kg/m3, or a mass, such as 2 kg");
}

/* Fixed grains move with their body and not with a belt. Those of a plane would be arbitrarily far
 * from its axis of rotation. */
static void check_rough_body(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool turns =
        rp_body_keys_have(map, "rotation") || !rp_v3_is_zero(body->spin) || body->animation_file;
    rp_check_roughness(tree, map, &body->roughness);
    if (!(body->roughness.radius > 0)) return;
    if (!rp_v3_is_zero(body->belt))
        rp_fail_key(tree, map, "roughness",
                    "fixed grains would not run with the belt; leave one of them out");
    if (body->shape_spec.kind == RP_SHAPE_PLANE && turns)
        rp_fail_key(
            tree, map, "roughness",
            "a rough plane cannot turn, since it has no end; take a box in its place, or turn "
            "gravity by gravity_keys");
}

void rp_check_body(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    check_shape(tree, map, &body->shape_spec);
    check_plane(tree, map, body);
    check_keys(tree, map, body);
    check_animation(tree, map, body);
    check_motion(tree, map, body);
    check_mass(tree, map, body);
    check_rough_body(tree, map, body);
}

/* --- joints ----------------------------------------------------------------------------------- */

static const char joint_keys[] = "anchor|axis|low_angle|high_angle|low|high|motor_spin|"
                                 "motor_torque|motor_speed|motor_force";
static const needs joint_needs[] = {
    [RP_JOINT_FIXED] = {"", ""},
    [RP_JOINT_BALL] = {"anchor", ""},
    [RP_JOINT_HINGE] = {"anchor", "axis|low_angle|high_angle|motor_spin|motor_torque"},
    [RP_JOINT_SLIDER] = {"", "axis|low|high|motor_speed|motor_force"},
};

/* The keys of a kind of joint that moves. */
typedef struct joint_words {
    const char *low, *high, *speed, *force, *unit;
    double scale; /* from the unit to SI */
} joint_words;

static const joint_words hinge_words = {"low_angle",    "high_angle", "motor_spin",
                                        "motor_torque", "deg",        RP_PI / 180};
static const joint_words slider_words = {"low", "high", "motor_speed", "motor_force", "m", 1};

static void check_joint_motion(rp_tree *tree, const rp_node *map, const rp_joint_spec *joint)
{
    const joint_words *words = joint->kind == RP_JOINT_HINGE ? &hinge_words : &slider_words;
    if (rp_node_has(map, "axis") && rp_v3_is_zero(joint->axis))
        rp_fail_key(tree, map, "axis", "the axis must not be zero");
    if (rp_node_has(map, words->low) && rp_node_has(map, words->high) && joint->low > joint->high)
        rp_fail_key(tree, map, words->low, "%s (%g %s) is above %s (%g %s)", words->low,
                    joint->low / words->scale, words->unit, words->high, joint->high / words->scale,
                    words->unit);
    if (rp_node_has(map, words->speed) && !rp_node_has(map, words->force))
        rp_node_fail(tree, map, words->force, "%s is given, so say what the motor may use: %s",
                     words->speed, words->force);
}

/* Checks the bodies that a joint holds; `bodies` is their section. */
static void check_joint_bodies(rp_tree *tree, const rp_node *map, const rp_joint_spec *joint,
                               const rp_node *bodies, const rp_scene *scene)
{
    const rp_node *body_node = rp_node_find(map, "body"), *other_node = rp_node_find(map, "other");
    const rp_body_spec *body = &rp_scene_bodies(scene)[joint->body];
    if (!other_node) {
        if (!rp_node_find(bodies, body->name)->bad && body->motion != RP_MOTION_DYNAMIC)
            rp_node_fail(tree, body_node, NULL,
                         "'%s' is not dynamic, so nothing needs to hold it to the world; say "
                         "`motion: dynamic` there, or name another body",
                         body->name);
        return;
    }
    const rp_body_spec *other = &rp_scene_bodies(scene)[joint->other];
    bool sound = !rp_node_find(bodies, body->name)->bad && !rp_node_find(bodies, other->name)->bad;
    if (body == other)
        rp_node_fail(tree, other_node, NULL,
                     "'%s' cannot be joined to itself; name another body, or leave other out for "
                     "the world",
                     body->name);
    else if (sound && body->motion != RP_MOTION_DYNAMIC && other->motion != RP_MOTION_DYNAMIC)
        rp_node_fail(tree, body_node, NULL,
                     "neither '%s' nor '%s' is dynamic, so neither could move; say `motion: "
                     "dynamic` for one of them",
                     body->name, other->name);
}

static void check_joint(rp_tree *tree, const rp_node *map, const rp_joint_spec *joint,
                        const rp_node *bodies, const rp_scene *scene)
{
    char word[64], what[80];
    rp_words_at(RP_JOINT_WORDS, joint->kind, word, sizeof word);
    snprintf(what, sizeof what, "%s joint", word);
    check_needs(tree, map, what, joint_keys, &joint_needs[joint->kind]);
    if (joint->kind == RP_JOINT_HINGE || joint->kind == RP_JOINT_SLIDER)
        check_joint_motion(tree, map, joint);
    check_joint_bodies(tree, map, joint, bodies, scene);
}

void rp_check_joints(rp_tree *tree, const rp_node *root, const rp_scene *scene)
{
    const rp_node *section = rp_node_find(root, "joints"), *bodies = rp_node_find(root, "bodies");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->joints.count && entry; i++, entry = entry->next)
        if (!entry->bad) check_joint(tree, entry, &rp_scene_joints(scene)[i], bodies, scene);
}
