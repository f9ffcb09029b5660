/* Seeding: fine grains for new coarse ones (D1), (D2), (D13). Random numbers come from the id of a
 * fine grain alone, so positions depend neither on threads nor on chunks. */
#include "base/random.h"
#include "detail/inside.h"
#include "neighbor/morton.h"

#include <stdlib.h>

#define BLOCK 2048

/* Returns the share of fine grains in the centre cube; the six outer cubes have one unit each (D2).
 */
static double centre_share(const rp_detail_spec *spec)
{
    double centre = spec->contrast - 3;
    return centre / (centre + 6);
}

rp_vec3 rp_seeding_point(const rp_detail_spec *spec, uint64_t seed, uint64_t id)
{
    rp_random4 r = rp_random(seed, RP_RANDOM_DETAIL, id);
    rp_vec3 at = {2 * rp_random_unit(r.bits[0]) - 1, 2 * rp_random_unit(r.bits[1]) - 1,
                  2 * rp_random_unit(r.bits[2]) - 1};
    double share = centre_share(spec), choice = rp_random_unit(r.bits[3]);
    if (choice < share) return at;
    int cube = (int)(6 * (choice - share) / (1 - share));
    double side = cube & 1 ? -1 : 1;
    if (cube >> 1 == 0) at.x += side;
    if (cube >> 1 == 1) at.y += side;
    if (cube >> 1 >= 2) at.z += side;
    return at;
}

rp_vec3 rp_seeding_ball(uint64_t seed, uint64_t id)
{
    for (uint64_t attempt = 1;; attempt++) {
        rp_random4 r = rp_random(seed, RP_RANDOM_DETAIL, attempt << 32 | id);
        rp_vec3 at = {2 * rp_random_unit(r.bits[0]) - 1, 2 * rp_random_unit(r.bits[1]) - 1,
                      2 * rp_random_unit(r.bits[2]) - 1};
        if (rp_v3_dot(at, at) <= 1) return rp_v3_scale(at, RP_SEEDING_BALL_RADIUS);
    }
}

/* A new coarse grain. They are sorted by material, then along a Morton curve: chunks have one
 * material and are compact in space. */
typedef struct new_coarse {
    uint64_t key;
    uint32_t index;
    bool isolated; /* no other is within reach (D13) */
} new_coarse;

