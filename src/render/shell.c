/* What can be seen (P1). Grains are counted in cells two spacings wide. A cell is thick when it and
 * the 26 around it hold nearly as many grains as they do at rest: that cannot be at a surface,
 * where a third of them is empty. A cell is buried when it and the 26 around it are thick, so at
 * least four layers of grains lie above it:
 *
 *      . o o o o .      o  with grains      Sums over 27 cells, not single ones: fine grains lie at
 *      o t t t t o      t  thick            random, and of single cells many are nearly empty.
 *      o t b b t o      b  buried           What little light finds its way down there through the
 *      o t b b t o                          pores is not worth the time.
 *
 * Single grains of many sizes are weighed instead: by the space that they fill, in cells twice as
 * wide as the largest of them, a ball that fills a place of a lattice being one. */
#include "render/shell.h"
#include "base/memory.h"
#include "base/report.h"
#include "render/dice.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define CELL 2.0         /* spacings */
#define THICK 151        /* grains in 27 cells; 216 at rest on a lattice, 144 at its surface */
#define SIDE_THICK 36    /* in the 9 of them on each side; 72 at rest */
#define FULL 16          /* in a cell; more do not make up for another that is empty */
#define COUNT_MAX 60000  /* in a cell; more are not counted */
#define WEIGHT 256       /* steps in which a grain's part of a lattice place is counted */
#define CELLS_MAX 8e7    /* more would be a few grains in a wide box: nothing to gain */
#define GRAINS_LEAST 512 /* fewer are not worth the cells */
#define BLOCK ((size_t)1 << 16)

typedef struct cells {
    rp_vec3 low;
    double per_metre;
    int nx, ny, nz; /* with an empty layer all around */
    size_t size;
    int each;                /* of a grain that fills its place of the lattice: 1 or WEIGHT */
    double per_cube;         /* 1/m3: what a single grain's volume is multiplied by */
    _Atomic uint16_t *count; /* grains, or their weights */
    uint8_t *thick, *buried;
} cells;

typedef enum lot { LEFT_OUT, STILL, MOVING } lot;

typedef struct search {
    const rp_view *view;
    const rp_shell_wish *wish;
    cells cells; /* without counts when nothing is hidden */
    rp_shell *shell;
    size_t (*places)[2]; /* of each block: how many of its grains are still and moving, then where
                            in the list they go */
} search;

/* Cells for grains that are `across` wide where they are largest. */
static bool lay_out(cells *c, rp_box3 bounds, double across)
{
    double edge = CELL * across;
    double nx = ceil((bounds.high.x - bounds.low.x) / edge) + 2;
    double ny = ceil((bounds.high.y - bounds.low.y) / edge) + 2;
    double nz = ceil((bounds.high.z - bounds.low.z) / edge) + 2;
    if (!(nx >= 7 && ny >= 7 && nz >= 7 && nx * ny * nz < CELLS_MAX)) return false;
    *c = (cells){.low = bounds.low, .per_metre = 1 / edge, .each = 1};
    c->per_cube = WEIGHT / (RP_PI / 6 * across * across * across);
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

/* What a grain counts. Parts of a step are rounded up as often as they are large, by its id, so
 * that many small grains are not lost. */
static uint16_t weight_of(const search *s, size_t i)
{
    const rp_grain_shapes *shapes = s->wish->shapes;
    if (!shapes) return 1;
    double d = (double)shapes->diameter[i], volume = rp_grain_clump(shapes, i)->volume * d * d * d;
    double weight = volume * s->cells.per_cube;
    double more = rp_mix_bits(s->view->id ? s->view->id[i] : (uint32_t)i) * 0x1p-32;
    return weight > 0 && weight < 2 * WEIGHT ? (uint16_t)(weight + more) : 0;
}

/* The counts are the same in any order of grains. */
static void count_grains(void *context, rp_range range)
{
    search *s = context;
    for (size_t i = range.begin; i < range.end; i++) {
        size_t cell = cell_of(&s->cells, grain_at(s->view, i));
        _Atomic uint16_t *count = &s->cells.count[cell];
        if (cell > 0 && atomic_load_explicit(count, memory_order_relaxed) < COUNT_MAX)
            atomic_fetch_add_explicit(count, weight_of(s, i), memory_order_relaxed);
    }
}

/* Each side is asked, too: at random many surfaces hold a few grains more than on a lattice. */
static bool is_thick(const cells *c, size_t cell)
{
    ptrdiff_t row = c->nx, sheet = row * c->ny;
    int full = FULL * c->each, sum = 0,
        sides[3][3] = {{0}}; /* by axis: before, beside and behind the cell */
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                ptrdiff_t other = (ptrdiff_t)cell + (i - 1) + (j - 1) * row + (k - 1) * sheet;
                int count = atomic_load_explicit(&c->count[other], memory_order_relaxed);
                count = count < full ? count : full;
                sum += count;
                sides[0][i] += count;
                sides[1][j] += count;
                sides[2][k] += count;
            }
    for (int axis = 0; axis < 3; axis++)
        if (sides[axis][0] < SIDE_THICK * c->each || sides[axis][2] < SIDE_THICK * c->each)
            return false;
    return sum >= THICK * c->each;
}

