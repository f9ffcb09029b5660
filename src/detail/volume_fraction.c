/* The volume fraction of fine grains on a sparse grid (D9), and the pushes out of crowded cells
 * (D11). Fine grains exert no forces on each other; counts in cells tell how densely they lie.
 * Blocks of 4 x 4 x 4 cells exist around coarse grains only. Counts are integers, so the order in
 * which threads add does not matter.
 *
 *     prepare   blocks around coarse grains, free volume of their cells, counts 0
 *     add       counts of chunks, in parallel
 *     smooth    F = smoothed counts / (N0 * smoothed free volume)
 *     cache     patches of 6 x 6 x 6 cells, from which packets of grains read F and pushes */
#include "base/report.h"
#include "detail/inside.h"

#include <string.h>

#define AXIS_BITS 21
#define AXIS_MASK (((int64_t)1 << AXIS_BITS) - 1)
#define CELLS RP_FRACTION_CELLS
#define EDGE (CELLS + 2) /* cells along the edge of a block with its surroundings */
#define NO_BLOCK SIZE_MAX
/* Cells with less smoothed free volume than this are inside a solid: F is 1 there. */
#define SOLID 0.02f
/* Volume fraction from which cells push grains out, and the push in cells per difference of 1. */
#define THRESHOLD 1.05
#define PUSH 1.0f
/* Random fluctuations do not push: the threshold is higher by this many standard deviations of F,
 * which is sqrt((3/8)^3 / N0) for grains placed at random. */
#define NOISE_DEVIATIONS 2
#define NOISE_VARIANCE 0.052734375

static void drop_cells(rp_fraction_grid *grid)
{
    size_t bytes = grid->cell_capacity * sizeof(float);
    rp_release((void *)grid->counts, bytes);
    rp_release(grid->float_counts, bytes);
    rp_release(grid->free_volume, bytes);
    rp_release(grid->fraction, bytes);
    grid->counts = NULL;
    grid->float_counts = grid->free_volume = grid->fraction = NULL;
    grid->cell_capacity = 0;
}

void rp_fraction_grid_end(rp_fraction_grid *grid)
{
    drop_cells(grid);
    rp_release(grid->blocks, grid->block_capacity * sizeof *grid->blocks);
    rp_release(grid->slots, grid->slot_count * sizeof *grid->slots);
    *grid = (rp_fraction_grid){0};
}

/* --- hash table of blocks ------------------------------------------------------------------------
 */

/* Packs block coordinates into 63 bits, 21 for each axis, in two's complement. */
static uint64_t block_key(int64_t i, int64_t j, int64_t k)
{
    return (uint64_t)((i & AXIS_MASK) | (j & AXIS_MASK) << AXIS_BITS |
                      (k & AXIS_MASK) << (2 * AXIS_BITS));
}

/* Fibonacci hashing. */
static size_t slot_of(uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15ull >> 32);
}

/* Returns the block with that key, or NO_BLOCK: linear probing up to an empty slot. */
static size_t find_block(const rp_fraction_grid *grid, uint64_t key)
{
    if (!grid->slot_count) return NO_BLOCK;
    for (size_t slot = slot_of(key);; slot++) {
        uint32_t block = grid->slots[slot & (grid->slot_count - 1)];
        if (block == 0) return NO_BLOCK;
        if (grid->blocks[block - 1].key == key) return block - 1;
    }
}

static void put_slot(rp_fraction_grid *grid, size_t block)
{
    size_t slot = slot_of(grid->blocks[block].key);
    while (grid->slots[slot & (grid->slot_count - 1)])
        slot++;
    grid->slots[slot & (grid->slot_count - 1)] = (uint32_t)block + 1;
}

/* Doubles the slots and inserts all blocks again. */
static bool grow_slots(rp_fraction_grid *grid)
{
    size_t wanted = grid->slot_count ? 2 * grid->slot_count : 1024;
    uint32_t *slots = rp_allocate_zero(wanted * sizeof *slots);
    if (!slots) return false;
    rp_release(grid->slots, grid->slot_count * sizeof *slots);
    grid->slots = slots;
    grid->slot_count = wanted;
    for (size_t b = 0; b < grid->block_count; b++)
        put_slot(grid, b);
    return true;
}

