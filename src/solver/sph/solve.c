/* The velocity-level solve: pressure and friction that keep the sand from compressing and shearing
 * (G5 to G11). */
#include "base/report.h"
#include "solver/sph/sph.h"

#include <stdlib.h>
#include <stdio.h>

static float RAISE = 0.0f, SMOOTH = 0, SLACK = 0.01f;
typedef struct sweep {
    rp_solver *solver;
    float relax;     /* share of the diagonal step */
    float momentum;  /* of the accelerated iteration */
    float bias_up, bias_down;
    double *turn;    /* per block: sums for the restart */
    double *residual;
} sweep;

/* (G6): velocities under the stresses at hand. */
RP_WIDE_KERNEL
static void velocity_range(void *context, size_t begin, size_t end)
{
    const sweep *s = context;
    const rp_solver *solver = s->solver;
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    const rp_particles *p = solver->frame.particles;
    float scale = (float)(solver->dt * solver->volume);
    for (size_t i = begin; i < end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        const float *g = w->gradient + 3 * lists->start[i];
        uint32_t count = lists->count[i], n = 0;
        rp_wide ax = w->stress[i] * w->sum[i][0], ay = w->stress[i] * w->sum[i][1],
                az = w->stress[i] * w->sum[i][2];
        for (; n + RP_WIDE <= count; n += RP_WIDE, g += 3 * RP_WIDE)
            for (int k = 0; k < RP_WIDE; k++) {
                rp_wide stress = w->stress[index[n + k]];
                ax += stress * g[k];
                ay += stress * g[RP_WIDE + k];
                az += stress * g[2 * RP_WIDE + k];
            }
        uint32_t rest = count - n;
        for (uint32_t k = 0; k < rest; k++) {
            rp_wide stress = w->stress[index[n + k]];
            ax += stress * g[k];
            ay += stress * g[rest + k];
            az += stress * g[2 * rest + k];
        }
        float factor = scale * solver->materials[p->material[i]].inverse_mass;
        rp_four v = w->free[i];
        v[0] -= factor * (ax[0] + ay[3] + az[4] + ax[6]);
        v[1] -= factor * (ax[3] + ay[1] + az[5] + ay[6]);
        v[2] -= factor * (ax[4] + ay[5] + az[2] + az[6]);
        w->velocity[i] = v;
    }
    rp_sph_contact_velocities(solver, begin / RP_SPH_BLOCK, w->velocity);
}

/* The least eigenvalue of a traceless tensor: the leftmost root of x^3 - j2 x - j3, by Newton's way
 * from the left, where the cubic bends towards the root; never above it. */
RP_WIDE_INLINE float least_eigenvalue(rp_wide s, float norm2)
{
    float j2 = 0.5f * norm2;
    float j3 = s[0] * (s[1] * s[2] - s[5] * s[5]) - s[3] * (s[3] * s[2] - s[5] * s[4]) +
               s[4] * (s[3] * s[5] - s[1] * s[4]);
    float x = -1.1547006f * sqrtf(j2);
    for (int round = 0; round < 12; round++) {
        float slope = 3 * x * x - j2;
        x -= slope > 0 ? (x * (x * x - j2) - j3) / slope : 0;
    }
    return x;
}

/* (G9b): sand bears no tension: a negative principal stress becomes none. That is the nearest
 * such tensor; it raises the pressure. */
RP_WIDE_INLINE rp_wide without_tension(rp_wide s, float norm2)
{
    float least = least_eigenvalue(s, norm2), lack = -(s[6] + least);
    if (!(lack > 0)) return s;
    /* The direction: the longest of the cross products of rows of s - least. */
    float a = s[0] - least, b = s[1] - least, c = s[2] - least, d = s[3], e = s[4], f = s[5];
    float x0 = d * f - e * b, y0 = e * d - a * f, z0 = a * b - d * d;
    float x1 = d * c - e * f, y1 = e * e - a * c, z1 = a * f - d * e;
    float x2 = b * c - f * f, y2 = f * e - d * c, z2 = d * f - b * e;
    float l0 = x0 * x0 + y0 * y0 + z0 * z0, l1 = x1 * x1 + y1 * y1 + z1 * z1,
          l2 = x2 * x2 + y2 * y2 + z2 * z2;
    if (l1 > l0) x0 = x1, y0 = y1, z0 = z1, l0 = l1;
    if (l2 > l0) x0 = x2, y0 = y2, z0 = z2, l0 = l2;
    if (!(l0 > 0)) return s;
    float k = lack / l0, third = lack / 3;
    s += (rp_wide){k * x0 * x0 - third, k * y0 * y0 - third, k * z0 * z0 - third, k * x0 * y0,
                   k * x0 * z0,         k * y0 * z0,         third,               0};
    return s;
}

