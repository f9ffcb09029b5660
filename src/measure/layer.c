/* Profiles and front of a layer, (M25) to (M27): sums over all grains in bins of one spacing along
 * an axis, or over the distance from a centre. */
#include "base/memory.h"
#include "base/report.h"
#include "measure/inside.h"

#include <stdio.h>
#include <string.h>

#define BINS_MAX 100000
#define EDGE 0.002    /* share of the grains outside of the width on each side */
#define SAMPLES 20000 /* grains that a width is computed from */
#define LINK 1.5      /* spacings: grains in neighboring cells of this size are connected */

/* The grains of a layer, and bins along an axis or a radius. */
typedef struct layer {
    const rp_view *view;
    const rp_scene *scene;
    const rp_measure_options *options;
    int axis;         /* 0, 1, 2; -1: the distance from the centre in the plane of x and y */
    double centre[2]; /* m */
    double low, step; /* m, of the bins */
    size_t count;
    struct bin *bins;
} layer;

/* Sums over the parts of grains in a bin: number, mass (kg), volume with and without pores (m3),
 * momentum (kg m/s), twice the kinetic energy (J). */
typedef struct bin {
    double grains, mass, volume, solid, momentum[3], energy;
} bin;

static double at_axis(const rp_view *view, size_t i, int axis)
{
    const float *places[] = {view->x, view->y, view->z};
    return places[axis][i];
}

static void ends_of_region(const layer *l, int axis, double *low, double *high)
{
    rp_box3 region = rp_measure_region(l->options), *r = &region;
    const double lows[] = {r->low.x, r->low.y, r->low.z};
    const double highs[] = {r->high.x, r->high.y, r->high.z};
    *low = lows[axis];
    *high = highs[axis];
}

static bool is_in_region(const layer *l, size_t i)
{
    for (int axis = 0; axis < 3; axis++) {
        double low, high, at = at_axis(l->view, i, axis);
        ends_of_region(l, axis, &low, &high);
        if (!(at >= low && at <= high)) return false;
    }
    return true;
}

static const rp_material_spec *material_of(const layer *l, size_t i)
{
    int material = l->view->material[i];
    return material < l->scene->materials.count ? &rp_scene_materials(l->scene)[material] : NULL;
}

/* Returns the volume of a grain with its pores, m3: mass over the density of the material. */
static double volume_of(const layer *l, size_t i)
{
    const rp_material_spec *material = material_of(l, i);
    return material ? l->view->mass[i] / material->density : 0;
}

static double place_of(const layer *l, size_t i)
{
    if (l->axis >= 0) return at_axis(l->view, i, l->axis);
    return rp_hypot(l->view->x[i] - l->centre[0], l->view->y[i] - l->centre[1]);
}

static rp_code check_view(const layer *l, rp_report *report)
{
    if (l->view->count && (!l->view->mass || !l->view->material))
        return rp_fail(report, RP_ERROR_UNSUPPORTED,
                       "the masses of these grains are not recorded; measure the coarse grains");
    return RP_OK;
}

/* Finds the centre, given or the centre of mass, and the range of positions, m. */
static rp_code find_ends(layer *l, double *low, double *high, rp_report *report)
{
    double mass = 0, moment[2] = {0, 0};
    for (size_t i = 0; i < l->view->count; i++) {
        if (!is_in_region(l, i)) continue;
        mass += l->view->mass[i];
        moment[0] += (double)l->view->mass[i] * l->view->x[i];
        moment[1] += (double)l->view->mass[i] * l->view->y[i];
    }
    if (!(mass > 0))
        return rp_fail(report, RP_ERROR_INPUT, "there are no grains%s to measure",
                       isfinite(rp_v3_length(rp_measure_region(l->options).low)) ? " in this region"
                                                                                 : "");
    for (int a = 0; a < 2; a++)
        l->centre[a] = isnan(l->options->centre[a]) ? moment[a] / mass : l->options->centre[a];
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < l->view->count; i++) {
        if (!is_in_region(l, i)) continue;
        double half = cbrt(volume_of(l, i)) / 2, at = place_of(l, i);
        *low = fmin(*low, at - half);
        *high = fmax(*high, at + half);
    }
    if (l->axis < 0) *low = 0;
    return RP_OK;
}

