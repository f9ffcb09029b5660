/* The null solver: grains that fly freely, bounce on surfaces and do not interact. It is the
 * template for new methods, a test of the seam, and the lower bound of what any solver costs: it
 * sorts grains and, with `density: yes`, lists neighbors and sums densities, as real solvers must.
 * That is not the default, since grains at rest lie inside each other and have more and more
 * neighbors. docs/guide/add-a-solver.md walks through this file, docs/theory/null.md has the
 * equations (N1 ...).
 */
#include "solver/null/null.h"
#include "base/report.h"
#include "math/kernel.h"
#include "solver/solver.h"

#define NEIGHBORS 32 /* within two spacings */
#define BLOCK 512    /* grains of a block, the unit of work of a thread */
#define ROWS 1024    /* of forces on bodies, at most */
/* A grain that approaches more slowly than a fall of this many steps does not bounce (N3). */
#define RESTING_STEPS 3.0

/* --- parameters and state --- */

typedef struct rp_null_params {
    double courant; /* spacings that the fastest grain may move in a step */
    bool density;   /* list neighbors and sum the density */
} rp_null_params;

typedef struct rp_null {
    rp_host host;
    rp_null_params params;
    rp_kernel kernel;     /* support is two spacings: some 32 neighbors */
    float density_factor; /* gives a packed lattice exactly the density of its material */
    double radius;        /* m, half a spacing: where a grain's surface is */
    rp_lists lists;
} rp_null;
enum { RP_NULL_DENSITY_ERROR }; /* the numbers of a step */

static const rp_param params[] = {
    RP_KEY_REAL(rp_null_params, courant, "courant", "", "0.4", 0.01, 1,
                "how many spacings the fastest grain may move in a step"),
    RP_KEY_SWITCH(rp_null_params, density, "density", "no",
                  "list neighbors and sum densities (slow where grains heap up)"),
};

static const rp_param_table null_table =
    RP_TABLE(rp_null_params, params, "null", "free flight and bounces; grains do not interact");

/* --- creation --- */

static void null_destroy(void *state)
{
    rp_null *solver = state;
    rp_lists_end(&solver->lists);
    rp_release(solver, sizeof *solver);
}

static rp_code null_create(const rp_host *host, void **out, rp_report *report)
{
    *out = NULL;
    rp_null *solver = rp_allocate_zero(sizeof *solver);
    if (!solver) return rp_fail_memory(report, sizeof *solver, "the null solver");
    double spacing = host->scene->particles.spacing;
    solver->host = *host;
    solver->params = *(const rp_null_params *)host->params;
    solver->kernel = rp_kernel_of(2 * spacing);
    solver->density_factor = (float)(1 / rp_kernel_lattice_sum(solver->kernel, spacing));
    solver->radius = spacing / 2;
    *out = solver;
    return RP_OK;
}

/* --- time step and memory --- */

/* (N5) */
static rp_step_limit null_limit_dt(void *state)
{
    const rp_null *solver = state;
    const rp_host *host = &solver->host;
    double distance = solver->params.courant * host->scene->particles.spacing;
    double speed = rp_grains_max_speed(host->grains, host->threads);
    double grains = rp_null_travel_time(distance, speed, rp_gravity_max(host->gravity));
    double bodies = rp_null_travel_time(distance, rp_couple_max_speed(host->couple), 0);
    if (bodies < grains)
        return (rp_step_limit){bodies, "speed: distance that the fastest body travels"};
    return (rp_step_limit){grains, "speed: distance that the fastest grain travels"};
}

static double null_estimate(const rp_scene *scene, double spheres)
{
    const rp_null_params *own = scene->method_params;
    (void)spheres;
    return rp_neighbor_bytes_each(own->density ? NEIGHBORS : 0);
}

/* --- stages of a step --- */

/* What the stages need to know of this step. */
typedef struct flight {
    rp_null *solver;
    double dt;
    float gravity[3];      /* m/s2 */
    double resting_speed;  /* m/s, of approach, below which grains do not bounce */
    rp_surface_list *near; /* surfaces near each block */
} flight;

/* (N1): exact for constant acceleration, x += v dt + a dt^2 / 2, then v += a dt. */
static void fly(void *context, rp_range range)
{
    const flight *f = context;
    const rp_grains *p = f->solver->host.grains;
    const rp_external *external = f->solver->host.external;
    float *const position[3] = {p->x, p->y, p->z}, *const velocity[3] = {p->vx, p->vy, p->vz};
    const float *const added[3] = {external->ax, external->ay, external->az};
    float dt = (float)f->dt, half = 0.5f * dt;
    for (int k = 0; k < 3; k++)
        for (size_t i = range.begin; i < range.end; i++) {
            float a = f->gravity[k];
            if (external->any) a += added[k][i];
            position[k][i] += dt * (velocity[k][i] + half * a);
            velocity[k][i] += dt * a;
        }
}

