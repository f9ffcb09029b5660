/* What leaves the solver: contacts as data, and checkpoints.
 *
 * Contact forces are evaluated again from the rows and the history that the last step left, without
 * advancing the history.
 *
 * A checkpoint holds lists and contact history: they decide when the next lists are built, so that
 * a resumed run that built its own would not have the same bits. */
#include "base/report.h"
#include "solver/dem/contact_geometry.h"

#include <math.h>

/* --- contacts as data --- */

#define GONE UINT32_MAX /* number of a grain that has left since */

/* Eight contacts, lane by lane. */
typedef struct group {
    float n[3][RP_WIDE], shear[3][RP_WIDE];
    float normal[RP_WIDE], overlap[RP_WIDE], lever[RP_WIDE];
    int32_t interacting[RP_WIDE];
} group;

/* Evaluates the contact law for eight entries. */
RP_WIDE_KERNEL
static void evaluate(const rp_dem_contact_context *context, const rp_dem_lists *lists,
                     const rp_dem_entries *entries, size_t at, group *out)
{
    rp_dem_geometry g;
    memset(out, 0, sizeof *out);
    RP_ASSERT_DEBUG(at + RP_WIDE <= lists->entry_capacity);
    if (!rp_dem_find_geometry(context, entries, &g)) return;
    rp_dem_wide_pair pair;
    rp_dem_contact_state c = rp_dem_contact_state_of(context, entries, &g, &pair);
    if (context->options.has_history)
        c.tangential = (rp_wide_vec3){rp_wide_load(lists->history[0] + at),
                                      rp_wide_load(lists->history[1] + at),
                                      rp_wide_load(lists->history[2] + at)};
    rp_dem_contact_force f = rp_dem_contact_law(&context->options, &pair, &c, g.touching);
    const rp_wide n[3] = {g.n.x, g.n.y, g.n.z};
    const rp_wide shear[3] = {f.shear.x, f.shear.y, f.shear.z};
    for (int k = 0; k < 3; k++) {
        rp_wide_store(out->n[k], n[k]);
        rp_wide_store(out->shear[k], shear[k]);
    }
    rp_wide_store(out->normal, f.normal);
    rp_wide_store(out->overlap, g.overlap);
    rp_wide_store(out->lever, rp_dem_lever(&g));
    memcpy(out->interacting, &g.interacting, sizeof out->interacting);
}

typedef struct collect_job {
    const rp_dem *solver;
    rp_dem_contact_context context;
    const uint32_t *index; /* in the table, of grains by their number in the lists; or GONE */
    rp_contacts *contacts;
} collect_job;

static rp_contact *add_contact(rp_contacts *contacts)
{
    if (!rp_reserve((void **)&contacts->items, &contacts->capacity, contacts->count,
                    contacts->count + 1, sizeof *contacts->items))
        return NULL;
    rp_contact *c = &contacts->items[contacts->count++];
    memset(c, 0, sizeof *c);
    return c;
}

static uint32_t id_of(const collect_job *job, size_t grain)
{
    return job->solver->host.grains->id[job->index[grain]];
}

/* Finds the vector from the centre of a grain, as it was half way through the step, to the centre
 * of one of its spheres, m. */
static void find_arm(const collect_job *job, size_t grain, const float *at, float arm[3])
{
    const rp_dem *solver = job->solver;
    const rp_grains *p = solver->host.grains;
    size_t i = job->index[grain];
    const double x[3] = {p->x[i], p->y[i], p->z[i]}, v[3] = {p->vx[i], p->vy[i], p->vz[i]};
    for (int k = 0; k < 3; k++) {
        double centre = x[k] + (double)solver->position_low[k][i] - solver->dt / 2 * v[k];
        double sphere = (double)at[POSITION_X + k] + (double)at[POSITION_LOW_X + k];
        arm[k] = solver->single ? 0 : (float)(sphere - centre);
    }
}

static rp_dem_sphere sphere_of(const collect_job *job, size_t grain, size_t sphere)
{
    rp_dem_sphere out;
    memcpy(out.position, &job->solver->rows[sphere].position, sizeof out.position);
    memcpy(out.motion, &job->solver->rows[sphere].motion, sizeof out.motion);
    find_arm(job, grain, out.position, out.arm);
    return out;
}

