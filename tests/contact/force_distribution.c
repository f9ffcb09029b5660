/* Fits of force distributions: what was drawn from a known form is found again, within the error
 * that is stated. */
#include "check.h"

#include "base/random.h"
#include "base/report.h"
#include "contact/contact.h"
#include "contact/inside.h"

static uint64_t drawn;

/* In (0, 1). */
static double unit(void)
{
    rp_random4 r = rp_random(11, RP_RANDOM_TEST, drawn++);
    return ((double)r.bits[0] + ((double)r.bits[1] + 0.5) * 0x1p-32) * 0x1p-32;
}

static double exponential(void)
{
    return -log(unit());
}

static double normal(void)
{
    return sqrt(2 * exponential()) * cos(2 * RP_PI * unit());
}

/* Drawn by rejection: proposed are exponentials. */
static double from_silbert(double b, double beta)
{
    for (;;) {
        double f = exponential() / beta;
        if (unit() * fmax(1, 1 - b) < 1 - b * exp(-f * f)) return f;
    }
}

/* exp(-c f^n) for n > 1; f - c f^n is largest where its slope vanishes. */
static double from_power(double c, double n)
{
    double top = pow(1 / (c * n), 1 / (n - 1)), most = top - c * pow(top, n);
    for (;;) {
        double f = exponential();
        if (log(unit()) < f - c * pow(f, n) - most) return f;
    }
}

/* The beta for which the form of that b has mean 1. */
static double beta_of_mean_one(double b)
{
    double low = 0.5, high = 4;
    for (int i = 0; i < 60; i++) {
        double beta = (low + high) / 2;
        double dent = sqrt(RP_PI) / 2 * exp(beta * beta / 4) * erfc(beta / 2);
        double mean = (1 / (beta * beta) - b * (0.5 - beta / 2 * dent)) / (1 / beta - b * dent);
        if (mean > 1)
            low = beta;
        else
            high = beta;
    }
    return low;
}

static void special_functions_are_known_ones(void **state)
{
    (void)state;
    for (double x = 0.01; x < 30; x *= 1.7) {
        check_near(rp_contact_gamma_lower(1, x), -expm1(-x), 1e-13);
        check_near(rp_contact_gamma_lower(0.5, x), erf(sqrt(x)), 1e-13);
        check_near(rp_contact_gamma_lower(3, x), 1 - exp(-x) * (1 + x + x * x / 2), 1e-13);
        check_near(rp_contact_log_gamma_upper(1, x), -x, 1e-12 * (1 + x));
        check_near(rp_contact_log_gamma_upper(2, x), -x + log1p(x), 1e-12 * (1 + x));
    }
    assert_true(rp_contact_gamma_lower(2, 0) == 0 && rp_contact_gamma_lower(2, 1e4) == 1);
    check_near(rp_contact_log_gamma_upper(0.5, 0), log(RP_PI) / 2, 1e-14);
    check_near(rp_contact_log_gamma_upper(0.5, 1000), -1000 - log(1000) / 2 + log1p(-0.5 / 1000),
               1e-5);
}

static double hump(const void *user, double x)
{
    double off = x - *(const double *)user;
    return -off * off;
}

static void the_greatest_is_found(void **state)
{
    (void)state;
    const double inside = 0.3, outside = 7;
    check_near(rp_contact_maximize(hump, &inside, -2, 5), 0.3, 1e-7);
    check_near(rp_contact_maximize(hump, &outside, -2, 5), 5, 1e-7);
}

/* Densities are the slopes of the shares below, and all of it is 1. */
static void forms_are_distributions(void **state)
{
    (void)state;
    rp_silbert form = {.b = 0.7, .beta = 1.5};
    double h = 1e-5, dent = sqrt(RP_PI) / 2 * exp(1.5 * 1.5 / 4) * erfc(0.75);
    form.a = 1 / (1 / form.beta - form.b * dent);
    check_near(rp_silbert_cumulative(&form, 40), 1, 1e-12);
    check_near(rp_force_gamma_cumulative(2.5, 40), 1, 1e-12);
    for (double f = 0.05; f < 6; f += 0.31) {
        double slope =
            (rp_silbert_cumulative(&form, f + h) - rp_silbert_cumulative(&form, f - h)) / (2 * h);
        check_near(rp_silbert_density(&form, f), slope, 1e-8);
        slope = (rp_force_gamma_cumulative(2.5, f + h) - rp_force_gamma_cumulative(2.5, f - h)) /
                (2 * h);
        check_near(rp_force_gamma_density(2.5, f), slope, 1e-8);
    }
}

