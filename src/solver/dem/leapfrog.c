/* A step: leapfrog integration in the form of position Verlet, drift - kick - drift (E1), and the
 * time step (E10).
 *
 *     x += dt / 2 v        drift: positions and orientations, half a step
 *     f = f(x, v)          contact forces half way
 *     v += dt f / m        kick: velocities and spins, a whole step
 *     x += dt / 2 v        drift
 *
 * It is of second order and needs no acceleration of the step before, so that steps may change in
 * length and grains may come and go. Positions and orientations are sums of two floats, a high and
 * a low word. */
#include "base/report.h"
#include "math/elementary.h"
#include "solver/dem/contact_geometry.h"

/* A step longer than this part of a contact's duration does not resolve it. */
#define STEP_MOST 0.5
/* Diameters of the smallest grain that a grain may travel in a step. The time step is such that
 * none does: one that does was accelerated by a force within this step, and has jumped over what
 * was in its path. */
#define TRAVEL_MOST 2
/* Duration of an elastic contact (Hertz 1882) in units of (m*^2 / (k^2 v))^(1/5), where the force
 * is k times the overlap to 3/2: 2.8683 in units of (m*^2 / (R* E*^2 v))^(1/5). */
#define HERTZ_TIME 3.2181

/* --- drift --- */

/* Adds to the sum of two floats x + low, so that no digits are lost (compensated summation).
 * Overlaps are a thousandth of a diameter and less, but a float a metre from the origin has a
 * resolution of a tenth of a micrometre. */
static inline void add_low(float *x, float *low, float change)
{
    float rest = *low + change, sum = *x + rest;
    *low = rest - (sum - *x);
    *x = sum;
}

/* Returns an orientation, high and low words. A pile at rest rotates by less in a step than a float
 * resolves; grains whose rotations were rounded away would keep rolling on the spot, and creep. */
static rp_quat orientation_of(const rp_dem *solver, size_t i)
{
    float *const *high = solver->host.grains->orientation, *const *low = solver->orientation_low;
    return (rp_quat){(double)high[0][i] + (double)low[0][i], (double)high[1][i] + (double)low[1][i],
                     (double)high[2][i] + (double)low[2][i],
                     (double)high[3][i] + (double)low[3][i]};
}

static void set_orientation(const rp_dem *solver, size_t i, rp_quat q)
{
    const double parts[4] = {q.w, q.x, q.y, q.z};
    for (int k = 0; k < 4; k++) {
        float *high = &solver->host.grains->orientation[k][i];
        *high = (float)parts[k];
        solver->orientation_low[k][i] = (float)(parts[k] - (double)*high);
    }
}

/* Returns q after a small rotation, rad: the tangent of half the angle is taken as half of it, so
 * that forward and back cancel. */
static inline rp_quat rotated(rp_quat q, rp_vec3 rotation)
{
    double x = rotation.x / 2, y = rotation.y / 2, z = rotation.z / 2;
    rp_quat r = {q.w - x * q.x - y * q.y - z * q.z, q.x + x * q.w + y * q.z - z * q.y,
                 q.y + y * q.w + z * q.x - x * q.z, q.z + z * q.w + x * q.y - y * q.x};
    double scale = 1 / sqrt(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z);
    return (rp_quat){scale * r.w, scale * r.x, scale * r.y, scale * r.z};
}

/* Returns the principal moments of inertia of a grain, kg m2. */
static rp_vec3 moments(const rp_dem *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    const double *m = solver->inertia[p->kind[i]].moment;
    double size = p->diameter[i], scale = p->mass[i] * size * size;
    return rp_v3(scale * m[0], scale * m[1], scale * m[2]);
}

static bool is_isotropic(const rp_dem *solver, size_t i)
{
    return solver->inertia[solver->host.grains->kind[i]].isotropic;
}

/* Returns the angular momentum of a spin at an orientation: I w. */
static rp_vec3 momentum_of(rp_quat q, rp_vec3 m, rp_vec3 spin)
{
    rp_vec3 own = rp_quat_rotate(rp_quat_conj(q), spin);
    return rp_quat_rotate(q, rp_v3(own.x * m.x, own.y * m.y, own.z * m.z));
}

/* Returns the spin of an angular momentum at an orientation. */
static rp_vec3 spin_from(rp_quat q, rp_vec3 m, rp_vec3 momentum)
{
    rp_vec3 own = rp_quat_rotate(rp_quat_conj(q), momentum);
    return rp_quat_rotate(q, rp_v3(own.x / m.x, own.y / m.y, own.z / m.z));
}

