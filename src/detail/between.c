/* Clumps and bodies between two views. */
#include "base/report.h"
#include "detail/inside.h"

/* A clump that moved less than this since it was last seen to move rests (D7), in spacings. */
#define SLACK 0.02f
/* Who follows at that distance stops there, whatever the rounding. */
#define FOLLOW 1.001
/* A change of velocity that differs from what gravity makes of it by less than this share of both
 * is free flight. */
#define FLIGHT 0.02

double rp_between(double from, double way, double start, double end, double interval,
                  double gravity, double s)
{
    double fall = gravity * interval, change = end - start;
    double a = start * interval, b = end * interval;
    bool flight = fabs(change - fall) <= FLIGHT * (fabs(change) + fabs(fall)) &&
                  fabs(way - 0.5 * (a + b)) <= FLIGHT * (fabs(a) + fabs(b));
    if (!flight) { /* no farther than either end: Fritsch and Carlson 1980 */
        double most = 3 * fabs(way);
        a = a * way <= 0 ? 0 : copysign(fmin(fabs(a), most), way);
        b = b * way <= 0 ? 0 : copysign(fmin(fabs(b), most), way);
    }
    double rest = 1 - s;
    return from + way * s * s * (3 - 2 * s) + s * rest * (a * rest - b * s);
}

/* The length of the period along an axis, and where it begins, m; 0 where it is not periodic. */
static double period_along(const rp_domain_spec *domain, int axis, double *begin)
{
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    *begin = low[axis];
    return domain->periodic >> axis & 1 ? high[axis] - low[axis] : 0;
}

/* The way from one place to another, the shorter one where an axis is periodic. */
static double way_of(const rp_domain_spec *domain, int axis, double from, double to)
{
    double begin, way = to - from, period = period_along(domain, axis, &begin);
    return period > 0 ? way - period * rint(way / period) : way;
}

double rp_detail_wrap(const rp_domain_spec *domain, int axis, double at)
{
    double begin, period = period_along(domain, axis, &begin);
    return period > 0 ? at - period * floor((at - begin) / period) : at;
}

/* Calls for every clump of either view; -1 where a view has none. */
typedef void pair_fn(void *context, int64_t last, int64_t next);

static void for_pairs(const rp_coarse_grains *last, const rp_coarse_grains *next, pair_fn *pair,
                      void *context)
{
    size_t i = 0, j = 0;
    while (i < last->count || j < next->count) {
        bool take_last = j == next->count || (i < last->count && last->id[i] <= next->id[j]);
        bool take_next = i == last->count || (j < next->count && next->id[j] <= last->id[i]);
        pair(context, take_last ? (int64_t)i : -1, take_next ? (int64_t)j : -1);
        i += take_last;
        j += take_next;
    }
}

typedef struct settle_job {
    const rp_detail *detail;
    const rp_coarse_grains *last;
    rp_coarse_grains *next;
} settle_job;

/* (D7): what moves follows at a small distance, what trembles stands still. */
static void settle_pair(void *context, int64_t i, int64_t j)
{
    const settle_job *job = context;
    if (i < 0 || j < 0) return;
    const rp_domain_spec *domain = &job->detail->scene->domain;
    const float *from[3] = {job->last->x, job->last->y, job->last->z};
    float *to[3] = {job->next->x, job->next->y, job->next->z};
    double way[3], square = 0;
    for (int a = 0; a < 3; a++) {
        way[a] = way_of(domain, a, from[a][i], to[a][j]);
        square += way[a] * way[a];
    }
    double length = sqrt(square), slack = SLACK * job->detail->scene->particles.spacing;
    double share = length > FOLLOW * slack ? 1 - slack / length : 0;
    for (int a = 0; a < 3; a++)
        to[a][j] =
            share > 0 ? (float)rp_detail_wrap(domain, a, from[a][i] + share * way[a]) : from[a][i];
}

