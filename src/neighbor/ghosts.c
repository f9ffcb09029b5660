/* Periodic boundaries: the wrap of grains into the period, and ghosts, the periodic images that own
 * grains near a boundary have within their search radius. Where the period is shorter than the
 * radius there are several layers of images.
 *
 *        ghosts  |<- radius ->|low            high|<- radius ->|  ghosts
 */
#include "base/report.h"
#include "neighbor/inside.h"

#include <float.h>

/* Layers of images on each side at most; a period that is a hundred times shorter than the radius
 * is a mistake in the scene. */
#define LAYERS_MAX 100

/* One axis of the period. */
typedef struct side {
    double low, high, length; /* m */
    int layers;               /* of images on each side; 0 when the axis is not periodic */
} side;

static side side_of(const rp_period *period, int axis)
{
    const double low[3] = {period->low.x, period->low.y, period->low.z};
    const double high[3] = {period->high.x, period->high.y, period->high.z};
    if (!(period->axes >> axis & 1)) return (side){0};
    return (side){low[axis], high[axis], high[axis] - low[axis], 1};
}

typedef struct wrap_job {
    side side;
    float *x;
    float lowest; /* m, the least float that is not below `low` */
} wrap_job;

static void wrap_range(void *context, rp_range range)
{
    const wrap_job *job = context;
    const side s = job->side;
    for (size_t i = range.begin; i < range.end; i++) {
        double x = job->x[i];
        if ((x >= s.low && x < s.high) || !isfinite(x)) continue;
        float inside = (float)(x - s.length * floor((x - s.low) / s.length));
        /* Rounding to float may lead to `high` itself or just below `low`. */
        job->x[i] = inside >= s.low && inside < s.high ? inside : job->lowest;
    }
}

void rp_neighbor_wrap(const rp_neighbor *neighbor, rp_grains *grains)
{
    float *axes[3] = {grains->x, grains->y, grains->z};
    for (int a = 0; a < 3; a++) {
        wrap_job job = {.side = side_of(&neighbor->period, a), .x = axes[a]};
        if (!job.side.layers) continue; /* not periodic along this axis */
        /* Rounded up: a grain that is put there must be inside the period. */
        job.lowest = (float)job.side.low;
        if (job.lowest < job.side.low) job.lowest = nextafterf(job.lowest, FLT_MAX);
        rp_parallel_for(neighbor->threads, grains->count, RP_NEIGHBOR_BLOCK, wrap_range, &job);
    }
}

typedef struct ghost_job {
    rp_neighbor *neighbor;
    rp_grains *grains;
    side sides[3];
    rp_size_levels sizes;
    double radii[RP_LEVELS_MAX]; /* m, of each level, slightly widened; the last is the largest */
    bool write;                  /* false: count only */
} ghost_job;

static inline float image(const side *s, float x, int layer)
{
    return (float)(x + layer * s->length);
}

/* True when the image in that layer is within the radius of the period; layer 0 is the grain
 * itself.
 */
static inline bool is_seen(const side *s, double radius, float x, int layer)
{
    float at = image(s, x, layer);
    return layer == 0 || (at >= s->low - radius && at <= s->high + radius);
}

static void write_ghost(const ghost_job *job, uint64_t ghost, size_t i, const int layer[3])
{
    rp_grains *p = job->grains;
    size_t to = p->count + (size_t)ghost;
    RP_ASSERT_DEBUG(to < p->place_capacity && ghost < p->ghost_source_capacity);
    p->x[to] = layer[0] ? image(&job->sides[0], p->x[i], layer[0]) : p->x[i];
    p->y[to] = layer[1] ? image(&job->sides[1], p->y[i], layer[1]) : p->y[i];
    p->z[to] = layer[2] ? image(&job->sides[2], p->z[i], layer[2]) : p->z[i];
    job->grains->ghost_source[ghost] = (uint32_t)i;
}

/* Lists the layers, lowest first, whose image of the coordinate is within the radius. */
static int seen_layers(const side *s, double radius, float x, int layers[2 * LAYERS_MAX + 1])
{
    int count = 0;
    for (int layer = -s->layers; layer <= s->layers; layer++)
        if (is_seen(s, radius, x, layer)) layers[count++] = layer;
    return count;
}

/* The radius of images of a grain. With size levels only grains that are as large or smaller search
 * for it, so the reach of its own level suffices. */
