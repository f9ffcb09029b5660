/* A heap: its angle of repose, and the profile of its surface. */
#include "base/memory.h"
#include "base/report.h"
#include "measure/inside.h"

/* --- angle of repose ------------------------------------------------------------------------ */

/* (M4) to (M9): a cone is fitted to the middle of the flank by iteratively reweighted least
 * squares, which gives the axis; then each of up to twelve sectors gets a straight line of its own,
 * and their slopes give the angle and its uncertainty.
 *
 * The fit is unbiased with few grains for three reasons. Points are grains at their own positions,
 * not cells. The part of the flank that counts is chosen by distance from the axis, never by
 * height, since a selection by the fitted quantity flattens a line. No average is taken over rings,
 * which would mix heights. A flank with soft ends was worse: docs/log/measure.md. */

#define SECTORS 12        /* at most */
#define SECTOR_SHARE 12   /* points on the flank, all round, for each sector */
#define SECTOR_POINTS 8   /* fewer give no slope */
#define SECTOR_EXTENT 0.5 /* of the flank that a sector must cover */
#define FLANK_LOW 0.2     /* of the height (M5) */
#define FLANK_HIGH 0.8
#define SUMMIT 0.85      /* of the height: points above are used for the first axis (M4) */
#define STANDING 0.1     /* of the columns at least rest on something; else it is in flight */
#define LEVEL 2.5        /* spacings; a surface with less relief is a level bed */
#define LEVEL_WALLED 6.0 /* the same between walls: sand poured into a bin is uneven */
#define WALLED 0.75      /* of the edge; then it is between walls */
#define EXPLAINED 0.5    /* of the variance of the heights on the flank (M9a) */
#define CERTAIN 3.0      /* standard errors: the least significance of a slope */
#define ROUGH 0.15       /* of the height: the largest typical deviation from the cone */
#define ROUGH_GRAINS 2.5 /* spacings: smaller deviations are due to grains, not to the shape */
#define ROUNDS 60
#define TUKEY 4.685   /* standard deviations; 95 % efficiency for normal residuals */
#define STEEPEST 20.0 /* tangent; bounds the search */

/* z = apex - slope * r, r the distance from the centre. */
typedef struct cone {
    double a, b, apex, slope;
} cone;

typedef struct fit {
    const rp_free_surface *surface;
    cone cone;
    double low, high; /* m, of the flank, distances from the axis */
    double scale;     /* m, robust standard deviation of the residuals */
    int sectors;      /* that the circle is cut into */
    double *scratch;  /* as many as there are points */
} fit;

static double distance(const cone *c, const rp_free_surface_point *p)
{
    return rp_hypot(p->a - c->a, p->b - c->b);
}

static double residual(const cone *c, const rp_free_surface_point *p)
{
    return p->height - (c->apex - c->slope * distance(c, p));
}

static bool on_flank(const fit *f, const rp_free_surface_point *p)
{
    double r = distance(&f->cone, p);
    return r >= f->low && r <= f->high;
}

/* Returns Tukey's biweight of a residual (M6). */
static double weight(double residual, double scale)
{
    double u = residual / (TUKEY * scale);
    return fabs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0;
}

/* Finds the robust scale of the residuals on the flank; returns the number of points there. The
 * scale has a lower bound: on a lattice all residuals may be equal, and all points but one would
 * lose their weight. */
static size_t find_scale(fit *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->surface->count; i++) {
        const rp_free_surface_point *p = &f->surface->points[i];
        if (on_flank(f, p)) f->scratch[count++] = residual(&f->cone, p);
    }
    rp_statistics_median_deviation(f->scratch, count, &f->scale);
    f->scale = fmax(f->scale, 0.1 * f->surface->spacing);
    return count;
}

/* Chooses the flank (M5): where the fitted cone is between a fifth and four fifths of the height.
 */
static void choose_flank(fit *f)
{
    const rp_free_surface *s = f->surface;
    double height = s->high - s->low, slope = fmax(f->cone.slope, 1e-3);
    f->low = fmax(0, (f->cone.apex - (s->low + FLANK_HIGH * height)) / slope);
    f->high = (f->cone.apex - (s->low + FLANK_LOW * height)) / slope;
}

