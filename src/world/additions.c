/* Bodies and joints that are added while a world runs, and bodies that are removed. Scenes are
 * immutable, and every room reads its part of one. A world to which something is added therefore
 * gets a scene of its own: the text of the first scene with the additions, read with the same keys
 * and checks. Bodies and solver are then created for that scene and take over the state, as after a
 * resume. States store the additions as text. */
#include "base/report.h"
#include "world/inside.h"

#include "repose/body.h"

#include <stdio.h>
#include <string.h>

/* --- the list of additions ------------------------------------------------------------------- */

static void end_additions(rp_additions *additions)
{
    for (size_t i = 0; i < additions->count; i++) {
        rp_text_release((char *)additions->items[i].key);
        rp_text_release((char *)additions->items[i].value);
    }
    rp_release(additions->items, additions->capacity * sizeof *additions->items);
    *additions = (rp_additions){0};
}

static rp_code add_addition(rp_additions *additions, const char *key, const char *value,
                            rp_report *report)
{
    rp_setting copy = {rp_text_copy(key), rp_text_copy(value)};
    if (copy.key && copy.value &&
        rp_reserve((void **)&additions->items, &additions->capacity, additions->count,
                   additions->count + 1, sizeof *additions->items)) {
        additions->items[additions->count++] = copy;
        return RP_OK;
    }
    rp_text_release((char *)copy.key);
    rp_text_release((char *)copy.value);
    return rp_fail_memory(report, strlen(value), "what was added to a world");
}

static rp_code copy_additions(const rp_additions *from, rp_additions *to, rp_report *report)
{
    for (size_t i = 0; i < from->count; i++)
        RP_TRY(add_addition(to, from->items[i].key, from->items[i].value, report));
    return RP_OK;
}

/* Reads the first scene with these additions; NULL where there are none. */
static rp_code read_scene(const rp_world *world, const rp_additions *additions, rp_scene **out,
                          rp_report *report)
{
    *out = NULL;
    const rp_scene *first = world->first_scene;
    if (!additions->count) return RP_OK;
    RP_TRY(rp_scene_read_more(first, additions->items, (int)additions->count, rp_solver_schema(),
                              out, report));
    (*out)->late_bodies = (*out)->bodies.count - first->bodies.count;
    return RP_OK;
}

/* --- parts for another scene ------------------------------------------------------------------ */

/* The parts of a world that depend on the bodies of its scene. */
typedef struct parts {
    const rp_scene *scene;
    rp_bodies *bodies;
    rp_couple *couple;
} parts;

static void parts_end(parts *p)
{
    rp_couple_destroy(p->couple);
    rp_bodies_destroy(p->bodies);
}

static rp_code parts_begin(const rp_world *world, const rp_scene *scene, bool adopt, parts *p,
                           rp_report *report)
{
    *p = (parts){.scene = scene};
    rp_code code = rp_bodies_create(scene, &p->bodies, report);
    if (code == RP_OK) rp_bodies_set_gravity(p->bodies, &world->gravity);
    if (code == RP_OK && adopt)
        code = rp_bodies_adopt(p->bodies, world->bodies, world->time, report);
    if (code == RP_OK) code = rp_couple_create(scene, p->bodies, &p->couple, report);
    if (code != RP_OK) parts_end(p);
    return code;
}

/* Swaps the parts with those of the world and creates the solver for them. Grains and their history
 * are read from the store; without a store the world has no grains. */
static rp_code swap_parts(rp_world *world, parts *p, const rp_store *store, rp_report *report)
{
    parts before = {world->scene, world->bodies, world->couple};
    rp_world_end_solver(world);
    world->scene = p->scene;
    world->bodies = p->bodies;
    world->couple = p->couple;
    *p = before;
    RP_TRY(rp_world_begin_solver(world, report));
    if (store) RP_TRY(rp_world_read_grains(world, store, report));
    return RP_OK;
}

/* Makes a scene and its additions those of the world. */
static void adopt_scene(rp_world *world, rp_scene *scene, rp_additions *additions)
{
    rp_scene_destroy(world->own_scene);
    world->own_scene = scene;
    end_additions(&world->additions);
    world->additions = *additions;
    *additions = (rp_additions){0};
}

