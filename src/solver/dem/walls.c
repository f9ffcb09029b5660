/* Which spheres may touch which solids until the next lists. */
#include "base/report.h"
#include "solver/dem/dem.h"

typedef struct wall_job {
    rp_dem *solver;
    rp_surface_list *near; /* of each block */
    bool write;            /* else count */
} wall_job;

static rp_vec3 place_of(const rp_dem *solver, size_t sphere)
{
    const rp_dem_place place = rp_dem_place_of(solver, sphere);
    const float *at = place.at;
    return rp_v3((double)at[AT_X] + (double)at[AT_LOW_X], (double)at[AT_Y] + (double)at[AT_LOW_Y],
                 (double)at[AT_Z] + (double)at[AT_LOW_Z]);
}

/* Around the middles of the spheres of some grains, larger by as much as they reach. */
static rp_ball ball_of(const void *context, rp_range range)
{
    const rp_dem *solver = context;
    rp_box3 box = rp_box3_empty();
    double largest = 0;
    size_t end = rp_dem_first(solver, range.end);
    for (size_t s = rp_dem_first(solver, range.begin); s < end; s++) {
        largest = fmax(largest, (double)rp_dem_place_of(solver, s).at[AT_RADIUS]);
        box = rp_box3_add(box, place_of(solver, s));
    }
    rp_ball ball = rp_couple_ball_of_box(box);
    ball.radius += rp_dem_reach(solver, largest);
    return ball;
}

/* Walls of a block in the making. */
typedef struct listing {
    rp_dem_wall *walls; /* NULL: they are only counted */
    uint32_t at;        /* place of the next */
    uint32_t sphere;
    int32_t surface; /* that is looked at */
} listing;

static void add_wall(void *user, rp_fixed_grain fixed, rp_vec3 place)
{
    listing *l = user;
    (void)place;
    if (l->walls)
        l->walls[l->at] = (rp_dem_wall){.sphere = l->sphere, .surface = l->surface, .fixed = fixed};
    l->at++;
}

/* The solid itself, then the grains that are fixed on it. */
static void add_near(const rp_dem *solver, listing *l)
{
    const rp_surface *surface = &rp_couple_surfaces(solver->host.couple)[l->surface];
    rp_vec3 at = place_of(solver, l->sphere);
    double radius = (double)rp_dem_place_of(solver, l->sphere).at[AT_RADIUS];
    double reach = rp_dem_reach(solver, radius);
    rp_touch touch;
    if (rp_surface_touch(surface, at, reach, &touch)) add_wall(l, RP_DEM_SMOOTH, at);
    if (surface->rough)
        rp_surface_fixed_near(surface, at, reach + surface->rough->radius, add_wall, l);
}

static void wall_range(void *context, rp_range range)
{
    const wall_job *job = context;
    rp_dem *solver = job->solver;
    size_t block = rp_dem_block(range);
    uint32_t *mine = &solver->lists.wall_start[block];
    listing l = {.walls = job->write ? solver->lists.walls : NULL, .at = job->write ? *mine : 0};
    size_t from = rp_dem_first(solver, range.begin), to = rp_dem_first(solver, range.end);
    const rp_surface_list *near = &job->near[block];
    for (size_t s = from; s < to && near->count; s++)
        for (int k = 0; k < near->count; k++) {
            l.sphere = (uint32_t)s;
            l.surface = near->index[k];
            add_near(solver, &l);
        }
    if (!job->write) *mine = l.at;
}

static rp_code list_walls(wall_job *job, size_t count, rp_report *report)
{
    rp_dem *solver = job->solver;
    rp_dem_lists *lists = &solver->lists;
    size_t blocks = rp_dem_blocks(count), total = 0;
    job->write = false;
    rp_parallel_for(solver->host.threads, count, RP_DEM_BLOCK, wall_range, job);
    for (size_t b = 0; b < blocks; b++) {
        uint32_t here = lists->wall_start[b];
        lists->wall_start[b] = (uint32_t)total;
        total += here;
    }
    lists->wall_start[blocks] = (uint32_t)total;
    if (!rp_dem_room_for_walls(lists, total))
        return rp_fail_memory(report, total * sizeof *lists->walls, "contacts with solids");
    lists->wall_count = total;
    job->write = true;
    rp_parallel_for(solver->host.threads, count, RP_DEM_BLOCK, wall_range, job);
    return RP_OK;
}

rp_code rp_dem_list_walls(rp_dem *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    wall_job job = {.solver = solver};
    size_t count = solver->lists.grains, mark = rp_arena_mark(host->arena);
    rp_couple_search search = {count, RP_DEM_BLOCK, ball_of, solver};
    rp_code code =
        rp_couple_near(host->couple, &search, host->threads, host->arena, &job.near, report);
    if (code == RP_OK) code = list_walls(&job, count, report);
    rp_arena_return(host->arena, mark);
    return code;
}
