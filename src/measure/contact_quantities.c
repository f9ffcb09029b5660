/* Numbers and tables of contacts, computed by the room contact (M15 to M24). */
#include "base/report.h"
#include "contact/contact.h"
#include "measure/inside.h"

#define FLOAT_ROUNDING 0x1p-24

/* Range of the force correlation, in spacings. */
#define CORRELATION_RANGE 6

static rp_contact_space space_of(const rp_measure_input *in)
{
    const rp_domain_spec *domain = &in->scene->domain;
    return (rp_contact_space){rp_measure_region(in->options), domain->periodic, domain->low,
                              domain->high};
}

static rp_vec3 up_of(const rp_measure_input *in)
{
    rp_vec3 g = rp_scene_gravity(in->scene, in->view->time);
    return rp_v3_dot(g, g) > 0 ? rp_v3_normalized(rp_v3_scale(g, -1)) : rp_v3(0, 0, 1);
}

/* Writes names, units and values, NaN on failure. The only uncertainty is rounding of the recorded
 * floats. */
static void put(const rp_measured *names, const double *values, int count, bool known,
                rp_measured *out)
{
    for (int i = 0; i < count; i++) {
        double value = known ? values[i] : NAN;
        bool whole = value == floor(value) && names[i].unit[0] == 0;
        out[i] = names[i];
        out[i].value = value;
        out[i].uncertainty = whole ? 0 : FLOAT_ROUNDING * fabs(value);
    }
}

rp_code rp_measure_take_contacts(const rp_measure_input *in, rp_measured *out, int *count,
                                 rp_report *report)
{
    static const rp_measured names[] = {
        {.name = "grains", .unit = ""},
        {.name = "contacts", .unit = ""},
        {.name = "with bodies", .unit = ""},
        {.name = "coordination", .unit = ""},
        {.name = "neighbors", .unit = ""},
        {.name = "rattlers", .unit = ""},
        {.name = "coordination without rattlers", .unit = ""},
        {.name = "mean force", .unit = "N"},
        {.name = "deviation", .unit = "N"},
        {.name = "largest force", .unit = "N"},
        {.name = "shear over normal", .unit = ""},
        {.name = "strong contacts", .unit = ""},
        {.name = "force of these", .unit = ""},
        {.name = "mean overlap", .unit = "m"},
        {.name = "largest overlap", .unit = "m"},
    };
    rp_contact_space space = space_of(in);
    rp_contact_statistics s;
    rp_code code = rp_contact_statistics_of(in->view, &space, &s, report);
    const double values[] = {s.grains,          s.contacts,      s.solid_contacts, s.coordination,
                             s.neighbors,       s.rattlers,      s.no_rattlers,    s.mean_force,
                             s.force_deviation, s.largest_force, s.shear_ratio,    s.strong_share,
                             s.strong_force,    s.mean_overlap,  s.largest_overlap};
    *count = (int)(sizeof names / sizeof *names);
    put(names, values, *count, code == RP_OK, out);
    return code;
}

rp_code rp_measure_take_fabric(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report)
{
    static const rp_measured names[] = {
        {.name = "xx", .unit = ""},
        {.name = "yy", .unit = ""},
        {.name = "zz", .unit = ""},
        {.name = "xy", .unit = ""},
        {.name = "yz", .unit = ""},
        {.name = "zx", .unit = ""},
        {.name = "first", .unit = ""},
        {.name = "second", .unit = ""},
        {.name = "third", .unit = ""},
        {.name = "direction x", .unit = ""},
        {.name = "direction y", .unit = ""},
        {.name = "direction z", .unit = ""},
        {.name = "from upright", .unit = "deg"},
    };
    rp_contact_space space = space_of(in);
    rp_fabric f;
    rp_code code = rp_contact_fabric(in->view, &space, &f, report);
    rp_vec3 up = up_of(in);
    /* An axis has no sign: choose the end that points up. */
    rp_vec3 axis = rp_v3_scale(f.axes[0], rp_v3_dot(f.axes[0], up) < 0 ? -1 : 1);
    double angle = acos(fmin(1, rp_v3_dot(axis, up))) * 180 / RP_PI;
    const double values[] = {f.tensor.m[0][0],
                             f.tensor.m[1][1],
                             f.tensor.m[2][2],
                             f.tensor.m[0][1],
                             f.tensor.m[1][2],
                             f.tensor.m[2][0],
                             f.values[0],
                             f.values[1],
                             f.values[2],
                             axis.x,
                             axis.y,
                             axis.z,
                             angle};
    *count = (int)(sizeof names / sizeof *names);
    put(names, values, *count, code == RP_OK, out);
    return code;
}

