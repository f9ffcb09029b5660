/* Fuzz test of granular SPH and of discrete elements: random scenes from a seed, with everything
 * that a careful user would not do. After every step there is either a fault with a text, or every
 * number is finite, no grain is behind a wall, and sand without external forces gains neither
 * energy nor momentum.
 *
 *     abuse SECONDS SEED [on]
 *
 * tries the scenes of SEED, SEED + 1, ... for that many seconds (0: one scene) and stops at the
 * first that fails; with `on` it counts failures and continues. A failure prints its seed, with
 * which `abuse 0 SEED` reproduces it, and the scene. */
#include "base/random.h"
#include "base/threads.h"
#include "repose/repose.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS_MOST 100
#define SHORT_STEPS_MOST 1000 /* of dem, whose steps are limited by contacts */
#define SECONDS_MOST 1.0      /* wall-clock time of one scene */
#define SECONDS_HUNG 120      /* a step that takes longer hangs */
#define TEXT_MOST 8192
#define FAULTS_MOST 16

/* Sequence of random numbers from a seed. */
typedef struct generator {
    uint64_t seed, drawn;
} generator;

static double draw(generator *d)
{
    return (double)rp_random_unit(rp_random(d->seed, RP_RANDOM_TEST, d->drawn++).bits[0]);
}

static int below(generator *d, int count)
{
    return (int)(draw(d) * count);
}

static bool chance(generator *d, double share)
{
    return draw(d) < share;
}

static double between(generator *d, double low, double high)
{
    return low + (high - low) * draw(d);
}

