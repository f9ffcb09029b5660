/* The free surface of a heap (M1 to M3a): grains are sorted into the columns of a plan, the top of
 * each column that stands on the ground is found, and of the tops the largest connected patch is
 * the surface. */
#include "base/memory.h"
#include "base/report.h"
#include "measure/inside.h"
#include "view/view.h"

#include <stdint.h>
#include <string.h>

/* All lengths in spacings of the grains. */
#define CELL 1.5   /* wide enough that no column of a packing is empty */
#define GAP 4.0    /* what is further above the column than this does not rest on it */
#define BELOW 2.5  /* how far down from a top its neighbors are counted */
#define ABOVE 1.25 /* the same, upwards */
#define SUPPORT                                                                                    \
    12               /* neighbors that a top must have; a packing has 40 to 50, a layer at most 20 \
                      */
#define STEP 5.0     /* between tops of neighboring cells; a slope of 60 degrees makes 3.7 */
#define COLUMN 4     /* grains; columns with fewer are not used to estimate the spacing */
#define THINNEST 4.0 /* largest estimated spacing: a view with every 64th grain of a heap */
#define SAMPLES 20000 /* grains that the bounds of the plan are computed from */
#define EDGE 0.005    /* share of the grains that may lie outside on each side */
#define TOUCH 2.5     /* from a grain to the solid below or beside it */
#define STEEP 0.7     /* cosine: faces whose normal is flatter than this are walls */
#define CARRY 0.2     /* cosine: faces whose normal points up by more than this support grains */
#define FEET 1000     /* columns, about, that are tested for support and for walls */

typedef struct plan {
    rp_plan_axes axes;
    const rp_view *view;
    double spacing; /* m */
    double low[2], cell;
    int64_t size[2];
    double *height;           /* of each grain */
    uint32_t *order, *column; /* grains by cell and rising height; where each cell begins */
    uint32_t *top;            /* of each cell: place in `order` after its top grain; 0: none */
    uint32_t *patch;          /* of each cell: number of its connected patch; 0: none */
    uint32_t *queue;
    size_t cells;
} plan;

rp_code rp_plan_axes_find(const rp_scene *scene, rp_plan_axes *out, rp_report *report)
{
    double g = rp_v3_length(scene->gravity);
    if (!(g > 0))
        return rp_fail(report, RP_ERROR_INPUT,
                       "without gravity there is no up, so heaps cannot be measured");
    out->up = rp_v3_scale(scene->gravity, -1 / g);
    bool plain = fabs(out->up.x) < 1e-12 && fabs(out->up.y) < 1e-12;
    out->a = plain ? rp_v3(1, 0, 0) : rp_v3_perpendicular(out->up);
    out->b = rp_v3_cross(out->up, out->a);
    return RP_OK;
}

static rp_vec3 grain_at(const rp_view *view, size_t i)
{
    return rp_v3(view->x[i], view->y[i], view->z[i]);
}

/* Finds the range of the middle 99 % of the grains along one axis of the plan, plus a margin (M1).
 * Single grains that flew away would make the plan as large as the world. */
static rp_code find_bounds(plan *p, rp_vec3 direction, int axis, rp_report *report)
{
    size_t stride = p->view->count / SAMPLES + 1, count = 0;
    size_t bytes = (p->view->count / stride + 1) * sizeof(double);
    double *values = rp_allocate(bytes);
    if (!values) return rp_fail_memory(report, bytes, "a heap's bounds");
    for (size_t i = 0; i < p->view->count; i += stride)
        values[count++] = rp_v3_dot(grain_at(p->view, i), direction);
    double low = rp_statistics_quantile(values, count, EDGE),
           high = rp_statistics_quantile(values, count, 1 - EDGE);
    rp_release(values, bytes);
    double margin = 0.1 * (high - low) + 2 * p->cell;
    double cells = (high - low + 2 * margin) / p->cell;
    if (!(cells < 1e6))
        return rp_fail(report, RP_ERROR_INPUT, "no heap: the grains are scattered over %.3g m",
                       high - low);
    p->low[axis] = low - margin;
    p->size[axis] = (int64_t)cells + 1;
    return RP_OK;
}

