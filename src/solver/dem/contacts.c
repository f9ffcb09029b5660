/* Contacts as data: the forces of the last step, found again from the rows that it used. */
#include "base/report.h"
#include "solver/dem/meet.h"

#define GONE UINT32_MAX

/* One group of eight, lane by lane. */
typedef struct group {
    float n[3][RP_WIDE], shear[3][RP_WIDE];
    float normal[RP_WIDE], overlap[RP_WIDE], lever[RP_WIDE];
    int32_t held[RP_WIDE];
} group;

RP_WIDE_KERNEL
static void look_at(const rp_dem_field *field, const rp_dem_lists *lists,
                    const rp_dem_entries *entries, size_t at, group *out)
{
    rp_dem_eight e;
    memset(out, 0, sizeof *out);
    RP_ASSERT_DEBUG(at + RP_WIDE <= lists->entry_capacity);
    if (!rp_dem_look(field, entries, &e)) return;
    rp_dem_pairs pairs;
    rp_dem_meet m = rp_dem_meet_of(field, entries, &e, &pairs);
    if (field->rules.history)
        m.spring =
            (rp_wide_vec3){rp_wide_load(lists->spring[0] + at), rp_wide_load(lists->spring[1] + at),
                           rp_wide_load(lists->spring[2] + at)};
    rp_dem_answer a = rp_dem_respond(&field->rules, &pairs, &m, e.touching);
    const rp_wide n[3] = {e.n.x, e.n.y, e.n.z};
    const rp_wide shear[3] = {a.shear.x, a.shear.y, a.shear.z};
    for (int k = 0; k < 3; k++) {
        rp_wide_store(out->n[k], n[k]);
        rp_wide_store(out->shear[k], shear[k]);
    }
    rp_wide_store(out->normal, a.normal);
    rp_wide_store(out->overlap, e.overlap);
    rp_wide_store(out->lever, rp_dem_lever(&e));
    memcpy(out->held, &e.held, sizeof out->held);
}

typedef struct collect_job {
    const rp_dem *solver;
    rp_dem_field field;
    const uint32_t *rows; /* of the table, for grains in the numbers of the lists; GONE: it left */
    rp_contacts *contacts;
} collect_job;

static rp_contact *add_contact(rp_contacts *contacts)
{
    if (!rp_reserve((void **)&contacts->items, &contacts->capacity, contacts->count,
                    contacts->count + 1, sizeof *contacts->items))
        return NULL;
    rp_contact *c = &contacts->items[contacts->count++];
    memset(c, 0, sizeof *c);
    return c;
}

static uint32_t id_of(const collect_job *job, size_t grain)
{
    return job->solver->host.grains->id[job->rows[grain]];
}

/* From the middle of the grain, as it was half way through the step, to one of its spheres. */
static void find_arm(const collect_job *job, size_t grain, const float *at, float arm[3])
{
    const rp_dem *solver = job->solver;
    const rp_grains *p = solver->host.grains;
    size_t i = job->rows[grain];
    const double x[3] = {p->x[i], p->y[i], p->z[i]}, v[3] = {p->vx[i], p->vy[i], p->vz[i]};
    for (int k = 0; k < 3; k++) {
        double middle = x[k] + (double)solver->low[k][i] - solver->dt / 2 * v[k];
        double place = (double)at[AT_X + k] + (double)at[AT_LOW_X + k];
        arm[k] = solver->single ? 0 : (float)(place - middle);
    }
}

static rp_dem_self self_of(const collect_job *job, size_t grain, size_t sphere)
{
    rp_dem_self self;
    memcpy(self.at, &job->solver->rows[sphere].at, sizeof self.at);
    memcpy(self.go, &job->solver->rows[sphere].go, sizeof self.go);
    find_arm(job, grain, self.at, self.arm);
    return self;
}

static bool add_lane(const collect_job *job, size_t grain, const rp_dem_self *self, const group *g,
                     int lane, size_t sphere)
{
    const rp_dem *solver = job->solver;
    size_t other = rp_dem_owner(solver, sphere);
    const float *row = rp_dem_at(solver, sphere);
    rp_contact *c = add_contact(job->contacts);
    if (!c) return false;
    c->first = id_of(job, grain);
    c->second = id_of(job, other);
    c->with = RP_WITH_GRAIN;
    c->normal_force = g->normal[lane];
    c->overlap = g->overlap[lane];
    float reach = self->at[AT_RADIUS] + row[AT_RADIUS] - g->overlap[lane];
    float arm[3];
    find_arm(job, other, row, arm);
    for (int k = 0; k < 3; k++) {
        float n = g->n[k][lane], at = self->at[AT_X + k] + self->at[AT_LOW_X + k];
        c->normal[k] = n;
        c->shear_force[k] = g->shear[k][lane];
        c->position[k] = at + g->lever[lane] * n;
        c->branch[k] = self->arm[k] + reach * n - arm[k];
    }
    return true;
}

