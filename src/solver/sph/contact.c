/* Grains on solids (G12 to G15): every grain is a ball of half a spacing against the exact surface.
 * Contacts act on single grains, so that their impulses need no iteration: velocities are
 * corrected wherever they are computed. */
#include "base/report.h"
#include "solver/sph/sph.h"
#include "solver/sph/stress.h"

/* Contacts of one grain influence each other; so many rounds settle an edge or a corner. */
#define ROUNDS 4
/* One contact alone needs one round, but rounding leaves a trifle of a great speed: it may not lead
 * through the wall when grains move. */
#define ROUNDS_ALONE 2
/* Spacings that a grain inside a solid is moved out per step: quick, but no jump to be seen. */
#define OUT_PER_STEP 0.1
/* Surfaces near a block of grains that are told apart; with more, every grain looks at all. */
#define NEAR_MOST 64
/* Rows of forces are as many as blocks, but no more than this: each has room for all bodies. */
#define ROWS_MOST 1024

typedef struct search {
    const rp_solver *solver;
    double reach; /* m, from the surface to the grain's middle */
} search;

static void ball_around(const rp_particles *p, size_t begin, size_t end, rp_vec3 *middle,
                        double *radius)
{
    rp_box3 box = {rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    for (size_t i = begin; i < end; i++) {
        rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
        box.low = rp_v3_min(box.low, at);
        box.high = rp_v3_max(box.high, at);
    }
    *middle = rp_v3_scale(rp_v3_add(box.low, box.high), 0.5);
    *radius = 0.5 * rp_v3_length(rp_v3_sub(box.high, box.low));
}

/* The surfaces that a block of grains may touch: grains lie in cell order, so a block is small in
 * space, and one look from the middle of the ball around it settles most of them. */
static int surfaces_near(const search *s, size_t begin, size_t end, int near[NEAR_MOST])
{
    const rp_couple *couple = s->solver->frame.couple;
    const rp_surface *surfaces = rp_couple_surfaces(couple);
    int count = rp_couple_count(couple), found = 0;
    rp_vec3 middle;
    double radius;
    ball_around(s->solver->frame.particles, begin, end, &middle, &radius);
    for (int k = 0; k < count; k++) {
        rp_touch touch;
        if (!rp_surface_touch(&surfaces[k], middle, s->reach + radius, &touch)) continue;
        if (found == NEAR_MOST) return -1;
        near[found++] = k;
    }
    return found;
}

static rp_sph_contact contact_of(const rp_solver *solver, size_t i, int k, const rp_touch *touch)
{
    const rp_surface *surface = &rp_couple_surfaces(solver->frame.couple)[k];
    const rp_material_spec *materials = rp_scene_materials(solver->frame.scene);
    const rp_particles *p = solver->frame.particles;
    return (rp_sph_contact){.grain = (uint32_t)i,
                            .surface = k,
                            .nx = (float)touch->normal.x,
                            .ny = (float)touch->normal.y,
                            .nz = (float)touch->normal.z,
                            .ux = (float)touch->velocity.x,
                            .uy = (float)touch->velocity.y,
                            .uz = (float)touch->velocity.z,
                            .gap = (float)(touch->distance - solver->spacing / 2),
                            .friction =
                                (float)rp_surface_friction(surface, &materials[p->material[i]])};
}

/* The contacts of a block, grain by grain: their number, and themselves where `out` is not NULL. */
static uint32_t block_contacts(const search *s, size_t begin, size_t end, rp_sph_contact *out)
{
    const rp_solver *solver = s->solver;
    const rp_particles *p = solver->frame.particles;
    const rp_surface *surfaces = rp_couple_surfaces(solver->frame.couple);
    int near[NEAR_MOST], near_count = surfaces_near(s, begin, end, near);
    int count = near_count < 0 ? rp_couple_count(solver->frame.couple) : near_count;
    uint32_t found = 0;
    for (size_t i = begin; i < end && count; i++)
        for (int n = 0; n < count; n++) {
            int k = near_count < 0 ? n : near[n];
            rp_touch touch;
            rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
            if (!rp_surface_touch(&surfaces[k], at, s->reach, &touch)) continue;
            if (out) out[found] = contact_of(solver, i, k, &touch);
            found++;
        }
    return found;
}

static void count_range(void *context, size_t begin, size_t end)
{
    const search *s = context;
    s->solver->work.contact_start[begin / RP_SPH_BLOCK + 1] = block_contacts(s, begin, end, NULL);
}

static void fill_range(void *context, size_t begin, size_t end)
{
    const search *s = context;
    const rp_sph_work *w = &s->solver->work;
    size_t block = begin / RP_SPH_BLOCK;
    if (w->contact_start[block + 1] == w->contact_start[block]) return;
    block_contacts(s, begin, end, w->contacts + w->contact_start[block]);
}

/* Contacts with every surface nearer than `reach` to the middle of a grain. */
static rp_code find_contacts(rp_solver *solver, double reach, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    rp_sph_work *w = &solver->work;
    size_t count = frame->particles->count;
    search s = {solver, reach};
    w->reach = reach;
    w->blocks = (count + RP_SPH_BLOCK - 1) / RP_SPH_BLOCK;
    size_t bytes = (w->blocks + 1) * sizeof *w->contact_start;
    w->contact_start = rp_arena_take(frame->arena, bytes);
    if (!w->contact_start) return rp_fail_memory(report, bytes, "contacts with solids");
    w->contact_start[0] = 0;
    rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, count_range, &s);
    for (size_t block = 0; block < w->blocks; block++)
        w->contact_start[block + 1] += w->contact_start[block];
    bytes = rp_sph_roomy(w->contact_start[w->blocks]) * sizeof *w->contacts;
    w->contacts = rp_arena_take(frame->arena, bytes);
    if (!w->contacts) return rp_fail_memory(report, bytes, "contacts with solids");
    rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, fill_range, &s);
    return RP_OK;
}