/* Replaces the world's scene by one with more bodies or joints. Where it fails the world is as
 * before, or invalid where the way back fails, too. */
static rp_code replace_scene(rp_world *world, const rp_scene *scene, rp_report *report)
{
    rp_store store;
    parts p;
    rp_store_begin(&store);
    rp_code code = rp_world_write_grains(world, &store, report);
    if (code == RP_OK) code = parts_begin(world, scene, true, &p, report);
    if (code == RP_OK) {
        code = swap_parts(world, &p, &store, report);
        if (code != RP_OK) world->invalid = swap_parts(world, &p, &store, NULL) != RP_OK;
        parts_end(&p);
    }
    rp_store_end(&store);
    return code;
}

/* New joints must not hold bodies that were removed. */
static rp_code check_joints(const rp_world *world, const rp_scene *scene, rp_report *report)
{
    for (int i = world->scene->joints.count; i < scene->joints.count; i++) {
        const rp_joint_spec *joint = &rp_scene_joints(scene)[i];
        RP_TRY(rp_world_check_body(world, joint->body, report));
        if (joint->other >= 0) RP_TRY(rp_world_check_body(world, joint->other, report));
    }
    return RP_OK;
}

/* Adds one entry to the scene: reads the new scene, checks it, and replaces the world's scene. */
static rp_code add_to_scene(rp_world *world, const char *key, const char *value, rp_report *report)
{
    rp_additions additions = {0};
    rp_scene *scene = NULL;
    rp_code code = copy_additions(&world->additions, &additions, report);
    if (code == RP_OK) code = add_addition(&additions, key, value, report);
    if (code == RP_OK) code = read_scene(world, &additions, &scene, report);
    if (code == RP_OK && scene->bodies.count + scene->joints.count ==
                             world->scene->bodies.count + world->scene->joints.count)
        code = rp_fail(report, RP_ERROR_INPUT, "%s: '%.60s' adds nothing", key, value);
    if (code == RP_OK) code = check_joints(world, scene, report);
    if (code == RP_OK) code = replace_scene(world, scene, report);
    if (code == RP_OK)
        adopt_scene(world, scene, &additions);
    else
        rp_scene_destroy(scene);
    end_additions(&additions);
    return code;
}

/* --- additions in the state ------------------------------------------------------------------ */

rp_code rp_world_write_additions(const rp_world *world, rp_store *store, rp_report *report)
{
    const rp_additions *all = &world->additions;
    size_t size = 0, at = 0;
    for (size_t i = 0; i < all->count; i++)
        size += strlen(all->items[i].key) + strlen(all->items[i].value) + 2;
    if (!size) return RP_OK;
    char *text = rp_allocate(size);
    if (!text) return rp_fail_memory(report, size, "what was added to a world");
    for (size_t i = 0; i < all->count; i++) {
        at += strlen(strcpy(text + at, all->items[i].key)) + 1;
        at += strlen(strcpy(text + at, all->items[i].value)) + 1;
    }
    return rp_store_give(store, "world/added", "", RP_U8, text, size, report);
}

/* A file may hold any text: only keys that the functions below could have added are allowed. */
static rp_code check_addition(const char *key, rp_report *report)
{
    size_t section = strspn(key, "abcdefghijklmnopqrstuvwxyz");
    bool known = strncmp(key, "bodies.", 7) == 0 || strncmp(key, "joints.", 7) == 0;
    if (known && key[section + 1] && !strpbrk(key + section + 1, ".[]")) return RP_OK;
    return rp_fail(report, RP_ERROR_DAMAGED, "'%.60s' cannot have been added to the world", key);
}

static rp_code read_additions(const rp_store *store, rp_additions *out, rp_report *report)
{
    const rp_store_entry *entry = rp_store_find(store, "world/added");
    if (!entry) return RP_OK;
    const char *text = entry->data, *end = text + entry->count;
    if (entry->type != RP_U8 || !entry->count || end[-1])
        return rp_fail(report, RP_ERROR_DAMAGED, "the additions of the state are incomplete");
    while (text < end) {
        const char *value = text + strlen(text) + 1;
        if (value >= end)
            return rp_fail(report, RP_ERROR_DAMAGED, "the additions of the state are incomplete");
        RP_TRY(check_addition(text, report));
        RP_TRY(add_addition(out, text, value, report));
        text = value + strlen(value) + 1;
    }
    return RP_OK;
}

