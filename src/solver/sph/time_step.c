/* The order of a step, and its two ends: velocities from stresses (G6), which both solves share,
 * and the integration of positions (G15). Numbers are those of docs/theory/granular-sph.md. */
#include "base/report.h"
#include "solver/sph/constitutive.h"
#include "solver/sph/gradient.h"
#include "solver/sph/sph.h"

#define EARTH 9.81 /* m/s2; without gravity time averages still need a time scale */
/* Spacings that a grain may move in a step. Faster grains are the end of a run that went wrong:
 * with a fixed step nothing else stops it, and at such distances rounding exceeds the thickness of
 * walls.
 */
#define TRAVEL_MOST 1e4

/* --- from stresses to velocities (G6) --- */

typedef struct sweep {
    rp_sph *solver;
    unsigned what; /* rp_sph_sweep bits */
} sweep;

/* Adds stress times gradient of four pairs of a chunk, from k on. */
RP_WIDE_INLINE void add_four_stresses(const rp_wide *stresses, const uint32_t *index,
                                      const rp_sph_chunk *g, uint32_t k, rp_wide_vec3 *to)
{
    for (uint32_t n = k; n < k + 4; n++) {
        rp_wide stress = stresses[index[n]];
        to->x += stress * g->x[n];
        to->y += stress * g->y[n];
        to->z += stress * g->z[n];
    }
}

/* Returns the sum of stress times gradient over the pairs of grain i, in quanta of the gradient.
 * Neighbors are taken one by one: a stress is one load, its gradient three broadcasts, which is
 * twice as fast as gathering each component of eight neighbors. They are taken in fours, the last
 * ones padded by any grain with a zero gradient: the branch predictor cannot guess the number of
 * neighbors. Sums that begin with plus zero never become minus zero, so that adding zeros changes
 * no bit. */
RP_WIDE_INLINE rp_wide_vec3 sum_stress(const rp_sph *solver, size_t i)
{
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    const size_t start = lists->start[i];
    const uint32_t *index = lists->index + start;
    const int16_t *gradient = w->gradient + 3 * start;
    uint32_t count = lists->count[i];
    /* sigma_i G_i */
    rp_float4 own = w->gradient_sum[i];
    rp_wide_vec3 sum = {0 + w->stress[i] * own[0], 0 + w->stress[i] * own[1],
                        0 + w->stress[i] * own[2]};
    /* sum_j sigma_j g_ij */
    rp_sph_chunk g;
    for (uint32_t n = 0; n < count; n += RP_SPH_CHUNK) {
        uint32_t here = count - n < RP_SPH_CHUNK ? count - n : RP_SPH_CHUNK;
        rp_sph_load_gradients(gradient + 3 * n, here, &g);
        for (uint32_t k = 0; k < here; k += 4) {
            rp_sph_prefetch_line(index + n + k, RP_SPH_PREFETCH_PAIRS * sizeof *index);
            add_four_stresses(w->stress, index + n, &g, k, &sum);
        }
    }
    return sum;
}

/* (G8a): returns the displacement in m that relaxes compression: (G6) with b as pressure. */
RP_WIDE_INLINE rp_float4 relaxation_of(const rp_sph *solver, size_t i, const rp_wide_vec3 *s)
{
    rp_float4 sum = {s->x[RP_SPH_RELAXATION], s->y[RP_SPH_RELAXATION], s->z[RP_SPH_RELAXATION], 0};
    return rp_sph_limit_displacement(sum * (-solver->quantum / solver->host.grains->mass[i]),
                                     (float)solver->spacing);
}

