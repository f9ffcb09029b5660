/* Grains that leave through open sides, and grains whose numbers make no sense any more. */
#include "base/report.h"
#include "world/world.h"

#define BLOCK 4096

typedef struct exits {
    const rp_grains *particles;
    const rp_domain_spec *domain;
    uint8_t *dead;
} exits;

/* Marks those that left and counts them. */
static double mark_leavers(void *context, rp_range range)
{
    const exits *e = context;
    const rp_grains *p = e->particles;
    size_t count = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        const float at[3] = {p->x[i], p->y[i], p->z[i]};
        e->dead[i] = rp_scene_domain_has_left(e->domain, at);
        count += e->dead[i];
    }
    return (double)count;
}

rp_code rp_world_remove_leavers(rp_world *world, rp_report *report)
{
    rp_grains *p = &world->grains;
    if (!world->scene->domain.open || !p->count) return RP_OK;
    exits e = {p, &world->scene->domain, rp_arena_take(&world->arena, p->count)};
    if (!e.dead) return rp_fail_memory(report, p->count, "marks of grains that leave");
    double leavers = rp_reduce_sum(p, world->threads, BLOCK, mark_leavers, &e);
    if (leavers > 0) rp_grains_remove(p, e.dead);
    world->removed += (uint64_t)leavers;
    return RP_OK;
}

/* Anything that is not finite turns the sum of differences with itself into NaN. */
static double count_bad(void *context, rp_range range)
{
    const rp_grains *p = context;
    int bad = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        float zero = (p->x[i] - p->x[i]) + (p->y[i] - p->y[i]) + (p->z[i] - p->z[i]) +
                     (p->vx[i] - p->vx[i]) + (p->vy[i] - p->vy[i]) + (p->vz[i] - p->vz[i]);
        bad += zero != 0;
    }
    return bad;
}

static rp_code name_bad_grain(const rp_world *world, rp_report *report)
{
    const rp_grains *p = &world->grains;
    const float *arrays[] = {p->x, p->y, p->z, p->vx, p->vy, p->vz};
    static const char *const names[] = {"x", "y", "z", "velocity_x", "velocity_y", "velocity_z"};
    for (size_t i = 0; i < p->count; i++)
        for (int f = 0; f < 6; f++)
            if (!isfinite(arrays[f][i]))
                return rp_fail(report, RP_ERROR_NUMERIC,
                               "at %.6g s grain %u has %s = %g; the last good frame is kept. A "
                               "smaller time.max_step may help",
                               world->time, p->id[i], names[f], (double)arrays[f][i]);
    return RP_OK;
}

rp_code rp_world_check_numbers(const rp_world *world, rp_report *report)
{
    const rp_grains *p = &world->grains;
    if (rp_reduce_sum(p, world->threads, BLOCK, count_bad, (void *)p) == 0) return RP_OK;
    return name_bad_grain(world, report);
}