/* Pairs between two blocks from the sphere with the lower number only. */
static bool add_group(const collect_job *job, size_t base, size_t at, int lanes)
{
    const rp_dem *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    rp_dem_entries entries = rp_dem_entries_at(lists, base, at, lanes);
    group g;
    look_at(&job->field, lists, &entries, at, &g);
    for (int k = 0; k < lanes; k++) {
        size_t mine = entries.mine[k], other = entries.other[k];
        size_t grain = rp_dem_owner(solver, mine);
        if (!g.held[k] || g.normal[k] == 0 || other < mine) continue;
        if (job->rows[grain] == GONE || job->rows[rp_dem_owner(solver, other)] == GONE) continue;
        rp_dem_self self = self_of(job, grain, mine);
        if (!add_lane(job, grain, &self, &g, k, other)) return false;
    }
    return true;
}

static bool add_block(const collect_job *job, size_t block)
{
    const uint32_t *ends = rp_dem_ends(&job->solver->lists, block);
    size_t base = rp_dem_first(job->solver, block * RP_DEM_BLOCK), behind = ends[RP_DEM_CLASSES];
    bool fits = true;
    for (size_t at = ends[0]; at < behind && fits; at += RP_WIDE)
        fits = add_group(job, base, at, behind - at < RP_WIDE ? (int)(behind - at) : RP_WIDE);
    return fits;
}

static bool add_wall(const collect_job *job, const rp_dem_wall *wall)
{
    const rp_dem *solver = job->solver;
    size_t grain = rp_dem_owner(solver, wall->sphere);
    rp_dem_press press;
    rp_dem_pressed back;
    if (job->rows[grain] == GONE) return true;
    rp_dem_self self = self_of(job, grain, wall->sphere);
    if (!rp_dem_press_of(solver, &self, wall, &press)) return true;
    rp_dem_press_back(&job->field.rules, &self, &press, wall->spring, &back);
    if (back.normal == 0) return true;
    rp_contact *c = add_contact(job->contacts);
    if (!c) return false;
    int body = rp_couple_surfaces(solver->host.couple)[wall->surface].body;
    c->first = id_of(job, grain);
    c->second = body >= 0 ? (uint32_t)body : 0;
    c->with = body >= 0 ? RP_WITH_BODY : RP_WITH_WALL;
    c->normal_force = (float)back.normal;
    c->overlap = (float)press.overlap;
    const double n[3] = {press.n.x, press.n.y, press.n.z};
    const double point[3] = {press.point.x, press.point.y, press.point.z};
    const double shear[3] = {back.shear.x, back.shear.y, back.shear.z};
    const double arm[3] = {press.arm.x, press.arm.y, press.arm.z};
    for (int k = 0; k < 3; k++) {
        c->normal[k] = (float)n[k];
        c->position[k] = (float)point[k];
        c->shear_force[k] = (float)shear[k];
        c->branch[k] = (float)arm[k];
    }
    return true;
}

rp_code rp_dem_contacts(const void *state, rp_contacts *contacts, rp_report *report)
{
    const rp_dem *solver = state;
    const rp_grains *p = solver->host.grains;
    const rp_dem_lists *lists = &solver->lists;
    contacts->count = 0;
    if (!lists->grains || !solver->seen) return RP_OK;
    size_t bytes = lists->grains * sizeof(uint32_t);
    uint32_t *rows = rp_allocate(bytes);
    if (!rows) return rp_fail_memory(report, bytes, "contacts");
    memset(rows, 0xff, bytes);
    for (size_t i = 0; i < p->count; i++)
        if (solver->slot[i]) rows[solver->slot[i] - 1] = (uint32_t)i;
    collect_job job = {solver, rp_dem_field_of(solver, true), rows, contacts};
    bool fits = true;
    for (size_t b = 0; b < rp_dem_blocks(lists->grains) && fits; b++)
        fits = add_block(&job, b);
    for (size_t w = 0; w < lists->wall_count && fits; w++)
        fits = add_wall(&job, &lists->walls[w]);
    rp_release(rows, bytes);
    return fits ? RP_OK : rp_fail_memory(report, contacts->capacity * 50, "contacts");
}