static rp_vec3 spin_of(const rp_dem *solver, size_t i)
{
    return rp_v3(solver->spin[0][i], solver->spin[1][i], solver->spin[2][i]);
}

static void set_spin(const rp_dem *solver, size_t i, rp_vec3 spin)
{
    solver->spin[0][i] = (float)spin.x;
    solver->spin[1][i] = (float)spin.y;
    solver->spin[2][i] = (float)spin.z;
}

/* Rotates a grain freely for `time` s. */
static void rotate_grain(const rp_dem *solver, size_t i, double time)
{
    rp_quat q = orientation_of(solver, i);
    rp_vec3 spin = spin_of(solver, i);
    if (is_isotropic(solver, i)) {
        set_orientation(solver, i, rotated(q, rp_v3_scale(spin, time)));
        return;
    }
    /* Free rotation conserves the angular momentum, not the spin (Euler's equations). Midpoint
     * rule: the orientation half way is predicted with the present spin, and the spin there rotates
     * the grain the whole way. */
    rp_vec3 m = moments(solver, i);
    rp_vec3 momentum = momentum_of(q, m, spin);
    rp_quat half = rotated(q, rp_v3_scale(spin, time / 2));
    q = rotated(q, rp_v3_scale(spin_from(half, m, momentum), time));
    set_orientation(solver, i, q);
    set_spin(solver, i, spin_from(q, m, momentum));
}

/* (E1): x += time v, and the orientation likewise. */
static void drift_grain(const rp_dem *solver, size_t i, float time)
{
    const rp_grains *p = solver->host.grains;
    add_low(&p->x[i], &solver->position_low[0][i], time * p->vx[i]);
    add_low(&p->y[i], &solver->position_low[1][i], time * p->vy[i]);
    add_low(&p->z[i], &solver->position_low[2][i], time * p->vz[i]);
    if (!solver->single) rotate_grain(solver, i, (double)time);
}

/* Drifts a block for half a step; rows stay as they were. */
static void drift_block(const rp_dem *solver, rp_range block)
{
    RP_ASSERT(block.end <= solver->host.grains->count && solver->dt > 0);
    for (size_t i = block.begin; i < block.end; i++)
        drift_grain(solver, i, (float)(solver->dt / 2));
}

/* --- kick --- */

/* Adds the impulse of a torque, N m s, at the present orientation. */
static void add_angular_impulse(const rp_dem *solver, size_t i, const float impulse[3])
{
    rp_vec3 m = moments(solver, i), spin = spin_of(solver, i);
    rp_vec3 change = rp_v3(impulse[0], impulse[1], impulse[2]);
    change = is_isotropic(solver, i) ? rp_v3_scale(change, 1 / m.x)
                                     : spin_from(orientation_of(solver, i), m, change);
    set_spin(solver, i, rp_v3_add(spin, change));
}

/* (E1): v += dt a, and the spin likewise. */
static void kick_grain(const rp_dem *solver, size_t i, const rp_dem_grain_force *f)
{
    const rp_grains *p = solver->host.grains;
    const rp_external *external = solver->host.external;
    float dt = (float)solver->dt, inverse = 1 / p->mass[i];
    float ax = f->force[0] * inverse + (float)solver->gravity.x;
    float ay = f->force[1] * inverse + (float)solver->gravity.y;
    float az = f->force[2] * inverse + (float)solver->gravity.z;
    if (external->any) {
        ax += external->ax[i];
        ay += external->ay[i];
        az += external->az[i];
    }
    p->vx[i] += dt * ax;
    p->vy[i] += dt * ay;
    p->vz[i] += dt * az;
    /* (E4): the acceleration from which the next step extrapolates v to half way. It is smoothed,
     * since an oscillation would amplify itself. */
    const float a[3] = {ax, ay, az};
    for (int k = 0; k < 3; k++)
        solver->acceleration[k][i] = 0.5f * (solver->acceleration[k][i] + a[k]);
    if (solver->single) { /* the moment of inertia is 2/5 m r^2 = m d^2 / 10 */
        float turn = dt * 10 * inverse / (p->diameter[i] * p->diameter[i]);
        solver->spin[0][i] += turn * f->torque[0];
        solver->spin[1][i] += turn * f->torque[1];
        solver->spin[2][i] += turn * f->torque[2];
    } else {
        const float impulse[3] = {dt * f->torque[0], dt * f->torque[1], dt * f->torque[2]};
        add_angular_impulse(solver, i, impulse);
    }
}

