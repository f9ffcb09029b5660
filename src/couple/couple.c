/* Surfaces near blocks of grains, and forces of grains on bodies, summed to the same bits for any
 * number of threads. The room's other chapter, surfaces.c, has the geometry of one surface. */
#include "couple/couple.h"
#include "base/report.h"

#include <string.h>

/* Force and torque are copied to states as three doubles. */
_Static_assert(sizeof(rp_vec3) == sizeof((rp_body_state *)0)->force, "a force is three doubles");

/* Surfaces near a block that the first pass can list. Few blocks have more. */
#define NEAR_CAPACITY 8

struct rp_couple {
    const rp_scene *scene;
    rp_bodies *bodies;
    rp_surface *surfaces; /* of the bodies, then their images, then the walls */
    int count, capacity, body_count;
    rp_rough_surface
        *roughs; /* fixed grains of bodies, then of the sides of the domain; NULL: not laid */
    bool dynamic;
    rp_load *rows;     /* borrowed from the step's arena: body_count sums per row */
    rp_load *loads;    /* borrowed likewise: the sums of all rows */
    size_t row_count;  /* in this step */
    size_t row_blocks; /* blocks of grains that share a row */
    size_t grains, block;
    rp_report *report; /* of this step */
    rp_code code;      /* the first fault of rp_couple_solve */
    bool begun;        /* between rp_couple_begin and rp_couple_finish */
};

/* --- creation --- */

static size_t surfaces_size(const rp_couple *couple)
{
    return (size_t)couple->capacity * sizeof *couple->surfaces;
}

static size_t rough_count(const rp_couple *couple)
{
    return (size_t)couple->body_count + RP_SIDES;
}

rp_code rp_couple_create(const rp_scene *scene, rp_bodies *bodies, rp_couple **out,
                         rp_report *report)
{
    *out = NULL;
    rp_couple *couple = rp_allocate_zero(sizeof *couple);
    if (!couple) return rp_fail_memory(report, sizeof *couple, "the surfaces of bodies");
    couple->scene = scene;
    couple->bodies = bodies;
    couple->body_count = rp_bodies_count(bodies);
    couple->capacity = rp_surfaces_capacity(scene);
    couple->surfaces = rp_allocate(surfaces_size(couple));
    if (!couple->surfaces) {
        rp_fail_memory(report, surfaces_size(couple), "the surfaces of bodies");
        rp_couple_destroy(couple);
        return RP_ERROR_MEMORY;
    }
    couple->count = rp_surfaces_fill(scene, couple->surfaces);
    rp_couple_refresh(couple); /* takes over the poses and velocities of the bodies */
    *out = couple;
    return RP_OK;
}

/* Tells each surface its fixed grains; an image has those of its body. */
static void set_fixed_grains(rp_couple *couple)
{
    for (int i = 0; i < couple->count; i++) {
        rp_surface *surface = &couple->surfaces[i];
        int which = surface->body < 0 ? couple->body_count + surface->side : surface->body;
        const rp_rough_surface *rough = &couple->roughs[which];
        surface->rough = rough->radius > 0 ? rough : NULL;
    }
}

rp_code rp_couple_lay_fixed_grains(rp_couple *couple, const rp_scene *scene, double reach,
                                   rp_threads *threads, rp_report *report)
{
    RP_ASSERT(!couple->roughs);
    size_t bytes = rough_count(couple) * sizeof *couple->roughs;
    couple->roughs = rp_allocate_zero(bytes);
    if (!couple->roughs) return rp_fail_memory(report, bytes, "rough surfaces");
    rp_code code = RP_OK;
    for (int i = 0; i < couple->body_count && code == RP_OK; i++) {
        double radius = rp_scene_bodies(scene)[i].roughness.radius;
        code = rp_scene_rough_body(scene, i, reach + radius, threads, &couple->roughs[i], report);
    }
    rp_rough_surface *walls = couple->roughs + couple->body_count;
    double radius = scene->domain.roughness.grains.radius;
    for (int side = 0; side < RP_SIDES && code == RP_OK; side++)
        code = rp_scene_rough_wall(scene, side, reach + radius, threads, &walls[side], report);
    set_fixed_grains(couple);
    return code;
}

void rp_couple_destroy(rp_couple *couple)
{
    if (!couple) return;
    for (size_t i = 0; couple->roughs && i < rough_count(couple); i++)
        rp_rough_surface_release(&couple->roughs[i]);
    if (couple->roughs) rp_release(couple->roughs, rough_count(couple) * sizeof *couple->roughs);
    rp_release(couple->surfaces, surfaces_size(couple));
    rp_release(couple, sizeof *couple);
}

