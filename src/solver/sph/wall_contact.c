/* Contact of grains with solids (G12 to G15a): every grain is a ball of half a spacing against the
 * exact surface, with Coulomb friction. A contact acts on a single grain, so its impulse needs no
 * unknown of the solve: velocities are corrected wherever they are computed. Dynamic bodies are
 * solved for their velocities each time (G15a). */
#include "base/report.h"
#include "solver/sph/constitutive.h"
#include "solver/sph/sph.h"

/* Contacts of one grain influence each other; so many Gauss-Seidel rounds resolve an edge or a
 * corner. */
#define ROUNDS 4
/* One contact alone needs one round, but rounding leaves a small part of a great speed: a second
 * round removes it, or the grain could pass through the wall. */
#define ROUNDS_SINGLE 2
/* Spacings that a grain inside a solid is moved out per step: fast, but without visible jumps. */
#define OUT_PER_STEP 0.1
/* Largest number of rows of forces on bodies; they are summed for every solve of dynamic bodies. */
#define ROWS 64
/* Solves of dynamic bodies: in a sweep, where the next sweep follows, and at the end, until their
 * velocities change by less than this fraction of what gravity adds in a step. */
#define BODY_SOLVES_IN_SWEEP 1
#define BODY_SOLVES_AT_END 40
#define BODY_TOLERANCE 1e-4
/* How often contacts are searched again when bodies have become faster. */
#define SEARCHES_AGAIN 3
/* Grains nearer to a body than this, in spacings, move with it, whether they push it yet or not. */
#define HELD 0.25f

/* (G4a): the kernel deficiency of a single layer is twice that of a flat surface, and the gradients
 * of its pairs add up to zero; from half of a surface's gradient sum on (in 1 / spacing) sand lies
 * on top of it. */
#define LAYER_DEFICIENCY 0.300f
#define COVERED 0.255f
/* Grains of thicker layers have a larger volume fraction than this; 0.05 below it is a single one.
 */
#define THICK 0.85f

/* --- finding contacts --- */

typedef struct search {
    const rp_sph *solver;
    double reach;          /* m, from the surface to the grain's centre */
    rp_surface_list *near; /* of each block */
    /* Extended search: the contacts known so far, and the grain speed for which they suffice. */
    const rp_sph_contact *known;             /* NULL: first search */
    const uint32_t *known_start, *known_end; /* of each block */
    double enough;                           /* m/s */
} search;

/* (G14a): the sand between a rough surface and the grain's centre is sheared by the slip. */
static void set_friction_growth(const rp_sph *solver, size_t i, rp_sph_contact *c)
{
    const rp_sph_material *material = &solver->materials[solver->host.grains->material[i]];
    if (!(material->dynamic_yield > 0)) return;
    const float root2 = 1.41421356f;
    c->friction_growth = (material->dynamic_yield - material->yield) / root2;
    /* 1/s, shear rate of half the growth; times the distance d / 2 a slip speed. */
    float rate = root2 * material->rate_scale * sqrtf(solver->work.mean_pressure[i]);
    c->slip_scale = 0.5f * rate * (float)solver->spacing;
}