static rp_code make_plan(plan *p, rp_report *report)
{
    RP_TRY(find_bounds(p, p->axes.a, 0, report));
    RP_TRY(find_bounds(p, p->axes.b, 1, report));
    p->cells = (size_t)p->size[0] * (size_t)p->size[1];
    if (p->cells > 64 * p->view->count + 65536)
        return rp_fail(report, RP_ERROR_INPUT,
                       "no heap: the grains are scattered, %zu on %zu cells", p->view->count,
                       p->cells);
    size_t n = p->view->count;
    p->height = rp_allocate(n * sizeof *p->height);
    p->order = rp_allocate(n * sizeof *p->order);
    p->column = rp_allocate_zero((p->cells + 1) * sizeof *p->column);
    p->top = rp_allocate_zero(p->cells * sizeof *p->top);
    p->patch = rp_allocate_zero(p->cells * sizeof *p->patch);
    p->queue = rp_allocate(p->cells * sizeof *p->queue);
    if (p->height && p->order && p->column && p->top && p->patch && p->queue) return RP_OK;
    return rp_fail_memory(report, 12 * n + 16 * p->cells, "the plan of a heap");
}

static void release_plan(plan *p)
{
    size_t n = p->view->count;
    rp_release(p->height, n * sizeof *p->height);
    rp_release(p->order, n * sizeof *p->order);
    rp_release(p->column, (p->cells + 1) * sizeof *p->column);
    rp_release(p->top, p->cells * sizeof *p->top);
    rp_release(p->patch, p->cells * sizeof *p->patch);
    rp_release(p->queue, p->cells * sizeof *p->queue);
}

/* Returns the cell of a grain, or -1 outside of the plan. */
static int64_t cell_of(const plan *p, size_t grain)
{
    rp_vec3 at = grain_at(p->view, grain);
    double a = floor((rp_v3_dot(at, p->axes.a) - p->low[0]) / p->cell);
    double b = floor((rp_v3_dot(at, p->axes.b) - p->low[1]) / p->cell);
    bool inside = a >= 0 && b >= 0 && a < (double)p->size[0] && b < (double)p->size[1];
    return inside ? (int64_t)b * p->size[0] + (int64_t)a : -1;
}

/* Counting sort into columns, then each column by height. */
static void fill_columns(plan *p)
{
    for (size_t i = 0; i < p->view->count; i++) {
        int64_t cell = cell_of(p, i);
        p->height[i] = rp_v3_dot(grain_at(p->view, i), p->axes.up);
        if (cell >= 0) p->column[cell + 1]++;
    }
    for (size_t c = 0; c < p->cells; c++)
        p->column[c + 1] += p->column[c];
    for (size_t i = p->view->count; i-- > 0;) { /* `top` counts the grains placed so far */
        int64_t cell = cell_of(p, i);
        if (cell >= 0) p->order[p->column[cell] + p->top[cell]++] = (uint32_t)i;
    }
    for (size_t c = 0; c < p->cells; c++) {
        p->top[c] = 0;
        rp_statistics_sort_by(p->order + p->column[c], p->column[c + 1] - p->column[c], p->height);
    }
}

/* Counts the grains of a column just below and above a height (M2). */
static int count_near(const plan *p, size_t cell, double height)
{
    int count = 0;
    for (uint32_t i = p->column[cell + 1]; i-- > p->column[cell];) {
        double above = p->height[p->order[i]] - height;
        if (above < -BELOW * p->spacing) break;
        count += above < ABOVE * p->spacing;
    }
    return count;
}

static bool is_supported(const plan *p, int64_t cell, double height)
{
    int64_t a = cell % p->size[0], b = cell / p->size[0];
    int count = 0;
    for (int64_t j = b - 1; j <= b + 1; j++)
        for (int64_t i = a - 1; i <= a + 1; i++)
            if (i >= 0 && j >= 0 && i < p->size[0] && j < p->size[1])
                count += count_near(p, (size_t)(j * p->size[0] + i), height);
    return count - 1 >= SUPPORT;
}

/* Finds the top grain of a column (M2): up from the ground to the first gap, then down again to a
 * grain with enough neighbors, so that loose grains on top do not count. */
