/* How many grains there are where, on a sparse grid: blocks of 4 x 4 x 4 cells exist around clumps
 * and nowhere else. Numbers are whole, so they do not depend on the order in which threads add. */
#include "base/report.h"
#include "detail/inside.h"

#include <string.h>

#define AXIS_BITS 21
#define AXIS_MASK (((int64_t)1 << AXIS_BITS) - 1)
#define CELLS RP_COUNT_CELLS
#define FACE (CELLS + 2) /* cells along the edge of a block with its surroundings */
#define NO_BLOCK SIZE_MAX
/* Cells with less room than this around them are inside a solid: as full as can be. */
#define NO_ROOM 0.02f
/* From where on fullness drives grains away, and by how much of a cell for a difference of 1. */
#define PUSH_FROM 1.05
#define PUSH 1.0f
/* What is full by chance is left alone: so many standard deviations of F, which are the square root
 * of (3/8)^3 / N0 for grains placed at random. */
#define CHANCE 2
#define CHANCE_SQUARE 0.052734375

static void drop_cells(rp_counts *counts)
{
    size_t bytes = counts->cell_capacity * sizeof(float);
    rp_release((void *)counts->numbers, bytes);
    rp_release(counts->plain, bytes);
    rp_release(counts->room, bytes);
    rp_release(counts->filled, bytes);
    counts->numbers = NULL;
    counts->plain = counts->room = counts->filled = NULL;
    counts->cell_capacity = 0;
}

void rp_counts_end(rp_counts *counts)
{
    drop_cells(counts);
    rp_release(counts->blocks, counts->block_capacity * sizeof *counts->blocks);
    rp_release(counts->slots, counts->slot_count * sizeof *counts->slots);
    *counts = (rp_counts){0};
}

static uint64_t block_key(int64_t i, int64_t j, int64_t k)
{
    return (uint64_t)((i & AXIS_MASK) | (j & AXIS_MASK) << AXIS_BITS |
                      (k & AXIS_MASK) << (2 * AXIS_BITS));
}

static size_t slot_of(uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15ull >> 32);
}

static size_t find_block(const rp_counts *counts, uint64_t key)
{
    if (!counts->slot_count) return NO_BLOCK;
    for (size_t slot = slot_of(key);; slot++) {
        uint32_t block = counts->slots[slot & (counts->slot_count - 1)];
        if (block == 0) return NO_BLOCK;
        if (counts->blocks[block - 1].key == key) return block - 1;
    }
}

static void put_slot(rp_counts *counts, size_t block)
{
    size_t slot = slot_of(counts->blocks[block].key);
    while (counts->slots[slot & (counts->slot_count - 1)])
        slot++;
    counts->slots[slot & (counts->slot_count - 1)] = (uint32_t)block + 1;
}

/* Twice the slots; all blocks find their place anew. */
static bool grow_slots(rp_counts *counts)
{
    size_t wanted = counts->slot_count ? 2 * counts->slot_count : 1024;
    uint32_t *slots = rp_allocate_zero(wanted * sizeof *slots);
    if (!slots) return false;
    rp_release(counts->slots, counts->slot_count * sizeof *slots);
    counts->slots = slots;
    counts->slot_count = wanted;
    for (size_t b = 0; b < counts->block_count; b++)
        put_slot(counts, b);
    return true;
}

/* The block with that key, made where there is none; NO_BLOCK when memory runs out. */
static size_t add_block(rp_counts *counts, uint64_t key)
{
    size_t block = find_block(counts, key);
    if (block != NO_BLOCK) return block;
    if (2 * (counts->block_count + 1) > counts->slot_count && !grow_slots(counts)) return NO_BLOCK;
    if (!rp_reserve((void **)&counts->blocks, &counts->block_capacity, counts->block_count,
                    counts->block_count + 1, sizeof *counts->blocks))
        return NO_BLOCK;
    block = counts->block_count++;
    counts->blocks[block] = (struct rp_count_block){.key = key};
    put_slot(counts, block);
    return block;
}

/* A block with a clump in it, and all those beside it. */
static bool add_surroundings(rp_counts *counts, const int64_t at[3])
{
    size_t own = add_block(counts, block_key(at[0], at[1], at[2]));
    if (own == NO_BLOCK) return false;
    if (counts->blocks[own].surrounded) return true;
    counts->blocks[own].surrounded = true;
    bool made = true;
    for (int64_t k = -1; k <= 1; k++)
        for (int64_t j = -1; j <= 1; j++)
            for (int64_t i = -1; i <= 1; i++)
                made = made &&
                       add_block(counts, block_key(at[0] + i, at[1] + j, at[2] + k)) != NO_BLOCK;
    return made;
}