static rp_sph_contact contact_of(const rp_sph *solver, size_t i, int k, const rp_touch *touch)
{
    const rp_surface *surface = &rp_couple_surfaces(solver->host.couple)[k];
    const rp_material_spec *materials = rp_scene_materials(solver->host.scene);
    const rp_grains *p = solver->host.grains;
    rp_sph_contact c = {.grain = (uint32_t)i,
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
    if (solver->rate_dependent && !isfinite(surface->friction)) set_friction_growth(solver, i, &c);
    return c;
}

/* Returns the distance in m within which a grain of that speed may touch a surface in this step. */
static double reach_of(const rp_sph *solver, double speed)
{
    speed += rp_couple_max_speed(solver->host.couple);
    return fmax(solver->spacing, 0.5 * solver->spacing + 1.2 * speed * solver->dt);
}

/* Writes the contacts of one grain to `out` and returns their number; without `out` an upper bound
 * of it, which is faster. */
static uint32_t grain_contacts(const search *s, size_t i, double reach, rp_sph_contact *out)
{
    const rp_surface_list *near = &s->near[i / RP_SPH_BLOCK];
    const rp_grains *p = s->solver->host.grains;
    const rp_couple *couple = s->solver->host.couple;
    rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
    uint32_t found = 0;
    for (int n = 0; n < near->count; n++) {
        int k = near->index[n];
        const rp_surface *surface = &rp_couple_surfaces(couple)[k];
        rp_touch touch;
        if (!out)
            found += rp_surface_may_touch(surface, at, reach);
        else if (rp_surface_touch(surface, at, reach, &touch))
            out[found++] = contact_of(s->solver, i, k, &touch);
    }
    return found;
}

static double speed_of(rp_float4 v)
{
    v *= v;
    return sqrt((double)(v[0] + v[1] + v[2]));
}

/* Bounding ball of a block, for the search of surfaces. In an extended search, blocks whose grains
 * are all slow enough search for none. */
static rp_ball ball_of(const void *context, rp_range range)
{
    const search *s = context;
    const rp_grains *p = s->solver->host.grains;
    bool wanted = !s->known;
    for (size_t i = range.begin; i < range.end && !wanted; i++)
        wanted = speed_of(s->solver->work.velocity[i]) > s->enough;
    if (!wanted) return (rp_ball){.radius = -1};
    rp_ball ball = rp_couple_ball_around(p->x, p->y, p->z, range);
    ball.radius += s->reach;
    return ball;
}

/* Extended search in a block: only grains that are too fast for the known contacts search again,
 * each within the distance that it may travel. */
static uint32_t extend_block(const search *s, size_t begin, size_t end, rp_sph_contact *out)
{
    const rp_sph *solver = s->solver;
    const rp_sph_contact *known = s->known + s->known_start[begin / RP_SPH_BLOCK];
    const rp_sph_contact *known_end = s->known + s->known_end[begin / RP_SPH_BLOCK];
    uint32_t found = 0;
    for (size_t i = begin; i < end; i++) {
        /* The known contacts of grain i, in grain order. */
        const rp_sph_contact *first = known;
        while (known < known_end && known->grain == i)
            known++;
        double speed = speed_of(solver->work.velocity[i]);
        if (speed <= s->enough) {
            for (; first < known; first++, found++)
                if (out) out[found] = *first;
            continue;
        }
        found += grain_contacts(s, i, reach_of(solver, speed), out ? out + found : NULL);
    }
    return found;
}

/* Writes the contacts of a block, grain by grain, and returns their number; without `out` an upper
 * bound of it. */
static uint32_t block_contacts(const search *s, size_t begin, size_t end, rp_sph_contact *out)
{
    if (s->known) return extend_block(s, begin, end, out);
    uint32_t found = 0;
    int near = s->near[begin / RP_SPH_BLOCK].count;
    for (size_t i = begin; i < end && near; i++)
        found += grain_contacts(s, i, s->reach, out ? out + found : NULL);
    return found;
}

static void count_range(void *context, rp_range range)
{
    const search *s = context;
    s->solver->work.contact_start[range.begin / RP_SPH_BLOCK + 1] =
        block_contacts(s, range.begin, range.end, NULL);
}

static void fill_range(void *context, rp_range range)
{
    const search *s = context;
    const rp_sph_work *w = &s->solver->work;
    size_t block = rp_sph_block(s->solver, range);
    RP_ASSERT(w->contact_start[block] <= w->contact_start[block + 1]);
    uint32_t start = w->contact_start[block], capacity = w->contact_start[block + 1] - start;
    w->contact_end[block] = start;
    if (capacity)
        w->contact_end[block] += block_contacts(s, range.begin, range.end, w->contacts + start);
    RP_ASSERT(w->contact_end[block] - start <= capacity); /* the count was an upper bound */
}

/* Finds contacts in two passes over blocks: count, prefix sum, write. */
static rp_code find_contacts(rp_sph *solver, search s, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_sph_work *w = &solver->work;
    size_t count = host->grains->count;
    if (!s.known) w->reach = s.reach; /* an extended search does not extend that of slow grains */
    size_t bytes = (w->blocks + 1) * sizeof *w->contact_start;
    w->contact_start = rp_arena_take(host->arena, bytes);
    w->contact_end = rp_arena_take(host->arena, bytes);
    if (!w->contact_start || !w->contact_end)
        return rp_fail_memory(report, 2 * bytes, "contacts with solids");
    rp_couple_search blocks = {count, RP_SPH_BLOCK, ball_of, &s};
    rp_code code =
        rp_couple_near(host->couple, &blocks, host->threads, host->arena, &s.near, report);
    RP_TRY(code);
    w->contact_start[0] = 0;
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, count_range, &s);
    for (size_t block = 0; block < w->blocks; block++)
        w->contact_start[block + 1] += w->contact_start[block];
    bytes = rp_sph_padded(w->contact_start[w->blocks]) * sizeof *w->contacts;
    w->contacts = rp_arena_take(host->arena, bytes);
    if (!w->contacts) return rp_fail_memory(report, bytes, "contacts with solids");
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, fill_range, &s);
    return RP_OK;
}

