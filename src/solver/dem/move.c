/* Grains in motion: kicks by forces and drifts along velocities and spins (E1), and the rows that
 * others read of their spheres. */
#include "solver/dem/meet.h"

/* What x lacks to be exact is kept in `low`: overlaps are a thousandth of a diameter and less, and
 * a float a metre from the origin is no finer than a tenth of a micrometre. */
static inline void add_low(float *x, float *low, float way)
{
    float rest = *low + way, sum = *x + rest;
    *low = rest - (sum - *x);
    *x = sum;
}

/* Orientations lack as much: a heap at rest turns by less in a step than a float can tell, and
 * grains whose turns got lost would go on rolling on the spot, and creep. */
static rp_quat turn_of(const rp_dem *solver, size_t i)
{
    float *const *high = solver->host.grains->orientation, *const *low = solver->turn_low;
    return (rp_quat){(double)high[0][i] + (double)low[0][i], (double)high[1][i] + (double)low[1][i],
                     (double)high[2][i] + (double)low[2][i],
                     (double)high[3][i] + (double)low[3][i]};
}

static void set_turn(const rp_dem *solver, size_t i, rp_quat q)
{
    const double parts[4] = {q.w, q.x, q.y, q.z};
    for (int k = 0; k < 4; k++) {
        float *high = &solver->host.grains->orientation[k][i];
        *high = (float)parts[k];
        solver->turn_low[k][i] = (float)(parts[k] - (double)*high);
    }
}

/* A turn by `way` radians, for small ones: the tangent of the half angle is half the way, so that
 * forward and back cancel. */
static inline rp_quat turned(rp_quat q, rp_vec3 way)
{
    double x = way.x / 2, y = way.y / 2, z = way.z / 2;
    rp_quat r = {q.w - x * q.x - y * q.y - z * q.z, q.x + x * q.w + y * q.z - z * q.y,
                 q.y + y * q.w + z * q.x - x * q.z, q.z + z * q.w + x * q.y - y * q.x};
    double scale = 1 / sqrt(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z);
    return (rp_quat){scale * r.w, scale * r.x, scale * r.y, scale * r.z};
}

/* Moments of inertia of a grain, along its own axes, kg m2. */
static rp_vec3 moments(const rp_dem *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    const double *m = solver->bodies[p->kind[i]].moment;
    double size = p->diameter[i], scale = p->mass[i] * size * size;
    return rp_v3(scale * m[0], scale * m[1], scale * m[2]);
}

static bool is_even(const rp_dem *solver, size_t i)
{
    return solver->bodies[solver->host.grains->kind[i]].even;
}

