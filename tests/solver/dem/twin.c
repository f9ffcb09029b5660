/* A slow twin of discrete elements: all pairs, no lists, double precision, contact history in a
 * plain table, the formulas once more from theory. It takes over a heap that the solver has made,
 * and both continue side by side. */
#include "solver/dem/contact_law.h"
#include "solver/grains.h"

#define STEPS 250
/* Of many grains the two that are furthest apart are so sooner. */
#define STEPS_OF_MANY 60
/* How far grains of the two may be apart after so many steps, in diameters. Overlaps are rounded to
 * 5e-8 of them. Contacts of a millisecond and more turn such a distance into a speed. */
#define PLACE_APART 1e-5
#define SPEED_APART (PLACE_APART * DIAMETER * RP_PI / 1e-3) /* m/s */
/* Steps in which lists must have been made once at least, and pushes given in each. */
#define REBUILD_MOST 60
#define PUSHES_LEAST 2

#define DIAMETER 0.01 /* m */
#define YOUNG 1e6     /* Pa */
#define POISSON 0.25
#define SPACING 0.012    /* m */
#define ROOM 0.0125      /* m of the box's edge, for a grain */
#define HEIGHT 0.1       /* m, of the box */
#define LAYERS 3         /* of grains */
#define TENSION 0.072    /* N/m */
#define RUPTURE 0.2      /* over R* */
#define SPHERES_MAX 1200 /* of all grains together */
#define SIDES 6
#define DAMPING_MOST 0.3 /* over m* / dt (E4) */
#define BOUNCE_MOST 0.45 /* of contacts that go by more than their overlap over */
#define BOUNCE 40        /* in a step */

static const double densities[2] = {2000, 3000}, frictions[2] = {0.3, 0.7},
                    rollings[2] = {0.05, 0.02};

typedef struct variant {
    const char *shape;
    bool hertz, history, periodic, wet;
    int across; /* grains along the edge of the box */
} variant;

static double edge_of(variant kind)
{
    return ROOM * kind.across;
}

/* Linear contacts with damping push at once when they begin, and two that begin by a rounding
 * sooner or later are a whole push apart; so they keep all of their speed here. */
static double restitution_of(variant kind)
{
    return kind.hertz ? 0.4 : 1;
}

/* --- the twin ----------------------------------------------------------------------------------
 */

typedef struct twin_grain {
    rp_vec3 x, v, spin;   /* m, m/s, rad/s */
    rp_vec3 acceleration; /* m/s2, the last accelerations, smoothed */
    rp_quat turn;
    double mass, size; /* kg, m */
    rp_vec3 moments;   /* kg m2, own axes */
    int material;
    const rp_clump *clump;
} twin_grain;

typedef struct twin_ball {
    rp_vec3 x, v;  /* m, m/s, of its centre */
    double radius; /* m */
    int grain;
} twin_ball;

/* History of a contact: tangential displacement, and the angles of rolling and twisting.
 */
typedef struct contact_history {
    rp_vec3 tangential, rolling; /* m, rad */
    double twisting;             /* rad */
} contact_history;

typedef struct twin {
    variant kind;
    int grains, balls;
    twin_grain grain[SPHERES_MAX];
    twin_ball ball[SPHERES_MAX];
    rp_vec3 force[SPHERES_MAX], torque[SPHERES_MAX]; /* of grains */
    contact_history pair[SPHERES_MAX][SPHERES_MAX];  /* as the first of a pair has it */
    contact_history wall[SPHERES_MAX][SIDES];
    double damping, step_correction, stiffness; /* stiffness: linear, N/m */
    rp_vec3 gravity;
    int pushes;
} twin;

static double mean_of(const double *values, int a, int b)
{
    return sqrt(values[a] * values[b]);
}

