/* Grains on solids (G12 to G15): every grain is a ball of half a spacing against the exact surface.
 * Contacts act on single grains, so that their impulses need no iteration: velocities are
 * corrected wherever they are computed. Dynamic bodies are asked for theirs each time (G15a). */
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
/* Rows of forces on bodies, at most. They are added up for every question to dynamic bodies. */
#define ROWS 64
/* Questions to dynamic bodies: in a sweep, where the next one asks again, and at the end, until
 * their velocities change by less than this part of what gravity adds in a step. */
#define ASKED_IN_SWEEP 1
#define ASKED_AT_END 40
#define AGREED 1e-4
/* Times that bodies may answer with greater speeds, so that grains have to look further. */
#define LOOKED 3
/* Grains nearer to a body than this, in spacings, move with it, whether they push yet or not. */
#define HELD 0.25f

/* (G4a): a single layer lacks twice what a flat surface does, and the gradients of its pairs add up
 * to nothing; from half of a surface's sum on (in one over the spacing) sand lies on it. */
#define LAYER_LACK 0.300f
#define COVERED 0.255f
/* Grains of thicker layers have more than this: with 0.05 less it is a single layer. */
#define THICK 0.85f

typedef struct search {
    const rp_sph *solver;
    double reach;          /* m, from the surface to the grain's middle */
    rp_surface_list *near; /* of each block */
    /* A further look: what is known already, and the speed of grains that this is enough for. */
    const rp_sph_contact *known;             /* NULL: the first look */
    const uint32_t *known_start, *known_end; /* of each block */
    double enough;                           /* m/s */
} search;

/* (G14a): the sand between a rough surface and a grain's middle is sheared by the slip. */
static void add_growth(const rp_sph *solver, size_t i, rp_sph_contact *c)
{
    const rp_sph_material *material = &solver->materials[solver->host.grains->material[i]];
    if (!(material->dynamic > 0)) return;
    const float root2 = 1.41421356f;
    c->growth = (material->dynamic - material->yield) / root2;
    float rate = root2 * material->pace * sqrtf(solver->work.around[i]); /* 1/s, of shear */
    c->pace = 0.5f * rate * (float)solver->spacing;
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
    if (solver->inertial && !isfinite(surface->friction)) add_growth(solver, i, &c);
    return c;
}

/* How near a surface must be for a grain of that speed to touch it in this step. */
static double reach_of(const rp_sph *solver, double speed)
{
    speed += rp_couple_max_speed(solver->host.couple);
    return fmax(solver->spacing, 0.5 * solver->spacing + 1.2 * speed * solver->dt);
}

/* The contacts of one grain: their number, and themselves. Without `out` those that there may be at
 * most, which is quicker to tell. */
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

static double speed_of(rp_four v)
{
    v *= v;
    return sqrt((double)(v[0] + v[1] + v[2]));
}

/* In a further look, blocks of which all grains are slow enough ask for no surfaces. */
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

/* A further look at a block: only grains that are too fast for what is known search again, each as
 * far as it may get. */
static uint32_t block_further(const search *s, size_t begin, size_t end, rp_sph_contact *out)
{
    const rp_sph *solver = s->solver;
    const rp_sph_contact *known = s->known + s->known_start[begin / RP_SPH_BLOCK];
    const rp_sph_contact *known_end = s->known + s->known_end[begin / RP_SPH_BLOCK];
    uint32_t found = 0;
    for (size_t i = begin; i < end; i++) {
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

/* The contacts of a block, grain by grain; without `out` how many there may be at most. */
static uint32_t block_contacts(const search *s, size_t begin, size_t end, rp_sph_contact *out)
{
    if (s->known) return block_further(s, begin, end, out);
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
    uint32_t start = w->contact_start[block], room = w->contact_start[block + 1] - start;
    w->contact_end[block] = start;
    if (room)
        w->contact_end[block] += block_contacts(s, range.begin, range.end, w->contacts + start);
    RP_ASSERT(w->contact_end[block] - start <= room); /* what was counted is what there may be */
}

static rp_code find_contacts(rp_sph *solver, search s, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_sph_work *w = &solver->work;
    size_t count = host->grains->count;
    if (!s.known) w->reach = s.reach; /* a further look makes it no more certain for the others */
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
    bytes = rp_sph_roomy(w->contact_start[w->blocks]) * sizeof *w->contacts;
    w->contacts = rp_arena_take(host->arena, bytes);
    if (!w->contacts) return rp_fail_memory(report, bytes, "contacts with solids");
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, fill_range, &s);
    return RP_OK;
}

rp_code rp_sph_contacts(rp_sph *solver, rp_report *report)
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
    const rp_four *velocity = context;
    double most = 0;
    for (size_t i = range.begin; i < range.end; i++)
        most = fmax(most, speed_of(velocity[i]));
    return most;
}