static double one_of(generator *d, const double *values, int count)
{
    return values[below(d, count)];
}
#define ONE_OF(d, ...)                                                                             \
    one_of(d, (const double[]){__VA_ARGS__},                                                       \
           (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

/* The text of a scene, and what is known of it for the checks. */
typedef struct scene {
    char text[TEXT_MOST];
    size_t length;
    double spacing, edge; /* m; the domain, where bounded, reaches from -edge / 2 to edge / 2 */
    double gravity;       /* m/s2 */
    double fast;          /* m/s, of grains at the start */
    bool predictive;      /* pcisph */
    bool discrete;        /* dem */
    bool wet;             /* moist sand somewhere */
    bool bounded[3];      /* walls on this axis */
    bool periodic[3];     /* periodic on this axis */
    bool loose;           /* no external forces: no gravity, emitters, moving bodies */
    bool overlapping;     /* grains overlap at first, or are cohesive */
    bool untouched;       /* loose, and no solids or sleep: momentum is conserved */
    double force;         /* N, on some grains in some steps */
} scene;

static void add(scene *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(s->text + s->length, TEXT_MOST - s->length, format, arguments);
    va_end(arguments);
    s->length += wrote > 0 ? (size_t)wrote : 0;
    if (s->length >= TEXT_MOST) abort();
}

static void add_place(scene *s, generator *d, double spacings)
{
    double reach = spacings * s->spacing;
    double x = between(d, -reach, reach), y = between(d, -reach, reach);
    add(s, "[%.9g, %.9g, %.9g]", x, y, between(d, -reach, reach));
}

static void add_vector(scene *s, generator *d, double most)
{
    add_place(s, d, most / s->spacing);
}

static void add_gravity(scene *s, generator *d)
{
    s->gravity = ONE_OF(d, 0, 0, 9.81, 9.81, 9.81, 1e4);
    if (s->gravity > 0 && chance(d, 0.2)) {
        s->gravity *= 0.57; /* no component may be too large */
        add(s, "gravity_keys: [{time: 0, gravity: [0, 0, %g]}, {time: %g, gravity: [%g, 0, %g]}]\n",
            -s->gravity, 20 * sqrt(s->spacing / s->gravity), s->gravity, s->gravity);
        s->gravity *= 1.5;
    } else {
        add(s, "gravity: [%g, 0, %g]\n", chance(d, 0.3) ? s->gravity / 2 : 0, -s->gravity);
    }
}

/* Rough surfaces, with bumps from dust to twice a spacing; only dem uses them. */
static void add_roughness(scene *s, generator *d)
{
    double radius = ONE_OF(d, 0.05, 0.4, 2) * s->spacing;
    if (chance(d, 0.3))
        add(s, ", roughness: {radius: %.9g, period: %.9g, jitter: %g}", radius,
            radius * ONE_OF(d, 0, 0.6, 2, 10), ONE_OF(d, 0, 0.3, 1));
}

/* A box with walls, periodic sides, or no domain; sometimes a very thin period. */
static void add_domain(scene *s, generator *d)
{
    double half[3];
    s->edge = 20 * s->spacing;
    bool none = chance(d, 0.2);
    for (int k = 0; k < 3; k++) {
        half[k] = s->edge / 2;
        s->periodic[k] = !none && chance(d, 0.25);
        s->bounded[k] = !none && !s->periodic[k];
    }
    if (s->periodic[1] && chance(d, 0.5)) {
        half[1] = s->spacing * ONE_OF(d, 0.3, 0.5, 1, 1.7, 2.1);
        s->overlapping = true; /* sources are longer than the period and overlap themselves */
    }
    if (none) return;
    add(s, "domain: {low: [%.9g, %.9g, %.9g], high: [%.9g, %.9g, %.9g], periodic: [", -half[0],
        -half[1], -half[2], half[0], half[1], half[2]);
    const char *comma = "";
    for (int k = 0; k < 3; k++)
        if (s->periodic[k]) {
            add(s, "%s%c", comma, 'x' + k);
            comma = ", ";
        }
    add(s, "], friction: %g", ONE_OF(d, 0, 0.5, 3));
    if (s->bounded[2]) add_roughness(s, d);
    add(s, "}\n");
}

static void add_materials(scene *s, generator *d)
{
    add(s, "particles: {spacing: %g, jitter: %g}\n", s->spacing, ONE_OF(d, 0, 0, 0.1, 0.5));
    if (strstr(s->text, "jitter: 0.5")) s->overlapping = true;
    add(s, "materials:\n");
    for (int i = 0; i < 2; i++) {
        double cohesion = ONE_OF(d, 0, 0, 0, 1500, 1e6), wet = ONE_OF(d, 0, 0, 1500, 1e6);
        if (cohesion > 0 || wet > 0) s->overlapping = true;
        double density = ONE_OF(d, 1, 1600, 1600, 1e5), angle = ONE_OF(d, 0, 30, 33, 60, 80);
        double viscosity = ONE_OF(d, 0, 0.01, 0.01, 1e6);
        add(s,
            "  m%d: {density: %g, angle: %g, cohesion: %g, viscosity: %g, wet_cohesion: %g, "
            "wet_viscosity: %g",
            i, density, angle, cohesion, viscosity, wet, ONE_OF(d, 0, 0.3, 1e6));
        double dynamic = ONE_OF(d, 0, 0, 0, 40, 80);
        if (dynamic > angle)
            add(s, ", dynamic_angle: %g, inertial_number: %g, grain_diameter: %g", dynamic,
                ONE_OF(d, 1e-6, 0.279, 0.279, 1e6), s->spacing * ONE_OF(d, 1e-3, 0.3, 1, 1e3));
        add(s,
            ", young: %g, poisson: %g, grain_density: %g, restitution: %g, rolling_friction: %g}\n",
            ONE_OF(d, 1e5, 1e7, 1e7, 1e11), ONE_OF(d, 0, 0.3, 0.49), ONE_OF(d, 1, 2650, 2650, 1e5),
            ONE_OF(d, 0, 0.1, 0.5, 1), ONE_OF(d, 0, 0, 0.1));
    }
}

static double add_moisture(scene *s, generator *d)
{
    double moisture = ONE_OF(d, 0, 0, 0.5, 1);
    if (moisture > 0) s->wet = true;
    return moisture;
}

/* Blocks of grains, which may overlap. */
static void add_sources(scene *s, generator *d)
{
    int count = 1 + below(d, 4);
    s->fast = ONE_OF(d, 0, 1, 10, 100) * s->spacing / 0.01;
    if (count > 1) s->overlapping = true;
    bool same = chance(d, 0.5);
    add(s, "sources:\n");
    for (int i = 0; i < count; i++) {
        add(s, "  s%d: {shape: %s", i, chance(d, 0.3) ? "sphere, radius: " : "box, size: [");
        if (strstr(s->text + s->length - 10, "radius"))
            add(s, "%.9g", between(d, 1, 5) * s->spacing);
        else
            for (int k = 0; k < 3; k++)
                add(s, "%.9g%s", (1 + below(d, 10)) * s->spacing, k < 2 ? ", " : "]");
        add(s, ", material: m%d, moisture: %g, at: %g, position: ", below(d, 2), add_moisture(s, d),
            chance(d, 0.1) ? 0.01 : 0);
        if (same)
            add(s, "[0, 0, 0]");
        else
            add_place(s, d, 4);
        add(s, ", velocity: ");
        add_vector(s, d, s->fast);
        add(s, "}\n");
    }
}

static void add_emitter(scene *s, generator *d)
{
    s->loose = false;
    add(s, "emitters: {e: {radius: %.9g, speed: %g, material: m%d, moisture: %g, position: ",
        between(d, 1, 4) * s->spacing, ONE_OF(d, 0.1, 1, 100) * s->spacing / 0.01, below(d, 2),
        add_moisture(s, d));
    add_place(s, d, 8);
    add(s, ", direction: ");
    add_vector(s, d, 1);
    add(s, "}}\n");
}

/* Solids that rest, move, or jump into the sand within a millisecond. */
static void add_body(scene *s, generator *d)
{
    s->untouched = false;
    add(s, "bodies: {b: {shape: box, friction: %s, size: [%.9g, %.9g, %.9g]",
        chance(d, 0.5) ? "rough" : "0.3", between(d, 0.1, 5) * s->spacing,
        between(d, 0.1, 0.2) * s->spacing, between(d, 0.1, 5) * s->spacing);
    add_roughness(s, d);
    add(s, ", ");
    if (chance(d, 0.4)) {
        add(s, "position: ");
        add_place(s, d, 5);
        add(s, "}}\n");
        return;
    }
    s->loose = false;
    add(s, "motion: keys, interpolation: %s, keys: [{time: 0.004, position: ",
        chance(d, 0.5) ? "linear" : "smooth");
    add_place(s, d, 5);
    add(s, "}, {time: %g, position: ", ONE_OF(d, 0.005, 0.1));
    add_place(s, d, 5);
    add(s, ", rotation: [0, 90, %g]}]}}\n", between(d, -180, 180));
}

/* Dynamic bodies of very different densities and sizes, overlapping, spinning, with joints that
 * break. */
static void add_movers(scene *s, generator *d)
{
    static const char *const shapes[] = {
        "box, size: [%1$.9g, %2$.9g, %2$.9g]", "sphere, radius: %1$.9g",
        "capsule, radius: %1$.9g, height: %2$.9g", "cylinder, radius: %1$.9g, height: %2$.9g",
        "cone, radius: %1$.9g, height: %2$.9g"};
    s->untouched = s->loose = false;
    int count = 1 + below(d, 4);
    add(s, "bodies: {");
    for (int n = 0; n < count; n++) {
        char shape[128];
        double size = pow(10, between(d, -1, 0.8)) * s->spacing;
        snprintf(shape, sizeof shape, shapes[below(d, 5)], size, between(d, 0.2, 3) * size);
        add(s, "m%d: {motion: dynamic, shape: %s, density: %g, friction: %s, restitution: %g", n,
            shape, ONE_OF(d, 1, 160, 1600, 16000, 1e5), chance(d, 0.5) ? "rough" : "0.3",
            ONE_OF(d, 0, 0.5, 1));
        add(s, ", position: ");
        add_place(s, d, 5);
        add(s, ", velocity: ");
        add_vector(s, d, ONE_OF(d, 0, 1, 100) * sqrt(s->spacing));
        add(s, ", spin: [0, %g, 0]}, ", ONE_OF(d, 0, 100, 1e5));
    }
    add(s, "}\n");
    if (count < 2) return;
    add(s, "joints: {j: {body: m0, other: m1, break_force: %g, ", ONE_OF(d, 1e-6, 1, 1e9));
    static const char *const kinds[] = {"kind: fixed", "kind: ball, anchor: ",
                                        "kind: hinge, motor_spin: 1000, motor_torque: 1, anchor: "};
    int kind = below(d, 3);
    add(s, "%s", kinds[kind]);
    if (kind > 0) add_place(s, d, 5);
    add(s, "}}\n");
}

static void add_solver(scene *s, generator *d)
{
    bool sleeping = chance(d, 0.3);
    if (sleeping) s->untouched = false; /* sleepers lose their momentum */
    if (chance(d, 0.25)) {
        double g = s->gravity > 0 ? s->gravity : 9.81;
        double fall = 0.1 * sqrt(2 * s->spacing / g), fly = 0.3 * s->spacing / s->fast;
        add(s, "time: {step: %g}\n", 10 * fmin(0.1, fmin(fall, fly)));
    }
    s->predictive = chance(d, 0.35);
    add(s, "solver: {method: %s, sleeping: %s, sleep_time: %g, sleep_speed: %g",
        s->predictive ? "pcisph" : "frictional", sleeping ? "yes" : "no", ONE_OF(d, 0, 0.01, 0.25),
        ONE_OF(d, 0.1, 100));
    if (s->predictive)
        add(s, ", iterations: %g, density_error: %g", ONE_OF(d, 1, 3, 50), ONE_OF(d, 0, 0.01));
    else
        add(s, ", iterations: %g, scheme: %s, warm_start: %s", ONE_OF(d, 1, 5, 30, 100),
            chance(d, 0.2) ? "jacobi" : "accelerated", chance(d, 0.2) ? "no" : "yes");
    add(s, "}\n");
}

/* Grains: shapes, sizes and mixtures, some of which are refused. */
static void add_grains(scene *s, generator *d)
{
    static const char *const shapes[] = {
        "sphere", "tetrahedron", "dimer", "cube",
        ("spheres, spheres: [{position: [0, 0, 0], radius: 1}, {position: [1.5, 0, 0], radius: "
         "0.2}, {position: [0, 2, 1], radius: 1.4}]")};
    double spread = ONE_OF(d, 0, 0, 0.1, 0.5);
    add(s, "grains: {a: {shape: %s, spread: %g}", shapes[below(d, 5)], spread);
    if (chance(d, 0.5))
        add(s, ", b: {shape: %s, diameter: %.9g, share: %g}", shapes[below(d, 5)],
            ONE_OF(d, 0.05, 0.5, 0.8, 1.1) * s->spacing, ONE_OF(d, 0.01, 1, 100));
    add(s, "}\n");
}

static void add_discrete_solver(scene *s, generator *d)
{
    s->discrete = true;
    add_grains(s, d);
    if (chance(d, 0.2)) add(s, "time: {step: %g}\n", pow(10, between(d, -7, -2)));
    add(s,
        "contacts: {both: {first: m0, second: m1, friction: %g, restitution: %g, "
        "rolling_friction: %g}}\n",
        ONE_OF(d, 0, 0.5, 10), ONE_OF(d, 0, 0.5, 1), ONE_OF(d, 0, 0.1, 10));
    add(s,
        "solver: {method: dem, law: %s, shear: %s, skin: %g, steps: %g, slip_damping: %g, "
        "contact_time: %g, rupture: %g}\n",
        chance(d, 0.5) ? "hertz" : "linear", chance(d, 0.6) ? "history" : "viscous",
        ONE_OF(d, 0.01, 0.1, 1), ONE_OF(d, 4, 20, 100), ONE_OF(d, 0, 1, 100),
        ONE_OF(d, 1e-5, 1e-4, 1e-3), ONE_OF(d, 0, 0.2, 1));
}

static void make_scene(scene *s, generator *d)
{
    *s = (scene){.loose = true, .untouched = true};
    s->spacing = ONE_OF(d, 1e-4, 1e-2, 1e-2, 1e-2, 10);
    add_gravity(s, d);
    add_domain(s, d);
    add_materials(s, d);
    add_sources(s, d);
    if (chance(d, 0.2)) add_emitter(s, d);
    if (chance(d, 0.4))
        add_body(s, d);
    else if (chance(d, 0.5))
        add_movers(s, d);
    if (chance(d, 0.2)) {
        s->wet = true;
        add(s, "moisture: {wet: {start: 5 ms, value: 1}, dry: {start: 20 ms, value: 0}}\n");
    }
    if (chance(d, 0.3))
        add_discrete_solver(s, d);
    else
        add_solver(s, d);
    if (s->gravity > 0) s->loose = false;
    if (chance(d, 0.2)) {
        s->force = pow(10, between(d, -6, 6));
        s->loose = false;
    }
    s->untouched &= s->loose && !s->bounded[0] && !s->bounded[1] && !s->bounded[2];
}

/* Quantities that are conserved without external forces. */
typedef struct motion {
    double energy;      /* J */
    double peak;        /* J, the most energy so far */
    double mass;        /* kg */
    double momentum[3]; /* kg m/s */
    double moving;      /* kg m/s, sum of all lengths */
    size_t count;
} motion;

static motion motion_of(const rp_view *view)
{
    motion m = {.count = view->count};
    for (size_t i = 0; i < view->count; i++) {
        double mass = (double)view->mass[i], v2 = 0;
        const double v[3] = {(double)view->vx[i], (double)view->vy[i], (double)view->vz[i]};
        for (int k = 0; k < 3; k++) {
            m.momentum[k] += mass * v[k];
            v2 += v[k] * v[k];
        }
        m.energy += 0.5 * mass * v2;
        m.mass += mass;
        m.moving += mass * sqrt(v2);
    }
    return m;
}

typedef struct tally {
    uint64_t scenes, refused, steps, failures;
    double rise[2]; /* largest factor of energy in a step where grains overlap: each method */
    double lost;    /* largest share of momentum that pcisph lost in a step */
    struct {
        char text[48]; /* the beginning of the text */
        uint64_t count;
    } faults[FAULTS_MOST];
} tally;

static void note_fault(tally *t, const char *text)
{
    char begin[sizeof t->faults[0].text];
    size_t length = 0;
    for (; *text && length + 1 < sizeof begin;
         text++) /* without numbers: faults that differ only there are one */
        if (!strchr("0123456789.-+", *text)) begin[length++] = *text;
    begin[length] = 0;
    for (int i = 0; i < FAULTS_MOST; i++) {
        if (t->faults[i].count && strcmp(t->faults[i].text, begin) != 0) continue;
        memcpy(t->faults[i].text, begin, sizeof begin);
        t->faults[i].count++;
        return;
    }
}

/* Whether a check failed, and why. */
typedef struct verdict {
    char why[256];
    bool wrong;
} verdict;

static void blame(verdict *v, const char *format, ...)
{
    if (v->wrong) return;
    v->wrong = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->why, sizeof v->why, format, arguments);
    va_end(arguments);
}

static void check_finite(const rp_view *view, verdict *v)
{
    for (int f = 0; f < view->field_count; f++) {
        const float *values = view->fields[f].data;
        if (view->fields[f].type != RP_F32) continue;
        for (size_t i = 0; i < view->count; i++)
            if (!isfinite(values[i]))
                blame(v, "%s of grain %zu is %g", view->fields[f].name, i, (double)values[i]);
    }
}

static void check_bodies(const rp_view *view, verdict *v)
{
    for (int b = 0; b < view->body_count; b++) {
        const double *values = (const double *)&view->bodies[b];
        for (size_t i = 0; i < sizeof *view->bodies / sizeof *values; i++)
            if (!isfinite(values[i]))
                blame(v, "number %zu of the state of body %d is %g", i, b, values[i]);
    }
}

static void check_walls(const scene *s, const rp_view *view, verdict *v)
{
    const float *place[3] = {view->x, view->y, view->z};
    double most = s->edge / 2 + 1e-5 * s->spacing;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < view->count && s->bounded[k]; i++)
            if (fabs((double)place[k][i]) > most)
                blame(v, "grain %u is %g spacings behind a wall, %c = %.9g", view->id[i],
                      (fabs((double)place[k][i]) - s->edge / 2) / s->spacing, 'x' + k,
                      (double)place[k][i]);
}

