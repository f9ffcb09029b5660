/* The velocity-level solve (G5 to G11): pressure and friction such that the sand neither compresses
 * nor, inside its yield surface, shears. Unknown are the stresses of all grains; the velocities
 * follow from them. The stresses go down the gradient, which is the strain rate, scaled by their
 * own effect on it, back into the yield surface, and, accelerated, some way beyond (Nesterov's
 * momentum, begun anew when it leads the wrong way). */
#include "base/report.h"
#include "solver/sph/gradient.h"
#include "solver/sph/sph.h"
#include "solver/sph/stress.h"

/* (G10): shares of the diagonal step. The scaled operator's largest eigenvalue is near 7 for packed
 * grains; a gradient step must stay below two over it, an accelerated one below one over it. Where
 * grains lie on one another it grows with their number, so the step is divided by the fill. */
#define JACOBI_STEP 0.2f
#define ACCELERATED_STEP 0.14f

/* Grains that lie on one another or barely touch have almost no gradients: a full diagonal step
 * would give them stresses that the next step, with other gradients, turns into an explosion. */
#define LEAST_SQUARES 0.1f

#define SHORTEST_CORRECTION 0.4
/* The first step has to find the stresses of all layers from nothing: it may take so many times the
 * iterations. */
#define FIRST_TIMES 4
/* (G11b): stresses of which less than this share is wanted are tempered. */
#define WANTED 0.99
/* Bodies that are slower than this part of what gravity adds in two steps stand still. */
#define STILL 0.005

/* (G9d): where friction depends on the strain rate, what is left of it must be small against the
 * rate itself, and speed over spacing is that times the number of layers. */
#define INERTIAL_GOAL 0.2

/* One double per block each, added in order. */
typedef struct block_sums {
    double *turn;     /* momentum against the last move */
    double *residual; /* strain rates still to be taken away, 1/s */
} block_sums;

typedef struct solve {
    rp_sph *solver;
    block_sums sums;
    float share;                /* of the diagonal step */
    float momentum;             /* of the next extrapolation */
    float correction, recovery; /* 1/s: of a compression, and at most */
} solve;

/* (G7): a velocity gradient, one row of it times d / dx, y, z each. */
typedef struct by_axis {
    rp_float4 x, y, z;
} by_axis;

/* Four pairs of a piece, from k on. */
RP_WIDE_INLINE void add_four(const rp_float4 *velocities, const uint32_t *index,
                             const rp_sph_piece *g, uint32_t k, by_axis *to)
{
    for (uint32_t n = k; n < k + 4; n++) {
        rp_float4 v = velocities[index[n]];
        to->x += v * g->x[n];
        to->y += v * g->y[n];
        to->z += v * g->z[n];
    }
}

/* (G7) of grain i, in quanta of the gradient; in the manner of sum_stress in sweep.c. */
RP_WIDE_INLINE by_axis sum_gradient(const rp_sph *solver, size_t i)
{
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    const size_t start = lists->start[i];
    const uint32_t *index = lists->index + start;
    const int16_t *gradient = w->gradient + 3 * start;
    uint32_t count = lists->count[i];
    rp_float4 v = -w->velocity[i], own = w->sum[i];
    by_axis sum = {0 + v * own[0], 0 + v * own[1], 0 + v * own[2]};
    rp_sph_piece g;
    for (uint32_t n = 0; n < count; n += RP_SPH_PIECE) {
        uint32_t here = count - n < RP_SPH_PIECE ? count - n : RP_SPH_PIECE;
        rp_sph_take_piece(gradient + 3 * n, here, &g);
        for (uint32_t k = 0; k < here; k += 4) {
            rp_sph_ask_for(index + n + k, RP_SPH_PAIRS_AHEAD * sizeof *index);
            add_four(w->velocity, index + n, &g, k, &sum);
        }
    }
    return sum;
}

/* (G8): the rate at which the fill may grow; negative where it must shrink. One of both is nought.
 */
RP_WIDE_INLINE rp_wide allowed_growth(const solve *s, rp_wide error)
{
    const rp_wide none = {0};
    float slack = (float)s->solver->params.slack, per_dt = (float)(1 / s->solver->dt);
    rp_wide shrink = rp_wide_min(s->correction * rp_wide_max(error, none), none + s->recovery);
    return rp_wide_max(-(error + slack), none) * per_dt - shrink;
}

/* Eight grains side by side, one in each lane: what follows the sum over a grain's pairs is a long
 * chain of few values, and takes as long for one grain as for eight. */
