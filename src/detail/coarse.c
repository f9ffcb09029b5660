#include "base/report.h"
#include "detail/inside.h"

#include <stdlib.h>

/* Coarse grains of two views, and the field that they make between them (D7), (D8). Views are
 * frames of a record, often many steps of fine grains apart; positions between them are
 * interpolated by cubics, and velocities of a step are displacements over its length, so that fine
 * grains do not drift away from coarse ones. */

/* --- coarse grains of a view ---------------------------------------------------------------- */

/* Coarse grains are stored in the order of their ids, so that two views can be merged in one pass.
 */

void rp_coarse_grains_end(rp_coarse_grains *grains)
{
    size_t bytes = grains->capacity * sizeof(float);
    float *const arrays[] = {grains->x, grains->y, grains->z, grains->vx, grains->vy, grains->vz};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        rp_release(arrays[i], bytes);
    rp_release(grains->id, bytes);
    rp_release(grains->material, grains->capacity);
    *grains = (rp_coarse_grains){0};
}

rp_code rp_coarse_grains_reserve(rp_coarse_grains *grains, size_t count, rp_report *report)
{
    if (count <= grains->capacity) return RP_OK;
    rp_coarse_grains_end(grains);
    grains->capacity = count + count / 4;
    size_t bytes = grains->capacity * sizeof(float);
    float **const arrays[] = {&grains->x,  &grains->y,  &grains->z,
                              &grains->vx, &grains->vy, &grains->vz};
    bool made = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        made = (*arrays[i] = rp_allocate(bytes)) && made;
    grains->id = rp_allocate(bytes);
    grains->material = rp_allocate(grains->capacity);
    if (made && grains->id && grains->material) return RP_OK;
    rp_coarse_grains_end(grains);
    return rp_fail_memory(report, count * (7 * sizeof(float) + 1), "coarse grains");
}

/* Grains farther away are left out: floats have no decimals left there. */
#define FARTHEST 1e7f /* m */

static bool is_valid(const rp_view *view, size_t i)
{
    return fabsf(view->x[i]) < FARTHEST && fabsf(view->y[i]) < FARTHEST &&
           fabsf(view->z[i]) < FARTHEST && isfinite(view->vx[i]) && isfinite(view->vy[i]) &&
           isfinite(view->vz[i]);
}

/* Compares ids with their places, packed into one number each. */
static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static size_t list_ids(const rp_view *view, uint64_t *ids)
{
    size_t count = 0;
    for (size_t i = 0; i < view->count; i++)
        if (is_valid(view, i)) ids[count++] = (uint64_t)view->id[i] << 32 | i;
    if (count) qsort(ids, count, sizeof *ids, by_value);
    return count;
}

/* Copies the listed grains; two neighbors in the list with one id mean a damaged view. */
static rp_code copy_sorted(rp_coarse_grains *grains, const rp_view *view, const uint64_t *ids,
                           size_t count, rp_report *report)
{
    for (size_t k = 0; k < count; k++) {
        size_t i = ids[k] & UINT32_MAX;
        grains->id[k] = view->id[i];
        grains->x[k] = view->x[i];
        grains->y[k] = view->y[i];
        grains->z[k] = view->z[i];
        grains->vx[k] = view->vx[i];
        grains->vy[k] = view->vy[i];
        grains->vz[k] = view->vz[i];
        grains->material[k] = view->material[i];
        if (k && grains->id[k] == grains->id[k - 1])
            return rp_fail(report, RP_ERROR_DAMAGED, "two coarse grains have the id %u at %g s",
                           grains->id[k], view->time);
    }
    grains->count = count;
    return RP_OK;
}