/* What two bodies do to each other in a point. */
typedef struct touch {
    rp_vec3 n, v, spin;     /* from the first; second against first; first against second */
    double overlap, radius; /* m; R* */
    double mass;            /* m* */
    double compliance, shear_compliance; /* 1/E*, 1/G* */
    double linear;                       /* N/m */
    double friction, rolling, tension;
} touch;

/* Projected onto the plane of the contact, with the length that it had. */
static rp_vec3 projected(rp_vec3 v, rp_vec3 n)
{
    rp_vec3 flat = rp_v3_madd(v, -rp_v3_dot(v, n), n);
    double before = rp_v3_length(v), after = rp_v3_length(flat);
    return after > 0 ? rp_v3_scale(flat, before / after) : flat;
}

/* Along the surface, on the first: a spring and its damping, which holds up to a limit. */
static rp_vec3 spring_force(const twin *t, const touch *c, rp_vec3 slip, double along, double limit,
                            double dt, rp_vec3 *spring)
{
    double mass = c->mass * 2 / 7;
    *spring = rp_v3_madd(projected(*spring, c->n), dt, slip);
    double slow = fmin(t->damping * sqrt(mass * along), DAMPING_MOST * mass / dt);
    rp_vec3 force = rp_v3_madd(rp_v3_scale(*spring, along), slow, slip);
    double size = rp_v3_length(force);
    if (size <= limit) return force;
    force = rp_v3_scale(force, limit / size);
    *spring = rp_v3_scale(force, 1 / along);
    return force;
}

/* The couple on the first: springs of rolling and twisting with their damping, 0.3 of the critical
 * one of a sphere that rolls on a plane; each holds up to the same limit. */
static rp_vec3 roll_couple(const touch *c, double along, double push, double dt, contact_history *m)
{
    double square = c->radius * c->radius, stiff = along * square;
    double limit = c->rolling * c->radius * push;
    double slow = fmin((double)RP_DEM_ROLLING_DAMPING * sqrt(c->mass * along) * square,
                       DAMPING_MOST * 2 / 5 * c->mass * square / dt);
    double about = rp_v3_dot(c->spin, c->n);
    rp_vec3 rate = rp_v3_madd(c->spin, -about, c->n);
    m->rolling = rp_v3_madd(projected(m->rolling, c->n), dt, rate);
    m->twisting += dt * about;
    rp_vec3 rolls = rp_v3_madd(rp_v3_scale(m->rolling, stiff), slow, rate);
    double twists = stiff * m->twisting + slow * about, size = rp_v3_length(rolls);
    if (size > limit) {
        rolls = rp_v3_scale(rolls, limit / size);
        m->rolling = rp_v3_scale(rolls, 1 / stiff);
    }
    if (fabs(twists) > limit) {
        twists = copysign(limit, twists);
        m->twisting = twists / stiff;
    }
    return rp_v3_scale(rp_v3_madd(rolls, twists, c->n), -1);
}

/* Of the rate of closing, in N s/m: what steps make of it is taken off, and a contact that began
 * since the middle of the last step has all that it would have got by now. */
static double damping_of(const twin *t, const touch *c, double secant, double rate, double dt)
{
    double overlap = fmax(c->overlap, 0), growth = rate * dt;
    double most = (overlap < BOUNCE * fabs(growth) ? BOUNCE_MOST : DAMPING_MOST) * c->mass / dt;
    double late = 1 + t->step_correction * secant * dt * dt / c->mass;
    double damping = fmin(t->damping * sqrt(c->mass * secant) / late, most);
    if (!(overlap > 0 && overlap < growth)) return damping;
    double steps = overlap / growth + 0.5; /* since it began, at the step's end */
    if (!t->kind.hertz) return damping * steps;
    return damping * pow(steps, 1.25) / 1.25 / pow(overlap / growth, 0.25);
}