/* Kicks a block by a whole step. */
static void kick_block(const rp_dem *solver, rp_range block, const rp_dem_grain_force *forces)
{
    RP_ASSERT(block.end - block.begin <= RP_DEM_BLOCK && solver->dt > 0);
    for (size_t i = block.begin; i < block.end; i++)
        kick_grain(solver, i, &forces[i - block.begin]);
}

/* --- rows: the snapshot half way through the step that contact forces read --- */

/* Returns the rotation matrix times the size; written out, so that the compiler sees it inline. */
static inline rp_mat3 matrix_of(rp_quat q, double size)
{
    double two = 2 * size;
    return (rp_mat3){{{size - two * (q.y * q.y + q.z * q.z), two * (q.x * q.y - q.w * q.z),
                       two * (q.x * q.z + q.w * q.y)},
                      {two * (q.x * q.y + q.w * q.z), size - two * (q.x * q.x + q.z * q.z),
                       two * (q.y * q.z - q.w * q.x)},
                      {two * (q.x * q.z - q.w * q.y), two * (q.y * q.z + q.w * q.x),
                       size - two * (q.x * q.x + q.y * q.y)}}};
}

/* Fills the row of a sphere of grain i whose centre is `arm` from that of the grain, m. */
static inline void fill_sphere(const rp_dem *solver, size_t i, size_t sphere, rp_vec3 arm,
                               double radius)
{
    const rp_grains *p = solver->host.grains;
    float ax = (float)arm.x, ay = (float)arm.y, az = (float)arm.z;
    RP_ASSERT_DEBUG(sphere < solver->spheres && sphere < solver->row_capacity);
    float wx = solver->spin[0][i], wy = solver->spin[1][i], wz = solver->spin[2][i];
    solver->rows[sphere].position = (rp_wide){p->x[i],
                                              p->y[i],
                                              p->z[i],
                                              (float)radius,
                                              solver->position_low[0][i] + ax,
                                              solver->position_low[1][i] + ay,
                                              solver->position_low[2][i] + az,
                                              1 / p->mass[i]};
    /* (E4): the velocity half way through the step, extrapolated by the last accelerations. */
    float half = (float)(solver->dt / 2);
    solver->rows[sphere].motion =
        (rp_wide){p->vx[i] + half * solver->acceleration[0][i] + wy * az - wz * ay,
                  p->vy[i] + half * solver->acceleration[1][i] + wz * ax - wx * az,
                  p->vz[i] + half * solver->acceleration[2][i] + wx * ay - wy * ax,
                  wx,
                  wy,
                  wz,
                  (float)p->material[i],
                  p->moisture[i]};
}

/* Fills the rows of the spheres of a grain. */
static void fill_grain(const rp_dem *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    double size = p->diameter[i];
    if (solver->single) {
        fill_sphere(solver, i, i, rp_v3(0, 0, 0), 0.5 * size);
        return;
    }
    const rp_clump *clump = &solver->kinds[p->kind[i]].clump;
    rp_mat3 turn = matrix_of(orientation_of(solver, i), size);
    for (int b = 0; b < clump->count; b++) {
        rp_vec3 c = clump->balls[b].centre;
        rp_vec3 arm = {turn.m[0][0] * c.x + turn.m[0][1] * c.y + turn.m[0][2] * c.z,
                       turn.m[1][0] * c.x + turn.m[1][1] * c.y + turn.m[1][2] * c.z,
                       turn.m[2][0] * c.x + turn.m[2][1] * c.y + turn.m[2][2] * c.z};
        fill_sphere(solver, i, solver->first[i] + (size_t)b, arm, clump->balls[b].radius * size);
    }
}

static void fill_range(void *context, rp_range range)
{
    for (size_t i = range.begin; i < range.end; i++)
        fill_grain(context, i);
}

void rp_dem_fill_rows(rp_dem *solver)
{
    const rp_host *host = &solver->host;
    rp_parallel_for(host->threads, host->grains->count, RP_DEM_BLOCK, fill_range, solver);
}

