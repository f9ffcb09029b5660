/* The relaxed packing (W16) of a source: the tile inside; near its ends grains are moved apart once
 * more, within what the source leaves them. */
#include "world/packing.h"

#include "base/memory.h"
#include "math/kernel.h"
#include "packing_table.h"
#include "world/packing_tile.h"

#include <math.h>
#include <stdlib.h>

#define NONE SIZE_MAX

/* --- the tile --------------------------------------------------------------------------------- */

static int64_t tile_number(int64_t i)
{
    int64_t rest = i % RP_TILE;
    return rest < 0 ? rest + RP_TILE : rest;
}

rp_vec3 rp_packing_shift(int64_t i, int64_t j, int64_t k)
{
    int64_t at = (tile_number(k) * RP_TILE + tile_number(j)) * RP_TILE + tile_number(i);
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
    bool empty = l->layers[l->layer_count - 1] < l->row_count &&
                 l->rows[l->row_count - 1].begin == l->count; /* the one before */
    l->row_count -= empty;
    l->rows[l->row_count++] = (rp_lattice_row){number, l->count};
    l->rows[l->row_count].begin = l->count;
    l->layers[l->layer_count] = l->row_count;
    return true;
}

bool rp_lattice_add(rp_lattice *l, int32_t number, double reach)
{
    if (!rp_reserve((void **)&l->places, &l->capacity, l->count, l->count + 1, sizeof *l->places))
        return false;
    l->places[l->count++] = (rp_lattice_place){number, (float)reach};
    l->rows[l->row_count].begin = l->count;
    return true;
}

void rp_lattice_end(rp_lattice *l)
{
    rp_release(l->places, l->capacity * sizeof *l->places);
    rp_release(l->rows, l->row_capacity * sizeof *l->rows);
    rp_release(l->layers, l->layer_capacity * sizeof *l->layers);
}

/* A number of an axis, brought into its period. */
static int32_t wrapped(const rp_lattice *l, int axis, int32_t number)
{
    int32_t period = l->period[axis];
    if (!period) return number;
    return number < 0 ? number + period : number >= period ? number - period : number;
}

static size_t find_row(const rp_lattice *l, int32_t j, int32_t k)
{
    j = wrapped(l, 1, j), k = wrapped(l, 2, k);
    if (k < 0 || (size_t)k >= l->layer_count) return NONE;
    size_t low = l->layers[k], high = l->layers[k + 1];
    if (low == high || j < l->rows[low].number) return NONE;
    size_t straight = low + (size_t)(j - l->rows[low].number); /* when no row is left out */
    if (straight < high && l->rows[straight].number == j) return straight;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->rows[middle].number < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->layers[k + 1] && l->rows[low].number == j ? low : NONE;
}

static size_t find_in_row(const rp_lattice *l, size_t row, int32_t i)
{
    if (row == NONE) return NONE;
    i = wrapped(l, 0, i);
    size_t low = l->rows[row].begin, end = l->rows[row + 1].begin, high = end;
    if (low == high || i < l->places[low].number) return NONE;
    size_t straight = low + (size_t)(i - l->places[low].number); /* when no place is left out */
    if (straight < high && l->places[straight].number == i) return straight;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->places[middle].number < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && l->places[low].number == i ? low : NONE;
}

/* --- relaxation near the ends ----------------------------------------------------------------- */

/* Grains are moved apart by so much more than they have to, so that they are soon far enough. */
#define MARGIN 0.01f
/* Lists hold the pairs nearer than the kernel's support for so many sweeps. */
#define SUPPORT 2.0f
#define SWEEPS 8
/* Those nearer than this to a crowded grain have to move with it. */
#define WAKING 1.3f
/* Grains near the ends are evened out so often, by so much of what their densities ask for, down to
 * so many steps from the end. */
#define EVEN_ROUNDS 12
#define STRIDE 0.7f
#define DEPTH 2
/* Those near a grain that went less far in a sweep need not look around. */
#define STIRRING 2e-3f
#define ROUNDS 160
/* After so many rounds grains that still find no room are drawn back to their lattice. */
#define PATIENCE 40

/* A neighbor, and its place in the lattice seen from the grain's own. */
typedef struct neighbor {
    uint32_t grain;
    int8_t from[3];
} neighbor;

typedef struct mover {
    uint32_t grain;
    int32_t place[3];
    float leash;                     /* the longest shift that it may have */
    uint8_t ends;                    /* bits -x, +x, -y, ...: sides where the source ends */
    bool crowded;                    /* another is too near */
    size_t list, near_end, list_end; /* its neighbors; those that may press on it come first */
} mover;

/* Grains of the tile stay where they are. Movers are those where the source ends and the tile does
 * not go on, and those that come in their way. */