/* One grain on one surface: (N2), (N3), (N4). */
static void bounce_grain(const flight *f, size_t i, size_t block, const rp_surface *surface)
{
    rp_null *solver = f->solver;
    const rp_grains *p = solver->host.grains;
    rp_vec3 at = rp_grains_place(p, i);
    rp_touch touch;
    if (!rp_surface_touch(surface, at, solver->radius, &touch)) return;
    const rp_material_spec *material = &rp_scene_materials(solver->host.scene)[p->material[i]];
    /* Velocities are relative to the surface. */
    rp_vec3 before = rp_v3_sub(rp_grains_velocity(p, i), touch.velocity);
    bool resting = -rp_v3_dot(before, touch.normal) < f->resting_speed;
    double restitution = resting ? 0 : sqrt(material->restitution * surface->restitution);
    double friction = rp_surface_friction(surface, material);
    rp_vec3 after = rp_null_bounce(before, touch.normal, restitution, friction);
    rp_vec3 change = rp_v3_sub(after, before);
    /* Out of the surface, and the opposite impulse on the body. */
    at = rp_v3_madd(at, solver->radius - touch.distance, touch.normal);
    rp_grains_set_place(p, i, at);
    rp_grains_add_velocity(p, i, change);
    rp_couple_add_force(solver->host.couple, block, surface, at,
                        rp_v3_scale(change, -(double)p->mass[i] / f->dt));
}

/* The grains of a block on the surfaces near it. Each grain is changed by its own block only. */
static void bounce(void *context, rp_range range)
{
    const flight *f = context;
    const rp_surface *surfaces = rp_couple_surfaces(f->solver->host.couple);
    size_t block = range.begin / BLOCK;
    for (int n = 0; n < f->near[block].count; n++)
        for (size_t i = range.begin; i < range.end; i++)
            bounce_grain(f, i, block, &surfaces[f->near[block].index[n]]);
}

/* Sum of density over packed density beyond 1, of the grains of a range. */
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

/* Ghosts, neighbor lists, and a density for every grain. */
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

/* A step reads like the algorithm: fly, bounce, sort, density. */
static rp_code null_step(void *state, double time, double dt, rp_report *report)
{
    rp_null *solver = state;
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    rp_vec3 g = rp_gravity_at(host->gravity, time + dt / 2); /* the mean over the step */
    flight f = {.solver = solver,
                .dt = dt,
                .gravity = {(float)g.x, (float)g.y, (float)g.z},
                .resting_speed = RESTING_STEPS * rp_v3_length(g) * dt};
    rp_couple_points points = {p->x, p->y, p->z, solver->radius};
    rp_couple_search search = {p->count, BLOCK, rp_couple_ball_of_points, &points};

    rp_stage_begin(host, "fly");
    rp_parallel_for(host->threads, p->count, BLOCK, fly, &f);
    rp_stage_end(host, "fly");
    rp_stage_begin(host, "bounce");
    rp_couple_move(host->couple, dt); /* grains are at the end of the step, bodies at its start */
    RP_TRY(rp_couple_near(host->couple, &search, host->threads, host->arena, &f.near, report));
    RP_TRY(rp_couple_begin(host->couple, p->count, BLOCK, ROWS, host->arena, report));
    rp_couple_for(host->couple, host->threads, bounce, &f);
    rp_code code = rp_couple_finish(host->couple);
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

/* --- the table of the seam --- */

static const rp_number_spec numbers[] = {
    [RP_NULL_DENSITY_ERROR] = {"density_error", "", "mean compression; with density: yes"},
    {0},
};
static const char *const stages[] = {"fly", "bounce", "sort", "density", NULL};

const rp_solver_type rp_null_solver = {
    .name = "null",
    .capabilities = RP_CAN_PERIODIC | RP_CAN_EMIT | RP_CAN_REMOVE | RP_CAN_PUSH_BODIES,
    .needs = RP_NEEDS_DENSITY | RP_NEEDS_MOISTURE,
    .scene = {.params = &null_table},
    .numbers = numbers,
    .stages = stages,
    .estimate = null_estimate,
    .create = null_create,
    .destroy = null_destroy,
    .limit_dt = null_limit_dt,
    .step = null_step,
};