rp_code rp_sph_find_contacts(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    double speed = rp_grains_max_speed(solver->host.grains, solver->host.threads) +
                   rp_v3_length(solver->gravity) * solver->dt;
    rp_code code =
        find_contacts(solver, (search){.solver = solver, .reach = reach_of(solver, speed)}, report);
    RP_TRY(code);
    return rp_couple_begin(host->couple, host->grains->count, RP_SPH_BLOCK, ROWS, host->arena,
                           report);
}

static double speed_of_range(void *context, rp_range range)
{
    const rp_float4 *velocity = context;
    double most = 0;
    for (size_t i = range.begin; i < range.end; i++)
        most = fmax(most, speed_of(velocity[i]));
    return most;
}

/* Searches contacts again for grains that pressure, cohesion or the host's forces have made so fast
 * in this step that they could pass a wall which was not searched for. Where a solid pushes, the
 * solve drives grains at it many times faster than they will move, so this is common; but such
 * grains are few. */
static rp_code extend_contacts(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    const rp_sph_work *w = &solver->work;
    double speed =
        rp_reduce_max(host->grains, host->threads, RP_SPH_BLOCK, speed_of_range, w->velocity);
    double enough = (w->reach - 0.5 * solver->spacing) / solver->dt;
    enough -= rp_couple_max_speed(host->couple);
    if (speed <= enough) return RP_OK;
    search s = {.solver = solver,
                .reach = reach_of(solver, speed),
                .known = w->contacts,
                .known_start = w->contact_start,
                .known_end = w->contact_end,
                .enough = enough};
    return find_contacts(solver, s, report);
}

/* Returns where the contacts of one grain end that begin at c. */
static uint32_t same_grain(const rp_sph_work *w, uint32_t c, uint32_t end)
{
    uint32_t last = c;
    while (last < end && w->contacts[last].grain == w->contacts[c].grain)
        last++;
    return last;
}

/* --- kernel deficiency of single layers (G4a) --- */

/* Returns the kernel deficiency of a grain on a floor which (G4) does not see, since no sand lies
 * on top of it. */
static float deficiency_at(const rp_sph *solver, const rp_sph_contact *c)
{
    float spacing = (float)solver->spacing, gap = c->gap > 0 ? c->gap / spacing : 0;
    rp_float4 g = solver->quantum * spacing * solver->work.gradient_sum[c->grain];
    rp_vec3 down = solver->gravity, n = rp_v3((double)c->nx, (double)c->ny, (double)c->nz);
    /* 1 for a floor, 0 for a wall. */
    float level = (float)(-rp_v3_dot(down, n) / rp_v3_length(down));
    float floor = fminf(1, fmaxf(0, 4 * level - 2));
    /* From 0 to 1 as sand lies on top. */
    float above = (g[0] * c->nx + g[1] * c->ny + g[2] * c->nz) / COVERED;
    float near = gap < 1 ? (1 - gap) * (1 - gap) : 0;
    const rp_grains *p = solver->host.grains;
    float fraction = p->density[c->grain] / solver->materials[p->material[c->grain]].density;
    float thin = fminf(1, fmaxf(0, 20 * (THICK - fraction)));
    return above < 1 ? thin * floor * LAYER_DEFICIENCY * near * fminf(1, 1 - above) : 0;
}