/* How near a surface must be for a grain of that speed to touch it in this step. */
static double reach_of(const rp_solver *solver, double speed)
{
    speed += rp_couple_max_speed(solver->frame.couple);
    return fmax(solver->spacing, 0.5 * solver->spacing + 1.2 * speed * solver->dt);
}

rp_code rp_sph_contacts(rp_solver *solver, rp_report *report)
{
    double speed = rp_sph_max_speed(solver) + rp_v3_length(solver->gravity) * solver->dt;
    return find_contacts(solver, reach_of(solver, speed), report);
}

static double speed_of_range(void *context, size_t begin, size_t end)
{
    const rp_four *velocity = context;
    double most = 0;
    for (size_t i = begin; i < end; i++) {
        rp_four v = velocity[i];
        double x = (double)v[0], y = (double)v[1], z = (double)v[2];
        most = fmax(most, x * x + y * y + z * z);
    }
    return sqrt(most);
}

/* What pressure, cohesion or the host's forces made of velocities in this step may lead further
 * than the contacts that are known: grains would pass a wall that nobody looked at. */
static rp_code look_further(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    double speed = rp_parallel_max(frame->threads, frame->particles->count, RP_SPH_BLOCK,
                                   speed_of_range, solver->work.velocity);
    double least =
        0.5 * solver->spacing + (speed + rp_couple_max_speed(frame->couple)) * solver->dt;
    return least > solver->work.reach ? find_contacts(solver, reach_of(solver, speed), report)
                                      : RP_OK;
}

static rp_four resolve(const rp_sph_contact *c, float per_dt, rp_four v)
{
    const float normal[3] = {c->nx, c->ny, c->nz};
    float relative[3] = {v[0] - c->ux, v[1] - c->uy, v[2] - c->uz};
    rp_sph_keep_out(relative, normal, c->gap > 0 ? c->gap * per_dt : 0, c->friction);
    return (rp_four){relative[0] + c->ux, relative[1] + c->uy, relative[2] + c->uz, 0};
}

/* Where a grain's contacts end that begin at c. */
static uint32_t same_grain(const rp_sph_work *w, uint32_t c, uint32_t end)
{
    uint32_t last = c;
    while (last < end && w->contacts[last].grain == w->contacts[c].grain)
        last++;
    return last;
}

void rp_sph_contact_velocities(const rp_solver *solver, size_t block, rp_four *velocity)
{
    const rp_sph_work *w = &solver->work;
    float per_dt = (float)(1 / solver->dt);
    uint32_t end = w->contact_start[block + 1];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        last = same_grain(w, c, end);
        rp_four *v = &velocity[w->contacts[c].grain];
        int rounds = last - c > 1 ? ROUNDS : 1;
        for (int round = 0; round < rounds; round++)
            for (uint32_t k = c; k < last; k++)
                *v = resolve(&w->contacts[k], per_dt, *v);
    }
}

typedef struct forces {
    rp_solver *solver;
    size_t row_blocks; /* blocks of grains that share a row of forces */
} forces;

static void push_bodies(const forces *f, size_t block)
{
    rp_solver *solver = f->solver;
    const rp_sph_work *w = &solver->work;
    const rp_particles *p = solver->frame.particles;
    const rp_surface *surfaces = rp_couple_surfaces(solver->frame.couple);
    float per_dt = (float)(1 / solver->dt);
    uint32_t end = w->contact_start[block + 1];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        last = same_grain(w, c, end);
        uint32_t i = w->contacts[c].grain;
        rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
        int rounds = last - c > 1 ? ROUNDS : ROUNDS_ALONE;
        for (int n = 0; n < rounds * (int)(last - c); n++) {
            const rp_sph_contact *k = &w->contacts[c + (uint32_t)n % (last - c)];
            rp_four before = w->velocity[i], after = resolve(k, per_dt, before);
            rp_four force = (before - after) * (p->mass[i] * per_dt);
            w->velocity[i] = after;
            rp_couple_push(solver->frame.couple, block / f->row_blocks, &surfaces[k->surface], at,
                           rp_v3((double)force[0], (double)force[1], (double)force[2]));
        }
    }
}

static void push_range(void *context, size_t begin, size_t end)
{
    for (size_t block = begin; block < end; block++)
        push_bodies(context, block);
}

rp_code rp_sph_contact_forces(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    size_t blocks = solver->work.blocks;
    forces f = {solver, blocks / ROWS_MOST + 1};
    size_t rows = (blocks + f.row_blocks - 1) / f.row_blocks;
    rp_code code = look_further(solver, report);
    if (code == RP_OK) code = rp_couple_begin(frame->couple, rows, frame->arena, report);
    if (code != RP_OK) return code;
    rp_parallel_for(frame->threads, blocks, f.row_blocks, push_range, &f);
    rp_couple_finish(frame->couple);
    return RP_OK;
}

void rp_sph_contact_positions(const rp_solver *solver, size_t block)
{
    const rp_sph_work *w = &solver->work;
    const rp_particles *p = solver->frame.particles;
    float most = (float)(OUT_PER_STEP * solver->spacing);
    for (uint32_t c = w->contact_start[block]; c < w->contact_start[block + 1]; c++) {
        const rp_sph_contact *k = &w->contacts[c];
        float out = -k->gap < most ? -k->gap : most;
        if (!(out > 0)) continue;
        p->x[k->grain] += out * k->nx;
        p->y[k->grain] += out * k->ny;
        p->z[k->grain] += out * k->nz;
    }
}
