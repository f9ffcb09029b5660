/* Grains that are pressed together are moved apart (G24). The solve works on velocities: it takes
 * compression back in the steps that follow, and a single grain among thousands hardly counts in
 * its mean residual. So grains that start, are poured or land too near to others are moved to where
 * there is room, with those around them, as by a pressure that moves and gives no speed; after
 * M. Macklin, M. Müller, "Position based fluids" (2013), whose constraint is held to one side. */
#include "base/report.h"
#include "solver/sph/sph.h"
#include "solver/sph/stress.h"

/* Part of the bound down to which a compression is taken back. */
#define AIM 0.5f
/* At most so often in a step; seldom more than twice. */
#define SWEEPS 8
/* Before the first step, where a packing was cut by walls: more sweeps, down to this part of the
 * bound. */
#define FIRST_SWEEPS 32
#define FIRST_BOUND 0.25f
/* Where more than this part of all grains is pressed, and a sweep leaves this part of them so,
 * there is no room to go to: sand that is compressed as a whole is for the solve; without weight
 * the solve leaves it to the sweeps (G8), however many it takes. */
#define MANY 0.02
#define HELPED 0.9
/* Of the step that would mend a grain if its neighbors needed none. */
#define RELAXED 0.6f
/* (G8a): the same where all move at once, for a correction of one; more would swing. */
#define EASED 0.4
/* (G8a): what stays of the compression of the step before. Smooth compression of many layers has to
 * find its way out; with momentum it takes ten times fewer steps. */
#define KEPT 0.9f
/* Of the step of sand at rest: the shortest step in which that much is eased. */
#define SHORTEST 0.4
/* Compression that a sweep takes back at most, so that nobody jumps. */
#define AT_ONCE 0.03f
/* Like the solve's: grains on one another have almost no gradients. */
#define LEAST_SQUARES 0.1f

/* What a sweep has to do with a grain: who touches whom, from the inside. */
enum { PRESSED = 1, MOVED = 2, CHANGED = 3 };

typedef struct part {
    const rp_sph *solver;
    rp_float4 *way;   /* m, where a grain goes; in the room for velocities, idle by then */
    float *push;      /* kg m2, times a gradient and over a mass the way; with ghosts */
    uint8_t *mark;    /* PRESSED, its neighbors MOVED, theirs CHANGED; 0: not concerned */
    float bound, aim; /* compression that is not borne, and what is left of it */
} part;

static float fill_of(const rp_sph *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    return p->density[i] / solver->materials[p->material[i]].density;
}

/* kg m2, what a grain pushes its neighbors with to be rid of a compression of one. */
static float push_of(const rp_sph *solver, size_t i)
{
    float least = LEAST_SQUARES * (float)solver->lattice_squares;
    float squares = fill_of(solver, i) * fmaxf(solver->work.sum[i][3], least);
    return solver->host.grains->mass[i] / squares;
}

typedef struct easing {
    const rp_sph *solver;
    float share; /* of a compression, in a step */
} easing;

static void ease_range(void *context, rp_range range)
{
    const easing *e = context;
    const rp_sph_work *w = &e->solver->work;
    for (size_t i = range.begin; i < range.end; i++) {
        bool asleep = e->solver->host.grains->asleep[i];
        float *pressed = &e->solver->pressed[i], error = w->free[i][RP_SPH_ERROR];
        *pressed = asleep ? 0 : fmaxf(0, KEPT * *pressed + fminf(error, AT_ONCE));
        w->stress[i][RP_SPH_EASE] = e->share * *pressed * push_of(e->solver, i);
    }
}

/* Short steps do not ease more in a second than those of sand at rest. Without weight nothing is
 * eased: at edges, where the fill is only guessed (G4), a block at rest would drive itself apart.
 */
void rp_sph_ease(const rp_sph *solver)
{
    const rp_host *host = &solver->host;
    const rp_sph_params *params = &solver->params;
    double shortest = SHORTEST * params->fall * solver->falling;
    double share = EASED * params->correction * fmin(1, solver->dt / shortest);
    easing e = {solver, solver->weightless ? 0 : (float)share};
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, ease_range, &e);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
}

/* What pushes each grain's neighbors away, and how many do. */
static double press_range(void *context, rp_range range)
{
    const part *q = context;
    const rp_sph *solver = q->solver;
    const rp_grains *p = solver->host.grains;
    double count = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        float fill = fill_of(solver, i);
        bool pressed = fill - 1 > q->bound && !p->asleep[i];
        float back = RELAXED * fminf(fill - 1 - q->aim, AT_ONCE);
        q->push[i] = pressed ? back * push_of(solver, i) : 0;
        q->mark[i] = pressed ? PRESSED : 0;
        count += pressed;
    }
    return count;
}

/* The neighbors of all that are marked `from` are the next ring, unless they have a mark. */
static void spread(const part *q, uint8_t from)
{
    const rp_grains *p = q->solver->host.grains;
    const rp_lists *lists = &q->solver->lists;
    for (size_t i = 0; i < p->count; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        for (uint32_t n = 0; q->mark[i] == from && n < lists->count[i]; n++) {
            size_t j = rp_neighbor_own(p, index[n]);
            if (!q->mark[j]) q->mark[j] = (uint8_t)(from + 1);
        }
    }
}

