/* Building a query, and queries of grains: those in a box or a ball, the nearest, the height of the
 * sand. Rays are in ray_query.c. */
#include "query/inside.h"

#include "base/memory.h"
#include "base/report.h"
#include "view/view.h"

#include <math.h>
#include <string.h>

/* --- building --------------------------------------------------------------------------------- */

static float radius_of(const rp_view *view, const float *diameters, size_t i)
{
    return diameters ? diameters[i] / 2 : (float)(view->spacing / 2);
}

static void measure(rp_query *query, const rp_view *view, const float *diameters)
{
    rp_box3 box = {rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    double largest = 0;
    for (size_t i = 0; i < view->count; i++) {
        rp_vec3 at = rp_v3(view->x[i], view->y[i], view->z[i]);
        box.low = rp_v3_min(box.low, at);
        box.high = rp_v3_max(box.high, at);
        largest = fmax(largest, (double)radius_of(view, diameters, i));
    }
    query->bounds = box;
    query->largest = largest;
    query->spacing = view->spacing;
    query->cell = fmax(fmax(largest, view->spacing), 1e-9);
    query->count = view->count;
}

static bool reserve(rp_query *query, size_t surface_count)
{
    query->buckets = 1;
    while (query->buckets < query->count && query->buckets < (size_t)1 << 31)
        query->buckets *= 2;
    return rp_reserve((void **)&query->grains, &query->capacity, 0, query->count + 1,
                      sizeof *query->grains) &&
           rp_reserve((void **)&query->starts, &query->start_capacity, 0, query->buckets + 1,
                      sizeof *query->starts) &&
           rp_reserve((void **)&query->surfaces, &query->surface_capacity, 0, surface_count + 1,
                      sizeof *query->surfaces);
}

/* A counting sort by bucket; within one, grains keep the order of the view. */
static void sort(rp_query *query, const rp_view *view, const float *diameters)
{
    uint32_t *starts = query->starts;
    memset(starts, 0, (query->buckets + 1) * sizeof *starts);
    for (size_t i = 0; i < view->count; i++)
        starts[rp_query_bucket_at(query, rp_v3(view->x[i], view->y[i], view->z[i])) + 1]++;
    for (size_t b = 0; b < query->buckets; b++)
        starts[b + 1] += starts[b];
    /* Each start moves to the end of its bucket as that is filled, and back afterwards. */
    for (size_t i = 0; i < view->count; i++) {
        size_t b = rp_query_bucket_at(query, rp_v3(view->x[i], view->y[i], view->z[i]));
        query->grains[starts[b]++] = (rp_query_grain){view->x[i],  view->y[i],
                                                      view->z[i],  radius_of(view, diameters, i),
                                                      (uint32_t)i, view->id ? view->id[i] : 0};
    }
    memmove(starts + 1, starts, query->buckets * sizeof *starts);
    starts[0] = 0;
}

static void set_period(rp_query *query, const rp_domain_spec *domain)
{
    rp_vec3 length = rp_v3_sub(domain->high, domain->low);
    bool x = domain->periodic & 1, y = domain->periodic & 2, z = domain->periodic & 4;
    query->origin = rp_v3(x ? domain->low.x : 0, y ? domain->low.y : 0, z ? domain->low.z : 0);
    query->period = rp_v3(x ? length.x : 0, y ? length.y : 0, z ? length.z : 0);
}

rp_code rp_query_build(rp_query *query, const rp_scene *scene, const rp_view *view,
                       const rp_surface *surfaces, int surface_count, rp_report *report)
{
    const rp_field *field = rp_view_field(view, "diameter");
    const float *diameters = field && field->type == RP_F32 ? field->data : NULL;
    if (view->count > UINT32_MAX - 1)
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "a query of %zu grains: %u are allowed",
                       view->count, UINT32_MAX - 1);
    measure(query, view, diameters);
    if (!reserve(query, (size_t)surface_count))
        return rp_fail_memory(report, query->count * sizeof *query->grains, "a query");
    sort(query, view, diameters);
    set_period(query, &scene->domain);
    query->surface_count = surface_count;
    if (surface_count) memcpy(query->surfaces, surfaces, (size_t)surface_count * sizeof *surfaces);
    return RP_OK;
}

