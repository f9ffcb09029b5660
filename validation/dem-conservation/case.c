/* Energy, momentum and angular momentum of colliding tetrahedra. */
#include "base/report.h"
#include "scene/scene.h"
#include "validation/grains.h"

#include <math.h>

#define ENERGY_LIMIT 1.0 /* per cent */
#define SHARE_LIMIT 0.05
#define MOMENTUM_LIMIT 1e-5
#define ANGULAR_LIMIT 1e-4
#define RISE_LIMIT 0.1 /* per cent */
#define END 1.0        /* s */
#define SAMPLES 101

/* All that grains have at an instant. Tetrahedra have one moment of inertia. */
typedef struct state {
    double flight, spin, pressed;      /* J */
    double momentum[3], momentum_size; /* kg m/s */
    double angular[3], angular_size;   /* kg m2/s, about the origin, spin included */
} state;

static double inertia_of(const rp_view *view, const rp_scene *scene, size_t i)
{
    const rp_grain_spec *kind = rp_scene_grains(scene);
    double d = (double)rp_grains_field(view, "diameter")[i];
    return (double)view->mass[i] / kind->clump.volume * kind->clump.inertia[0] * d * d;
}

static void add_grain(const rp_view *view, const rp_scene *scene, size_t i, state *s)
{
    static const char *const names[3] = {"spin_x", "spin_y", "spin_z"};
    double m = view->mass[i], moment = inertia_of(view, scene, i), size = 0, angular[3];
    const double x[3] = {view->x[i], view->y[i], view->z[i]};
    const double v[3] = {view->vx[i], view->vy[i], view->vz[i]};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        double w = rp_grains_field(view, names[a])[i];
        s->flight += 0.5 * m * v[a] * v[a];
        s->spin += 0.5 * moment * w * w;
        s->momentum[a] += m * v[a];
        angular[a] = m * (x[b] * v[d] - x[d] * v[b]) + moment * w;
        s->angular[a] += angular[a];
        size += v[a] * v[a];
    }
    s->momentum_size += m * sqrt(size);
    s->angular_size +=
        sqrt(angular[0] * angular[0] + angular[1] * angular[1] + angular[2] * angular[2]);
}

static rp_code evaluate(rp_case_context *c, const rp_trial *trial, state *s)
{
    rp_view view;
    *s = (state){0};
    RP_TRY(rp_world_contacts(trial->world, &view, c->report));
    for (size_t i = 0; i < view.count; i++)
        add_grain(&view, trial->scene, i, s);
    for (size_t k = 0; k < view.contact_count; k++)
        s->pressed +=
            0.4 * (double)view.contacts[k].normal_force * (double)view.contacts[k].overlap;
    return RP_OK;
}

static double energy_of(const state *s)
{
    return s->flight + s->spin + s->pressed;
}

static rp_code follow(rp_case_context *c, const char *file, const rp_setting *settings, int count,
                      state *states)
{
    rp_trial trial;
    rp_code code = rp_trial_begin(c, file, settings, count, &trial);
    for (int i = 0; i < SAMPLES && code == RP_OK; i++) {
        code = rp_case_run_to(c, trial.world, END * i / (SAMPLES - 1), 1);
        if (code == RP_OK) code = evaluate(c, &trial, &states[i]);
    }
    rp_trial_end(&trial);
    return code;
}

static double length_of_change(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void draw(rp_case_context *c, const char *title, const state *states)
{
    double time[SAMPLES], flight[SAMPLES], spin[SAMPLES], all[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        time[i] = END * i / (SAMPLES - 1);
        flight[i] = 1000 * states[i].flight;
        spin[i] = 1000 * states[i].spin;
        all[i] = 1000 * energy_of(&states[i]);
    }
    rp_figure *figure = rp_case_figure(c, title, "time [s]", "energy [mJ]");
    rp_figure_set_flags(figure, RP_FIGURE_ZERO_Y);
    rp_figure_add(figure, "all", RP_PLOT_LINE, time, all, NULL, SAMPLES);
    rp_figure_add(figure, "of flight", RP_PLOT_LINE, time, flight, NULL, SAMPLES);
    rp_figure_add(figure, "of spin", RP_PLOT_LINE, time, spin, NULL, SAMPLES);
}

static double worst_momentum(const state *states)
{
    double worst = 0;
    for (int i = 1; i < SAMPLES; i++)
        worst = fmax(worst, length_of_change(states[i].momentum, states[0].momentum));
    return worst / states[0].momentum_size;
}

static rp_code gas(rp_case_context *c)
{
    static state states[SAMPLES];
    static const rp_setting small[] = {{"domain.high", "[10 cm, 10 cm, 10 cm]"},
                                       {"sources.low.size", "[10 cm, 10 cm, 4 cm]"},
                                       {"sources.low.position", "[5 cm, 5 cm, 2 cm]"},
                                       {"sources.high.size", "[10 cm, 10 cm, 6 cm]"},
                                       {"sources.high.position", "[5 cm, 5 cm, 7 cm]"}};
    RP_TRY(follow(c, "gas.yaml", small, c->quick ? 5 : 0, states));
    double first = energy_of(&states[0]), worst = 0, share = 0;
    for (int i = 1; i < SAMPLES; i++)
        worst = fmax(worst, fabs(energy_of(&states[i]) - first));
    for (int i = SAMPLES / 2; i < SAMPLES; i++)
        share += states[i].spin / (states[i].spin + states[i].flight) / (SAMPLES - SAMPLES / 2);
    rp_judge_near(c, "gas: change of energy", 100 * worst / first, 0, ENERGY_LIMIT, "%");
    rp_judge_at_most(c, "gas: change of momentum", worst_momentum(states), MOMENTUM_LIMIT, "");
    rp_judge_near(c, "gas: spin's share of the motion", share, 0.5, SHARE_LIMIT, "");
    draw(c, "Energy of an elastic gas of tetrahedra", states);
    return RP_OK;
}

static rp_code blow(rp_case_context *c)
{
    static state states[SAMPLES];
    RP_TRY(follow(c, "blow.yaml", NULL, 0, states));
    double angular = 0, rise = 0, least = energy_of(&states[0]);
    for (int i = 1; i < SAMPLES; i++) {
        angular = fmax(angular, length_of_change(states[i].angular, states[0].angular));
        rise = fmax(rise, energy_of(&states[i]) - least);
        least = fmin(least, energy_of(&states[i]));
    }
    rp_judge_at_most(c, "blow: change of momentum", worst_momentum(states), MOMENTUM_LIMIT, "");
    rp_judge_at_most(c, "blow: change of angular momentum", angular / states[0].angular_size,
                     ANGULAR_LIMIT, "");
    rp_judge_at_most(c, "blow: rise of energy", 100 * rise / energy_of(&states[0]), RISE_LIMIT,
                     "%");
    rp_case_note(c, "blow: %.3g of the energy is left", least / energy_of(&states[0]));
    draw(c, "Energy of two blocks that hit each other", states);
    return RP_OK;
}

static rp_code run(rp_case_context *c)
{
    rp_code code = gas(c);
    return code == RP_OK ? blow(c) : code;
}

const rp_case rp_case_dem_conservation = {"dem-conservation", "What contacts must conserve", run};
