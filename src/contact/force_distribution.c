#include "base/memory.h"
#include "base/report.h"
/* The distribution of contact forces: maximum-likelihood fits of four forms (M20 to M23) with
 * jackknife errors (M24), special functions for them, and histograms. Each form has one or two
 * parameters; of two, the inner one is maximised for every value of the outer one, for which the
 * likelihood has a single peak. */
#include "contact/contact.h"
#include "contact/inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- fits ----------------------------------------------------------------------------------- */

#define TAIL_MIN 20 /* values; a tail with fewer is not fitted */
/* Forces below this part of the mean are censored: only their number enters the likelihood of
 * (M23). Contacts about to open have arbitrarily small forces, whose logarithms would dominate. */
#define SMALL_FORCE 0.01

static double weight(const rp_weighted_sample *s, size_t i)
{
    return s->weights ? s->weights[i] : 1;
}

/* (M20): the maximum-likelihood estimate is one over the mean excess. */
double rp_force_fit_exponential_tail(const rp_weighted_sample *s, double from)
{
    double count = 0, sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!(s->values[i] > from)) continue;
        count += weight(s, i);
        sum += weight(s, i) * (s->values[i] - from);
    }
    return count >= TAIL_MIN ? count / sum : NAN;
}

/* Returns the integral of exp(-t^2 - beta t) from 0 to infinity: I of (M21). */
static double silbert_integral(double beta)
{
    return sqrt(RP_PI) / 2 * exp(beta * beta / 4) * erfc(beta / 2);
}

typedef struct silbert_job {
    const rp_weighted_sample *sample;
    double mean, b;
} silbert_job;

/* Mean log-likelihood of (M21) as a function of beta for a given b, without the term in b alone. */
static double silbert_of_beta(const void *user, double log_beta)
{
    const silbert_job *job = user;
    double beta = exp(log_beta);
    return -log(1 / beta - job->b * silbert_integral(beta)) - beta * job->mean;
}

#define LOG_BETA_LOW (-4.0)
#define LOG_BETA_HIGH 3.0

static double silbert_beta(const silbert_job *job)
{
    return rp_contact_maximize(silbert_of_beta, job, LOG_BETA_LOW, LOG_BETA_HIGH);
}

/* Mean log-likelihood as a function of b, maximised over beta (profile likelihood). */
static double silbert_of_b(const void *user, double b)
{
    silbert_job job = *(const silbert_job *)user;
    const rp_weighted_sample *s = job.sample;
    double sum = 0, count = 0;
    job.b = b;
    for (size_t i = 0; i < s->count; i++) {
        sum += weight(s, i) * log1p(-b * exp(-s->values[i] * s->values[i]));
        count += weight(s, i);
    }
    return sum / count + silbert_of_beta(&job, silbert_beta(&job));
}

rp_silbert rp_force_fit_silbert(const rp_weighted_sample *s)
{
    silbert_job job = {.sample = s};
    double count = 0;
    for (size_t i = 0; i < s->count; i++) {
        job.mean += weight(s, i) * s->values[i];
        count += weight(s, i);
    }
    job.mean /= count;
    /* Positive densities need b below 1. */
    job.b = rp_contact_maximize(silbert_of_b, &job, -4, 1 - 1e-9);
    double beta = exp(silbert_beta(&job));
    return (rp_silbert){1 / (1 / beta - job.b * silbert_integral(beta)), job.b, beta};
}

double rp_silbert_density(const rp_silbert *form, double f)
{
    return form->a * (1 - form->b * exp(-f * f)) * exp(-form->beta * f);
}

double rp_silbert_cumulative(const rp_silbert *form, double f)
{
    double beta = form->beta;
    double dented = sqrt(RP_PI) / 2 * exp(beta * beta / 4) * (erf(f + beta / 2) - erf(beta / 2));
    return form->a * (-expm1(-beta * f) / beta - form->b * dented);
}

typedef struct stretched_job {
    const rp_weighted_sample *sample;
    double from, n;
    double mean; /* of f^n in the tail */
} stretched_job;

/* Mean log-likelihood of (M22) as a function of c for a given n; Z normalises: the integral of
 * exp(-c f^n) from `from` to infinity, an upper incomplete gamma function. */
static double stretched_of_c(const void *user, double log_c)
{
    const stretched_job *job = user;
    double c = exp(log_c), s = 1 / job->n;
    double log_z = log(s) - s * log_c + rp_contact_log_gamma_upper(s, c * pow(job->from, job->n));
    return -c * job->mean - log_z;
}

static double stretched_c(const stretched_job *job)
{
    return rp_contact_maximize(stretched_of_c, job, -12, 6);
}