/* --- motion of the surfaces --- */

/* How bodies are driven may change while a world runs. Surfaces keep their numbers, since the
 * contact history of solvers names them: the surface of an absent body is moved to where no grain
 * is. */
void rp_couple_refresh(rp_couple *couple)
{
    rp_surfaces_refresh(couple->surfaces, couple->count, rp_bodies_states(couple->bodies));
    couple->dynamic = false;
    for (int i = 0; i < couple->count; i++) {
        rp_surface *surface = &couple->surfaces[i];
        if (surface->body < 0) continue;
        surface->dynamic = rp_bodies_is_dynamic(couple->bodies, surface->body);
        surface->shape = &rp_scene_bodies(couple->scene)[surface->body].shape;
        if (rp_bodies_drive(couple->bodies, surface->body) == RP_DRIVE_ABSENT)
            rp_surface_vanish(surface);
        couple->dynamic = couple->dynamic || surface->dynamic;
    }
}

bool rp_couple_is_disturbed(const rp_couple *couple)
{
    return rp_bodies_are_disturbed(couple->bodies);
}

void rp_couple_move(rp_couple *couple, double dt)
{
    for (int i = 0; i < couple->count; i++)
        couple->surfaces[i].pose = rp_surface_pose_after(&couple->surfaces[i], dt);
}

bool rp_couple_is_dynamic(const rp_couple *couple)
{
    return couple->dynamic;
}

int rp_couple_count(const rp_couple *couple)
{
    return couple->count;
}

const rp_surface *rp_couple_surfaces(const rp_couple *couple)
{
    return couple->surfaces;
}

/* Returns an upper bound of the speed of any point of a shape that moves like this, m/s. */
static double speed_of(const rp_shape *shape, rp_vec3 velocity, rp_vec3 spin)
{
    rp_box3 box = rp_shape_bounds(shape);
    double arm = rp_v3_length(rp_v3_max(rp_v3_scale(box.low, -1), box.high));
    double turning = isfinite(arm) ? rp_v3_length(spin) * arm : 0;
    return rp_v3_length(velocity) + turning;
}

static double motion_of(const rp_surface *surface)
{
    return speed_of(surface->shape, surface->velocity, surface->spin);
}

int rp_couple_fastest(const rp_couple *couple, double *speed)
{
    int fastest = -1;
    *speed = 0;
    for (int i = 0; i < couple->count; i++) {
        const rp_surface *surface = &couple->surfaces[i];
        double own = motion_of(surface) + rp_v3_length(surface->belt);
        if (surface->body < 0 || !(own > *speed)) continue;
        *speed = own;
        fastest = surface->body;
    }
    return fastest;
}

double rp_couple_max_speed(const rp_couple *couple)
{
    double most;
    rp_couple_fastest(couple, &most);
    return most;
}

double rp_couple_max_motion(const rp_couple *couple)
{
    double most = 0;
    for (int i = 0; i < couple->count; i++)
        if (couple->surfaces[i].body >= 0) most = fmax(most, motion_of(&couple->surfaces[i]));
    return most;
}

/* --- surfaces near blocks of grains --- */

rp_ball rp_couple_ball_of_box(rp_box3 box)
{
    return (rp_ball){rp_v3_scale(rp_v3_add(box.low, box.high), 0.5),
                     0.5 * rp_v3_length(rp_v3_sub(box.high, box.low))};
}

rp_ball rp_couple_ball_around(const float *x, const float *y, const float *z, rp_range points)
{
    RP_ASSERT(points.begin < points.end);
    rp_box3 box = rp_box3_empty();
    for (size_t i = points.begin; i < points.end; i++)
        box = rp_box3_add(box, rp_v3(x[i], y[i], z[i]));
    return rp_couple_ball_of_box(box);
}

rp_ball rp_couple_ball_of_points(const void *context, rp_range grains)
{
    const rp_couple_points *points = context;
    rp_ball ball = rp_couple_ball_around(points->x, points->y, points->z, grains);
    ball.radius += points->reach;
    return ball;
}

typedef struct near_job {
    const rp_couple *couple;
    const rp_couple_search *search;
    rp_surface_list *lists; /* of the blocks */
    int *first_pass;        /* NEAR_CAPACITY for each of them */
} near_job;