/* The initial cone (M4): its axis through the centre of the summit, its slope from half height. */
static void guess(fit *f)
{
    const rp_free_surface *s = f->surface;
    double a = 0, b = 0, reach = 0, height = s->high - s->low;
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->points[i].height < s->low + SUMMIT * height) continue;
        a += s->points[i].a, b += s->points[i].b, count++;
    }
    f->cone = (cone){a / (double)count, b / (double)count, s->high, 0};
    /* The median distance of points near half height is robust against a long foot. */
    count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (fabs(s->points[i].height - s->low - 0.5 * height) < 0.15 * height)
            f->scratch[count++] = distance(&f->cone, &s->points[i]);
    reach = rp_statistics_quantile(f->scratch, count, 0.5);
    f->cone.slope = 0.5 * height / fmax(reach, s->spacing);
}

/* Solves n equations, n at most 4, by Gauss-Jordan elimination with pivoting; false when the matrix
 * is singular. The right-hand side is column 4. */
static bool solve(double m[4][5], int n, double *x)
{
    RP_ASSERT(n > 0 && n <= 4);
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(m[r][c]) > fabs(m[pivot][c])) pivot = r;
        if (!(fabs(m[pivot][c]) > 1e-300)) return false;
        for (int k = 0; k < 5; k++) {
            double swapped = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = swapped;
        }
        for (int r = 0; r < n; r++) {
            double factor = r == c ? 0 : m[r][c] / m[c][c];
            for (int k = c; k < 5; k++)
                m[r][k] -= factor * m[c][k];
        }
    }
    for (int r = 0; r < n; r++)
        x[r] = m[r][4] / m[r][r];
    return true;
}

/* Builds the weighted normal equations of (M6) for corrections of apex, slope and centre. */
static void gather(const fit *f, double m[4][5])
{
    const cone *c = &f->cone;
    for (int j = 0; j < 4; j++)
        for (int k = 0; k < 5; k++)
            m[j][k] = 0;
    for (size_t i = 0; i < f->surface->count; i++) {
        const rp_free_surface_point *p = &f->surface->points[i];
        double r = distance(c, p), e = residual(c, p);
        if (r < f->low || r > f->high || !(r > 0)) continue;
        double w = weight(e, f->scale);
        /* Derivatives of z(r) with respect to apex, slope and centre; then the residual. */
        double row[5] = {1, -r, c->slope * (p->a - c->a) / r, c->slope * (p->b - c->b) / r, e};
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 5; k++)
                m[j][k] += w * row[j] * row[k];
    }
}

/* One iteration of (M6): flank, weights, a Gauss-Newton step. Returns how far apex and axis moved,
 * m; negative when nothing can be fitted. The axis moves at most four spacings in an iteration, so
 * that a bad initial cone does not throw it out of the heap. */
static double improve(fit *f)
{
    double m[4][5], step[4];
    choose_flank(f);
    if (find_scale(f) < 4 * SECTOR_POINTS) return -1;
    gather(f, m);
    /* Where only one sector exists the axis is hardly determined: regularise it. */
    for (int j = 2; j < 4; j++)
        m[j][j] += 1e-6 * m[0][0] * f->cone.slope * f->cone.slope;
    if (!solve(m, 4, step)) return -1;
    double moved = rp_hypot(step[2], step[3]);
    double part = fmin(1, 4 * f->surface->spacing / fmax(moved, 1e-300));
    f->cone.apex += part * step[0];
    f->cone.slope = fmin(fmax(f->cone.slope + part * step[1], 0), STEEPEST);
    f->cone.a += part * step[2];
    f->cone.b += part * step[3];
    return part * moved + fabs(part * step[0]);
}

/* A robust line z = apex - slope * r through the points of one sector (M7); `count` of them. */
typedef struct line {
    double apex, slope, error; /* error: standard error of the slope */
    size_t count;
} line;

static int sector_of(const fit *f, const rp_free_surface_point *p)
{
    double turn = atan2(p->b - f->cone.b, p->a - f->cone.a) / (2 * RP_PI);
    int sector = (int)floor((turn + 0.5) * f->sectors);
    return sector < f->sectors ? sector : f->sectors - 1;
}

/* One iteration of weighted linear regression, with weights from the line before. */
static void fit_round(const fit *f, int sector, line *l)
{
    double w = 0, wr = 0, wz = 0, wrr = 0, wrz = 0, wee = 0;
    l->count = 0;
    for (size_t i = 0; i < f->surface->count; i++) {
        const rp_free_surface_point *p = &f->surface->points[i];
        if (!on_flank(f, p) || sector_of(f, p) != sector) continue;
        double r = distance(&f->cone, p), e = p->height - (l->apex - l->slope * r);
        double one = weight(e, f->scale);
        w += one, wr += one * r, wz += one * p->height;
        wrr += one * r * r, wrz += one * r * p->height, wee += one * e * e;
        l->count += one > 0;
    }
    double spread = w * wrr - wr * wr;
    if (l->count < SECTOR_POINTS || !(spread > 0)) {
        l->count = 0;
        return;
    }
    l->slope = -(w * wrz - wr * wz) / spread;
    l->apex = (wz + l->slope * wr) / w;
    l->error = sqrt(wee / (double)(l->count - 2) * w / spread);
}