static rp_code fit_cells(rp_counts *counts, rp_report *report)
{
    size_t cells = counts->block_count * RP_COUNT_BLOCK, bytes = cells * sizeof(float);
    if (cells > counts->cell_capacity) {
        drop_cells(counts);
        counts->cell_capacity = cells + cells / 4;
        size_t after = counts->cell_capacity * sizeof(float);
        counts->numbers = rp_allocate(after);
        counts->plain = rp_allocate(after);
        counts->room = rp_allocate(after);
        counts->filled = rp_allocate(after);
        if (!counts->numbers || !counts->plain || !counts->room || !counts->filled) {
            drop_cells(counts);
            return rp_fail_memory(report, 4 * after, "counts of fine grains");
        }
    }
    if (cells) memset((void *)counts->numbers, 0, bytes);
    return RP_OK;
}

static void block_corner(const rp_counts *counts, size_t block, int64_t at[3])
{
    for (int a = 0; a < 3; a++) { /* back from 21 bits to a whole number */
        uint64_t bits = counts->blocks[block].key >> (a * AXIS_BITS) & (uint64_t)AXIS_MASK;
        at[a] = (int64_t)(bits << (64 - AXIS_BITS)) >> (64 - AXIS_BITS);
    }
}

typedef struct room_job {
    rp_counts *counts;
    const rp_detail *detail;
} room_job;

/* What a surface leaves of the cells of a block: as if it were flat across a cell. */
static void take_room(const room_job *job, int surface, const int64_t corner[3], float *room)
{
    const rp_detail_field *field = &job->detail->field;
    const rp_shape *shape = field->surfaces[surface].shape;
    double cell = job->detail->cell, block = CELLS * cell;
    rp_vec3 low = {(double)corner[0] * block, (double)corner[1] * block, (double)corner[2] * block};
    rp_vec3 middle = rp_v3_add(low, rp_v3(0.5 * block, 0.5 * block, 0.5 * block));
    rp_pose pose = field->ends[surface];
    if (!rp_shape_may_be_near(shape, rp_pose_to_local(pose, middle), 0.9 * block)) return;
    for (int c = 0; c < RP_COUNT_BLOCK; c++) {
        rp_vec3 at = {low.x + ((c & 3) + 0.5) * cell, low.y + ((c >> 2 & 3) + 0.5) * cell,
                      low.z + ((c >> 4) + 0.5) * cell};
        double distance = rp_shape_distance_within(shape, rp_pose_to_local(pose, at), cell, NULL);
        double left = fmin(fmax(0.5 + distance / cell, 0), 1);
        room[c] = fminf(room[c], (float)left);
    }
}

static void room_range(void *context, rp_range range)
{
    const room_job *job = context;
    for (size_t b = range.begin; b < range.end; b++) {
        float *room = job->counts->room + b * RP_COUNT_BLOCK;
        int64_t corner[3];
        block_corner(job->counts, b, corner);
        for (int c = 0; c < RP_COUNT_BLOCK; c++)
            room[c] = 1;
        for (int i = 0; i < job->detail->field.surface_count; i++)
            take_room(job, i, corner, room);
    }
}

#define BLOCK 64

/* Cells beyond this are all the same; floats have no decimals left there. */
#define CELL_MAX 0x1p40

static int64_t cell_at(double x, double inverse)
{
    double cell = floor(x * inverse);
    cell = cell > -CELL_MAX ? cell : -CELL_MAX;
    return (int64_t)(cell < CELL_MAX ? cell : CELL_MAX);
}

static void set_period(rp_counts *counts, const rp_domain_spec *domain)
{
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    for (int a = 0; a < 3; a++) {
        bool periodic = domain->periodic >> a & 1;
        counts->low[a] = periodic ? low[a] : 0;
        counts->period[a] = periodic ? high[a] - low[a] : 0;
    }
}