rp_code rp_coarse_grains_take(rp_coarse_grains *grains, const rp_view *view, int materials,
                              rp_report *report)
{
    grains->count = 0;
    if (view->count > UINT32_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "%zu coarse grains are too many", view->count);
    size_t bytes = view->count * sizeof(uint64_t);
    uint64_t *ids = rp_allocate(bytes);
    if (!ids) return rp_fail_memory(report, bytes, "coarse grains");
    rp_code code = rp_coarse_grains_reserve(grains, view->count, report);
    if (code == RP_OK) code = copy_sorted(grains, view, ids, list_ids(view, ids), report);
    rp_release(ids, bytes);
    for (size_t i = 0; i < grains->count && code == RP_OK; i++)
        if (grains->material[i] >= materials)
            code = rp_fail(report, RP_ERROR_DAMAGED,
                           "coarse grain %u has material %d, which the scene does not have",
                           grains->id[i], grains->material[i]);
    return code;
}

/* --- interpolation between two views -------------------------------------------------------- */

/* Both views are merged by id; a coarse grain may be missing from either. */

/* Width of the dead band of the jitter filter (D7), in spacings. */
#define DEADBAND 0.02f
/* A grain at the edge of the dead band stays there, in spite of rounding. */
#define FOLLOW 1.001
/* Motion is ballistic where the change of velocity differs from that by gravity by less than this
 * share of both. */
#define BALLISTIC 0.02

double rp_coarse_interpolate(double from, double shift, double start, double end, double interval,
                             double gravity, double s)
{
    double fall = gravity * interval, change = end - start;
    double a = start * interval, b = end * interval;
    bool ballistic = fabs(change - fall) <= BALLISTIC * (fabs(change) + fabs(fall)) &&
                     fabs(shift - 0.5 * (a + b)) <= BALLISTIC * (fabs(a) + fabs(b));
    /* Monotone cubic (Fritsch and Carlson 1980): end slopes of at most three times the mean slope
     * keep the curve between both ends. A parabola may overshoot, so free flight is excepted. */
    if (!ballistic) {
        double most = 3 * fabs(shift);
        a = a * shift <= 0 ? 0 : copysign(fmin(fabs(a), most), shift);
        b = b * shift <= 0 ? 0 : copysign(fmin(fabs(b), most), shift);
    }
    /* Cubic Hermite polynomial with the end slopes a and b, per interval. */
    double rest = 1 - s;
    return from + shift * s * s * (3 - 2 * s) + s * rest * (a * rest - b * s);
}

/* Returns the period of an axis, m, and where it begins; 0 where the axis is not periodic. */
static double period_along(const rp_domain_spec *domain, int axis, double *begin)
{
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    *begin = low[axis];
    return domain->periodic >> axis & 1 ? high[axis] - low[axis] : 0;
}

/* Returns the displacement between two coordinates, m: the minimum image on a periodic axis. */
static double minimum_image(const rp_domain_spec *domain, int axis, double from, double to)
{
    double begin, shift = to - from, period = period_along(domain, axis, &begin);
    return period > 0 ? shift - period * rint(shift / period) : shift;
}

double rp_detail_wrap(const rp_domain_spec *domain, int axis, double at)
{
    double begin, period = period_along(domain, axis, &begin);
    return period > 0 ? at - period * floor((at - begin) / period) : at;
}

/* Called for every coarse grain of either view, with its place in both; -1 where one lacks it. */
typedef void pair_fn(void *context, int64_t last, int64_t next);

/* Merges two lists that are sorted by id. */
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

typedef struct jitter_job {
    const rp_detail *detail;
    const rp_coarse_grains *last;
    rp_coarse_grains *next;
} jitter_job;

/* The jitter filter (D7), a play operator: the filtered position is pulled along behind the true
 * one at the distance of the dead band, and stays where it is inside of it, to the last bit. */
static void filter_pair(void *context, int64_t i, int64_t j)
{
    const jitter_job *job = context;
    if (i < 0 || j < 0) return;
    const rp_domain_spec *domain = &job->detail->scene->domain;
    const float *from[3] = {job->last->x, job->last->y, job->last->z};
    float *to[3] = {job->next->x, job->next->y, job->next->z};
    double shift[3], square = 0;
    for (int a = 0; a < 3; a++) {
        shift[a] = minimum_image(domain, a, from[a][i], to[a][j]);
        square += shift[a] * shift[a];
    }
    double length = sqrt(square), slack = DEADBAND * job->detail->scene->particles.spacing;
    double share = length > FOLLOW * slack ? 1 - slack / length : 0;
    for (int a = 0; a < 3; a++)
        to[a][j] = share > 0 ? (float)rp_detail_wrap(domain, a, from[a][i] + share * shift[a])
                             : from[a][i];
}