/* What pressure, cohesion or the host's forces made of velocities in this step may lead further
 * than the contacts that are known: grains would pass a wall that nobody looked at. Where a solid
 * pushes, pressure drives grains at it many times faster than they will move, so this is usual; but
 * such grains are few. */
static rp_code look_further(rp_sph *solver, rp_report *report)
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

static rp_four resolve(const rp_sph_contact *c, float per_dt, rp_four v)
{
    const float normal[3] = {c->nx, c->ny, c->nz};
    float relative[3] = {v[0] - c->ux, v[1] - c->uy, v[2] - c->uz};
    rp_sph_keep_out(relative, normal, c->gap > 0 ? c->gap * per_dt : 0, c->friction, c->growth,
                    c->pace);
    return (rp_four){relative[0] + c->ux, relative[1] + c->uy, relative[2] + c->uz, v[3]};
}

/* Where a grain's contacts end that begin at c. */
static uint32_t same_grain(const rp_sph_work *w, uint32_t c, uint32_t end)
{
    uint32_t last = c;
    while (last < end && w->contacts[last].grain == w->contacts[c].grain)
        last++;
    return last;
}

/* (G4a): what the fill of a grain on a floor lacks on its side and has not been guessed, since no
 * sand lies on it. */
static float lack_at(const rp_sph *solver, const rp_sph_contact *c)
{
    float spacing = (float)solver->spacing, gap = c->gap > 0 ? c->gap / spacing : 0;
    rp_four g = solver->quantum * spacing * solver->work.sum[c->grain];
    rp_vec3 down = solver->gravity, n = rp_v3((double)c->nx, (double)c->ny, (double)c->nz);
    float level = (float)(-rp_v3_dot(down, n) / rp_v3_length(down));
    float floor = fminf(1, fmaxf(0, 4 * level - 2));
    float above = (g[0] * c->nx + g[1] * c->ny + g[2] * c->nz) / COVERED;
    float near = gap < 1 ? (1 - gap) * (1 - gap) : 0;
    const rp_grains *p = solver->host.grains;
    float fill = p->density[c->grain] / solver->materials[p->material[c->grain]].density;
    float thin = fminf(1, fmaxf(0, 20 * (THICK - fill)));
    return above < 1 ? thin * floor * LAYER_LACK * near * fminf(1, 1 - above) : 0;
}

static void thin_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_sph_work *w = &solver->work;
    for (size_t block = range.begin; block < range.end; block++)
        for (uint32_t c = w->contact_start[block], last; c < w->contact_end[block]; c = last) {
            float lack = 0;
            last = same_grain(w, c, w->contact_end[block]);
            for (uint32_t k = c; k < last; k++)
                lack = fmaxf(lack, lack_at(solver, &w->contacts[k]));
            w->free[w->contacts[c].grain][RP_SPH_ERROR] += lack;
        }
}

void rp_sph_contact_fill(rp_sph *solver)
{
    if (!solver->params.surface || solver->predictive || solver->weightless) return;
    rp_parallel_for(solver->host.threads, solver->work.blocks, 1, thin_range, solver);
}

