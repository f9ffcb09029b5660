/* What a parameter table cannot say: values that must fit each other. Runs after reading, on the
 * same tree, so that faults have their places. A section with a value that was not understood is
 * left out: what it lacks would be reported twice. */
#include "scene/read.h"
#include "scene/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEYS_BYTES 256    /* for a list of keys in a message */
#define MATERIALS_MAX 255 /* a grain's material is one byte */
#define KINDS_MAX 255     /* so is its kind */
#define LENGTH_LEAST 1e-6 /* m: grains are single-precision numbers */

static const char *const axis_names[] = {"x", "y", "z"};

/* The fault stands at the value when it is there, at the section when not. */
#define fail_key(tree, map, name, ...)                                                             \
    do {                                                                                           \
        const rp_node *value_ = rp_node_find(map, name);                                           \
        (void)rp_node_fail(tree, value_ ? value_ : (map), value_ ? NULL : (name), __VA_ARGS__);    \
    } while (0)

static double component(rp_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static bool is_zero(rp_vec3 v)
{
    return !(rp_v3_length(v) > 0);
}

static void check_time(rp_tree *tree, const rp_node *map, const rp_time_spec *time)
{
    if (time->min_step > time->max_step)
        fail_key(tree, map, "min_step", "min_step (%g s) is longer than max_step (%g s)",
                 time->min_step, time->max_step);
}

/* Fixed grains; `map` is the body or the domain. */
static void check_roughness(rp_tree *tree, const rp_node *map, const rp_roughness *roughness)
{
    const rp_node *own = rp_node_find(map, "roughness");
    double radius = roughness->radius, period = roughness->period;
    if (!own || own->kind != RP_NODE_MAP) return;
    if (radius > 0 && radius < LENGTH_LEAST)
        fail_key(tree, own, "radius", "%g m is too small; fixed grains have at least %g m", radius,
                 LENGTH_LEAST);
    if (period > 0 && !rp_is_given(own, "radius"))
        fail_key(tree, own, "radius", "a period is given, so say how large the fixed grains are");
    if (period > 0 && period < radius / 2)
        fail_key(tree, own, "period",
                 "fixed grains of a radius of %g m that are %g m apart are one in the other; make "
                 "it %g m at least",
                 radius, period, radius / 2);
}

/* Named sides must be walls. */
static void check_rough_sides(rp_tree *tree, const rp_node *map, const rp_domain_spec *domain)
{
    const rp_node *own = rp_node_find(map, "roughness");
    rp_vec3 foot, inward;
    char word[32];
    check_roughness(tree, map, &domain->roughness.grains);
    if (!own || own->kind != RP_NODE_MAP || !(domain->roughness.grains.radius > 0)) return;
    for (int side = 0; side < RP_SIDES; side++) {
        bool named = domain->roughness.sides >> side & 1;
        if (!named || rp_scene_domain_wall(domain, side, &foot, &inward)) continue;
        rp_words_at(RP_SIDE_WORDS, side, word, sizeof word);
        fail_key(tree, own, "sides",
                 "there is no wall at the %s that could be rough: it is open, periodic or has no "
                 "bound",
                 word);
    }
}

static void check_side_friction(rp_tree *tree, const rp_node *map, const rp_domain_spec *domain)
{
    const rp_node *own = rp_node_find(map, "friction");
    rp_vec3 foot, inward;
    char word[32];
    for (int side = 0; side < RP_SIDES && own && own->kind == RP_NODE_MAP; side++) {
        rp_words_at(RP_SIDE_WORDS, side, word, sizeof word);
        if (rp_node_find(own, word) && !rp_scene_domain_wall(domain, side, &foot, &inward))
            fail_key(tree, own, word,
                     "there is no wall on this side that could rub: it is open, periodic or has no "
                     "bound; leave it out");
    }
}

static void check_domain(rp_tree *tree, const rp_node *map, const rp_domain_spec *domain)
{
    for (int axis = 0; axis < 3; axis++) {
        double low = component(domain->low, axis), high = component(domain->high, axis);
        const char *name = axis_names[axis];
        bool periodic = domain->periodic >> axis & 1;
        if (!(low < high))
            fail_key(tree, map, "low", "low (%g m) must be below high (%g m) along %s", low, high,
                     name);
        if (periodic && !(isfinite(low) && isfinite(high)))
            fail_key(tree, map, "periodic",
                     "%s is periodic, so low and high must be given along it", name);
        if (periodic && (domain->open >> (2 * axis) & 3))
            fail_key(tree, map, "open", "%s is periodic, so its sides cannot be open", name);
    }
    check_side_friction(tree, map, domain);
    check_rough_sides(tree, map, domain);
}

static void check_gravity_keys(rp_tree *tree, const rp_node *list, const rp_plain_list *all)
{
    const rp_gravity_key_spec *keys = all->items;
    const rp_node *entry = list->first;
    for (int i = 1; i < all->count && entry && entry->next; i++) {
        entry = entry->next;
        if (!(keys[i].time > keys[i - 1].time))
            fail_key(tree, entry, "time", "times must rise: %g s comes after %g s", keys[i].time,
                     keys[i - 1].time);
        if (rp_gravity_is_opposite(keys[i - 1].gravity, keys[i].gravity))
            fail_key(tree, entry, "gravity",
                     "it points just the other way than at the key before, so the way of turning "
                     "is not defined; add a key in between");
    }
}

/* --- kinds of grains -------------------------------------------------------------------------- */

static void check_spheres(rp_tree *tree, const rp_node *map, const rp_grain_spec *grain)
{
    bool given = rp_is_given(map, "spheres"), wanted = grain->shape == RP_GRAIN_SPHERES;
    if (wanted && !given)
        rp_node_fail(
            tree, map, "spheres",
            "a grain of the shape spheres needs a list of them, each with a position and a "
            "radius");
    else if (given && !wanted)
        fail_key(tree, map, "spheres",
                 "spheres are given, so say `shape: spheres`, or leave them out");
    else if (given && (grain->spheres.count < 1 || grain->spheres.count > RP_CLUMP_MAX))
        fail_key(tree, map, "spheres", "a grain is made of 1 to %d spheres, not of %d",
                 RP_CLUMP_MAX, grain->spheres.count);
}

static void check_sieve_curve(rp_tree *tree, const rp_node *list, const rp_grain_spec *grain)
{
    const rp_sieve_spec *sieves = grain->sieve.items;
    int last = grain->sieve.count - 1;
    if (last < 1) {
        rp_node_fail(tree, list, NULL, "a sieve curve needs two points at least");
        return;
    }
    const rp_node *entry = list->first;
    if (sieves[0].passing != 0)
        fail_key(tree, entry, "passing", "the curve starts where nothing passes: 0, not %g",
                 sieves[0].passing);
    for (int i = 1; i <= last; i++) {
        entry = entry->next;
        if (!(sieves[i].diameter > sieves[i - 1].diameter))
            fail_key(tree, entry, "diameter", "diameters must rise: %g m comes after %g m",
                     sieves[i].diameter, sieves[i - 1].diameter);
        if (sieves[i].passing < sieves[i - 1].passing)
            fail_key(tree, entry, "passing", "what passes must rise: %g comes after %g",
                     sieves[i].passing, sieves[i - 1].passing);
    }
    if (sieves[last].passing != 1)
        fail_key(tree, entry, "passing", "the curve ends where all passes: 1, not %g",
                 sieves[last].passing);
}

static void check_sieve(rp_tree *tree, const rp_node *map, const rp_grain_spec *grain)
{
    const rp_node *list = rp_node_find(map, "sieve");
    bool wanted = grain->sizes == RP_SIZES_SIEVE;
    static const char *const known[] = {"diameter", "spread"};
    if (wanted && !list)
        rp_node_fail(tree, map, "sieve",
                     "the sizes sieve need a list of points, each with a diameter and what passes");
    else if (list && !wanted)
        fail_key(tree, map, "sieve",
                 "a sieve curve is given, so say `sizes: sieve`, or leave it "
                 "out");
    else if (list)
        check_sieve_curve(tree, list, grain);
    for (int i = 0; i < 2; i++)
        if (wanted && rp_is_given(map, known[i]))
            fail_key(tree, map, known[i],
                     "the sieve curve says how large the grains are; leave %s "
                     "out",
                     known[i]);
}

static void check_grain(rp_tree *tree, const rp_node *map, const rp_grain_spec *grain)
{
    check_spheres(tree, map, grain);
    check_sieve(tree, map, grain);
    if (grain->sizes == RP_SIZES_UNIFORM && grain->spread >= 1)
        fail_key(tree, map, "spread",
                 "a spread of %g leaves nothing of the smallest grains; stay "
                 "below 1",
                 grain->spread);
    if (grain->sizes == RP_SIZES_NORMAL && grain->spread * RP_SIZES_CUT >= 1)
        fail_key(tree, map, "spread",
                 "sizes reach %g deviations down, so with a spread of %g nothing is left of the "
                 "smallest; stay below %g, or take lognormal",
                 RP_SIZES_CUT, grain->spread, 1 / RP_SIZES_CUT);
}

static void check_contact(rp_tree *tree, const rp_node *map, const rp_contact_spec *contacts, int i)
{
    const rp_contact_spec *c = &contacts[i];
    if (!rp_is_given(map, "friction") && !rp_is_given(map, "restitution") &&
        !rp_is_given(map, "rolling_friction"))
        rp_node_fail(tree, map, NULL,
                     "it gives no value: wanted is friction, restitution or rolling_friction");
    for (int k = 0; k < i; k++) {
        bool same = contacts[k].first == c->first && contacts[k].second == c->second;
        bool swapped = contacts[k].first == c->second && contacts[k].second == c->first;
        if (same || swapped)
            fail_key(tree, map, "first", "'%s' is for the same two materials; put them together",
                     contacts[k].name);
    }
}

static void check_contacts(rp_tree *tree, const rp_node *root, const rp_scene *scene)
{
    const rp_node *section = rp_node_find(root, "contacts");
    if (!section || section->bad) return;
    const rp_node *entry = section->first;
    for (int i = 0; i < scene->contacts.count && entry; i++, entry = entry->next)
        check_contact(tree, entry, rp_scene_contacts(scene), i);
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

/* Of `keys`, those needed must be given, those that mean nothing must not. */
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
        bool given = rp_is_given(map, key);
        bool required = rp_words_find(wants->required, key) >= 0;
        bool allowed = required || rp_words_find(wants->optional, key) >= 0;
        if (required && !given)
            rp_node_fail(tree, map, key, "a %s needs %s; %s is not given", what, wanted, key);
        if (given && !allowed && known[0])
            fail_key(tree, map, key, "%s means nothing for a %s, which has %s", key, what, known);
        if (given && !allowed && !known[0])
            fail_key(tree, map, key, "%s means nothing for a %s", key, what);
    }
}