/* The scene's bodies where the view has them, and the walls. */
static rp_code build_from_scene(rp_query *query, const rp_scene *scene, const rp_view *view,
                                rp_report *report)
{
    size_t room = (size_t)rp_surfaces_capacity(scene) * sizeof(rp_surface);
    if (view->body_count < scene->bodies.count)
        return rp_fail(report, RP_ERROR_INPUT, "the view has %d bodies, the scene %d",
                       view->body_count, scene->bodies.count);
    rp_surface *surfaces = rp_allocate(room);
    if (!surfaces) return rp_fail_memory(report, room, "a query");
    int count = rp_surfaces_fill(scene, surfaces);
    rp_surfaces_refresh(surfaces, count, view->bodies);
    for (int i = 0; i < count; i++)
        if (surfaces[i].body >= 0 && !rp_view_has_body(view, surfaces[i].body))
            rp_surface_vanish(&surfaces[i]);
    rp_code code = rp_query_build(query, scene, view, surfaces, count, report);
    rp_release(surfaces, room);
    return code;
}

rp_code rp_query_create(const rp_scene *scene, const rp_view *view, rp_query **out,
                        rp_report *report)
{
    if (out) *out = NULL;
    RP_NEED(scene, report);
    RP_NEED(view, report);
    RP_NEED(out, report);
    RP_ENTER();
    rp_query *query = rp_allocate_zero(sizeof *query);
    if (!query) return rp_fail_memory(report, sizeof *query, "a query");
    rp_code code = build_from_scene(query, scene, view, report);
    if (code == RP_OK)
        *out = query;
    else
        rp_query_destroy(query);
    return code;
}

void rp_query_end(rp_query *query)
{
    rp_release(query->grains, query->capacity * sizeof *query->grains);
    rp_release(query->starts, query->start_capacity * sizeof *query->starts);
    rp_release(query->surfaces, query->surface_capacity * sizeof *query->surfaces);
    *query = (rp_query){0};
}

void rp_query_destroy(rp_query *query)
{
    if (!query) return;
    rp_query_end(query);
    rp_release(query, sizeof *query);
}

/* --- periodic wrap ---------------------------------------------------------------------------- */

static double wrap(double at, double low, double length)
{
    return length > 0 ? at - length * floor((at - low) / length) : at;
}

/* Periodic wrap of a position: then only its images one period away matter. */
static rp_vec3 wrapped(const rp_query *query, rp_vec3 at)
{
    return rp_v3(wrap(at.x, query->origin.x, query->period.x),
                 wrap(at.y, query->origin.y, query->period.y),
                 wrap(at.z, query->origin.z, query->period.z));
}

/* Returns the number of images: three along each periodic axis; the first is the position itself.
 */
static int image_count(const rp_query *query)
{
    return (query->period.x > 0 ? 3 : 1) * (query->period.y > 0 ? 3 : 1) *
           (query->period.z > 0 ? 3 : 1);
}

static rp_vec3 image_shift(const rp_query *query, int number)
{
    const double period[3] = {query->period.x, query->period.y, query->period.z};
    double shift[3];
    for (int axis = 0; axis < 3; axis++) {
        int images = period[axis] > 0 ? 3 : 1;
        int step = images == 3 ? number % 3 : 0; /* here, before, behind */
        shift[axis] = step == 2 ? period[axis] : -step * period[axis];
        number /= images;
    }
    return rp_v3_from(shift);
}

/* --- regions ---------------------------------------------------------------------------------- */

/* A region and the grains found in it. */
typedef struct search {
    rp_box3 box;    /* m */
    rp_vec3 centre; /* m, of a ball */
    double square;  /* m2, of its radius; infinite: a box */
    rp_vec3 half;   /* m, half the period, the range of the minimum image; infinite without */
    size_t *indices;
    size_t room, found;
} search;

static bool is_wanted(const search *s, rp_vec3 at)
{
    rp_vec3 low = s->box.low, high = s->box.high;
    if (at.x < low.x || at.y < low.y || at.z < low.z) return false;
    if (at.x > high.x || at.y > high.y || at.z > high.z) return false;
    if (!isfinite(s->square)) return true;
    rp_vec3 away = rp_v3_sub(at, s->centre), half = s->half;
    if (rp_v3_dot(away, away) > s->square) return false;
    /* Minimum image: in a ball wider than the period a grain counts once. */
    return away.x >= -half.x && away.y >= -half.y && away.z >= -half.z && away.x < half.x &&
           away.y < half.y && away.z < half.z;
}

static void take(const rp_query_grain *grain, search *s)
{
    if (!is_wanted(s, rp_v3(grain->x, grain->y, grain->z))) return;
    if (s->found < s->room) s->indices[s->found] = grain->index;
    s->found++;
}

