#include "measure/profile.h"
#include "base/memory.h"
#include "base/report.h"
#include "measure/angle.h"
#include "measure/kinds.h"

#define BIN 2.0 /* spacings: two cells of the surface's plan, nearly */
#define BINS_MAX 100000

static const rp_measure_column radial[] = {
    {"radius", "m"}, {"height", "m"}, {"spread", "m"}, {"grains", ""}};
static const rp_measure_column along_x[] = {
    {"x", "m"}, {"height", "m"}, {"spread", "m"}, {"grains", ""}};
static const rp_measure_column along_y[] = {
    {"y", "m"}, {"height", "m"}, {"spread", "m"}, {"grains", ""}};

typedef struct bin {
    double count, place, height, square; /* sums; heights from `surface.low` */
} bin;

/* Where the radius starts. */
static void find_centre(const rp_free_surface *s, double centre[2])
{
    rp_angle angle;
    if (rp_angle_of_surface(s, &angle, NULL) == RP_OK) {
        centre[0] = angle.centre[0];
        centre[1] = angle.centre[1];
        return;
    }
    centre[0] = centre[1] = 0;
    for (size_t i = 0; i < s->count; i++) {
        centre[0] += s->points[i].a / (double)s->count;
        centre[1] += s->points[i].b / (double)s->count;
    }
}

static double place_of(const rp_free_surface_point *p, int along, const double centre[2])
{
    if (along < 0) return rp_hypot(p->a - centre[0], p->b - centre[1]);
    return along == 0 ? p->a : p->b;
}

static void fill_bins(const rp_free_surface *s, int along, const double centre[2], double low,
                      bin *bins)
{
    for (size_t i = 0; i < s->count; i++) {
        double place = place_of(&s->points[i], along, centre);
        double height = s->points[i].height - s->low;
        bin *b = &bins[(size_t)((place - low) / (BIN * s->spacing))];
        b->count++;
        b->place += place;
        b->height += height;
        b->square += height * height;
    }
}

/* Each bin stands at the mean place of its grains, not at its middle: the innermost ring and the
 * last bin are filled unevenly, which would tilt the profile's ends. */
static rp_code add_rows(const rp_free_surface *s, const bin *bins, size_t count, rp_table *out,
                        rp_report *report)
{
    rp_code code = RP_OK;
    for (size_t i = 0; i < count && code == RP_OK; i++) {
        const bin *b = &bins[i];
        if (!(b->count > 0)) continue;
        double mean = b->height / b->count;
        double row[] = {b->place / b->count, s->low + mean,
                        sqrt(fmax(0, b->square / b->count - mean * mean)), b->count};
        code = rp_table_add(out, row, report);
    }
    return code;
}

static rp_code profile_of(const rp_free_surface *s, int along, rp_table *out, rp_report *report)
{
    double centre[2] = {0}, low = INFINITY, high = -INFINITY;
    if (along < 0) find_centre(s, centre);
    for (size_t i = 0; i < s->count; i++) {
        double place = place_of(&s->points[i], along, centre);
        low = fmin(low, place);
        high = fmax(high, place);
    }
    if (along < 0) low = 0;
    double width = (high - low) / (BIN * s->spacing);
    if (!(width < BINS_MAX)) return rp_fail(report, RP_ERROR_INPUT, "the heap is too wide");
    size_t count = (size_t)width + 1;
    bin *bins = rp_allocate_zero(count * sizeof *bins);
    if (!bins) return rp_fail_memory(report, count * sizeof *bins, "a profile");
    fill_bins(s, along, centre, low, bins);
    rp_code code = add_rows(s, bins, count, out, report);
    rp_release(bins, count * sizeof *bins);
    return code;
}

rp_code rp_measure_profile(const rp_view *view, const rp_scene *scene, int along, rp_table *out,
                           rp_report *report)
{
    rp_free_surface surface;
    *out = (rp_table){.columns = along < 0    ? radial
                                 : along == 0 ? along_x
                                              : along_y,
                      .column_count = 4};
    rp_code code = rp_free_surface_find(view, scene, &surface, report);
    if (code == RP_OK && along >= 0 && surface.axes.up.z < 0.999)
        code = rp_fail(report, RP_ERROR_INPUT, "profiles along x or y want gravity along -z");
    if (code == RP_OK) code = profile_of(&surface, along, out, report);
    rp_free_surface_release(&surface);
    return code;
}

rp_code rp_measure_fill_profile(const rp_measure_input *in, rp_table *out, rp_report *report)
{
    return rp_measure_profile(in->view, in->scene, in->options->along, out, report);
}