static void check_motion(const scene *s, double dt, const motion *before, const motion *after,
                         tally *t, verdict *v)
{
    if (!s->loose || before->count != after->count) return;
    double creeping = 1e-3 * s->spacing / dt, least = 0.5 * before->mass * creeping * creeping;
    double rise = before->energy > least ? after->energy / before->energy : 1;
    if (s->discrete) { /* springs return stored energy */
        if (after->energy > 1.05 * before->peak && !s->overlapping && !s->wet)
            blame(v, "energy rose above its peak of %g J to %g J", before->peak, after->energy);
    } else if (s->overlapping)
        t->rise[s->predictive] = fmax(t->rise[s->predictive], rise);
    else if (rise > 1.01 && after->energy > before->energy + 0.01 * before->peak && !s->predictive)
        blame(v, "energy rose by %g from %g J", rise, before->energy);
    double most = fmax(before->moving, after->moving);
    for (int k = 0; k < 3 && s->untouched && most > 0; k++) {
        double change = fabs(after->momentum[k] - before->momentum[k]) / most;
        if (s->predictive) /* discrete forces (G21) are not reciprocal */
            t->lost = fmax(t->lost, change);
        else if (change > 1e-4)
            blame(v, "momentum %c changed by %g of %g kg m/s", 'x' + k, change, most);
    }
}