/* Returns the block with that key, new where there is none; NO_BLOCK when memory runs out. */
static size_t add_block(rp_fraction_grid *grid, uint64_t key)
{
    size_t block = find_block(grid, key);
    if (block != NO_BLOCK) return block;
    if (2 * (grid->block_count + 1) > grid->slot_count && !grow_slots(grid)) return NO_BLOCK;
    if (!rp_reserve((void **)&grid->blocks, &grid->block_capacity, grid->block_count,
                    grid->block_count + 1, sizeof *grid->blocks))
        return NO_BLOCK;
    block = grid->block_count++;
    grid->blocks[block] = (struct rp_fraction_block){.key = key};
    put_slot(grid, block);
    return block;
}

/* Adds the block of a coarse grain and its 26 neighbors; false when memory runs out. */
static bool add_surroundings(rp_fraction_grid *grid, const int64_t at[3])
{
    size_t own = add_block(grid, block_key(at[0], at[1], at[2]));
    if (own == NO_BLOCK) return false;
    if (grid->blocks[own].has_neighbors) return true;
    grid->blocks[own].has_neighbors = true;
    bool made = true;
    for (int64_t k = -1; k <= 1; k++)
        for (int64_t j = -1; j <= 1; j++)
            for (int64_t i = -1; i <= 1; i++)
                made =
                    made && add_block(grid, block_key(at[0] + i, at[1] + j, at[2] + k)) != NO_BLOCK;
    return made;
}

/* Allocates the cells of all blocks where they have become more, and sets all counts to zero. */
static rp_code fit_cells(rp_fraction_grid *grid, rp_report *report)
{
    size_t cells = grid->block_count * RP_FRACTION_BLOCK, bytes = cells * sizeof(float);
    if (cells > grid->cell_capacity) {
        drop_cells(grid);
        grid->cell_capacity = cells + cells / 4;
        size_t after = grid->cell_capacity * sizeof(float);
        grid->counts = rp_allocate(after);
        grid->float_counts = rp_allocate(after);
        grid->free_volume = rp_allocate(after);
        grid->fraction = rp_allocate(after);
        if (!grid->counts || !grid->float_counts || !grid->free_volume || !grid->fraction) {
            drop_cells(grid);
            return rp_fail_memory(report, 4 * after, "counts of fine grains");
        }
    }
    if (cells) memset((void *)grid->counts, 0, bytes);
    return RP_OK;
}

/* --- free volume beside surfaces -----------------------------------------------------------------
 */

/* Unpacks the coordinates of a block. */
static void block_corner(const rp_fraction_grid *grid, size_t block, int64_t at[3])
{
    for (int a = 0; a < 3; a++) { /* sign extension from 21 bits */
        uint64_t bits = grid->blocks[block].key >> (a * AXIS_BITS) & (uint64_t)AXIS_MASK;
        at[a] = (int64_t)(bits << (64 - AXIS_BITS)) >> (64 - AXIS_BITS);
    }
}

typedef struct free_volume_job {
    rp_fraction_grid *grid;
    const rp_detail *detail;
} free_volume_job;

/* Reduces the free volume of a block's cells to what is outside of a surface, as if the surface
 * were a plane across each cell. */
static void subtract_surface(const free_volume_job *job, int surface, const int64_t corner[3],
                             float *free_volume)
{
    const rp_coarse_field *field = &job->detail->field;
    const rp_shape *shape = field->surfaces[surface].shape;
    double cell = job->detail->cell, block = CELLS * cell;
    rp_vec3 low = {(double)corner[0] * block, (double)corner[1] * block, (double)corner[2] * block};
    rp_vec3 middle = rp_v3_add(low, rp_v3(0.5 * block, 0.5 * block, 0.5 * block));
    rp_pose pose = field->ends[surface];
    if (!rp_shape_may_be_near(shape, rp_pose_to_local(pose, middle), 0.9 * block)) return;
    for (int c = 0; c < RP_FRACTION_BLOCK; c++) {
        rp_vec3 at = {low.x + ((c & 3) + 0.5) * cell, low.y + ((c >> 2 & 3) + 0.5) * cell,
                      low.z + ((c >> 4) + 0.5) * cell};
        double distance = rp_shape_distance_within(shape, rp_pose_to_local(pose, at), cell, NULL);
        double left = fmin(fmax(0.5 + distance / cell, 0), 1);
        free_volume[c] = fminf(free_volume[c], (float)left);
    }
}