static rp_code make_bins(layer *l, rp_report *report)
{
    double high = 0;
    RP_TRY(find_ends(l, &l->low, &high, report));
    l->step = l->view->spacing;
    double bins = (high - l->low) / l->step;
    if (!(bins < BINS_MAX))
        return rp_fail(report, RP_ERROR_INPUT,
                       "the grains are scattered over %.3g m; name a --region", high - l->low);
    l->count = (size_t)bins + 1;
    l->bins = rp_allocate_zero(l->count * sizeof *l->bins);
    return l->bins ? RP_OK : rp_fail_memory(report, l->count * sizeof *l->bins, "a profile");
}

/* Adds a share (0 to 1) of a grain to a bin. */
static void add_part(const layer *l, size_t i, double share, bin *b)
{
    const rp_view *view = l->view;
    const rp_material_spec *material = material_of(l, i);
    double mass = share * view->mass[i], square = 0;
    const double v[3] = {view->vx ? view->vx[i] : NAN, view->vy ? view->vy[i] : NAN,
                         view->vz ? view->vz[i] : NAN};
    b->grains += share;
    b->mass += mass;
    b->volume += share * volume_of(l, i);
    b->solid += material ? mass / material->grain_density : 0;
    for (int a = 0; a < 3; a++) {
        b->momentum[a] += mass * v[a];
        square += v[a] * v[a];
    }
    b->energy += mass * square;
}

/* Adds a grain to the bins (M25). It counts as a slab as thick as the edge of a cube of its volume,
 * by the share of the slab in each bin, so that layers of grains make no ripples. */
static void add_grain(const layer *l, size_t i)
{
    double width = cbrt(volume_of(l, i)), at = place_of(l, i) - width / 2;
    if (!(width > 0)) return;
    double from = fmax(at, l->low), to = at + width, all = to - from;
    size_t b = (size_t)((from - l->low) / l->step);
    for (; from < to; b++) {
        /* Whatever reaches beyond the last bin belongs to it. */
        bool last = b + 1 >= l->count;
        double end = last ? to : fmin(to, l->low + (double)(b + 1) * l->step);
        if (end > from) add_part(l, i, (end - from) / all, &l->bins[last ? l->count - 1 : b]);
        from = fmax(from, end);
    }
}

static rp_code layer_make(const rp_view *view, const rp_scene *scene,
                          const rp_measure_options *options, int axis, layer *out,
                          rp_report *report)
{
    *out = (layer){.view = view, .scene = scene, .options = options, .axis = axis};
    rp_code code = check_view(out, report);
    if (code == RP_OK) code = make_bins(out, report);
    for (size_t i = 0; i < view->count && code == RP_OK; i++)
        if (is_in_region(out, i)) add_grain(out, i);
    return code;
}

static void layer_release(layer *l)
{
    rp_release(l->bins, l->bins ? l->count * sizeof *l->bins : 0);
}

/* Finds the width of the layer along an axis, m: that of the region, the period, or the range of
 * nearly all grains. */
static rp_code width_of(const layer *l, int axis, double *width, rp_report *report)
{
    const rp_domain_spec *domain = &l->scene->domain;
    rp_vec3 size = rp_v3_sub(domain->high, domain->low);
    const double sizes[] = {size.x, size.y, size.z};
    double low, high;
    ends_of_region(l, axis, &low, &high);
    *width = isfinite(high - low) ? high - low : sizes[axis];
    if (isfinite(high - low) || domain->periodic >> axis & 1) return RP_OK;
    size_t stride = l->view->count / SAMPLES + 1, count = 0;
    size_t bytes = (l->view->count / stride + 1) * sizeof(double);
    double *places = rp_allocate(bytes);
    if (!places) return rp_fail_memory(report, bytes, "the width of a layer");
    for (size_t i = 0; i < l->view->count; i += stride)
        if (is_in_region(l, i)) places[count++] = at_axis(l->view, i, axis);
    low = rp_statistics_quantile(places, count, EDGE);
    high = rp_statistics_quantile(places, count, 1 - EDGE);
    *width = high - low + l->view->spacing;
    rp_release(places, bytes);
    return RP_OK;
}

/* Returns the plan area of a bin, m2: a strip of the layer's width, or a ring. */
static double plan_area(const layer *l, size_t b, double width)
{
    double r = (double)b * l->step;
    return l->axis < 0 ? RP_PI * l->step * (2 * r + l->step) : width * l->step;
}

