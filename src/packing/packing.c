/* The relaxed packing (W16) of a source. Inside, each grain has the shift of the periodic tile.
 * Near the boundary of the source the tile is cut, and grains there are free to move: first their
 * densities are equalized by descending along the gradient of the squared density errors, then
 * pairs that are too near are separated, sweep by sweep, until no overlap is left. A grain never
 * leaves the space that the source may fill. */
#include "packing/packing.h"

#include "base/memory.h"
#include "math/kernel.h"
#include "packing/packing_tile.h"
#include "packing_table.h"

#include <math.h>
#include <stdlib.h>

#define NO_SITE SIZE_MAX

/* --- the tile --------------------------------------------------------------------------------- */

static int64_t tile_index(int64_t i)
{
    int64_t rest = i % RP_TILE;
    return rest < 0 ? rest + RP_TILE : rest;
}

rp_vec3 rp_packing_shift(int64_t i, int64_t j, int64_t k)
{
    int64_t at = (tile_index(k) * RP_TILE + tile_index(j)) * RP_TILE + tile_index(i);
    return rp_v3((double)tile[at][0] / RP_TILE_UNIT, (double)tile[at][1] / RP_TILE_UNIT,
                 (double)tile[at][2] / RP_TILE_UNIT);
}

/* --- the lattice ------------------------------------------------------------------------------ */

bool rp_lattice_begin_layer(rp_lattice *l)
{
    if (!rp_reserve((void **)&l->layers, &l->layer_capacity, l->layer_count, l->layer_count + 2,
                    sizeof *l->layers))
        return false;
    l->layers[l->layer_count++] = l->row_count;
    l->layers[l->layer_count] = l->row_count;
    return true;
}

bool rp_lattice_begin_row(rp_lattice *l, int32_t number)
{
    if (!rp_reserve((void **)&l->rows, &l->row_capacity, l->row_count, l->row_count + 2,
                    sizeof *l->rows))
        return false;
    /* The row before is dropped when no site was added to it. */
    bool empty =
        l->layers[l->layer_count - 1] < l->row_count && l->rows[l->row_count - 1].begin == l->count;
    l->row_count -= empty;
    l->rows[l->row_count++] = (rp_lattice_row){number, l->count};
    l->rows[l->row_count].begin = l->count;
    l->layers[l->layer_count] = l->row_count;
    return true;
}

bool rp_lattice_add(rp_lattice *l, int32_t number, double free_radius)
{
    if (!rp_reserve((void **)&l->sites, &l->capacity, l->count, l->count + 1, sizeof *l->sites))
        return false;
    l->sites[l->count++] = (rp_lattice_site){number, (float)free_radius};
    l->rows[l->row_count].begin = l->count;
    return true;
}

void rp_lattice_end(rp_lattice *l)
{
    rp_release(l->sites, l->capacity * sizeof *l->sites);
    rp_release(l->rows, l->row_capacity * sizeof *l->rows);
    rp_release(l->layers, l->layer_capacity * sizeof *l->layers);
}

/* Returns an index along an axis, wrapped into its period. */
static int32_t wrapped_index(const rp_lattice *l, int axis, int32_t number)
{
    int32_t period = l->period[axis];
    if (!period) return number;
    return number < 0 ? number + period : number >= period ? number - period : number;
}

static size_t find_row(const rp_lattice *l, int32_t j, int32_t k)
{
    j = wrapped_index(l, 1, j), k = wrapped_index(l, 2, k);
    if (k < 0 || (size_t)k >= l->layer_count) return NO_SITE;
    size_t low = l->layers[k], high = l->layers[k + 1];
    if (low == high || j < l->rows[low].number) return NO_SITE;
    /* Where no row is left out the index follows from the number; else search by bisection. */
    size_t guess = low + (size_t)(j - l->rows[low].number);
    if (guess < high && l->rows[guess].number == j) return guess;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->rows[middle].number < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->layers[k + 1] && l->rows[low].number == j ? low : NO_SITE;
}

static size_t find_site(const rp_lattice *l, size_t row, int32_t i)
{
    if (row == NO_SITE) return NO_SITE;
    i = wrapped_index(l, 0, i);
    size_t low = l->rows[row].begin, end = l->rows[row + 1].begin, high = end;
    if (low == high || i < l->sites[low].number) return NO_SITE;
    size_t guess = low + (size_t)(i - l->sites[low].number); /* when no site is left out */
    if (guess < high && l->sites[guess].number == i) return guess;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->sites[middle].number < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && l->sites[low].number == i ? low : NO_SITE;
}