typedef struct relaxation {
    const rp_lattice *lattice;
    float (*shifts)[3];
    float least;     /* distance of any two */
    uint8_t *states; /* of all grains */
    float *errors;   /* of the densities of all grains; 0 for those that stay */
    mover *movers;
    size_t count, capacity;
    uint32_t *active; /* movers that are too near to others or may come to be in this round */
    size_t active_count, active_capacity;
    neighbor *list;
    size_t list_count, list_capacity;
    rp_packing_free_fn *is_free;
    void *context;
} relaxation;

/* What a grain does: it is no mover; it is one, and nothing near it has moved of late; or that has.
 */
enum { STAYS, RESTS, STIRS };

static bool add_mover(relaxation *r, size_t grain, const int32_t place[3], uint8_t ends)
{
    if (!rp_reserve((void **)&r->movers, &r->capacity, r->count, r->count + 1, sizeof *r->movers))
        return false;
    r->states[grain] = STIRS;
    r->movers[r->count++] = (mover){.grain = (uint32_t)grain,
                                    .place = {place[0], place[1], place[2]},
                                    .leash = 2 * (float)RP_TILE_REACH,
                                    .ends = ends};
    return true;
}

/* Whether the tile does not go on beyond this place, because its period is not the axis's. */
static bool is_seam(const rp_lattice *l, const int32_t place[3])
{
    for (int a = 0; a < 3; a++)
        if (l->period[a] % RP_TILE && (place[a] == 0 || place[a] == l->period[a] - 1)) return true;
    return false;
}

/* The grains of a row whose neighbor is missing on some side. */
static bool find_ends_of_row(relaxation *r, size_t row, int32_t k)
{
    const rp_lattice *l = r->lattice;
    int32_t j = l->rows[row].number;
    const size_t beside[4] = {find_row(l, j - 1, k), find_row(l, j + 1, k), find_row(l, j, k - 1),
                              find_row(l, j, k + 1)};
    for (size_t n = l->rows[row].begin; n < l->rows[row + 1].begin; n++) {
        const int32_t place[3] = {l->places[n].number, j, k};
        uint8_t ends = 0;
        for (int s = 0; s < 2; s++)
            if (find_in_row(l, row, place[0] + 2 * s - 1) == NONE) ends |= (uint8_t)(1 << s);
        for (int s = 0; s < 4; s++)
            if (find_in_row(l, beside[s], place[0]) == NONE) ends |= (uint8_t)(4 << s);
        if ((ends || is_seam(l, place)) && !add_mover(r, n, place, ends)) return false;
    }
    return true;
}