void rp_coarse_grains_settle(const rp_detail *detail, const rp_coarse_grains *last,
                             rp_coarse_grains *next)
{
    settle_job job = {detail, last, next};
    for_pairs(last, next, settle_pair, &job);
}

typedef struct row_job {
    rp_detail *detail;
    double interval;   /* s, from view to view */
    double start, end; /* of the step, as shares of it */
} row_job;

/* Where a clump is at a share of the interval, along one axis, not wrapped. A clump that one of the
 * views does not have goes straight. */
static double place_of(const row_job *job, int axis, int64_t i, int64_t j, double s)
{
    const rp_detail *detail = job->detail;
    const rp_coarse_grains *last = &detail->last, *next = &detail->next;
    const float *x0 = axis == 0 ? last->x : axis == 1 ? last->y : last->z;
    const float *v0 = axis == 0 ? last->vx : axis == 1 ? last->vy : last->vz;
    const float *x1 = axis == 0 ? next->x : axis == 1 ? next->y : next->z;
    const float *v1 = axis == 0 ? next->vx : axis == 1 ? next->vy : next->vz;
    const double g[3] = {detail->field.gravity.x, detail->field.gravity.y, detail->field.gravity.z};
    if (j < 0) return x0[i] + s * job->interval * v0[i];
    if (i < 0) return x1[j] - (1 - s) * job->interval * v1[j];
    double way = way_of(&detail->scene->domain, axis, x0[i], x1[j]);
    if (way == 0) return x0[i];
    return rp_between(x0[i], way, v0[i], v1[j], job->interval, g[axis], s);
}

static void add_row(rp_detail_field *field, const rp_row *row)
{
    field->x[field->count] = row->x;
    field->y[field->count] = row->y;
    field->z[field->count] = row->z;
    field->unsorted[field->count++] = *row;
}

/* Copies across periodic sides for those within reach of them. */
static void add_images(rp_detail *detail, const rp_row *row)
{
    const rp_domain_spec *domain = &detail->scene->domain;
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    const float at[3] = {row->x, row->y, row->z};
    int first[3], last[3];
    for (int a = 0; a < 3; a++) { /* those that come within reach of the domain */
        double period = high[a] - low[a];
        bool periodic = domain->periodic >> a & 1;
        first[a] = periodic ? -(int)floor((at[a] - low[a] + detail->reach) / period) : 0;
        last[a] = periodic ? (int)floor((high[a] + detail->reach - at[a]) / period) : 0;
    }
    for (int k = first[2]; k <= last[2]; k++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int i = first[0]; i <= last[0]; i++) {
                rp_row image = *row;
                if (i) image.x = (float)(at[0] + i * (high[0] - low[0]));
                if (j) image.y = (float)(at[1] + j * (high[1] - low[1]));
                if (k) image.z = (float)(at[2] + k * (high[2] - low[2]));
                add_row(&detail->field, &image);
            }
}

static void add_pair(void *context, int64_t i, int64_t j)
{
    row_job *job = context;
    rp_detail *detail = job->detail;
    double per_second = 1 / (job->interval * (job->end - job->start));
    float at[3], velocity[3];
    for (int a = 0; a < 3; a++) {
        double start = place_of(job, a, i, j, job->start);
        double end = place_of(job, a, i, j, job->end);
        at[a] = (float)rp_detail_wrap(&detail->scene->domain, a, start);
        velocity[a] = (float)((end - start) * per_second);
    }
    rp_row row = {at[0], at[1], at[2], velocity[0], velocity[1], velocity[2], {0, 0}};
    double speed =
        sqrt((double)row.vx * row.vx + (double)row.vy * row.vy + (double)row.vz * row.vz);
    detail->field.fastest = fmax(detail->field.fastest, speed);
    add_images(detail, &row);
}