/* Lists the surfaces near a block, up to `capacity`; returns the number of all of them. */
static int find_near(const near_job *job, rp_range range, int *near, int capacity)
{
    const rp_couple *couple = job->couple;
    rp_ball ball = job->search->ball(job->search->context, range);
    if (ball.radius < 0) return 0;
    rp_surface_list all = {.count = couple->count};
    return rp_surfaces_near(couple->surfaces, all, ball.centre, ball.radius, 0, near, capacity);
}

static void near_range(void *context, rp_range range)
{
    const near_job *job = context;
    size_t block = range.begin / job->search->block;
    rp_surface_list *list = &job->lists[block];
    list->index = job->first_pass + block * NEAR_CAPACITY;
    list->count = find_near(job, range, list->index, NEAR_CAPACITY);
}

/* Searches again where a block has more surfaces than the first pass could list. */
static void long_range(void *context, rp_range range)
{
    const near_job *job = context;
    rp_surface_list *list = &job->lists[range.begin / job->search->block];
    if (list->count > NEAR_CAPACITY) find_near(job, range, list->index, list->count);
}

/* Allocates and fills the lists of blocks with many surfaces. */
static rp_code make_long_lists(near_job *job, size_t blocks, rp_threads *threads, rp_arena *arena,
                               rp_report *report)
{
    size_t total = 0, at = 0;
    for (size_t b = 0; b < blocks; b++)
        if (job->lists[b].count > NEAR_CAPACITY) total += (size_t)job->lists[b].count;
    if (!total) return RP_OK;
    size_t bytes = (total + total / 16) * sizeof(int); /* a few more need no larger arena */
    int *index = rp_arena_take(arena, bytes);
    if (!index) return rp_fail_memory(report, bytes, "surfaces near grains");
    for (size_t b = 0; b < blocks; b++) {
        if (job->lists[b].count <= NEAR_CAPACITY) continue;
        job->lists[b].index = index + at;
        at += (size_t)job->lists[b].count;
    }
    rp_parallel_for(threads, job->search->grains, job->search->block, long_range, job);
    return RP_OK;
}

rp_code rp_couple_near(const rp_couple *couple, const rp_couple_search *search, rp_threads *threads,
                       rp_arena *arena, rp_surface_list **out, rp_report *report)
{
    RP_ASSERT(search->block > 0);
    size_t blocks = (search->grains + search->block - 1) / search->block;
    near_job job = {.couple = couple, .search = search};
    size_t lists = blocks * sizeof *job.lists;
    size_t first_pass = blocks * NEAR_CAPACITY * sizeof *job.first_pass;
    *out = job.lists = rp_arena_take(arena, lists);
    job.first_pass = rp_arena_take(arena, first_pass);
    if (!job.lists || !job.first_pass)
        return rp_fail_memory(report, lists + first_pass, "surfaces near grains");
    rp_parallel_for(threads, search->grains, search->block, near_range, &job);
    return make_long_lists(&job, blocks, threads, arena, report);
}

/* --- forces on bodies --- */

rp_code rp_couple_begin(rp_couple *couple, size_t grains, size_t block, size_t rows,
                        rp_arena *arena, rp_report *report)
{
    RP_ASSERT(block > 0 && rows > 0);
    size_t blocks = (grains + block - 1) / block;
    couple->grains = grains;
    couple->block = block;
    /* As few blocks share a row as keep the number of rows at most `rows`: it must not depend on
     * the number of threads. */
    couple->row_blocks = blocks / rows + 1;
    couple->row_count = (blocks + couple->row_blocks - 1) / couple->row_blocks;
    size_t row = (size_t)couple->body_count * sizeof(rp_load), bytes = couple->row_count * row;
    couple->rows = rp_arena_take(arena, bytes);
    couple->loads = rp_arena_take(arena, row);
    if (!couple->rows || !couple->loads)
        return rp_fail_memory(report, bytes + row, "forces on bodies");
    memset(couple->rows, 0, bytes);
    couple->report = report;
    couple->code = RP_OK;
    couple->begun = true;
    return RP_OK;
}

typedef struct block_loop {
    rp_range_fn *body;
    void *context;
    size_t block;
} block_loop;

/* The blocks of one row, one after another on this thread. */
static void row_range(void *context, rp_range range)
{
    const block_loop *loop = context;
    for (size_t at = range.begin; at < range.end; at += loop->block) {
        size_t end = range.end - at < loop->block ? range.end : at + loop->block;
        loop->body(loop->context, (rp_range){at, end, range.worker});
    }
}