rp_code rp_counts_prepare(rp_counts *counts, const rp_detail *detail, double after,
                          rp_report *report)
{
    const rp_detail_field *field = &detail->field;
    counts->inverse = 1 / detail->cell;
    set_period(counts, &detail->scene->domain);
    counts->block_count = 0;
    if (counts->slots) memset(counts->slots, 0, counts->slot_count * sizeof *counts->slots);
    bool made = true;
    for (size_t r = 0; r < field->count && made; r++) {
        const rp_row *row = &field->rows[r];
        int64_t at[3] = {cell_at(row->x + after * row->vx, counts->inverse) >> 2,
                         cell_at(row->y + after * row->vy, counts->inverse) >> 2,
                         cell_at(row->z + after * row->vz, counts->inverse) >> 2};
        made = add_surroundings(counts, at);
    }
    if (!made)
        return rp_fail_memory(report, counts->block_count * sizeof *counts->blocks,
                              "counts of fine grains");
    RP_TRY(fit_cells(counts, report));
    room_job job = {counts, detail};
    rp_parallel_for(detail->threads, counts->block_count, BLOCK, room_range, &job);
    return RP_OK;
}

static size_t inner(int64_t i, int64_t j, int64_t k)
{
    return (size_t)((i & (CELLS - 1)) | (j & (CELLS - 1)) << 2 | (k & (CELLS - 1)) << 4);
}

/* The place of a cell, or NO_BLOCK. */
static size_t cell_place(const rp_counts *counts, int64_t i, int64_t j, int64_t k)
{
    size_t block = find_block(counts, block_key(i >> 2, j >> 2, k >> 2));
    return block == NO_BLOCK ? NO_BLOCK : block * RP_COUNT_BLOCK + inner(i, j, k);
}

#define CELL_RUN 512
_Static_assert(CELL_RUN % RP_WIDE == 0, "runs of cells are written in whole groups of eight");

/* Whole cells, rounded down. */
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

/* Cells beyond a periodic side that those before it look at. */
#define IMAGE_CELLS 3

/* The same grain across periodic sides. */
static void add_images(rp_counts *counts, const float at[3])
{
    double margin = IMAGE_CELLS / counts->inverse;
    int first[3], behind[3];
    for (int a = 0; a < 3; a++) {
        double beyond = at[a] - counts->low[a], period = counts->period[a];
        first[a] = period > 0 && beyond > period - margin ? -1 : 0;
        behind[a] = period > 0 && beyond < margin ? 2 : 1;
    }
    for (int k = first[2]; k < behind[2]; k++)
        for (int j = first[1]; j < behind[1]; j++)
            for (int i = first[0]; i < behind[0]; i++) {
                if (!i && !j && !k) continue;
                size_t place =
                    cell_place(counts, cell_at(at[0] + i * counts->period[0], counts->inverse),
                               cell_at(at[1] + j * counts->period[1], counts->inverse),
                               cell_at(at[2] + k * counts->period[2], counts->inverse));
                if (place != NO_BLOCK)
                    atomic_fetch_add_explicit(&counts->numbers[place], 1, memory_order_relaxed);
            }
}

/* Grains are in the order of a curve, so that many in a row are of one cell. */
typedef struct run {
    int32_t x, y, z;
    size_t place;
    uint32_t number;
} run;

static void end_run(rp_counts *counts, const run *r)
{
    if (r->place != NO_BLOCK && r->number)
        atomic_fetch_add_explicit(&counts->numbers[r->place], r->number, memory_order_relaxed);
}

static void count_cells(rp_counts *counts, const int32_t *x, const int32_t *y, const int32_t *z,
                        size_t count, run *r)
{
    for (size_t i = 0; i < count; i++) {
        if (x[i] != r->x || y[i] != r->y || z[i] != r->z || !r->number) {
            end_run(counts, r);
            *r = (run){x[i], y[i], z[i], cell_place(counts, x[i], y[i], z[i]), 0};
        }
        r->number++;
    }
}

void rp_counts_add(rp_counts *counts, const rp_chunk *chunk)
{
    int32_t cells[3][CELL_RUN + RP_WIDE];
    float inverse = (float)counts->inverse;
    run r = {.place = NO_BLOCK};
    for (size_t begin = 0; begin < chunk->count; begin += CELL_RUN) {
        size_t count = chunk->count - begin < CELL_RUN ? chunk->count - begin : CELL_RUN;
        cells_of(chunk->x + begin, count, inverse, cells[0]);
        cells_of(chunk->y + begin, count, inverse, cells[1]);
        cells_of(chunk->z + begin, count, inverse, cells[2]);
        count_cells(counts, cells[0], cells[1], cells[2], count, &r);
    }
    end_run(counts, &r);
    bool periodic = counts->period[0] > 0 || counts->period[1] > 0 || counts->period[2] > 0;
    for (size_t g = 0; periodic && g < chunk->count; g++)
        add_images(counts, (const float[]){chunk->x[g], chunk->y[g], chunk->z[g]});
}