static void drop_rows(rp_detail_field *field)
{
    size_t bytes = field->capacity * sizeof(float), rows = field->capacity * sizeof(rp_row);
    rp_release(field->x, bytes);
    rp_release(field->y, bytes);
    rp_release(field->z, bytes);
    rp_release(field->unsorted, rows);
    rp_release(field->rows, rows);
    field->x = field->y = field->z = NULL;
    field->unsorted = field->rows = NULL;
    field->capacity = 0;
}

void rp_field_end(rp_detail_field *field)
{
    rp_near_destroy(field->near);
    drop_rows(field);
    size_t room = (size_t)field->surface_room;
    rp_release(field->surfaces, room * sizeof *field->surfaces);
    rp_release(field->ends, room * sizeof *field->ends);
    *field = (rp_detail_field){0};
}

static rp_code reserve_rows(rp_detail_field *field, size_t count, rp_report *report)
{
    if (count <= field->capacity) return RP_OK;
    drop_rows(field);
    field->capacity = count + count / 4;
    size_t bytes = field->capacity * sizeof(float), rows = field->capacity * sizeof(rp_row);
    field->x = rp_allocate(bytes);
    field->y = rp_allocate(bytes);
    field->z = rp_allocate(bytes);
    field->unsorted = rp_allocate(rows);
    field->rows = rp_allocate(rows);
    if (field->x && field->y && field->z && field->unsorted && field->rows) return RP_OK;
    drop_rows(field);
    return rp_fail_memory(report, 3 * bytes + 2 * rows, "coarse grains");
}

static void sort_rows(void *context, rp_range range)
{
    rp_detail_field *field = context;
    const uint32_t *order = rp_near_order(field->near);
    for (size_t i = range.begin; i < range.end; i++)
        field->rows[i] = field->unsorted[order[i]];
}

#define BLOCK 16384
#define IMAGES_MAX 216

static rp_code set_rows(rp_detail *detail, double interval, double start, double end,
                        rp_report *report)
{
    rp_detail_field *field = &detail->field;
    double images = 1, begin; /* of a clump at most, itself among them */
    for (int a = 0; a < 3; a++) {
        double period = period_along(&detail->scene->domain, a, &begin);
        if (period > 0) images *= 2 + floor(2 * detail->reach / period);
    }
    if (images > IMAGES_MAX)
        return rp_fail(report, RP_ERROR_INPUT,
                       "the periodic domain is too short for fine grains: it has to be longer than "
                       "the spacing of coarse grains, %g m",
                       detail->scene->particles.spacing);
    size_t most = (detail->last.count + detail->next.count) * (size_t)images;
    rp_code code = reserve_rows(field, most, report);
    RP_TRY(code);
    field->count = 0;
    field->fastest = 0;
    row_job job = {detail, interval, start, end};
    for_pairs(&detail->last, &detail->next, add_pair, &job);
    code =
        rp_near_set(field->near, field->x, field->y, field->z, field->count, detail->reach, report);
    if (code == RP_OK) rp_parallel_for(detail->threads, field->count, BLOCK, sort_rows, field);
    return code;
}

/* The turn that takes a body from one view to the next: as many whole turns as its angular
 * velocities say. */
static rp_vec3 turn_between(const rp_body_state *last, const rp_body_state *next, double interval)
{
    const double *p = last->orientation, *q = next->orientation;
    rp_quat from = {p[0], p[1], p[2], p[3]}, to = {q[0], q[1], q[2], q[3]};
    rp_vec3 turn = rp_quat_log(rp_quat_mul(to, rp_quat_conj(from)));
    rp_vec3 spin =
        rp_v3_add(rp_v3_from(last->angular_velocity), rp_v3_from(next->angular_velocity));
    rp_vec3 expected = rp_v3_scale(spin, 0.5 * interval);
    double angle = rp_v3_length(turn);
    rp_vec3 axis = angle > 1e-6 ? rp_v3_scale(turn, 1 / angle) : rp_v3_normal(expected);
    double whole = 2 * RP_PI * rint((rp_v3_dot(expected, axis) - angle) / (2 * RP_PI));
    return rp_v3_scale(axis, angle + whole);
}

