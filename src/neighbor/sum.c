/* Sums over the neighbors of every grain. */
#include "math/kernel.h"
#include "neighbor/neighbor.h"

#define BLOCK 512

typedef struct summing {
    const rp_grains *grains;
    const rp_lists *lists;
    rp_kernel kernel;
    float factor;
    float *sums;
} summing;

/* Eight neighbors at a time, then one by one. */
RP_WIDE_KERNEL
static void sum_masses(void *context, rp_range range)
{
    const summing *s = context;
    const rp_grains *p = s->grains;
    const rp_lists *lists = s->lists;
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        rp_wide sum = rp_wide_broadcast(0);
        uint32_t n = 0, count = lists->count[i];
        for (; n + RP_WIDE <= count; n += RP_WIDE) {
            rp_wide dx = rp_wide_gather(p->x, index + n) - p->x[i];
            rp_wide dy = rp_wide_gather(p->y, index + n) - p->y[i];
            rp_wide dz = rp_wide_gather(p->z, index + n) - p->z[i];
            rp_wide r = rp_wide_sqrt(dx * dx + dy * dy + dz * dz);
            sum += rp_wide_gather(p->mass, index + n) * rp_kernel_value_wide(s->kernel, r);
        }
        float density = p->mass[i] * rp_kernel_value(s->kernel, 0) + rp_wide_sum(sum);
        for (; n < count; n++) {
            uint32_t j = index[n];
            float dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i], dz = p->z[j] - p->z[i];
            float r = sqrtf(dx * dx + dy * dy + dz * dz);
            density += p->mass[j] * rp_kernel_value(s->kernel, r);
        }
        s->sums[i] = s->factor * density;
    }
}

void rp_neighbor_density(const rp_grains *grains, const rp_lists *lists, rp_kernel kernel,
                         float factor, float *density, rp_threads *threads)
{
    summing s = {grains, lists, kernel, factor, density};
    rp_parallel_for(threads, grains->count, BLOCK, sum_masses, &s);
}