/* Adds the contact of one lane, between a sphere of a grain and another sphere. */
static bool add_lane(const collect_job *job, size_t grain, const rp_dem_sphere *own, const group *g,
                     int lane, size_t sphere)
{
    const rp_dem *solver = job->solver;
    size_t other = rp_dem_owner(solver, sphere);
    const float *row = rp_dem_position(solver, sphere);
    rp_contact *c = add_contact(job->contacts);
    if (!c) return false;
    c->first = id_of(job, grain);
    c->second = id_of(job, other);
    c->with = RP_WITH_GRAIN;
    c->normal_force = g->normal[lane];
    c->overlap = g->overlap[lane];
    float reach = own->position[POSITION_RADIUS] + row[POSITION_RADIUS] - g->overlap[lane];
    float arm[3];
    find_arm(job, other, row, arm);
    for (int k = 0; k < 3; k++) {
        float n = g->n[k][lane],
              at = own->position[POSITION_X + k] + own->position[POSITION_LOW_X + k];
        c->normal[k] = n;
        c->shear_force[k] = g->shear[k][lane];
        c->position[k] = at + g->lever[lane] * n;
        c->branch[k] = own->arm[k] + reach * n - arm[k];
    }
    return true;
}

/* Adds the contacts of eight entries; a pair of two blocks only from the sphere with the lower
 * number. */
static bool add_group(const collect_job *job, size_t base, size_t at, int lanes)
{
    const rp_dem *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    rp_dem_entries entries = rp_dem_entries_at(lists, base, at, lanes);
    group g;
    evaluate(&job->context, lists, &entries, at, &g);
    for (int k = 0; k < lanes; k++) {
        size_t own = entries.own[k], other = entries.other[k];
        size_t grain = rp_dem_owner(solver, own);
        if (!g.interacting[k] || g.normal[k] == 0 || other < own) continue;
        if (job->index[grain] == GONE || job->index[rp_dem_owner(solver, other)] == GONE) continue;
        rp_dem_sphere sphere = sphere_of(job, grain, own);
        if (!add_lane(job, grain, &sphere, &g, k, other)) return false;
    }
    return true;
}

static bool add_block(const collect_job *job, size_t block)
{
    const uint32_t *starts = rp_dem_class_starts(&job->solver->lists, block);
    size_t base = rp_dem_first_sphere(job->solver, block * RP_DEM_BLOCK);
    size_t end = starts[RP_DEM_CLASSES];
    bool fits = true;
    for (size_t at = starts[0]; at < end && fits; at += RP_WIDE)
        fits = add_group(job, base, at, end - at < RP_WIDE ? (int)(end - at) : RP_WIDE);
    return fits;
}

static bool add_wall(const collect_job *job, const rp_dem_wall *wall)
{
    const rp_dem *solver = job->solver;
    size_t grain = rp_dem_owner(solver, wall->sphere);
    rp_dem_wall_geometry g;
    rp_dem_wall_force f;
    if (job->index[grain] == GONE) return true;
    rp_dem_sphere sphere = sphere_of(job, grain, wall->sphere);
    if (!rp_dem_find_wall_geometry(solver, &sphere, wall, &g)) return true;
    rp_dem_wall_contact_law(&job->context.options, &sphere, &g, wall->history, &f);
    if (f.normal == 0) return true;
    rp_contact *c = add_contact(job->contacts);
    if (!c) return false;
    int body = rp_couple_surfaces(solver->host.couple)[wall->surface].body;
    c->first = id_of(job, grain);
    c->second = body >= 0 ? (uint32_t)body : 0;
    c->with = body >= 0 ? RP_WITH_BODY : RP_WITH_WALL;
    c->normal_force = (float)f.normal;
    c->overlap = (float)g.overlap;
    const double n[3] = {g.n.x, g.n.y, g.n.z};
    const double point[3] = {g.point.x, g.point.y, g.point.z};
    const double shear[3] = {f.shear.x, f.shear.y, f.shear.z};
    const double arm[3] = {g.arm.x, g.arm.y, g.arm.z};
    for (int k = 0; k < 3; k++) {
        c->normal[k] = (float)n[k];
        c->position[k] = (float)point[k];
        c->shear_force[k] = (float)shear[k];
        c->branch[k] = (float)arm[k];
    }
    return true;
}