static void free_volume_range(void *context, rp_range range)
{
    const free_volume_job *job = context;
    for (size_t b = range.begin; b < range.end; b++) {
        float *free_volume = job->grid->free_volume + b * RP_FRACTION_BLOCK;
        int64_t corner[3];
        block_corner(job->grid, b, corner);
        for (int c = 0; c < RP_FRACTION_BLOCK; c++)
            free_volume[c] = 1;
        for (int i = 0; i < job->detail->field.surface_count; i++)
            subtract_surface(job, i, corner, free_volume);
    }
}

#define BLOCK 64

/* Cells beyond this are clamped; floats have no decimals left there. */
#define CELL_MAX 0x1p40

static int64_t cell_at(double x, double inverse)
{
    double cell = floor(x * inverse);
    cell = cell > -CELL_MAX ? cell : -CELL_MAX;
    return (int64_t)(cell < CELL_MAX ? cell : CELL_MAX);
}

static void set_period(rp_fraction_grid *grid, const rp_domain_spec *domain)
{
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    for (int a = 0; a < 3; a++) {
        bool periodic = domain->periodic >> a & 1;
        grid->low[a] = periodic ? low[a] : 0;
        grid->period[a] = periodic ? high[a] - low[a] : 0;
    }
}

rp_code rp_fraction_grid_prepare(rp_fraction_grid *grid, const rp_detail *detail, double after,
                                 rp_report *report)
{
    const rp_coarse_field *field = &detail->field;
    grid->inverse = 1 / detail->cell;
    set_period(grid, &detail->scene->domain);
    grid->block_count = 0;
    if (grid->slots) memset(grid->slots, 0, grid->slot_count * sizeof *grid->slots);
    bool made = true;
    for (size_t r = 0; r < field->count && made; r++) {
        const rp_coarse_row *row = &field->rows[r];
        int64_t at[3] = {cell_at(row->x + after * row->vx, grid->inverse) >> 2,
                         cell_at(row->y + after * row->vy, grid->inverse) >> 2,
                         cell_at(row->z + after * row->vz, grid->inverse) >> 2};
        made = add_surroundings(grid, at);
    }
    if (!made)
        return rp_fail_memory(report, grid->block_count * sizeof *grid->blocks,
                              "counts of fine grains");
    RP_TRY(fit_cells(grid, report));
    free_volume_job job = {grid, detail};
    rp_parallel_for(detail->threads, grid->block_count, BLOCK, free_volume_range, &job);
    return RP_OK;
}

/* --- counting ------------------------------------------------------------------------------------
 */

static size_t index_in_block(int64_t i, int64_t j, int64_t k)
{
    return (size_t)((i & (CELLS - 1)) | (j & (CELLS - 1)) << 2 | (k & (CELLS - 1)) << 4);
}

/* Returns the index of a cell in the arrays of cells, or NO_BLOCK. */
static size_t cell_index(const rp_fraction_grid *grid, int64_t i, int64_t j, int64_t k)
{
    size_t block = find_block(grid, block_key(i >> 2, j >> 2, k >> 2));
    return block == NO_BLOCK ? NO_BLOCK : block * RP_FRACTION_BLOCK + index_in_block(i, j, k);
}

#define CELL_RUN 512
_Static_assert(CELL_RUN % RP_WIDE == 0, "runs of cells are written in whole groups of eight");

/* Computes cell coordinates: floor(x * inverse), eight at a time. Conversion truncates, so negative
 * values are corrected by one. */
RP_WIDE_KERNEL
static void cells_of(const float *x, size_t count, float inverse, int32_t *cells)
{
    RP_ASSERT(count <= CELL_RUN);
    for (size_t i = 0; i < count; i += RP_WIDE) {
        rp_wide place = rp_wide_load(x + i) * inverse;
        place = rp_wide_min(rp_wide_max(place, rp_wide_broadcast(-1e9f)), rp_wide_broadcast(1e9f));
        rp_wide_int whole = __builtin_convertvector(place, rp_wide_int);
        whole += __builtin_convertvector(whole, rp_wide) > place; /* the mask is -1 */
        memcpy(cells + i, &whole, sizeof whole);
    }
}

/* Cells beyond a periodic side that smoothing and patches of cells inside read. */
#define IMAGE_CELLS 3