static bool is_buried(const cells *c, size_t cell)
{
    ptrdiff_t row = c->nx, sheet = row * c->ny;
    for (ptrdiff_t k = -sheet; k <= sheet; k += sheet)
        for (ptrdiff_t j = -row; j <= row; j += row)
            for (ptrdiff_t i = -1; i <= 1; i++)
                if (!c->thick[(ptrdiff_t)cell + i + j + k]) return false;
    return true;
}

/* Marks the cells of sheets begin + 1 to end by a rule; the layers around stay unmarked. */
static void mark_sheets(const cells *c, size_t begin, size_t end, uint8_t *marks,
                        bool (*rule)(const cells *c, size_t cell))
{
    RP_ASSERT(end + 1 < (size_t)c->nz); /* rules look at the cells around, which must be there */
    for (size_t z = begin + 1; z <= end; z++)
        for (int y = 1; y < c->ny - 1; y++) {
            size_t first = (z * (size_t)c->ny + (size_t)y) * (size_t)c->nx;
            for (size_t cell = first + 1; cell < first + (size_t)c->nx - 1; cell++)
                marks[cell] = atomic_load_explicit(&c->count[cell], memory_order_relaxed) > 0 &&
                              rule(c, cell);
        }
}

static void mark_thick(void *context, rp_range range)
{
    const cells *c = &((const search *)context)->cells;
    mark_sheets(c, range.begin, range.end, c->thick, is_thick);
}

static void mark_buried(void *context, rp_range range)
{
    const cells *c = &((const search *)context)->cells;
    mark_sheets(c, range.begin, range.end, c->buried, is_buried);
}

static rp_code find_buried(search *s, rp_threads *threads, rp_report *report)
{
    cells *c = &s->cells;
    const rp_grain_shapes *shapes = s->wish->shapes;
    bool many = s->wish->hide && s->view->count >= GRAINS_LEAST;
    double across = shapes ? shapes->largest : s->view->spacing;
    if (!many || !(across > 0) || !lay_out(c, s->wish->bounds, across)) return RP_OK;
    if (shapes) c->each = WEIGHT;
    c->count = rp_allocate_zero(c->size * sizeof *c->count);
    c->thick = rp_allocate_zero(c->size);
    c->buried = rp_allocate_zero(c->size);
    if (!c->count || !c->thick || !c->buried)
        return rp_fail_memory(report, c->size * 4, "cells of buried grains");
    rp_parallel_for(threads, s->view->count, BLOCK, count_grains, s);
    rp_parallel_for(threads, (size_t)c->nz - 2, 4, mark_thick, s);
    rp_parallel_for(threads, (size_t)c->nz - 2, 4, mark_buried, s);
    return RP_OK;
}

