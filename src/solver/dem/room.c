/* Memory of the solver: arrays that grow together, all of them or none, by more than is asked for,
 * so that a warm step takes none; and what lies in rooms that have another use while lists are
 * made.
 */
#include "solver/dem/dem.h"

/* Wide loads and stores reach this far behind the last. */
#define PADDING RP_WIDE
#define COLUMNS_MAX 3

/* One of some arrays that are equally long. */
typedef struct column {
    void **array;
    size_t size; /* of a value */
} column;

static void drop(const column *columns, int count, size_t *capacity)
{
    for (int n = 0; n < count; n++) {
        if (*columns[n].array)
            rp_release(*columns[n].array, (*capacity + PADDING) * columns[n].size);
        *columns[n].array = NULL;
    }
    *capacity = 0;
}

static size_t roomy(size_t wanted)
{
    return wanted + wanted / 16;
}

/* Room for `wanted` values; the first `used` stay. False when memory runs out: nothing has changed
 * then. */
static bool grow(const column *columns, int count, size_t *capacity, size_t used, size_t wanted)
{
    if (wanted <= *capacity && *columns[0].array) return true;
    size_t now = roomy(wanted);
    void *blocks[COLUMNS_MAX] = {0};
    size_t room = now;
    for (int n = 0; n < count; n++) {
        blocks[n] = rp_allocate_zero((now + PADDING) * columns[n].size);
        if (blocks[n]) continue;
        column grown[COLUMNS_MAX];
        for (int k = 0; k < n; k++)
            grown[k] = (column){&blocks[k], columns[k].size};
        drop(grown, n, &room);
        return false;
    }
    for (int n = 0; n < count && used; n++)
        memcpy(blocks[n], *columns[n].array, used * columns[n].size);
    drop(columns, count, capacity);
    for (int n = 0; n < count; n++)
        *columns[n].array = blocks[n];
    *capacity = now;
    return true;
}

/* The arrays of each kind; gives their number. */
static int spheres_of(rp_dem_lists *lists, column *out)
{
    for (int a = 0; a < 3; a++)
        out[a] = (column){(void **)&lists->origin[a], sizeof(float)};
    return 3;
}

static int entries_of(rp_dem_lists *lists, column *out)
{
    out[0] = (column){(void **)&lists->other, sizeof *lists->other};
    out[1] = (column){(void **)&lists->mine, sizeof *lists->mine};
    return 2;
}

static int sides_of(rp_dem_lists *lists, column *out)
{
    out[0] = (column){(void **)&lists->sides, sizeof *lists->sides};
    return 1;
}

static int blocks_of(rp_dem_lists *lists, column *out)
{
    out[0] = (column){(void **)&lists->wall_start, sizeof *lists->wall_start};
    out[1] = (column){(void **)&lists->ends, (RP_DEM_CLASSES + 1) * sizeof *lists->ends};
    return 2;
}

static int walls_of(rp_dem_lists *lists, column *out)
{
    out[0] = (column){(void **)&lists->walls, sizeof *lists->walls};
    return 1;
}

bool rp_dem_room_for_rows(rp_dem *solver, size_t spheres)
{
    if (spheres > solver->row_capacity) solver->row_capacity = roomy(spheres);
    rp_arena_reset(&solver->row_room);
    solver->rows =
        rp_arena_take(&solver->row_room, (solver->row_capacity + PADDING) * sizeof *solver->rows);
    return solver->rows;
}

bool rp_dem_room_for_springs(rp_dem *solver)
{
    size_t each = solver->lists.entry_capacity + PADDING;
    rp_arena_reset(&solver->spring_room);
    size_t columns = (size_t)solver->springs;
    float *springs = rp_arena_take(&solver->spring_room, columns * each * sizeof *springs);
    for (size_t a = 0; a < columns && springs; a++)
        solver->lists.spring[a] = springs + a * each;
    return springs;
}

bool rp_dem_room_for_spheres(rp_dem_lists *lists, size_t spheres)
{
    column columns[COLUMNS_MAX];
    return grow(columns, spheres_of(lists, columns), &lists->sphere_capacity, 0, spheres);
}

bool rp_dem_room_for_entries(rp_dem_lists *lists, size_t used, size_t entries)
{
    column columns[COLUMNS_MAX];
    return grow(columns, entries_of(lists, columns), &lists->entry_capacity, used, entries);
}

bool rp_dem_room_for_sides(rp_dem_lists *lists)
{
    column columns[COLUMNS_MAX];
    return grow(columns, sides_of(lists, columns), &lists->side_capacity, 0, lists->entries);
}

bool rp_dem_room_for_walls(rp_dem_lists *lists, size_t walls)
{
    column columns[COLUMNS_MAX];
    return grow(columns, walls_of(lists, columns), &lists->wall_capacity, 0, walls);
}

bool rp_dem_room_for_blocks(rp_dem_lists *lists, size_t blocks)
{
    column columns[COLUMNS_MAX];
    return grow(columns, blocks_of(lists, columns), &lists->block_capacity, 0, blocks);
}

void rp_dem_release_arrays(rp_dem *solver)
{
    rp_dem_lists *lists = &solver->lists;
    column columns[COLUMNS_MAX];
    rp_arena_destroy(&solver->row_room);
    rp_arena_destroy(&solver->spring_room);
    drop(columns, spheres_of(lists, columns), &lists->sphere_capacity);
    drop(columns, entries_of(lists, columns), &lists->entry_capacity);
    drop(columns, sides_of(lists, columns), &lists->side_capacity);
    drop(columns, walls_of(lists, columns), &lists->wall_capacity);
    drop(columns, blocks_of(lists, columns), &lists->block_capacity);
    rp_release(solver->first, solver->first_capacity * sizeof *solver->first);
    rp_release(solver->owner, solver->owner_capacity * sizeof *solver->owner);
}