/* Counts the periodic images of a grain near the sides. */
static void add_images(rp_fraction_grid *grid, const float at[3])
{
    double margin = IMAGE_CELLS / grid->inverse;
    int first[3], behind[3];
    for (int a = 0; a < 3; a++) {
        double beyond = at[a] - grid->low[a], period = grid->period[a];
        first[a] = period > 0 && beyond > period - margin ? -1 : 0;
        behind[a] = period > 0 && beyond < margin ? 2 : 1;
    }
    for (int k = first[2]; k < behind[2]; k++)
        for (int j = first[1]; j < behind[1]; j++)
            for (int i = first[0]; i < behind[0]; i++) {
                if (!i && !j && !k) continue;
                size_t place = cell_index(grid, cell_at(at[0] + i * grid->period[0], grid->inverse),
                                          cell_at(at[1] + j * grid->period[1], grid->inverse),
                                          cell_at(at[2] + k * grid->period[2], grid->inverse));
                if (place != NO_BLOCK)
                    atomic_fetch_add_explicit(&grid->counts[place], 1, memory_order_relaxed);
            }
}

/* A run of grains in the same cell: they are in the order of a curve, so that runs are long and one
 * atomic addition serves many. */
typedef struct cell_run {
    int32_t x, y, z;
    size_t place;
    uint32_t number;
} cell_run;

static void flush_run(rp_fraction_grid *grid, const cell_run *r)
{
    if (r->place != NO_BLOCK && r->number)
        atomic_fetch_add_explicit(&grid->counts[r->place], r->number, memory_order_relaxed);
}

static void count_cells(rp_fraction_grid *grid, const int32_t *x, const int32_t *y,
                        const int32_t *z, size_t count, cell_run *r)
{
    for (size_t i = 0; i < count; i++) {
        if (x[i] != r->x || y[i] != r->y || z[i] != r->z || !r->number) {
            flush_run(grid, r);
            *r = (cell_run){x[i], y[i], z[i], cell_index(grid, x[i], y[i], z[i]), 0};
        }
        r->number++;
    }
}

void rp_fraction_grid_add(rp_fraction_grid *grid, const rp_chunk *chunk)
{
    int32_t cells[3][CELL_RUN + RP_WIDE];
    float inverse = (float)grid->inverse;
    cell_run r = {.place = NO_BLOCK};
    for (size_t begin = 0; begin < chunk->count; begin += CELL_RUN) {
        size_t count = chunk->count - begin < CELL_RUN ? chunk->count - begin : CELL_RUN;
        cells_of(chunk->x + begin, count, inverse, cells[0]);
        cells_of(chunk->y + begin, count, inverse, cells[1]);
        cells_of(chunk->z + begin, count, inverse, cells[2]);
        count_cells(grid, cells[0], cells[1], cells[2], count, &r);
    }
    flush_run(grid, &r);
    bool periodic = grid->period[0] > 0 || grid->period[1] > 0 || grid->period[2] > 0;
    for (size_t g = 0; periodic && g < chunk->count; g++)
        add_images(grid, (const float[]){chunk->x[g], chunk->y[g], chunk->z[g]});
}

typedef struct smooth_job {
    rp_fraction_grid *grid;
    float scale;
} smooth_job;

/* --- smoothing -----------------------------------------------------------------------------------
 */

/* A block and a layer of one cell around it; x fastest. */
typedef struct surroundings {
    float counts[EDGE * EDGE * EDGE], free_volume[EDGE * EDGE * EDGE];
} surroundings;

/* Finds a block and its neighbors, x fastest; the block itself is number 13. */
static void find_blocks(const rp_fraction_grid *grid, const int64_t at[3], size_t blocks[27])
{
    for (int n = 0; n < 27; n++)
        blocks[n] = find_block(
            grid, block_key(at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1));
}

/* Copies a row of cells along x: the last of the block before, four of the block, the first of the
 * next. */
static void copy_row(const float *cells, const size_t *blocks, size_t row, float nothing, float *to)
{
    to[0] =
        blocks[0] == NO_BLOCK ? nothing : cells[blocks[0] * RP_FRACTION_BLOCK + row + CELLS - 1];
    if (blocks[1] == NO_BLOCK)
        for (int i = 0; i < CELLS; i++)
            to[1 + i] = nothing;
    else
        memcpy(to + 1, cells + blocks[1] * RP_FRACTION_BLOCK + row, CELLS * sizeof *to);
    to[EDGE - 1] = blocks[2] == NO_BLOCK ? nothing : cells[blocks[2] * RP_FRACTION_BLOCK + row];
}