/* Returns the largest squared displacement of some spheres since lists were built, m2. */
static float max_square(const rp_dem *solver, size_t begin, size_t end)
{
    const rp_dem_lists *lists = &solver->lists;
    float most = 0;
    for (size_t s = begin; s < end; s++) {
        const float *at = rp_dem_position(solver, s);
        float dx = at[POSITION_X] - lists->origin[0][s] + at[POSITION_LOW_X];
        float dy = at[POSITION_Y] - lists->origin[1][s] + at[POSITION_LOW_Y];
        float dz = at[POSITION_Z] - lists->origin[2][s] + at[POSITION_LOW_Z];
        float square = dx * dx + dy * dy + dz * dz;
        most = square > most ? square : most;
    }
    return most;
}

/* Drifts a block for half a step and fills its rows; returns the largest displacement, m. */
static double drift_and_fill(void *context, rp_range range)
{
    const rp_dem *solver = context;
    float half = (float)(solver->dt / 2);
    RP_ASSERT(range.end <= solver->lists.grains && RP_IS_ALIGNED(solver->rows));
    for (size_t i = range.begin; i < range.end; i++) {
        drift_grain(solver, i, half);
        fill_grain(solver, i);
    }
    return sqrt((double)max_square(solver, rp_dem_first_sphere(solver, range.begin),
                                   rp_dem_first_sphere(solver, range.end)));
}

static void drift_only(void *context, rp_range range)
{
    drift_block(context, range);
}

/* --- the time step (E10) --- */

/* Returns m* of the two lightest grains, kg. */
static double least_mass(const rp_dem *solver)
{
    return solver->least_mass / 2;
}

/* Returns how long the shortest contact lasts at that speed of approach, s. */
static double contact_time(const rp_dem *solver, double speed)
{
    double mass = least_mass(solver);
    if (solver->params.law == RP_DEM_LINEAR) return RP_PI * sqrt(mass / solver->stiffest);
    double k = solver->stiffest * sqrt(solver->least_radius / 2);
    return HERTZ_TIME * rp_fifth_root(mass * mass / (k * k * speed));
}

/* Returns how far anything may travel in a step, m: half of what the lists allow. */
static double travel_limit(const rp_dem *solver)
{
    return solver->skin / 4;
}

/* Returns the longest step for the speed of the fastest body, s, and which it is; -1 where none
 * moves. */
static double body_limit(const rp_dem *solver, int *body, double *speed)
{
    *body = rp_couple_fastest(solver->host.couple, speed);
    return *body < 0 ? INFINITY : travel_limit(solver) / *speed;
}

rp_step_limit rp_dem_limit_dt(void *state)
{
    rp_dem *solver = state;
    double gravity = rp_gravity_max(solver->host.gravity);
    double speed = fmax(rp_grains_max_speed(solver->host.grains, solver->host.threads),
                        sqrt(gravity * solver->diameter));
    /* Duration of a collision at the fastest speed, at least that of a fall of half a diameter. */
    rp_step_limit limit = {contact_time(solver, fmax(speed, 1e-3 * solver->diameter)) /
                               solver->params.steps,
                           "contact time: at the fastest grain's speed"};
    if (solver->params.law == RP_DEM_LINEAR) {
        limit.reason = "contact time: of the linear spring";
    } else if (solver->max_load > 0) {
        /* Half the period of the contact that is the stiffest for its mass. */
        double k_over_mass = 1.5 * solver->stiffest * sqrt(solver->max_load);
        double loaded = RP_PI / sqrt(k_over_mass) / solver->params.steps;
        if (loaded < limit.dt)
            limit = (rp_step_limit){loaded, "contact time: of the most loaded contact"};
    }
    /* Nothing may travel farther than the lists allow. */
    int body;
    double body_speed, by_body = body_limit(solver, &body, &body_speed);
    if (speed * limit.dt > travel_limit(solver))
        limit = (rp_step_limit){travel_limit(solver) / speed,
                                "speed: distance that the fastest grain travels"};
    if (by_body < limit.dt)
        limit = (rp_step_limit){by_body, "speed: distance that the fastest body travels"};
    return limit;
}

/* --- the order of a step --- */

/* The step was chosen before bodies took the speeds that they have in it. */
static rp_code fail_by_body(const rp_dem *solver, int body, double speed, double time, double dt,
                            double good, rp_report *report)
{
    return rp_fail(
        report, RP_ERROR_NUMERIC,
        "at %.6g s the body '%s' goes at %.3g m/s, too fast for a step of %.3g s; let it "
        "start more gently, or make steps %.2g s at most (time.max_step, or time.step "
        "where that is given)",
        time, rp_scene_bodies(solver->host.scene)[body].name, speed, dt, good);
}