static void check_shape(rp_tree *tree, const rp_node *map, const rp_shape_spec *shape)
{
    char word[64];
    rp_words_at(RP_SHAPE_WORDS, shape->kind, word, sizeof word);
    check_needs(tree, map, word, shape_keys, &shape_needs[shape->kind]);
    if (shape->kind == RP_SHAPE_FUNNEL && shape->neck > shape->radius)
        fail_key(tree, map, "neck", "the neck (%g m) is wider than the radius (%g m) above it",
                 shape->neck, shape->radius);
}

static void check_source(rp_tree *tree, const rp_node *map, const rp_source_spec *source)
{
    if (source->shape_spec.kind == RP_SHAPE_PLANE)
        fail_key(tree, map, "shape", "a source must have an inside to fill; a plane is for bodies");
    else
        check_shape(tree, map, &source->shape_spec);
}

static void check_void(rp_tree *tree, const rp_node *map, const rp_void_spec *hole)
{
    check_shape(tree, map, &hole->shape_spec);
}

static void check_emitter(rp_tree *tree, const rp_node *map, const rp_emitter_spec *emitter)
{
    char word[64];
    rp_words_at(RP_NOZZLE_WORDS, emitter->nozzle, word, sizeof word);
    check_needs(tree, map, word, nozzle_keys, &nozzle_needs[emitter->nozzle]);
    if (is_zero(emitter->direction))
        fail_key(tree, map, "direction", "the direction must not be zero");
    if (!(emitter->stop > emitter->start))
        fail_key(tree, map, "stop", "stop (%g s) must come after start (%g s)", emitter->stop,
                 emitter->start);
}