RP_WIDE_KERNEL
static void velocity_range(void *context, rp_range range)
{
    const sweep *job = context;
    const rp_sph *solver = job->solver;
    size_t block = rp_sph_block(solver, range);
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    RP_ASSERT(RP_IS_ALIGNED(w->velocity) && RP_IS_ALIGNED(w->free_velocity));
    RP_ASSERT(!(job->what & RP_SPH_DISPLACEMENTS) || w->displacement);
    rp_sph_prefetch halo = rp_sph_prefetch_begin(w, range.begin);
    for (size_t i = range.begin; i < range.end; i++) {
        if (p->asleep[i] && !(job->what & RP_SPH_SLEEPERS)) {
            w->velocity[i] = (rp_float4){0};
            if (job->what & RP_SPH_DISPLACEMENTS) w->displacement[i] = (rp_float4){0};
            continue;
        }
        rp_sph_prefetch_rows(&halo, w->stress, sizeof *w->stress, i);
        rp_wide_vec3 s = sum_stress(solver, i);
        /* Rows of the tensor sum: friction stress (lanes 0 to 5) and pressure (lane 6). */
        rp_float4 force = {s.x[0] + s.y[3] + s.z[4] + s.x[6], s.x[3] + s.y[1] + s.z[5] + s.y[6],
                           s.x[4] + s.y[5] + s.z[2] + s.z[6], 0};
        float mobility = solver->quantum * solver->materials[p->material[i]].mobility;
        w->velocity[i] = w->free_velocity[i] - mobility * force;
        if (job->what & RP_SPH_DISPLACEMENTS) w->displacement[i] = relaxation_of(solver, i, &s);
    }
    if (job->what & RP_SPH_CONTACTS) rp_sph_contact_velocities(solver, block, w->velocity);
}

void rp_sph_velocities(rp_sph *solver, unsigned what)
{
    sweep s = {solver, what};
    rp_stage_begin(&solver->host, "velocities");
    rp_parallel_for(solver->host.threads, solver->host.grains->count, RP_SPH_BLOCK, velocity_range,
                    &s);
    if (what & RP_SPH_CONTACTS) rp_sph_contact_body_response(solver);
    rp_stage_end(&solver->host, "velocities");
}

/* --- stresses between the grains' fields and the rows of a step --- */

/* Between steps a grain's stress is in one array per component; in a step it is a row of eight
 * floats: lanes 0 to 5 are the friction stress (xx, yy, zz, xy, xz, yz), lane 6 is the pressure,
 * and lane 7 the norm of the friction stress. */

static void pack_stress_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_wide s = {0};
        for (int k = 0; k < 6; k++)
            s[k] = solver->stress[k][i];
        s[6] = p->pressure[i];
        s[7] = sqrtf(rp_sph_norm2(s)); /* its mean is the denominator of (G9b) */
        w->stress[i] = s;
    }
}

void rp_sph_load_stress(rp_sph *solver)
{
    rp_parallel_for(solver->host.threads, solver->host.grains->count, RP_SPH_BLOCK,
                    pack_stress_range, solver);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
}

static void unpack_stress_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    for (size_t i = range.begin; i < range.end; i++) {
        for (int k = 0; k < 6; k++)
            solver->stress[k][i] = w->stress[i][k];
        p->pressure[i] = w->stress[i][6];
    }
}

void rp_sph_store_stress(rp_sph *solver)
{
    rp_parallel_for(solver->host.threads, solver->host.grains->count, RP_SPH_BLOCK,
                    unpack_stress_range, solver);
}

static void clear_stress_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    for (size_t i = range.begin; i < range.end; i++)
        if (!p->asleep[i]) solver->work.stress[i] = (rp_wide){0};
}

void rp_sph_clear_stress(rp_sph *solver)
{
    rp_parallel_for(solver->host.threads, solver->host.grains->count, RP_SPH_BLOCK,
                    clear_stress_range, solver);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
}

/* --- the number of a step: mean compression --- */

static double compression_of_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += fmax(0, p->density[i] / solver->materials[p->material[i]].density - 1);
    return sum;
}

void rp_sph_report_density_error(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    host->stats->numbers[RP_SPH_DENSITY_ERROR] =
        rp_reduce_mean(host->grains, host->threads, RP_SPH_BLOCK, compression_of_range, solver);
}

/* --- the step --- */

/* (G6): adds velocity, gravity and the host's accelerations to v*, which holds the velocity changes
 * by pair forces (G16, G17a) from the summation. */
static void free_velocity_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_external *external = solver->host.external;
    const rp_sph_work *w = &solver->work;
    float dt = (float)solver->dt;
    rp_float4 g = {(float)solver->gravity.x, (float)solver->gravity.y, (float)solver->gravity.z, 0};
    for (size_t i = range.begin; i < range.end; i++) {
        rp_float4 a = g, v = {p->vx[i], p->vy[i], p->vz[i], 0};
        if (external->any) a += (rp_float4){external->ax[i], external->ay[i], external->az[i], 0};
        w->free_velocity[i] += v + dt * a;
    }
}