/* Angular momentum to spin for an orientation, or with `back` the other way. */
static rp_vec3 through_inertia(rp_quat q, rp_vec3 m, rp_vec3 v, bool back)
{
    rp_vec3 own = rp_quat_rotate(rp_quat_conj(q), v);
    own = back ? rp_v3(own.x * m.x, own.y * m.y, own.z * m.z)
               : rp_v3(own.x / m.x, own.y / m.y, own.z / m.z);
    return rp_quat_rotate(q, own);
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

/* Free turning keeps the angular momentum; the spin half way is that at the orientation half way,
 * found by one look ahead. */
static void turn_grain(const rp_dem *solver, size_t i, double time)
{
    rp_quat q = turn_of(solver, i);
    rp_vec3 spin = spin_of(solver, i);
    if (is_even(solver, i)) {
        set_turn(solver, i, turned(q, rp_v3_scale(spin, time)));
        return;
    }
    rp_vec3 m = moments(solver, i);
    rp_vec3 momentum = through_inertia(q, m, spin, true);
    rp_quat half = turned(q, rp_v3_scale(spin, time / 2));
    q = turned(q, rp_v3_scale(through_inertia(half, m, momentum, false), time));
    set_turn(solver, i, q);
    set_spin(solver, i, through_inertia(q, m, momentum, false));
}

/* (E1): x += time v, the orientation likewise. */
static void drift_grain(const rp_dem *solver, size_t i, float time)
{
    const rp_grains *p = solver->host.grains;
    add_low(&p->x[i], &solver->low[0][i], time * p->vx[i]);
    add_low(&p->y[i], &solver->low[1][i], time * p->vy[i]);
    add_low(&p->z[i], &solver->low[2][i], time * p->vz[i]);
    if (!solver->single) turn_grain(solver, i, (double)time);
}

/* (E1): an impulse of its torque, N m s, at the orientation that it has. */
static void twist_grain(const rp_dem *solver, size_t i, const float impulse[3])
{
    rp_vec3 m = moments(solver, i), spin = spin_of(solver, i);
    rp_vec3 twist = rp_v3(impulse[0], impulse[1], impulse[2]);
    rp_vec3 more = is_even(solver, i) ? rp_v3_scale(twist, 1 / m.x)
                                      : through_inertia(turn_of(solver, i), m, twist, false);
    set_spin(solver, i, rp_v3_add(spin, more));
}

/* (E1): v += dt a, the spin likewise. */
static void kick_grain(const rp_dem *solver, size_t i, const rp_dem_force *l)
{
    const rp_grains *p = solver->host.grains;
    const rp_external *external = solver->host.external;
    float dt = (float)solver->dt, inverse = 1 / p->mass[i];
    float ax = l->force[0] * inverse + (float)solver->gravity.x;
    float ay = l->force[1] * inverse + (float)solver->gravity.y;
    float az = l->force[2] * inverse + (float)solver->gravity.z;
    if (external->any) {
        ax += external->ax[i];
        ay += external->ay[i];
        az += external->az[i];
    }
    p->vx[i] += dt * ax;
    p->vy[i] += dt * ay;
    p->vz[i] += dt * az;
    const float a[3] = {ax, ay, az};
    for (int k = 0; k < 3; k++) /* smoothed: what goes to and fro would feed on itself */
        solver->drive[k][i] = 0.5f * (solver->drive[k][i] + a[k]);
    if (solver->single) { /* 2/5 m r^2 */
        float turn = dt * 10 * inverse / (p->diameter[i] * p->diameter[i]);
        solver->spin[0][i] += turn * l->torque[0];
        solver->spin[1][i] += turn * l->torque[1];
        solver->spin[2][i] += turn * l->torque[2];
    } else {
        const float impulse[3] = {dt * l->torque[0], dt * l->torque[1], dt * l->torque[2]};
        twist_grain(solver, i, impulse);
    }
}

void rp_dem_kick(const rp_dem *solver, rp_range block, const rp_dem_force *loads)
{
    RP_ASSERT(block.end - block.begin <= RP_DEM_BLOCK && solver->dt > 0);
    for (size_t i = block.begin; i < block.end; i++)
        kick_grain(solver, i, &loads[i - block.begin]);
}

void rp_dem_drift_block(const rp_dem *solver, rp_range block)
{
    for (size_t i = block.begin; i < block.end; i++)
        drift_grain(solver, i, (float)(solver->dt / 2));
}

/* rp_quat_matrix times the size, where the compiler can see it. */
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

static inline void fill_ball(const rp_dem *solver, size_t i, size_t sphere, rp_vec3 arm,
                             double radius)
{
    const rp_grains *p = solver->host.grains;
    float ax = (float)arm.x, ay = (float)arm.y, az = (float)arm.z;
    RP_ASSERT_DEBUG(sphere < solver->spheres && sphere < solver->row_capacity);
    float wx = solver->spin[0][i], wy = solver->spin[1][i], wz = solver->spin[2][i];
    solver->rows[sphere].at = (rp_wide){p->x[i],
                                        p->y[i],
                                        p->z[i],
                                        (float)radius,
                                        solver->low[0][i] + ax,
                                        solver->low[1][i] + ay,
                                        solver->low[2][i] + az,
                                        1 / p->mass[i]};
    float half = (float)(solver->dt / 2); /* (E4): v of the step's middle, as far as it is known */
    solver->rows[sphere].go = (rp_wide){p->vx[i] + half * solver->drive[0][i] + wy * az - wz * ay,
                                        p->vy[i] + half * solver->drive[1][i] + wz * ax - wx * az,
                                        p->vz[i] + half * solver->drive[2][i] + wx * ay - wy * ax,
                                        wx,
                                        wy,
                                        wz,
                                        (float)p->material[i],
                                        p->moisture[i]};
}

static void fill_grain(const rp_dem *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    double size = p->diameter[i];
    if (solver->single) {
        fill_ball(solver, i, i, rp_v3(0, 0, 0), 0.5 * size);
        return;
    }
    const rp_clump *clump = &solver->kinds[p->kind[i]].clump;
    rp_mat3 turn = matrix_of(turn_of(solver, i), size);
    for (int b = 0; b < clump->count; b++) {
        rp_vec3 c = clump->balls[b].centre;
        rp_vec3 arm = {turn.m[0][0] * c.x + turn.m[0][1] * c.y + turn.m[0][2] * c.z,
                       turn.m[1][0] * c.x + turn.m[1][1] * c.y + turn.m[1][2] * c.z,
                       turn.m[2][0] * c.x + turn.m[2][1] * c.y + turn.m[2][2] * c.z};
        fill_ball(solver, i, solver->first[i] + (size_t)b, arm, clump->balls[b].radius * size);
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

/* How far the spheres of some grains have gone, squared. */
static float way_of(const rp_dem *solver, size_t begin, size_t end)
{
    const rp_dem_lists *lists = &solver->lists;
    float most = 0;
    for (size_t s = begin; s < end; s++) {
        const float *at = rp_dem_at(solver, s);
        float dx = at[AT_X] - lists->origin[0][s] + at[AT_LOW_X];
        float dy = at[AT_Y] - lists->origin[1][s] + at[AT_LOW_Y];
        float dz = at[AT_Z] - lists->origin[2][s] + at[AT_LOW_Z];
        float way = dx * dx + dy * dy + dz * dz;
        most = way > most ? way : most;
    }
    return most;
}

static double drift_range(void *context, rp_range range)
{
    const rp_dem *solver = context;
    float half = (float)(solver->dt / 2);
    RP_ASSERT(range.end <= solver->lists.grains && RP_IS_ALIGNED(solver->rows));
    for (size_t i = range.begin; i < range.end; i++) {
        drift_grain(solver, i, half);
        fill_grain(solver, i);
    }
    return sqrt(
        (double)way_of(solver, rp_dem_first(solver, range.begin), rp_dem_first(solver, range.end)));
}

static void drift_alone(void *context, rp_range range)
{
    rp_dem_drift_block(context, range);
}

void rp_dem_drift(rp_dem *solver)
{
    const rp_host *host = &solver->host;
    size_t count = host->grains->count;
    if (rp_dem_lists_are_stale(solver)) {
        rp_parallel_for(host->threads, count, RP_DEM_BLOCK, drift_alone, solver);
        return;
    }
    solver->moved = rp_reduce_max(host->grains, host->threads, RP_DEM_BLOCK, drift_range, solver);
}
