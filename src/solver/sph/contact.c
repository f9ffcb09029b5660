/* Grains on solids (G12 to G15): each grain is a ball of half a spacing against the exact surface. */
#include "base/report.h"
#include "solver/sph/sph.h"

/* Contacts of one grain influence each other; so many rounds settle an edge or a corner. */
#define ROUNDS 4

typedef struct search {
    const rp_solver *solver;
    double reach;   /* m, from the surface to the grain's middle */
    bool fill;
} search;

static float friction_of(const rp_surface *surface, const rp_material_spec *material)
{
    return (float)sqrt(material->friction * surface->friction);
}

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

/* The contacts of a block, by grain; counts them, and fills them in when asked to. */
static uint32_t block_contacts(const search *s, size_t begin, size_t end, rp_sph_contact *out)
{
    const rp_solver *solver = s->solver;
    const rp_particles *p = solver->frame.particles;
    const rp_surface *surfaces = rp_couple_surfaces(solver->frame.couple);
    const rp_material_spec *materials = rp_scene_materials(solver->frame.scene);
    int near[64], near_count = 0, count = rp_couple_count(solver->frame.couple);
    rp_vec3 middle;
    double radius;
    rp_touch touch;
    ball_around(p, begin, end, &middle, &radius);
    bool many = count > 64;
    for (int k = 0; k < count && !many; k++)
        if (rp_surface_touch(&surfaces[k], middle, s->reach + radius, &touch))
            near[near_count++] = k;
    uint32_t found = 0;
    for (size_t i = begin; i < end; i++)
        for (int n = 0; n < (many ? count : near_count); n++) {
            int k = many ? n : near[n];
            rp_vec3 at = rp_v3(p->x[i], p->y[i], p->z[i]);
            if (!rp_surface_touch(&surfaces[k], at, s->reach, &touch)) continue;
            if (out)
                out[found] = (rp_sph_contact){
                    .grain = (uint32_t)i,
                    .surface = k,
                    .nx = (float)touch.normal.x,
                    .ny = (float)touch.normal.y,
                    .nz = (float)touch.normal.z,
                    .ux = (float)touch.velocity.x,
                    .uy = (float)touch.velocity.y,
                    .uz = (float)touch.velocity.z,
                    .gap = (float)(touch.distance - solver->spacing / 2),
                    .friction = friction_of(&surfaces[k], &materials[p->material[i]])};
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

rp_code rp_sph_contacts(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    rp_sph_work *w = &solver->work;
    size_t count = frame->particles->count;
    double speed = solver->stats.max_speed + rp_couple_max_speed(frame->couple) +
                   rp_v3_length(solver->gravity) * solver->dt;
    search s = {solver, fmax(solver->spacing, 0.5 * solver->spacing + 1.2 * speed * solver->dt),
                false};
    w->blocks = (count + RP_SPH_BLOCK - 1) / RP_SPH_BLOCK;
    w->contact_start = rp_arena_take(frame->arena, (w->blocks + 1) * sizeof *w->contact_start);
    if (!w->contact_start) return rp_fail_memory(report, w->blocks * 4, "contacts with solids");
    w->contact_start[0] = 0;
    rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, count_range, &s);
    for (size_t block = 0; block < w->blocks; block++)
        w->contact_start[block + 1] += w->contact_start[block];
    size_t bytes = w->contact_start[w->blocks] * sizeof *w->contacts;
    w->contacts = rp_arena_take(frame->arena, bytes);
    if (!w->contacts) return rp_fail_memory(report, bytes, "contacts with solids");
    rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, fill_range, &s);
    return RP_OK;
}

/* (G13, G14): the least change of velocity that keeps the grain out, and friction on it. */
static rp_four resolve(const rp_sph_contact *c, float per_dt, rp_four v)
{
    float rx = v[0] - c->ux, ry = v[1] - c->uy, rz = v[2] - c->uz;
    float normal = rx * c->nx + ry * c->ny + rz * c->nz;
    float least = c->gap > 0 ? -c->gap * per_dt : 0;
    float push = least - normal;
    if (!(push > 0)) return v;
    float tx = rx - normal * c->nx, ty = ry - normal * c->ny, tz = rz - normal * c->nz;
    float slip = sqrtf(tx * tx + ty * ty + tz * tz), most = c->friction * push;
    float lost = slip > most ? most / slip : 1;
    v[0] += push * c->nx - lost * tx;
    v[1] += push * c->ny - lost * ty;
    v[2] += push * c->nz - lost * tz;
    return v;
}

void rp_sph_contact_velocities(const rp_solver *solver, size_t block, rp_four *velocity)
{
    const rp_sph_work *w = &solver->work;
    float per_dt = (float)(1 / solver->dt);
    uint32_t end = w->contact_start[block + 1];
    for (uint32_t c = w->contact_start[block]; c < end;) {
        uint32_t grain = w->contacts[c].grain, last = c;
        while (last < end && w->contacts[last].grain == grain)
            last++;
        int rounds = last - c > 1 ? ROUNDS : 1;
        for (int round = 0; round < rounds; round++)
            for (uint32_t k = c; k < last; k++)
                velocity[grain] = resolve(&w->contacts[k], per_dt, velocity[grain]);
        c = last;
    }
}
