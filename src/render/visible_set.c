/* The visible set (P1): which grains the BVH holds. Grains are counted in cells two spacings wide.
 * A cell is dense when it and the 26 around it hold nearly as many grains as they do at rest: that
 * cannot be at a surface, where a third of them is empty. A cell is buried when it and the 26
 * around it are dense, so at least four layers of grains lie above it:
 *
 *      . o o o o .      o  with grains      Sums over 27 cells, not single ones: fine grains lie at
 *      o d d d d o      d  dense            random, and of single cells many are nearly empty.
 *      o d b b d o      b  buried           What little light finds its way down there through the
 *      o d b b d o                          pores is not worth the time.
 *
 * Grains of many sizes are weighed instead of counted: by the volume of their spheres, in cells
 * twice as wide as the largest of them, in units of a sphere that fills a lattice site.
 *
 * Steps: count grains per cell; mark dense cells; mark buried cells; classify each grain as culled,
 * static or moving, and list the last two in ascending order by a prefix sum over blocks. */
#include "base/memory.h"
#include "render/inside.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define CELL 2.0        /* spacings */
#define DENSE_COUNT 151 /* grains in 27 cells; 216 at rest on a lattice, 144 at its surface */
#define DENSE_SIDE 36   /* in the 9 of them on each side; 72 at rest */
#define CELL_FULL 16    /* in a cell; more do not make up for another that is empty */
#define COUNT_MAX 60000 /* in a cell; more are not counted */
#define WEIGHT 256      /* steps in which a grain's part of a lattice site is counted */
#define CELLS_MAX 8e7   /* more would be a few grains in a wide box: nothing to gain */
#define GRAINS_MIN 512  /* fewer are not worth the cells */
#define BLOCK ((size_t)1 << 16)
_Static_assert(COUNT_MAX + 2 * WEIGHT <= UINT16_MAX, "counts of 16 bits do not overflow");

typedef struct cells {
    rp_vec3 low;
    double per_metre;
    int nx, ny, nz; /* with an empty layer all around */
    size_t size;
    int unit;                /* of a grain that fills its lattice site: 1 or WEIGHT */
    double weight_per_cube;  /* 1/m3: what the volume of a grain with shape is multiplied by */
    _Atomic uint16_t *count; /* grains, or their weights */
    uint8_t *dense, *buried;
} cells;

typedef enum grain_class { CULLED, STATIC, MOVING } grain_class;

typedef struct search {
    const rp_view *view;
    const rp_visible_set_options *options;
    cells cells; /* without counts when nothing is culled */
    rp_visible_set *set;
    size_t (*places)[2]; /* of each block: the numbers of its static and moving grains; after the
                            prefix sum, the places of the first of them in the list */
} search;

/* --- buried cells ----------------------------------------------------------------------------- */

/* Lays cells over the bounds, for grains whose largest diameter is `diameter`, m. False when there
 * would be too few cells for a buried one, or too many. */
static bool lay_out(cells *c, rp_box3 bounds, double diameter)
{
    double edge = CELL * diameter;
    double nx = ceil((bounds.high.x - bounds.low.x) / edge) + 2;
    double ny = ceil((bounds.high.y - bounds.low.y) / edge) + 2;
    double nz = ceil((bounds.high.z - bounds.low.z) / edge) + 2;
    if (!(nx >= 7 && ny >= 7 && nz >= 7 && nx * ny * nz < CELLS_MAX)) return false;
    *c = (cells){.low = bounds.low, .per_metre = 1 / edge, .unit = 1};
    c->weight_per_cube = WEIGHT / (RP_PI / 6 * diameter * diameter * diameter);
    c->nx = (int)nx;
    c->ny = (int)ny;
    c->nz = (int)nz;
    c->size = (size_t)c->nx * (size_t)c->ny * (size_t)c->nz;
    return true;
}

/* The cell of a point; cell 0, in the empty layer, for all outside. */
static size_t cell_of(const cells *c, rp_vec3 p)
{
    rp_vec3 v = rp_v3_scale(rp_v3_sub(p, c->low), c->per_metre);
    if (!(v.x >= 0 && v.y >= 0 && v.z >= 0)) return 0;
    if (!(v.x < c->nx - 2 && v.y < c->ny - 2 && v.z < c->nz - 2)) return 0;
    size_t row = ((size_t)v.z + 1) * (size_t)c->ny + (size_t)v.y + 1;
    return row * (size_t)c->nx + (size_t)v.x + 1;
}

static rp_vec3 grain_at(const rp_view *view, size_t i)
{
    return rp_v3(view->x[i], view->y[i], view->z[i]);
}

/* What a grain counts. Fractions of a step are rounded up at random, as often as they are large, by
 * a hash of the id, so that many small grains are not lost. */