#define FORCES 20000
static double forces[FORCES];

static void check_number(const rp_force_fits *fits, rp_force_number number, double value,
                         double largest_error)
{
    check_near(fits->values[number], value, 4 * fits->errors[number]);
    assert_true(fits->errors[number] > 0 && fits->errors[number] < largest_error);
}

/* Forces with a mean of 3.7 N, whatever the unit they were drawn in. */
static rp_force_fits fit(size_t count)
{
    rp_force_fits fits;
    rp_report *report = rp_report_create();
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += forces[i];
    for (size_t i = 0; i < count; i++)
        forces[i] *= 3.7 * (double)count / sum;
    check_ok(rp_force_fit_all(forces, count, &fits, report), report);
    check_near(fits.values[RP_FORCE_MEAN], 3.7, 1e-9);
    rp_report_destroy(report);
    return fits;
}

static void silbert_is_found_again(void **state)
{
    (void)state;
    static const double dents[] = {0.9, 0.6, -0.5};
    for (int i = 0; i < 3; i++) {
        double b = dents[i], beta = beta_of_mean_one(b);
        for (int k = 0; k < FORCES; k++)
            forces[k] = from_silbert(b, beta);
        rp_force_fits fits = fit(FORCES);
        check_number(&fits, RP_FORCE_SILBERT_B, b, 0.1);
        check_number(&fits, RP_FORCE_SILBERT_BETA, beta, 0.05);
        check_number(&fits, RP_FORCE_TAIL, beta, 0.1);
        assert_true(fits.values[RP_FORCE_SILBERT_DISTANCE] < 0.01);
        assert_true(fits.values[RP_FORCE_GAMMA_DISTANCE] >
                    1.5 * fits.values[RP_FORCE_SILBERT_DISTANCE]);
    }
}

static void exponentials_are_found_again(void **state)
{
    (void)state;
    for (int k = 0; k < FORCES; k++)
        forces[k] = exponential();
    rp_force_fits fits = fit(FORCES);
    check_number(&fits, RP_FORCE_TAIL, 1, 0.05);
    check_number(&fits, RP_FORCE_SILBERT_BETA, 1, 0.05);
    check_number(&fits, RP_FORCE_SILBERT_B, 0, 0.1);
    check_number(&fits, RP_FORCE_GAMMA, 1, 0.03);
    check_number(&fits, RP_FORCE_TAIL_N, 1, 0.15);
}

static void tails_are_found_again(void **state)
{
    (void)state;
    static const double powers[] = {1.5, 2, 3};
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k < FORCES; k++)
            sum += forces[k] = from_power(0.8, powers[i]);
        double c = 0.8 * pow(sum / FORCES, powers[i]); /* in units of the mean */
        rp_force_fits fits = fit(FORCES);
        check_number(&fits, RP_FORCE_TAIL_N, powers[i], 0.3);
        check_number(&fits, RP_FORCE_TAIL_C, c, 0.3);
    }
}

static void gammas_are_found_again(void **state)
{
    (void)state;
    for (int k = 0; k < FORCES; k++)
        forces[k] = exponential() + exponential() + exponential();
    rp_force_fits fits = fit(FORCES);
    check_number(&fits, RP_FORCE_GAMMA, 3, 0.06);
    assert_true(fits.values[RP_FORCE_GAMMA_DISTANCE] < 0.01);
    for (int k = 0; k < FORCES; k++) {
        double n = normal();
        forces[k] = n * n;
    }
    fits = fit(FORCES);
    check_number(&fits, RP_FORCE_GAMMA, 0.5, 0.01);
    /* A few contacts that are about to part change nothing. */
    for (int k = 0; k < FORCES; k++)
        forces[k] = k % 500 ? exponential() + exponential() + exponential() : 1e-30;
    fits = fit(FORCES);
    check_near(fits.values[RP_FORCE_GAMMA], 3, 0.2);
}

