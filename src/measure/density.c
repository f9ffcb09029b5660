#include "measure/density.h"
#include "base/report.h"
#include "measure/kinds.h"

#define NOTABLE 0.01 /* what `share` counts */

static double rest_density(const rp_view *view, const rp_scene *scene, size_t i)
{
    int material = view->material[i];
    return material < scene->materials.count ? rp_scene_materials(scene)[material].density
                                             : INFINITY;
}

/* Grains that are computed one by one are rigid: each has the density of what it is made of. */
static bool is_rigid(const rp_view *view, const rp_scene *scene)
{
    size_t rigid = 0;
    for (size_t i = 0; view->density && i < view->count; i++) {
        int material = view->material[i];
        rigid += view->density[i] > 0 && material < scene->materials.count &&
                 view->density[i] == (float)rp_scene_materials(scene)[material].grain_density;
    }
    return view->count > 0 && rigid == view->count;
}

rp_code rp_measure_density_error(const rp_view *view, const rp_scene *scene, rp_density_error *out,
                                 rp_report *report)
{
    rp_density_error sum = {0};
    bool known = false;
    for (size_t i = 0; view->density && i < view->count; i++) {
        double rest = rest_density(view, scene, i), e = fmax(0, view->density[i] / rest - 1);
        known |= view->density[i] > 0 && view->density[i] != (float)rest;
        sum.mean += e;
        sum.rms += e * e;
        sum.largest = fmax(sum.largest, e);
        sum.share += e > NOTABLE;
    }
    *out = (rp_density_error){NAN, NAN, NAN, NAN};
    if (is_rigid(view, scene))
        return rp_fail(
            report, RP_ERROR_UNSUPPORTED,
            "each grain of this run is rigid (as with dem), so that none is compressed; "
            "density-error is for methods that take sand as a fluid, such as frictional");
    if (!known)
        return rp_fail(report, RP_ERROR_UNSUPPORTED,
                       view->count
                           ? "no grain has a density of its own: this run's solver computes none, "
                             "has not begun, or the grains are fine ones"
                           : "there are no grains, so they have no density");
    double n = (double)view->count;
    *out = (rp_density_error){sum.mean / n, sqrt(sum.rms / n), sum.largest, sum.share / n};
    return RP_OK;
}

rp_code rp_measure_take_density_error(const rp_measure_input *in, rp_measured *out, int *count,
                                      rp_report *report)
{
    rp_density_error e;
    rp_code code = rp_measure_density_error(in->view, in->scene, &e, report);
    double rounding = 0x1p-24; /* of a density, relative, which is about one rest density */
    out[0] = (rp_measured){"mean", e.mean, rounding, ""};
    out[1] = (rp_measured){"rms", e.rms, rounding, ""};
    out[2] = (rp_measured){"largest", e.largest, rounding, ""};
    out[3] = (rp_measured){"above 1 %", e.share, 0, ""};
    *count = 4;
    return code;
}
