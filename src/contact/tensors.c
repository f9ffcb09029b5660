#include "base/report.h"
/* Tensors of contacts: the fabric tensor and contact angles (M16, M17), and the stress tensor of
 * Love and Weber (M18), the sum of contact forces times branch vectors over the volume. */
#include "contact/contact.h"

/* --- fabric tensor and contact angles ------------------------------------------------------- */

static rp_code fail_empty(rp_report *report)
{
    return rp_fail(report, RP_ERROR_INPUT, "there are no contacts under compression");
}

rp_code rp_contact_fabric(const rp_view *view, const rp_contact_space *space, rp_fabric *out,
                          rp_report *report)
{
    *out = (rp_fabric){0};
    RP_TRY(rp_contacts_check(view, report));
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        if (!rp_contact_is_selected(c, space)) continue;
        out->count++;
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                out->tensor.m[row][column] += (double)c->normal[row] * c->normal[column];
    }
    if (!out->count) return fail_empty(report);
    for (int k = 0; k < 9; k++)
        out->tensor.m[k / 3][k % 3] /= (double)out->count;
    rp_m3_eigen(out->tensor, out->values, out->axes);
    return RP_OK;
}

/* Normalises the bins: an isotropic distribution has cos(a1) - cos(a2) of its contacts between the
 * angles a1 and a2, the area of that zone of the unit hemisphere. */
static void finish_angles(rp_angle_bin *bins, double total, double mean)
{
    for (int i = 0; i < RP_ANGLE_BINS; i++) {
        rp_angle_bin *bin = &bins[i];
        double width = RP_PI / 2 / RP_ANGLE_BINS;
        double share = cos(i * width) - cos((i + 1) * width);
        bin->force = bin->count > 0 ? bin->force / bin->count / mean : NAN;
        bin->density = bin->count / (total * share);
        bin->error = sqrt(bin->count * (1 - bin->count / total)) / (total * share);
    }
}

rp_code rp_contact_angles(const rp_view *view, const rp_contact_space *space, rp_vec3 up,
                          rp_angle_bin bins[RP_ANGLE_BINS], rp_report *report)
{
    double total = 0, sum = 0;
    for (int i = 0; i < RP_ANGLE_BINS; i++)
        bins[i] = (rp_angle_bin){0};
    RP_TRY(rp_contacts_check(view, report));
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        if (!rp_contact_is_selected(c, space)) continue;
        double along = rp_v3_dot(up, rp_v3(c->normal[0], c->normal[1], c->normal[2]));
        double angle = acos(fmin(1, fabs(along)));
        int place = (int)(angle / (RP_PI / 2) * RP_ANGLE_BINS);
        rp_angle_bin *bin = &bins[place < RP_ANGLE_BINS ? place : RP_ANGLE_BINS - 1];
        bin->count++;
        bin->force += c->normal_force;
        total++;
        sum += c->normal_force;
    }
    if (!(total > 0)) return fail_empty(report);
    finish_angles(bins, total, sum / total);
    return RP_OK;
}

/* --- stress tensor -------------------------------------------------------------------------- */

/* Returns the share of a branch vector from `from` that is inside the box: slab test on each axis.
 */
static double inside_share(rp_vec3 from, rp_vec3 branch_vector, const rp_box3 *box)
{
    const double at[] = {from.x, from.y, from.z},
                 step[] = {branch_vector.x, branch_vector.y, branch_vector.z};
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

/* The same with periodic images of the branch vector, of which the region may hold parts. */
static double inside_share_periodic(rp_vec3 from, rp_vec3 branch_vector,
                                    const rp_contact_space *space, const rp_box3 *box)
{
    rp_vec3 period = rp_v3_sub(space->domain_high, space->domain_low);
    int x = space->periodic & 1 ? 1 : 0, y = space->periodic & 2 ? 1 : 0,
        z = space->periodic & 4 ? 1 : 0;
    double part = 0;
    for (int i = -x; i <= x; i++)
        for (int j = -y; j <= y; j++)
            for (int k = -z; k <= z; k++) {
                rp_vec3 shift = {i ? i * period.x : 0, j ? j * period.y : 0, k ? k * period.z : 0};
                part += inside_share(rp_v3_add(from, shift), branch_vector, box);
            }
    return part;
}

/* Returns the region, cut to the domain along periodic axes: beyond are images of what is inside.
 */
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

/* Returns the box around all grains, half a spacing beyond their centres; the period on periodic
 * axes. */
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

/* Returns the volume of the region, m3; infinite sides end at the box around all grains. */
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

/* Adds force times branch vector, by the share of the branch that is in the region. The force is
 * that of the first grain on the second: f n - t. */
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
    /* Without a region every branch counts as a whole, and grains need not be found. */
    bool everywhere = is_everywhere(&space->region);
    rp_box3 box = closed_region(space);
    rp_code code = everywhere ? RP_OK : rp_grain_ids_make(view, &ids, report);
    for (size_t i = 0; code == RP_OK && i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        size_t first = everywhere ? 0 : rp_grain_ids_find(&ids, c->first);
        if (first == SIZE_MAX) continue;
        rp_vec3 branch_vector = {c->branch[0], c->branch[1], c->branch[2]};
        double part = 1;
        if (!everywhere)
            part = inside_share_periodic(rp_v3(view->x[first], view->y[first], view->z[first]),
                                         branch_vector, space, &box);
        add_contact(c, part, sum);
    }
    rp_grain_ids_release(&ids);
    return code;
}

/* Returns the kinetic pressure, Pa: of velocity fluctuations about the mean velocity. */
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

static void finish_stress(rp_mat3 sum, rp_stress *out)
{
    double squares = 0;
    rp_vec3 axes[3];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            double one = sum.m[row][column] / out->volume, other = sum.m[column][row] / out->volume;
            out->tensor.m[row][column] = (one + other) / 2;
            out->antisymmetric = fmax(out->antisymmetric, fabs(one - other) / 2);
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
    finish_stress(sum, out);
    out->kinetic = kinetic_pressure(view, &space->region, out->volume);
    return RP_OK;
}