typedef struct smooth_job {
    rp_counts *counts;
    float scale;
} smooth_job;

/* A block and the cells around it; x fastest. */
typedef struct surroundings {
    float numbers[FACE * FACE * FACE], room[FACE * FACE * FACE];
} surroundings;

/* A block and those beside it, x fastest; the block itself is number 13. */
static void find_blocks(const rp_counts *counts, const int64_t at[3], size_t blocks[27])
{
    for (int n = 0; n < 27; n++)
        blocks[n] = find_block(
            counts, block_key(at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1));
}

/* One row of cells along x: the last of the block before, the block's own, the first of the next.
 */
static void copy_row(const float *cells, const size_t *blocks, size_t row, float nothing, float *to)
{
    to[0] = blocks[0] == NO_BLOCK ? nothing : cells[blocks[0] * RP_COUNT_BLOCK + row + CELLS - 1];
    if (blocks[1] == NO_BLOCK)
        for (int i = 0; i < CELLS; i++)
            to[1 + i] = nothing;
    else
        memcpy(to + 1, cells + blocks[1] * RP_COUNT_BLOCK + row, CELLS * sizeof *to);
    to[FACE - 1] = blocks[2] == NO_BLOCK ? nothing : cells[blocks[2] * RP_COUNT_BLOCK + row];
}

/* The cells of a block and those next to it, x fastest; `nothing` where no block is. */
static void copy_cells(const float *cells, const size_t blocks[27], float nothing, float *to)
{
    for (int z = 0; z < FACE; z++)
        for (int y = 0; y < FACE; y++) {
            int j = y + CELLS - 1, k = z + CELLS - 1; /* cells from the start of the block before */
            size_t row = inner(0, j & (CELLS - 1), k & (CELLS - 1));
            copy_row(cells, blocks + 9 * (k / CELLS) + 3 * (j / CELLS), row, nothing,
                     to + (z * FACE + y) * FACE);
        }
}

static void gather_block(const rp_counts *counts, size_t block, surroundings *all)
{
    int64_t at[3];
    size_t blocks[27];
    block_corner(counts, block, at);
    find_blocks(counts, at, blocks);
    copy_cells(counts->plain, blocks, 0, all->numbers);
    copy_cells(counts->room, blocks, 1, all->room);
}

/* (1, 2, 1) / 4 along each axis (D9), one after the other: from 6 x 6 x 6 cells to 4 x 4 x 4. */
static void smooth_cells(const float *cells, float *to)
{
    float along_x[FACE * FACE * CELLS], along_y[FACE * CELLS * CELLS];
    for (int row = 0; row < FACE * FACE; row++)
        for (int x = 0; x < CELLS; x++) {
            const float *c = cells + row * FACE + x;
            along_x[row * CELLS + x] = 0.25f * c[0] + 0.5f * c[1] + 0.25f * c[2];
        }
    for (int z = 0; z < FACE; z++)
        for (int i = 0; i < CELLS * CELLS; i++) {
            const float *c = along_x + z * FACE * CELLS + i;
            along_y[z * CELLS * CELLS + i] = 0.25f * c[0] + 0.5f * c[CELLS] + 0.25f * c[2 * CELLS];
        }
    for (int i = 0; i < RP_COUNT_BLOCK; i++) {
        const float *c = along_y + i;
        to[i] = 0.25f * c[0] + 0.5f * c[CELLS * CELLS] + 0.25f * c[2 * CELLS * CELLS];
    }
}

static void smooth_range(void *context, rp_range range)
{
    const smooth_job *job = context;
    surroundings all;
    float room[RP_COUNT_BLOCK], numbers[RP_COUNT_BLOCK];
    for (size_t b = range.begin; b < range.end; b++) {
        gather_block(job->counts, b, &all);
        smooth_cells(all.room, room);
        smooth_cells(all.numbers, numbers);
        float *filled = job->counts->filled + b * RP_COUNT_BLOCK;
        for (int c = 0; c < RP_COUNT_BLOCK; c++)
            filled[c] = room[c] > NO_ROOM ? job->scale * numbers[c] / room[c] : 1;
    }
}