/* The force on the first, and the couple of rolling; history advances. */
static rp_vec3 touch_force(const twin *t, const touch *c, double dt, contact_history *m,
                           rp_vec3 *couple)
{
    double overlap = fmax(c->overlap, 0), gap = fmax(-c->overlap, 0);
    double secant = t->kind.hertz ? 4 / (3 * c->compliance) * sqrt(c->radius * overlap) : c->linear;
    double along =
        t->kind.hertz ? 8 / c->shear_compliance * sqrt(c->radius * overlap) : c->linear * 2 / 7;
    double root = sqrt(c->mass * secant), away = rp_v3_dot(c->v, c->n);
    double push = secant * overlap - damping_of(t, c, secant, -away, dt) * away;
    push = c->overlap > 0 ? fmax(push, 0) : 0;
    rp_vec3 slip = rp_v3_madd(c->v, -away, c->n), shear = rp_v3(0, 0, 0);
    double speed = rp_v3_length(slip), limit = c->friction * push, rate = rp_v3_length(c->spin);
    double resist = c->rolling * c->radius * fmin(push, root * c->radius * rate);
    *couple = rate > 0 ? rp_v3_scale(c->spin, -resist / rate) : rp_v3(0, 0, 0);
    if (c->overlap <= 0) {
        *m = (contact_history){0};
    } else if (t->kind.history) {
        shear = spring_force(t, c, slip, along, limit, dt, &m->tangential);
        *couple = roll_couple(c, along, push, dt, m);
    } else if (speed > 0) {
        shear = rp_v3_scale(slip, fmin(limit, root * speed) / speed);
    }
    if (t->kind.wet) push -= c->tension * c->radius * fmax(0, 1 - gap / (RUPTURE * c->radius));
    return rp_v3_madd(shear, -push, c->n);
}

/* R* of two. */
static double star_of(double a, double b)
{
    return a * b / (a + b);
}

static rp_vec3 minimum_image(const twin *t, rp_vec3 from, rp_vec3 to)
{
    rp_vec3 difference = rp_v3_sub(to, from);
    if (!t->kind.periodic) return difference;
    double edge = edge_of(t->kind);
    return rp_v3(difference.x - edge * round(difference.x / edge),
                 difference.y - edge * round(difference.y / edge), difference.z);
}

/* Velocity of a point of a grain. */
static rp_vec3 velocity_of(const twin_ball *b, const twin_grain *g, rp_vec3 from_middle)
{
    return rp_v3_add(b->v, rp_v3_cross(g->spin, from_middle));
}

static void push_grain(twin *t, int ball, rp_vec3 point, rp_vec3 force, rp_vec3 couple)
{
    int g = t->ball[ball].grain;
    rp_vec3 arm = rp_v3_add(rp_v3_sub(t->ball[ball].x, t->grain[g].x), point);
    t->force[g] = rp_v3_add(t->force[g], force);
    t->torque[g] = rp_v3_add(t->torque[g], rp_v3_add(couple, rp_v3_cross(arm, force)));
    t->pushes++;
}

static void meet_ball(twin *t, int i, int j, double dt)
{
    twin_ball *a = &t->ball[i], *b = &t->ball[j];
    const twin_grain *ga = &t->grain[a->grain], *gb = &t->grain[b->grain];
    rp_vec3 difference = minimum_image(t, a->x, b->x);
    double radius = star_of(a->radius, b->radius);
    double reach = a->radius + b->radius + (t->kind.wet ? RUPTURE * radius : 0);
    if (rp_v3_dot(difference, difference) >= reach * reach) {
        t->pair[i][j] = (contact_history){0};
        return;
    }
    double distance = rp_v3_length(difference);
    touch c = {.n = rp_v3_scale(difference, 1 / distance),
               .spin = rp_v3_sub(ga->spin, gb->spin),
               .overlap = a->radius + b->radius - distance,
               .radius = radius,
               .mass = ga->mass * gb->mass / (ga->mass + gb->mass),
               .compliance = 2 * (1 - POISSON * POISSON) / YOUNG,
               .shear_compliance = 2 * 2 * (2 - POISSON) * (1 + POISSON) / YOUNG,
               .linear = t->stiffness,
               .friction = mean_of(frictions, ga->material, gb->material),
               .rolling = mean_of(rollings, ga->material, gb->material),
               .tension = 4 * RP_PI * TENSION};
    rp_vec3 mine = rp_v3_scale(c.n, a->radius - c.overlap / 2);
    rp_vec3 theirs = rp_v3_scale(c.n, -(b->radius - c.overlap / 2));
    c.v = rp_v3_sub(velocity_of(b, gb, theirs), velocity_of(a, ga, mine));
    rp_vec3 couple, force = touch_force(t, &c, dt, &t->pair[i][j], &couple);
    push_grain(t, i, mine, force, couple);
    push_grain(t, j, theirs, rp_v3_scale(force, -1), rp_v3_scale(couple, -1));
}