/* --- relaxation near the boundary ------------------------------------------------------------- */

/* Pairs are separated by this much more than necessary, so that few sweeps suffice. */
#define MARGIN 0.01f
/* Neighbor lists hold the pairs nearer than the kernel's support, and serve for some sweeps. */
#define SUPPORT 2.0f
#define SWEEPS_PER_LIST 8
/* Neighbors of an overlapping grain that are nearer than this become free, too. */
#define NEAR_DISTANCE 1.3f
/* Densities are equalized in so many rounds, by this fraction of the gradient, for grains of so
 * many layers from the boundary inwards. */
#define DENSITY_ROUNDS 12
#define STEP_FACTOR 0.7f
#define FREE_LAYERS 2
/* A grain that moved by less than this in a sweep does not activate its neighbors. */
#define MOTION_THRESHOLD 2e-3f
#define ROUNDS 160
/* After so many rounds grains that still overlap are drawn back to their sites. */
#define ROUNDS_BEFORE_RETREAT 40

/* A neighbor, and its site relative to that of the grain. */
typedef struct neighbor {
    uint32_t grain;
    int8_t from[3];
} neighbor;

typedef struct free_grain {
    uint32_t grain;
    int32_t site[3];
    float max_shift;                 /* limit of the length of its shift */
    uint8_t boundary;                /* bits -x, +x, -y, ...: sides without a neighboring site */
    bool overlaps;                   /* another grain is too near */
    size_t list, near_end, list_end; /* its neighbors; those within NEAR_DISTANCE come first */
} free_grain;

/* Most grains keep the shift of the tile and are fixed. Free grains are those near the boundary of
 * the source, those at a seam of the tile, and neighbors that overlap with one of them. */
typedef struct relaxation {
    const rp_lattice *lattice;
    float (*shifts)[3];
    float least;     /* allowed distance of two grains */
    uint8_t *states; /* of all grains: FIXED, SETTLED or MOVED */
    float *errors;   /* relative density errors of all grains; 0 for fixed ones */
    free_grain *free;
    size_t count, capacity;
    uint32_t *active; /* free grains that overlap, or may overlap in this round */
    size_t active_count, active_capacity;
    neighbor *list;
    size_t list_count, list_capacity;
    rp_packing_free_fn *is_free;
    void *context;
} relaxation;

/* FIXED: the grain keeps the shift of the tile. SETTLED: it is free, but neither it nor a neighbor
 * has moved since its overlaps were looked for. MOVED: they have to be looked for again. */
enum { FIXED, SETTLED, MOVED };

static bool add_free_grain(relaxation *r, size_t grain, const int32_t site[3], uint8_t boundary)
{
    if (!rp_reserve((void **)&r->free, &r->capacity, r->count, r->count + 1, sizeof *r->free))
        return false;
    r->states[grain] = MOVED;
    r->free[r->count++] = (free_grain){.grain = (uint32_t)grain,
                                       .site = {site[0], site[1], site[2]},
                                       .max_shift = 2 * (float)RP_TILE_REACH,
                                       .boundary = boundary};
    return true;
}

/* True at the end of a periodic axis whose period is not a multiple of the tile: a seam. */
static bool is_at_seam(const rp_lattice *l, const int32_t site[3])
{
    for (int a = 0; a < 3; a++)
        if (l->period[a] % RP_TILE && (site[a] == 0 || site[a] == l->period[a] - 1)) return true;
    return false;
}

/* Frees the grains of a row that lack a neighboring site on some side. */
static bool find_boundary_of_row(relaxation *r, size_t row, int32_t k)
{
    const rp_lattice *l = r->lattice;
    int32_t j = l->rows[row].number;
    const size_t adjacent[4] = {find_row(l, j - 1, k), find_row(l, j + 1, k), find_row(l, j, k - 1),
                                find_row(l, j, k + 1)};
    for (size_t n = l->rows[row].begin; n < l->rows[row + 1].begin; n++) {
        const int32_t site[3] = {l->sites[n].number, j, k};
        uint8_t boundary = 0;
        for (int s = 0; s < 2; s++)
            if (find_site(l, row, site[0] + 2 * s - 1) == NO_SITE) boundary |= (uint8_t)(1 << s);
        for (int s = 0; s < 4; s++)
            if (find_site(l, adjacent[s], site[0]) == NO_SITE) boundary |= (uint8_t)(4 << s);
        if ((boundary || is_at_seam(l, site)) && !add_free_grain(r, n, site, boundary))
            return false;
    }
    return true;
}

