/* One step of free flight: fly (N1), bounce (N2, N3), find neighbours, sum density;
 * docs/theory/null.md. */
#include "base/report.h"
#include "solver/null/null.h"
#include "solver/null/physics.h"

#define BLOCK 512
/* Rows of forces on bodies, at most. */
#define ROWS 1024
/* Approaching more slowly than gravity makes it in this many steps, a grain no longer bounces. */
#define RESTING_STEPS 3.0

typedef struct flight {
    rp_null *solver;
    double dt;
    float gravity[3];      /* m/s2 */
    double resting_speed;  /* m/s */
    rp_surface_list *near; /* of each block */
} flight;

/* Exact for constant acceleration: x += v dt + g dt^2 / 2, then v += g dt. */
static void fly(void *context, rp_range range)
{
    const flight *f = context;
    const rp_grains *p = f->solver->host.grains;
    const rp_external *external = f->solver->host.external;
    float *const place[3] = {p->x, p->y, p->z}, *const velocity[3] = {p->vx, p->vy, p->vz};
    const float *const added[3] = {external->ax, external->ay, external->az};
    float dt = (float)f->dt, half = 0.5f * dt;
    for (int k = 0; k < 3; k++)
        for (size_t i = range.begin; i < range.end; i++) {
            float a = f->gravity[k];
            if (external->any) a += added[k][i];
            place[k][i] += dt * (velocity[k][i] + half * a);
            velocity[k][i] += dt * a;
        }
}

static void bounce_grain(const flight *f, size_t i, size_t block, const rp_surface *surface)
{
    rp_null *solver = f->solver;
    const rp_grains *p = solver->host.grains;
    rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
    rp_touch touch;
    if (!rp_surface_touch(surface, at, solver->radius, &touch)) return;

    const rp_material_spec *material = &rp_scene_materials(solver->host.scene)[p->material[i]];
    rp_vec3 before = rp_v3_sub(rp_v3(p->vx[i], p->vy[i], p->vz[i]), touch.velocity);
    bool resting = -rp_v3_dot(before, touch.normal) < f->resting_speed;
    double restitution = resting ? 0 : sqrt(material->restitution * surface->restitution);
    double friction = rp_surface_friction(surface, material);
    rp_vec3 after = rp_null_bounce(before, touch.normal, restitution, friction);
    rp_vec3 change = rp_v3_sub(after, before);

    at = rp_v3_madd(at, solver->radius - touch.distance, touch.normal);
    p->x[i] = (float)at.x;
    p->y[i] = (float)at.y;
    p->z[i] = (float)at.z;
    p->vx[i] += (float)change.x;
    p->vy[i] += (float)change.y;
    p->vz[i] += (float)change.z;
    rp_couple_push(solver->host.couple, block, surface, at,
                   rp_v3_scale(change, -(double)p->mass[i] / f->dt));
}

static rp_ball ball_of(const void *context, rp_range range)
{
    const flight *f = context;
    const rp_grains *p = f->solver->host.grains;
    rp_ball ball = rp_couple_ball_around(p->x, p->y, p->z, range);
    ball.radius += f->solver->radius;
    return ball;
}

static void bounce(void *context, rp_range range)
{
    const flight *f = context;
    const rp_surface *surfaces = rp_couple_surfaces(f->solver->host.couple);
    size_t block = range.begin / BLOCK;
    for (int n = 0; n < f->near[block].count; n++)
        for (size_t i = range.begin; i < range.end; i++)
            bounce_grain(f, i, block, &surfaces[f->near[block].index[n]]);
}

static double compression(void *context, rp_range range)
{
    const rp_null *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_material_spec *materials = rp_scene_materials(solver->host.scene);
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += fmax(0, p->density[i] / materials[p->material[i]].density - 1);
    return sum;
}

static rp_code find_density(rp_null *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    double support = solver->kernel.support;
    RP_TRY(rp_neighbor_ghosts(host->neighbor, p, support, report));
    RP_TRY(rp_neighbor_lists(host->neighbor, p, support, &solver->lists, report));
    rp_neighbor_density(p, &solver->lists, solver->kernel, solver->density_factor, p->density,
                        host->threads);
    host->stats->numbers[RP_NULL_DENSITY_ERROR] =
        rp_reduce_mean(p, host->threads, BLOCK, compression, solver);
    return RP_OK;
}

rp_code rp_null_step(void *state, double time, double dt, rp_report *report)
{
    rp_null *solver = state;
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    rp_vec3 g = rp_gravity_at(host->gravity, time + dt / 2); /* the mean over the step */
    flight f = {.solver = solver,
                .dt = dt,
                .gravity = {(float)g.x, (float)g.y, (float)g.z},
                .resting_speed = RESTING_STEPS * rp_v3_length(g) * dt};
    rp_couple_search search = {p->count, BLOCK, ball_of, &f};

    rp_stage_begin(host, "fly");
    rp_parallel_for(host->threads, p->count, BLOCK, fly, &f);
    rp_stage_end(host, "fly");
    rp_stage_begin(host, "bounce");
    rp_couple_move(host->couple, dt); /* grains have flown to the end of the step, bodies not yet */
    rp_code code =
        rp_couple_near(host->couple, &search, host->threads, host->arena, &f.near, report);
    if (code == RP_OK)
        code = rp_couple_begin(host->couple, p->count, BLOCK, ROWS, host->arena, report);
    RP_TRY(code);
    rp_couple_for(host->couple, host->threads, bounce, &f);
    code = rp_couple_finish(host->couple);
    rp_stage_end(host, "bounce");
    RP_TRY(code);

    if (rp_is_stopped(host->stop)) return RP_INTERRUPTED;
    rp_stage_begin(host, "sort");
    code = rp_neighbor_sort(host->neighbor, p, solver->kernel.support, report);
    rp_stage_end(host, "sort");
    if (code == RP_OK && solver->params.density) {
        rp_stage_begin(host, "density");
        code = find_density(solver, report);
        rp_stage_end(host, "density");
    }
    host->stats->max_speed = rp_grains_max_speed(p, host->threads);
    return code;
}