static void contact_velocities(const rp_sph *solver, size_t block, rp_four *velocity)
{
    const rp_sph_work *w = &solver->work;
    float per_dt = (float)(1 / solver->dt);
    uint32_t end = w->contact_end[block];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        last = same_grain(w, c, end);
        rp_four *v = &velocity[w->contacts[c].grain];
        int rounds = last - c > 1 ? ROUNDS : 1;
        for (int round = 0; round < rounds; round++)
            for (uint32_t k = c; k < last; k++)
                *v = resolve(&w->contacts[k], per_dt, *v);
    }
}

void rp_sph_contact_velocities(const rp_sph *solver, size_t block, rp_four *velocity)
{
    if (!rp_couple_is_dynamic(solver->host.couple)) contact_velocities(solver, block, velocity);
}

/* One look at all contacts, block by block, to push bodies. */
typedef struct pushing {
    rp_sph *solver;
    bool ask; /* dynamic bodies only, and grains keep their velocities */
} pushing;

/* The velocity of a dynamic body may have changed since the contact was found. */
static void follow_body(rp_sph_contact *c, const rp_surface *surface, rp_vec3 at)
{
    rp_vec3 arm = rp_v3_sub(at, surface->pose.position);
    rp_vec3 u = rp_v3_add(surface->velocity, rp_v3_cross(surface->spin, arm));
    c->ux = (float)u.x;
    c->uy = (float)u.y;
    c->uz = (float)u.z;
}

static bool is_held(const rp_sph *solver, const rp_sph_contact *c, rp_four v)
{
    float closing = (c->ux - v[0]) * c->nx + (c->uy - v[1]) * c->ny + (c->uz - v[2]) * c->nz;
    return c->gap < HELD * (float)solver->spacing || c->gap < closing * (float)solver->dt;
}

/* The contacts from c to last, which are of one grain, see where the bodies are going; true when
 * one of them is dynamic. */
static bool follow_bodies(const pushing *q, size_t block, uint32_t c, uint32_t last, rp_vec3 at)
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
        follow_body(k, surface, at);
        if (q->ask && is_held(solver, k, solver->work.velocity[k->grain]))
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
        if (!follow_bodies(q, block, c, last, at) && q->ask) continue;
        int rounds = last - c > 1 ? ROUNDS : ROUNDS_ALONE;
        rp_four v = w->velocity[i];
        for (int n = 0; n < rounds * (int)(last - c); n++) {
            const rp_sph_contact *k = &w->contacts[c + (uint32_t)n % (last - c)];
            rp_four after = resolve(k, per_dt, v), force = (v - after) * (p->mass[i] * per_dt);
            v = after;
            rp_couple_add_force(solver->host.couple, block, &surfaces[k->surface], at,
                                rp_v3((double)force[0], (double)force[1], (double)force[2]));
        }
        if (!q->ask) w->velocity[i] = v;
    }
}

static void push_all(rp_sph *solver, bool ask)
{
    pushing q = {.solver = solver, .ask = ask};
    rp_couple_for(solver->host.couple, solver->host.threads, push_block, &q);
}

/* (G15a) */
static void ask_bodies(rp_sph *solver, int times)
{
    double enough = AGREED * solver->spacing / solver->falling * solver->dt / solver->falling;
    double change = INFINITY;
    for (int n = 0; n < times && change > enough; n++) {
        push_all(solver, true);
        change = rp_couple_solve(solver->host.couple);
    }
}

static void keep_out_range(void *context, rp_range range)
{
    const pushing *q = context;
    const rp_sph_work *w = &q->solver->work;
    const rp_grains *p = q->solver->host.grains;
    for (size_t block = range.begin; block < range.end; block++) {
        for (uint32_t c = w->contact_start[block], last; c < w->contact_end[block]; c = last) {
            last = same_grain(w, c, w->contact_end[block]);
            uint32_t i = w->contacts[c].grain;
            follow_bodies(q, block, c, last, rp_v3(p->x[i], p->y[i], p->z[i]));
        }
        contact_velocities(q->solver, block, w->velocity);
    }
}

void rp_sph_contact_answers(rp_sph *solver)
{
    if (!rp_couple_is_dynamic(solver->host.couple)) return;
    pushing q = {.solver = solver};
    ask_bodies(solver, ASKED_IN_SWEEP);
    rp_parallel_for(solver->host.threads, solver->work.blocks, 1, keep_out_range, &q);
}