static double middle_of(const layer *l, size_t b)
{
    return l->low + ((double)b + 0.5) * l->step;
}

/* --- tables ----------------------------------------------------------------------------------- */

rp_code rp_measure_volume_profile(const rp_view *view, const rp_scene *scene,
                                  const rp_measure_options *options, rp_table *out,
                                  rp_report *report)
{
    static const rp_measure_column columns[3][4] = {
        {{"radius", "m"}, {"volume", "m3"}, {"thickness", "m"}, {"grains", ""}},
        {{"x", "m"}, {"volume", "m3"}, {"thickness", "m"}, {"grains", ""}},
        {{"y", "m"}, {"volume", "m3"}, {"thickness", "m"}, {"grains", ""}}};
    layer l;
    double width = 0;
    *out = (rp_table){.columns = columns[options->along + 1], .column_count = 4};
    rp_code code = layer_make(view, scene, options, options->along, &l, report);
    if (code == RP_OK && l.axis >= 0) code = width_of(&l, 1 - l.axis, &width, report);
    for (size_t b = 0; b < l.count && code == RP_OK; b++) {
        const bin *sum = &l.bins[b];
        if (!(sum->grains > 0)) continue;
        const double row[] = {middle_of(&l, b), sum->volume, sum->volume / plan_area(&l, b, width),
                              sum->grains};
        code = rp_table_add(out, row, report);
    }
    layer_release(&l);
    return code;
}

static rp_code add_velocity(const layer *l, size_t b, double area, rp_table *out, rp_report *report)
{
    const bin *sum = &l->bins[b];
    double row[8] = {middle_of(l, b)}, square = 0, volume = area * l->step;
    if (!(sum->mass > 0)) return RP_OK;
    for (int a = 0; a < 3; a++) {
        row[RP_VELOCITY_X + a] = sum->momentum[a] / sum->mass;
        square += row[RP_VELOCITY_X + a] * row[RP_VELOCITY_X + a];
    }
    /* Variance as the mean square less the square of the mean; rounding may make it negative. */
    row[RP_VELOCITY_SPREAD] = sqrt(fmax(0, sum->energy / sum->mass - square));
    row[RP_VELOCITY_DENSITY] = sum->mass / volume;
    row[RP_VELOCITY_FRACTION] = sum->solid / volume;
    row[RP_VELOCITY_GRAINS] = sum->grains;
    return rp_table_add(out, row, report);
}

#define VELOCITY_COLUMNS(place)                                                                    \
    {                                                                                              \
        {place, "m"}, {"velocity x", "m/s"}, {"velocity y", "m/s"}, {"velocity z", "m/s"},         \
            {"spread", "m/s"}, {"density", "kg/m3"}, {"volume fraction", ""},                      \
        {                                                                                          \
            "grains", ""                                                                           \
        }                                                                                          \
    }

rp_code rp_measure_velocity_profile(const rp_view *view, const rp_scene *scene,
                                    const rp_measure_options *options, rp_table *out,
                                    rp_report *report)
{
    static const rp_measure_column columns[3][8] = {VELOCITY_COLUMNS("x"), VELOCITY_COLUMNS("y"),
                                                    VELOCITY_COLUMNS("z")};
    layer l;
    double widths[2] = {0};
    int axis = options->along < 0 ? 2 : options->along;
    *out = (rp_table){.columns = columns[axis], .column_count = 8};
    rp_code code = layer_make(view, scene, options, axis, &l, report);
    for (int a = 0; a < 2 && code == RP_OK; a++)
        code = width_of(&l, (axis + 1 + a) % 3, &widths[a], report);
    for (size_t b = 0; b < l.count && code == RP_OK; b++)
        code = add_velocity(&l, b, widths[0] * widths[1], out, report);
    layer_release(&l);
    return code;
}

rp_code rp_measure_fill_volume_profile(const rp_measure_input *in, rp_table *out, rp_report *report)
{
    return rp_measure_volume_profile(in->view, in->scene, in->options, out, report);
}

rp_code rp_measure_fill_velocity_profile(const rp_measure_input *in, rp_table *out,
                                         rp_report *report)
{
    return rp_measure_velocity_profile(in->view, in->scene, in->options, out, report);
}

/* --- the front -------------------------------------------------------------------------------- */

