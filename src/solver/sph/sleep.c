/* Sleeping (G22): a grain that has been slow for some time is not moved any more. It keeps its
 * stress, so that its neighbors rest on it as before. It wakes when the forces on it no longer
 * balance, when a neighbor moves, or when a solid near it does. */
#include "base/report.h"
#include "solver/sph/sph.h"

/* Hysteresis: waking takes a higher speed than falling asleep, or grains would alternate. */
#define WAKE_SPEEDS 3.0f
/* Net acceleration, in parts of gravity, that does not wake a grain. */
#define WAKE_ACCELERATION 0.1

static float speed2(rp_float4 v)
{
    v *= v;
    return v[0] + v[1] + v[2];
}

static rp_float4 velocity_of(const rp_grains *p, size_t i)
{
    return (rp_float4){p->vx[i], p->vy[i], p->vz[i], 0};
}

bool rp_sph_all_asleep(const rp_sph *solver)
{
    const rp_host *host = &solver->host;
    const rp_sph_last_step *last = &solver->last;
    double count = (double)host->grains->count;
    rp_vec3 change = rp_v3_sub(solver->gravity, last->gravity);
    return solver->params.sleeping && last->sleepers == count && last->grains == count &&
           !host->external->any && !host->external->disturbed && host->scene->moisture.count == 0 &&
           rp_v3_length(change) == 0 && rp_couple_max_speed(host->couple) == 0 &&
           !rp_couple_is_disturbed(host->couple);
}

typedef struct waking {
    rp_sph *solver;
    float slow2; /* m2/s2: neighbors faster than this wake a grain */
    float wake2; /* m2/s2: and so does a speed that forces would give it in this step */
    uint8_t *wake;
} waking;

/* Returns whether forces, or a neighbor that moves, wake grain i. */
static bool is_disturbed(const waking *k, size_t i)
{
    const rp_sph *solver = k->solver;
    const rp_grains *p = solver->host.grains;
    const rp_lists *lists = &solver->lists;
    if (speed2(solver->work.velocity[i]) > k->wake2) return true;
    for (uint32_t n = 0; n < lists->count[i]; n++) {
        uint32_t j = lists->index[lists->start[i] + n];
        if (!p->asleep[j] && speed2(velocity_of(p, j)) > k->slow2) return true;
    }
    return false;
}

static void wake_range(void *context, rp_range range)
{
    const waking *k = context;
    const rp_sph *solver = k->solver;
    const rp_sph_work *w = &solver->work;
    for (size_t i = range.begin; i < range.end; i++)
        k->wake[i] = solver->host.grains->asleep[i] && is_disturbed(k, i);
    /* Solids that move wake the grains near them. */
    size_t block = range.begin / RP_SPH_BLOCK;
    for (uint32_t c = w->contact_start[block]; c < w->contact_end[block]; c++) {
        const rp_sph_contact *contact = &w->contacts[c];
        rp_float4 solid = {contact->ux, contact->uy, contact->uz, 0};
        if (speed2(solid) > 0) k->wake[contact->grain] = 1;
    }
}

/* Second pass, when no grain reads its neighbors' sleep any more. */
static void rise_range(void *context, rp_range range)
{
    const waking *k = context;
    const rp_grains *p = k->solver->host.grains;
    for (size_t i = range.begin; i < range.end; i++)
        if (k->wake[i]) {
            p->asleep[i] = 0;
            k->solver->rest_time[i] = 0;
        }
}

/* m/s, below which a grain may sleep. */
static float slow_of(const rp_sph *solver)
{
    return (float)(solver->params.sleep_speed * solver->spacing);
}

rp_code rp_sph_wake(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    size_t count = host->grains->count;
    if (!solver->params.sleeping) return RP_OK;
    float slow = WAKE_SPEEDS * slow_of(solver);
    float wake_speed =
        (float)(WAKE_ACCELERATION * rp_v3_length(solver->gravity) * solver->dt) + slow;
    size_t mark = rp_arena_mark(host->arena);
    waking k = {solver, slow * slow, wake_speed * wake_speed, rp_arena_take(host->arena, count)};
    if (!k.wake) return rp_fail_memory(report, count, "grains that wake");
    /* Forces on sleepers are those of the stresses that they fell asleep with. */
    rp_sph_velocities(solver, RP_SPH_CONTACTS | RP_SPH_SLEEPERS);
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, wake_range, &k);
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, rise_range, &k);
    rp_arena_return(host->arena, mark);
    return RP_OK;
}

/* Returns whether a grain has neighbors and all of them sleep. */
static bool is_among_sleepers(const rp_sph *solver, size_t i)
{
    const rp_lists *lists = &solver->lists;
    for (uint32_t n = 0; n < lists->count[i]; n++)
        if (!solver->host.grains->asleep[lists->index[lists->start[i] + n]]) return false;
    return lists->count[i] > 0;
}

/* Updates rest times. The stresses of sleepers need not balance a grain that is awake among them:
 * it may circle for ever. So a grain that is too slow to wake them counts as at rest, too. */
static void rest_time_range(void *context, rp_range range)
{
    rp_sph *solver = context;
    float slow = slow_of(solver), bound = WAKE_SPEEDS * slow;
    for (size_t i = range.begin; i < range.end; i++) {
        float square = speed2(solver->work.velocity[i]);
        bool slow_enough =
            square < slow * slow || (square < bound * bound && is_among_sleepers(solver, i));
        solver->rest_time[i] = slow_enough ? solver->rest_time[i] + (float)solver->dt : 0;
    }
}

/* Lets grains fall asleep; returns the number of sleepers. */
static double count_range(void *context, rp_range range)
{
    rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    double sleepers = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        p->asleep[i] = p->asleep[i] || (double)solver->rest_time[i] > solver->params.sleep_time;
        if (p->asleep[i]) w->velocity[i] = (rp_float4){0}; /* the next steps may be skipped */
        sleepers += p->asleep[i];
    }
    return sleepers;
}

void rp_sph_fall_asleep(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    size_t count = host->grains->count;
    solver->last.grains = rp_reduce_count(host->grains);
    if (!solver->params.sleeping) return;
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, rest_time_range, solver);
    solver->last.sleepers =
        rp_reduce_sum(host->grains, host->threads, RP_SPH_BLOCK, count_range, solver);
    solver->last.gravity = solver->gravity;
}
