/* The stress that contacts carry (M18). */
#include "base/report.h"
#include "contact/contact.h"

/* What part of the way from `from` along `way` is within the box. */
static double part_inside(rp_vec3 from, rp_vec3 way, const rp_box3 *box)
{
    const double at[] = {from.x, from.y, from.z}, step[] = {way.x, way.y, way.z};
    const double low[] = {box->low.x, box->low.y, box->low.z};
    const double high[] = {box->high.x, box->high.y, box->high.z};
    double begin = 0, end = 1;
    for (int a = 0; a < 3; a++) {
        if (step[a] == 0) {
            if (at[a] < low[a] || at[a] > high[a]) return 0;
            continue;
        }
        double t1 = (low[a] - at[a]) / step[a], t2 = (high[a] - at[a]) / step[a];
        begin = fmax(begin, fmin(t1, t2));
        end = fmin(end, fmax(t1, t2));
    }
    return fmax(0, end - begin);
}

/* The same, with the images of the way across periodic sides, of which the region may hold parts.
 */
static double part_with_images(rp_vec3 from, rp_vec3 way, const rp_contact_space *space,
                               const rp_box3 *box)
{
    rp_vec3 period = rp_v3_sub(space->domain_high, space->domain_low);
    int x = space->periodic & 1 ? 1 : 0, y = space->periodic & 2 ? 1 : 0,
        z = space->periodic & 4 ? 1 : 0;
    double part = 0;
    for (int i = -x; i <= x; i++)
        for (int j = -y; j <= y; j++)
            for (int k = -z; k <= z; k++) {
                rp_vec3 shift = {i ? i * period.x : 0, j ? j * period.y : 0, k ? k * period.z : 0};
                part += part_inside(rp_v3_add(from, shift), way, box);
            }
    return part;
}

/* A region that is open along a periodic axis ends where the domain does: the rest are images. */
static rp_box3 closed_region(const rp_contact_space *space)
{
    rp_box3 box = space->region;
    if (space->periodic & 1) {
        box.low.x = fmax(box.low.x, space->domain_low.x);
        box.high.x = fmin(box.high.x, space->domain_high.x);
    }
    if (space->periodic & 2) {
        box.low.y = fmax(box.low.y, space->domain_low.y);
        box.high.y = fmin(box.high.y, space->domain_high.y);
    }
    if (space->periodic & 4) {
        box.low.z = fmax(box.low.z, space->domain_low.z);
        box.high.z = fmin(box.high.z, space->domain_high.z);
    }
    return box;
}

/* The box around all grains, half a spacing beyond their middles; a period where there is one. */
static rp_box3 box_of(const rp_view *view, const rp_contact_space *space)
{
    rp_vec3 far = rp_v3(INFINITY, INFINITY, INFINITY), low = far, high = rp_v3_scale(far, -1);
    double half = view->spacing / 2;
    for (size_t i = 0; i < view->count; i++) {
        rp_vec3 at = {view->x[i], view->y[i], view->z[i]};
        low = rp_v3_min(low, rp_v3_sub(at, rp_v3(half, half, half)));
        high = rp_v3_max(high, rp_v3_add(at, rp_v3(half, half, half)));
    }
    if (space->periodic & 1) low.x = space->domain_low.x, high.x = space->domain_high.x;
    if (space->periodic & 2) low.y = space->domain_low.y, high.y = space->domain_high.y;
    if (space->periodic & 4) low.z = space->domain_low.z, high.z = space->domain_high.z;
    return (rp_box3){low, high};
}

/* The volume of the region's bounded sides and the sand's others. */
static double volume_of(const rp_view *view, const rp_contact_space *space)
{
    rp_box3 all = box_of(view, space), box = closed_region(space);
    double x = (isfinite(box.high.x) ? box.high.x : all.high.x) -
               (isfinite(box.low.x) ? box.low.x : all.low.x);
    double y = (isfinite(box.high.y) ? box.high.y : all.high.y) -
               (isfinite(box.low.y) ? box.low.y : all.low.y);
    double z = (isfinite(box.high.z) ? box.high.z : all.high.z) -
               (isfinite(box.low.z) ? box.low.z : all.low.z);
    return x > 0 && y > 0 && z > 0 ? x * y * z : 0;
}