/* Returns the position, m, where the thickness first falls below `level` (m), going from bin `from`
 * in a `direction` of 1 or -1; interpolated linearly between the middles of bins. */
static double crossing(const double *thickness, const layer *l, size_t from, int direction,
                       double level)
{
    size_t b = from;
    while ((direction > 0 ? b + 1 < l->count : b > 0) &&
           thickness[direction > 0 ? b + 1 : b - 1] >= level)
        b = direction > 0 ? b + 1 : b - 1;
    bool last = direction > 0 ? b + 1 == l->count : b == 0;
    double next = last ? 0 : thickness[direction > 0 ? b + 1 : b - 1];
    double part = thickness[b] > next ? (thickness[b] - level) / (thickness[b] - next) : 0.5;
    return middle_of(l, b) + direction * l->step * fmin(part, 1);
}

/* Extrapolates the front (M27): the line through the positions where the layer is one and three
 * spacings thick, or an eighth and three eighths of its largest thickness where it is thin, ends at
 * the ground. The search goes outward from the thickest bin. */
static void find_front(const double *thickness, const layer *l, rp_front *out)
{
    size_t thickest = 0;
    for (size_t b = 0; b < l->count; b++)
        if (thickness[b] > thickness[thickest]) thickest = b;
    double level = fmin(l->view->spacing, thickness[thickest] / 8);
    double *const ends[] = {&out->front, &out->back};
    *out = (rp_front){NAN, NAN, NAN, NAN, 0};
    for (int e = 0; e < (l->axis < 0 ? 1 : 2); e++) {
        int direction = e ? -1 : 1;
        double thin = crossing(thickness, l, thickest, direction, level);
        double middle = crossing(thickness, l, thickest, direction, 2 * level);
        double thick = crossing(thickness, l, thickest, direction, 3 * level);
        *ends[e] = thin + (thin - thick) / 2;
        /* Uncertainty: the difference from the extrapolation of the outer half of the line. */
        out->uncertainty = fmax(out->uncertainty, fabs(*ends[e] - (2 * thin - middle)));
    }
}

/* Cells of LINK spacings; occupied cells that touch each other, corners included, form a patch. */
typedef struct cells {
    double low[3];
    int64_t size[3];
    size_t count;
    uint32_t *grains, *patch, *queue; /* of each cell; patches count from 1 */
} cells;

/* Returns the cell of a grain, or -1 outside of the cells. */
static int64_t cell_of(const cells *c, const layer *l, size_t i)
{
    int64_t cell = 0;
    for (int a = 2; a >= 0; a--) {
        double at = floor((at_axis(l->view, i, a) - c->low[a]) / (LINK * l->view->spacing));
        if (!(at >= 0 && at < (double)c->size[a])) return -1;
        cell = cell * c->size[a] + (int64_t)at;
    }
    return cell;
}

static void release_cells(cells *c)
{
    rp_release(c->grains, c->count * sizeof *c->grains);
    rp_release(c->patch, c->count * sizeof *c->patch);
    rp_release(c->queue, c->count * sizeof *c->queue);
}

static rp_code make_cells(const layer *l, cells *c, rp_report *report)
{
    *c = (cells){.count = 1};
    double edge = LINK * l->view->spacing;
    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < l->view->count; i++) {
            if (!is_in_region(l, i)) continue;
            low = fmin(low, at_axis(l->view, i, a));
            high = fmax(high, at_axis(l->view, i, a));
        }
        double size = floor((high - low) / edge) + 1;
        c->low[a] = low;
        c->size[a] = size < 1e6 ? (int64_t)size : 0;
        c->count *= (size_t)c->size[a];
        if (c->count > 256 * l->view->count + 65536) c->count = 0;
    }
    if (!c->count)
        return rp_fail(report, RP_ERROR_INPUT, "the grains are scattered; name a --region");
    c->grains = rp_allocate_zero(c->count * sizeof *c->grains);
    c->patch = rp_allocate_zero(c->count * sizeof *c->patch);
    c->queue = rp_allocate(c->count * sizeof *c->queue);
    if (c->grains && c->patch && c->queue) return RP_OK;
    return rp_fail_memory(report, 3 * c->count * sizeof *c->grains, "the front of a layer");
}

/* Flood fill: gives `number` to cell `first` and all that are connected to it; returns their
 * grains. */