typedef struct group {
    uint32_t at[RP_WIDE]; /* their numbers; beyond the last grain the last one again */
    rp_wide_int awake;    /* lanes that count */
    rp_wide diagonal;     /* 1/(Pa s), what a unit of stress does to its strain rate */
    rp_wide yield, around, allowed;
    rp_sph_moist moist;     /* where some sand is cohesive (G17) */
    rp_wide lean[3];        /* where some sand leans (G9c) */
    rp_sph_inertia inertia; /* where friction grows with the rate (G9d) */
    rp_wide gradient[9];    /* 1/s, of velocity x along x, y, z; of velocity y … */
} group;

/* (G9d) of grain i in lane k; where friction does not grow, that of the fastest flow is the yield
 * stress. */
RP_WIDE_INLINE void look_at_flow(const rp_sph *solver, size_t i, int k, group *to)
{
    const rp_sph_material *material = &solver->materials[solver->host.grains->material[i]];
    bool grows = material->dynamic > 0;
    const rp_sph_flow still = {0}, flow = grows ? solver->work.flow[i] : still;
    to->inertia.dynamic[k] = grows ? material->dynamic * solver->work.grip[i] : to->yield[k];
    to->inertia.pace[k] = flow.pace;
    to->inertia.drag[k] = flow.drag;
    to->inertia.fabric[k] = flow.fabric;
}

RP_WIDE_INLINE void look_at(const solve *s, size_t begin, size_t end, bool plain,
                            rp_sph_ahead *ahead, group *to)
{
    const rp_sph *solver = s->solver;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    float least = LEAST_SQUARES * (float)solver->lattice_squares;
    rp_wide error, fill;
    for (int k = 0; k < RP_WIDE; k++) {
        size_t i = begin + (size_t)k < end ? begin + (size_t)k : end - 1;
        const rp_sph_material *material = &solver->materials[p->material[i]];
        float squares = w->sum[i][3] > least ? w->sum[i][3] : least;
        by_axis l = {0};
        bool awake = begin + (size_t)k < end && !p->asleep[i];
        if (awake) rp_sph_ask_ahead(ahead, w->velocity, sizeof *w->velocity, i);
        if (awake) l = sum_gradient(solver, i);
        to->at[k] = (uint32_t)i;
        to->awake[k] = awake ? -1 : 0;
        fill[k] = p->density[i] / material->density;
        to->diagonal[k] = material->push * squares;
        to->yield[k] = material->yield * w->grip[i];
        to->around[k] = w->around[i];
        if (!plain) to->moist.strength[k] = w->strength[i];
        if (!plain) to->moist.cosine[k] = material->cosine;
        for (int a = 0; a < 3 && w->lean; a++)
            to->lean[a][k] = w->lean[i][a];
        if (!plain && w->flow) look_at_flow(solver, i, k, to);
        error[k] = w->velocity[i][RP_SPH_ERROR];
        for (int a = 0; a < 3; a++) {
            to->gradient[3 * a][k] = solver->quantum * l.x[a];
            to->gradient[3 * a + 1][k] = solver->quantum * l.y[a];
            to->gradient[3 * a + 2][k] = solver->quantum * l.z[a];
        }
    }
    to->diagonal *= rp_wide_max(fill, rp_wide_broadcast(1));
    to->allowed = allowed_growth(s, error);
}

/* (G10): one diagonal step of the stresses s against the strain rates. */
RP_WIDE_INLINE void step_down(const group *g, float share, bool plain, rp_wide s[8])
{
    const rp_wide *l = g->gradient;
    rp_wide trace = l[0] + l[4] + l[8], step = share / g->diagonal;
    for (int a = 0; a < 3; a++)
        s[a] += step * (trace - 3 * l[4 * a]);
    s[3] -= step * 1.5f * (l[1] + l[3]);
    s[4] -= step * 1.5f * (l[2] + l[6]);
    s[5] -= step * 1.5f * (l[5] + l[7]);
    s[6] = plain ? s[6] - step * (trace + g->allowed) : rp_sph_press(s[6], step, trace, g->allowed);
}

/* Sum of products of two stresses, each off-diagonal part twice. */
RP_WIDE_INLINE rp_wide product(const rp_wide a[8], const rp_wide b[8])
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) +
           2 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]) + a[6] * b[6];
}

/* The last stresses inside the yield surface are where the next step begins: in the fields of the
 * grains. Eight of them, one in each lane; beyond the last grain there is room to read. */