/* Frees the grains one layer deeper than the free grains from `begin` on. */
static bool find_next_layer(relaxation *r, size_t begin)
{
    static const int8_t sides[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                       {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    for (size_t m = begin, end = r->count; m < end; m++)
        for (int s = 0; s < 6; s++) {
            int32_t at[3];
            for (int a = 0; a < 3; a++)
                at[a] = wrapped_index(r->lattice, a, r->free[m].site[a] + sides[s][a]);
            size_t n = find_site(r->lattice, find_row(r->lattice, at[1], at[2]), at[0]);
            if (n != NO_SITE && r->states[n] == FIXED && !add_free_grain(r, n, at, 0)) return false;
        }
    return true;
}

static bool find_free_grains(relaxation *r)
{
    const rp_lattice *l = r->lattice;
    for (size_t k = 0; k < l->layer_count; k++)
        for (size_t row = l->layers[k]; row < l->layers[k + 1]; row++)
            if (!find_boundary_of_row(r, row, (int32_t)k)) return false;
    for (size_t depth = 2, begin = 0, end; depth <= FREE_LAYERS; depth++, begin = end) {
        end = r->count;
        if (!find_next_layer(r, begin)) return false;
    }
    return true;
}

/* Limits a shift: not outwards over the boundary, and no longer than max_shift. */
static void limit_shift(const free_grain *m, float *shift)
{
    float square = 0, reach = (float)RP_TILE_REACH;
    for (int a = 0; a < 3; a++) {
        float low = m->boundary >> 2 * a & 1 ? 0 : -reach,
              high = m->boundary >> 2 * a & 2 ? 0 : reach;
        shift[a] = shift[a] < low ? low : shift[a] > high ? high : shift[a];
        square += shift[a] * shift[a];
    }
    if (square <= m->max_shift * m->max_shift) return;
    float scale = m->max_shift / sqrtf(square);
    for (int a = 0; a < 3; a++)
        shift[a] *= scale;
}

static float length_of(const float *v)
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void halve_shift(free_grain *m, float *shift)
{
    m->max_shift = 0.5f * length_of(shift);
    if (m->max_shift < 0.01f) m->max_shift = 0;
    limit_shift(m, shift);
}

/* Halves the shift of a grain until it lies where grains may be; at its site it always may. */
static void retreat_to_free_space(relaxation *r, free_grain *m)
{
    float *shift = r->shifts[m->grain];
    while (length_of(shift) > r->lattice->sites[m->grain].free_radius &&
           !r->is_free(r->context, m->site, shift))
        halve_shift(m, shift);
}

/* Computes the vector from a shifted grain to its neighbor; returns the square of its length. */
static float offset_to(const relaxation *r, const float *shift, const neighbor *n, float offset[3])
{
    const float *other = r->shifts[n->grain];
    for (int a = 0; a < 3; a++)
        offset[a] = (float)n->from[a] + other[a] - shift[a];
    return offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
}

static bool activate_neighbors(relaxation *r, size_t i)
{
    const free_grain m = r->free[i]; /* a copy: the array may move when grains are added */
    r->states[m.grain] = MOVED;
    for (size_t n = m.list; n < m.near_end; n++) {
        const neighbor *near = &r->list[n];
        if (r->states[near->grain] != FIXED) {
            r->states[near->grain] = MOVED;
            continue;
        }
        int32_t site[3];
        for (int a = 0; a < 3; a++)
            site[a] = wrapped_index(r->lattice, a, m.site[a] + near->from[a]);
        if (!add_free_grain(r, near->grain, site, 0)) return false;
    }
    return true;
}

static bool add_neighbor(relaxation *r, free_grain *m, neighbor n)
{
    float offset[3], square = offset_to(r, r->shifts[m->grain], &n, offset);
    if (square >= SUPPORT * SUPPORT) return true;
    if (!rp_reserve((void **)&r->list, &r->list_capacity, r->list_count, r->list_count + 1,
                    sizeof *r->list))
        return false;
    r->list[r->list_count++] = n;
    if (square < NEAR_DISTANCE * NEAR_DISTANCE) {
        r->list[r->list_count - 1] = r->list[m->near_end];
        r->list[m->near_end++] = n;
    }
    if (square >= r->least * r->least) return true;
    m->overlaps = true;
    return true;
}

/* Lists the neighbors within the kernel's support. Shifts are at most RP_TILE_REACH along an axis,
 * so the sites of near grains differ by two along each axis at most, or by three along one of them.
 */
static bool list_neighbors(relaxation *r, size_t i)
{
    const rp_lattice *l = r->lattice;
    free_grain *m = &r->free[i];
    m->overlaps = false;
    m->list = m->near_end = r->list_count;
    for (int c = -3; c <= 3; c++)
        for (int b = -3; b <= 3; b++) {
            if (b * b + c * c > 10) continue;
            size_t row = find_row(l, m->site[1] + b, m->site[2] + c);
            int most = abs(b) > 2 || abs(c) > 2 ? 1 : b * b + c * c > 1 ? 2 : 3;
            for (int a = -most; row != NO_SITE && a <= most; a++) {
                size_t at = find_site(l, row, m->site[0] + a);
                if (at == NO_SITE || at == m->grain) continue;
                neighbor n = {(uint32_t)at, {(int8_t)a, (int8_t)b, (int8_t)c}};
                if (!add_neighbor(r, m, n)) return false;
            }
        }
    m->list_end = r->list_count;
    return true;
}

static bool make_active(relaxation *r, size_t i)
{
    if (!rp_reserve((void **)&r->active, &r->active_capacity, r->active_count, r->active_count + 1,
                    sizeof *r->active))
        return false;
    r->active[r->active_count++] = (uint32_t)i;
    r->states[r->free[i].grain] = SETTLED;
    return list_neighbors(r, i) && (!r->free[i].overlaps || activate_neighbors(r, i));
}

/* Updates the lists of all grains near which something moved; `*overlaps` says whether any two
 * grains are too near. */
static bool find_overlaps(relaxation *r, bool *overlaps)
{
    r->list_count = r->active_count = 0;
    *overlaps = false;
    for (size_t i = 0; i < r->count; i++)
        if (r->states[r->free[i].grain] == MOVED) retreat_to_free_space(r, &r->free[i]);
    for (size_t i = 0; i < r->count; i++) {
        if (r->states[r->free[i].grain] == MOVED && !make_active(r, i)) return false;
        *overlaps = *overlaps || r->free[i].overlaps;
    }
    return true;
}

/* Gauss-Seidel update of one grain: moves it away from neighbors that are too near, by the whole
 * overlap where the neighbor is fixed, by half of it where the neighbor moves as well. */
static void separate(relaxation *r, const free_grain *m)
{
    float *shift = r->shifts[m->grain], wanted = r->least + MARGIN;
    const float before[3] = {shift[0], shift[1], shift[2]};
    for (size_t n = m->list; n < m->near_end; n++) {
        float offset[3], square = offset_to(r, shift, &r->list[n], offset);
        if (square >= wanted * wanted) continue;
        float distance = sqrtf(square) + 1e-6f;
        float part = r->states[r->list[n].grain] == FIXED ? 1 : 0.5f;
        for (int a = 0; a < 3; a++)
            shift[a] -= part * (wanted - distance) / distance * offset[a];
    }
    limit_shift(m, shift);
    const float offset[3] = {shift[0] - before[0], shift[1] - before[1], shift[2] - before[2]};
    if (length_of(offset) < MOTION_THRESHOLD) return;
    r->states[m->grain] = MOVED;
    for (size_t n = m->list; n < m->near_end; n++)
        if (r->states[r->list[n].grain] == SETTLED) r->states[r->list[n].grain] = MOVED;
}

/* --- equal densities -------------------------------------------------------------------------- */

/* Returns the relative density error as the solver sees it (G4): the kernel deficiency beyond the
 * boundary is estimated from the gradient of the kernel sum. */
static float density_error(const relaxation *r, rp_kernel kernel, float lattice,
                           const free_grain *m)
{
    const float *shift = r->shifts[m->grain];
    float sum = rp_kernel_value(kernel, 0), gradient[3] = {0, 0, 0};
    for (size_t n = m->list; n < m->list_end; n++) {
        float offset[3], distance = sqrtf(offset_to(r, shift, &r->list[n], offset)) + 1e-6f;
        float slope = rp_kernel_slope(kernel, distance) / distance;
        sum += rp_kernel_value(kernel, distance);
        for (int a = 0; a < 3; a++)
            gradient[a] += slope * offset[a];
    }
    float square =
        (gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2]) /
        (lattice * lattice);
    float deficiency = 0.577f * square < 0.45f ? 0.577f * square : 0.45f;
    return sum / lattice - 1 + deficiency;
}

/* Moves a grain along the negative gradient of the density errors, as pressure would. */
static void descend(const relaxation *r, rp_kernel kernel, const free_grain *m)
{
    float *shift = r->shifts[m->grain], slopes[3] = {0, 0, 0};
    for (size_t n = m->list; n < m->list_end; n++) {
        float offset[3], distance = sqrtf(offset_to(r, shift, &r->list[n], offset)) + 1e-6f;
        float slope = (r->errors[m->grain] + r->errors[r->list[n].grain]) *
                      rp_kernel_slope(kernel, distance) / distance;
        for (int a = 0; a < 3; a++)
            slopes[a] += slope * offset[a];
    }
    for (int a = 0; a < 3; a++)
        shift[a] += STEP_FACTOR * slopes[a];
    limit_shift(m, shift);
}

/* Small motions do not trigger an update, so that all free grains are checked once more. */
static bool find_all_overlaps(relaxation *r, bool *overlaps)
{
    for (size_t i = 0; i < r->count; i++)
        r->states[r->free[i].grain] = MOVED;
    return find_overlaps(r, overlaps);
}

static bool remove_overlaps(relaxation *r, bool *overlaps)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (!find_overlaps(r, overlaps)) return false;
        if (!*overlaps && !find_all_overlaps(r, overlaps)) return false;
        if (!*overlaps) return true;
        for (size_t i = 0; i < r->count && round >= ROUNDS_BEFORE_RETREAT; i++)
            if (r->free[i].overlaps) halve_shift(&r->free[i], r->shifts[r->free[i].grain]);
        for (int s = 0; s < SWEEPS_PER_LIST; s++)
            for (size_t i = 0; i < r->active_count; i++)
                separate(r, &r->free[r->active[i]]);
    }
    return true;
}