static rp_pose body_pose(const rp_detail *detail, int body, double interval, double s)
{
    const rp_body_state *last = &detail->last_bodies[body], *next = &detail->next_bodies[body];
    const double g[3] = {detail->field.gravity.x, detail->field.gravity.y, detail->field.gravity.z};
    double at[3];
    for (int a = 0; a < 3; a++) {
        double way = way_of(&detail->scene->domain, a, last->position[a], next->position[a]);
        at[a] = rp_between(last->position[a], way, last->velocity[a], next->velocity[a], interval,
                           g[a], s);
    }
    const double *q = last->orientation;
    rp_quat turn = rp_quat_exp(rp_v3_scale(turn_between(last, next, interval), s));
    return (rp_pose){rp_v3_from(at),
                     rp_quat_normal(rp_quat_mul(turn, (rp_quat){q[0], q[1], q[2], q[3]}))};
}

/* The state at the start of a step, with the velocities that take the body to its end. */
static void set_body(rp_detail *detail, int body, double interval, double start, double end)
{
    rp_pose a = body_pose(detail, body, interval, start);
    rp_pose b = body_pose(detail, body, interval, end);
    double per_second = 1 / detail->field.dt;
    rp_vec3 velocity = rp_v3_scale(rp_v3_sub(b.position, a.position), per_second);
    rp_vec3 turn = rp_quat_log(rp_quat_mul(b.orientation, rp_quat_conj(a.orientation)));
    rp_vec3 spin = rp_v3_scale(turn, per_second);
    detail->bodies[body] = (rp_body_state){
        .position = {a.position.x, a.position.y, a.position.z},
        .orientation = {a.orientation.w, a.orientation.x, a.orientation.y, a.orientation.z},
        .velocity = {velocity.x, velocity.y, velocity.z},
        .angular_velocity = {spin.x, spin.y, spin.z}};
}

rp_code rp_field_set(rp_detail *detail, double interval, double start, double end,
                     rp_report *report)
{
    rp_detail_field *field = &detail->field;
    field->time = detail->time + start * interval;
    field->dt = (end - start) * interval;
    field->gravity = rp_scene_gravity(detail->scene, field->time + 0.5 * field->dt);
    for (int i = 0; i < detail->body_count; i++)
        set_body(detail, i, interval, start, end);
    rp_surfaces_refresh(field->surfaces, field->surface_count, detail->bodies);
    for (int i = 0; i < field->surface_count; i++)
        field->ends[i] = rp_surface_pose_after(&field->surfaces[i], field->dt);
    return set_rows(detail, interval, start, end, report);
}

rp_code rp_field_stand(rp_detail *detail, rp_report *report)
{
    return set_rows(detail, 1, 0, 1, report);
}

rp_code rp_field_arrive(rp_detail *detail, rp_report *report)
{
    size_t count = detail->last.count;
    detail->last.count = 0; /* those that go on alone are where their own view has them */
    rp_code code = set_rows(detail, 1, 1, 2, report);
    detail->last.count = count;
    return code;
}

rp_code rp_field_begin(rp_detail *detail, rp_report *report)
{
    rp_detail_field *field = &detail->field;
    field->surface_room = rp_surfaces_capacity(detail->scene);
    size_t room = (size_t)field->surface_room;
    field->surfaces = rp_allocate_zero(room * sizeof *field->surfaces);
    field->ends = rp_allocate_zero(room * sizeof *field->ends);
    if (!field->surfaces || !field->ends)
        return rp_fail_memory(report, room * (sizeof(rp_surface) + sizeof(rp_pose)), "surfaces");
    field->surface_count = rp_surfaces_fill(detail->scene, field->surfaces);
    return rp_near_create(detail->threads, &field->near, report);
}
