/* What the host program changes while a world runs: gravity, sources, single grains. */
#include "base/report.h"
#include "world/inside.h"

#include <stdlib.h>
#include <string.h>

/* Larger lengths and speeds are mistakes, and their squares overflow. */
#define MOST 1e12
/* Coarse grains may start at this fraction of their spacing: packings of sand at rest have pairs at
 * 0.8. */
#define NEAREST 0.7
/* Tolerance for rounding. */
#define SLACK (1 - 1e-6)

static bool is_vector(const double v[3])
{
    return fabs(v[0]) <= MOST && fabs(v[1]) <= MOST && fabs(v[2]) <= MOST;
}

/* --- gravity ---------------------------------------------------------------------------------- */

rp_code rp_world_set_gravity(rp_world *world, const double *gravity, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    if (gravity && !is_vector(gravity))
        return rp_fail(report, RP_ERROR_INPUT, "gravity is [%g, %g, %g] m/s2", gravity[0],
                       gravity[1], gravity[2]);
    world->gravity.is_set = gravity != NULL;
    world->gravity.value = gravity ? rp_v3_from(gravity) : rp_v3(0, 0, 0);
    rp_bodies_wake(world->bodies);
    return RP_OK;
}

void rp_world_gravity(const rp_world *world, double gravity[3])
{
    if (!world || !gravity) return;
    RP_ENTER();
    rp_vec3 now = rp_gravity_at(&world->gravity, world->time);
    gravity[0] = now.x;
    gravity[1] = now.y;
    gravity[2] = now.z;
}

/* --- changes of the table --------------------------------------------------------------------- */

static rp_code check_capability(const rp_world *world, unsigned capability, const char *what,
                                rp_report *report)
{
    RP_TRY(rp_world_check_valid(world, report));
    if (world->type->capabilities & capability) return RP_OK;
    return rp_fail(report, RP_ERROR_UNSUPPORTED, "solver method '%s' cannot %s grains",
                   world->type->name, what);
}

rp_code rp_world_check_capacity(const rp_world *world, size_t count, const char *name,
                                rp_report *report)
{
    if ((double)world->grains.count + (double)count <= world->most_grains) return RP_OK;
    return rp_fail(report, RP_ERROR_MEMORY,
                   "%s: %zu more grains would be more than the %.4g that memory holds", name, count,
                   world->most_grains);
}

/* The table of grains before grains were appended to it. */
typedef struct before {
    size_t count;
    uint32_t next_id;
} before;

static before begin_change(const rp_world *world)
{
    return (before){world->grains.count, world->grains.next_id};
}

/* Ends a change of the table; where it failed, restores the table. */
static rp_code end_change(rp_world *world, const before *was, rp_code code)
{
    rp_grains *p = &world->grains;
    p->ghosts = 0;
    if (code != RP_OK) {
        p->count = was->count;
        p->next_id = was->next_id;
    } else {
        world->external.disturbed = true;
    }
    rp_world_refresh_view(world);
    return code;
}

/* --- sources ---------------------------------------------------------------------------------- */

static rp_code fill_now(rp_world *world, const rp_scene *with, rp_report *report)
{
    const rp_source_spec *source = rp_scene_sources(with);
    const rp_query *others;
    if (with->sources.count != 1)
        return rp_fail(report, RP_ERROR_INPUT, "the text of the source is empty");
    if (source->at > world->time)
        return rp_fail(report, RP_ERROR_INPUT,
                       "source '%s' is to be filled at %g s; rp_world_add_source fills it now",
                       source->name, source->at);
    RP_TRY(rp_world_query(world, &others, report));
    before was = begin_change(world);
    rp_budget *outside = rp_budget_enter(&world->budget);
    rp_code code = rp_world_fill(world, source, others, report);
    rp_budget_enter(outside);
    if (code == RP_OK) world->added_sources++;
    return end_change(world, &was, code);
}

rp_code rp_world_add_source(rp_world *world, const char *name, const char *text, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(name, report);
    RP_NEED(text, report);
    RP_ENTER();
    rp_scene *with;
    RP_TRY(check_capability(world, RP_CAN_EMIT, "add", report));
    RP_TRY(rp_scene_read_source(world->first_scene, name, text, rp_solver_schema(), &with, report));
    rp_code code = fill_now(world, with, report);
    rp_scene_destroy(with);
    return code;
}