static void plain_range(void *context, rp_range range)
{
    const smooth_job *job = context;
    for (size_t c = range.begin * RP_COUNT_BLOCK; c < range.end * RP_COUNT_BLOCK; c++)
        job->counts->plain[c] = (float)job->counts->numbers[c];
}

void rp_counts_smooth(rp_counts *counts, rp_detail *detail)
{
    smooth_job job = {counts, (float)(1 / detail->packed)};
    counts->set = ++detail->sets;
    counts->push_from = (float)(PUSH_FROM + CHANCE * sqrt(CHANCE_SQUARE / detail->packed));
    rp_parallel_for(detail->threads, counts->block_count, BLOCK, plain_range, &job);
    rp_parallel_for(detail->threads, counts->block_count, BLOCK, smooth_range, &job);
}

/* (D11). */
static void set_push(rp_around *around, float from)
{
    float scale = -0.5f * PUSH / around->inverse;
    around->crowded = false;
    for (int c = 0; c < RP_COUNT_BLOCK; c++) {
        const float *filled =
            around->filled + (((c >> 4) + 1) * FACE + (c >> 2 & 3) + 1) * FACE + (c & 3) + 1;
        bool pushes = *filled > from;
        float by = pushes ? scale : 0;
        around->push[c][0] = by * (filled[1] - filled[-1]);
        around->push[c][1] = by * (filled[FACE] - filled[-FACE]);
        around->push[c][2] = by * (filled[FACE * FACE] - filled[-FACE * FACE]);
        around->crowded |= pushes;
    }
}

static void turn_to(rp_around *around, const rp_counts *counts, const int64_t at[3])
{
    size_t blocks[27];
    around->set = counts->set;
    around->inverse = (float)counts->inverse;
    for (int a = 0; a < 3; a++) {
        around->corner[a] = at[a];
        around->low[a] = (float)((double)(at[a] * CELLS) / counts->inverse);
    }
    find_blocks(counts, at, blocks);
    copy_cells(counts->filled, blocks, 0, around->filled);
    around->most = 0;
    for (int c = 0; c < FACE * FACE * FACE; c++)
        around->most = around->filled[c] > around->most ? around->filled[c] : around->most;
    set_push(around, counts->push_from);
}

const rp_around *rp_arounds_at(rp_arounds *arounds, const rp_counts *counts, const float point[3])
{
    int64_t at[3];
    for (int a = 0; a < 3; a++)
        at[a] = cell_at(point[a], counts->inverse) >> 2;
    size_t slot = (size_t)((at[0] & 3) | (at[1] & 3) << 2 | (at[2] & 3) << 4);
    rp_around *around = &arounds->items[slot];
    if (around->set != counts->set || memcmp(around->corner, at, sizeof at) != 0)
        turn_to(around, counts, at);
    return around;
}

static float clamped(float x, float low, float high)
{
    x = x > low ? x : low;
    return x < high ? x : high;
}

float rp_around_filled(const rp_around *around, const float at[3])
{
    int cell[3];
    float part[3];
    for (int a = 0; a < 3; a++) { /* from the middle of the first cell */
        float place = clamped((at[a] - around->low[a]) * around->inverse + 0.5f, 0, FACE - 1.001f);
        cell[a] = (int)place;
        part[a] = place - (float)cell[a];
    }
    const float *f = around->filled + (cell[2] * FACE + cell[1]) * FACE + cell[0];
    float along[4];
    for (int n = 0; n < 4; n++) {
        const float *row = f + (n & 1) * FACE + (n >> 1) * FACE * FACE;
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
void rp_around_cells(const rp_around *around, const float *x, const float *y, const float *z,
                     int count, int32_t *cells)
{
    RP_ASSERT(count >= 0 && count <= RP_PACKET);
    for (int i = 0; i < count; i += RP_WIDE) {
        rp_wide_int cell = cell_along(x + i, around->low[0], around->inverse) |
                           cell_along(y + i, around->low[1], around->inverse) << 2 |
                           cell_along(z + i, around->low[2], around->inverse) << 4;
        memcpy(cells + i, &cell, sizeof cell);
    }
}
