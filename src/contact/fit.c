/* Fits of greatest likelihood (M20 to M23). Each form has one or two parameters; of two, the inner
 * one is found for every value of the outer one, for which the likelihood has a single peak. */
#include "contact/forces.h"
#include "contact/special.h"

#define TAIL_LEAST 20 /* values that a tail needs */
/* Forces below this part of the mean only count as small: contacts about to part have forces of
 * any smallness, whose logarithms would drown the others. */
#define SMALL 0.01

static double weight(const rp_sample *s, size_t i)
{
    return s->weights ? s->weights[i] : 1;
}

double rp_fit_exponential_tail(const rp_sample *s, double from)
{
    double count = 0, sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!(s->values[i] > from)) continue;
        count += weight(s, i);
        sum += weight(s, i) * (s->values[i] - from);
    }
    return count >= TAIL_LEAST ? count / sum : NAN;
}

/* The integral of exp(-t^2 - beta t) from 0 on. */
static double dent(double beta)
{
    return sqrt(RP_PI) / 2 * exp(beta * beta / 4) * erfc(beta / 2);
}

typedef struct silbert_job {
    const rp_sample *sample;
    double mean, b;
} silbert_job;

static double silbert_of_beta(const void *user, double log_beta)
{
    const silbert_job *job = user;
    double beta = exp(log_beta);
    return -log(1 / beta - job->b * dent(beta)) - beta * job->mean;
}

#define LOG_BETA_LOW (-4.0)
#define LOG_BETA_HIGH 3.0

static double silbert_beta(const silbert_job *job)
{
    return rp_special_maximum(silbert_of_beta, job, LOG_BETA_LOW, LOG_BETA_HIGH);
}

static double silbert_of_b(const void *user, double b)
{
    silbert_job job = *(const silbert_job *)user;
    const rp_sample *s = job.sample;
    double sum = 0, count = 0;
    job.b = b;
    for (size_t i = 0; i < s->count; i++) {
        sum += weight(s, i) * log1p(-b * exp(-s->values[i] * s->values[i]));
        count += weight(s, i);
    }
    return sum / count + silbert_of_beta(&job, silbert_beta(&job));
}

rp_silbert rp_fit_silbert(const rp_sample *s)
{
    silbert_job job = {.sample = s};
    double count = 0;
    for (size_t i = 0; i < s->count; i++) {
        job.mean += weight(s, i) * s->values[i];
        count += weight(s, i);
    }
    job.mean /= count;
    job.b = rp_special_maximum(silbert_of_b, &job, -4, 1 - 1e-9);
    double beta = exp(silbert_beta(&job));
    return (rp_silbert){1 / (1 / beta - job.b * dent(beta)), job.b, beta};
}

double rp_silbert_density(const rp_silbert *form, double f)
{
    return form->a * (1 - form->b * exp(-f * f)) * exp(-form->beta * f);
}

double rp_silbert_below(const rp_silbert *form, double f)
{
    double beta = form->beta;
    double dented = sqrt(RP_PI) / 2 * exp(beta * beta / 4) * (erf(f + beta / 2) - erf(beta / 2));
    return form->a * (-expm1(-beta * f) / beta - form->b * dented);
}

typedef struct power_job {
    const rp_sample *sample;
    double from, n;
    double mean; /* of f^n in the tail */
} power_job;

/* Z is the integral of exp(-c f^n) from `from` on. */
static double power_of_c(const void *user, double log_c)
{
    const power_job *job = user;
    double c = exp(log_c), s = 1 / job->n;
    double log_z = log(s) - s * log_c + rp_special_log_gamma_above(s, c * pow(job->from, job->n));
    return -c * job->mean - log_z;
}

static double power_c(const power_job *job)
{
    return rp_special_maximum(power_of_c, job, -12, 6);
}

static void set_power(power_job *job, double n)
{
    const rp_sample *s = job->sample;
    double count = 0, sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!(s->values[i] > job->from)) continue;
        count += weight(s, i);
        sum += weight(s, i) * pow(s->values[i], n);
    }
    job->n = n;
    job->mean = sum / count;
}

static double power_of_n(const void *user, double n)
{
    power_job job = *(const power_job *)user;
    set_power(&job, n);
    return power_of_c(&job, power_c(&job));
}

rp_power_tail rp_fit_power_tail(const rp_sample *s, double from)
{
    if (isnan(rp_fit_exponential_tail(s, from))) return (rp_power_tail){NAN, NAN};
    power_job job = {.sample = s, .from = from};
    double n = rp_special_maximum(power_of_n, &job, 0.2, 6);
    set_power(&job, n);
    return (rp_power_tail){n, exp(power_c(&job))};
}

typedef struct gamma_job {
    double small, count;    /* weights below SMALL, and above */
    double sum, logarithms; /* of those above */
} gamma_job;

static double gamma_of_shape(const void *user, double log_shape)
{
    const gamma_job *job = user;
    double k = exp(log_shape), likelihood = 0;
    if (job->small > 0)
        likelihood = job->small * log(fmax(1e-300, rp_special_gamma_p(k, k * SMALL)));
    return likelihood + job->count * (k * log_shape - lgamma(k)) + (k - 1) * job->logarithms -
           k * job->sum;
}

double rp_fit_gamma(const rp_sample *s)
{
    gamma_job job = {0};
    for (size_t i = 0; i < s->count; i++) {
        double f = s->values[i], w = weight(s, i);
        job.small += f < SMALL ? w : 0;
        if (f < SMALL) continue;
        job.count += w;
        job.sum += w * f;
        job.logarithms += w * log(f);
    }
    return exp(rp_special_maximum(gamma_of_shape, &job, -4, 6));
}

double rp_fit_gamma_density(double k, double f)
{
    return exp(k * log(k) + (k - 1) * log(f) - k * f - lgamma(k));
}

double rp_fit_gamma_below(double k, double f)
{
    return rp_special_gamma_p(k, k * f);
}

typedef double below_function(const void *form, double f);

static double distance(const rp_sample *s, below_function *below, const void *form)
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
    return rp_silbert_below(form, f);
}

static double gamma_share(const void *form, double f)
{
    return rp_fit_gamma_below(*(const double *)form, f);
}

double rp_silbert_distance(const rp_sample *sample, const rp_silbert *form)
{
    return distance(sample, silbert_share, form);
}

double rp_fit_gamma_distance(const rp_sample *sample, double shape)
{
    return distance(sample, gamma_share, &shape);
}