static void check_moisture(rp_tree *tree, const rp_node *map, const rp_moisture_spec *region)
{
    static const needs nothing = {"", ""};
    if (rp_is_given(map, "shape"))
        check_shape(tree, map, &region->shape_spec);
    else {
        check_needs(tree, map, "region without a shape", shape_keys, &nothing);
        if (!is_zero(region->position))
            fail_key(tree, map, "position", "a region without a shape is everywhere; give a shape");
        if (!is_zero(region->rotation))
            fail_key(tree, map, "rotation", "a region without a shape is everywhere; give a shape");
    }
}

/* --- bodies ----------------------------------------------------------------------------------- */

bool rp_keys_give(const rp_node *body, const char *what)
{
    const rp_node *list = rp_node_find(body, "keys"), *key = list ? list->first : NULL;
    while (key && !rp_is_given(key, what))
        key = key->next;
    return key;
}

static void check_key_list(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    const rp_node *list = rp_node_find(map, "keys"), *entry = list ? list->first : NULL;
    const rp_key_spec *keys = body->keys.items;
    bool turn = rp_keys_give(map, "rotation"), move = rp_keys_give(map, "position") || !turn;
    for (int i = 0; i < body->keys.count && entry; i++, entry = entry->next) {
        if (move && !rp_is_given(entry, "position"))
            rp_node_fail(tree, entry, "position",
                         "must be given: where it is; or by no key, where they only turn it");
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            fail_key(tree, entry, "time", "times must rise: %g s comes after %g s", keys[i].time,
                     keys[i - 1].time);
    }
}