void rp_coarse_grains_filter_jitter(const rp_detail *detail, const rp_coarse_grains *last,
                                    rp_coarse_grains *next)
{
    jitter_job job = {detail, last, next};
    for_pairs(last, next, filter_pair, &job);
}

typedef struct row_job {
    rp_detail *detail;
    double interval;   /* s, from view to view */
    double start, end; /* of the step, in parts of the interval */
} row_job;

/* Returns a coordinate of a coarse grain at part s of the interval, m, not wrapped. A grain that
 * only one view has moves straight, with the velocity that it has there. */
static double coordinate_at(const row_job *job, int axis, int64_t i, int64_t j, double s)
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
    double shift = minimum_image(&detail->scene->domain, axis, x0[i], x1[j]);
    if (shift == 0) return x0[i];
    return rp_coarse_interpolate(x0[i], shift, v0[i], v1[j], job->interval, g[axis], s);
}

static void add_row(rp_coarse_field *field, const rp_coarse_row *row)
{
    RP_ASSERT_DEBUG(field->count < field->capacity);
    field->x[field->count] = row->x;
    field->y[field->count] = row->y;
    field->z[field->count] = row->z;
    field->unsorted[field->count++] = *row;
}

/* Adds a row and its periodic images within the support radius of the domain. */
static void add_images(rp_detail *detail, const rp_coarse_row *row)
{
    const rp_domain_spec *domain = &detail->scene->domain;
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    const float at[3] = {row->x, row->y, row->z};
    int first[3], last[3];
    for (int a = 0; a < 3; a++) { /* range of image numbers along each axis */
        double period = high[a] - low[a];
        bool periodic = domain->periodic >> a & 1;
        first[a] = periodic ? -(int)floor((at[a] - low[a] + detail->support) / period) : 0;
        last[a] = periodic ? (int)floor((high[a] + detail->support - at[a]) / period) : 0;
    }
    for (int k = first[2]; k <= last[2]; k++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int i = first[0]; i <= last[0]; i++) {
                rp_coarse_row image = *row;
                if (i) image.x = (float)(at[0] + i * (high[0] - low[0]));
                if (j) image.y = (float)(at[1] + j * (high[1] - low[1]));
                if (k) image.z = (float)(at[2] + k * (high[2] - low[2]));
                add_row(&detail->field, &image);
            }
}

/* Adds the row of one coarse grain: its position at the start of the step, and the velocity that
 * takes it to its position at the end. */
static void add_pair(void *context, int64_t i, int64_t j)
{
    row_job *job = context;
    rp_detail *detail = job->detail;
    double per_second = 1 / (job->interval * (job->end - job->start));
    float at[3], velocity[3];
    for (int a = 0; a < 3; a++) {
        double start = coordinate_at(job, a, i, j, job->start);
        double end = coordinate_at(job, a, i, j, job->end);
        at[a] = (float)rp_detail_wrap(&detail->scene->domain, a, start);
        velocity[a] = (float)((end - start) * per_second);
    }
    rp_coarse_row row = {at[0], at[1], at[2], velocity[0], velocity[1], velocity[2], {0, 0}};
    double speed =
        sqrt((double)row.vx * row.vx + (double)row.vy * row.vy + (double)row.vz * row.vz);
    detail->field.fastest = fmax(detail->field.fastest, speed);
    add_images(detail, &row);
}