/* Of a grain whose middle has a finite place and goes this fast. */
static lot lot_of_single(const search *s, size_t i, double from_eye, double speed)
{
    const rp_grain_shapes *shapes = s->wish->shapes;
    double radius = rp_grain_radius(shapes, i);
    if (!(radius > 0) || from_eye < radius) return LEFT_OUT;
    if (!s->view->vx) return STILL;
    speed += radius * rp_v3_length(rp_grain_spin(shapes, i));
    double way = s->wish->exposure * speed;
    return way > RP_SHELL_STILL * radius && isfinite(way) ? MOVING : STILL;
}

static lot lot_of(const search *s, size_t i)
{
    const rp_view *view = s->view;
    rp_vec3 p = grain_at(view, i);
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) return LEFT_OUT;
    if (s->cells.count && s->cells.buried[cell_of(&s->cells, p)]) return LEFT_OUT;
    double from_eye = rp_v3_length(rp_v3_sub(p, s->wish->eye));
    bool moves = s->wish->exposure > 0 && view->vx;
    double speed = moves ? rp_v3_length(rp_v3(view->vx[i], view->vy[i], view->vz[i])) : 0;
    if (s->wish->shapes) return lot_of_single(s, i, from_eye, speed);
    if (from_eye < s->wish->clear) return LEFT_OUT;
    double way = s->wish->exposure * speed;
    return moves && way > s->wish->still && isfinite(way) ? MOVING : STILL;
}

static void count_lots(void *context, rp_range range)
{
    search *s = context;
    size_t counts[3] = {0};
    for (size_t i = range.begin; i < range.end; i++)
        counts[lot_of(s, i)]++;
    s->places[range.begin / BLOCK][0] = counts[STILL];
    s->places[range.begin / BLOCK][1] = counts[MOVING];
}

static void list_lots(void *context, rp_range range)
{
    search *s = context;
    size_t still = s->places[range.begin / BLOCK][0], moving = s->places[range.begin / BLOCK][1];
    for (size_t i = range.begin; i < range.end; i++) {
        lot l = lot_of(s, i);
        if (l == STILL) s->shell->grains[still++] = (uint32_t)i;
        if (l == MOVING) s->shell->grains[moving++] = (uint32_t)i;
    }
}

/* From counts of blocks to places in the list: all that are still, then all that move. */
static size_t add_up(search *s, size_t blocks)
{
    size_t place = 0;
    for (int list = 0; list < 2; list++) {
        for (size_t b = 0; b < blocks; b++) {
            size_t count = s->places[b][list];
            s->places[b][list] = place;
            place += count;
        }
        if (list == 0) s->shell->still = place;
    }
    return place;
}

static rp_code list_grains(search *s, rp_threads *threads, rp_report *report)
{
    size_t count = s->view->count, blocks = count / BLOCK + 1, size = blocks * sizeof *s->places;
    s->places = rp_allocate_zero(size);
    if (!s->places) return rp_fail_memory(report, size, "the grains in sight");
    rp_parallel_for(threads, count, BLOCK, count_lots, s);
    s->shell->count = add_up(s, blocks);
    s->shell->grains = rp_allocate(s->shell->count * sizeof *s->shell->grains);
    bool there = s->shell->grains || s->shell->count == 0;
    if (there) rp_parallel_for(threads, count, BLOCK, list_lots, s);
    rp_release(s->places, size);
    if (there) return RP_OK;
    return rp_fail_memory(report, s->shell->count * sizeof *s->shell->grains,
                          "the grains in sight");
}

rp_code rp_shell_find(rp_shell *shell, const rp_view *view, const rp_shell_wish *wish,
                      rp_threads *threads, rp_report *report)
{
    *shell = (rp_shell){0};
    search s = {.view = view, .wish = wish, .shell = shell};
    rp_code code = find_buried(&s, threads, report);
    if (code == RP_OK) code = list_grains(&s, threads, report);
    rp_release(s.cells.count, s.cells.size * sizeof *s.cells.count);
    rp_release(s.cells.thick, s.cells.size);
    rp_release(s.cells.buried, s.cells.size);
    return code;
}

void rp_shell_release(rp_shell *shell)
{
    rp_release(shell->grains, shell->count * sizeof *shell->grains);
    *shell = (rp_shell){0};
}
