/* Which spheres may touch which solids until the next lists. Blocks of grains are small in space,
 * so one look from the middle of the ball around a block settles most surfaces for all of it. */
#include "base/report.h"
#include "solver/dem/dem.h"

typedef struct wall_job {
    rp_solver *solver;
    bool write;
} wall_job;

typedef struct ball {
    rp_vec3 middle; /* m */
    double radius;  /* m */
} ball;

static rp_vec3 place_of(const rp_solver *solver, size_t sphere)
{
    const rp_dem_place place = rp_dem_place_of(solver, sphere);
    const float *at = place.at;
    return rp_v3((double)at[AT_X] + (double)at[AT_LOW_X], (double)at[AT_Y] + (double)at[AT_LOW_Y],
                 (double)at[AT_Z] + (double)at[AT_LOW_Z]);
}

/* Around the middles of spheres. */
static ball ball_around(const rp_solver *solver, size_t begin, size_t end)
{
    rp_box3 box = {rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    for (size_t s = begin; s < end; s++) {
        rp_vec3 at = place_of(solver, s);
        box.low = rp_v3_min(box.low, at);
        box.high = rp_v3_max(box.high, at);
    }
    return (ball){rp_v3_scale(rp_v3_add(box.low, box.high), 0.5),
                  0.5 * rp_v3_length(rp_v3_sub(box.high, box.low))};
}

/* The surfaces that some sphere of the block may be near; gives their number. */
static int surfaces_near(const rp_solver *solver, ball block, int32_t *near, int most)
{
    const rp_surface *surfaces = rp_couple_surfaces(solver->frame.couple);
    int count = 0;
    double reach = block.radius + solver->largest / 2 + solver->wall_skin;
    for (int s = 0; s < rp_couple_count(solver->frame.couple) && count < most; s++)
        if (rp_surface_may_touch(&surfaces[s], block.middle, reach)) near[count++] = s;
    return count;
}

static bool is_near(const rp_solver *solver, size_t sphere, int32_t surface)
{
    double radius = (double)rp_dem_place_of(solver, sphere).at[AT_RADIUS];
    rp_touch touch;
    return rp_surface_touch(&rp_couple_surfaces(solver->frame.couple)[surface],
                            place_of(solver, sphere), radius + solver->wall_skin, &touch);
}

#define SURFACES_MOST 1024

static void wall_range(void *context, size_t begin, size_t end)
{
    const wall_job *job = context;
    rp_solver *solver = job->solver;
    uint32_t *mine = &solver->lists.wall_start[begin / RP_DEM_BLOCK], at = job->write ? *mine : 0;
    size_t from = rp_dem_first(solver, begin), to = rp_dem_first(solver, end);
    int32_t near[SURFACES_MOST];
    int count = surfaces_near(solver, ball_around(solver, from, to), near, SURFACES_MOST);
    for (size_t s = from; s < to && count; s++)
        for (int k = 0; k < count; k++) {
            if (!is_near(solver, s, near[k])) continue;
            if (job->write)
                solver->lists.walls[at] = (rp_dem_wall){.sphere = (uint32_t)s, .surface = near[k]};
            at++;
        }
    if (!job->write) *mine = at;
}

rp_code rp_dem_list_walls(rp_solver *solver, rp_report *report)
{
    rp_dem_lists *lists = &solver->lists;
    size_t count = lists->grains, blocks = rp_dem_blocks(count), total = 0;
    wall_job job = {solver, false};
    rp_parallel_for(solver->frame.threads, count, RP_DEM_BLOCK, wall_range, &job);
    for (size_t b = 0; b < blocks; b++) {
        uint32_t here = lists->wall_start[b];
        lists->wall_start[b] = (uint32_t)total;
        total += here;
    }
    lists->wall_start[blocks] = (uint32_t)total;
    if (!rp_dem_room_for_walls(lists, total))
        return rp_fail_memory(report, total * sizeof *lists->walls, "contacts with solids");
    lists->wall_count = total;
    job.write = true;
    rp_parallel_for(solver->frame.threads, count, RP_DEM_BLOCK, wall_range, &job);
    return RP_OK;
}