rp_code rp_measure_take_stress(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report)
{
    static const rp_measured names[] = {
        {.name = "xx", .unit = "Pa"},       {.name = "yy", .unit = "Pa"},
        {.name = "zz", .unit = "Pa"},       {.name = "xy", .unit = "Pa"},
        {.name = "yz", .unit = "Pa"},       {.name = "zx", .unit = "Pa"},
        {.name = "pressure", .unit = "Pa"}, {.name = "deviator", .unit = "Pa"},
        {.name = "first", .unit = "Pa"},    {.name = "second", .unit = "Pa"},
        {.name = "third", .unit = "Pa"},    {.name = "twist", .unit = "Pa"},
        {.name = "kinetic", .unit = "Pa"},  {.name = "volume", .unit = "m3"},
    };
    rp_contact_space space = space_of(in);
    rp_stress s;
    rp_code code = rp_contact_stress(in->view, &space, &s, report);
    const double values[] = {s.tensor.m[0][0], s.tensor.m[1][1], s.tensor.m[2][2], s.tensor.m[0][1],
                             s.tensor.m[1][2], s.tensor.m[2][0], s.pressure,       s.deviator,
                             s.principal[0],   s.principal[1],   s.principal[2],   s.antisymmetric,
                             s.kinetic,        s.volume};
    *count = (int)(sizeof names / sizeof *names);
    put(names, values, *count, code == RP_OK, out);
    return code;
}

rp_code rp_measure_take_forces(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report)
{
    static const rp_measured names[2][RP_FORCE_NUMBERS] = {
        {{.name = "normal mean", .unit = "N"},
         {.name = "normal tail beta", .unit = ""},
         {.name = "normal Silbert a", .unit = ""},
         {.name = "normal Silbert b", .unit = ""},
         {.name = "normal Silbert beta", .unit = ""},
         {.name = "normal Silbert distance", .unit = ""},
         {.name = "normal tail n", .unit = ""},
         {.name = "normal tail c", .unit = ""},
         {.name = "normal gamma shape", .unit = ""},
         {.name = "normal gamma distance", .unit = ""}},
        {{.name = "shear mean", .unit = "N"},
         {.name = "shear tail beta", .unit = ""},
         {.name = "shear Silbert a", .unit = ""},
         {.name = "shear Silbert b", .unit = ""},
         {.name = "shear Silbert beta", .unit = ""},
         {.name = "shear Silbert distance", .unit = ""},
         {.name = "shear tail n", .unit = ""},
         {.name = "shear tail c", .unit = ""},
         {.name = "shear gamma shape", .unit = ""},
         {.name = "shear gamma distance", .unit = ""}},
    };
    rp_contact_space space = space_of(in);
    rp_force_lists lists;
    rp_code code = rp_force_lists_make(in->view, &space, &lists, report);
    *count = 2 * RP_FORCE_NUMBERS;
    for (int part = 0; part < 2; part++) {
        rp_force_fits fits;
        for (int i = 0; i < RP_FORCE_NUMBERS; i++)
            fits.values[i] = fits.errors[i] = NAN;
        if (code == RP_OK)
            code = rp_force_fit_all(part ? lists.shear : lists.normal, lists.count, &fits, report);
        for (int i = 0; i < RP_FORCE_NUMBERS; i++)
            *out++ = (rp_measured){names[part][i].name, fits.values[i], fits.errors[i],
                                   names[part][i].unit};
    }
    rp_force_lists_release(&lists);
    return code;
}