static void deficiency_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_sph_work *w = &solver->work;
    for (size_t block = range.begin; block < range.end; block++)
        for (uint32_t c = w->contact_start[block], last; c < w->contact_end[block]; c = last) {
            float deficiency = 0;
            last = same_grain(w, c, w->contact_end[block]);
            for (uint32_t k = c; k < last; k++)
                deficiency = fmaxf(deficiency, deficiency_at(solver, &w->contacts[k]));
            w->free_velocity[w->contacts[c].grain][RP_SPH_FRACTION_ERROR] += deficiency;
        }
}

void rp_sph_contact_deficiency(rp_sph *solver)
{
    if (!solver->params.surface || solver->predictive || solver->weightless) return;
    rp_parallel_for(solver->host.threads, solver->work.blocks, 1, deficiency_range, solver);
}

/* --- contact impulses (G13, G14) --- */

/* Returns the velocity v of a grain after the impulse of one contact: it may close its gap in the
 * step, no more. */
static rp_float4 resolve(const rp_sph_contact *c, float per_dt, rp_float4 v)
{
    const float normal[3] = {c->nx, c->ny, c->nz};
    float relative[3] = {v[0] - c->ux, v[1] - c->uy, v[2] - c->uz};
    rp_sph_wall_impulse(relative, normal, c->gap > 0 ? c->gap * per_dt : 0, c->friction,
                        c->friction_growth, c->slip_scale);
    return (rp_float4){relative[0] + c->ux, relative[1] + c->uy, relative[2] + c->uz, v[3]};
}

static void contact_velocities(const rp_sph *solver, size_t block, rp_float4 *velocity)
{
    const rp_sph_work *w = &solver->work;
    float per_dt = (float)(1 / solver->dt);
    RP_ASSERT(block < w->blocks);
    uint32_t end = w->contact_end[block];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        last = same_grain(w, c, end);
        rp_float4 *v = &velocity[w->contacts[c].grain];
        int rounds = last - c > 1 ? ROUNDS : 1;
        for (int round = 0; round < rounds; round++)
            for (uint32_t k = c; k < last; k++)
                *v = resolve(&w->contacts[k], per_dt, *v);
    }
}

void rp_sph_contact_velocities(const rp_sph *solver, size_t block, rp_float4 *velocity)
{
    if (!rp_couple_is_dynamic(solver->host.couple)) contact_velocities(solver, block, velocity);
}

/* --- forces on bodies (G15a) --- */

/* A pass over all contacts, block by block, that adds forces to bodies. */
typedef struct pushing {
    rp_sph *solver;
    bool trial; /* dynamic bodies only, and grains keep their velocities */
} pushing;

/* The velocity of a dynamic body may have changed since the contact was found. */
static void update_body_velocity(rp_sph_contact *c, const rp_surface *surface, rp_vec3 at)
{
    rp_vec3 arm = rp_v3_sub(at, surface->pose.position);
    rp_vec3 u = rp_v3_add(surface->velocity, rp_v3_cross(surface->spin, arm));
    c->ux = (float)u.x;
    c->uy = (float)u.y;
    c->uz = (float)u.z;
}

/* Returns whether a grain is close to the body, or will reach it in this step. */
static bool is_held(const rp_sph *solver, const rp_sph_contact *c, rp_float4 v)
{
    float closing = (c->ux - v[0]) * c->nx + (c->uy - v[1]) * c->ny + (c->uz - v[2]) * c->nz;
    return c->gap < HELD * (float)solver->spacing || c->gap < closing * (float)solver->dt;
}

/* Updates the body velocities of the contacts from c to last, which are of one grain. Returns
 * whether one of them is with a dynamic body. */