/* True when the points of a sector cover enough of the flank (M7). */
static bool covers(const fit *f, int sector)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < f->surface->count; i++) {
        const rp_free_surface_point *p = &f->surface->points[i];
        if (!on_flank(f, p) || sector_of(f, p) != sector) continue;
        low = fmin(low, distance(&f->cone, p));
        high = fmax(high, distance(&f->cone, p));
    }
    return high - low >= SECTOR_EXTENT * (f->high - f->low);
}

static line fit_sector(const fit *f, int sector)
{
    line l = {.apex = f->cone.apex, .slope = f->cone.slope};
    if (!covers(f, sector)) return (line){0};
    for (int round = 0; round < 12; round++) {
        fit_round(f, sector, &l);
        if (!l.count) return (line){0};
    }
    return l;
}

/* Returns the Hodges-Lehmann estimate of the centre, the median of all pairwise means: nearly as
 * efficient as the mean, and robust against outliers in a quarter of the sectors (M8). */
static double centre_of(const double *values, int count)
{
    double means[SECTORS * (SECTORS + 1) / 2];
    size_t n = 0;
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
            means[n++] = 0.5 * (values[i] + values[j]);
    return rp_statistics_quantile(means, n, 0.5);
}

/* Combines the sectors: angle (M8) and uncertainty (M9), the larger of what the sectors and what
 * the points give. */
static rp_code join_sectors(fit *f, rp_angle *out, rp_report *report)
{
    double angles[SECTORS], errors = 0, spread = 0;
    size_t share = find_scale(f) / SECTOR_SHARE;
    f->sectors = share < SECTORS ? share > 3 ? (int)share : 3 : SECTORS;
    for (int s = 0; s < f->sectors; s++) {
        line l = fit_sector(f, s);
        if (!l.count) continue;
        double error = l.error / (1 + l.slope * l.slope);
        angles[out->sectors++] = atan(l.slope);
        errors += error * error;
        out->points += l.count;
    }
    if (!out->sectors)
        return rp_fail(report, RP_ERROR_INPUT, "no pile: no flank that is long enough for a slope");
    double n = out->sectors, middle = centre_of(angles, out->sectors);
    for (int s = 0; s < out->sectors; s++)
        spread += (angles[s] - middle) * (angles[s] - middle);
    spread = n > 1 ? sqrt(spread / (n - 1) / n) : 0;
    out->degrees = middle * 180 / RP_PI;
    out->uncertainty = fmax(spread, sqrt(errors) / n) * 180 / RP_PI;
    return RP_OK;
}

static void set_shape(const fit *f, rp_angle *out)
{
    const rp_free_surface *s = f->surface;
    double foot = s->low - 0.5 * s->spacing, tip = f->cone.apex + 0.5 * s->spacing;
    out->height = s->high - s->low + s->spacing;
    out->radius = f->cone.slope > 0 ? (tip - foot) / f->cone.slope : 0;
    out->centre[0] = f->cone.a;
    out->centre[1] = f->cone.b;
    out->apex = f->cone.apex;
    out->flank[0] = f->low;
    out->flank[1] = f->high;
    out->grains = s->grains;
    out->speed = s->speed;
}

/* Refuses ridges and heaps with several summits, for which the angle of the best cone means
 * nothing. Their residuals are 0.25 of the height and more; those of pyramids and ellipses, which
 * pass, up to 0.1. */
static rp_code check_shape(fit *f, rp_report *report)
{
    const rp_free_surface *s = f->surface;
    find_scale(f);
    if (f->scale < ROUGH * (s->high - s->low) || f->scale < ROUGH_GRAINS * s->spacing) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "no pile with one summit: the surface is %.3g m off the best cone, typically; "
                   "the heap is %.3g m high",
                   f->scale, s->high - s->low);
}

/* Refuses sand in flight and level surfaces (M3a). */
static rp_code check_heap(const rp_free_surface *s, rp_report *report)
{
    double relief = s->high - s->low;
    bool walled = s->walled > WALLED;
    double least = walled ? LEVEL_WALLED : LEVEL;
    if (s->standing < STANDING)
        return rp_fail(report, RP_ERROR_INPUT,
                       "no pile: the grains rest on nothing; they are in the air");
    if (relief >= least * s->spacing) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "no pile: the surface%s is level; it rises by %.2g m, which is %.1f spacings, "
                   "and a pile by %g at least",
                   walled ? " between the walls" : "", relief, relief / s->spacing, least);
}