RP_WIDE_INLINE void last_solution(const rp_sph *solver, size_t i, rp_wide to[8])
{
    for (int c = 0; c < 6; c++)
        to[c] = rp_wide_load(solver->stress[c] + i);
    to[6] = rp_wide_load(solver->host.grains->pressure + i);
    to[7] = rp_wide_broadcast(0);
}

/* The same for the first `count` of eight new ones. */
RP_WIDE_INLINE void keep_solution(const rp_sph *solver, size_t i, uint32_t count,
                                  const rp_wide from[8])
{
    for (int c = 0; c < 7; c++) {
        float *field = c < 6 ? solver->stress[c] : solver->host.grains->pressure;
        if (count == RP_WIDE)
            rp_wide_store(field + i, from[c]);
        else
            memcpy(field + i, &from[c], count * sizeof *field);
    }
}

/* Eight rows to columns, or back; the last of `count` again where there are fewer. */
RP_WIDE_INLINE void turn_rows(const rp_wide *rows, uint32_t count, rp_wide to[8])
{
    uint32_t index[RP_WIDE];
    for (uint32_t k = 0; k < RP_WIDE; k++)
        index[k] = k < count ? k : count - 1;
    rp_wide_transpose(rows, index, to);
}

/* A step of every stress against the strain rates; the sums tell how far it still was. Sand is
 * plain where none is cohesive (G17) and friction does not grow with the rate (G9d); that is known
 * where this is called, so that plain sand needs no registers for them. */
RP_WIDE_INLINE void step_stresses(const solve *s, size_t begin, size_t end, bool plain)
{
    RP_ASSERT(s->share > 0 && end <= s->solver->host.grains->capacity);
    const rp_sph_work *w = &s->solver->work;
    double turn = 0, residual = 0;
    rp_sph_ahead ahead = rp_sph_look_ahead(w, begin);
    for (size_t i = begin; i < end; i += RP_WIDE) {
        group g;
        rp_wide from[8], to[8], back[8], moved[8], rows[8], none = rp_wide_broadcast(0);
        look_at(s, i, end, plain, &ahead, &g);
        rp_wide_transpose(w->stress, g.at, from);
        last_solution(s->solver, i, moved);
        memcpy(to, from, sizeof to);
        step_down(&g, s->share, plain, to);
        const bool grows = !plain && w->flow;
        if (grows) g.inertia.step = 3 * s->share / g.diagonal;
        rp_sph_to_yield(to, g.yield, g.around, plain ? NULL : &g.moist, w->lean ? g.lean : NULL,
                        grows ? &g.inertia : NULL);
        for (int c = 0; c < 7; c++) {
            back[c] = from[c] - to[c];
            moved[c] = to[c] - moved[c];
        }
        rp_wide left = rp_wide_sqrt(product(back, back)) * g.diagonal;
        rp_wide turned = product(back, moved) * g.diagonal;
        residual += (double)rp_wide_sum(rp_wide_select(g.awake, left, none));
        turn += (double)rp_wide_sum(rp_wide_select(g.awake, turned, none));
        turn_rows(to, RP_WIDE, rows);
        for (int k = 0; k < RP_WIDE; k++)
            if (g.awake[k]) w->stress[g.at[k]] = rows[k];
        for (int k = 0; k < RP_WIDE && w->left; k++)
            if (g.awake[k]) w->left[g.at[k]] = left[k] / s->share;
    }
    size_t block = begin / RP_SPH_BLOCK;
    s->sums.turn[block] = turn;
    s->sums.residual[block] = residual / (double)s->share;
}

RP_WIDE_KERNEL
static void plain_range(void *context, rp_range range)
{
    const solve *s = context;
    RP_ASSERT(rp_sph_block(s->solver, range) < s->solver->work.blocks);
    RP_ASSERT(!s->solver->work.flow && !s->solver->cohesive);
    step_stresses(s, range.begin, range.end, true);
}

RP_WIDE_KERNEL
static void stress_range(void *context, rp_range range)
{
    const solve *s = context;
    RP_ASSERT(rp_sph_block(s->solver, range) < s->solver->work.blocks);
    step_stresses(s, range.begin, range.end, false);
}

/* (G11): beyond the new stresses, along the way they came. */
RP_WIDE_KERNEL
static void extrapolate_range(void *context, rp_range range)
{
    const solve *s = context;
    rp_wide *stress = s->solver->work.stress;
    RP_ASSERT(rp_sph_block(s->solver, range) < s->solver->work.blocks);
    for (size_t i = range.begin; i < range.end; i += RP_WIDE) {
        uint32_t count = range.end - i < RP_WIDE ? (uint32_t)(range.end - i) : RP_WIDE;
        rp_wide to[8], last[8], rows[8];
        turn_rows(stress + i, count, to);
        last_solution(s->solver, i, last);
        keep_solution(s->solver, i, count, to);
        for (int c = 0; c < 7; c++)
            last[c] = to[c] + s->momentum * (to[c] - last[c]);
        last[7] = to[7];
        turn_rows(last, RP_WIDE, rows);
        for (uint32_t k = 0; k < count; k++)
            stress[i + k] = rows[k];
    }
}