static size_t flood(cells *c, size_t first, uint32_t number)
{
    size_t head = 0, tail = 0, grains = 0;
    c->patch[first] = number;
    c->queue[tail++] = (uint32_t)first;
    while (head < tail) {
        int64_t cell = c->queue[head++], at[3];
        grains += c->grains[cell];
        for (int a = 0; a < 3; a++, cell /= c->size[a - 1])
            at[a] = cell % c->size[a];
        for (int n = 0; n < 27; n++) {
            int64_t x = at[0] + n % 3 - 1, y = at[1] + n / 3 % 3 - 1, z = at[2] + n / 9 - 1;
            if (x < 0 || y < 0 || z < 0 || x >= c->size[0] || y >= c->size[1] || z >= c->size[2])
                continue;
            size_t other = (size_t)((z * c->size[1] + y) * c->size[0] + x);
            if (!c->grains[other] || c->patch[other]) continue;
            c->patch[other] = number;
            c->queue[tail++] = (uint32_t)other;
        }
    }
    return grains;
}

static uint32_t largest_patch(cells *c, const layer *l)
{
    uint32_t number = 0, best = 0;
    size_t most = 0;
    for (size_t i = 0; i < l->view->count; i++) {
        int64_t cell = is_in_region(l, i) ? cell_of(c, l, i) : -1;
        if (cell >= 0) c->grains[cell]++;
    }
    for (size_t cell = 0; cell < c->count; cell++) {
        if (!c->grains[cell] || c->patch[cell]) continue;
        size_t grains = flood(c, cell, ++number);
        if (grains <= most) continue;
        most = grains;
        best = number;
    }
    return best;
}

/* Finds the outermost grains of the largest patch, which is the layer; loose grains do not count.
 */
static rp_code find_farthest(const layer *l, rp_front *out, rp_report *report)
{
    cells c;
    rp_code code = make_cells(l, &c, report);
    uint32_t heap = code == RP_OK ? largest_patch(&c, l) : 0;
    for (size_t i = 0; i < l->view->count && code == RP_OK; i++) {
        int64_t cell = is_in_region(l, i) ? cell_of(&c, l, i) : -1;
        if (cell < 0 || c.patch[cell] != heap) continue;
        /* Both begin as NaN, which fmax and fmin ignore. */
        out->farthest = fmax(out->farthest, place_of(l, i));
        if (l->axis >= 0) out->rearmost = fmin(out->rearmost, place_of(l, i));
    }
    release_cells(&c);
    return code;
}

rp_code rp_measure_front(const rp_view *view, const rp_scene *scene,
                         const rp_measure_options *options, rp_front *out, rp_report *report)
{
    layer l;
    double width = 0, *thickness = NULL;
    *out = (rp_front){NAN, NAN, NAN, NAN, NAN};
    rp_code code = layer_make(view, scene, options, options->along, &l, report);
    if (code == RP_OK && l.axis >= 0) code = width_of(&l, 1 - l.axis, &width, report);
    size_t bytes = l.count * sizeof *thickness;
    if (code == RP_OK && !(thickness = rp_allocate(bytes)))
        code = rp_fail_memory(report, bytes, "the front of a layer");
    for (size_t b = 0; b < l.count && code == RP_OK; b++)
        thickness[b] = l.bins[b].volume / plan_area(&l, b, width);
    if (code == RP_OK) find_front(thickness, &l, out);
    if (code == RP_OK) code = find_farthest(&l, out, report);
    /* A blunt front ends before the extrapolated line does. */
    out->front = fmin(out->front, out->farthest + view->spacing / 2);
    out->back = fmax(out->back, out->rearmost - view->spacing / 2);
    rp_release(thickness, thickness ? bytes : 0);
    layer_release(&l);
    return code;
}

rp_code rp_measure_take_front(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report)
{
    rp_front f;
    rp_code code = rp_measure_front(in->view, in->scene, in->options, &f, report);
    double rounding = 0x1p-24;
    out[0] = (rp_measured){"front", f.front, f.uncertainty, "m"};
    out[1] = (rp_measured){"farthest grain", f.farthest, rounding * fabs(f.farthest), "m"};
    out[2] = (rp_measured){"back", f.back, f.uncertainty, "m"};
    out[3] = (rp_measured){"rearmost grain", f.rearmost, rounding * fabs(f.rearmost), "m"};
    *count = in->options->along < 0 ? 2 : 4;
    return code;
}
