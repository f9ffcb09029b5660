/* Which way contacts point (M16, M17). */
#include "base/report.h"
#include "contact/contact.h"

static rp_code fail_empty(rp_report *report)
{
    return rp_fail(report, RP_ERROR_INPUT, "no grain pushes another there");
}

rp_code rp_contact_fabric(const rp_view *view, const rp_contact_space *space, rp_fabric *out,
                          rp_report *report)
{
    *out = (rp_fabric){0};
    RP_TRY(rp_contacts_check(view, report));
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        if (!rp_contact_is_meant(c, space)) continue;
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

/* A bin's share of all directions is the difference of the cosines of its ends. */
static void finish(rp_angle_bin *bins, double total, double mean)
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
        if (!rp_contact_is_meant(c, space)) continue;
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
    finish(bins, total, sum / total);
    return RP_OK;
}