static void set_stretched(stretched_job *job, double n)
{
    const rp_weighted_sample *s = job->sample;
    double count = 0, sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!(s->values[i] > job->from)) continue;
        count += weight(s, i);
        sum += weight(s, i) * pow(s->values[i], n);
    }
    job->n = n;
    job->mean = sum / count;
}

static double stretched_of_n(const void *user, double n)
{
    stretched_job job = *(const stretched_job *)user;
    set_stretched(&job, n);
    return stretched_of_c(&job, stretched_c(&job));
}

rp_stretched_tail rp_force_fit_stretched_tail(const rp_weighted_sample *s, double from)
{
    if (isnan(rp_force_fit_exponential_tail(s, from))) return (rp_stretched_tail){NAN, NAN};
    stretched_job job = {.sample = s, .from = from};
    double n = rp_contact_maximize(stretched_of_n, &job, 0.2, 6);
    set_stretched(&job, n);
    return (rp_stretched_tail){n, exp(stretched_c(&job))};
}

typedef struct gamma_job {
    double small, count;    /* weights below SMALL_FORCE, and above */
    double sum, logarithms; /* of those above */
} gamma_job;

/* Log-likelihood of (M23), with the small forces censored. */
static double gamma_of_shape(const void *user, double log_shape)
{
    const gamma_job *job = user;
    double k = exp(log_shape), likelihood = 0;
    if (job->small > 0)
        likelihood = job->small * log(fmax(1e-300, rp_contact_gamma_lower(k, k * SMALL_FORCE)));
    return likelihood + job->count * (k * log_shape - lgamma(k)) + (k - 1) * job->logarithms -
           k * job->sum;
}

double rp_force_fit_gamma(const rp_weighted_sample *s)
{
    gamma_job job = {0};
    for (size_t i = 0; i < s->count; i++) {
        double f = s->values[i], w = weight(s, i);
        job.small += f < SMALL_FORCE ? w : 0;
        if (f < SMALL_FORCE) continue;
        job.count += w;
        job.sum += w * f;
        job.logarithms += w * log(f);
    }
    return exp(rp_contact_maximize(gamma_of_shape, &job, -4, 6));
}

double rp_force_gamma_density(double k, double f)
{
    return exp(k * log(k) + (k - 1) * log(f) - k * f - lgamma(k));
}

double rp_force_gamma_cumulative(double k, double f)
{
    return rp_contact_gamma_lower(k, k * f);
}

typedef double cumulative_function(const void *form, double f);

/* Returns the Kolmogorov-Smirnov distance: the step of the empirical distribution at each value is
 * compared on both sides. */
static double distance(const rp_weighted_sample *s, cumulative_function *below, const void *form)
{
    double total = 0, before = 0, largest = 0;
    for (size_t i = 0; i < s->count; i++)
        total += weight(s, i);
    for (size_t i = 0; i < s->count; i++) {
        double share = below(form, s->values[i]), behind = before + weight(s, i) / total;
        largest = fmax(largest, fmax(fabs(share - before), fabs(share - behind)));
        before = behind;
    }
    return largest;
}

static double silbert_share(const void *form, double f)
{
    return rp_silbert_cumulative(form, f);
}

static double gamma_share(const void *form, double f)
{
    return rp_force_gamma_cumulative(*(const double *)form, f);
}

double rp_silbert_distance(const rp_weighted_sample *sample, const rp_silbert *form)
{
    return distance(sample, silbert_share, form);
}

double rp_force_gamma_distance(const rp_weighted_sample *sample, double shape)
{
    return distance(sample, gamma_share, &shape);
}

/* --- special functions ---------------------------------------------------------------------- */

#define STEPS 1000
#define TINY 1e-300

/* Returns P(shape, x) by its power series, which converges fast for x below shape + 1. */
static double below_by_series(double shape, double x)
{
    double term = 1 / shape, sum = term;
    for (int i = 1; i < STEPS && term > DBL_EPSILON * sum; i++) {
        term *= x / (shape + i);
        sum += term;
    }
    return sum * exp(shape * log(x) - x - lgamma(shape));
}

/* Returns the continued fraction of Gamma(shape, x) = exp(-x) x^shape * fraction, for larger x, by
 * Lentz's method. */