/* Sides in the order left, right, front, back, bottom, top. */
static void meet_wall(twin *t, int i, int side, double dt)
{
    twin_ball *b = &t->ball[i];
    const twin_grain *g = &t->grain[b->grain];
    const double x[3] = {b->x.x, b->x.y, b->x.z};
    double high[3] = {edge_of(t->kind), edge_of(t->kind), HEIGHT}, n[3] = {0};
    int axis = side / 2;
    n[axis] = side % 2 ? 1 : -1;
    double distance = side % 2 ? high[axis] - x[axis] : x[axis];
    touch c = {.n = rp_v3(n[0], n[1], n[2]),
               .spin = g->spin,
               .overlap = b->radius - distance,
               .radius = b->radius,
               .mass = g->mass,
               .compliance = (1 - POISSON * POISSON) / YOUNG,
               .shear_compliance = 2 * (2 - POISSON) * (1 + POISSON) / YOUNG,
               .linear = t->stiffness,
               .friction = frictions[g->material],
               .rolling = rollings[g->material],
               .tension = 4 * RP_PI * TENSION};
    if (c.overlap <= (t->kind.wet ? -RUPTURE * b->radius : 0)) {
        t->wall[i][side] = (contact_history){0};
        return;
    }
    rp_vec3 point = rp_v3_scale(c.n, distance);
    c.v = rp_v3_scale(velocity_of(b, g, point), -1);
    rp_vec3 couple, force = touch_force(t, &c, dt, &t->wall[i][side], &couple);
    push_grain(t, i, point, force, couple);
}

/* Velocities are those half a step on, by the last accelerations (E4). */
static void place_balls(twin *t, double dt)
{
    t->balls = 0;
    for (int i = 0; i < t->grains; i++) {
        const twin_grain *g = &t->grain[i];
        for (int b = 0; b < g->clump->count; b++) {
            twin_ball *ball = &t->ball[t->balls++];
            rp_vec3 arm = rp_v3_scale(rp_quat_rotate(g->turn, g->clump->balls[b].centre), g->size);
            rp_vec3 v = rp_v3_madd(g->v, dt / 2, g->acceleration);
            *ball = (twin_ball){rp_v3_add(g->x, arm), rp_v3_add(v, rp_v3_cross(g->spin, arm)),
                                g->clump->balls[b].radius * g->size, i};
        }
    }
}

/* Angular momentum along the grain's axes to spin in the world's, or back. */
static rp_vec3 by_moments(const twin_grain *g, rp_vec3 v, bool multiply)
{
    rp_vec3 own = rp_quat_rotate(rp_quat_conj(g->turn), v), m = g->moments;
    own = multiply ? rp_v3(own.x * m.x, own.y * m.y, own.z * m.z)
                   : rp_v3(own.x / m.x, own.y / m.y, own.z / m.z);
    return rp_quat_rotate(g->turn, own);
}