static void search_cells(const rp_query *query, search *s)
{
    rp_query_range range;
    if (!rp_query_cells_within(query, &s->box, &range)) return;
    if (range.count > (double)query->count) {
        for (size_t g = 0; g < query->count; g++)
            take(&query->grains[g], s);
        return;
    }
    for (int64_t k = range.low[2]; k <= range.high[2]; k++)
        for (int64_t j = range.low[1]; j <= range.high[1]; j++)
            for (int64_t i = range.low[0]; i <= range.high[0]; i++) {
                rp_query_cell cell = {i, j, k};
                rp_query_bucket bucket = rp_query_bucket_of(query, cell);
                for (; bucket.at < bucket.end; bucket.at++)
                    if (rp_query_is_in(query, bucket.at, cell)) take(bucket.at, s);
            }
}

/* Searches the region and its periodic images. */
static size_t search_images(const rp_query *query, search s)
{
    const rp_box3 box = s.box;
    const rp_vec3 centre = s.centre;
    for (int i = 0; i < image_count(query); i++) {
        rp_vec3 shift = image_shift(query, i);
        s.box = (rp_box3){rp_v3_add(box.low, shift), rp_v3_add(box.high, shift)};
        s.centre = rp_v3_add(centre, shift);
        search_cells(query, &s);
    }
    return s.found;
}

/* Wraps one axis of a box into the period; an edge that is longer becomes the whole period. */
static void fit(double *low, double *high, double origin, double period)
{
    if (!(period > 0)) return;
    double length = *high - *low;
    *low = length < period ? wrap(*low, origin, period) : origin;
    *high = length < period ? *low + length : nextafter(origin + period, origin);
}

size_t rp_query_box(const rp_query *query, const double low[3], const double high[3],
                    size_t *indices, size_t room)
{
    if (!query || !low || !high) return 0;
    RP_ENTER();
    for (int a = 0; a < 3; a++)
        if (!(low[a] <= high[a])) return 0; /* not a number, too */
    rp_box3 box = {rp_v3_from(low), rp_v3_from(high)};
    fit(&box.low.x, &box.high.x, query->origin.x, query->period.x);
    fit(&box.low.y, &box.high.y, query->origin.y, query->period.y);
    fit(&box.low.z, &box.high.z, query->origin.z, query->period.z);
    search s = {.box = box, .square = INFINITY, .indices = indices, .room = indices ? room : 0};
    return search_images(query, s);
}

static double half_of(double period)
{
    return period > 0 ? period / 2 : INFINITY;
}

size_t rp_query_ball(const rp_query *query, const double centre[3], double radius, size_t *indices,
                     size_t room)
{
    if (!query || !centre || !(radius >= 0) || !isfinite(radius)) return 0;
    RP_ENTER();
    rp_vec3 at = wrapped(query, rp_v3_from(centre)), reach = rp_v3(radius, radius, radius);
    search s = {
        .box = {rp_v3_sub(at, reach), rp_v3_add(at, reach)},
        .centre = at,
        .square = radius * radius,
        .half = rp_v3(half_of(query->period.x), half_of(query->period.y), half_of(query->period.z)),
        .indices = indices,
        .room = indices ? room : 0};
    return search_images(query, s);
}

/* --- overlaps --------------------------------------------------------------------------------- */

size_t rp_query_touching(const rp_query *query, rp_vec3 at, double radius, double share,
                         const uint8_t *dead, size_t end)
{
    double reach = share * (radius + query->largest);
    size_t lowest = SIZE_MAX;
    for (int n = 0; n < image_count(query); n++) {
        rp_vec3 place = rp_v3_add(wrapped(query, at), image_shift(query, n));
        rp_box3 box = {rp_v3_sub(place, rp_v3(reach, reach, reach)),
                       rp_v3_add(place, rp_v3(reach, reach, reach))};
        rp_query_range range;
        if (!rp_query_cells_within(query, &box, &range)) continue;
        for (int64_t k = range.low[2]; k <= range.high[2]; k++)
            for (int64_t j = range.low[1]; j <= range.high[1]; j++)
                for (int64_t i = range.low[0]; i <= range.high[0]; i++) {
                    rp_query_bucket bucket = rp_query_bucket_of(query, (rp_query_cell){i, j, k});
                    for (; bucket.at < bucket.end; bucket.at++) {
                        const rp_query_grain *g = bucket.at;
                        rp_vec3 away = rp_v3_sub(rp_v3(g->x, g->y, g->z), place);
                        double near = share * (radius + (double)g->radius);
                        if (g->index < end && !dead[g->index] && g->index < lowest &&
                            rp_v3_dot(away, away) < near * near)
                            lowest = g->index;
                    }
                }
    }
    return lowest;
}