/* Copies the cells of a block and of a layer around it, x fastest; `nothing` where there is no
 * block. */
static void copy_cells(const float *cells, const size_t blocks[27], float nothing, float *to)
{
    for (int z = 0; z < EDGE; z++)
        for (int y = 0; y < EDGE; y++) {
            int j = y + CELLS - 1, k = z + CELLS - 1; /* cells from the start of the block before */
            size_t row = index_in_block(0, j & (CELLS - 1), k & (CELLS - 1));
            copy_row(cells, blocks + 9 * (k / CELLS) + 3 * (j / CELLS), row, nothing,
                     to + (z * EDGE + y) * EDGE);
        }
}

static void gather_block(const rp_fraction_grid *grid, size_t block, surroundings *all)
{
    int64_t at[3];
    size_t blocks[27];
    block_corner(grid, block, at);
    find_blocks(grid, at, blocks);
    copy_cells(grid->float_counts, blocks, 0, all->counts);
    copy_cells(grid->free_volume, blocks, 1, all->free_volume);
}

/* Smooths by the separable filter (1, 2, 1) / 4 along each axis (D9): 6 x 6 x 6 cells to 4 x 4 x 4.
 */
static void smooth_cells(const float *cells, float *to)
{
    float along_x[EDGE * EDGE * CELLS], along_y[EDGE * CELLS * CELLS];
    for (int row = 0; row < EDGE * EDGE; row++)
        for (int x = 0; x < CELLS; x++) {
            const float *c = cells + row * EDGE + x;
            along_x[row * CELLS + x] = 0.25f * c[0] + 0.5f * c[1] + 0.25f * c[2];
        }
    for (int z = 0; z < EDGE; z++)
        for (int i = 0; i < CELLS * CELLS; i++) {
            const float *c = along_x + z * EDGE * CELLS + i;
            along_y[z * CELLS * CELLS + i] = 0.25f * c[0] + 0.5f * c[CELLS] + 0.25f * c[2 * CELLS];
        }
    for (int i = 0; i < RP_FRACTION_BLOCK; i++) {
        const float *c = along_y + i;
        to[i] = 0.25f * c[0] + 0.5f * c[CELLS * CELLS] + 0.25f * c[2 * CELLS * CELLS];
    }
}

/* Divides smoothed counts by smoothed free volume, so that F beside a wall is that of the material
 * before it. */
static void smooth_range(void *context, rp_range range)
{
    const smooth_job *job = context;
    surroundings all;
    float free_volume[RP_FRACTION_BLOCK], counts[RP_FRACTION_BLOCK];
    for (size_t b = range.begin; b < range.end; b++) {
        gather_block(job->grid, b, &all);
        smooth_cells(all.free_volume, free_volume);
        smooth_cells(all.counts, counts);
        float *fraction = job->grid->fraction + b * RP_FRACTION_BLOCK;
        for (int c = 0; c < RP_FRACTION_BLOCK; c++)
            fraction[c] = free_volume[c] > SOLID ? job->scale * counts[c] / free_volume[c] : 1;
    }
}

static void convert_range(void *context, rp_range range)
{
    const smooth_job *job = context;
    for (size_t c = range.begin * RP_FRACTION_BLOCK; c < range.end * RP_FRACTION_BLOCK; c++)
        job->grid->float_counts[c] = (float)job->grid->counts[c];
}

void rp_fraction_grid_smooth(rp_fraction_grid *grid, rp_detail *detail)
{
    RP_ASSERT(grid->block_count * RP_FRACTION_BLOCK <= grid->cell_capacity);
    smooth_job job = {grid, (float)(1 / detail->packed_count)};
    grid->generation = ++detail->generations;
    grid->threshold =
        (float)(THRESHOLD + NOISE_DEVIATIONS * sqrt(NOISE_VARIANCE / detail->packed_count));
    rp_parallel_for(detail->threads, grid->block_count, BLOCK, convert_range, &job);
    rp_parallel_for(detail->threads, grid->block_count, BLOCK, smooth_range, &job);
}

/* --- patches -------------------------------------------------------------------------------------
 */

/* Computes the push out of each cell of the block (D11): against the central difference of F, where
 * F is above the threshold. */