static void push_some(const scene *s, generator *d, rp_world *world)
{
    rp_view view;
    rp_world_view(world, &view);
    if (!(s->force > 0) || !view.count || !chance(d, 0.3)) return;
    for (int i = 0; i < 5; i++) {
        double fx = between(d, -s->force, s->force), fy = between(d, -s->force, s->force);
        rp_world_add_force(world, (size_t)below(d, (int)view.count), fx, fy, s->force, NULL);
    }
}

/* A failed step must report a reason. */
static void check_fault(rp_code code, const rp_report *report, tally *t, verdict *v)
{
    char text[512] = "";
    if (rp_report_count(report)) rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    if (code == RP_OK || strlen(text) < 10)
        blame(v, "code %d came with the text '%s'", (int)code, text);
    note_fault(t, text);
}

static void run_scene(const scene *s, generator *d, rp_world *world, rp_report *report, tally *t,
                      verdict *v)
{
    double begin = rp_clock();
    rp_view view;
    rp_world_view(world, &view);
    motion before = motion_of(&view);
    before.peak = before.energy;
    int most = s->discrete ? SHORT_STEPS_MOST : STEPS_MOST;
    for (int n = 0; n < most && rp_clock() - begin < SECONDS_MOST; n++) {
        push_some(s, d, world);
        rp_code code = rp_world_step(world, report);
        if (code != RP_OK || rp_report_count(report)) {
            check_fault(code, report, t, v);
            return;
        }
        rp_world_view(world, &view);
        motion after = motion_of(&view);
        check_finite(&view, v);
        check_bodies(&view, v);
        check_walls(s, &view, v);
        check_motion(s, view.dt, &before, &after, t, v);
        after.peak = fmax(before.peak, after.energy);
        before = after;
        t->steps++;
        if (!v->wrong) continue;
        size_t length = strlen(v->why);
        snprintf(v->why + length, sizeof v->why - length, " (step %d, dt %g s)", n, view.dt);
        return;
    }
}