static double fraction_above(double shape, double x)
{
    double b = x + 1 - shape, c = 1 / TINY, d = 1 / b, h = d;
    for (int i = 1; i < STEPS; i++) {
        double a = -i * (i - shape);
        b += 2;
        d = a * d + b;
        if (fabs(d) < TINY) d = TINY;
        c = b + a / c;
        if (fabs(c) < TINY) c = TINY;
        d = 1 / d;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return h;
}

double rp_contact_gamma_lower(double shape, double x)
{
    if (!(x > 0)) return 0;
    if (x < shape + 1) return below_by_series(shape, x);
    return 1 - exp(shape * log(x) - x - lgamma(shape)) * fraction_above(shape, x);
}

double rp_contact_log_gamma_upper(double shape, double x)
{
    if (!(x > 0)) return lgamma(shape);
    if (x < shape + 1) return lgamma(shape) + log1p(-below_by_series(shape, x));
    return shape * log(x) - x + log(fraction_above(shape, x));
}

double rp_contact_maximize(rp_contact_function *function, const void *user, double low, double high)
{
    const double ratio = 0.6180339887498949;
    double left = high - ratio * (high - low), right = low + ratio * (high - low);
    double at_left = function(user, left), at_right = function(user, right);
    for (int i = 0; i < 60; i++) {
        if (at_left > at_right) {
            high = right;
            right = left, at_right = at_left;
            left = high - ratio * (high - low);
            at_left = function(user, left);
        } else {
            low = left;
            left = right, at_left = at_right;
            right = low + ratio * (high - low);
            at_right = function(user, right);
        }
    }
    return (low + high) / 2;
}

/* --- forces of a view, and all fits with errors --------------------------------------------- */

/* Groups of the jackknife: each fit is repeated without each group. */
#define GROUPS 20
/* Width of the cells that a sample is put into, in units of the mean, and their largest number. */
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
        if (!rp_contact_is_selected(c, space)) continue;
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

/* Forces in cells; each cell has the number of its forces in each group of the jackknife. */
typedef struct cells {
    double *values;  /* the mean of a cell's forces */
    double *weights; /* for the current fit */
    double *scaled;  /* values over the mean of the current fit */
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

/* Divides sums by counts and removes empty cells. */
static void drop_empty(cells *c)
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

/* Puts forces into cells of equal width. Groups are consecutive parts of the list. */
static rp_code fill_cells(const double *forces, size_t count, double mean, cells *c,
                          rp_report *report)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, forces[i] / mean);
    RP_ASSERT(count > 0 && mean > 0);
    size_t capacity = (size_t)fmin(largest / CELL, CELLS_MAX - 1) + 1;
    double width = fmax(CELL, largest / (double)capacity);
    RP_TRY(reserve(c, capacity, report));
    for (size_t i = 0; i < count; i++) {
        size_t cell = (size_t)(forces[i] / mean / width);
        if (cell >= capacity) cell = capacity - 1;
        c->values[cell] += forces[i];
        c->groups[cell][i * GROUPS / count]++;
    }
    drop_empty(c);
    return RP_OK;
}

/* Fits all forms to the forces outside of group `without`; -1: to all. The mean is computed again,
 * so that its own error is part of the jackknife. */
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
    rp_weighted_sample sample = {c->scaled, c->weights, c->count};
    rp_silbert silbert = rp_force_fit_silbert(&sample);
    rp_stretched_tail stretched = rp_force_fit_stretched_tail(&sample, RP_STRETCHED_FROM);
    double shape = rp_force_fit_gamma(&sample);
    numbers[RP_FORCE_MEAN] = sum / count;
    numbers[RP_FORCE_TAIL] = rp_force_fit_exponential_tail(&sample, RP_TAIL_FROM);
    numbers[RP_FORCE_SILBERT_A] = silbert.a;
    numbers[RP_FORCE_SILBERT_B] = silbert.b;
    numbers[RP_FORCE_SILBERT_BETA] = silbert.beta;
    numbers[RP_FORCE_SILBERT_DISTANCE] = rp_silbert_distance(&sample, &silbert);
    numbers[RP_FORCE_TAIL_N] = stretched.n;
    numbers[RP_FORCE_TAIL_C] = stretched.c;
    numbers[RP_FORCE_GAMMA] = shape;
    numbers[RP_FORCE_GAMMA_DISTANCE] = rp_force_gamma_distance(&sample, shape);
}

/* The jackknife over groups (M24). Solvers list contacts in spatial order, so a group consists of
 * neighboring contacts, and correlated forces do not count as independent. */
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

rp_code rp_force_fit_all(const double *forces, size_t count, rp_force_fits *out, rp_report *report)
{
    for (int k = 0; k < RP_FORCE_NUMBERS; k++)
        out->values[k] = out->errors[k] = NAN;
    if (count < RP_FORCES_LEAST)
        return rp_fail(report, RP_ERROR_INPUT,
                       "%zu contacts are too few to fit; at least %d are needed", count,
                       RP_FORCES_LEAST);
    double mean = mean_of(forces, count);
    out->values[RP_FORCE_MEAN] = mean;
    out->errors[RP_FORCE_MEAN] = 0;
    if (!(mean > 0)) return RP_OK; /* without friction there is no shear, and nothing to fit */
    cells c;
    rp_code code = fill_cells(forces, count, mean, &c, report);
    if (code == RP_OK) {
        fit_all(&c, -1, out->values);
        find_errors(&c, out->errors);
    }
    release(&c);
    return code;
}