static void check_keys(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    const rp_node *list = rp_node_find(map, "keys");
    bool animated = rp_is_given(map, "animation");
    bool even = rp_is_given(map, "velocity") || rp_is_given(map, "spin");
    bool lost = body->motion == RP_MOTION_KEYS && !body->keys.count && !animated && !even;
    if (lost)
        rp_node_fail(tree, list ? list : map, list ? NULL : "keys",
                     "a body moved by keys needs at least one, or an animation, a velocity or a "
                     "spin");
    if (body->motion != RP_MOTION_KEYS && list)
        rp_node_fail(tree, list, NULL, "keys are given, so say `motion: keys`, or leave them out");
    if (body->interpolation != RP_INTERPOLATION_SMOOTH && animated)
        fail_key(tree, map, "interpolation", "an animation is linear; this is for keys");
    else if (body->interpolation != RP_INTERPOLATION_SMOOTH && !body->keys.count && !lost)
        fail_key(tree, map, "interpolation", "there are no keys that it could be between");
    check_key_list(tree, map, body);
}

/* A pose has one origin: the body's own values, or its keys. */
static void check_pose(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool moved = rp_keys_give(map, "position"), turned = rp_keys_give(map, "rotation");
    if (moved && !is_zero(body->position))
        fail_key(tree, map, "position", "its keys say where it is; leave this out, or theirs");
    if (turned && !is_zero(body->rotation))
        fail_key(tree, map, "rotation", "its keys say how it is turned; leave this out, or theirs");
    if (turned && !is_zero(body->normal))
        fail_key(tree, map, "normal", "its keys say how it is turned; leave this out, or theirs");
}

/* What a body does by itself: `key` is velocity or spin, `verb` what that makes of it, `pose` what
 * keys would say instead. */