/* The angular momentum stays; the spin half way is that at the orientation half way. */
static void drift(twin *t, double time)
{
    for (int i = 0; i < t->grains; i++) {
        twin_grain *g = &t->grain[i], half = *g;
        double rate = rp_v3_length(g->spin);
        g->x = rp_v3_madd(g->x, time, g->v);
        if (!(rate > 0)) continue;
        rp_vec3 around = by_moments(g, g->spin, true);
        rp_quat turn = rp_quat_from_axis(rp_v3_scale(g->spin, 1 / rate), rate * time / 2);
        half.turn = rp_quat_mul(turn, g->turn);
        rp_vec3 spin = by_moments(&half, around, false);
        rate = rp_v3_length(spin);
        turn = rp_quat_from_axis(rp_v3_scale(spin, 1 / rate), rate * time);
        g->turn = rp_quat_normalized(rp_quat_mul(turn, g->turn));
        g->spin = by_moments(g, around, false);
    }
}

static void twin_step(twin *t, double dt)
{
    drift(t, dt / 2);
    place_balls(t, dt);
    for (int i = 0; i < t->grains; i++) {
        t->force[i] = rp_v3_scale(t->gravity, t->grain[i].mass);
        t->torque[i] = rp_v3(0, 0, 0);
    }
    for (int i = 0; i < t->balls; i++) {
        for (int j = i + 1; j < t->balls; j++)
            if (t->ball[i].grain != t->ball[j].grain) meet_ball(t, i, j, dt);
        for (int side = t->kind.periodic ? 4 : 0; side < SIDES; side++)
            meet_wall(t, i, side, dt);
    }
    for (int i = 0; i < t->grains; i++) {
        twin_grain *g = &t->grain[i];
        rp_vec3 pull = rp_v3_scale(t->force[i], 1 / g->mass);
        g->acceleration = rp_v3_mix(g->acceleration, pull, 0.5);
        g->v = rp_v3_madd(g->v, dt, pull);
        g->spin = rp_v3_madd(g->spin, dt, by_moments(g, t->torque[i], false));
    }
    drift(t, dt / 2);
}

/* --- taking over -------------------------------------------------------------------------------
 */

static void take_grain(twin *t, const grains *g, int id)
{
    size_t i = grain_at(g, (uint32_t)id);
    const rp_grains *p = &g->world->grains;
    t->grain[id] =
        (twin_grain){.x = place_at(g, i),
                     .v = velocity_at(g, i),
                     .spin = spin_at(g, i),
                     .acceleration = rp_v3(((const rp_dem *)g->world->solver)->acceleration[0][i],
                                           ((const rp_dem *)g->world->solver)->acceleration[1][i],
                                           ((const rp_dem *)g->world->solver)->acceleration[2][i]),
                     .turn = p->orientation[0] ? turn_at(g, i) : rp_quat_identity(),
                     .mass = p->mass[i],
                     .size = p->diameter[i],
                     .moments = moments_at(g, i),
                     .material = p->material[i],
                     .clump = &rp_scene_grains(g->scene)[p->kind[i]].clump};
}

/* The number that a sphere of the solver's lists has in the twin. */
static int ball_of(const grains *g, const int *first, size_t sphere)
{
    const rp_dem *solver = g->world->solver;
    size_t grain = rp_dem_owner(solver, sphere);
    return first[g->world->grains.id[grain]] + (int)(sphere - rp_dem_first_sphere(solver, grain));
}

/* Which side a surface of the solver is: one of the walls, seen from the centre of the box. */
static int side_of(const rp_surface *surface, double edge)
{
    rp_touch found;
    assert_true(rp_surface_touch(surface, rp_v3(edge / 2, edge / 2, HEIGHT / 2),
                                 10 * (edge + HEIGHT), &found));
    const double n[3] = {found.normal.x, found.normal.y, found.normal.z};
    for (int side = 0; side < SIDES; side++)
        if (n[side / 2] * (side % 2 ? -1 : 1) > 0.5) return side;
    fail();
    return 0;
}