static bool equalize_densities(relaxation *r)
{
    rp_kernel kernel = rp_kernel_of((double)SUPPORT);
    float lattice = (float)rp_kernel_lattice_sum(kernel, 1);
    bool overlaps;
    if (!find_all_overlaps(r, &overlaps)) return false;
    for (int round = 0; round < DENSITY_ROUNDS; round++) {
        for (size_t i = 0; i < r->count; i++)
            r->errors[r->free[i].grain] = density_error(r, kernel, lattice, &r->free[i]);
        for (size_t i = 0; i < r->count; i++)
            descend(r, kernel, &r->free[i]);
        for (size_t i = 0; i < r->count; i++)
            separate(r, &r->free[i]);
    }
    return true;
}

/* Sets the shifts of the tile. Grains at the boundary start in the plane of their sites. */
static void start_from_tile(relaxation *r, const int32_t origin[3])
{
    const rp_lattice *l = r->lattice;
    for (size_t k = 0; k < l->layer_count; k++)
        for (size_t row = l->layers[k]; row < l->layers[k + 1]; row++)
            for (size_t n = l->rows[row].begin; n < l->rows[row + 1].begin; n++) {
                rp_vec3 shift = rp_packing_shift((int64_t)origin[0] + l->sites[n].number,
                                                 (int64_t)origin[1] + l->rows[row].number,
                                                 (int64_t)origin[2] + (int64_t)k);
                r->shifts[n][0] = (float)shift.x;
                r->shifts[n][1] = (float)shift.y;
                r->shifts[n][2] = (float)shift.z;
            }
    for (size_t i = 0; i < r->count; i++)
        for (int a = 0; a < 3; a++)
            if (r->free[i].boundary >> 2 * a & 3) r->shifts[r->free[i].grain][a] = 0;
}