/* --- grains that are added -------------------------------------------------------------------- */

void rp_default_grains_fill(rp_grains_def *options, size_t size)
{
    rp_grains_def own = {.size = size};
    rp_options_give(options, size, &own, sizeof own);
}

static rp_code check_def(const rp_world *world, const rp_grains_def *def, rp_report *report)
{
    int materials = world->scene->materials.count;
    if (def->count && !def->position)
        return rp_fail_null(report, "rp_world_add_grains", "position");
    if (def->material < 0 || def->material >= materials)
        return rp_fail(report, RP_ERROR_INPUT, "grains of material %d: the scene has %d",
                       def->material, materials);
    if (!(def->moisture >= 0 && def->moisture <= 1))
        return rp_fail(report, RP_ERROR_INPUT, "grains with a moisture of %g: it is from 0 to 1",
                       def->moisture);
    for (size_t n = 0; n < def->count; n++)
        if (!is_vector(def->position + 3 * n) ||
            (def->velocity && !is_vector(def->velocity + 3 * n)))
            return rp_fail(report, RP_ERROR_INPUT,
                           "position or velocity %zu of the grains is not finite", n);
    return rp_world_check_capacity(world, def->count, "rp_world_add_grains", report);
}

static rp_vec3 place_of(const rp_grains *p, size_t i)
{
    return rp_v3(p->x[i], p->y[i], p->z[i]);
}

static double radius_of(const rp_world *world, size_t i)
{
    const rp_grains *p = &world->grains;
    return p->diameter ? (double)p->diameter[i] / 2 : world->scene->particles.spacing / 2;
}

/* Returns why a grain cannot be at its position; NULL when it can. */
static const char *fault_of(const rp_world *world, size_t i, const uint8_t *dead)
{
    const rp_grains *p = &world->grains;
    const rp_domain_spec *domain = &world->scene->domain;
    const float at[3] = {p->x[i], p->y[i], p->z[i]};
    double radius = radius_of(world, i);
    if (rp_world_domain_is_behind_wall(domain, place_of(p, i), 0))
        return "behind a wall of the domain";
    if (rp_scene_domain_has_left(domain, at)) return "beyond an open side of the domain";
    if (rp_world_distance_to_bodies(world, place_of(p, i)) < radius * SLACK) return "in a body";
    double share = p->diameter ? SLACK : NEAREST;
    if (rp_query_touching(&world->query, place_of(p, i), radius, share, dead, i) != SIZE_MAX)
        return "too near to another grain";
    return NULL;
}

/* Marks grains without space; fails at the first of them unless they may be left out. */
static rp_code check_places(const rp_world *world, const rp_grains_def *def, size_t first,
                            uint8_t *dead, size_t *lost, rp_report *report)
{
    *lost = 0;
    for (size_t n = 0; n < def->count; n++) {
        const char *fault = fault_of(world, first + n, dead);
        if (!fault) continue;
        const double *at = def->position + 3 * n;
        if (!def->leave_out)
            return rp_fail(report, RP_ERROR_INPUT,
                           "grain %zu of %zu at [%.4g, %.4g, %.4g] m would be %s", n, def->count,
                           at[0], at[1], at[2], fault);
        dead[first + n] = 1;
        ++*lost;
    }
    return RP_OK;
}

/* Draws grains of any size of the material's kinds. */
static void set_grains(rp_world *world, const rp_grains_def *def, size_t first)
{
    rp_grain_split all = {.fine = 1};
    for (int i = 0; i < RP_KINDS_MAX; i++)
        all.fits[i] = 1;
    const rp_grain_template of = {def->material, def->moisture, &all, false};
    const double rest[3] = {0, 0, 0};
    for (size_t n = 0; n < def->count; n++) {
        const double *velocity = def->velocity ? def->velocity + 3 * n : rest;
        rp_world_set_grain(world, first + n, rp_v3_from(def->position + 3 * n),
                           rp_v3_from(velocity), &of);
    }
}