static bool update_contacts(const pushing *q, size_t block, uint32_t c, uint32_t last, rp_vec3 at)
{
    const rp_sph *solver = q->solver;
    const rp_grains *p = solver->host.grains;
    const rp_surface *surfaces = rp_couple_surfaces(solver->host.couple);
    bool dynamic = false;
    for (; c < last; c++) {
        rp_sph_contact *k = &solver->work.contacts[c];
        const rp_surface *surface = &surfaces[k->surface];
        if (!surface->dynamic) continue;
        dynamic = true;
        update_body_velocity(k, surface, at);
        /* Grains that move with the body count as its mass in the solve. */
        if (q->trial && is_held(solver, k, solver->work.velocity[k->grain]))
            rp_couple_add_mass(solver->host.couple, block, surface, at, p->mass[k->grain]);
    }
    return dynamic;
}

static void push_block(void *context, rp_range range)
{
    const pushing *q = context;
    rp_sph *solver = q->solver;
    const rp_sph_work *w = &solver->work;
    const rp_grains *p = solver->host.grains;
    const rp_surface *surfaces = rp_couple_surfaces(solver->host.couple);
    float per_dt = (float)(1 / solver->dt);
    size_t block = rp_sph_block(solver, range);
    uint32_t end = w->contact_end[block];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        last = same_grain(w, c, end);
        uint32_t i = w->contacts[c].grain;
        rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
        if (!update_contacts(q, block, c, last, at) && q->trial) continue;
        int rounds = last - c > 1 ? ROUNDS : ROUNDS_SINGLE;
        rp_float4 v = w->velocity[i];
        /* The momentum that the grain loses in each impulse, over dt, is the force on the body. */
        for (int n = 0; n < rounds * (int)(last - c); n++) {
            const rp_sph_contact *k = &w->contacts[c + (uint32_t)n % (last - c)];
            rp_float4 after = resolve(k, per_dt, v), force = (v - after) * (p->mass[i] * per_dt);
            v = after;
            rp_couple_add_force(solver->host.couple, block, &surfaces[k->surface], at,
                                rp_v3((double)force[0], (double)force[1], (double)force[2]));
        }
        if (!q->trial) w->velocity[i] = v;
    }
}

static void push_all(rp_sph *solver, bool trial)
{
    pushing q = {.solver = solver, .trial = trial};
    rp_couple_for(solver->host.couple, solver->host.threads, push_block, &q);
}

/* (G15a): alternates trial forces of the grains and the solve of the bodies. */
static void solve_bodies(rp_sph *solver, int times)
{
    double enough =
        BODY_TOLERANCE * solver->spacing / solver->fall_time * solver->dt / solver->fall_time;
    double change = INFINITY;
    for (int n = 0; n < times && change > enough; n++) {
        push_all(solver, true);
        change = rp_couple_solve(solver->host.couple);
    }
}

static void body_response_range(void *context, rp_range range)
{
    const pushing *q = context;
    const rp_sph_work *w = &q->solver->work;
    const rp_grains *p = q->solver->host.grains;
    for (size_t block = range.begin; block < range.end; block++) {
        for (uint32_t c = w->contact_start[block], last; c < w->contact_end[block]; c = last) {
            last = same_grain(w, c, w->contact_end[block]);
            uint32_t i = w->contacts[c].grain;
            update_contacts(q, block, c, last, rp_v3(p->x[i], p->y[i], p->z[i]));
        }
        contact_velocities(q->solver, block, w->velocity);
    }
}

void rp_sph_contact_body_response(rp_sph *solver)
{
    if (!rp_couple_is_dynamic(solver->host.couple)) return;
    pushing q = {.solver = solver};
    solve_bodies(solver, BODY_SOLVES_IN_SWEEP);
    rp_parallel_for(solver->host.threads, solver->work.blocks, 1, body_response_range, &q);
}