static double radius_of(const ghost_job *job, size_t i)
{
    if (job->sizes.count == 1) return job->radii[0];
    return job->radii[rp_size_levels_find(&job->sizes, job->grains->diameter[i])];
}

/* Counts or writes the images of one grain: the product of the layers of the three axes, without
 * the grain itself. Returns the number of the next ghost. */
static uint64_t images_of(const ghost_job *job, uint64_t ghost, size_t i)
{
    const rp_grains *p = job->grains;
    int x[2 * LAYERS_MAX + 1], y[2 * LAYERS_MAX + 1], z[2 * LAYERS_MAX + 1];
    double radius = radius_of(job, i);
    int nx = seen_layers(&job->sides[0], radius, p->x[i], x);
    int ny = seen_layers(&job->sides[1], radius, p->y[i], y);
    int nz = seen_layers(&job->sides[2], radius, p->z[i], z);
    if (!job->write) return ghost + (uint64_t)nx * (uint64_t)ny * (uint64_t)nz - 1;
    for (int c = 0; c < nz; c++)
        for (int b = 0; b < ny; b++)
            for (int a = 0; a < nx; a++)
                if (x[a] || y[b] || z[c])
                    write_ghost(job, ghost++, i, (const int[]){x[a], y[b], z[c]});
    return ghost;
}

static void ghost_range(void *context, rp_range range)
{
    const ghost_job *job = context;
    /* First run: each block stores its number of ghosts; second run: it reads its first one. */
    uint64_t *first = &job->neighbor->ghost_first[range.begin / RP_NEIGHBOR_BLOCK];
    RP_ASSERT(range.begin / RP_NEIGHBOR_BLOCK < job->neighbor->ghost_block_capacity);
    uint64_t ghost = job->write ? *first : 0;
    for (size_t i = range.begin; i < range.end; i++)
        ghost = images_of(job, ghost, i);
    if (!job->write) *first = ghost;
}

static rp_code set_sides(ghost_job *job, rp_report *report)
{
    double radius = job->radii[job->sizes.count - 1];
    for (int a = 0; a < 3; a++) {
        side *s = &job->sides[a];
        *s = side_of(&job->neighbor->period, a);
        if (!s->layers) continue;
        double layers = floor(radius / s->length) + 1;
        if (layers > LAYERS_MAX)
            return rp_fail(report, RP_ERROR_INPUT,
                           "period along %c: %g m long; must be at least a %dth of the radius, "
                           "%g m",
                           'x' + a, s->length, LAYERS_MAX, radius);
        s->layers = (int)layers;
    }
    return RP_OK;
}

/* Counts the ghosts of every block, turns the counts into offsets (prefix sum) and grows the
 * arrays.
 */
static rp_code place_ghosts(ghost_job *job, size_t *total, rp_report *report)
{
    rp_neighbor *neighbor = job->neighbor;
    size_t count = job->grains->count;
    size_t blocks = (count + RP_NEIGHBOR_BLOCK - 1) / RP_NEIGHBOR_BLOCK;
    if (!rp_neighbor_reserve((void **)&neighbor->ghost_first, &neighbor->ghost_block_capacity,
                             blocks + 1, sizeof *neighbor->ghost_first))
        return rp_fail_memory(report, blocks * sizeof *neighbor->ghost_first, "ghosts");
    rp_parallel_for(neighbor->threads, count, RP_NEIGHBOR_BLOCK, ghost_range, job);
    uint64_t ghosts = 0;
    for (size_t b = 0; b < blocks; b++) {
        uint64_t here = neighbor->ghost_first[b];
        neighbor->ghost_first[b] = ghosts;
        ghosts += here;
    }
    *total = (size_t)ghosts;
    if (ghosts >= RP_NONE - count)
        return rp_fail(report, RP_ERROR_MEMORY, "%zu grains need %zu ghosts; too many to number",
                       count, *total);
    rp_grains *p = job->grains;
    if (!rp_neighbor_reserve((void **)&p->ghost_source, &p->ghost_source_capacity, *total,
                             sizeof *p->ghost_source))
        return rp_fail_memory(report, *total * sizeof *p->ghost_source, "ghosts");
    if (count + *total <= p->place_capacity) return RP_OK;
    size_t roomier = count + *total + *total / 4; /* the number fluctuates from step to step */
    return rp_grains_reserve_ghosts(p, roomier < RP_NONE ? roomier : count + *total, report);
}

