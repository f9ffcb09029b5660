/* Sums and extremes over all grains. */
#include "base/report.h"
#include "measure/kinds.h"

/* Half a unit in the last place of a float, relative. */
#define FLOAT_ROUNDING 0x1p-24

/* A sum that also keeps what rounding of its terms may amount to. */
typedef struct tally {
    double sum, size;
} tally;

static void tally_add(tally *t, double term)
{
    t->sum += term;
    t->size += fabs(term);
}

static rp_measured tallied(const char *name, tally t, double roundings, const char *unit)
{
    return (rp_measured){name, t.sum, roundings * FLOAT_ROUNDING * t.size, unit};
}

static rp_measured exactly(const char *name, double value, const char *unit)
{
    return (rp_measured){name, value, 0, unit};
}

/* Fine grains have no masses in their records. */
static rp_code check_mass(const rp_view *view, rp_report *report)
{
    if (view->mass || !view->count) return RP_OK;
    return rp_fail(report, RP_ERROR_UNSUPPORTED,
                   "the masses of these grains are not recorded; measure the coarse grains");
}

static void unknown(const char *const *names, const char *unit, rp_measured *out, int *count)
{
    for (int i = 0; i < 3; i++)
        out[i] = (rp_measured){names[i], NAN, NAN, unit};
    *count = 3;
}

rp_code rp_measure_take_energy(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report)
{
    static const char *const names[] = {"kinetic", "potential", "total"};
    const rp_view *view = in->view;
    unknown(names, "J", out, count);
    RP_TRY(check_mass(view, report));
    rp_vec3 g = in->scene->gravity;
    tally kinetic = {0}, potential = {0}, total = {0};
    for (size_t i = 0; i < view->count; i++) {
        double vx = view->vx[i], vy = view->vy[i], vz = view->vz[i], m = view->mass[i];
        double moving = 0.5 * m * (vx * vx + vy * vy + vz * vz);
        double lifted = -m * rp_v3_dot(g, rp_v3(view->x[i], view->y[i], view->z[i]));
        tally_add(&kinetic, moving);
        tally_add(&potential, lifted);
        tally_add(&total, moving + lifted);
    }
    out[0] = tallied(names[0], kinetic, 3, "J");
    out[1] = tallied(names[1], potential, 2, "J");
    out[2] = tallied(names[2], total, 3, "J");
    return RP_OK;
}

rp_code rp_measure_take_momentum(const rp_measure_input *in, rp_measured *out, int *count,
                                 rp_report *report)
{
    static const char *const names[] = {"x", "y", "z"};
    const rp_view *view = in->view;
    unknown(names, "kg m/s", out, count);
    RP_TRY(check_mass(view, report));
    tally x = {0}, y = {0}, z = {0};
    for (size_t i = 0; i < view->count; i++) {
        double m = view->mass[i];
        tally_add(&x, m * (double)view->vx[i]);
        tally_add(&y, m * (double)view->vy[i]);
        tally_add(&z, m * (double)view->vz[i]);
    }
    out[0] = tallied(names[0], x, 2, "kg m/s");
    out[1] = tallied(names[1], y, 2, "kg m/s");
    out[2] = tallied(names[2], z, 2, "kg m/s");
    return RP_OK;
}

/* Of what is not recorded, as of fine grains, no number is known; but grains that have a mass and
 * no field `asleep` are those of a method that lets none sleep. */
rp_code rp_measure_take_count(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report)
{
    (void)report;
    const rp_view *view = in->view;
    tally mass = {0};
    double asleep = 0;
    for (size_t i = 0; i < view->count; i++) {
        tally_add(&mass, view->mass ? view->mass[i] : NAN);
        asleep += view->asleep ? view->asleep[i] != 0 : view->mass ? 0 : NAN;
    }
    out[0] = exactly("grains", (double)view->count, "");
    out[1] = exactly("asleep", asleep, "");
    out[2] = tallied("mass", mass, 1, "kg");
    *count = 3;
    return RP_OK;
}

rp_code rp_measure_take_bounds(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report)
{
    (void)report;
    const rp_view *view = in->view;
    static const char *const names[] = {"low x", "low y", "low z", "high x", "high y", "high z"};
    const float *axes[] = {view->x, view->y, view->z};
    for (int a = 0; a < 3; a++) {
        double low = view->count ? INFINITY : 0, high = view->count ? -INFINITY : 0;
        for (size_t i = 0; i < view->count; i++) {
            low = fmin(low, axes[a][i]);
            high = fmax(high, axes[a][i]);
        }
        out[a] = (rp_measured){names[a], low, FLOAT_ROUNDING * fabs(low), "m"};
        out[a + 3] = (rp_measured){names[a + 3], high, FLOAT_ROUNDING * fabs(high), "m"};
    }
    *count = 6;
    return RP_OK;
}