rp_code rp_packing_relax(const rp_lattice *lattice, const int32_t origin[3], double least,
                         rp_packing_free_fn *is_free, void *context, float (*shifts)[3],
                         bool *relaxed, rp_report *report)
{
    relaxation r = {.lattice = lattice,
                    .shifts = shifts,
                    .least = (float)least,
                    .is_free = is_free,
                    .context = context};
    r.states = rp_allocate_zero(lattice->count); /* all FIXED */
    r.errors = rp_allocate_zero(lattice->count * sizeof *r.errors);
    bool overlaps = false, made = r.states && r.errors && find_free_grains(&r);
    /* 1. Start from the tile. 2. Equalize densities. 3. Remove the overlaps that are left. */
    if (made) {
        start_from_tile(&r, origin);
        made = equalize_densities(&r) && remove_overlaps(&r, &overlaps);
    }
    *relaxed = made && !overlaps;
    rp_release(r.states, lattice->count);
    rp_release(r.errors, lattice->count * sizeof *r.errors);
    rp_release(r.free, r.capacity * sizeof *r.free);
    rp_release(r.active, r.active_capacity * sizeof *r.active);
    rp_release(r.list, r.list_capacity * sizeof *r.list);
    return made ? RP_OK
                : rp_fail_memory(report, lattice->count * sizeof(free_grain),
                                 "the positions of grains");
}