static rp_code check_step(rp_dem *solver, double time, double dt, rp_report *report)
{
    double good = rp_dem_limit_dt(solver).dt, most = good * solver->params.steps * STEP_MOST, speed;
    int body;
    if (dt <= most) return RP_OK;
    if (body_limit(solver, &body, &speed) <= good)
        return fail_by_body(solver, body, speed, time, dt, good, report);
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "at %.6g s a step of %.3g s is too long for contacts that last %.3g s; leave "
                   "time.step out, or make it %.2g s at most",
                   time, dt, good * solver->params.steps, good);
}

static rp_code begin_step(rp_dem *solver, double time, double dt, rp_report *report)
{
    const rp_host *host = &solver->host;
    solver->dt = dt;
    solver->gravity = rp_gravity_at(host->gravity, time + dt / 2);
    RP_TRY(check_step(solver, time, dt, report));
    rp_couple_move(host->couple, dt / 2); /* contact forces are those half way */
    solver->body_displacement += rp_couple_max_motion(host->couple) * dt;
    if (rp_couple_is_disturbed(host->couple))
        solver->body_displacement = INFINITY; /* lists are stale */
    return RP_OK;
}

/* (E1): drifts all grains for half a step. Where the lists are still good, rows follow, and the
 * largest displacement is found; else this waits until there are new lists. */
static void drift(rp_dem *solver)
{
    const rp_host *host = &solver->host;
    rp_stage_begin(host, "move");
    if (rp_dem_lists_are_stale(solver))
        rp_parallel_for(host->threads, host->grains->count, RP_DEM_BLOCK, drift_only, solver);
    else
        solver->displacement =
            rp_reduce_max(host->grains, host->threads, RP_DEM_BLOCK, drift_and_fill, solver);
    rp_stage_end(host, "move");
}

static rp_code update_lists(rp_dem *solver, rp_report *report)
{
    if (!rp_dem_lists_are_stale(solver)) return RP_OK;
    rp_stage_begin(&solver->host, "lists");
    rp_code code = rp_dem_build_lists(solver, report);
    rp_stage_end(&solver->host, "lists");
    return code;
}

static void forces_kick_drift_block(void *context, rp_range block)
{
    const rp_dem_force_job *job = context;
    rp_dem_grain_force f[RP_DEM_BLOCK];
    rp_dem_contact_forces_block(job, block, f); /* f = f(x, v) */
    kick_block(job->solver, block, f);          /* v += dt f / m */
    drift_block(job->solver, block);            /* x += dt / 2 v */
}

/* Contact forces, kick and second drift, block by block in one loop: the forces on the grains of a
 * block are still in the cache when these are kicked. No block waits for another, since rows are a
 * snapshot of all grains half way. */
static rp_code contact_forces_kick_drift(rp_dem *solver, double time, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_dem_force_job job;
    rp_stage_begin(&solver->host, "forces");
    rp_code code = rp_dem_contact_forces_begin(&job, solver, report);
    if (code == RP_OK) {
        rp_couple_for(host->couple, host->threads, forces_kick_drift_block, &job);
        code = rp_dem_contact_forces_end(&job, time, report);
    }
    rp_stage_end(&solver->host, "forces");
    solver->rows_current = code == RP_OK;
    return code;
}

static rp_code end_step(rp_dem *solver, double time, rp_report *report)
{
    const rp_host *host = &solver->host;
    host->stats->max_speed = rp_grains_max_speed(host->grains, host->threads);
    host->stats->numbers[RP_DEM_DISPLACEMENT] = solver->displacement;
    return rp_grains_check_travel(host->grains, host->stats->max_speed, time, solver->dt,
                                  TRAVEL_MOST * solver->smallest,
                                  "forces are too great for its mass", report);
}

rp_code rp_dem_step(void *state, double time, double dt, rp_report *report)
{
    rp_dem *solver = state;
    RP_TRY(begin_step(solver, time, dt, report)); /* surfaces move half a step */
    drift(solver);                                /* x += dt / 2 v, rows */
    rp_code code = update_lists(solver, report);  /* pairs that may touch, where these are stale */
    if (code == RP_OK && rp_is_stopped(solver->host.stop)) code = RP_INTERRUPTED;
    if (code == RP_OK) /* f = f(x, v), v += dt f / m, x += dt / 2 v */
        code = contact_forces_kick_drift(solver, time, report);
    return code == RP_OK ? end_step(solver, time, report) : code;
}
