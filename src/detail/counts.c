/* How many grains there are where, on a sparse grid: blocks of 4 x 4 x 4 cells exist around clumps
 * and nowhere else. Numbers are whole, so they do not depend on the order in which threads add. */
#include "detail/inside.h"

#include <string.h>

#define AXIS_BITS 21
#define AXIS_MASK (((int64_t)1 << AXIS_BITS) - 1)
#define CELLS RP_COUNT_CELLS
#define FACE (CELLS + 2) /* cells along the edge of a block with its surroundings */
#define NO_BLOCK SIZE_MAX
/* Cells with less room than this around them are inside a solid: as full as can be. */
#define NO_ROOM 0.02f

void rp_counts_end(rp_counts *counts)
{
    rp_release(counts->blocks, counts->block_capacity * sizeof *counts->blocks);
    rp_release((void *)counts->numbers, counts->cell_capacity * sizeof *counts->numbers);
    rp_release(counts->plain, counts->cell_capacity * sizeof *counts->plain);
    rp_release(counts->room, counts->cell_capacity * sizeof *counts->room);
    rp_release(counts->filled, counts->cell_capacity * sizeof *counts->filled);
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
        size_t before = counts->cell_capacity * sizeof(float);
        rp_release((void *)counts->numbers, before);
        rp_release(counts->plain, before);
        rp_release(counts->room, before);
        rp_release(counts->filled, before);
        counts->cell_capacity = cells + cells / 4;
        size_t after = counts->cell_capacity * sizeof(float);
        counts->numbers = rp_allocate(after);
        counts->plain = rp_allocate(after);
        counts->room = rp_allocate(after);
        counts->filled = rp_allocate(after);
        if (!counts->numbers || !counts->plain || !counts->room || !counts->filled)
            return rp_fail_memory(report, 4 * after, "counts of fine grains");
    }
    memset((void *)counts->numbers, 0, bytes);
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