/* Grains are appended first, so that they are tested against each other as well. */
static rp_code append(rp_world *world, const rp_grains_def *def, size_t *lost, rp_report *report)
{
    rp_grains *p = &world->grains;
    const rp_query *query;
    size_t first;
    RP_TRY(rp_grains_append(p, def->count, &first, report));
    set_grains(world, def, first);
    rp_world_refresh_view(world);
    RP_TRY(rp_world_query(world, &query, report));
    size_t bytes = p->count;
    uint8_t *dead = rp_allocate_zero(bytes);
    if (!dead) return rp_fail_memory(report, bytes, "marks of grains");
    rp_code code = check_places(world, def, first, dead, lost, report);
    if (code == RP_OK && *lost) rp_grains_remove(p, dead);
    rp_release(dead, bytes);
    return code;
}

rp_code rp_world_add_grains(rp_world *world, const rp_grains_def *def, uint32_t *first_id,
                            size_t *added, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(def, report);
    RP_ENTER();
    rp_grains_def own = rp_default_grains();
    RP_TAKE_OPTIONS(&own, def, report);
    RP_TRY(check_capability(world, RP_CAN_EMIT, "add", report));
    RP_TRY(check_def(world, &own, report));
    before was = begin_change(world);
    size_t lost = 0;
    rp_budget *outside = rp_budget_enter(&world->budget);
    rp_code code = append(world, &own, &lost, report);
    rp_budget_enter(outside);
    if (first_id) *first_id = was.next_id;
    if (added) *added = code == RP_OK ? own.count - lost : 0;
    return end_change(world, &was, code);
}

/* --- grains that are removed ------------------------------------------------------------------ */

static void remove_marked(rp_world *world, const uint8_t *dead)
{
    before was = begin_change(world);
    rp_grains_remove(&world->grains, dead);
    end_change(world, &was, RP_OK);
}

rp_code rp_world_remove_grains(rp_world *world, const size_t *indices, size_t count,
                               rp_report *report)
{
    RP_NEED(world, report);
    if (!count) return RP_OK;
    RP_NEED(indices, report);
    RP_ENTER();
    size_t grains = world->grains.count;
    RP_TRY(check_capability(world, RP_CAN_REMOVE, "remove", report));
    for (size_t n = 0; n < count; n++)
        if (indices[n] >= grains)
            return rp_fail(report, RP_ERROR_INPUT, "grain %zu: the world has %zu", indices[n],
                           grains);
    uint8_t *dead = rp_allocate_zero(grains);
    if (!dead) return rp_fail_memory(report, grains, "marks of grains");
    for (size_t n = 0; n < count; n++)
        dead[indices[n]] = 1;
    remove_marked(world, dead);
    rp_release(dead, grains);
    return RP_OK;
}

static int by_id(const void *a, const void *b)
{
    const uint32_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static size_t mark_ids(const rp_grains *p, const uint32_t *sorted, size_t count, uint8_t *dead)
{
    size_t found = 0;
    for (size_t i = 0; i < p->count; i++) {
        dead[i] = bsearch(&p->id[i], sorted, count, sizeof *sorted, by_id) != NULL;
        found += dead[i];
    }
    return found;
}

rp_code rp_world_remove_ids(rp_world *world, const uint32_t *ids, size_t count, size_t *removed,
                            rp_report *report)
{
    RP_NEED(world, report);
    if (removed) *removed = 0;
    if (!count) return RP_OK;
    RP_NEED(ids, report);
    RP_ENTER();
    size_t grains = world->grains.count;
    RP_TRY(check_capability(world, RP_CAN_REMOVE, "remove", report));
    uint32_t *sorted = rp_allocate(count * sizeof *sorted);
    uint8_t *dead = rp_allocate_zero(grains);
    rp_code code = sorted && dead ? RP_OK : rp_fail_memory(report, grains + 4 * count, "grains");
    if (code == RP_OK) {
        memcpy(sorted, ids, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_id);
        size_t found = mark_ids(&world->grains, sorted, count, dead);
        if (removed) *removed = found;
        if (found) remove_marked(world, dead);
    }
    rp_release(sorted, count * sizeof *sorted);
    rp_release(dead, grains);
    return code;
}
