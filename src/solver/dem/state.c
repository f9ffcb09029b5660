/* Lists and contact memory to and from a store: they decide when the next lists are made, so a
 * resumed run that made its own would not have the same bits. */
#include "base/report.h"
#include "solver/dem/dem.h"

#include <math.h>

/* Numbers of their own, in this order. */
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

/* Everything but the numbers; gives how many parts there are. */
static int parts_of(const rp_dem *solver, part *parts)
{
    const rp_dem_lists *l = &solver->lists;
    size_t blocks = rp_dem_blocks(l->grains);
    size_t walls = l->wall_count * sizeof(rp_dem_wall) / sizeof(uint32_t);
    const part common[] = {
        {"dem/ends", "", RP_U32, l->ends, blocks * (RP_DEM_CLASSES + 1)},
        {"dem/origin_x", "m", RP_F32, l->origin[0], l->spheres},
        {"dem/origin_y", "m", RP_F32, l->origin[1], l->spheres},
        {"dem/origin_z", "m", RP_F32, l->origin[2], l->spheres},
        {"dem/mine", "", RP_U16, l->mine, l->entries},
        {"dem/other", "", RP_U32, l->other, l->entries},
        {"dem/walls", "", RP_U32, l->walls, walls},
        {"dem/wall_start", "", RP_U32, l->wall_start, blocks + 1},
    };
    static const char *const springs[RP_DEM_SPRINGS] = {
        "dem/spring_x", "dem/spring_y", "dem/spring_z", "dem/roll_x",
        "dem/roll_y",   "dem/roll_z",   "dem/twist"};
    int count = 0;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        parts[count++] = common[i];
    for (int i = 0; i < solver->springs; i++)
        parts[count++] = (part){springs[i], "m", RP_F32, l->spring[i], l->entries};
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
    const double reals[SAVED_REALS] = {solver->moved, solver->most_moved, solver->body_moved,
                                       solver->load};
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

static rp_code get_numbers(rp_dem *solver, const rp_store *store, rp_report *report)
{
    rp_dem_lists *l = &solver->lists;
    uint64_t grains = 0, spheres = 0, entries = 0, walls = 0, next_id = 0;
    RP_TRY(rp_store_get_u64(store, "dem/grains", &grains, report));
    RP_TRY(rp_store_get_u64(store, "dem/spheres", &spheres, report));
    RP_TRY(rp_store_get_u64(store, "dem/entries", &entries, report));
    RP_TRY(rp_store_get_u64(store, "dem/wall_count", &walls, report));
    RP_TRY(rp_store_get_u64(store, "dem/next_id", &next_id, report));
    RP_TRY(rp_store_get_f64(store, "dem/moved", &solver->moved, report));
    RP_TRY(rp_store_get_f64(store, "dem/most_moved", &solver->most_moved, report));
    RP_TRY(rp_store_get_f64(store, "dem/body_moved", &solver->body_moved, report));
    RP_TRY(rp_store_get_f64(store, "dem/load", &solver->load, report));
    if (grains > UINT32_MAX || spheres > UINT32_MAX || entries > UINT32_MAX || walls > UINT32_MAX)
        return rp_fail(report, RP_ERROR_DAMAGED, "the state's contacts make no sense");
    l->grains = grains;
    l->spheres = spheres;
    l->entries = entries;
    l->wall_count = walls;
    solver->next_id = (uint32_t)next_id;
    return RP_OK;
}

/* Whether spheres are numbered as the kinds of grains say; grains may have left since. */
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

/* `next`: where the entries of the next block begin. */
static bool is_block_sound(const rp_dem *solver, size_t block, size_t next)
{
    const rp_dem_lists *l = &solver->lists;
    const uint32_t *ends = rp_dem_ends(l, block);
    size_t begin = block * RP_DEM_BLOCK, behind = begin + RP_DEM_BLOCK;
    if (behind > l->grains) behind = l->grains;
    size_t spheres = rp_dem_first(solver, behind) - rp_dem_first(solver, begin);
    bool sound = (size_t)ends[RP_DEM_CLASSES] + RP_WIDE <= next;
    for (int c = 0; c < RP_DEM_CLASSES; c++)
        sound = sound && ends[c] <= ends[c + 1];
    for (size_t e = ends[0]; e < ends[RP_DEM_CLASSES] && sound; e++)
        sound = l->other[e] < l->spheres && l->mine[e] < spheres;
    return sound;
}

static bool are_entries_sound(const rp_dem *solver)
{
    const rp_dem_lists *l = &solver->lists;
    size_t blocks = rp_dem_blocks(l->grains);
    bool sound = true;
    for (size_t b = 0; b < blocks && sound; b++)
        sound = is_block_sound(solver, b, b + 1 < blocks ? rp_dem_ends(l, b + 1)[0] : l->entries);
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
        for (int k = 0; k < RP_DEM_SPRINGS; k++) /* kept as bits, which nobody has looked at */
            sound = sound && isfinite(wall->spring[k]);
    }
    return sound;
}

/* Whether the grains have as many spheres as the lists say, and are in their order while those are
 * good. */
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

/* Lists that lead outside of themselves must not be followed. */
static rp_code check_lists(const rp_dem *solver, rp_report *report)
{
    if (are_numbered(solver) && are_entries_sound(solver) && are_walls_sound(solver) &&
        are_grains_listed(solver))
        return RP_OK;
    return rp_fail(report, RP_ERROR_DAMAGED, "the state's contacts make no sense");
}

/* What lies between blocks is read as well, but not used: it must lead somewhere. */
static void fill_gaps(rp_dem_lists *l)
{
    for (size_t b = 0; b < rp_dem_blocks(l->grains); b++)
        for (size_t e = rp_dem_ends(l, b)[RP_DEM_CLASSES], n = 0; n < RP_WIDE; n++) {
            l->other[e + n] = 0;
            l->mine[e + n] = 0;
        }
}

/* Before memory is taken for as much as the numbers say. */
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
    bool fits = rp_dem_room_for_spheres(l, l->spheres) &&
                rp_dem_room_for_entries(l, 0, l->entries) &&
                (!solver->history || rp_dem_room_for_springs(solver)) &&
                rp_dem_room_for_walls(l, l->wall_count) && rp_dem_room_for_blocks(l, blocks + 1) &&
                rp_dem_room_for_rows(solver, l->spheres);
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
    fill_gaps(l);
    solver->spheres = l->spheres;
    for (size_t i = 0; !solver->single && i < l->grains; i++)
        for (size_t s = solver->first[i]; s < solver->first[i + 1]; s++)
            solver->owner[s] = (uint32_t)i;
    return rp_dem_name_sides(solver, l->grains, report);
}

rp_code rp_dem_load(void *state, const rp_store *store, rp_report *report)
{
    rp_dem *solver = state;
    solver->seen = false;
    rp_code code = get_numbers(solver, store, report);
    if (code == RP_OK && solver->lists.grains) code = check_counts(solver, store, report);
    if (code == RP_OK && solver->lists.grains) code = get_lists(solver, store, report);
    if (code != RP_OK) solver->lists.grains = solver->lists.spheres = 0;
    return code;
}