static uint16_t weight_of(const search *s, size_t i)
{
    const rp_grain_shapes *shapes = s->options->shapes;
    if (!shapes) return 1;
    double d = (double)shapes->diameter[i];
    double volume = rp_grain_shapes_clump(shapes, i)->volume * d * d * d;
    double weight = volume * s->cells.weight_per_cube;
    double dither = rp_sampler_hash(s->view->id ? s->view->id[i] : (uint32_t)i) * 0x1p-32;
    return weight > 0 && weight < 2 * WEIGHT ? (uint16_t)(weight + dither) : 0;
}

/* Counts are integers, so they are the same in any order of grains. */
static void count_grains(void *context, rp_range range)
{
    search *s = context;
    for (size_t i = range.begin; i < range.end; i++) {
        size_t cell = cell_of(&s->cells, grain_at(s->view, i));
        RP_ASSERT_DEBUG(cell < s->cells.size);
        _Atomic uint16_t *count = &s->cells.count[cell];
        if (cell > 0 && atomic_load_explicit(count, memory_order_relaxed) < COUNT_MAX)
            atomic_fetch_add_explicit(count, weight_of(s, i), memory_order_relaxed);
    }
}

/* Enough grains in the 27 cells, and in each of the six outer layers of nine: where grains lie at
 * random, many surfaces hold a few grains more than on a lattice. */
static bool is_dense(const cells *c, size_t cell)
{
    ptrdiff_t row = c->nx, sheet = row * c->ny;
    int full = CELL_FULL * c->unit, sum = 0;
    int layers[3][3] = {{0}}; /* by axis: the nine cells before, beside and behind */
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                ptrdiff_t other = (ptrdiff_t)cell + (i - 1) + (j - 1) * row + (k - 1) * sheet;
                int count = atomic_load_explicit(&c->count[other], memory_order_relaxed);
                count = count < full ? count : full;
                sum += count;
                layers[0][i] += count;
                layers[1][j] += count;
                layers[2][k] += count;
            }
    for (int axis = 0; axis < 3; axis++)
        if (layers[axis][0] < DENSE_SIDE * c->unit || layers[axis][2] < DENSE_SIDE * c->unit)
            return false;
    return sum >= DENSE_COUNT * c->unit;
}

/* All 27 cells are dense: a morphological erosion of the dense region. */
static bool is_buried(const cells *c, size_t cell)
{
    ptrdiff_t row = c->nx, sheet = row * c->ny;
    for (ptrdiff_t k = -sheet; k <= sheet; k += sheet)
        for (ptrdiff_t j = -row; j <= row; j += row)
            for (ptrdiff_t i = -1; i <= 1; i++)
                if (!c->dense[(ptrdiff_t)cell + i + j + k]) return false;
    return true;
}

/* Marks the cells of sheets begin + 1 to end by a rule; the layers around stay unmarked. */
static void mark_sheets(const cells *c, size_t begin, size_t end, uint8_t *marks,
                        bool (*rule)(const cells *c, size_t cell))
{
    RP_ASSERT(end + 1 < (size_t)c->nz); /* rules read the cells around, which must be there */
    for (size_t z = begin + 1; z <= end; z++)
        for (int y = 1; y < c->ny - 1; y++) {
            size_t first = (z * (size_t)c->ny + (size_t)y) * (size_t)c->nx;
            for (size_t cell = first + 1; cell < first + (size_t)c->nx - 1; cell++)
                marks[cell] = atomic_load_explicit(&c->count[cell], memory_order_relaxed) > 0 &&
                              rule(c, cell);
        }
}

static void mark_dense(void *context, rp_range range)
{
    const cells *c = &((const search *)context)->cells;
    mark_sheets(c, range.begin, range.end, c->dense, is_dense);
}

static void mark_buried(void *context, rp_range range)
{
    const cells *c = &((const search *)context)->cells;
    mark_sheets(c, range.begin, range.end, c->buried, is_buried);
}

static rp_code find_buried(search *s, rp_threads *threads, rp_report *report)
{
    cells *c = &s->cells;
    const rp_grain_shapes *shapes = s->options->shapes;
    bool many = s->options->cull && s->view->count >= GRAINS_MIN;
    double diameter = shapes ? shapes->largest : s->view->spacing;
    if (!many || !(diameter > 0) || !lay_out(c, s->options->bounds, diameter)) return RP_OK;
    if (shapes) c->unit = WEIGHT;
    c->count = rp_allocate_zero(c->size * sizeof *c->count);
    c->dense = rp_allocate_zero(c->size);
    c->buried = rp_allocate_zero(c->size);
    if (!c->count || !c->dense || !c->buried)
        return rp_fail_memory(report, c->size * 4, "cells of buried grains");
    rp_parallel_for(threads, s->view->count, BLOCK, count_grains, s);
    rp_parallel_for(threads, (size_t)c->nz - 2, 4, mark_dense, s);
    rp_parallel_for(threads, (size_t)c->nz - 2, 4, mark_buried, s);
    return RP_OK;
}