/* The way of one grain: what it and its neighbors push, by its mass. */
RP_WIDE_INLINE rp_float4 way_of(const part *q, size_t i)
{
    const rp_sph *solver = q->solver;
    const rp_grains *p = solver->host.grains;
    const rp_lists *lists = &solver->lists;
    const uint32_t *index = lists->index + lists->start[i];
    const rp_wide lanes = {0, 1, 2, 3, 4, 5, 6, 7}, none = {0};
    rp_wide x = none, y = none, z = none;
    for (uint32_t n = 0; n < lists->count[i]; n += RP_WIDE) {
        rp_wide dx = p->x[i] - rp_wide_gather(p->x, index + n);
        rp_wide dy = p->y[i] - rp_wide_gather(p->y, index + n);
        rp_wide dz = p->z[i] - rp_wide_gather(p->z, index + n);
        rp_wide r = rp_wide_sqrt(dx * dx + dy * dy + dz * dz);
        rp_wide_int live = (lanes < (float)(lists->count[i] - n)) & (r > 0);
        rp_wide push = (rp_wide_gather(q->push, index + n) + q->push[i]) * (float)solver->volume;
        push = rp_wide_select(live, push * rp_kernel_slope_wide(solver->kernel, r) / r, none);
        x += push * dx;
        y += push * dy;
        z += push * dz;
    }
    rp_float4 way = (rp_float4){rp_wide_sum(x), rp_wide_sum(y), rp_wide_sum(z), 0} / -p->mass[i];
    return rp_sph_no_further(way, (float)solver->spacing);
}

RP_WIDE_KERNEL
static void way_range(void *context, rp_range range)
{
    const part *q = context;
    const rp_grains *p = q->solver->host.grains;
    bool any = false;
    RP_ASSERT(rp_sph_block(q->solver, range) < q->solver->work.blocks);
    for (size_t i = range.begin; i < range.end; i++) {
        bool moved = (q->mark[i] == PRESSED || q->mark[i] == MOVED) && !p->asleep[i];
        q->way[i] = moved ? way_of(q, i) : (rp_float4){0};
        any |= moved;
    }
    if (any) rp_sph_contact_ways(q->solver, range.begin / RP_SPH_BLOCK, q->way);
}

static void go_range(void *context, rp_range range)
{
    const part *q = context;
    const rp_grains *p = q->solver->host.grains;
    for (size_t i = range.begin; i < range.end; i++) {
        p->x[i] += q->way[i][0];
        p->y[i] += q->way[i][1];
        p->z[i] += q->way[i][2];
    }
}

/* The sweeps, until nobody is pressed. */
static void move_apart(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    const rp_sph_work *w = &solver->work;
    size_t count = host->grains->count;
    int sweeps = solver->first ? FIRST_SWEEPS : SWEEPS;
    float bound = (float)solver->params.squeeze * (solver->first ? FIRST_BOUND : 1);
    part q = {solver, w->velocity, w->push, w->mark, bound, AIM * bound};
    double before = INFINITY;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        double pressed = rp_reduce_sum(host->grains, host->threads, RP_SPH_BLOCK, press_range, &q);
        if (!(pressed > 0)) break;
        bool vain = pressed > MANY * (double)count && pressed > HELPED * before;
        if (vain && !solver->weightless && !solver->first) break;
        before = pressed;
        rp_sph_sync(solver, q.push, sizeof *q.push);
        spread(&q, PRESSED);
        spread(&q, MOVED);
        rp_parallel_for(host->threads, count, RP_SPH_BLOCK, way_range, &q);
        rp_sph_sync(solver, q.way, sizeof *q.way); /* ghosts go where their grains go */
        rp_parallel_for(host->threads, count + host->grains->ghosts, RP_SPH_BLOCK, go_range, &q);
        rp_sph_density_again(solver, q.mark);
    }
}

rp_code rp_sph_part(rp_sph *solver, rp_report *report)
{
    rp_arena *arena = solver->host.arena;
    const rp_grains *p = solver->host.grains;
    rp_sph_work *w = &solver->work;
    size_t all = rp_sph_roomy(p->count + p->ghosts);
    if (solver->predictive) return RP_OK;
    w->push = rp_arena_take(arena, all * sizeof *w->push);
    w->mark = rp_arena_take(arena, all);
    if (!w->push || !w->mark)
        return rp_fail_memory(report, all * sizeof *w->push, "grains that are moved apart");
    move_apart(solver);
    return RP_OK;
}

/* (G25): the fill where grains are now, of those that were neighbors when the step began: who has
 * come near since then is still at the rim of the kernel. */
RP_WIDE_KERNEL
static void arrive_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_lists *lists = &solver->lists;
    const rp_wide lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    float volume = (float)solver->volume, self = rp_kernel_value(solver->kernel, 0);
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        uint32_t count = lists->count[i];
        rp_wide sum = {0};
        for (uint32_t n = 0; n < count; n += RP_WIDE) {
            rp_wide_int live = lanes < (float)(count - n);
            rp_wide dx = p->x[i] - rp_wide_gather(p->x, index + n);
            rp_wide dy = p->y[i] - rp_wide_gather(p->y, index + n);
            rp_wide dz = p->z[i] - rp_wide_gather(p->z, index + n);
            rp_wide r = rp_wide_sqrt(dx * dx + dy * dy + dz * dz);
            rp_wide value = rp_kernel_value_wide(solver->kernel, r);
            sum += rp_wide_select(live, value, rp_wide_broadcast(0));
        }
        float fill = volume * (self + rp_wide_sum(sum));
        p->density[i] = fill * solver->materials[p->material[i]].density;
    }
}

void rp_sph_part_again(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    if (solver->predictive) return;
    rp_stage_begin(host, "fill");
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, arrive_range, solver);
    rp_stage_end(host, "fill");
    rp_sph_tell_error(solver);
    solver->first = false;
    move_apart(solver);
}