rp_code rp_dem_contacts(const void *state, rp_contacts *contacts, rp_report *report)
{
    const rp_dem *solver = state;
    const rp_grains *p = solver->host.grains;
    const rp_dem_lists *lists = &solver->lists;
    contacts->count = 0;
    if (!lists->grains || !solver->rows_current) return RP_OK;
    size_t bytes = lists->grains * sizeof(uint32_t);
    uint32_t *index = rp_allocate(bytes);
    if (!index) return rp_fail_memory(report, bytes, "contacts");
    memset(index, 0xff, bytes); /* GONE */
    for (size_t i = 0; i < p->count; i++)
        if (solver->slot[i]) index[solver->slot[i] - 1] = (uint32_t)i;
    collect_job job = {solver, rp_dem_contact_context_of(solver, true), index, contacts};
    bool fits = true;
    for (size_t b = 0; b < rp_dem_blocks(lists->grains) && fits; b++)
        fits = add_block(&job, b);
    for (size_t w = 0; w < lists->wall_count && fits; w++)
        fits = add_wall(&job, &lists->walls[w]);
    rp_release(index, bytes);
    return fits ? RP_OK : rp_fail_memory(report, contacts->capacity * 50, "contacts");
}

/* --- checkpoints --- */

/* Scalars, in this order. */
enum { SAVED_GRAINS, SAVED_SPHERES, SAVED_ENTRIES, SAVED_WALLS, SAVED_NEXT_ID, SAVED_NUMBERS };
enum { SAVED_MOVED, SAVED_MOST_MOVED, SAVED_BODY_MOVED, SAVED_LOAD, SAVED_REALS };

/* One array of the lists. */
typedef struct part {
    const char *name, *unit;
    rp_field_type type;
    void *data;
    size_t count;
} part;

#define PARTS_MAX 16

/* Lists the arrays of a checkpoint; returns their number. */
static int parts_of(const rp_dem *solver, part *parts)
{
    const rp_dem_lists *l = &solver->lists;
    size_t blocks = rp_dem_blocks(l->grains);
    size_t walls = l->wall_count * sizeof(rp_dem_wall) / sizeof(uint32_t);
    const part common[] = {
        {"dem/ends", "", RP_U32, l->class_starts, blocks * (RP_DEM_CLASSES + 1)},
        {"dem/origin_x", "m", RP_F32, l->origin[0], l->spheres},
        {"dem/origin_y", "m", RP_F32, l->origin[1], l->spheres},
        {"dem/origin_z", "m", RP_F32, l->origin[2], l->spheres},
        {"dem/mine", "", RP_U16, l->own, l->entries},
        {"dem/other", "", RP_U32, l->other, l->entries},
        {"dem/walls", "", RP_U32, l->walls, walls},
        {"dem/wall_start", "", RP_U32, l->wall_start, blocks + 1},
    };
    static const char *const columns[RP_DEM_HISTORY_COLUMNS] = {
        "dem/spring_x", "dem/spring_y", "dem/spring_z", "dem/roll_x",
        "dem/roll_y",   "dem/roll_z",   "dem/twist"};
    int count = 0;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        parts[count++] = common[i];
    for (int i = 0; i < solver->history_columns; i++)
        parts[count++] = (part){columns[i], "m", RP_F32, l->history[i], l->entries};
    if (!solver->single)
        parts[count++] = (part){"dem/first", "", RP_U32, solver->first, l->grains + 1};
    return count;
}

rp_code rp_dem_save(const void *state, rp_store *store, rp_report *report)
{
    const rp_dem *solver = state;
    const rp_dem_lists *l = &solver->lists;
    const uint64_t numbers[SAVED_NUMBERS] = {l->grains, l->spheres, l->entries, l->wall_count,
                                             solver->next_id};
    const double reals[SAVED_REALS] = {solver->displacement, solver->max_displacement,
                                       solver->body_displacement, solver->max_load};
    rp_code code = RP_OK;
    for (int i = 0; i < SAVED_NUMBERS && code == RP_OK; i++) {
        static const char *const names[] = {"dem/grains", "dem/spheres", "dem/entries",
                                            "dem/wall_count", "dem/next_id"};
        code = rp_store_put_u64(store, names[i], numbers[i], report);
    }
    for (int i = 0; i < SAVED_REALS && code == RP_OK; i++) {
        static const char *const names[] = {"dem/moved", "dem/most_moved", "dem/body_moved",
                                            "dem/load"};
        const char *unit = i == SAVED_LOAD ? "m2/kg2" : "m";
        code = rp_store_put_f64(store, names[i], unit, reals[i], report);
    }
    part parts[PARTS_MAX];
    int count = l->grains ? parts_of(solver, parts) : 0;
    for (int i = 0; i < count && code == RP_OK; i++)
        code = rp_store_put(store, parts[i].name, parts[i].unit, parts[i].type, parts[i].data,
                            parts[i].count, report);
    return code;
}

/* Reads the numbers that rp_dem_save wrote beside the arrays. The arrays are indexed with 32 bits,
 * so a larger count cannot be right. */
