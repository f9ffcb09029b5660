/* Lists of forces, their histogram, and all fits with their errors (M24). */
#include "contact/forces.h"
#include "base/memory.h"
#include "base/report.h"

#include <string.h>

/* Parts of the list; each fit is repeated without one of them after the other. */
#define GROUPS 20
/* Cells that a sample is gathered into, in units of the mean, and how many at most. */
#define CELL 0.005
#define CELLS_MAX 20000

rp_code rp_force_lists_make(const rp_view *view, const rp_contact_space *space, rp_force_lists *out,
                            rp_report *report)
{
    *out = (rp_force_lists){0};
    RP_TRY(rp_contacts_check(view, report));
    size_t bytes = 2 * view->contact_count * sizeof *out->normal;
    out->normal = rp_allocate(bytes);
    if (!out->normal) return rp_fail_memory(report, bytes, "forces");
    out->capacity = view->contact_count;
    out->shear = out->normal + out->capacity;
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        if (!rp_contact_is_meant(c, space)) continue;
        double x = c->shear_force[0], y = c->shear_force[1], z = c->shear_force[2];
        out->normal[out->count] = c->normal_force;
        out->shear[out->count++] = sqrt(x * x + y * y + z * z);
    }
    return RP_OK;
}

void rp_force_lists_release(rp_force_lists *lists)
{
    rp_release(lists->normal, 2 * lists->capacity * sizeof *lists->normal);
    *lists = (rp_force_lists){0};
}

static double mean_of(const double *forces, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += forces[i];
    return count ? sum / (double)count : 0;
}

rp_force_histogram rp_force_histogram_of(const double *forces, size_t count)
{
    rp_force_histogram h = {.total = (double)count};
    double mean = mean_of(forces, count);
    for (size_t i = 0; mean > 0 && i < count; i++) {
        double place = forces[i] / mean / RP_FORCE_BIN;
        if (!(place >= 0 && place < RP_FORCE_BINS)) continue;
        h.counts[(int)place]++;
        if ((int)place >= h.used) h.used = (int)place + 1;
    }
    return h;
}

/* Forces by cells; each cell knows how many of each group it has. */
typedef struct cells {
    double *values;  /* the mean of a cell's forces */
    double *weights; /* for the fit at hand */
    double *scaled;  /* values over the mean of the fit at hand */
    double (*groups)[GROUPS];
    size_t count, capacity;
} cells;

static void release(cells *c)
{
    rp_release(c->values, c->values ? 3 * c->capacity * sizeof *c->values : 0);
    rp_release(c->groups, c->groups ? c->capacity * sizeof *c->groups : 0);
}

static rp_code reserve(cells *c, size_t capacity, rp_report *report)
{
    *c = (cells){.capacity = capacity};
    c->values = rp_allocate_zero(3 * capacity * sizeof *c->values);
    c->groups = rp_allocate_zero(capacity * sizeof *c->groups);
    if (!c->values || !c->groups)
        return rp_fail_memory(report, capacity * sizeof *c->groups, "forces");
    c->weights = c->values + capacity;
    c->scaled = c->weights + capacity;
    return RP_OK;
}

/* Cells that are empty are dropped. */
static void pack(cells *c)
{
    for (size_t i = 0; i < c->capacity; i++) {
        double count = 0;
        for (int g = 0; g < GROUPS; g++)
            count += c->groups[i][g];
        if (!(count > 0)) continue;
        c->values[c->count] = c->values[i] / count;
        memmove(c->groups[c->count++], c->groups[i], sizeof *c->groups);
    }
}

static rp_code gather(const double *forces, size_t count, double mean, cells *c, rp_report *report)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, forces[i] / mean);
    size_t capacity = (size_t)fmin(largest / CELL, CELLS_MAX - 1) + 1;
    double width = fmax(CELL, largest / (double)capacity);
    RP_TRY(reserve(c, capacity, report));
    for (size_t i = 0; i < count; i++) {
        size_t cell = (size_t)(forces[i] / mean / width);
        if (cell >= capacity) cell = capacity - 1;
        c->values[cell] += forces[i];
        c->groups[cell][i * GROUPS / count]++;
    }
    pack(c);
    return RP_OK;
}

/* Of all forces but those of group `without`; -1: of all. */
static void fit_all(cells *c, int without, double numbers[RP_FORCE_NUMBERS])
{
    double count = 0, sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        c->weights[i] = 0;
        for (int g = 0; g < GROUPS; g++)
            c->weights[i] += g == without ? 0 : c->groups[i][g];
        count += c->weights[i];
        sum += c->weights[i] * c->values[i];
    }
    for (size_t i = 0; i < c->count; i++)
        c->scaled[i] = c->values[i] * count / sum;
    rp_sample sample = {c->scaled, c->weights, c->count};
    rp_silbert silbert = rp_fit_silbert(&sample);
    rp_power_tail power = rp_fit_power_tail(&sample, RP_POWER_FROM);
    double shape = rp_fit_gamma(&sample);
    numbers[RP_FORCE_MEAN] = sum / count;
    numbers[RP_FORCE_TAIL] = rp_fit_exponential_tail(&sample, RP_TAIL_FROM);
    numbers[RP_FORCE_SILBERT_A] = silbert.a;
    numbers[RP_FORCE_SILBERT_B] = silbert.b;
    numbers[RP_FORCE_SILBERT_BETA] = silbert.beta;
    numbers[RP_FORCE_SILBERT_DISTANCE] = rp_silbert_distance(&sample, &silbert);
    numbers[RP_FORCE_TAIL_N] = power.n;
    numbers[RP_FORCE_TAIL_C] = power.c;
    numbers[RP_FORCE_GAMMA] = shape;
    numbers[RP_FORCE_GAMMA_DISTANCE] = rp_fit_gamma_distance(&sample, shape);
}

/* The jackknife over groups: they are of neighboring contacts, since solvers tell contacts in
 * the order of space, so that forces which know of each other do not count as independent. */
static void find_errors(cells *c, double errors[RP_FORCE_NUMBERS])
{
    double numbers[GROUPS][RP_FORCE_NUMBERS];
    for (int g = 0; g < GROUPS; g++)
        fit_all(c, g, numbers[g]);
    for (int k = 0; k < RP_FORCE_NUMBERS; k++) {
        double mean = 0, square = 0;
        for (int g = 0; g < GROUPS; g++)
            mean += numbers[g][k] / GROUPS;
        for (int g = 0; g < GROUPS; g++)
            square += (numbers[g][k] - mean) * (numbers[g][k] - mean);
        errors[k] = sqrt(square * (GROUPS - 1) / GROUPS);
    }
}

rp_code rp_force_fit(const double *forces, size_t count, rp_force_fits *out, rp_report *report)
{
    for (int k = 0; k < RP_FORCE_NUMBERS; k++)
        out->values[k] = out->errors[k] = NAN;
    if (count < RP_FORCES_LEAST)
        return rp_fail(report, RP_ERROR_INPUT, "%zu contacts are too few to fit; wanted are %d",
                       count, RP_FORCES_LEAST);
    double mean = mean_of(forces, count);
    out->values[RP_FORCE_MEAN] = mean;
    out->errors[RP_FORCE_MEAN] = 0;
    if (!(mean > 0)) return RP_OK; /* without friction there is no shear, and nothing to fit */
    cells c;
    rp_code code = gather(forces, count, mean, &c, report);
    if (code == RP_OK) {
        fit_all(&c, -1, out->values);
        find_errors(&c, out->errors);
    }
    release(&c);
    return code;
}