static void drop_rows(rp_coarse_field *field)
{
    size_t bytes = field->capacity * sizeof(float), rows = field->capacity * sizeof(rp_coarse_row);
    rp_release(field->x, bytes);
    rp_release(field->y, bytes);
    rp_release(field->z, bytes);
    rp_release(field->unsorted, rows);
    rp_release(field->rows, rows);
    field->x = field->y = field->z = NULL;
    field->unsorted = field->rows = NULL;
    field->capacity = 0;
}

void rp_coarse_field_end(rp_coarse_field *field)
{
    rp_point_search_destroy(field->near);
    drop_rows(field);
    size_t capacity = (size_t)field->surface_capacity;
    rp_release(field->surfaces, capacity * sizeof *field->surfaces);
    rp_release(field->ends, capacity * sizeof *field->ends);
    *field = (rp_coarse_field){0};
}

static rp_code reserve_rows(rp_coarse_field *field, size_t count, rp_report *report)
{
    if (count <= field->capacity) return RP_OK;
    drop_rows(field);
    field->capacity = count + count / 4;
    size_t bytes = field->capacity * sizeof(float), rows = field->capacity * sizeof(rp_coarse_row);
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
    rp_coarse_field *field = context;
    const uint32_t *order = rp_point_search_order(field->near);
    for (size_t i = range.begin; i < range.end; i++)
        field->rows[i] = field->unsorted[order[i]];
}

#define BLOCK 16384
#define IMAGES_MAX 216

static rp_code set_rows(rp_detail *detail, double interval, double start, double end,
                        rp_report *report)
{
    rp_coarse_field *field = &detail->field;
    double images = 1, begin; /* upper bound of the images of a grain, itself included */
    for (int a = 0; a < 3; a++) {
        double period = period_along(&detail->scene->domain, a, &begin);
        if (period > 0) images *= 2 + floor(2 * detail->support / period);
    }
    if (images > IMAGES_MAX)
        return rp_fail(report, RP_ERROR_INPUT,
                       "the periodic domain is too short for fine grains: it has to be longer than "
                       "the spacing of coarse grains, %g m",
                       detail->scene->particles.spacing);
    /* Rows are made one after another, then sorted into the cells of the search. */
    size_t most = (detail->last.count + detail->next.count) * (size_t)images;
    rp_code code = reserve_rows(field, most, report);
    RP_TRY(code);
    field->count = 0;
    field->fastest = 0;
    row_job job = {detail, interval, start, end};
    for_pairs(&detail->last, &detail->next, add_pair, &job);
    RP_ASSERT(field->count <= field->capacity);
    code = rp_point_search_set(field->near, field->x, field->y, field->z, field->count,
                               detail->support, report);
    if (code == RP_OK) rp_parallel_for(detail->threads, field->count, BLOCK, sort_rows, field);
    return code;
}

/* Returns the rotation vector of a body between the views, rad. Orientations alone leave whole
 * turns open; the mean angular velocity decides how many there were. */
static rp_vec3 rotation_between(const rp_body_state *last, const rp_body_state *next,
                                double interval)
{
    const double *p = last->orientation, *q = next->orientation;
    rp_quat from = {p[0], p[1], p[2], p[3]}, to = {q[0], q[1], q[2], q[3]};
    rp_vec3 rotation = rp_quat_log(rp_quat_mul(to, rp_quat_conj(from)));
    rp_vec3 spin =
        rp_v3_add(rp_v3_from(last->angular_velocity), rp_v3_from(next->angular_velocity));
    rp_vec3 expected = rp_v3_scale(spin, 0.5 * interval);
    double angle = rp_v3_length(rotation);
    rp_vec3 axis = angle > 1e-6 ? rp_v3_scale(rotation, 1 / angle) : rp_v3_normalized(expected);
    double whole = 2 * RP_PI * rint((rp_v3_dot(expected, axis) - angle) / (2 * RP_PI));
    return rp_v3_scale(axis, angle + whole);
}

/* Returns the pose of a body at part s of the interval: a cubic for its position, a constant
 * angular velocity for its orientation. */