static void check_rate(rp_tree *tree, const rp_node *map, const rp_body_spec *body, const char *key,
                       const char *verb, const char *pose)
{
    if (body->motion == RP_MOTION_FIXED)
        fail_key(tree, map, key,
                 "a fixed body does not %s; say `motion: keys` for one that does so for ever, "
                 "`motion: dynamic` for one that starts so, or give a belt, the velocity of its "
                 "surface",
                 verb);
    if (body->motion != RP_MOTION_KEYS) return;
    if (rp_is_given(map, "animation"))
        fail_key(tree, map, key, "the animation says how it %ss; leave one of them out", verb);
    else if (rp_keys_give(map, pose))
        fail_key(tree, map, key, "its keys give a %s; leave this out, or theirs", pose);
}

static void check_motion(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    check_pose(tree, map, body);
    if (!is_zero(body->velocity)) check_rate(tree, map, body, "velocity", "move", "position");
    if (!is_zero(body->spin)) check_rate(tree, map, body, "spin", "turn", "rotation");
    if (!is_zero(body->belt) && body->motion == RP_MOTION_DYNAMIC)
        fail_key(tree, map, "belt",
                 "the surface of a dynamic body moves with it; say `motion: fixed` or `keys`");
}

static void check_animation(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool animated = rp_is_given(map, "animation");
    if (animated && rp_is_given(map, "keys"))
        fail_key(tree, map, "animation", "a body follows keys or an animation, not both");
    if (animated && body->motion != RP_MOTION_KEYS)
        fail_key(tree, map, "animation",
                 "an animation is given, so say `motion: keys`, or leave it out");
    if (animated && rp_is_given(map, "normal"))
        fail_key(tree, map, "normal", "with an animation a plane is turned by rotation alone");
    if (!animated && rp_is_given(map, "node"))
        fail_key(tree, map, "node", "node is one of an animation's, which is not given");
}

static void check_plane(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool plane = body->shape_spec.kind == RP_SHAPE_PLANE, normal = rp_is_given(map, "normal");
    if (normal && !plane) fail_key(tree, map, "normal", "only a plane has a normal");
    if (normal && plane && is_zero(body->normal))
        fail_key(tree, map, "normal", "the normal must not be zero");
    if (normal && plane && rp_is_given(map, "rotation"))
        fail_key(tree, map, "rotation", "a plane is turned by normal or by rotation, not by both");
    if (plane && body->motion == RP_MOTION_DYNAMIC)
        fail_key(tree, map, "motion", "a plane has no end, so it cannot be dynamic");
}

static void check_mass(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool density = rp_is_given(map, "density"), mass = rp_is_given(map, "mass");
    if (density && mass)
        fail_key(tree, map, "mass", "a body has a density or a mass, not both; leave one out");
    if (body->motion != RP_MOTION_DYNAMIC && (density || mass))
        fail_key(tree, map, density ? "density" : "mass",
                 "only forces would ask for it, and none moves this body; say `motion: dynamic`, "
                 "or leave it out");
    if (body->motion == RP_MOTION_DYNAMIC && !density && !mass)
        rp_node_fail(tree, map, "density",
                     "a dynamic body needs a density, such as 2500 kg/m3, or a mass, such as 2 kg");
}

/* Fixed grains go with the body, and are not carried along by a belt; those of a plane are as far
 * from where it turns as one likes. */
static void check_rough_body(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
{
    bool turns = rp_keys_give(map, "rotation") || !is_zero(body->spin) || body->animation_file;
    check_roughness(tree, map, &body->roughness);
    if (!(body->roughness.radius > 0)) return;
    if (!is_zero(body->belt))
        fail_key(tree, map, "roughness",
                 "fixed grains would not run with the belt; leave one of them out");
    if (body->shape_spec.kind == RP_SHAPE_PLANE && turns)
        fail_key(tree, map, "roughness",
                 "a rough plane cannot turn, since it has no end; take a box in its place, or turn "
                 "gravity by gravity_keys");
}

static void check_body(rp_tree *tree, const rp_node *map, const rp_body_spec *body)
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

/* What a kind may move, in the words of its keys. */
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
    if (rp_is_given(map, "axis") && is_zero(joint->axis))
        fail_key(tree, map, "axis", "the axis must not be zero");
    if (rp_is_given(map, words->low) && rp_is_given(map, words->high) && joint->low > joint->high)
        fail_key(tree, map, words->low, "%s (%g %s) is above %s (%g %s)", words->low,
                 joint->low / words->scale, words->unit, words->high, joint->high / words->scale,
                 words->unit);
    if (rp_is_given(map, words->speed) && !rp_is_given(map, words->force))
        rp_node_fail(tree, map, words->force, "%s is given, so say what the motor may use: %s",
                     words->speed, words->force);
}