void rp_couple_for(const rp_couple *couple, rp_threads *threads, rp_range_fn *body, void *context)
{
    RP_ASSERT(couple->begun);
    block_loop loop = {body, context, couple->block};
    rp_parallel_for(threads, couple->grains, couple->block * couple->row_blocks, row_range, &loop);
}

/* Returns the sum of a body in the row of a block. */
static rp_load *row_of(rp_couple *couple, size_t block, int body)
{
    size_t row = block / couple->row_blocks;
    RP_ASSERT(couple->begun && row < couple->row_count && body < couple->body_count);
    return &couple->rows[row * (size_t)couple->body_count + (size_t)body];
}

void rp_couple_add_force(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 point,
                         rp_vec3 force)
{
    if (surface->body < 0) return;
    rp_load *sum = row_of(couple, block, surface->body);
    rp_vec3 arm = rp_v3_sub(point, surface->pose.position);
    sum->force = rp_v3_add(sum->force, force);
    sum->torque = rp_v3_add(sum->torque, rp_v3_cross(arm, force));
}

void rp_couple_add_torque(rp_couple *couple, size_t block, const rp_surface *surface,
                          rp_vec3 torque)
{
    if (surface->body < 0) return;
    rp_load *sum = row_of(couple, block, surface->body);
    sum->torque = rp_v3_add(sum->torque, torque);
}

void rp_couple_add_mass(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 point,
                        double mass)
{
    if (!surface->dynamic) return;
    /* Mass, first and second moments about the body's origin: the grain as a point mass on it. */
    rp_load *sum = row_of(couple, block, surface->body);
    rp_vec3 arm = rp_v3_sub(point, surface->pose.position);
    const double second[6] = {arm.x * arm.x, arm.y * arm.y, arm.z * arm.z,
                              arm.x * arm.y, arm.x * arm.z, arm.y * arm.z};
    sum->mass += mass;
    sum->moment = rp_v3_madd(sum->moment, mass, arm);
    for (int k = 0; k < 6; k++)
        sum->second[k] += mass * second[k];
}

static void add_load(rp_load *sum, const rp_load *part)
{
    sum->force = rp_v3_add(sum->force, part->force);
    sum->torque = rp_v3_add(sum->torque, part->torque);
    sum->mass += part->mass;
    sum->moment = rp_v3_add(sum->moment, part->moment);
    for (int k = 0; k < 6; k++)
        sum->second[k] += part->second[k];
}

/* Adds up all rows, in their order. */
static void add_rows(rp_couple *couple)
{
    size_t bodies = (size_t)couple->body_count;
    memset(couple->loads, 0, bodies * sizeof *couple->loads);
    for (size_t row = 0; row < couple->row_count; row++)
        for (size_t i = 0; i < bodies; i++)
            add_load(&couple->loads[i], &couple->rows[row * bodies + i]);
}

double rp_couple_solve(rp_couple *couple)
{
    RP_ASSERT(couple->begun);
    add_rows(couple);
    memset(couple->rows, 0, couple->row_count * (size_t)couple->body_count * sizeof *couple->rows);
    rp_code code = rp_bodies_predict(couple->bodies, couple->loads, couple->report);
    if (couple->code == RP_OK) couple->code = code;
    /* Surfaces take the new velocities; poses stay until the end of the step. */
    const rp_body_state *states = rp_bodies_states(couple->bodies);
    double most = 0;
    for (int i = 0; i < couple->count; i++) {
        rp_surface *surface = &couple->surfaces[i];
        if (!surface->dynamic) continue;
        rp_vec3 velocity = rp_v3_from(states[surface->body].velocity);
        rp_vec3 spin = rp_v3_from(states[surface->body].angular_velocity);
        most = fmax(most, speed_of(surface->shape, rp_v3_sub(velocity, surface->velocity),
                                   rp_v3_sub(spin, surface->spin)));
        surface->velocity = velocity;
        surface->spin = spin;
    }
    return most;
}

rp_code rp_couple_finish(rp_couple *couple)
{
    RP_ASSERT(couple->begun);
    rp_body_state *states = rp_bodies_states(couple->bodies);
    add_rows(couple);
    for (int i = 0; i < couple->body_count; i++) {
        memcpy(states[i].force, &couple->loads[i].force, sizeof states[i].force);
        memcpy(states[i].torque, &couple->loads[i].torque, sizeof states[i].torque);
    }
    couple->rows = couple->loads = NULL;
    couple->row_count = couple->grains = 0;
    couple->begun = false;
    return couple->code;
}