/* From the solver's columns; the other of the two sees all but the twist with the other sign. */
static contact_history history_of(const float *columns, double radius, double sign)
{
    rp_vec3 roll = rp_v3(columns[ROLLING_X], columns[ROLLING_Y], columns[ROLLING_Z]);
    rp_vec3 spring = rp_v3(columns[TANGENTIAL_X], columns[TANGENTIAL_Y], columns[TANGENTIAL_Z]);
    return (contact_history){rp_v3_scale(spring, sign), rp_v3_scale(roll, sign / radius),
                             (double)columns[TWISTING] / radius};
}

static void take_springs(twin *t, const grains *g)
{
    const rp_dem *solver = g->world->solver;
    const rp_dem_lists *lists = &solver->lists;
    int first[SPHERES_MAX + 1] = {0};
    for (int i = 0; i < t->grains; i++)
        first[i + 1] = first[i] + t->grain[i].clump->count;
    for (size_t n = 0; n < rp_dem_blocks(lists->grains) && t->kind.history; n++)
        for (size_t e = rp_dem_class_starts(lists, n)[0];
             e < rp_dem_class_starts(lists, n)[RP_DEM_CLASSES]; e++) {
            size_t mine = rp_dem_first_sphere(solver, n * RP_DEM_BLOCK) + lists->own[e];
            int a = ball_of(g, first, mine), b = ball_of(g, first, lists->other[e]);
            float columns[RP_DEM_HISTORY_COLUMNS];
            for (int k = 0; k < RP_DEM_HISTORY_COLUMNS; k++)
                columns[k] = lists->history[k][e];
            double radius = star_of(t->ball[a].radius, t->ball[b].radius);
            *(a < b ? &t->pair[a][b] : &t->pair[b][a]) =
                history_of(columns, radius, a < b ? 1 : -1);
        }
    for (size_t w = 0; w < lists->wall_count; w++) {
        const rp_dem_wall *wall = &lists->walls[w];
        int side = side_of(&rp_couple_surfaces(g->world->couple)[wall->surface], edge_of(t->kind));
        int ball = ball_of(g, first, wall->sphere);
        t->wall[ball][side] = history_of(wall->history, t->ball[ball].radius, 1);
    }
}

static twin *take_over(const grains *g, variant kind)
{
    twin *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->kind = kind;
    t->grains = (int)g->world->grains.count;
    for (int id = 0; id < t->grains; id++)
        take_grain(t, g, id);
    place_balls(t, 0);
    assert_true(t->balls <= SPHERES_MAX);
    take_springs(t, g);
    rp_dem_law law = kind.hertz ? RP_DEM_HERTZ : RP_DEM_LINEAR;
    t->damping = rp_dem_damping_for(law, restitution_of(kind));
    t->step_correction = rp_dem_step_correction_for(law, t->damping);
    t->stiffness = 3000;
    t->gravity = rp_scene_gravity(g->scene, 0);
    return t;
}

/* --- side by side ------------------------------------------------------------------------------
 */

/* On a lattice: what both round differently grows with every collision, and how fast that goes
 * depends on the start. */