/* Which bodies a joint holds; `bodies` is their section. */
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
                     "neither '%s' nor '%s' is dynamic, so nothing could give way; say `motion: "
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

static void check_joints(rp_tree *tree, const rp_node *root, const rp_scene *scene)
{
    const rp_node *section = rp_node_find(root, "joints"), *bodies = rp_node_find(root, "bodies");
    const rp_node *entry = section ? section->first : NULL;
    for (int i = 0; i < scene->joints.count && entry; i++, entry = entry->next)
        if (!entry->bad) check_joint(tree, entry, &rp_scene_joints(scene)[i], bodies, scene);
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Of a place that a camera stands at and one that it looks at, given in `map`. */
static void check_sight(rp_tree *tree, const rp_node *map, rp_vec3 position, rp_vec3 target,
                        rp_vec3 up)
{
    rp_vec3 view = rp_v3_sub(target, position);
    /* A key has no up, and a target only where it gives one. */
    const char *there = rp_is_given(map, "target") ? "target" : "position";
    const char *above = rp_is_given(map, "up") ? "up" : "position";
    if (is_zero(view))
        fail_key(tree, map, there, "the camera stands where it looks at");
    else if (rp_v3_length(rp_v3_cross(rp_v3_normalized(view), rp_v3_normalized(up))) < 1e-6)
        fail_key(tree, map, above,
                 "up lies along the view; choose another up for the camera, such as [0, 1, 0]");
}

static void check_camera_keys(rp_tree *tree, const rp_node *map, const rp_camera_spec *camera)
{
    const rp_camera_key_spec *keys = camera->keys.items;
    const rp_node *list = rp_node_find(map, "keys"), *entry = list ? list->first : NULL;
    bool target_used = false;
    if (rp_is_given(map, "position"))
        fail_key(tree, map, "position", "its keys say where it stands; leave one of them out");
    for (int i = 0; i < camera->keys.count && entry; i++, entry = entry->next) {
        target_used |= !rp_is_given(entry, "target");
        rp_vec3 target = rp_is_given(entry, "target") ? keys[i].target : camera->target;
        check_sight(tree, entry, keys[i].position, target, camera->up);
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            fail_key(tree, entry, "time", "times must rise: %g s comes after %g s", keys[i].time,
                     keys[i - 1].time);
    }
    if (!target_used && !is_zero(camera->target))
        fail_key(tree, map, "target", "all of its keys give one; leave this out, or theirs");
}

static void check_camera(rp_tree *tree, const rp_node *map, const rp_camera_spec *camera)
{
    if (camera->interpolation != RP_INTERPOLATION_SMOOTH && !camera->keys.count)
        fail_key(tree, map, "interpolation", "there are no keys that it could be between");
    if (camera->focus > 0 && !(camera->aperture > 0))
        fail_key(tree, map, "focus",
                 "without an aperture all is sharp; give one, such as 2 cm, or leave this out");
    if (is_zero(camera->up))
        fail_key(tree, map, "up", "up must not be zero");
    else if (camera->keys.count)
        check_camera_keys(tree, map, camera);
    else if (!rp_is_given(map, "position"))
        rp_node_fail(tree, map, "position",
                     "must be given: where it stands; or keys, that say where it goes");
    else
        check_sight(tree, map, camera->position, camera->target, camera->up);
}

static void check_light(rp_tree *tree, const rp_node *map, const rp_light_spec *light)
{
    if (is_zero(light->direction))
        fail_key(tree, map, "direction", "the direction must not be zero");
}

/* --- all -------------------------------------------------------------------------------------- */

static const rp_node *sound_section(const rp_node *root, const char *key)
{
    const rp_node *map = rp_node_find(root, key);
    return map && map->kind == RP_NODE_MAP && !map->bad ? map : NULL;
}

/* Calls CHECK for each entry of a named section whose values are understood. */
#define check_entries(tree, root, key, list, type, check)                                          \
    do {                                                                                           \
        const rp_node *section_ = rp_node_find(root, key);                                         \
        const type *items_ = (list).items;                                                         \
        const rp_node *entry_ = section_ ? section_->first : NULL;                                 \
        for (int i_ = 0; i_ < (list).count && entry_; i_++, entry_ = entry_->next)                 \
            if (!entry_->bad) check(tree, entry_, &items_[i_]);                                    \
    } while (0)

/* What the method's own table of a section says about values that must fit each other. */
static void check_own_entry(rp_reader *reader, const char *section, const rp_node *map,
                            const void *entry, const void *values)
{
    const rp_param_table *table = rp_scene_method_table(reader->chosen, section);
    if (!table || !table->check || !values || map->bad) return;
    rp_param_fault fault = table->check(entry, values);
    if (fault.key) fail_key(reader->tree, map, fault.key, "%s", fault.text);
}

#define check_own(reader, key, list, type)                                                         \
    do {                                                                                           \
        const rp_node *section_ = rp_node_find((reader)->root, key);                               \
        const type *items_ = (list).items;                                                         \
        const rp_node *entry_ = section_ ? section_->first : NULL;                                 \
        for (int i_ = 0; i_ < (list).count && entry_; i_++, entry_ = entry_->next)                 \
            check_own_entry(reader, key, entry_, &items_[i_], items_[i_].own);                     \
    } while (0)

void rp_check_scene(rp_reader *reader, const rp_scene *scene)
{
    rp_tree *tree = reader->tree;
    const rp_node *root = reader->root, *map;
    if ((map = sound_section(root, "time"))) check_time(tree, map, &scene->time);
    if ((map = sound_section(root, "domain"))) check_domain(tree, map, &scene->domain);
    if ((map = sound_section(root, "light"))) check_light(tree, map, &scene->light);
    map = rp_node_find(root, "gravity_keys");
    if (map && map->kind == RP_NODE_LIST && !map->bad)
        check_gravity_keys(tree, map, &scene->gravity_keys);
    if (scene->materials.count > MATERIALS_MAX)
        rp_node_fail(tree, rp_node_find(root, "materials"), NULL,
                     "there are %d materials; at most %d are possible", scene->materials.count,
                     MATERIALS_MAX);
    if (scene->grains.count > KINDS_MAX)
        rp_node_fail(tree, rp_node_find(root, "grains"), NULL,
                     "there are %d kinds of grains; at most %d are possible", scene->grains.count,
                     KINDS_MAX);
    check_own(reader, "materials", scene->materials, rp_material_spec);
    check_own(reader, "bodies", scene->bodies, rp_body_spec);
    check_own(reader, "sources", scene->sources, rp_source_spec);
    check_contacts(tree, root, scene);
    check_entries(tree, root, "grains", scene->grains, rp_grain_spec, check_grain);
    check_entries(tree, root, "sources", scene->sources, rp_source_spec, check_source);
    check_entries(tree, root, "voids", scene->voids, rp_void_spec, check_void);
    check_entries(tree, root, "emitters", scene->emitters, rp_emitter_spec, check_emitter);
    check_entries(tree, root, "bodies", scene->bodies, rp_body_spec, check_body);
    check_joints(tree, root, scene);
    check_entries(tree, root, "moisture", scene->moisture, rp_moisture_spec, check_moisture);
    check_entries(tree, root, "cameras", scene->cameras, rp_camera_spec, check_camera);
}