static void find_top(plan *p, size_t cell)
{
    uint32_t first = p->column[cell], end = p->column[cell + 1], top = first;
    if (first == end) return;
    for (top = first + 1; top < end; top++)
        if (p->height[p->order[top]] - p->height[p->order[top - 1]] > GAP * p->spacing) break;
    while (top > first && !is_supported(p, (int64_t)cell, p->height[p->order[top - 1]]))
        top--;
    p->top[cell] = top > first ? top : 0;
}

static double top_height(const plan *p, size_t cell)
{
    return p->height[p->order[p->top[cell] - 1]];
}

/* Flood fill: marks all cells that are connected to this one; returns the number of grains below
 * their tops. A step between tops higher than STEP separates patches. */
static size_t flood(plan *p, size_t seed, uint32_t patch)
{
    size_t queued = 0, grains = 0;
    p->queue[queued++] = (uint32_t)seed;
    p->patch[seed] = patch;
    for (size_t next = 0; next < queued; next++) {
        size_t cell = p->queue[next];
        int64_t a = (int64_t)cell % p->size[0], b = (int64_t)cell / p->size[0];
        grains += p->top[cell] - p->column[cell];
        for (int n = 0; n < 9; n++) {
            int64_t i = a + n % 3 - 1, j = b + n / 3 - 1;
            if (i < 0 || j < 0 || i >= p->size[0] || j >= p->size[1]) continue;
            size_t other = (size_t)(j * p->size[0] + i);
            if (!p->top[other] || p->patch[other]) continue;
            double step = fabs(top_height(p, other) - top_height(p, cell));
            if (step > STEP * p->spacing) continue;
            p->patch[other] = patch;
            p->queue[queued++] = (uint32_t)other;
        }
    }
    return grains;
}

/* Returns the number of the patch with most grains below it, which is the heap; 0 when there is
 * none. */
static uint32_t largest_patch(plan *p, size_t *grains)
{
    uint32_t best = 0, patches = 0;
    *grains = 0;
    for (size_t c = 0; c < p->cells; c++) {
        if (!p->top[c] || p->patch[c]) continue;
        size_t found = flood(p, c, ++patches);
        if (found <= *grains) continue;
        *grains = found;
        best = patches;
    }
    return best;
}

static double square_speed(const rp_view *view, size_t i)
{
    if (!view->vx || !view->vy || !view->vz) return 0;
    rp_vec3 v = rp_v3(view->vx[i], view->vy[i], view->vz[i]);
    return rp_v3_dot(v, v);
}

static void keep_points(const plan *p, uint32_t patch, rp_free_surface *out)
{
    double squares = 0;
    for (size_t c = 0; c < p->cells; c++) {
        if (!p->top[c] || p->patch[c] != patch) continue;
        size_t grain = p->order[p->top[c] - 1];
        rp_vec3 at = grain_at(p->view, grain);
        out->points[out->count++] = (rp_free_surface_point){
            rp_v3_dot(at, p->axes.a), rp_v3_dot(at, p->axes.b), top_height(p, c)};
        squares += square_speed(p->view, grain);
    }
    out->speed = sqrt(squares / (double)out->count);
}

/* A test for solids near a point: bodies, or walls of the domain. `beside`: solids with a steep
 * face there; else those that face upwards and can support grains (M3a). */
typedef struct touch {
    const plan *plan;
    const rp_scene *scene;
    bool beside;
} touch;

static bool counts(const touch *t, rp_vec3 normal)
{
    double upward = rp_v3_dot(normal, t->plan->axes.up);
    return t->beside ? fabs(upward) < STEEP : upward > CARRY;
}

static bool is_at_wall(const touch *t, rp_vec3 at, double reach)
{
    const rp_domain_spec *domain = &t->scene->domain;
    const double gaps[RP_SIDES] = {at.x - domain->low.x, domain->high.x - at.x,
                                   at.y - domain->low.y, domain->high.y - at.y,
                                   at.z - domain->low.z, domain->high.z - at.z};
    const rp_vec3 inward[RP_SIDES] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    for (int side = 0; side < RP_SIDES; side++) {
        /* A periodic side counts as a wall beside the heap: the heap does not end there. */
        bool periodic = domain->periodic >> side / 2 & 1;
        bool closed = periodic ? t->beside : !(domain->open >> side & 1);
        if (closed && gaps[side] < reach && counts(t, inward[side])) return true;
    }
    return false;
}