double rp_sph_left_at_bodies(const rp_sph *solver)
{
    const rp_sph_work *w = &solver->work;
    const rp_surface *surfaces = rp_couple_surfaces(solver->host.couple);
    float near = HELD * (float)solver->spacing;
    double sum = 0, count = 0;
    for (size_t block = 0; block < w->blocks; block++)
        for (uint32_t c = w->contact_start[block]; c < w->contact_end[block]; c++) {
            const rp_sph_contact *k = &w->contacts[c];
            if (!surfaces[k->surface].dynamic || k->gap > near) continue;
            sum += (double)w->left[k->grain];
            count++;
        }
    return count > 0 ? sum / count : 0;
}

rp_code rp_sph_contact_forces(rp_sph *solver, rp_report *report)
{
    const rp_couple *couple = solver->host.couple;
    rp_code code = look_further(solver, report);
    for (int n = 0; n < LOOKED && code == RP_OK && rp_couple_is_dynamic(couple); n++) {
        double before = rp_couple_max_speed(couple);
        ask_bodies(solver, ASKED_AT_END);
        if (rp_couple_max_speed(couple) <= before) break;
        code = look_further(solver, report);
    }
    RP_TRY(code);
    push_all(solver, false);
    return rp_couple_finish(solver->host.couple);
}

/* A grain's way, kept out of solids: into none and no deeper, out of one as far as it is inside but
 * no more than `out`. Walls come last, and what bodies push into them comes back. */
static rp_four way_out(const rp_sph_work *w, uint32_t c, uint32_t last, float out, rp_four way)
{
    int rounds = last - c > 1 ? ROUNDS : 1;
    for (int round = 0; round < rounds; round++)
        for (uint32_t n = c; n < last; n++) {
            const rp_sph_contact *k = &w->contacts[n];
            rp_four normal = {k->nx, k->ny, k->nz, 0}, along = way * normal;
            float short_of = (-k->gap < out ? -k->gap : out) - (along[0] + along[1] + along[2]);
            if (short_of > 0) way += short_of * normal;
        }
    return way;
}

/* What is left of the gap when grain and solid have gone their ways. */
static void change_gaps(const rp_sph_work *w, uint32_t c, uint32_t last, rp_four way)
{
    for (; c < last; c++) {
        rp_sph_contact *k = &w->contacts[c];
        k->gap += way[0] * k->nx + way[1] * k->ny + way[2] * k->nz;
    }
}

void rp_sph_contact_ways(const rp_sph *solver, size_t block, rp_four *way)
{
    const rp_sph_work *w = &solver->work;
    uint32_t end = w->contact_end[block];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        uint32_t i = w->contacts[c].grain;
        last = same_grain(w, c, end);
        way[i] = way_out(w, c, last, 0, way[i]);
        change_gaps(w, c, last, way[i]);
    }
}

void rp_sph_contact_positions(const rp_sph *solver, size_t block)
{
    const rp_sph_work *w = &solver->work;
    const rp_grains *p = solver->host.grains;
    float dt = (float)solver->dt, most = (float)(OUT_PER_STEP * solver->spacing);
    uint32_t end = w->contact_end[block];
    for (uint32_t c = w->contact_start[block], last; c < end; c = last) {
        uint32_t i = w->contacts[c].grain;
        rp_four v = w->velocity[i];
        last = same_grain(w, c, end);
        for (uint32_t n = c; n < last; n++) {
            rp_sph_contact *k = &w->contacts[n];
            k->gap +=
                dt * ((v[0] - k->ux) * k->nx + (v[1] - k->uy) * k->ny + (v[2] - k->uz) * k->nz);
        }
        rp_four eased = w->way ? w->way[i] : (rp_four){0};
        rp_four way = way_out(w, c, last, most, eased);
        change_gaps(w, c, last, way);
        way -= eased;
        p->x[i] += way[0];
        p->y[i] += way[1];
        p->z[i] += way[2];
    }
}