/* (G9): inside the yield surface, and no tension. */
RP_WIDE_INLINE rp_wide to_yield_surface(rp_wide s, float yield)
{
    float p = s[6] > 0 ? s[6] : 0;
    float norm2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] +
                  2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
    float most = yield * p;
    float scale = norm2 > most * most ? most / sqrtf(norm2) : 1;
    s *= scale;
    s[6] = p;
    norm2 *= scale * scale;
    if (RAISE > 0 && norm2 > 1.5f * p * p) s = without_tension(s, norm2);
    return s;
}

/* (G7, G8, G10): strain rates of the velocities, and a step of every stress against them. */
RP_WIDE_KERNEL
static void stress_range(void *context, size_t begin, size_t end)
{
    const sweep *s = context;
    const rp_solver *solver = s->solver;
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    const rp_particles *p = solver->frame.particles;
    float dt = (float)solver->dt, per_dt = (float)(1 / solver->dt);
    float scale = (float)(solver->dt * solver->volume);
    double turn = 0, residual = 0;
    for (size_t i = begin; i < end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        const float *g = w->gradient + 3 * lists->start[i];
        uint32_t count = lists->count[i], n = 0;
        rp_four own = w->velocity[i];
        rp_four lx = -own * w->sum[i][0], ly = -own * w->sum[i][1], lz = -own * w->sum[i][2];
        for (; n + RP_WIDE <= count; n += RP_WIDE, g += 3 * RP_WIDE)
            for (int k = 0; k < RP_WIDE; k++) {
                rp_four v = w->velocity[index[n + k]];
                lx += v * g[k];
                ly += v * g[RP_WIDE + k];
                lz += v * g[2 * RP_WIDE + k];
            }
        uint32_t rest = count - n;
        for (uint32_t k = 0; k < rest; k++) {
            rp_four v = w->velocity[index[n + k]];
            lx += v * g[k];
            ly += v * g[rest + k];
            lz += v * g[2 * rest + k];
        }
        const rp_sph_material *material = &solver->materials[p->material[i]];
        float trace = lx[0] + ly[1] + lz[2], third = trace * (1.0f / 3);
        float diagonal = scale * material->inverse_mass * w->sum[i][3];
        float error = w->error[i];
        if (error < 0) error = error < -SLACK ? error + SLACK : 0;
        float wanted = (error > 0 ? s->bias_up * error : s->bias_down * error) * per_dt;
        float step = diagonal > 0 ? s->relax / diagonal : 0;
        rp_wide old = w->stress[i], last = w->solution[i];
        rp_wide change = {-3 * (lx[0] - third),
                          -3 * (ly[1] - third),
                          -3 * (lz[2] - third),
                          -1.5f * (ly[0] + lx[1]),
                          -1.5f * (lz[0] + lx[2]),
                          -1.5f * (lz[1] + ly[2]),
                          wanted - trace,
                          0};
        solver->rate[i] = sqrtf(change[0]*change[0]+change[1]*change[1]+change[2]*change[2]+2*(change[3]*change[3]+change[4]*change[4]+change[5]*change[5])) * (1.0f/3);
        rp_wide now = to_yield_surface(old + step * change, material->yield);
        rp_wide moved = now - last, against = old - now;
        rp_wide product = moved * against;
        turn += (double)(product[0] + product[1] + product[2] + product[3] + product[4] +
                         product[5] + product[6]) *
                diagonal;
        rp_wide square = against * against;
        residual += (double)(sqrtf(square[0] + square[1] + square[2] + 2*(square[3] + square[4] +
                                   square[5]) + square[6]) *
                             (step > 0 ? dt / step : 0));
        w->solution[i] = now;
        /* y = x + beta (x - last), in place */
        ((rp_wide *)w->stress)[i] = now; /* extrapolated after all blocks are done */
        (void)moved;
        w->solution[i] = last;
    }
    s->turn[begin / RP_SPH_BLOCK] = turn;
    s->residual[begin / RP_SPH_BLOCK] = residual;
}

/* (G11): beyond the new stresses along the way they went. */
RP_WIDE_KERNEL
static void extrapolate_range(void *context, size_t begin, size_t end)
{
    const sweep *s = context;
    const rp_sph_work *w = &s->solver->work;
    for (size_t i = begin; i < end; i++) {
        rp_wide now = w->stress[i];
        w->stress[i] = now + s->momentum * (now - w->solution[i]);
        w->solution[i] = now;
    }
}

