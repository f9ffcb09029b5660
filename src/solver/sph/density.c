/* How full the neighbourhood of each grain is, and the gradients of its pairs (G1 to G4). */
#include "base/report.h"
#include <stdlib.h>
#include "solver/sph/sph.h"

/* (G4): what a grain on a flat free surface lacks is 0.150; its gradient sum is 0.510 / spacing. */
#define SURFACE_SHARE 0.577f
#define SURFACE_MOST 0.45f
/* Grains on the same spot have no direction to part in: pairs nearer than this count as so far. */
#define NEAREST 1e-3f

/* The gradients of one group of up to eight pairs: all x, then all y, then all z. */
RP_WIDE_INLINE void store_group(float *to, rp_wide gx, rp_wide gy, rp_wide gz, uint32_t count)
{
    if (count >= RP_WIDE) {
        rp_wide_store(to, gx);
        rp_wide_store(to + RP_WIDE, gy);
        rp_wide_store(to + 2 * RP_WIDE, gz);
        return;
    }
    memcpy(to, &gx, count * sizeof(float));
    memcpy(to + count, &gy, count * sizeof(float));
    memcpy(to + 2 * count, &gz, count * sizeof(float));
}

static float SHIFT = 0, SHIFTR = 0.9f;
RP_WIDE_KERNEL
static void fill_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    float volume = (float)solver->volume, spacing = (float)solver->spacing;
    float nearest = NEAREST * spacing;
    const rp_wide lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t i = begin; i < end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        float *gradient = w->gradient + 3 * lists->start[i];
        rp_wide fill = rp_wide_all(0), sx = fill, sy = fill, sz = fill, squares = fill, ux = fill, uy = fill, uz = fill, hx = fill, hy = fill, hz = fill;
        uint32_t count = lists->count[i];
        for (uint32_t n = 0; n < count; n += RP_WIDE) {
            /* Behind the last neighbour the indices are any that exist; their share is nought. */
            rp_wide_int live = lanes < (float)(count - n);
            rp_wide dx = p->x[i] - rp_wide_gather(p->x, index + n);
            rp_wide dy = p->y[i] - rp_wide_gather(p->y, index + n);
            rp_wide dz = p->z[i] - rp_wide_gather(p->z, index + n);
            rp_wide r = rp_wide_sqrt(dx * dx + dy * dy + dz * dz);
            r = rp_wide_max(r, rp_wide_all(nearest));
            rp_wide value = volume * rp_kernel_value_wide(solver->kernel, r);
            rp_wide slope = volume * rp_kernel_slope_wide(solver->kernel, r) / r;
            value = rp_wide_select(live, value, rp_wide_all(0));
            slope = rp_wide_select(live, slope, rp_wide_all(0));
            rp_wide gx = slope * dx, gy = slope * dy, gz = slope * dz;
            store_group(gradient + 3 * n, gx, gy, gz, count - n);
            fill += value;
            rp_wide close = rp_wide_max(1 - r * (1 / (SHIFTR * spacing)), rp_wide_all(0));
            close = rp_wide_select(live, close, rp_wide_all(0));
            close *= (rp_wide_gather(solver->rate, index + n) + solver->rate[i]) / r;
            hx += close * dx;
            hy += close * dy;
            hz += close * dz;
            rp_wide drag = value * rp_wide_min(rp_wide_gather(solver->damping, index + n), rp_wide_all(solver->damping[i]));
            ux += drag * (rp_wide_gather(p->vx, index + n) - p->vx[i]);
            uy += drag * (rp_wide_gather(p->vy, index + n) - p->vy[i]);
            uz += drag * (rp_wide_gather(p->vz, index + n) - p->vz[i]);
            sx += gx;
            sy += gy;
            sz += gz;
            squares += gx * gx + gy * gy + gz * gz;
        }
        float gx = rp_wide_sum(sx), gy = rp_wide_sum(sy), gz = rp_wide_sum(sz);
        float square = gx * gx + gy * gy + gz * gz;
        float full = volume * rp_kernel_value(solver->kernel, 0) + rp_wide_sum(fill);
        float lack = SURFACE_SHARE * spacing * spacing * square;
        lack = lack < SURFACE_MOST ? lack : SURFACE_MOST;
        w->sum[i] = (rp_four){gx, gy, gz, rp_wide_sum(squares) + square};
        w->free[i] = (rp_four){rp_wide_sum(ux), rp_wide_sum(uy), rp_wide_sum(uz), 0};
        float much = SHIFT * spacing * (float)solver->dt;
        w->shift[i] = (rp_four){much * rp_wide_sum(hx), much * rp_wide_sum(hy), much * rp_wide_sum(hz), 0};
        w->error[i] = full - 1 + (solver->params.surface ? lack : 0);
        p->density[i] = full * solver->materials[p->material[i]].density;
    }
}

static double compression(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += fmax(0, p->density[i] / solver->materials[p->material[i]].density - 1);
    return sum;
}


static void damping_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    float stuck = getenv("STUCK") ? (float)atof(getenv("STUCK")) : 0.5f;
    float visc = getenv("VISC") ? (float)atof(getenv("VISC")) : 0.01f;
    for (size_t i = begin; i < end; i++) {
        float norm2 = 0;
        for (int k = 0; k < 6; k++)
            norm2 += (k < 3 ? 1 : 2) * solver->stress[k][i] * solver->stress[k][i];
        float most = solver->materials[p->material[i]].yield * p->pressure[i];
        solver->damping[i] = norm2 < 0.98f * most * most ? stuck : visc;
    }
}

rp_code rp_sph_density(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    rp_particles *p = frame->particles;
    rp_sph_work *w = &solver->work;
    double support = solver->kernel.support;
    rp_code code = rp_neighbor_sort(frame->neighbor, p, support, report);
    rp_parallel_for(frame->threads, p->count, RP_SPH_BLOCK, damping_range, solver);
    if (code == RP_OK) code = rp_neighbor_ghosts(frame->neighbor, p, support, report);
    if (code == RP_OK)
        code = rp_neighbor_lists(frame->neighbor, p, support, &solver->lists, report);
    if (code != RP_OK) return code;

    size_t all = p->count + p->ghosts, pairs = solver->lists.total;
    w->stress = rp_arena_take(frame->arena, all * sizeof *w->stress);
    w->solution = rp_arena_take(frame->arena, all * sizeof *w->solution);
    w->velocity = rp_arena_take(frame->arena, all * sizeof *w->velocity);
    w->free = rp_arena_take(frame->arena, p->count * sizeof *w->free);
    if (getenv("SHIFT")) SHIFT = (float)atof(getenv("SHIFT"));
    if (getenv("SHIFTR")) SHIFTR = (float)atof(getenv("SHIFTR"));
    w->shift = rp_arena_take(frame->arena, p->count * sizeof *w->shift);
    w->sum = rp_arena_take(frame->arena, p->count * sizeof *w->sum);
    w->error = rp_arena_take(frame->arena, p->count * sizeof *w->error);
    w->gradient = rp_arena_take(frame->arena, (3 * pairs + RP_WIDE) * sizeof *w->gradient);
    if (!w->stress || !w->solution || !w->velocity || !w->free || !w->sum || !w->error ||
        !w->gradient)
        return rp_fail_memory(report, 3 * pairs * sizeof(float), "the gradients of all pairs");
    rp_parallel_for(frame->threads, p->count, RP_SPH_BLOCK, fill_range, solver);
    double sum = rp_parallel_sum(frame->threads, p->count, RP_SPH_BLOCK, compression, solver);
    solver->stats.density_error = p->count ? sum / (double)p->count : 0;
    return RP_OK;
}