/* One component of the velocities without pressure and friction. */
typedef struct component {
    const rp_float4 *velocity;
    int axis;
    double mean; /* m/s, to be taken off */
} component;

static double sum_of_range(void *context, rp_range range)
{
    const component *c = context;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += (double)c->velocity[i][c->axis];
    return sum;
}

static double squares_of_range(void *context, rp_range range)
{
    const component *c = context;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        double v = (double)c->velocity[i][c->axis] - c->mean;
        sum += v * v;
    }
    return sum;
}

/* m/s, the root of the mean square about the mean: sand that rides along as a whole is at rest. */
static double spread_of_speed(const rp_sph *solver)
{
    rp_threads *threads = solver->host.threads;
    const rp_grains *p = solver->host.grains;
    double squares = 0;
    for (int axis = 0; axis < 3; axis++) {
        component c = {.velocity = solver->work.free, .axis = axis};
        c.mean = rp_reduce_mean(p, threads, RP_SPH_BLOCK, sum_of_range, &c);
        squares += rp_reduce_sum(p, threads, RP_SPH_BLOCK, squares_of_range, &c);
    }
    return sqrt(squares / rp_reduce_count(p));
}

/* m/s, what gravity gives in two steps: sand at rest looks no faster. */
static double rest_speed(const rp_sph *solver)
{
    return 2 * rp_v3_length(solver->gravity) * solver->dt;
}

static bool bodies_move(const rp_sph *solver)
{
    return rp_couple_max_speed(solver->host.couple) > STILL * rest_speed(solver);
}

/* (G8): how fast the solve takes compression back: only in sand that moves faster, by the spread of
 * its speeds, than sand at rest ever looks, or where bodies move, which press few grains that count
 * for nothing in the mean residual. By the step, but by no shorter one than a part of the
 * step at rest, or short steps would throw grains about; and at most all of it in the time to fall
 * one spacing, since grains that start on one another would be shot apart, the step would shrink
 * with their speed, and the rest would shoot faster still. What is taken back becomes speed, and
 * only weight stops it again: without weight none is. */
static void set_correction(solve *s, double speed)
{
    const rp_sph *solver = s->solver;
    double shortest = SHORTEST_CORRECTION * solver->params.fall * solver->falling;
    double share = fmax(0, fmin(1, speed / rest_speed(solver) - 1));
    if (bodies_move(solver)) share = 1;
    s->correction = (float)(share * solver->params.correction / fmax(solver->dt, shortest));
    s->recovery = (float)(1 / sqrt(2 * solver->spacing / rp_v3_length(solver->gravity)));
}

/* (G11a): the mean strain rate that may be left: little for sand at rest, more for sand that flows
 * fast, and no leap between them: where few grains fall on many that rest, the speed of all is
 * between. */
static double goal_of(const rp_sph *solver, double speed)
{
    double rest = rest_speed(solver), moving = speed < rest ? speed / rest : 1;
    double flow = moving * speed / solver->spacing;
    if (solver->inertial) flow *= INERTIAL_GOAL;
    return solver->params.tolerance + solver->params.flow_tolerance * flow;
}

/* One iteration, which begins with the velocities of the stresses so far; gives the mean residual.
 * `weight` is Nesterov's, one after a restart. */
static double iterate(solve *s, double goal, double *weight, bool last)
{
    rp_sph *solver = s->solver;
    const rp_host *host = &solver->host;
    rp_sph_work *w = &solver->work;
    size_t count = host->grains->count;
    rp_sph_sync(solver, w->velocity, sizeof *w->velocity);
    rp_stage_begin(host, "stresses");
    bool plain = !solver->cohesive && !solver->inertial;
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, plain ? plain_range : stress_range, s);
    rp_stage_end(host, "stresses");
    double residual = rp_reduce_blocks(s->sums.residual, w->blocks) / rp_reduce_count(host->grains);
    /* A heavy body stands on a few grains, which count for nothing in the mean of all. */
    if (w->left) residual = fmax(residual, rp_sph_left_at_bodies(solver));
    if (rp_reduce_blocks(s->sums.turn, w->blocks) > 0) *weight = 1;
    double next = 0.5 * (1 + sqrt(1 + 4 * *weight * *weight));
    bool still = last || residual < goal || solver->params.scheme == RP_SPH_JACOBI;
    s->momentum = still ? 0 : (float)((*weight - 1) / next);
    *weight = next;
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, extrapolate_range, s);
    rp_sph_sync(solver, w->stress, sizeof *w->stress);
    return residual;
}