static void room_range(void *context, size_t begin, size_t end)
{
    const room_job *job = context;
    for (size_t b = begin; b < end; b++) {
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

static int64_t cell_at(double x, double inverse)
{
    return (int64_t)floor(x * inverse);
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
    rp_code code = fit_cells(counts, report);
    if (code != RP_OK) return code;
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
void rp_counts_add(rp_counts *counts, const rp_chunk *chunk)
{
    int64_t last[3] = {INT64_MIN, 0, 0};
    size_t place = NO_BLOCK;
    uint32_t number = 0;
    for (size_t g = 0; g < chunk->count; g++) {
        int64_t at[3] = {cell_at(chunk->x[g], counts->inverse),
                         cell_at(chunk->y[g], counts->inverse),
                         cell_at(chunk->z[g], counts->inverse)};
        if (memcmp(at, last, sizeof at) != 0) {
            if (place != NO_BLOCK)
                atomic_fetch_add_explicit(&counts->numbers[place], number, memory_order_relaxed);
            place = cell_place(counts, at[0], at[1], at[2]);
            memcpy(last, at, sizeof at);
            number = 0;
        }
        number++;
    }
    if (place != NO_BLOCK)
        atomic_fetch_add_explicit(&counts->numbers[place], number, memory_order_relaxed);
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

/* Copies the cells of a block beside the one at the middle that are next to it. */
static void copy_side(const float *cells, size_t from, const int side[3], float nothing, float *to)
{
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = side[a] < 0 ? CELLS - 1 : 0;
        high[a] = side[a] > 0 ? 1 : CELLS;
    }
    for (int k = low[2]; k < high[2]; k++)
        for (int j = low[1]; j < high[1]; j++)
            for (int i = low[0]; i < high[0]; i++) {
                int x = i + 1 + side[0] * CELLS, y = j + 1 + side[1] * CELLS,
                    z = k + 1 + side[2] * CELLS;
                to[(z * FACE + y) * FACE + x] =
                    from == NO_BLOCK ? nothing : cells[from * RP_COUNT_BLOCK + inner(i, j, k)];
            }
}

static void gather_block(const rp_counts *counts, size_t block, surroundings *all)
{
    int64_t at[3];
    block_corner(counts, block, at);
    for (int n = 0; n < 27; n++) {
        int side[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        uint64_t key = block_key(at[0] + side[0], at[1] + side[1], at[2] + side[2]);
        size_t from = find_block(counts, key);
        copy_side(counts->plain, from, side, 0, all->numbers);
        copy_side(counts->room, from, side, 1, all->room);
    }
}

/* (1, 2, 1) / 4 along each axis: (D9). */
static float smoothed(const float *cells, int x, int y, int z)
{
    static const float weights[3] = {0.25f, 0.5f, 0.25f};
    float sum = 0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                sum += weights[i] * weights[j] * weights[k] *
                       cells[((z + k) * FACE + y + j) * FACE + x + i];
    return sum;
}

static void smooth_range(void *context, size_t begin, size_t end)
{
    const smooth_job *job = context;
    surroundings all;
    for (size_t b = begin; b < end; b++) {
        gather_block(job->counts, b, &all);
        float *filled = job->counts->filled + b * RP_COUNT_BLOCK;
        for (int c = 0; c < RP_COUNT_BLOCK; c++) {
            int x = c & 3, y = c >> 2 & 3, z = c >> 4;
            float room = smoothed(all.room, x, y, z), numbers = smoothed(all.numbers, x, y, z);
            filled[c] = room > NO_ROOM ? job->scale * numbers / room : 1;
        }
    }
}

static void plain_range(void *context, size_t begin, size_t end)
{
    const smooth_job *job = context;
    for (size_t c = begin * RP_COUNT_BLOCK; c < end * RP_COUNT_BLOCK; c++)
        job->counts->plain[c] = (float)job->counts->numbers[c];
}

void rp_counts_smooth(rp_counts *counts, rp_detail *detail)
{
    smooth_job job = {counts, (float)(1 / detail->packed)};
    counts->set = ++detail->sets;
    rp_parallel_for(detail->threads, counts->block_count, BLOCK, plain_range, &job);
    rp_parallel_for(detail->threads, counts->block_count, BLOCK, smooth_range, &job);
}

void rp_around_turn(rp_around *around, const rp_counts *counts, float x, float y, float z)
{
    int64_t at[3] = {cell_at(x, counts->inverse) >> 2, cell_at(y, counts->inverse) >> 2,
                     cell_at(z, counts->inverse) >> 2};
    if (around->set == counts->set && memcmp(around->corner, at, sizeof at) == 0) return;
    around->set = counts->set;
    memcpy(around->corner, at, sizeof at);
    for (int n = 0; n < 27; n++) {
        int side[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        uint64_t key = block_key(at[0] + side[0], at[1] + side[1], at[2] + side[2]);
        copy_side(counts->filled, find_block(counts, key), side, 0, around->filled);
    }
    around->most = 0;
    for (int c = 0; c < FACE * FACE * FACE; c++)
        around->most = around->filled[c] > around->most ? around->filled[c] : around->most;
}

/* A coordinate in cells of the surroundings, from the middle of the first. */
static float inside(double x, double inverse, int64_t corner)
{
    double at = x * inverse - (double)(corner * CELLS) + 0.5;
    return (float)fmin(fmax(at, 0), FACE - 1);
}

float rp_around_filled(const rp_around *around, const rp_counts *counts, double x, double y,
                       double z)
{
    const float at[3] = {inside(x, counts->inverse, around->corner[0]),
                         inside(y, counts->inverse, around->corner[1]),
                         inside(z, counts->inverse, around->corner[2])};
    int cell[3];
    float part[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        cell[a] = at[a] < FACE - 2 ? (int)at[a] : FACE - 2;
        part[a] = at[a] - (float)cell[a];
    }
    for (int n = 0; n < 8; n++) {
        int i = n & 1, j = n >> 1 & 1, k = n >> 2;
        float weight =
            (i ? part[0] : 1 - part[0]) * (j ? part[1] : 1 - part[1]) * (k ? part[2] : 1 - part[2]);
        sum += weight * around->filled[((cell[2] + k) * FACE + cell[1] + j) * FACE + cell[0] + i];
    }
    return sum;
}

/* From where on fullness drives grains away, and by how much of a cell for a difference of 1. */
#define PUSH_FROM 1.05f
#define PUSH 0.5f

static int nearest(double x, double inverse, int64_t corner)
{
    double at = floor(x * inverse) - (double)(corner * CELLS) + 1;
    return (int)fmin(fmax(at, 1), FACE - 2);
}

bool rp_around_push(const rp_around *around, const rp_counts *counts, double x, double y, double z,
                    float way[3])
{
    int at = (nearest(z, counts->inverse, around->corner[2]) * FACE +
              nearest(y, counts->inverse, around->corner[1])) *
                 FACE +
             nearest(x, counts->inverse, around->corner[0]);
    const float *filled = around->filled + at;
    if (*filled <= PUSH_FROM) return false;
    float scale = (float)(-0.5 * PUSH / counts->inverse);
    way[0] = scale * (filled[1] - filled[-1]);
    way[1] = scale * (filled[FACE] - filled[-FACE]);
    way[2] = scale * (filled[FACE * FACE] - filled[-FACE * FACE]);
    return true;
}