static void try_scene(const scene *s, generator *d, tally *t, verdict *v)
{
    rp_report *report = rp_report_create();
    rp_scene *read = NULL;
    rp_world *world = NULL;
    rp_world_options options = rp_default_world_options();
    options.threads = 1;
    rp_code code = rp_scene_parse(s->text, "abuse", &read, report);
    if (code == RP_OK) code = rp_world_create(read, &options, &world, report);
    t->scenes++;
    if (code == RP_OK) {
        run_scene(s, d, world, report, t, v);
    } else {
        t->refused++;
        check_fault(code, report, t, v);
    }
    rp_world_destroy(world);
    rp_scene_destroy(read);
    rp_report_destroy(report);
}

static volatile sig_atomic_t signal_seed; /* of the current scene, for the signal handler */

static void die(int number)
{
    char text[80];
    int length = snprintf(text, sizeof text, "signal %d at seed %d\n", number, (int)signal_seed);
    if (write(STDOUT_FILENO, text, (size_t)length) < 0) _exit(3);
    _exit(2);
}

static void print_tally(const tally *t)
{
    printf("%" PRIu64 " scenes, %" PRIu64 " of them refused, %" PRIu64 " steps, %" PRIu64
           " failures\nenergy of overlapping grains grew in a step at most by %.3g "
           "(frictional), %.3g (pcisph)\npcisph changed momentum in a step at most by %.3g\n",
           t->scenes, t->refused, t->steps, t->failures, t->rise[0], t->rise[1], t->lost);
    for (int i = 0; i < FAULTS_MOST && t->faults[i].count; i++)
        printf("%8" PRIu64 " times: %s …\n", t->faults[i].count, t->faults[i].text);
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 3) {
        fprintf(stderr, "abuse SECONDS SEED [on]\n");
        return 2;
    }
    double seconds = atof(arguments[1]), begin = rp_clock();
    uint64_t seed = (uint64_t)strtoull(arguments[2], NULL, 10);
    bool on = argument_count > 3;
    tally t = {0};
    signal(SIGALRM, die);
    signal(SIGSEGV, die);
    do {
        generator d = {seed, 0};
        scene s;
        verdict v = {0};
        signal_seed = (sig_atomic_t)seed;
        alarm(SECONDS_HUNG);
        make_scene(&s, &d);
        try_scene(&s, &d, &t, &v);
        if (v.wrong) {
            t.failures++;
            printf("seed %" PRIu64 " (%s): %s\n", seed,
                   s.discrete     ? "dem"
                   : s.predictive ? "pcisph"
                                  : "frictional",
                   v.why);
            if (!on) printf("%s\n", s.text);
            fflush(stdout);
        }
        seed++;
    } while ((on || !t.failures) && rp_clock() - begin < seconds);
    print_tally(&t);
    return t.failures ? 1 : 0;
}