static int by_key(const void *a, const void *b)
{
    const new_coarse *left = a, *right = b;
    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

#define AXIS_BITS 18
#define MATERIAL_SHIFT 54 /* 3 times the bits of an axis */

static uint64_t cell_of(double x, double edge)
{
    return (uint64_t)((int64_t)floor(x / edge) + (1 << (AXIS_BITS - 1))) & ((1u << AXIS_BITS) - 1);
}

static size_t list_new(const rp_detail *detail, new_coarse *list)
{
    const rp_coarse_grains *last = &detail->last, *next = &detail->next;
    double edge = detail->scene->particles.spacing;
    size_t count = 0, i = 0;
    for (size_t j = 0; j < next->count; j++) {
        while (i < last->count && last->id[i] < next->id[j])
            i++;
        if (i < last->count && last->id[i] == next->id[j]) continue;
        uint64_t place = rp_morton_key(cell_of(next->x[j], edge), cell_of(next->y[j], edge),
                                       cell_of(next->z[j], edge));
        list[count++] =
            (new_coarse){(uint64_t)next->material[j] << MATERIAL_SHIFT | place, (uint32_t)j, false};
    }
    if (count) qsort(list, count, sizeof *list, by_key);
    return count;
}

typedef struct isolated_job {
    rp_detail *detail;
    new_coarse *list;
} isolated_job;

static void find_isolated_range(void *context, rp_range range)
{
    const isolated_job *job = context;
    const rp_coarse_grains *next = &job->detail->next;
    rp_detail_workspace *workspace = rp_scratch_of(&job->detail->workspaces, range.worker);
    for (size_t i = range.begin; i < range.end; i++) {
        uint32_t c = job->list[i].index;
        const float at[3] = {next->x[c], next->y[c], next->z[c]};
        job->list[i].isolated = rp_coarse_grain_is_isolated(job->detail, workspace, at);
    }
}

/* Marks the new coarse grains that have no neighbors (D13). */
static rp_code find_isolated(rp_detail *detail, new_coarse *list, size_t count, rp_report *report)
{
    if (!detail->spec->keep_apart || !count) return RP_OK;
    rp_code code = rp_coarse_field_at_next_view(detail, report);
    isolated_job job = {detail, list};
    if (code == RP_OK) rp_parallel_for(detail->threads, count, BLOCK, find_isolated_range, &job);
    return code;
}

/* A range of fine grains that goes into one chunk. */
typedef struct seed_job {
    rp_detail *detail;
    const new_coarse *list;
    uint64_t begin; /* first fine grain: index of its coarse grain times factor, plus its number */
    rp_chunk *chunk;
} seed_job;

/* A bound of the distance from a coarse grain to its fine ones, in radii: the farthest corner of an
 * outer cube is at sqrt(6). */
#define FARTHEST 2.5

static void seed_range(void *context, rp_range range)
{
    const seed_job *b = context;
    const rp_detail *detail = b->detail;
    const rp_coarse_grains *coarse = &detail->next;
    uint64_t factor = (uint64_t)detail->spec->factor, seed = (uint64_t)detail->scene->seed;
    rp_detail_workspace *workspace = rp_scratch_of(&b->detail->workspaces, range.worker);
    for (size_t k = range.begin; k < range.end; k++) {
        const new_coarse *index = &b->list[(b->begin + k) / factor];
        uint32_t c = index->index, id = b->chunk->first + (uint32_t)k;
        rp_vec3 at =
            index->isolated ? rp_seeding_ball(seed, id) : rp_seeding_point(detail->spec, seed, id);
        rp_vec3 middle = {coarse->x[c], coarse->y[c], coarse->z[c]};
        if (k == range.begin || (b->begin + k) % factor == 0)
            rp_detail_surfaces_near(detail, NULL, middle, FARTHEST * detail->radius,
                                    &workspace->near_packet);
        at = rp_v3_madd(middle, detail->radius, at);
        at = rp_detail_place_outside(detail, &workspace->near_packet, middle, at);
        b->chunk->x[k] = (float)rp_detail_wrap(&detail->scene->domain, 0, at.x);
        b->chunk->y[k] = (float)rp_detail_wrap(&detail->scene->domain, 1, at.y);
        b->chunk->z[k] = (float)rp_detail_wrap(&detail->scene->domain, 2, at.z);
        b->chunk->vx[k] = coarse->vx[c];
        b->chunk->vy[k] = coarse->vy[c];
        b->chunk->vz[k] = coarse->vz[c];
        b->chunk->local[k] = (uint16_t)k;
    }
}

/* Seeds `count` fine grains of one material from `begin` on, and adds them as a chunk. */
static rp_code seed_chunk(rp_detail *detail, const new_coarse *list, uint64_t begin, size_t count,
                          rp_report *report)
{
    uint64_t factor = (uint64_t)detail->spec->factor;
    rp_chunk chunk = detail->new_chunk;
    chunk.first = (uint32_t)detail->born;
    chunk.born = chunk.count = (uint32_t)count;
    chunk.material = detail->next.material[list[begin / factor].index];
    seed_job b = {detail, list, begin, &chunk};
    rp_parallel_for(detail->threads, count, BLOCK, seed_range, &b);
    rp_code code = rp_chunks_add(&detail->chunks, &chunk, rp_detail_buffer(detail), report);
    if (code == RP_OK) detail->born += count;
    return code;
}

/* Returns how many fine grains from `begin` on go into one chunk: of one material, and where they
 * fit, all fine grains of a coarse one together. */
static size_t chunk_length(const rp_detail *detail, const new_coarse *list, uint64_t begin,
                           uint64_t end)
{
    uint64_t factor = (uint64_t)detail->spec->factor, behind = begin;
    uint64_t whole = RP_CHUNK_MAX >= factor ? RP_CHUNK_MAX / factor * factor : RP_CHUNK_MAX;
    uint64_t most = end - begin < whole ? end : begin + whole;
    uint64_t material = list[begin / factor].key >> MATERIAL_SHIFT;
    while (behind < most && list[behind / factor].key >> MATERIAL_SHIFT == material)
        behind = (behind / factor + 1) * factor;
    return (size_t)((behind < most ? behind : most) - begin);
}

static rp_code seed_all(rp_detail *detail, const new_coarse *list, size_t count, rp_report *report)
{
    uint64_t end = count * (uint64_t)detail->spec->factor;
    if (detail->born + end > UINT32_MAX)
        return rp_fail(report, RP_ERROR_INPUT,
                       "%.3g fine grains are more than ids of 32 bits can number (4.29e9); take a "
                       "smaller factor",
                       (double)detail->born + (double)end);
    rp_code code = RP_OK;
    for (uint64_t begin = 0; begin < end && code == RP_OK;) {
        size_t length = chunk_length(detail, list, begin, end);
        code = seed_chunk(detail, list, begin, length, report);
        begin += length;
    }
    return code;
}

rp_code rp_seeding_new(rp_detail *detail, rp_report *report)
{
    size_t bytes = detail->next.count * sizeof(new_coarse);
    new_coarse *list = rp_allocate(bytes);
    if (!list) return rp_fail_memory(report, bytes, "new coarse grains");
    size_t count = list_new(detail, list);
    rp_code code = find_isolated(detail, list, count, report);
    if (code == RP_OK) code = seed_all(detail, list, count, report);
    rp_release(list, bytes);
    return code;
}