static rp_code load_numbers(rp_dem *solver, const rp_store *store, rp_report *report)
{
    rp_dem_lists *l = &solver->lists;
    uint64_t grains = 0, spheres = 0, entries = 0, walls = 0, next_id = 0;
    RP_TRY(rp_store_get_u64(store, "dem/grains", &grains, report));
    RP_TRY(rp_store_get_u64(store, "dem/spheres", &spheres, report));
    RP_TRY(rp_store_get_u64(store, "dem/entries", &entries, report));
    RP_TRY(rp_store_get_u64(store, "dem/wall_count", &walls, report));
    RP_TRY(rp_store_get_u64(store, "dem/next_id", &next_id, report));
    RP_TRY(rp_store_get_f64(store, "dem/moved", &solver->displacement, report));
    RP_TRY(rp_store_get_f64(store, "dem/most_moved", &solver->max_displacement, report));
    RP_TRY(rp_store_get_f64(store, "dem/body_moved", &solver->body_displacement, report));
    RP_TRY(rp_store_get_f64(store, "dem/load", &solver->max_load, report));
    if (grains > UINT32_MAX || spheres > UINT32_MAX || entries > UINT32_MAX || walls > UINT32_MAX)
        return rp_fail(report, RP_ERROR_DAMAGED, "the state's contacts make no sense");
    l->grains = grains;
    l->spheres = spheres;
    l->entries = entries;
    l->wall_count = walls;
    solver->next_id = (uint32_t)next_id;
    return RP_OK;
}

/* Returns whether each grain has a plausible number of spheres; grains may have left since. */
static bool are_numbered(const rp_dem *solver)
{
    const rp_dem_lists *l = &solver->lists;
    if (solver->single) return l->spheres == l->grains;
    bool sound = solver->first[0] == 0 && solver->first[l->grains] == l->spheres;
    for (size_t i = 0; i < l->grains && sound; i++)
        sound = solver->first[i] < solver->first[i + 1] &&
                solver->first[i + 1] - solver->first[i] <= RP_CLUMP_MAX;
    return sound;
}

/* Returns whether the entries of a block name spheres that exist. `next`: where those of the next
 * block begin. */
static bool is_block_sound(const rp_dem *solver, size_t block, size_t next)
{
    const rp_dem_lists *l = &solver->lists;
    const uint32_t *starts = rp_dem_class_starts(l, block);
    size_t begin = block * RP_DEM_BLOCK, end = begin + RP_DEM_BLOCK;
    if (end > l->grains) end = l->grains;
    size_t spheres = rp_dem_first_sphere(solver, end) - rp_dem_first_sphere(solver, begin);
    bool sound = (size_t)starts[RP_DEM_CLASSES] + RP_WIDE <= next;
    for (int c = 0; c < RP_DEM_CLASSES; c++)
        sound = sound && starts[c] <= starts[c + 1];
    for (size_t e = starts[0]; e < starts[RP_DEM_CLASSES] && sound; e++)
        sound = l->other[e] < l->spheres && l->own[e] < spheres;
    return sound;
}

static bool are_entries_sound(const rp_dem *solver)
{
    const rp_dem_lists *l = &solver->lists;
    size_t blocks = rp_dem_blocks(l->grains);
    bool sound = true;
    for (size_t b = 0; b < blocks && sound; b++)
        sound = is_block_sound(solver, b,
                               b + 1 < blocks ? rp_dem_class_starts(l, b + 1)[0] : l->entries);
    return sound;
}

static bool is_fixed_sound(const rp_dem *solver, const rp_dem_wall *wall)
{
    const rp_rough_surface *rough = rp_couple_surfaces(solver->host.couple)[wall->surface].rough;
    return rp_dem_is_smooth(wall->fixed) || (rough && rp_rough_surface_has(rough, wall->fixed));
}

static bool are_walls_sound(const rp_dem *solver)
{
    const rp_dem_lists *l = &solver->lists;
    size_t blocks = rp_dem_blocks(l->grains);
    int surfaces = rp_couple_count(solver->host.couple);
    bool sound = l->wall_start[blocks] == l->wall_count;
    for (size_t b = 0; b < blocks && sound; b++)
        sound = l->wall_start[b] <= l->wall_start[b + 1];
    for (size_t w = 0; w < l->wall_count && sound; w++) {
        const rp_dem_wall *wall = &l->walls[w];
        sound = wall->sphere < l->spheres && wall->surface >= 0 && wall->surface < surfaces &&
                is_fixed_sound(solver, wall);
        for (int k = 0; k < RP_DEM_HISTORY_COLUMNS;
             k++) /* stored as integers: not checked before */
            sound = sound && isfinite(wall->history[k]);
    }
    return sound;
}

