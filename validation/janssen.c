/* H. A. Janssen, "Versuche über Getreidedruck in Silozellen", Z. Ver. dt. Ing. 39 (1895). */
#include "validation/janssen.h"

#include <math.h>

#define SHARE_LIMIT 75.0  /* per cent of the weight */
#define MISFIT_LIMIT 10.0 /* per cent of the largest load */
#define K_MIDDLE 0.9      /* between 0.3 and 1.5 */
#define K_LIMIT 0.6
#define G 9.81 /* m/s2 */
#define PI 3.14159265358979
#define PORTIONS RP_JANSSEN_PORTIONS

typedef struct fitted {
    double k, misfit; /* misfit: N, rms */
} fitted;

double rp_janssen_area(const rp_janssen *silo)
{
    return PI * silo->diameter * silo->diameter / 4;
}

static double load_of(const rp_janssen *silo, double k, double height)
{
    double rate = 4 * silo->friction * k / silo->diameter;
    return silo->density * G / rate * -expm1(-rate * height) * rp_janssen_area(silo);
}

static double misfit_of(const rp_janssen *silo, double k)
{
    double sum = 0;
    for (int i = 0; i < PORTIONS; i++) {
        double off = silo->load[i] - load_of(silo, k, silo->height[i]);
        sum += off * off;
    }
    return sqrt(sum / PORTIONS);
}

/* The load falls with k everywhere, but the misfit may be flat far off: look at all of a fine
 * grid. */
static fitted fit(const rp_janssen *silo)
{
    fitted best = {.misfit = INFINITY};
    for (int i = 0; i <= 4000; i++) {
        double k = 0.01 * pow(1000, i / 4000.0), misfit = misfit_of(silo, k); /* 0.01 to 10 */
        if (misfit < best.misfit) best = (fitted){k, misfit};
    }
    return best;
}

static void draw(rp_case_context *c, const rp_janssen *silo, double k)
{
    enum { CURVE = 60 };
    double height[CURVE], law[CURVE], weight[CURVE];
    for (int i = 0; i < CURVE; i++) {
        height[i] = silo->height[PORTIONS - 1] * i / (CURVE - 1);
        law[i] = load_of(silo, k, height[i]);
        weight[i] = silo->density * G * height[i] * rp_janssen_area(silo);
    }
    rp_figure *figure =
        rp_case_figure(c, "Load on the floor of a silo", "height of the grains [m]", "force [N]");
    rp_figure_add(figure, "measured", RP_PLOT_POINTS, silo->height, silo->load, NULL, PORTIONS);
    rp_figure_add(figure, "Janssen's law, K fitted", RP_PLOT_LINE, height, law, NULL, CURVE);
    rp_figure_add(figure, "weight", RP_PLOT_DASHED, height, weight, NULL, CURVE);
}

void rp_janssen_judge(rp_case_context *c, const rp_janssen *silo)
{
    double load = silo->load[PORTIONS - 1], weight = silo->weight[PORTIONS - 1];
    fitted f = fit(silo);
    rp_judge_at_most(c, "load on the floor / weight", 100 * load / weight, SHARE_LIMIT, "%");
    rp_judge_at_most(c, "misfit of Janssen's law / largest load", 100 * f.misfit / load,
                     MISFIT_LIMIT, "%");
    rp_judge_near(c, "K, the one number fitted", f.k, K_MIDDLE, K_LIMIT, "");
    draw(c, silo, f.k);
}
