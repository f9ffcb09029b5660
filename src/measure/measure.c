/* The table of kinds, the public functions that use it, and tables of numbers. */
#include "base/memory.h"
#include "base/report.h"
#include "measure/inside.h"

#include <string.h>

static const rp_measure_kind kinds[] = {
    {"energy", "kinetic and potential energy of all grains", .take = rp_measure_take_energy},
    {"momentum", "momentum of all grains", .take = rp_measure_take_momentum},
    {"count", "number of grains, of sleeping grains, and their mass",
     .take = rp_measure_take_count},
    {"bounds", "the box around all grains", .take = rp_measure_take_bounds},
    {"angle", "slope of a pile, its height and radius", RP_MEASURE_LAST,
     .take = rp_measure_take_angle},
    {"density-error", "compression of grains beyond the density of their material",
     .take = rp_measure_take_density_error},
    {"contacts", "number of contacts, coordination number, mean forces", .of_contacts = true,
     .take = rp_measure_take_contacts},
    {"forces", "fits to the distribution of contact forces", RP_MEASURE_LAST, .of_contacts = true,
     .take = rp_measure_take_forces},
    {"fabric", "fabric tensor: directions of contact normals", .of_contacts = true,
     .take = rp_measure_take_fabric},
    {"stress", "mean stress tensor of contacts, in a region or everywhere", .of_contacts = true,
     .take = rp_measure_take_stress},
    {"height-profile", "height of the surface over the distance from the axis, or along x or y",
     RP_MEASURE_LAST, .fill = rp_measure_fill_profile},
    {"volume-profile",
     "volume and thickness of a layer over the distance from a centre, or along x "
     "or y",
     RP_MEASURE_LAST, .of_layer = true, .fill = rp_measure_fill_volume_profile},
    {"velocity-profile", "mean velocity, density and volume fraction along z, x or y",
     RP_MEASURE_LAST, .of_layer = true, .fill = rp_measure_fill_velocity_profile},
    {"front", "front of a layer, from a centre or along x or y", .of_layer = true,
     .take = rp_measure_take_front},
    {"flow", "flow through a plane, from frame to frame", RP_MEASURE_PAIRS,
     .take = rp_measure_take_flow},
    {"body", "of one body, NAME: pose, motion, and the loads of sand, other bodies and joints",
     .of_body = true, .take = rp_measure_take_body},
    {"force-distribution", "histogram of contact forces, in units of the mean", RP_MEASURE_LAST,
     .of_contacts = true, .fill = rp_measure_fill_forces},
    {"contact-angles", "histogram of contact directions, by the angle to the vertical",
     RP_MEASURE_LAST, .of_contacts = true, .fill = rp_measure_fill_contact_angles},
    {"force-correlation", "correlation of contact forces over the distance of contacts",
     RP_MEASURE_LAST, .of_contacts = true, .fill = rp_measure_fill_correlation},
};

#define COUNT ((int)(sizeof kinds / sizeof *kinds))

void rp_default_measure_options_fill(rp_measure_options *options, size_t size)
{
    rp_measure_options own = {.size = size,
                              .along = -1,
                              .plane_axis = -1,
                              .body = -1,
                              .quantity = -1,
                              .region_low = {-INFINITY, -INFINITY, -INFINITY},
                              .region_high = {INFINITY, INFINITY, INFINITY},
                              .centre = {NAN, NAN}};
    rp_options_give(options, size, &own, sizeof own);
}

int rp_measure_count(void)
{
    return COUNT;
}

const rp_measure_kind *rp_measure_at(int index)
{
    return index >= 0 && index < COUNT ? &kinds[index] : NULL;
}