/* What the stresses of the step before do to the velocities of this one. */
typedef struct start {
    const rp_sph *solver;
    bool squares; /* J, twice the energy of the change; else how far it is along the motion after */
    float share;  /* of the stresses that stays */
} start;

static double change_of_range(void *context, rp_range range)
{
    const start *s = context;
    const rp_sph_work *w = &s->solver->work;
    const float *mass = s->solver->host.grains->mass;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_float4 change = w->velocity[i] - w->free[i], by = s->squares ? change : w->velocity[i];
        rp_float4 product = change * by;
        sum += (double)mass[i] * ((double)product[0] + (double)product[1] + (double)product[2]);
    }
    return sum;
}

static void temper_range(void *context, rp_range range)
{
    const start *s = context;
    for (size_t i = range.begin; i < range.end; i++)
        if (!s->solver->host.grains->asleep[i]) s->solver->work.stress[i] *= s->share;
}

/* (G11b): the share of the stresses of the step before that leaves the least energy. After a blow
 * they are those of the blow, and the iterations of a step may be too few to take them back: sand
 * without weight would be thrown back by them, and sand that weighs would give back what bears its
 * weight, but keep what presses it against walls. Where bodies move, stresses that stay are what is
 * wanted. Begins and ends with the velocities of these stresses. */
static void temper_start(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    size_t count = host->grains->count;
    if (bodies_move(solver)) return;
    start s = {.solver = solver};
    double too_far = rp_reduce_sum(host->grains, host->threads, RP_SPH_BLOCK, change_of_range, &s);
    if (!(too_far > 0)) return;
    s.squares = true;
    double squares = rp_reduce_sum(host->grains, host->threads, RP_SPH_BLOCK, change_of_range, &s);
    double share = fmax(1 - too_far / squares, 0);
    if (share > WANTED) return;
    s.share = (float)share;
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, temper_range, &s);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
    rp_sph_unpack(solver);
    rp_sph_velocities(solver, RP_SPH_CONTACTS);
}

/* The stresses to begin with, and their velocities. */
static void begin_stresses(rp_sph *solver)
{
    if (!solver->params.warm_start) {
        rp_sph_forget(solver);
        rp_sph_unpack(solver);
    }
    rp_sph_velocities(solver, RP_SPH_CONTACTS);
    if (solver->params.warm_start) temper_start(solver);
}

/* Room for what is left at each grain, where somebody asks. */
static rp_code take_left(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    size_t bytes = host->grains->count * sizeof *solver->work.left;
    solver->work.left = NULL;
    if (!rp_couple_is_dynamic(host->couple)) return RP_OK;
    float *left = solver->work.left = rp_arena_take(host->arena, bytes);
    if (!left) return rp_fail_memory(report, bytes, "residuals of the solve");
    memset(left, 0, bytes);
    return RP_OK;
}

rp_code rp_sph_solve(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    size_t bytes = solver->work.blocks * sizeof(double);
    solve s = {.solver = solver,
               .sums = {rp_arena_take(host->arena, bytes), rp_arena_take(host->arena, bytes)},
               .share = solver->params.scheme == RP_SPH_JACOBI ? JACOBI_STEP : ACCELERATED_STEP};
    if (!s.sums.turn || !s.sums.residual) return rp_fail_memory(report, bytes, "sums of the solve");
    RP_TRY(take_left(solver, report));
    begin_stresses(solver);
    double speed = spread_of_speed(solver);
    set_correction(&s, speed);
    double goal = goal_of(solver, speed), weight = 1, residual = INFINITY;
    int64_t done = 0;
    int64_t most = solver->params.iterations * (solver->first ? FIRST_TIMES : 1);
    for (; done < most && !(residual < goal); done++) {
        if (rp_is_stopped(host->stop)) return RP_INTERRUPTED;
        if (done) rp_sph_velocities(solver, RP_SPH_CONTACTS);
        residual = iterate(&s, goal, &weight, done + 1 == most);
    }
    solver->host.stats->numbers[RP_SPH_ITERATIONS] = (double)done;
    return RP_OK;
}