static bool is_at_body(const touch *t, rp_vec3 at, double reach)
{
    const rp_view *view = t->plan->view;
    for (int i = 0; i < t->scene->bodies.count; i++) {
        const rp_body_spec *body = &rp_scene_bodies(t->scene)[i];
        rp_pose pose = body->pose;
        if (!rp_view_has_body(view, i)) continue;
        if (i < view->body_count) {
            const double *q = view->bodies[i].orientation;
            pose = (rp_pose){rp_v3_from(view->bodies[i].position), {q[0], q[1], q[2], q[3]}};
        }
        rp_vec3 local = rp_pose_to_local(pose, at), normal;
        if (!rp_shape_may_be_near(&body->shape, local, reach)) continue;
        if (rp_shape_distance_within(&body->shape, local, reach, &normal) >= reach) continue;
        if (counts(t, rp_quat_rotate(pose.orientation, normal))) return true;
    }
    return false;
}

/* True for a cell on the edge of its patch, next to a cell of another or of none. */
static bool is_edge(const plan *p, size_t cell)
{
    int64_t a = (int64_t)cell % p->size[0], b = (int64_t)cell / p->size[0];
    const int64_t step[] = {-1, 1, -p->size[0], p->size[0]};
    if (a == 0 || b == 0 || a == p->size[0] - 1 || b == p->size[1] - 1) return true;
    for (int i = 0; i < 4; i++)
        if (p->patch[(int64_t)cell + step[i]] != p->patch[cell]) return true;
    return false;
}

/* Computes the shares `standing` and `walled` (M3a): the lowest grains of a heap rest on something,
 * unlike those of sand in flight; and a bed between walls has them all around its surface. */
static void find_solids(const plan *p, const rp_scene *scene, uint32_t patch, rp_free_surface *out)
{
    const touch below = {p, scene, false}, beside = {p, scene, true};
    size_t stride = out->count / FEET + 1, seen = 0, tested = 0, edge = 0;
    double reach = TOUCH * p->spacing;
    for (size_t c = 0; c < p->cells; c++) {
        if (!p->top[c] || p->patch[c] != patch || seen++ % stride != 0) continue;
        rp_vec3 foot = grain_at(p->view, p->order[p->column[c]]);
        out->standing += is_at_wall(&below, foot, reach) || is_at_body(&below, foot, reach);
        tested++;
        if (!is_edge(p, c)) continue;
        rp_vec3 top = grain_at(p->view, p->order[p->top[c] - 1]);
        out->walled += is_at_wall(&beside, top, reach) || is_at_body(&beside, top, reach);
        edge++;
    }
    out->standing /= (double)tested;
    out->walled /= edge ? (double)edge : 1;
}

/* Finds foot and summit (M3). The summit is the highest point itself, since a peak has few grains.
 */
static rp_code find_levels(rp_free_surface *s, rp_report *report)
{
    size_t bytes = s->count * sizeof(double);
    double *heights = rp_allocate(bytes);
    if (!heights) return rp_fail_memory(report, bytes, "the heights of a heap");
    for (size_t i = 0; i < s->count; i++)
        heights[i] = s->points[i].height;
    s->low = rp_statistics_quantile(heights, s->count, 0.02);
    s->high = rp_statistics_quantile(heights, s->count, 1);
    rp_release(heights, bytes);
    return RP_OK;
}

/* Adds the height of a column and its number of grains above the lowest, for the volume per grain.
 */
static void add_column(const plan *p, size_t cell, double *height, double *grains)
{
    uint32_t first = p->column[cell], end = p->column[cell + 1];
    if (end - first < COLUMN) return;
    *height += p->height[p->order[end - 1]] - p->height[p->order[first]];
    *grains += end - first - 1;
}

