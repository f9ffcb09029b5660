/* A method for the tests of the seam, written from docs/guide/add-a-solver.md: every grain hangs on
 * a damped spring at the place where it appeared, and sees neither other grains nor solids.
 *
 *     v += (g - w^2 s - 2 z w v) dt,   x += v dt,   s += v dt
 *
 * with the displacement s from that place, w = 2 pi tether and the damping ratio z. */
#include "base/report.h"
#include "solver/solver.h"

#define BLOCK 512

typedef struct toy_params {
    double steps; /* in a period of the stiffest spring */
} toy_params;

typedef struct toy_material {
    double tether; /* 1/s, frequency of the spring */
    double damping_ratio;
} toy_material;

typedef struct toy {
    rp_host host;
    toy_params params;
    double stiffest;        /* rad/s */
    float *displacement[3]; /* m, fields of the grains */
} toy;

enum { TOY_ENERGY }; /* the numbers of a step */

static const rp_param params[] = {
    RP_KEY_REAL(toy_params, steps, "steps", "", "50", 10, 1e6,
                "in a period of the stiffest spring"),
};
static const rp_param_table table = RP_TABLE(toy_params, params, "toy", "grains on springs");

static const rp_param material_params[] = {
    RP_KEY_REAL(toy_material, tether, "tether", "1/s", "2", 0, 1000,
                "frequency of the spring that holds a grain"),
    RP_KEY_REAL(toy_material, damping_ratio, "damping_ratio", "", "0.1", 0, 1,
                "of that spring, in parts of the critical damping"),
};

static rp_param_fault check_material(const void *entry, const void *values)
{
    const toy_material *own = values;
    (void)entry;
    if (own->tether > 0 || own->damping_ratio == 0.1) return (rp_param_fault){0};
    return (rp_param_fault){"damping_ratio", "there is no spring to be damped: give tether, too"};
}

static const rp_param_table material_table =
    RP_TABLE(toy_material, material_params, "material", "springs", .check = check_material);

static void toy_destroy(void *state)
{
    rp_release(state, sizeof(toy));
}

static rp_code toy_create(const rp_host *host, void **out, rp_report *report)
{
    static const char *const names[3] = {"displacement_x", "displacement_y", "displacement_z"};
    *out = NULL;
    toy *solver = rp_allocate_zero(sizeof *solver);
    if (!solver) return rp_fail_memory(report, sizeof *solver, "the toy solver");
    solver->host = *host;
    solver->params = *(const toy_params *)host->params;
    for (int i = 0; i < host->scene->materials.count; i++) {
        const toy_material *own = rp_scene_materials(host->scene)[i].own;
        solver->stiffest = fmax(solver->stiffest, 2 * RP_PI * own->tether);
    }
    rp_code code = RP_OK;
    for (int k = 0; k < 3 && code == RP_OK; k++)
        code = rp_grains_add_field(host->grains, names[k], "m", RP_F32,
                                   RP_FIELD_STATE | RP_FIELD_VISIBLE,
                                   (void **)&solver->displacement[k], report);
    if (code == RP_OK)
        *out = solver;
    else
        toy_destroy(solver);
    return code;
}

static rp_step_limit toy_limit_dt(void *state)
{
    const toy *solver = state;
    if (!(solver->stiffest > 0)) return (rp_step_limit){INFINITY, "no springs"};
    return (rp_step_limit){2 * RP_PI / (solver->stiffest * solver->params.steps),
                           "the stiffest spring"};
}

typedef struct motion {
    const toy *solver;
    float dt;
    float gravity[3]; /* m/s2 */
} motion;

static void move(void *context, rp_range range)
{
    const motion *m = context;
    const rp_grains *p = m->solver->host.grains;
    const rp_external *external = m->solver->host.external;
    const rp_material_spec *materials = rp_scene_materials(m->solver->host.scene);
    float *const place[3] = {p->x, p->y, p->z}, *const speed[3] = {p->vx, p->vy, p->vz};
    const float *const push[3] = {external->ax, external->ay, external->az};
    for (size_t i = range.begin; i < range.end; i++) {
        const toy_material *own = materials[p->material[i]].own;
        float w = (float)(2 * RP_PI * own->tether), damping = 2 * (float)own->damping_ratio * w;
        for (int k = 0; k < 3; k++) {
            float *s = &m->solver->displacement[k][i], *v = &speed[k][i];
            float a = m->gravity[k] - w * w * *s - damping * *v;
            if (external->any) a += push[k][i];
            *v += m->dt * a;
            place[k][i] += m->dt * *v;
            *s += m->dt * *v;
        }
    }
}

static double energy(void *context, rp_range range)
{
    const toy *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_material_spec *materials = rp_scene_materials(solver->host.scene);
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        const toy_material *own = materials[p->material[i]].own;
        double w = 2 * RP_PI * own->tether;
        for (int k = 0; k < 3; k++) {
            double s = solver->displacement[k][i];
            sum += 0.5 * (double)p->mass[i] * w * w * s * s;
        }
    }
    return sum;
}

static rp_code toy_step(void *state, double time, double dt, rp_report *report)
{
    toy *solver = state;
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    rp_vec3 g = rp_gravity_at(host->gravity, time + dt / 2);
    motion m = {solver, (float)dt, {(float)g.x, (float)g.y, (float)g.z}};

    rp_stage_begin(host, "move");
    rp_parallel_for(host->threads, p->count, BLOCK, move, &m);
    rp_stage_end(host, "move");
    if (rp_is_stopped(host->stop)) return RP_INTERRUPTED;
    rp_stage_begin(host, "sort");
    rp_code code = rp_neighbor_sort(host->neighbor, p, 2 * host->scene->particles.spacing, report);
    rp_stage_end(host, "sort");
    host->stats->max_speed = rp_grains_max_speed(p, host->threads);
    host->stats->numbers[TOY_ENERGY] =
        rp_parallel_sum(host->threads, p->count, BLOCK, energy, solver);
    return code;
}

static double toy_estimate(const rp_scene *scene, double spheres)
{
    (void)scene;
    (void)spheres;
    return rp_neighbor_bytes_each(0) + 3 * sizeof(float);
}

static const rp_number_spec numbers[] = {
    [TOY_ENERGY] = {"spring_energy", "J", "of all springs"},
    {0},
};
static const char *const stages[] = {"move", "sort", NULL};

extern const rp_solver_type rp_toy_solver;
const rp_solver_type rp_toy_solver = {
    .name = "toy",
    .capabilities = RP_CAN_PERIODIC | RP_CAN_EMIT | RP_CAN_REMOVE,
    .scene = {.params = &table, .materials = &material_table},
    .numbers = numbers,
    .stages = stages,
    .estimate = toy_estimate,
    .create = toy_create,
    .destroy = toy_destroy,
    .limit_dt = toy_limit_dt,
    .step = toy_step,
};
