/* Checks that a parameter table cannot express: values that must fit each other. They run after
 * reading, on the same tree, so that faults have a line. A section with an invalid value is left
 * out: its faults would be reported twice. */
#include "document/words.h"
#include "scene/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MATERIALS_MAX 255 /* a grain's material is one byte */
#define KINDS_MAX 255     /* so is its kind */

static const char *const axis_names[] = {"x", "y", "z"};

static double component(rp_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void check_time(rp_tree *tree, const rp_node *map, const rp_time_spec *time)
{
    if (time->min_step > time->max_step)
        rp_fail_key(tree, map, "min_step", "min_step (%g s) is longer than max_step (%g s)",
                    time->min_step, time->max_step);
}

/* Sides that are named as rough must be walls. */
static void check_rough_sides(rp_tree *tree, const rp_node *map, const rp_domain_spec *domain)
{
    const rp_node *own = rp_node_find(map, "roughness");
    rp_vec3 foot, inward;
    char word[32];
    rp_check_roughness(tree, map, &domain->roughness.grains);
    if (!own || own->kind != RP_NODE_MAP || !(domain->roughness.grains.radius > 0)) return;
    for (int side = 0; side < RP_SIDES; side++) {
        bool named = domain->roughness.sides >> side & 1;
        if (!named || rp_scene_domain_wall(domain, side, &foot, &inward)) continue;
        rp_words_at(RP_SIDE_WORDS, side, word, sizeof word);
        rp_fail_key(
            tree, own, "sides",
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
            rp_fail_key(
                tree, own, word,
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
            rp_fail_key(tree, map, "low", "low (%g m) must be below high (%g m) along %s", low,
                        high, name);
        if (periodic && !(isfinite(low) && isfinite(high)))
            rp_fail_key(tree, map, "periodic",
                        "%s is periodic, so low and high must be given along it", name);
        if (periodic && (domain->open >> (2 * axis) & 3))
            rp_fail_key(tree, map, "open", "%s is periodic, so its sides cannot be open", name);
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
            rp_fail_key(tree, entry, "time", "times must rise: %g s comes after %g s", keys[i].time,
                        keys[i - 1].time);
        if (rp_gravity_is_opposite(keys[i - 1].gravity, keys[i].gravity))
            rp_fail_key(tree, entry, "gravity",
                        "it is opposite to that of the key before, so the direction of rotation "
                        "is not defined; add a key in between");
    }
}

/* --- kinds of grains -------------------------------------------------------------------------- */

static void check_spheres(rp_tree *tree, const rp_node *map, const rp_grain_spec *grain)
{
    bool given = rp_node_has(map, "spheres"), wanted = grain->shape == RP_GRAIN_SPHERES;
    if (wanted && !given)
        rp_node_fail(
            tree, map, "spheres",
            "a grain of the shape spheres needs a list of them, each with a position and a "
            "radius");
    else if (given && !wanted)
        rp_fail_key(tree, map, "spheres",
                    "spheres are given, so say `shape: spheres`, or leave them out");
    else if (given && (grain->spheres.count < 1 || grain->spheres.count > RP_CLUMP_MAX))
        rp_fail_key(tree, map, "spheres", "a grain is made of 1 to %d spheres, not of %d",
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
        rp_fail_key(tree, entry, "passing", "the curve starts where nothing passes: 0, not %g",
                    sieves[0].passing);
    for (int i = 1; i <= last; i++) {
        entry = entry->next;
        if (!(sieves[i].diameter > sieves[i - 1].diameter))
            rp_fail_key(tree, entry, "diameter", "diameters must rise: %g m comes after %g m",
                        sieves[i].diameter, sieves[i - 1].diameter);
        if (sieves[i].passing < sieves[i - 1].passing)
            rp_fail_key(tree, entry, "passing", "what passes must rise: %g comes after %g",
                        sieves[i].passing, sieves[i - 1].passing);
    }
    if (sieves[last].passing != 1)
        rp_fail_key(tree, entry, "passing", "the curve ends where all passes: 1, not %g",
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
        rp_fail_key(tree, map, "sieve",
                    "a sieve curve is given, so say `sizes: sieve`, or leave it "
                    "out");
    else if (list)
        check_sieve_curve(tree, list, grain);
    for (int i = 0; i < 2; i++)
        if (wanted && rp_node_has(map, known[i]))
            rp_fail_key(tree, map, known[i],
                        "the sieve curve says how large the grains are; leave %s "
                        "out",
                        known[i]);
}

static void check_grain(rp_tree *tree, const rp_node *map, const rp_grain_spec *grain)
{
    check_spheres(tree, map, grain);
    check_sieve(tree, map, grain);
    if (grain->sizes == RP_SIZES_UNIFORM && grain->spread >= 1)
        rp_fail_key(tree, map, "spread",
                    "a spread of %g leaves nothing of the smallest grains; stay "
                    "below 1",
                    grain->spread);
    if (grain->sizes == RP_SIZES_NORMAL && grain->spread * RP_SIZES_CUT >= 1)
        rp_fail_key(tree, map, "spread",
                    "sizes reach %g deviations down, so with a spread of %g nothing is left of the "
                    "smallest; stay below %g, or take lognormal",
                    RP_SIZES_CUT, grain->spread, 1 / RP_SIZES_CUT);
}

static void check_contact(rp_tree *tree, const rp_node *map, const rp_contact_spec *contacts, int i)
{
    const rp_contact_spec *c = &contacts[i];
    if (!rp_node_has(map, "friction") && !rp_node_has(map, "restitution") &&
        !rp_node_has(map, "rolling_friction"))
        rp_node_fail(tree, map, NULL,
                     "it gives no value: wanted is friction, restitution or rolling_friction");
    for (int k = 0; k < i; k++) {
        bool same = contacts[k].first == c->first && contacts[k].second == c->second;
        bool swapped = contacts[k].first == c->second && contacts[k].second == c->first;
        if (same || swapped)
            rp_fail_key(tree, map, "first", "'%s' is for the same two materials; put them together",
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

/* --- pictures --------------------------------------------------------------------------------- */

/* Checks position and target of a camera, or of one of its keys, given in `map`. */
static void check_sight(rp_tree *tree, const rp_node *map, rp_vec3 position, rp_vec3 target,
                        rp_vec3 up)
{
    rp_vec3 view = rp_v3_sub(target, position);
    /* A key has no up vector, and a target only where it gives one. */
    const char *there = rp_node_has(map, "target") ? "target" : "position";
    const char *above = rp_node_has(map, "up") ? "up" : "position";
    if (rp_v3_is_zero(view))
        rp_fail_key(tree, map, there, "the camera stands where it looks at");
    else if (rp_v3_length(rp_v3_cross(rp_v3_normalized(view), rp_v3_normalized(up))) < 1e-6)
        rp_fail_key(tree, map, above,
                    "up lies along the view; choose another up for the camera, such as [0, 1, 0]");
}

static void check_camera_keys(rp_tree *tree, const rp_node *map, const rp_camera_spec *camera)
{
    const rp_camera_key_spec *keys = camera->keys.items;
    const rp_node *list = rp_node_find(map, "keys"), *entry = list ? list->first : NULL;
    bool target_used = false;
    if (rp_node_has(map, "position"))
        rp_fail_key(tree, map, "position", "its keys say where it stands; leave one of them out");
    for (int i = 0; i < camera->keys.count && entry; i++, entry = entry->next) {
        target_used |= !rp_node_has(entry, "target");
        rp_vec3 target = rp_node_has(entry, "target") ? keys[i].target : camera->target;
        check_sight(tree, entry, keys[i].position, target, camera->up);
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            rp_fail_key(tree, entry, "time", "times must rise: %g s comes after %g s", keys[i].time,
                        keys[i - 1].time);
    }
    if (!target_used && !rp_v3_is_zero(camera->target))
        rp_fail_key(tree, map, "target", "all of its keys give one; leave this out, or theirs");
}

static void check_camera(rp_tree *tree, const rp_node *map, const rp_camera_spec *camera)
{
    if (camera->interpolation != RP_INTERPOLATION_SMOOTH && !camera->keys.count)
        rp_fail_key(tree, map, "interpolation", "there are no keys that it could be between");
    if (camera->focus > 0 && !(camera->aperture > 0))
        rp_fail_key(tree, map, "focus",
                    "without an aperture all is sharp; give one, such as 2 cm, or leave this out");
    if (rp_v3_is_zero(camera->up))
        rp_fail_key(tree, map, "up", "up must not be zero");
    else if (camera->keys.count)
        check_camera_keys(tree, map, camera);
    else if (!rp_node_has(map, "position"))
        rp_node_fail(tree, map, "position",
                     "must be given: where it stands; or keys, that say where it goes");
    else
        check_sight(tree, map, camera->position, camera->target, camera->up);
}

static void check_light(rp_tree *tree, const rp_node *map, const rp_light_spec *light)
{
    if (rp_v3_is_zero(light->direction))
        rp_fail_key(tree, map, "direction", "the direction must not be zero");
}

/* --- all -------------------------------------------------------------------------------------- */

static const rp_node *valid_section(const rp_node *root, const char *key)
{
    const rp_node *map = rp_node_find(root, key);
    return map && map->kind == RP_NODE_MAP && !map->bad ? map : NULL;
}

/* Calls `check` for each entry of a named section whose values are valid. */
#define check_entries(tree, root, key, list, type, check)                                          \
    do {                                                                                           \
        const rp_node *section_ = rp_node_find(root, key);                                         \
        const type *items_ = (list).items;                                                         \
        const rp_node *entry_ = section_ ? section_->first : NULL;                                 \
        for (int i_ = 0; i_ < (list).count && entry_; i_++, entry_ = entry_->next)                 \
            if (!entry_->bad) check(tree, entry_, &items_[i_]);                                    \
    } while (0)

/* Calls the check of the method's own table for an entry. */
static void check_own_entry(rp_reader *reader, const char *section, const rp_node *map,
                            const void *entry, const void *values)
{
    const rp_param_table *table = rp_scene_method_table(reader->chosen, section);
    if (!table || !table->check || !values || map->bad) return;
    rp_param_fault fault = table->check(entry, values);
    if (fault.key) rp_fail_key(reader->tree, map, fault.key, "%s", fault.text);
}

#define check_own(reader, key, list, type)                                                         \
    do {                                                                                           \
        const rp_node *section_ = rp_node_find((reader)->root, key);                               \
        const type *items_ = (list).items;                                                         \
        const rp_node *entry_ = section_ ? section_->first : NULL;                                 \
        for (int i_ = 0; i_ < (list).count && entry_; i_++, entry_ = entry_->next)                 \
            check_own_entry(reader, key, entry_, &items_[i_], items_[i_].own);                     \
    } while (0)

void rp_scene_check(rp_reader *reader, const rp_scene *scene)
{
    rp_tree *tree = reader->tree;
    const rp_node *root = reader->root, *map;
    if ((map = valid_section(root, "time"))) check_time(tree, map, &scene->time);
    if ((map = valid_section(root, "domain"))) check_domain(tree, map, &scene->domain);
    if ((map = valid_section(root, "light"))) check_light(tree, map, &scene->light);
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
    check_entries(tree, root, "sources", scene->sources, rp_source_spec, rp_check_source);
    check_entries(tree, root, "voids", scene->voids, rp_void_spec, rp_check_void);
    check_entries(tree, root, "emitters", scene->emitters, rp_emitter_spec, rp_check_emitter);
    check_entries(tree, root, "bodies", scene->bodies, rp_body_spec, rp_check_body);
    rp_check_joints(tree, root, scene);
    check_entries(tree, root, "moisture", scene->moisture, rp_moisture_spec, rp_check_moisture);
    check_entries(tree, root, "cameras", scene->cameras, rp_camera_spec, check_camera);
}