/* Estimates the true spacing of the grains (M1): the nominal one, or more where the view holds only
 * a part of the grains. Two by two cells together hold the same number of columns of any lattice;
 * one cell of 1.5 spacings does not. */
static rp_code true_spacing(const plan *p, double *spacing, rp_report *report)
{
    size_t count = 0, bytes = p->cells * sizeof(double);
    double *volumes = rp_allocate(bytes);
    if (!volumes) return rp_fail_memory(report, bytes, "the density of a heap");
    for (int64_t b = 0; b + 1 < p->size[1]; b += 2) {
        for (int64_t a = 0; a + 1 < p->size[0]; a += 2) {
            size_t cell = (size_t)(b * p->size[0] + a);
            double height = 0, grains = 0;
            add_column(p, cell, &height, &grains);
            add_column(p, cell + 1, &height, &grains);
            add_column(p, cell + (size_t)p->size[0], &height, &grains);
            add_column(p, cell + (size_t)p->size[0] + 1, &height, &grains);
            if (grains > 0) volumes[count++] = height * p->cell * p->cell / grains;
        }
    }
    *spacing = fmax(*spacing,
                    fmin(cbrt(rp_statistics_quantile(volumes, count, 0.5)), THINNEST * *spacing));
    rp_release(volumes, bytes);
    return RP_OK;
}

static rp_code take_surface(plan *p, const rp_scene *scene, rp_free_surface *out, rp_report *report)
{
    for (size_t c = 0; c < p->cells; c++)
        find_top(p, c);
    uint32_t patch = largest_patch(p, &out->grains);
    if (!patch)
        return rp_fail(report, RP_ERROR_INPUT, "no heap: no %d of the %zu grains lie together",
                       SUPPORT, p->view->count);
    out->points = rp_allocate(p->cells * sizeof *out->points);
    if (!out->points) return rp_fail_memory(report, p->cells * sizeof *out->points, "a surface");
    keep_points(p, patch, out);
    find_solids(p, scene, patch, out);
    /* The plan has many more cells than the heap has points; shrink the array. */
    rp_free_surface_point *points = rp_allocate(out->count * sizeof *points);
    if (points) memcpy(points, out->points, out->count * sizeof *points);
    rp_release(out->points, p->cells * sizeof *out->points);
    out->points = points;
    if (!points) return rp_fail_memory(report, out->count * sizeof *points, "a surface");
    return find_levels(out, report);
}

static rp_code open_plan(plan *p, const rp_view *view, const rp_plan_axes *axes, double spacing,
                         rp_report *report)
{
    *p = (plan){.view = view, .axes = *axes, .spacing = spacing, .cell = CELL * spacing};
    rp_code code = make_plan(p, report);
    if (code == RP_OK) fill_columns(p);
    return code;
}

/* Makes a plan for the nominal spacing, then for the estimated one where that is much wider. */
static rp_code plan_heap(plan *p, const rp_view *view, const rp_plan_axes *axes, rp_report *report)
{
    double spacing = view->spacing;
    rp_code code = open_plan(p, view, axes, spacing, report);
    if (code == RP_OK) code = true_spacing(p, &spacing, report);
    if (code != RP_OK || spacing < 1.15 * view->spacing) return code;
    release_plan(p);
    return open_plan(p, view, axes, spacing, report);
}

rp_code rp_free_surface_find(const rp_view *view, const rp_scene *scene, rp_free_surface *out,
                             rp_report *report)
{
    *out = (rp_free_surface){0};
    RP_TRY(rp_plan_axes_find(scene, &out->axes, report));
    if (!view->count || !(view->spacing > 0) || view->count > UINT32_MAX / 2)
        return rp_fail(report, RP_ERROR_INPUT, "no heap: there are %zu grains", view->count);
    plan p;
    rp_code code = plan_heap(&p, view, &out->axes, report);
    out->spacing = p.spacing;
    if (code == RP_OK) code = take_surface(&p, scene, out, report);
    release_plan(&p);
    if (code != RP_OK) rp_free_surface_release(out);
    return code;
}

void rp_free_surface_release(rp_free_surface *surface)
{
    rp_release(surface->points, surface->count * sizeof *surface->points);
    surface->points = NULL;
    surface->count = 0;
}