/* Returns the coefficient of determination: the share of the variance of heights on the flank that
 * the cone explains; 1 on a perfect cone, 0 on a surface that is rough but level (M9a). */
static double explained_share(const fit *f)
{
    double n = 0, sum = 0, squares = 0, residuals = 0;
    for (size_t i = 0; i < f->surface->count; i++) {
        const rp_free_surface_point *p = &f->surface->points[i];
        double e = residual(&f->cone, p), z = p->height - f->surface->low;
        if (!on_flank(f, p) || !(weight(e, f->scale) > 0)) continue;
        n++, sum += z, squares += z * z, residuals += e * e;
    }
    double variance = squares - sum * sum / n;
    return variance > 0 ? 1 - residuals / variance : 0;
}

/* Refuses a slope that is no more than the roughness of the surface (M9a). */
static rp_code check_slope(const fit *f, const rp_angle *a, rp_report *report)
{
    double share = explained_share(f);
    if (share < EXPLAINED)
        return rp_fail(report, RP_ERROR_INPUT,
                       "no pile: the surface is uneven but does not fall outward; a cone explains "
                       "%.0f %% of the variance of its heights",
                       100 * fmax(0, share));
    if (a->degrees >= CERTAIN * a->uncertainty) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "no pile: its slope cannot be distinguished from level: %.1f +- %.1f degrees",
                   a->degrees, a->uncertainty);
}

/* The whole fit: an initial cone, iterations until the axis rests, checks, sectors. */
static rp_code fit_pile(fit *f, rp_angle *out, rp_report *report)
{
    guess(f);
    for (int round = 0; round < ROUNDS; round++) {
        double moved = improve(f);
        if (moved < 0)
            return rp_fail(report, RP_ERROR_INPUT,
                           "no pile: too few grains on its flank (%zu in the heap)",
                           f->surface->grains);
        if (moved < 1e-5 * f->surface->spacing) break;
    }
    choose_flank(f);
    RP_TRY(check_shape(f, report));
    set_shape(f, out);
    rp_code code = join_sectors(f, out, report);
    return code == RP_OK ? check_slope(f, out, report) : code;
}

static const rp_angle none = {
    .degrees = NAN, .uncertainty = NAN, .height = NAN, .radius = NAN, .speed = NAN};

rp_code rp_angle_of_surface(const rp_free_surface *surface, rp_angle *out, rp_report *report)
{
    *out = none;
    size_t bytes = surface->count * sizeof(double);
    fit f = {.surface = surface, .scratch = rp_allocate(bytes)};
    if (!f.scratch) return rp_fail_memory(report, bytes, "the fit of a pile");
    rp_code code = check_heap(surface, report);
    if (code == RP_OK) code = fit_pile(&f, out, report);
    rp_release(f.scratch, bytes);
    if (code != RP_OK) *out = none;
    return code;
}

rp_code rp_measure_angle(const rp_view *view, const rp_scene *scene, rp_angle *out,
                         rp_report *report)
{
    rp_free_surface surface;
    *out = none;
    rp_code code = rp_free_surface_find(view, scene, &surface, report);
    if (code == RP_OK) code = rp_angle_of_surface(&surface, out, report);
    rp_free_surface_release(&surface);
    return code;
}

rp_code rp_measure_take_angle(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report)
{
    rp_angle a;
    rp_code code = rp_measure_angle(in->view, in->scene, &a, report);
    double size = in->view->spacing; /* heights are known to one grain */
    out[0] = (rp_measured){"angle", a.degrees, a.uncertainty, "deg"};
    out[1] = (rp_measured){"height", a.height, size, "m"};
    out[2] = (rp_measured){"radius", a.radius, size, "m"};
    out[3] = (rp_measured){"grains", code == RP_OK ? (double)a.grains : NAN, 0, ""};
    out[4] = (rp_measured){"surface", code == RP_OK ? (double)a.points : NAN, 0, ""};
    out[5] = (rp_measured){"speed", a.speed, 0x1p-24 * a.speed, "m/s"};
    *count = 6;
    return code;
}

/* --- height profile ------------------------------------------------------------------------- */

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

/* Finds the axis that radii are taken from: of the fitted cone, else the centre of the surface. */
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

/* The position of a bin is the mean of its grains, not its middle: grains in the innermost ring and
 * in the last bin are spread unevenly, which would tilt the ends of the profile. */
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