const rp_measure_kind *rp_measure_find(const char *name)
{
    for (int i = 0; i < COUNT && name; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

static rp_measure_info info_of(const rp_measure_kind *kind)
{
    if (!kind) return (rp_measure_info){0};
    return (rp_measure_info){.name = kind->name,
                             .help = kind->help,
                             .frames = kind->frames,
                             .of_body = kind->of_body,
                             .of_contacts = kind->of_contacts,
                             .of_layer = kind->of_layer,
                             .is_table = kind->fill != NULL};
}

rp_measure_info rp_measure_info_at(int index)
{
    return info_of(rp_measure_at(index));
}

rp_measure_info rp_measure_info_of(const char *name)
{
    return info_of(rp_measure_find(name));
}

static rp_code check_options(const rp_measure_options *o, rp_report *report)
{
    if (o->along < -1 || o->along > 2 || o->plane_axis < -1 || o->plane_axis > 2)
        return rp_fail(report, RP_ERROR_INPUT,
                       "along axis %d, a plane of axis %d: 0, 1 and 2 are x, y and z, -1 is none",
                       o->along, o->plane_axis);
    if (o->quantity < -1 || o->quantity >= RP_BODY_QUANTITIES)
        return rp_fail(report, RP_ERROR_INPUT, "there is no quantity %d of bodies", o->quantity);
    return RP_OK;
}

rp_code rp_measure_take_input(const rp_measure_input *in, rp_measure_input *own,
                              rp_measure_options *options, const char *function, rp_report *report)
{
    if (!in) return rp_fail_null(report, function, "in");
    if (!in->view) return rp_fail_null(report, function, "in->view");
    if (!in->scene) return rp_fail_null(report, function, "in->scene");
    *own = *in;
    *options = rp_default_measure_options();
    RP_TRY(rp_options_take(options, sizeof *options, in->options, function, "in->options", report));
    own->options = options;
    return check_options(options, report);
}

static rp_code fail_kind(const char *name, const char *what, rp_report *report)
{
    return rp_fail(report, RP_ERROR_INPUT, "there is no kind '%s' of measurement that gives %s",
                   name, what);
}

rp_code rp_measure_numbers(const char *name, const rp_measure_input *in, rp_measured *out,
                           int *count, rp_report *report)
{
    RP_NEED(name, report);
    RP_NEED(out, report);
    RP_NEED(count, report);
    RP_ENTER();
    *count = 0;
    rp_measure_input own;
    rp_measure_options options;
    RP_TRY(rp_measure_take_input(in, &own, &options, __func__, report));
    const rp_measure_kind *kind = rp_measure_find(name);
    if (!kind || !kind->take) return fail_kind(name, "numbers", report);
    return kind->take(&own, out, count, report);
}

rp_code rp_measure_table(const char *name, const rp_measure_input *in, rp_table *out,
                         rp_report *report)
{
    RP_NEED(name, report);
    RP_NEED(out, report);
    RP_ENTER();
    rp_measure_input own;
    rp_measure_options options;
    RP_TRY(rp_measure_take_input(in, &own, &options, __func__, report));
    const rp_measure_kind *kind = rp_measure_find(name);
    if (!kind || !kind->fill) return fail_kind(name, "a table", report);
    return kind->fill(&own, out, report);
}

/* --- tables --------------------------------------------------------------------------------- */

rp_code rp_table_add(rp_table *table, const double *row, rp_report *report)
{
    RP_NEED(table, report);
    RP_NEED(row, report);
    size_t bytes = (size_t)table->column_count * sizeof *table->values;
    if (!rp_reserve((void **)&table->values, &table->capacity, table->rows, table->rows + 1, bytes))
        return rp_fail_memory(report, (table->rows + 1) * bytes, "a table");
    memcpy(table->values + table->rows * (size_t)table->column_count, row, bytes);
    table->rows++;
    return RP_OK;
}

void rp_table_column(const rp_table *table, int column, double *out)
{
    if (!table || !out || column < 0 || column >= table->column_count) return;
    for (size_t i = 0; i < table->rows; i++)
        out[i] = table->values[i * (size_t)table->column_count + (size_t)column];
}

void rp_table_release(rp_table *table)
{
    if (!table) return;
    rp_release(table->values,
               table->capacity * (size_t)table->column_count * sizeof *table->values);
    *table = (rp_table){.columns = table->columns, .column_count = table->column_count};
}