static rp_pose body_pose(const rp_detail *detail, int body, double interval, double s)
{
    const rp_body_state *last = &detail->last_bodies[body], *next = &detail->next_bodies[body];
    const double g[3] = {detail->field.gravity.x, detail->field.gravity.y, detail->field.gravity.z};
    double at[3];
    for (int a = 0; a < 3; a++) {
        double shift =
            minimum_image(&detail->scene->domain, a, last->position[a], next->position[a]);
        at[a] = rp_coarse_interpolate(last->position[a], shift, last->velocity[a],
                                      next->velocity[a], interval, g[a], s);
    }
    const double *q = last->orientation;
    rp_quat rotation = rp_quat_exp(rp_v3_scale(rotation_between(last, next, interval), s));
    return (rp_pose){rp_v3_from(at),
                     rp_quat_normalized(rp_quat_mul(rotation, (rp_quat){q[0], q[1], q[2], q[3]}))};
}

/* Sets a body to its state at the start of the step, with velocities that lead to the end. */
static void set_body(rp_detail *detail, int body, double interval, double start, double end)
{
    rp_pose a = body_pose(detail, body, interval, start);
    rp_pose b = body_pose(detail, body, interval, end);
    double per_second = 1 / detail->field.dt;
    rp_vec3 velocity = rp_v3_scale(rp_v3_sub(b.position, a.position), per_second);
    rp_vec3 rotation = rp_quat_log(rp_quat_mul(b.orientation, rp_quat_conj(a.orientation)));
    rp_vec3 spin = rp_v3_scale(rotation, per_second);
    detail->bodies[body] = (rp_body_state){
        .position = {a.position.x, a.position.y, a.position.z},
        .orientation = {a.orientation.w, a.orientation.x, a.orientation.y, a.orientation.z},
        .velocity = {velocity.x, velocity.y, velocity.z},
        .angular_velocity = {spin.x, spin.y, spin.z}};
}

rp_code rp_coarse_field_set(rp_detail *detail, double interval, double start, double end,
                            rp_report *report)
{
    RP_ASSERT(interval > 0 && start >= 0 && start < end);
    rp_coarse_field *field = &detail->field;
    field->time = detail->time + start * interval;
    field->dt = (end - start) * interval;
    field->gravity = rp_scene_gravity(detail->scene, field->time + 0.5 * field->dt);
    for (int i = 0; i < detail->body_count; i++)
        set_body(detail, i, interval, start, end);
    /* Surfaces take the states of the bodies; their poses at the end follow from the velocities. */
    rp_surfaces_refresh(field->surfaces, field->surface_count, detail->bodies);
    for (int i = 0; i < field->surface_count; i++)
        field->ends[i] = rp_surface_pose_after(&field->surfaces[i], field->dt);
    return set_rows(detail, interval, start, end, report);
}

rp_code rp_coarse_field_at_last_view(rp_detail *detail, rp_report *report)
{
    return set_rows(detail, 1, 0, 1, report);
}

rp_code rp_coarse_field_at_next_view(rp_detail *detail, rp_report *report)
{
    size_t count = detail->last.count;
    detail->last.count = 0; /* only grains of the next view, at s = 1, where it has them */
    rp_code code = set_rows(detail, 1, 1, 2, report);
    detail->last.count = count;
    return code;
}

rp_code rp_coarse_field_begin(rp_detail *detail, rp_report *report)
{
    rp_coarse_field *field = &detail->field;
    field->surface_capacity = rp_surfaces_capacity(detail->scene);
    size_t capacity = (size_t)field->surface_capacity;
    field->surfaces = rp_allocate_zero(capacity * sizeof *field->surfaces);
    field->ends = rp_allocate_zero(capacity * sizeof *field->ends);
    if (!field->surfaces || !field->ends)
        return rp_fail_memory(report, capacity * (sizeof(rp_surface) + sizeof(rp_pose)),
                              "surfaces");
    field->surface_count = rp_surfaces_fill(detail->scene, field->surfaces);
    return rp_point_search_create(detail->threads, &field->near, report);
}