/* --- the nearest grain ------------------------------------------------------------------------ */

typedef struct nearest {
    rp_vec3 at;
    double square; /* m2 */
    size_t index;
} nearest;

static void compare(const rp_query_grain *grain, nearest *n)
{
    rp_vec3 away = rp_v3_sub(rp_v3(grain->x, grain->y, grain->z), n->at);
    double square = rp_v3_dot(away, away);
    if (square > n->square || (square == n->square && grain->index > n->index)) return;
    n->square = square;
    n->index = grain->index;
}

/* Boxes around the point that double, until the nearest grain found is nearer than their faces; all
 * grains where that would take more cells than there are grains. */
static void find_nearest(const rp_query *query, nearest *n)
{
    for (double reach = query->cell;; reach *= 2) {
        rp_vec3 far = rp_v3(reach, reach, reach);
        rp_box3 box = {rp_v3_sub(n->at, far), rp_v3_add(n->at, far)};
        rp_query_range range;
        bool any = rp_query_cells_within(query, &box, &range);
        if ((any && range.count > (double)query->count) || reach > 1e6 * query->cell) break;
        for (int64_t k = range.low[2]; any && k <= range.high[2]; k++)
            for (int64_t j = range.low[1]; j <= range.high[1]; j++)
                for (int64_t i = range.low[0]; i <= range.high[0]; i++) {
                    rp_query_bucket bucket = rp_query_bucket_of(query, (rp_query_cell){i, j, k});
                    for (; bucket.at < bucket.end; bucket.at++)
                        compare(bucket.at, n);
                }
        if (n->square <= reach * reach) return;
    }
    for (size_t g = 0; g < query->count; g++)
        compare(&query->grains[g], n);
}

size_t rp_query_nearest(const rp_query *query, const double point[3], double *distance)
{
    if (distance) *distance = INFINITY;
    if (!query || !point || !query->count) return SIZE_MAX;
    if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2])) return SIZE_MAX;
    RP_ENTER();
    nearest best = {.square = INFINITY, .index = SIZE_MAX};
    for (int i = 0; i < image_count(query); i++) {
        best.at = rp_v3_add(wrapped(query, rp_v3_from(point)), image_shift(query, i));
        find_nearest(query, &best);
    }
    if (distance) *distance = sqrt(best.square);
    return best.index;
}

/* --- the height of the sand ------------------------------------------------------------------- */

typedef struct column {
    double x, y, square; /* m; m2, of its radius */
    double top;          /* m */
} column;

static void rise(const rp_query_grain *grain, column *c)
{
    double x = (double)grain->x - c->x, y = (double)grain->y - c->y;
    if (x * x + y * y > c->square) return;
    c->top = fmax(c->top, (double)grain->z + (double)grain->radius);
}

/* From the highest cells down, until no grain below can reach above the highest one found. */
static void search_column(const rp_query *query, column *c, double radius)
{
    rp_box3 box = {rp_v3(c->x - radius, c->y - radius, query->bounds.low.z),
                   rp_v3(c->x + radius, c->y + radius, query->bounds.high.z)};
    rp_query_range range;
    if (!rp_query_cells_within(query, &box, &range)) return;
    if (range.count > (double)query->count) {
        for (size_t g = 0; g < query->count; g++)
            rise(&query->grains[g], c);
        return;
    }
    for (int64_t k = range.high[2]; k >= range.low[2]; k--) {
        if (((double)k + 1) * query->cell + query->largest < c->top) return;
        for (int64_t j = range.low[1]; j <= range.high[1]; j++)
            for (int64_t i = range.low[0]; i <= range.high[0]; i++) {
                rp_query_bucket bucket = rp_query_bucket_of(query, (rp_query_cell){i, j, k});
                for (; bucket.at < bucket.end; bucket.at++)
                    rise(bucket.at, c);
            }
    }
}

bool rp_query_height(const rp_query *query, double x, double y, double radius, double *height)
{
    if (!query || !height || !(radius >= 0)) return false;
    if (!isfinite(x) || !isfinite(y) || !isfinite(radius)) return false;
    RP_ENTER();
    double reach = radius > 0 ? radius : query->spacing, top = -INFINITY;
    for (int i = 0; i < image_count(query); i++) {
        rp_vec3 at = rp_v3_add(wrapped(query, rp_v3(x, y, 0)), image_shift(query, i));
        column c = {at.x, at.y, reach * reach, top};
        search_column(query, &c, reach);
        top = c.top;
    }
    if (!isfinite(top)) return false;
    *height = top;
    return true;
}