static bool is_everywhere(const rp_box3 *box)
{
    return !isfinite(box->low.x) && !isfinite(box->low.y) && !isfinite(box->low.z) &&
           !isfinite(box->high.x) && !isfinite(box->high.y) && !isfinite(box->high.z);
}

/* Adds the force that the second puts on the first, times the way between them. */
static void add_contact(const rp_contact *c, double part, rp_mat3 *sum)
{
    for (int row = 0; row < 3; row++) {
        double force = (double)c->normal_force * c->normal[row] - (double)c->shear_force[row];
        for (int column = 0; column < 3; column++)
            sum->m[row][column] += part * force * c->branch[column];
    }
}

static rp_code sum_contacts(const rp_view *view, const rp_contact_space *space, rp_mat3 *sum,
                            rp_report *report)
{
    rp_grain_ids ids = {0};
    bool everywhere = is_everywhere(&space->region);
    rp_box3 box = closed_region(space);
    rp_code code = everywhere ? RP_OK : rp_grain_ids_make(view, &ids, report);
    for (size_t i = 0; code == RP_OK && i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        size_t first = everywhere ? 0 : rp_grain_ids_find(&ids, c->first);
        if (first == SIZE_MAX) continue;
        rp_vec3 way = {c->branch[0], c->branch[1], c->branch[2]};
        double part = 1;
        if (!everywhere)
            part = part_with_images(rp_v3(view->x[first], view->y[first], view->z[first]), way,
                                    space, &box);
        add_contact(c, part, sum);
    }
    rp_grain_ids_release(&ids);
    return code;
}

/* The pressure of grains that move about their mean velocity. */
static double kinetic_pressure(const rp_view *view, const rp_box3 *box, double volume)
{
    double mass = 0, square = 0;
    rp_vec3 momentum = {0};
    if (!view->mass) return NAN;
    for (size_t i = 0; i < view->count; i++) {
        double x = view->x[i], y = view->y[i], z = view->z[i], m = view->mass[i];
        if (x < box->low.x || x > box->high.x || y < box->low.y || y > box->high.y ||
            z < box->low.z || z > box->high.z)
            continue;
        rp_vec3 v = {view->vx[i], view->vy[i], view->vz[i]};
        mass += m;
        momentum = rp_v3_madd(momentum, m, v);
        square += m * rp_v3_dot(v, v);
    }
    return mass > 0 ? fmax(0, square - rp_v3_dot(momentum, momentum) / mass) / (3 * volume) : 0;
}

static void finish(rp_mat3 sum, rp_stress *out)
{
    double squares = 0;
    rp_vec3 axes[3];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            double one = sum.m[row][column] / out->volume, other = sum.m[column][row] / out->volume;
            out->tensor.m[row][column] = (one + other) / 2;
            out->twist = fmax(out->twist, fabs(one - other) / 2);
        }
    const rp_mat3 *t = &out->tensor;
    out->pressure = (t->m[0][0] + t->m[1][1] + t->m[2][2]) / 3;
    for (int k = 0; k < 9; k++) {
        double part = t->m[k / 3][k % 3] - (k % 4 == 0 ? out->pressure : 0);
        squares += part * part;
    }
    out->deviator = sqrt(1.5 * squares);
    rp_m3_eigen(*t, out->principal, axes);
}

rp_code rp_contact_stress(const rp_view *view, const rp_contact_space *space, rp_stress *out,
                          rp_report *report)
{
    rp_mat3 sum = {0};
    *out = (rp_stress){0};
    RP_TRY(rp_contacts_check(view, report));
    out->volume = view->count ? volume_of(view, space) : 0;
    if (!(out->volume > 0)) return rp_fail(report, RP_ERROR_INPUT, "the region holds no sand");
    RP_TRY(sum_contacts(view, space, &sum, report));
    finish(sum, out);
    out->kinetic = kinetic_pressure(view, &space->region, out->volume);
    return RP_OK;
}