static bool are_equal(const rp_additions *a, const rp_additions *b)
{
    bool equal = a->count == b->count;
    for (size_t i = 0; i < a->count && equal; i++)
        equal = strcmp(a->items[i].key, b->items[i].key) == 0 &&
                strcmp(a->items[i].value, b->items[i].value) == 0;
    return equal;
}

/* Replaces the scene before the rest of a state is read: bodies begin as the scene says. */
static rp_code replace_scene_for_state(rp_world *world, rp_additions *additions, rp_report *report)
{
    rp_scene *scene;
    parts p;
    RP_TRY(read_scene(world, additions, &scene, report));
    const rp_scene *now = scene ? scene : world->first_scene, *first = world->first_scene;
    size_t added = (size_t)(now->bodies.count + now->joints.count) -
                   (size_t)(first->bodies.count + first->joints.count);
    rp_code code = RP_OK;
    if (added != additions->count) /* an entry of the scene was replaced or removed */
        code = rp_fail(report, RP_ERROR_DAMAGED,
                       "the additions of the state do not add what they name");
    if (code == RP_OK) code = parts_begin(world, now, false, &p, report);
    if (code != RP_OK) {
        rp_scene_destroy(scene);
        return code;
    }
    code = swap_parts(world, &p, NULL, report);
    parts_end(&p);
    adopt_scene(world, scene, additions);
    return code;
}

rp_code rp_world_read_additions(rp_world *world, const rp_store *store, rp_report *report)
{
    rp_additions additions = {0};
    rp_code code = read_additions(store, &additions, report);
    if (code == RP_OK && (!world->solver || !are_equal(&additions, &world->additions)))
        code = replace_scene_for_state(world, &additions, report);
    end_additions(&additions);
    return code;
}

void rp_world_end_additions(rp_world *world)
{
    rp_scene_destroy(world->own_scene);
    end_additions(&world->additions);
}

/* --- the public interface --------------------------------------------------------------------- */

const rp_scene *rp_world_scene(const rp_world *world)
{
    return world ? world->scene : NULL;
}

/* A name is one part of a key path, and not in use. */
static rp_code check_name(const char *name, bool known, rp_report *report)
{
    if (!*name || strpbrk(name, ".[]") || strlen(name) > 60)
        return rp_fail(report, RP_ERROR_INPUT, "'%.60s' is not a name", name);
    if (!known) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "the world has a '%s' already", name);
}

static rp_code add(rp_world *world, const char *section, const char *name, const char *text,
                   rp_report *report)
{
    char key[128];
    snprintf(key, sizeof key, "%s.%s", section, name);
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = add_to_scene(world, key, text, report);
    rp_budget_enter(before);
    rp_world_refresh_view(world);
    return code;
}

rp_code rp_world_add_body(rp_world *world, const char *name, const char *text, int *body,
                          rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(name, report);
    RP_NEED(text, report);
    RP_ENTER();
    if (body) *body = -1;
    RP_TRY(rp_world_check_valid(world, report));
    RP_TRY(check_name(name, rp_body_find(world, name) >= 0, report));
    RP_TRY(add(world, "bodies", name, text, report));
    if (body) *body = world->scene->bodies.count - 1;
    return RP_OK;
}

rp_code rp_world_add_joint(rp_world *world, const char *name, const char *text, int *joint,
                           rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(name, report);
    RP_NEED(text, report);
    RP_ENTER();
    if (joint) *joint = -1;
    RP_TRY(rp_world_check_valid(world, report));
    RP_TRY(check_name(name, rp_joint_find(world, name) >= 0, report));
    RP_TRY(add(world, "joints", name, text, report));
    if (joint) *joint = world->scene->joints.count - 1;
    return RP_OK;
}

rp_code rp_world_remove_body(rp_world *world, int body, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    RP_TRY(rp_world_check_valid(world, report));
    RP_TRY(rp_world_check_body(world, body, report));
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = rp_bodies_remove(world->bodies, body, report);
    rp_budget_enter(before);
    rp_couple_refresh(world->couple);
    rp_world_refresh_view(world);
    return code;
}