static void compute_push(rp_fraction_patch *patch, float from)
{
    float scale = -0.5f * PUSH / patch->inverse;
    patch->pushes_any = false;
    for (int c = 0; c < RP_FRACTION_BLOCK; c++) {
        const float *fraction =
            patch->fraction + (((c >> 4) + 1) * EDGE + (c >> 2 & 3) + 1) * EDGE + (c & 3) + 1;
        bool pushes = *fraction > from;
        float by = pushes ? scale : 0;
        patch->push[c][0] = by * (fraction[1] - fraction[-1]);
        patch->push[c][1] = by * (fraction[EDGE] - fraction[-EDGE]);
        patch->push[c][2] = by * (fraction[EDGE * EDGE] - fraction[-EDGE * EDGE]);
        patch->pushes_any |= pushes;
    }
}

/* Copies the patch of the block with the coordinates `at` from the grid. */
static void load_patch(rp_fraction_patch *patch, const rp_fraction_grid *grid, const int64_t at[3])
{
    size_t blocks[27];
    patch->generation = grid->generation;
    patch->inverse = (float)grid->inverse;
    for (int a = 0; a < 3; a++) {
        patch->corner[a] = at[a];
        patch->low[a] = (float)((double)(at[a] * CELLS) / grid->inverse);
    }
    find_blocks(grid, at, blocks);
    copy_cells(grid->fraction, blocks, 0, patch->fraction);
    patch->highest = 0;
    for (int c = 0; c < EDGE * EDGE * EDGE; c++)
        patch->highest = patch->fraction[c] > patch->highest ? patch->fraction[c] : patch->highest;
    compute_push(patch, grid->threshold);
}

/* A patch is found by the two low bits of each block coordinate, so that neighboring blocks never
 * compete for one place. */
const rp_fraction_patch *rp_fraction_cache_at(rp_fraction_cache *cache,
                                              const rp_fraction_grid *grid, const float point[3])
{
    int64_t at[3];
    for (int a = 0; a < 3; a++)
        at[a] = cell_at(point[a], grid->inverse) >> 2;
    size_t slot = (size_t)((at[0] & 3) | (at[1] & 3) << 2 | (at[2] & 3) << 4);
    rp_fraction_patch *patch = &cache->items[slot];
    if (patch->generation != grid->generation || memcmp(patch->corner, at, sizeof at) != 0)
        load_patch(patch, grid, at);
    return patch;
}

static float clamped(float x, float low, float high)
{
    x = x > low ? x : low;
    return x < high ? x : high;
}

float rp_fraction_patch_value(const rp_fraction_patch *patch, const float at[3])
{
    int cell[3];
    float part[3];
    for (int a = 0; a < 3; a++) { /* in cells, from the middle of the patch's first cell */
        float place = clamped((at[a] - patch->low[a]) * patch->inverse + 0.5f, 0, EDGE - 1.001f);
        cell[a] = (int)place;
        part[a] = place - (float)cell[a];
    }
    const float *f = patch->fraction + (cell[2] * EDGE + cell[1]) * EDGE + cell[0];
    float along[4]; /* interpolated along x, then y, then z */
    for (int n = 0; n < 4; n++) {
        const float *row = f + (n & 1) * EDGE + (n >> 1) * EDGE * EDGE;
        along[n] = row[0] + part[0] * (row[1] - row[0]);
    }
    float front = along[0] + part[1] * (along[1] - along[0]);
    float back = along[2] + part[1] * (along[3] - along[2]);
    return front + part[2] * (back - front);
}

RP_WIDE_INLINE rp_wide_int cell_along(const float *x, float low, float inverse)
{
    rp_wide place = (rp_wide_load(x) - low) * inverse;
    place = rp_wide_min(rp_wide_max(place, rp_wide_broadcast(0)), rp_wide_broadcast(CELLS - 1));
    return __builtin_convertvector(place, rp_wide_int);
}

RP_WIDE_KERNEL
void rp_fraction_patch_cells(const rp_fraction_patch *patch, const float *x, const float *y,
                             const float *z, int count, int32_t *cells)
{
    RP_ASSERT(count >= 0 && count <= RP_DETAIL_PACKET);
    for (int i = 0; i < count; i += RP_WIDE) {
        rp_wide_int cell = cell_along(x + i, patch->low[0], patch->inverse) |
                           cell_along(y + i, patch->low[1], patch->inverse) << 2 |
                           cell_along(z + i, patch->low[2], patch->inverse) << 4;
        memcpy(cells + i, &cell, sizeof cell);
    }
}
