/* Grains are counted in cells two spacings wide. A cell that is full, and whose 26 neighbours are
 * full, lies at least two layers of grains below any surface:
 *
 *      . o o o .      o  full         What little light finds its way down there through the pores
 *      o o x o o      x  buried       is not worth the time.
 *      o x x x o
 */
#include "render/shell.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define CELL 2.0         /* spacings */
#define FULL 5           /* grains; 8 at rest on a lattice */
#define CELLS_MAX 8e7    /* more would be a few grains in a wide box: nothing to gain */
#define GRAINS_LEAST 512 /* fewer are not worth the cells */

typedef struct cells {
    rp_vec3 low;
    double per_metre;
    int nx, ny, nz; /* with an empty layer all around */
    uint8_t *count; /* grains, up to 255 */
    size_t size;
} cells;

static bool lay_out(cells *c, rp_box3 bounds, double spacing)
{
    double edge = CELL * spacing;
    double nx = ceil((bounds.high.x - bounds.low.x) / edge) + 2;
    double ny = ceil((bounds.high.y - bounds.low.y) / edge) + 2;
    double nz = ceil((bounds.high.z - bounds.low.z) / edge) + 2;
    if (!(nx >= 5 && ny >= 5 && nz >= 5 && nx * ny * nz < CELLS_MAX)) return false;
    *c = (cells){.low = bounds.low, .per_metre = 1 / edge};
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

static void count_grains(cells *c, const rp_view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        size_t cell = cell_of(c, grain_at(view, i));
        if (c->count[cell] < UINT8_MAX) c->count[cell]++;
    }
    c->count[0] = 0;
}

/* Whether a cell and the 26 around it are full. The layer around keeps the sums inside. */
static bool is_buried(const cells *c, size_t cell)
{
    ptrdiff_t row = c->nx, sheet = row * c->ny;
    for (ptrdiff_t k = -sheet; k <= sheet; k += sheet)
        for (ptrdiff_t j = -row; j <= row; j += row)
            for (ptrdiff_t i = -1; i <= 1; i++)
                if (c->count[(ptrdiff_t)cell + i + j + k] < FULL) return false;
    return true;
}

static bool list_grains(rp_shell *shell, const cells *c, const rp_view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        rp_vec3 p = grain_at(view, i);
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) continue;
        size_t cell = c->count ? cell_of(c, p) : 0;
        if (cell > 0 && is_buried(c, cell)) continue;
        if (!rp_reserve((void **)&shell->grains, &shell->capacity, shell->count, shell->count + 1,
                        sizeof *shell->grains))
            return false;
        shell->grains[shell->count++] = (uint32_t)i;
    }
    return true;
}

rp_code rp_shell_find(rp_shell *shell, const rp_view *view, rp_box3 bounds, bool hide,
                      rp_report *report)
{
    memset(shell, 0, sizeof *shell);
    cells c = {0};
    if (hide && view->count >= GRAINS_LEAST && lay_out(&c, bounds, view->spacing)) {
        c.count = rp_allocate_zero(c.size);
        if (!c.count) return rp_fail_memory(report, c.size, "cells of buried grains");
        count_grains(&c, view);
    }
    bool listed = list_grains(shell, &c, view);
    rp_release(c.count, c.size);
    if (listed) return RP_OK;
    return rp_fail_memory(report, view->count * sizeof *shell->grains, "the grains in sight");
}

void rp_shell_release(rp_shell *shell)
{
    rp_release(shell->grains, shell->capacity * sizeof *shell->grains);
    memset(shell, 0, sizeof *shell);
}