double rp_sph_residual_at_bodies(const rp_sph *solver)
{
    const rp_sph_work *w = &solver->work;
    const rp_surface *surfaces = rp_couple_surfaces(solver->host.couple);
    float near = HELD * (float)solver->spacing;
    double sum = 0, count = 0;
    for (size_t block = 0; block < w->blocks; block++)
        for (uint32_t c = w->contact_start[block]; c < w->contact_end[block]; c++) {
            const rp_sph_contact *k = &w->contacts[c];
            if (!surfaces[k->surface].dynamic || k->gap > near) continue;
            sum += (double)w->residual[k->grain];
            count++;
        }
    return count > 0 ? sum / count : 0;
}

rp_code rp_sph_contact_forces(rp_sph *solver, rp_report *report)
{
    const rp_couple *couple = solver->host.couple;
    rp_code code = extend_contacts(solver, report);
    /* Bodies that become faster may reach grains that had no contact. */
    for (int n = 0; n < SEARCHES_AGAIN && code == RP_OK && rp_couple_is_dynamic(couple); n++) {
        double before = rp_couple_max_speed(couple);
        solve_bodies(solver, BODY_SOLVES_AT_END);
        if (rp_couple_max_speed(couple) <= before) break;
        code = extend_contacts(solver, report);
    }
    RP_TRY(code);
    push_all(solver, false);
    return rp_couple_finish(solver->host.couple);
}

/* --- positions (G15) --- */

/* Returns a grain's displacement, projected out of solids: into none and no deeper; out of one as
 * far as it is inside, but by no more than `out`. Walls come last in the list, so that they win
 * over bodies that push into them. */
static rp_float4 project(const rp_sph_work *w, uint32_t c, uint32_t last, float out,
                         rp_float4 displacement)
{
    int rounds = last - c > 1 ? ROUNDS : 1;
    for (int round = 0; round < rounds; round++)
        for (uint32_t n = c; n < last; n++) {
            const rp_sph_contact *k = &w->contacts[n];
            rp_float4 normal = {k->nx, k->ny, k->nz, 0}, along = displacement * normal;
            float missing = (-k->gap < out ? -k->gap : out) - (along[0] + along[1] + along[2]);
            if (missing > 0) displacement += missing * normal;
        }
    return displacement;
}

/* Updates the gaps of the contacts from c to last by the displacement of their grain. */
static void change_gaps(const rp_sph_work *w, uint32_t c, uint32_t last, rp_float4 displacement)
{
    for (; c < last; c++) {
        rp_sph_contact *k = &w->contacts[c];
        k->gap += displacement[0] * k->nx + displacement[1] * k->ny + displacement[2] * k->nz;
    }
}

void rp_sph_contact_displacements(const rp_sph *solver, size_t block, rp_float4 *displacement)
{
    const rp_sph_work *w = &solver->work;
    RP_ASSERT(block < w->blocks);
    uint32_t end = w->contact_end[block];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        uint32_t i = w->contacts[c].grain;
        last = same_grain(w, c, end);
        displacement[i] = project(w, c, last, 0, displacement[i]);
        change_gaps(w, c, last, displacement[i]);
    }
}

void rp_sph_contact_positions(const rp_sph *solver, size_t block)
{
    const rp_sph_work *w = &solver->work;
    const rp_grains *p = solver->host.grains;
    float dt = (float)solver->dt, most = (float)(OUT_PER_STEP * solver->spacing);
    RP_ASSERT(block < w->blocks);
    uint32_t end = w->contact_end[block];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        uint32_t i = w->contacts[c].grain;
        rp_float4 v = w->velocity[i];
        last = same_grain(w, c, end);
        /* Gaps after grain and solid have moved by their velocities. */
        for (uint32_t n = c; n < last; n++) {
            rp_sph_contact *k = &w->contacts[n];
            k->gap +=
                dt * ((v[0] - k->ux) * k->nx + (v[1] - k->uy) * k->ny + (v[2] - k->uz) * k->nz);
        }
        /* The grain has already moved by `relaxation`; only the difference is added. */
        rp_float4 relaxation = w->displacement ? w->displacement[i] : (rp_float4){0};
        rp_float4 displacement = project(w, c, last, most, relaxation);
        change_gaps(w, c, last, displacement);
        displacement -= relaxation;
        p->x[i] += displacement[0];
        p->y[i] += displacement[1];
        p->z[i] += displacement[2];
    }
}