/* (G15): x += dt v, with the displacement that relaxes compression (G8a); then out of solids. */
static void move_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    float dt = (float)solver->dt;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_float4 v = w->velocity[i], displacement = dt * v;
        if (w->displacement) displacement += w->displacement[i];
        p->vx[i] = v[0];
        p->vy[i] = v[1];
        p->vz[i] = v[2];
        p->x[i] += displacement[0];
        p->y[i] += displacement[1];
        p->z[i] += displacement[2];
    }
    rp_sph_contact_positions(solver, range.begin / RP_SPH_BLOCK);
}

/* Ghosts keep their distance to the grains that they are copies of. */
static void move(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    rp_neighbor_ghosts_detach(host->grains);
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, move_range, solver);
    rp_neighbor_ghosts_attach(host->grains);
}

/* Sets the constants of the step: gravity at its middle, mobilities dt V / m. */
static void prepare(rp_sph *solver, double time, double dt)
{
    const rp_scene *scene = solver->host.scene;
    double spacing = solver->spacing;
    solver->dt = dt;
    solver->gravity = rp_gravity_at(solver->host.gravity, time + dt / 2);
    solver->fall_time = sqrt(2 * spacing / fmax(rp_gravity_max(solver->host.gravity), EARTH));
    solver->weightless = !(rp_v3_length(solver->gravity) > 0);
    for (int i = 0; i < scene->materials.count; i++) {
        double mass = rp_scene_materials(scene)[i].density * spacing * spacing * spacing;
        solver->materials[i].mobility = (float)(dt * solver->volume / mass);
    }
}

/* Without grains there are no forces on bodies; where all grains sleep, forces stay as they were.
 */
static rp_code push_nothing(const rp_host *host, rp_report *report)
{
    rp_code code = rp_couple_begin(host->couple, 0, 1, 1, host->arena, report);
    return code == RP_OK ? rp_couple_finish(host->couple) : code;
}

/* The step without work. */
static rp_code skip_step(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    host->stats->max_speed = host->stats->numbers[RP_SPH_ITERATIONS] = 0;
    return host->grains->count ? RP_OK : push_nothing(host, report);
}

/* Everything that depends on positions: neighbors, volume fraction, gradients (G1 to G4a), contacts
 * (G12), and a position correction where grains are compressed (G24). */
static rp_code find_neighborhood(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    RP_TRY(rp_sph_summation(solver, report));
    if (rp_is_stopped(host->stop)) RP_TRY(RP_INTERRUPTED);
    rp_stage_begin(host, "contacts");
    rp_code code = rp_sph_find_contacts(solver, report);
    rp_stage_end(host, "contacts");
    if (code == RP_OK) code = rp_sph_separate(solver, report);
    RP_TRY(code);
    rp_sph_contact_deficiency(solver);
    return RP_OK;
}

rp_code rp_sph_step(void *state, double time, double dt, rp_report *report)
{
    rp_sph *solver = state;
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    prepare(solver, time, dt);
    if (!p->count || rp_sph_all_asleep(solver)) return skip_step(solver, report);

    /* (G1 to G4a, G12, G24): neighbors, volume fraction, gradients, contacts, separation. */
    solver->first_step = solver->last.grains == 0;
    RP_TRY(find_neighborhood(solver, report));
    /* (G6, G16): velocities without stress, v*. */
    rp_parallel_for(host->threads, p->count, RP_SPH_BLOCK, free_velocity_range, solver);
    /* (G22): grains wake whose forces no longer balance. */
    RP_TRY(rp_sph_wake(solver, report));
    /* (G7 to G11b) or (G18 to G21): pressure and friction stress. */
    RP_TRY(solver->predictive ? rp_sph_predict(solver, report) : rp_sph_solve(solver, report));
    /* (G8a): relaxation of compression, computed in the same sweep as the final velocities (G6). */
    if (!solver->predictive) rp_sph_relax_compression(solver);
    rp_sph_velocities(solver, solver->predictive ? 0 : RP_SPH_DISPLACEMENTS);
    /* (G13, G14, G15a): contact impulses on grains, reaction forces on bodies. */
    RP_TRY(rp_sph_contact_forces(solver, report));
    /* (G22, G15): sleep, and the new positions. */
    rp_sph_fall_asleep(solver);
    move(solver);
    /* (G25, G24): density at the new positions, and a position correction there. */
    rp_sph_separate_moved(solver);
    host->stats->max_speed = rp_grains_max_speed(p, host->threads);
    return rp_grains_check_travel(p, host->stats->max_speed, time, dt,
                                  TRAVEL_MOST * solver->spacing,
                                  "the step is too long, or forces are too great", report);
}