/* Writes probability density, standard error and count of a bin. */
static void put_bin(const rp_force_histogram *h, int bin, double row[3])
{
    double whole = h->total * RP_FORCE_BIN;
    row[0] = whole > 0 ? h->counts[bin] / whole : NAN;
    row[1] = whole > 0 ? sqrt(h->counts[bin]) / whole : NAN;
    row[2] = h->counts[bin];
}

rp_code rp_measure_fill_forces(const rp_measure_input *in, rp_table *out, rp_report *report)
{
    static const rp_measure_column columns[] = {
        {"force", ""}, {"normal", ""},      {"normal error", ""}, {"normal count", ""},
        {"shear", ""}, {"shear error", ""}, {"shear count", ""}};
    *out = (rp_table){.columns = columns, .column_count = 7};
    rp_contact_space space = space_of(in);
    rp_force_lists lists;
    rp_code code = rp_force_lists_make(in->view, &space, &lists, report);
    if (code == RP_OK && !lists.count)
        code = rp_fail(report, RP_ERROR_INPUT, "there are no contacts under compression");
    rp_force_histogram normal = rp_force_histogram_of(lists.normal, lists.count);
    rp_force_histogram shear = rp_force_histogram_of(lists.shear, lists.count);
    int bins = normal.used > shear.used ? normal.used : shear.used;
    for (int i = 0; i < bins && code == RP_OK; i++) {
        double row[7] = {(i + 0.5) * RP_FORCE_BIN};
        put_bin(&normal, i, row + 1);
        put_bin(&shear, i, row + 4);
        code = rp_table_add(out, row, report);
    }
    rp_force_lists_release(&lists);
    return code;
}

rp_code rp_measure_fill_contact_angles(const rp_measure_input *in, rp_table *out, rp_report *report)
{
    static const rp_measure_column columns[] = {
        {"angle", "deg"}, {"density", ""}, {"error", ""}, {"contacts", ""}, {"force", ""}};
    *out = (rp_table){.columns = columns, .column_count = 5};
    rp_contact_space space = space_of(in);
    rp_angle_bin bins[RP_ANGLE_BINS];
    rp_code code = rp_contact_angles(in->view, &space, up_of(in), bins, report);
    for (int i = 0; i < RP_ANGLE_BINS && code == RP_OK; i++) {
        double row[] = {(i + 0.5) * 90 / RP_ANGLE_BINS, bins[i].density, bins[i].error,
                        bins[i].count, bins[i].force};
        code = rp_table_add(out, row, report);
    }
    return code;
}

rp_code rp_measure_fill_correlation(const rp_measure_input *in, rp_table *out, rp_report *report)
{
    static const rp_measure_column columns[] = {
        {"distance", "m"}, {"spacings", ""}, {"correlation", ""}, {"error", ""}, {"pairs", ""}};
    *out = (rp_table){.columns = columns, .column_count = 5};
    rp_contact_space space = space_of(in);
    rp_correlation_bin bins[RP_CORRELATION_BINS];
    double spacing = in->view->spacing;
    rp_code code =
        rp_contact_correlation(in->view, &space, CORRELATION_RANGE * spacing, bins, report);
    for (int i = 0; i < RP_CORRELATION_BINS && code == RP_OK; i++) {
        double row[] = {bins[i].distance, bins[i].distance / spacing, bins[i].value, bins[i].error,
                        bins[i].pairs};
        if (bins[i].pairs > 0) code = rp_table_add(out, row, report);
    }
    return code;
}
