/* Memory of the solver: arrays that grow by an eighth more than asked, so that a warm step takes
 * none. Contents are lost when they grow. */
#include "solver/dem/dem.h"

/* Wide loads and stores reach this far behind the last. */
#define PADDING RP_WIDE

static bool grow(void **array, size_t capacity, size_t wanted, size_t size)
{
    void *block = rp_allocate_zero((wanted + PADDING) * size);
    if (!block) return false;
    if (*array) rp_release(*array, (capacity + PADDING) * size);
    *array = block;
    return true;
}

static void drop(void *array, size_t capacity, size_t size)
{
    if (array) rp_release(array, (capacity + PADDING) * size);
}

static size_t roomier(size_t wanted)
{
    return wanted + wanted / 8;
}

bool rp_dem_room_for_rows(rp_solver *solver, size_t spheres)
{
    if (spheres <= solver->row_capacity && solver->place) return true;
    size_t old = solver->row_capacity, now = roomier(spheres);
    bool fits = grow((void **)&solver->place, old, now, sizeof *solver->place) &&
                grow((void **)&solver->motion, old, now, sizeof *solver->motion);
    if (fits) solver->row_capacity = now;
    return fits;
}

bool rp_dem_room_for_grains(rp_dem_lists *lists, size_t grains)
{
    if (grains <= lists->grain_capacity && lists->start) return true;
    size_t old = lists->grain_capacity, now = roomier(grains);
    bool fits = grow((void **)&lists->start, old, now, sizeof *lists->start) &&
                grow((void **)&lists->count, old, now, sizeof *lists->count) &&
                grow((void **)&lists->live, old, now, sizeof *lists->live) &&
                grow((void **)&lists->beyond, old, now, sizeof *lists->beyond);
    if (fits) lists->grain_capacity = now;
    return fits;
}

bool rp_dem_room_for_spheres(rp_dem_lists *lists, size_t spheres)
{
    if (spheres <= lists->sphere_capacity && lists->origin[0]) return true;
    size_t old = lists->sphere_capacity, now = roomier(spheres);
    bool fits = true;
    for (int a = 0; a < 3 && fits; a++)
        fits = grow((void **)&lists->origin[a], old, now, sizeof(float));
    if (fits) lists->sphere_capacity = now;
    return fits;
}

bool rp_dem_room_for_entries(rp_solver *solver, size_t entries)
{
    rp_dem_lists *lists = &solver->lists;
    if (entries <= lists->entry_capacity && lists->other) return true;
    size_t old = lists->entry_capacity, now = roomier(entries);
    bool fits = grow((void **)&lists->other, old, now, sizeof *lists->other);
    if (fits && !solver->single) fits = grow((void **)&lists->mine, old, now, sizeof *lists->mine);
    for (int a = 0; a < 3 && fits && solver->history; a++)
        fits = grow((void **)&lists->spring[a], old, now, sizeof(float));
    if (fits) lists->entry_capacity = now;
    return fits;
}

bool rp_dem_room_for_walls(rp_dem_lists *lists, size_t walls)
{
    if (walls <= lists->wall_capacity && lists->walls) return true;
    size_t now = roomier(walls);
    bool fits = grow((void **)&lists->walls, lists->wall_capacity, now, sizeof *lists->walls);
    if (fits) lists->wall_capacity = now;
    return fits;
}

bool rp_dem_room_for_blocks(rp_dem_lists *lists, size_t blocks)
{
    if (blocks <= lists->block_capacity && lists->wall_start) return true;
    size_t now = roomier(blocks);
    bool fits =
        grow((void **)&lists->wall_start, lists->block_capacity, now, sizeof *lists->wall_start);
    if (fits) lists->block_capacity = now;
    return fits;
}

void rp_dem_release_arrays(rp_solver *solver)
{
    rp_dem_lists *lists = &solver->lists;
    drop(solver->place, solver->row_capacity, sizeof *solver->place);
    drop(solver->motion, solver->row_capacity, sizeof *solver->motion);
    drop(lists->start, lists->grain_capacity, sizeof *lists->start);
    drop(lists->count, lists->grain_capacity, sizeof *lists->count);
    drop(lists->live, lists->grain_capacity, sizeof *lists->live);
    drop(lists->beyond, lists->grain_capacity, sizeof *lists->beyond);
    drop(lists->other, lists->entry_capacity, sizeof *lists->other);
    drop(lists->mine, lists->entry_capacity, sizeof *lists->mine);
    for (int a = 0; a < 3; a++) {
        drop(lists->origin[a], lists->sphere_capacity, sizeof(float));
        drop(lists->spring[a], lists->entry_capacity, sizeof(float));
    }
    drop(lists->walls, lists->wall_capacity, sizeof *lists->walls);
    drop(lists->wall_start, lists->block_capacity, sizeof *lists->wall_start);
    rp_release(solver->first, solver->first_capacity * sizeof *solver->first);
    rp_release(solver->owner, solver->owner_capacity * sizeof *solver->owner);
}