/* Two passes over the grains: count, then write. Then the halo exchange of all fields that ghosts
 * have. */
static rp_code make_ghosts(ghost_job *job, rp_report *report)
{
    rp_neighbor *neighbor = job->neighbor;
    rp_grains *grains = job->grains;
    size_t total = 0;
    RP_TRY(set_sides(job, report));
    RP_TRY(place_ghosts(job, &total, report));
    job->write = true;
    rp_parallel_for(neighbor->threads, grains->count, RP_NEIGHBOR_BLOCK, ghost_range, job);
    grains->ghosts = total;
    for (int f = 0; f < grains->field_count && !grains->bare_ghosts; f++) {
        void *array = *grains->fields[f].array;
        bool position = array == grains->x || array == grains->y || array == grains->z;
        if (grains->fields[f].use & RP_FIELD_GHOST && !position)
            rp_neighbor_sync(neighbor, grains, array, rp_field_type_size(grains->fields[f].type));
    }
    return RP_OK;
}

rp_code rp_neighbor_ghosts(rp_neighbor *neighbor, rp_grains *grains, double radius,
                           rp_report *report)
{
    grains->ghosts = 0;
    if (!(neighbor->period.axes & 7)) return RP_OK;
    if (!(radius > 0 && radius <= FLT_MAX))
        return rp_fail(report, RP_ERROR_INPUT, "ghost radius %g m: must be above 0", radius);
    ghost_job job = {.neighbor = neighbor,
                     .grains = grains,
                     .sizes = {.count = 1},
                     .radii = {rp_neighbor_grid_edge(radius)}};
    return make_ghosts(&job, report);
}

rp_code rp_neighbor_ghosts_by_size(rp_neighbor *neighbor, rp_grains *grains, const rp_reach *reach,
                                   rp_report *report)
{
    grains->ghosts = 0;
    if (!(neighbor->period.axes & 7)) return RP_OK;
    ghost_job job = {.neighbor = neighbor, .grains = grains, .sizes = rp_size_levels_of(reach)};
    for (unsigned k = 0; k < job.sizes.count; k++)
        job.radii[k] = rp_neighbor_grid_edge(rp_reach_of(reach, (double)job.sizes.top[k]));
    return make_ghosts(&job, report);
}

/* --- halo exchange ---------------------------------------------------------------------------- */

typedef struct sync_job {
    const uint32_t *source;
    const char *own;
    char *ghosts;
    size_t size;
} sync_job;

/* A loop for each common size, so that the copy compiles to one load and one store. */
#define SYNC(bytes)                                                                                \
    for (size_t i = range.begin; i < range.end; i++)                                               \
    memcpy(job->ghosts + i * (bytes), job->own + job->source[i] * (size_t)(bytes), bytes)

static void sync_range(void *context, rp_range range)
{
    const sync_job *job = context;
    switch (job->size) {
    case 1:
        SYNC(1);
        break;
    case 4:
        SYNC(4);
        break;
    case 16:
        SYNC(16);
        break;
    case 32:
        SYNC(32);
        break;
    default:
        SYNC(job->size);
        break;
    }
}

void rp_neighbor_sync(rp_neighbor *neighbor, const rp_grains *grains, void *array, size_t element)
{
    if (!grains->ghosts) return;
    RP_ASSERT(grains->ghosts <= grains->ghost_source_capacity);
    sync_job job = {grains->ghost_source, array, (char *)array + grains->count * element, element};
    rp_parallel_for(neighbor->threads, grains->ghosts, RP_NEIGHBOR_BLOCK, sync_range, &job);
}

/* Adds `share` times the position of the source to each ghost: -1 makes positions offsets, 1 makes
 * them positions again. */
static void add_sources(const rp_grains *p, float share)
{
    RP_ASSERT(p->ghosts <= p->ghost_source_capacity);
    for (size_t n = 0; n < p->ghosts; n++) {
        size_t from = p->ghost_source[n], to = p->count + n;
        p->x[to] += share * p->x[from];
        p->y[to] += share * p->y[from];
        p->z[to] += share * p->z[from];
    }
}

void rp_neighbor_ghosts_detach(const rp_grains *grains)
{
    add_sources(grains, -1);
}

void rp_neighbor_ghosts_attach(const rp_grains *grains)
{
    add_sources(grains, 1);
}