/* --- the list of visible grains --------------------------------------------------------------- */

/* Class of a grain with a shape, whose centre is finite, at a distance from the eye, m, with a
 * speed, m/s. Rotation moves the surface, too. */
static grain_class class_of_shape(const search *s, size_t i, double from_eye, double speed)
{
    const rp_grain_shapes *shapes = s->options->shapes;
    double radius = rp_grain_shapes_radius(shapes, i);
    if (!(radius > 0) || from_eye < radius) return CULLED;
    if (!s->view->vx) return STATIC;
    speed += radius * rp_v3_length(rp_grain_shapes_angular_velocity(shapes, i));
    double displacement = s->options->exposure * speed;
    return displacement > RP_STATIC_DISPLACEMENT * radius && isfinite(displacement) ? MOVING
                                                                                    : STATIC;
}

static grain_class class_of(const search *s, size_t i)
{
    const rp_view *view = s->view;
    rp_vec3 p = grain_at(view, i);
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) return CULLED;
    if (s->cells.count && s->cells.buried[cell_of(&s->cells, p)]) return CULLED;
    double from_eye = rp_v3_length(rp_v3_sub(p, s->options->eye));
    bool moves = s->options->exposure > 0 && view->vx;
    double speed = moves ? rp_v3_length(rp_v3(view->vx[i], view->vy[i], view->vz[i])) : 0;
    if (s->options->shapes) return class_of_shape(s, i, from_eye, speed);
    if (from_eye < s->options->near_distance) return CULLED;
    double displacement = s->options->exposure * speed;
    return moves && displacement > s->options->static_limit && isfinite(displacement) ? MOVING
                                                                                      : STATIC;
}

/* First pass: how many of each class a block has. */
static void count_classes(void *context, rp_range range)
{
    search *s = context;
    size_t counts[3] = {0};
    RP_ASSERT(range.begin % BLOCK == 0);
    for (size_t i = range.begin; i < range.end; i++)
        counts[class_of(s, i)]++;
    s->places[range.begin / BLOCK][0] = counts[STATIC];
    s->places[range.begin / BLOCK][1] = counts[MOVING];
}

/* Second pass: every block writes to its own places. */
static void list_classes(void *context, rp_range range)
{
    search *s = context;
    RP_ASSERT(range.begin % BLOCK == 0);
    size_t at_rest = s->places[range.begin / BLOCK][0], moving = s->places[range.begin / BLOCK][1];
    for (size_t i = range.begin; i < range.end; i++) {
        grain_class class = class_of(s, i);
        if (class == STATIC) s->set->grains[at_rest++] = (uint32_t)i;
        if (class == MOVING) s->set->grains[moving++] = (uint32_t)i;
    }
}

/* Exclusive prefix sum over blocks: all static grains, then all that move. Returns the total. */
static size_t prefix_sum(search *s, size_t blocks)
{
    size_t place = 0;
    for (int list = 0; list < 2; list++) {
        for (size_t b = 0; b < blocks; b++) {
            size_t count = s->places[b][list];
            s->places[b][list] = place;
            place += count;
        }
        if (list == 0) s->set->static_count = place;
    }
    return place;
}

static rp_code list_grains(search *s, rp_threads *threads, rp_report *report)
{
    size_t count = s->view->count, blocks = count / BLOCK + 1, size = blocks * sizeof *s->places;
    s->places = rp_allocate_zero(size);
    if (!s->places) return rp_fail_memory(report, size, "the visible grains");
    rp_parallel_for(threads, count, BLOCK, count_classes, s);
    s->set->count = prefix_sum(s, blocks);
    s->set->grains = rp_allocate(s->set->count * sizeof *s->set->grains);
    bool allocated = s->set->grains || s->set->count == 0;
    if (allocated) rp_parallel_for(threads, count, BLOCK, list_classes, s);
    rp_release(s->places, size);
    if (allocated) return RP_OK;
    return rp_fail_memory(report, s->set->count * sizeof *s->set->grains, "the visible grains");
}

rp_code rp_visible_set_find(rp_visible_set *set, const rp_view *view,
                            const rp_visible_set_options *options, rp_threads *threads,
                            rp_report *report)
{
    *set = (rp_visible_set){0};
    search s = {.view = view, .options = options, .set = set};
    rp_code code = find_buried(&s, threads, report);
    if (code == RP_OK) code = list_grains(&s, threads, report);
    rp_release(s.cells.count, s.cells.size * sizeof *s.cells.count);
    rp_release(s.cells.dense, s.cells.size);
    rp_release(s.cells.buried, s.cells.size);
    return code;
}

void rp_visible_set_release(rp_visible_set *set)
{
    rp_release(set->grains, set->count * sizeof *set->grains);
    *set = (rp_visible_set){0};
}