void rp_sph_sync(const rp_solver *solver, void *array, size_t element)
{
    const rp_particles *p = solver->frame.particles;
    char *to = (char *)array + p->count * element;
    for (size_t n = 0; n < p->ghosts; n++)
        memcpy(to + n * element, (char *)array + p->ghost_source[n] * element, element);
}

static void pack_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_sph_work *w = &solver->work;
    const rp_particles *p = solver->frame.particles;
    float keep = solver->params.warm_start ? 1 : 0;
    for (size_t i = begin; i < end; i++) {
        rp_wide s = {0};
        for (int k = 0; k < 6; k++)
            s[k] = keep * solver->stress[k][i];
        s[6] = keep * p->pressure[i];
        w->stress[i] = w->solution[i] = s;
    }
}

RP_WIDE_KERNEL
static void smooth_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    for (size_t i = begin; i < end; i++) {
        if (solver->damping[i] >= 0.3f) continue;
        const uint32_t *index = lists->index + lists->start[i];
        rp_wide sum = w->stress[i];
        for (uint32_t n = 0; n < lists->count[i]; n++)
            sum += w->stress[index[n]];
        sum /= (float)(lists->count[i] + 1);
        w->solution[i] += SMOOTH * (sum - w->solution[i]);
    }
}
static void copy_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_sph_work *w = &solver->work;
    for (size_t i = begin; i < end; i++) w->stress[i] = w->solution[i];
}

static void unpack_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_sph_work *w = &solver->work;
    const rp_particles *p = solver->frame.particles;
    for (size_t i = begin; i < end; i++) {
        for (int k = 0; k < 6; k++)
            solver->stress[k][i] = w->stress[i][k];
        p->pressure[i] = w->stress[i][6];
    }
}

static double add(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

rp_code rp_sph_solve(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    const rp_sph_params *params = &solver->params;
    rp_sph_work *w = &solver->work;
    size_t count = frame->particles->count;
    sweep s = {.solver = solver,
               .relax = params->iteration == RP_SPH_JACOBI ? 0.2f : 0.14f,
               .bias_up = (float)params->correction,
               .bias_down = 1};
    const char *r = getenv("RELAX");
    if (getenv("RAISE")) RAISE = (float)atof(getenv("RAISE"));
    if (getenv("SLACK")) SLACK = (float)atof(getenv("SLACK"));
    if (getenv("SMOOTH")) SMOOTH = (float)atof(getenv("SMOOTH"));
    if (r) s.relax = (float)atof(r);
    s.turn = rp_arena_take(frame->arena, w->blocks * sizeof *s.turn);
    s.residual = rp_arena_take(frame->arena, w->blocks * sizeof *s.residual);
    if (!s.turn || !s.residual) return rp_fail_memory(report, w->blocks * 16, "sums");
    rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, pack_range, solver);
    rp_sph_sync(solver, w->stress, sizeof *w->stress);
    if (SMOOTH > 0) {
        rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, smooth_range, solver);
        rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, copy_range, solver);
        rp_sph_sync(solver, w->stress, sizeof *w->stress);
    }
    double g = rp_v3_length(solver->gravity);
    double speed = 0;
    for (size_t i = 0; i < count; i++) speed += (double)(w->free[i][0] * w->free[i][0] + w->free[i][1] * w->free[i][1] + w->free[i][2] * w->free[i][2]);
    speed = sqrt(speed / (double)count);
    double rel = getenv("REL") ? atof(getenv("REL")) : 0.01;
    if (speed < 2 * g * solver->dt) speed = 0;
    double goal = (params->tolerance + rel * speed / solver->spacing) * solver->dt;
    double theta = 1;
    int n = 0;
    static int trace = -1;
    if (trace < 0) trace = getenv("TRACE") != NULL;
    for (; n < params->iterations; n++) {
        rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, velocity_range, &s);
        rp_sph_sync(solver, w->velocity, sizeof *w->velocity);
        rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, stress_range, &s);
        double turn = add(s.turn, w->blocks);
        double residual = add(s.residual, w->blocks) / (double)count;
        if (trace) printf("it %d residual %.3e (goal %.3e)\n", n, residual, goal);
        if (params->iteration == RP_SPH_JACOBI || turn > 0) theta = 1;
        double next = 0.5 * (1 + sqrt(1 + 4 * theta * theta));
        s.momentum = params->iteration == RP_SPH_JACOBI ? 0 : (float)((theta - 1) / next);
        theta = next;
        bool done = residual < goal || n + 1 == params->iterations;
        if (done) s.momentum = 0;
        rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, extrapolate_range, &s);
        rp_sph_sync(solver, w->stress, sizeof *w->stress);
        if (done) {n++; break;}
    }
    rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, velocity_range, &s);
    rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, unpack_range, solver);
    solver->stats.iterations = n;
    return RP_OK;
}