/* Grains one step deeper than those from `begin` on. */
static bool find_deeper(relaxation *r, size_t begin)
{
    static const int8_t sides[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                       {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    for (size_t m = begin, end = r->count; m < end; m++)
        for (int s = 0; s < 6; s++) {
            int32_t at[3];
            for (int a = 0; a < 3; a++)
                at[a] = wrapped(r->lattice, a, r->movers[m].place[a] + sides[s][a]);
            size_t n = find_in_row(r->lattice, find_row(r->lattice, at[1], at[2]), at[0]);
            if (n != NONE && r->states[n] == STAYS && !add_mover(r, n, at, 0)) return false;
        }
    return true;
}

static bool find_movers(relaxation *r)
{
    const rp_lattice *l = r->lattice;
    for (size_t k = 0; k < l->layer_count; k++)
        for (size_t row = l->layers[k]; row < l->layers[k + 1]; row++)
            if (!find_ends_of_row(r, row, (int32_t)k)) return false;
    for (size_t depth = 2, begin = 0, end; depth <= DEPTH; depth++, begin = end) {
        end = r->count;
        if (!find_deeper(r, begin)) return false;
    }
    return true;
}

/* Back to where the source does not end, and to the leash. */
static void bound_shift(const mover *m, float *shift)
{
    float square = 0, reach = (float)RP_TILE_REACH;
    for (int a = 0; a < 3; a++) {
        float low = m->ends >> 2 * a & 1 ? 0 : -reach, high = m->ends >> 2 * a & 2 ? 0 : reach;
        shift[a] = shift[a] < low ? low : shift[a] > high ? high : shift[a];
        square += shift[a] * shift[a];
    }
    if (square <= m->leash * m->leash) return;
    float scale = m->leash / sqrtf(square);
    for (int a = 0; a < 3; a++)
        shift[a] *= scale;
}

static float length_of(const float *v)
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void shorten(mover *m, float *shift)
{
    m->leash = 0.5f * length_of(shift);
    if (m->leash < 0.01f) m->leash = 0;
    bound_shift(m, shift);
}

/* Shortens the shift of a grain that is where none may be; at its place each may. */
static void keep_free(relaxation *r, mover *m)
{
    float *shift = r->shifts[m->grain];
    while (length_of(shift) > r->lattice->places[m->grain].reach &&
           !r->is_free(r->context, m->place, shift))
        shorten(m, shift);
}

/* From a grain's place plus shift to its neighbor's; gives the square of the distance. */
static float way_to(const relaxation *r, const float *shift, const neighbor *n, float way[3])
{
    const float *other = r->shifts[n->grain];
    for (int a = 0; a < 3; a++)
        way[a] = (float)n->from[a] + other[a] - shift[a];
    return way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
}

static bool wake_neighbors(relaxation *r, size_t i)
{
    const mover m = r->movers[i]; /* which may be elsewhere when others are added */
    r->states[m.grain] = STIRS;
    for (size_t n = m.list; n < m.near_end; n++) {
        const neighbor *near = &r->list[n];
        if (r->states[near->grain] != STAYS) {
            r->states[near->grain] = STIRS;
            continue;
        }
        int32_t place[3];
        for (int a = 0; a < 3; a++)
            place[a] = wrapped(r->lattice, a, m.place[a] + near->from[a]);
        if (!add_mover(r, near->grain, place, 0)) return false;
    }
    return true;
}

static bool add_neighbor(relaxation *r, mover *m, neighbor n)
{
    float way[3], square = way_to(r, r->shifts[m->grain], &n, way);
    if (square >= SUPPORT * SUPPORT) return true;
    if (!rp_reserve((void **)&r->list, &r->list_capacity, r->list_count, r->list_count + 1,
                    sizeof *r->list))
        return false;
    r->list[r->list_count++] = n;
    if (square < WAKING * WAKING) {
        r->list[r->list_count - 1] = r->list[m->near_end];
        r->list[m->near_end++] = n;
    }
    if (square >= r->least * r->least) return true;
    m->crowded = true;
    return true;
}

/* Shifts are short enough that grains near each other are two places apart along each axis at most,
 * or three along one of them alone. */
static bool list_neighbors(relaxation *r, size_t i)
{
    const rp_lattice *l = r->lattice;
    mover *m = &r->movers[i];
    m->crowded = false;
    m->list = m->near_end = r->list_count;
    for (int c = -3; c <= 3; c++)
        for (int b = -3; b <= 3; b++) {
            if (b * b + c * c > 10) continue;
            size_t row = find_row(l, m->place[1] + b, m->place[2] + c);
            int across = abs(b) > 2 || abs(c) > 2 ? 1 : b * b + c * c > 1 ? 2 : 3;
            for (int a = -across; row != NONE && a <= across; a++) {
                size_t at = find_in_row(l, row, m->place[0] + a);
                if (at == NONE || at == m->grain) continue;
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
    r->states[r->movers[i].grain] = RESTS;
    return list_neighbors(r, i) && (!r->movers[i].crowded || wake_neighbors(r, i));
}

/* Looks again at all movers near which something moved; tells whether any grains are too near. */
static bool look_around(relaxation *r, bool *crowded)
{
    r->list_count = r->active_count = 0;
    *crowded = false;
    for (size_t i = 0; i < r->count; i++)
        if (r->states[r->movers[i].grain] == STIRS) keep_free(r, &r->movers[i]);
    for (size_t i = 0; i < r->count; i++) {
        if (r->states[r->movers[i].grain] == STIRS && !make_active(r, i)) return false;
        *crowded = *crowded || r->movers[i].crowded;
    }
    return true;
}

/* Moves a grain away from those that are too near, half the way from those that move, too. */
static void sweep(relaxation *r, const mover *m)
{
    float *shift = r->shifts[m->grain], wanted = r->least + MARGIN;
    const float before[3] = {shift[0], shift[1], shift[2]};
    for (size_t n = m->list; n < m->near_end; n++) {
        float way[3], square = way_to(r, shift, &r->list[n], way);
        if (square >= wanted * wanted) continue;
        float distance = sqrtf(square) + 1e-6f;
        float part = r->states[r->list[n].grain] == STAYS ? 1 : 0.5f;
        for (int a = 0; a < 3; a++)
            shift[a] -= part * (wanted - distance) / distance * way[a];
    }
    bound_shift(m, shift);
    const float way[3] = {shift[0] - before[0], shift[1] - before[1], shift[2] - before[2]};
    if (length_of(way) < STIRRING) return;
    r->states[m->grain] = STIRS;
    for (size_t n = m->list; n < m->near_end; n++)
        if (r->states[r->list[n].grain] == RESTS) r->states[r->list[n].grain] = STIRS;
}

/* --- even densities --------------------------------------------------------------------------- */

/* The error of the density as the solver sees it, (G4): what the kernel lacks beyond an end is made
 * up for by its gradient there. */
static float density_error(const relaxation *r, rp_kernel kernel, float lattice, const mover *m)
{
    const float *shift = r->shifts[m->grain];
    float sum = rp_kernel_value(kernel, 0), gradient[3] = {0, 0, 0};
    for (size_t n = m->list; n < m->list_end; n++) {
        float way[3], distance = sqrtf(way_to(r, shift, &r->list[n], way)) + 1e-6f;
        float slope = rp_kernel_slope(kernel, distance) / distance;
        sum += rp_kernel_value(kernel, distance);
        for (int a = 0; a < 3; a++)
            gradient[a] += slope * way[a];
    }
    float square =
        (gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2]) /
        (lattice * lattice);
    float lacks = 0.577f * square < 0.45f ? 0.577f * square : 0.45f;
    return sum / lattice - 1 + lacks;
}

/* Moves a grain down the slope of the densities, as pressure would. */
static void follow_slope(const relaxation *r, rp_kernel kernel, const mover *m)
{
    float *shift = r->shifts[m->grain], slopes[3] = {0, 0, 0};
    for (size_t n = m->list; n < m->list_end; n++) {
        float way[3], distance = sqrtf(way_to(r, shift, &r->list[n], way)) + 1e-6f;
        float slope = (r->errors[m->grain] + r->errors[r->list[n].grain]) *
                      rp_kernel_slope(kernel, distance) / distance;
        for (int a = 0; a < 3; a++)
            slopes[a] += slope * way[a];
    }
    for (int a = 0; a < 3; a++)
        shift[a] += STRIDE * slopes[a];
    bound_shift(m, shift);
}

/* Small ways are not followed by a look, so all movers are looked at once more in the end. */
static bool look_at_all(relaxation *r, bool *crowded)
{
    for (size_t i = 0; i < r->count; i++)
        r->states[r->movers[i].grain] = STIRS;
    return look_around(r, crowded);
}

static bool move_apart(relaxation *r, bool *crowded)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (!look_around(r, crowded)) return false;
        if (!*crowded && !look_at_all(r, crowded)) return false;
        if (!*crowded) return true;
        for (size_t i = 0; i < r->count && round >= PATIENCE; i++)
            if (r->movers[i].crowded) shorten(&r->movers[i], r->shifts[r->movers[i].grain]);
        for (int s = 0; s < SWEEPS; s++)
            for (size_t i = 0; i < r->active_count; i++)
                sweep(r, &r->movers[r->active[i]]);
    }
    return true;
}

static bool even_out(relaxation *r)
{
    rp_kernel kernel = rp_kernel_of((double)SUPPORT);
    float lattice = (float)rp_kernel_lattice_sum(kernel, 1);
    bool crowded;
    if (!look_at_all(r, &crowded)) return false;
    for (int round = 0; round < EVEN_ROUNDS; round++) {
        for (size_t i = 0; i < r->count; i++)
            r->errors[r->movers[i].grain] = density_error(r, kernel, lattice, &r->movers[i]);
        for (size_t i = 0; i < r->count; i++)
            follow_slope(r, kernel, &r->movers[i]);
        for (size_t i = 0; i < r->count; i++)
            sweep(r, &r->movers[i]);
    }
    return true;
}

/* The tile's shifts; grains where the source ends start in its plane. */
static void take_tile(relaxation *r, const int32_t origin[3])
{
    const rp_lattice *l = r->lattice;
    for (size_t k = 0; k < l->layer_count; k++)
        for (size_t row = l->layers[k]; row < l->layers[k + 1]; row++)
            for (size_t n = l->rows[row].begin; n < l->rows[row + 1].begin; n++) {
                rp_vec3 shift = rp_packing_shift((int64_t)origin[0] + l->places[n].number,
                                                 (int64_t)origin[1] + l->rows[row].number,
                                                 (int64_t)origin[2] + (int64_t)k);
                r->shifts[n][0] = (float)shift.x;
                r->shifts[n][1] = (float)shift.y;
                r->shifts[n][2] = (float)shift.z;
            }
    for (size_t i = 0; i < r->count; i++)
        for (int a = 0; a < 3; a++)
            if (r->movers[i].ends >> 2 * a & 3) r->shifts[r->movers[i].grain][a] = 0;
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
    r.states = rp_allocate_zero(lattice->count); /* STAYS */
    r.errors = rp_allocate_zero(lattice->count * sizeof *r.errors);
    bool crowded = false, made = r.states && r.errors && find_movers(&r);
    if (made) {
        take_tile(&r, origin);
        made = even_out(&r) && move_apart(&r, &crowded);
    }
    *relaxed = made && !crowded;
    rp_release(r.states, lattice->count);
    rp_release(r.errors, lattice->count * sizeof *r.errors);
    rp_release(r.movers, r.capacity * sizeof *r.movers);
    rp_release(r.active, r.active_capacity * sizeof *r.active);
    rp_release(r.list, r.list_capacity * sizeof *r.list);
    return made ? RP_OK
                : rp_fail_memory(report, lattice->count * sizeof(mover), "the places of grains");
}