static grains heap_of(variant kind)
{
    double e = restitution_of(kind), edge = edge_of(kind), width = SPACING * kind.across;
    return grains_of(
        2,
        "gravity: [4, 1, -9]\nparticles: {spacing: 1.2 cm, packing: lattice, jitter: 0.1}\n"
        "domain: {low: [0, 0, 0], high: [%.9g, %.9g, 0.1], periodic: %s, friction: rough, "
        "restitution: %g}\n"
        "grains: {all: {shape: %s, diameter: 1 cm, spread: 0.08}}\n"
        "materials:\n"
        "  a: {grain_density: %g, friction: %g, restitution: %g, rolling_friction: %g, young: %g, "
        "poisson: %g}\n"
        "  b: {grain_density: %g, friction: %g, restitution: %g, rolling_friction: %g, young: %g, "
        "poisson: %g}\n"
        "sources:\n"
        "  a: {shape: box, size: [%.9g, %.9g, 0.024], position: [%.9g, %.9g, 0.018], moisture: "
        "%d, material: a}\n"
        "  b: {shape: box, size: [%.9g, %.9g, 0.012], position: [%.9g, %.9g, 0.038], moisture: "
        "%d, material: b, velocity: [0, 0.1, -0.2]}\n"
        "solver: {method: dem, law: %s, shear: %s, stiffness: 3000, skin: 0.01, rupture: 0.2}\n",
        edge, edge, kind.periodic ? "[x, y]" : "[]", e, kind.shape, densities[0], frictions[0], e,
        rollings[0], YOUNG, POISSON, densities[1], frictions[1], e, rollings[1], YOUNG, POISSON,
        width, width, edge / 2, edge / 2, kind.wet, width, width, edge / 2, edge / 2, kind.wet,
        kind.hertz ? "hertz" : "linear", kind.history ? "history" : "viscous");
}

static void compare(const grains *g, const twin *t)
{
    double worst = 0, fastest = 0;
    for (int id = 0; id < t->grains; id++) {
        size_t i = grain_at(g, (uint32_t)id);
        rp_vec3 difference = minimum_image(t, t->grain[id].x, place_at(g, i));
        rp_vec3 v = rp_v3_sub(t->grain[id].v, velocity_at(g, i));
        worst = fmax(worst, rp_v3_length(difference) / DIAMETER);
        fastest = fmax(fastest, rp_v3_length(v));
    }
    check_near(worst, 0, PLACE_APART);
    check_near(fastest, 0, SPEED_APART);
}

static void follow(variant kind, int steps)
{
    grains g = heap_of(kind);
    run_world(g.world, 0.13);
    assert_int_equal(g.world->grains.count, LAYERS * kind.across * kind.across);
    twin *t = take_over(&g, kind);
    uint64_t rebuilds = ((const rp_dem *)g.world->solver)->rebuilds;
    for (int n = 0; n < steps; n++) {
        grains_step(&g);
        twin_step(t, rp_world_step_info(g.world).dt);
    }
    assert_true(((const rp_dem *)g.world->solver)->rebuilds >=
                rebuilds + (uint64_t)(steps / REBUILD_MOST));
    assert_true(t->pushes >= PUSHES_LEAST * steps);
    compare(&g, t);
    free(t);
    grains_end(&g);
}

/* Both laws, with walls and with periods, with the one friction or with both. */
static void follow_all(const char *shape, bool wet, bool only_history)
{
    for (int k = 0; k < 8; k++) {
        variant kind = {shape, k & 1, k & 2, k & 4, wet, 4};
        if (kind.history || !only_history) follow(kind, STEPS);
    }
}

static void spheres_go_as_their_twins(void **state)
{
    (void)state;
    follow_all("sphere", false, false);
}

static void tetrahedra_go_as_their_twins(void **state)
{
    (void)state;
    follow_all("tetrahedron", false, false);
}

static void dimers_go_as_their_twins(void **state)
{
    (void)state;
    follow_all("dimer", false, true);
}

static void wet_grains_go_as_their_twins(void **state)
{
    (void)state;
    follow_all("sphere", true, true);
    follow_all("tetrahedron", true, true);
}

/* More than a block of them. */
static void many_grains_go_as_their_twins(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        variant kind = {k ? "dimer" : "sphere", true, true, !k, false, 14};
        assert_true(rp_dem_blocks(LAYERS * (size_t)(kind.across * kind.across)) > 1);
        follow(kind, STEPS_OF_MANY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_go_as_their_twins),
        cmocka_unit_test(tetrahedra_go_as_their_twins),
        cmocka_unit_test(dimers_go_as_their_twins),
        cmocka_unit_test(wet_grains_go_as_their_twins),
        cmocka_unit_test(many_grains_go_as_their_twins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