/* Returns whether the grains have as many spheres as the lists say, and are in the order of the
 * lists unless these are stale. */
static bool are_grains_listed(const rp_dem *solver)
{
    const rp_dem_lists *l = &solver->lists;
    const rp_grains *p = solver->host.grains;
    bool good = l->grains == p->count && solver->next_id == p->next_id, sound = true;
    for (size_t i = 0; i < p->count && sound; i++) {
        size_t slot = solver->slot[i];
        sound = slot <= l->grains && (!good || slot == i + 1);
        if (!slot || !sound || solver->single) continue;
        size_t spheres = solver->first[slot] - solver->first[slot - 1];
        sound = spheres == (size_t)solver->kinds[p->kind[i]].clump.count;
    }
    return sound;
}

/* A damaged file must not lead to indices outside of the arrays. */
static rp_code check_lists(const rp_dem *solver, rp_report *report)
{
    if (are_numbered(solver) && are_entries_sound(solver) && are_walls_sound(solver) &&
        are_grains_listed(solver))
        return RP_OK;
    return rp_fail(report, RP_ERROR_DAMAGED, "the state's contacts make no sense");
}

/* Unused entries between blocks are loaded with a last group of eight: they must name a sphere. */
static void clear_unused(rp_dem_lists *l)
{
    for (size_t b = 0; b < rp_dem_blocks(l->grains); b++)
        for (size_t e = rp_dem_class_starts(l, b)[RP_DEM_CLASSES], n = 0; n < RP_WIDE; n++) {
            l->other[e + n] = 0;
            l->own[e + n] = 0;
        }
}

/* Checks the lengths of the arrays before memory is allocated for them. */
static rp_code check_counts(const rp_dem *solver, const rp_store *store, rp_report *report)
{
    part parts[PARTS_MAX];
    int count = parts_of(solver, parts);
    for (int i = 0; i < count; i++) {
        const rp_store_entry *entry = rp_store_find(store, parts[i].name);
        if (entry && entry->count == parts[i].count) continue;
        return rp_fail(report, RP_ERROR_DAMAGED, "the state's '%s' has %zu values in place of %zu",
                       parts[i].name, entry ? entry->count : 0, parts[i].count);
    }
    return RP_OK;
}

static rp_code get_lists(rp_dem *solver, const rp_store *store, rp_report *report)
{
    rp_dem_lists *l = &solver->lists;
    size_t blocks = rp_dem_blocks(l->grains);
    bool fits = rp_dem_reserve_spheres(l, l->spheres) && rp_dem_reserve_entries(l, 0, l->entries) &&
                (!solver->has_history || rp_dem_reserve_history(solver)) &&
                rp_dem_reserve_walls(l, l->wall_count) && rp_dem_reserve_blocks(l, blocks + 1) &&
                rp_dem_reserve_rows(solver, l->spheres);
    if (fits && !solver->single)
        fits = rp_reserve((void **)&solver->first, &solver->first_capacity, 0, l->grains + 1,
                          sizeof *solver->first) &&
               rp_reserve((void **)&solver->owner, &solver->owner_capacity, 0, l->spheres,
                          sizeof *solver->owner);
    if (!fits) return rp_fail_memory(report, l->entries * 16, "contacts of spheres");
    part parts[PARTS_MAX];
    int count = parts_of(solver, parts);
    rp_code code = RP_OK;
    for (int i = 0; i < count && code == RP_OK; i++)
        code = rp_store_get(store, parts[i].name, parts[i].type, parts[i].data, parts[i].count,
                            report);
    if (code == RP_OK) code = check_lists(solver, report);
    RP_TRY(code);
    clear_unused(l);
    solver->spheres = l->spheres;
    for (size_t i = 0; !solver->single && i < l->grains; i++)
        for (size_t s = solver->first[i]; s < solver->first[i + 1]; s++)
            solver->owner[s] = (uint32_t)i;
    return rp_dem_find_entry_grains(solver, l->grains, report);
}

rp_code rp_dem_load(void *state, const rp_store *store, rp_report *report)
{
    rp_dem *solver = state;
    solver->rows_current = false;
    rp_code code = load_numbers(solver, store, report);
    if (code == RP_OK && solver->lists.grains) code = check_counts(solver, store, report);
    if (code == RP_OK && solver->lists.grains) code = get_lists(solver, store, report);
    if (code != RP_OK) solver->lists.grains = solver->lists.spheres = 0;
    return code;
}