/* Two of three lists of forces should be within one error, nearly all within two. */
static void errors_are_what_they_say(void **state)
{
    (void)state;
    const rp_force_number looked_at[] = {RP_FORCE_TAIL, RP_FORCE_GAMMA, RP_FORCE_SILBERT_BETA,
                                         RP_FORCE_TAIL_N};
    enum { LISTS = 60, LOOKED = 4 };
    int one[LOOKED] = {0}, two[LOOKED] = {0};
    for (int list = 0; list < LISTS; list++) {
        for (int k = 0; k < 3000; k++)
            forces[k] = exponential();
        rp_force_fits fits = fit(3000);
        for (int i = 0; i < LOOKED; i++) {
            double off = fabs(fits.values[looked_at[i]] - 1) / fits.errors[looked_at[i]];
            one[i] += off < 1;
            two[i] += off < 2;
        }
    }
    for (int i = 0; i < LOOKED; i++) {
        assert_in_range(one[i], LISTS * 45 / 100, LISTS * 90 / 100);
        assert_true(two[i] > LISTS * 85 / 100);
    }
}

/* Contacts of one neighborhood that all bear the same force are one piece of news, not many. */
static void errors_know_of_neighbors(void **state)
{
    (void)state;
    for (int k = 0; k < FORCES; k++)
        forces[k] = k % 50 ? forces[k - 1] : exponential();
    rp_force_fits together = fit(FORCES);
    for (int k = 0; k < FORCES; k++)
        forces[k] = exponential();
    rp_force_fits alone = fit(FORCES);
    double ratio = together.errors[RP_FORCE_MEAN] / alone.errors[RP_FORCE_MEAN];
    assert_true(ratio > 4 && ratio < 12); /* the root of 50 is 7 */
    check_number(&together, RP_FORCE_GAMMA, 1, 0.2);
}

static void histograms_count(void **state)
{
    (void)state;
    const double few[] = {0.05, 0.05, 0.25, 1, 3.65}; /* mean 1 */
    rp_force_histogram h = rp_force_histogram_of(few, 5);
    assert_true(h.total == 5 && h.used == 37);
    assert_true(h.counts[0] == 2 && h.counts[2] == 1 && h.counts[10] == 1 && h.counts[36] == 1);
    const double zeros[3] = {0};
    assert_int_equal(rp_force_histogram_of(zeros, 3).used, 0);
}

static void what_cannot_be_fitted_is_reported(void **state)
{
    (void)state;
    rp_force_fits fits;
    for (int k = 0; k < FORCES; k++)
        forces[k] = 0;
    assert_int_equal(rp_force_fit_all(forces, RP_FORCES_LEAST - 1, &fits, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_force_fit_all(forces, FORCES, &fits, NULL), RP_OK);
    assert_true(fits.values[RP_FORCE_MEAN] == 0 && isnan(fits.values[RP_FORCE_GAMMA]));
    for (int k = 0; k < FORCES; k++)
        forces[k] = 1; /* no tail */
    assert_int_equal(rp_force_fit_all(forces, FORCES, &fits, NULL), RP_OK);
    assert_true(isnan(fits.values[RP_FORCE_TAIL]) && isnan(fits.values[RP_FORCE_TAIL_N]));
    assert_true(fits.values[RP_FORCE_GAMMA] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_functions_are_known_ones),
        cmocka_unit_test(the_greatest_is_found),
        cmocka_unit_test(forms_are_distributions),
        cmocka_unit_test(silbert_is_found_again),
        cmocka_unit_test(exponentials_are_found_again),
        cmocka_unit_test(tails_are_found_again),
        cmocka_unit_test(gammas_are_found_again),
        cmocka_unit_test(errors_are_what_they_say),
        cmocka_unit_test(errors_know_of_neighbors),
        cmocka_unit_test(histograms_count),
        cmocka_unit_test(what_cannot_be_fitted_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
