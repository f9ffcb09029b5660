/* Which spheres may touch which solids until the next lists. Blocks of grains are small in space,
 * so one look from the middle of the ball around a block settles most surfaces for all of it. */
#include "base/report.h"
#include "solver/dem/dem.h"

typedef struct wall_job {
    rp_dem *solver;
    size_t *near_start; /* of each block, and behind the last */
    int32_t *near;      /* surfaces that blocks may be near, block by block */
    bool write;         /* else count */
} wall_job;

typedef struct ball {
    rp_vec3 middle; /* m */
    double radius;  /* m */
    double largest; /* m, radius of a sphere */
} ball;

static rp_vec3 place_of(const rp_dem *solver, size_t sphere)
{
    const rp_dem_place place = rp_dem_place_of(solver, sphere);
    const float *at = place.at;
    return rp_v3((double)at[AT_X] + (double)at[AT_LOW_X], (double)at[AT_Y] + (double)at[AT_LOW_Y],
                 (double)at[AT_Z] + (double)at[AT_LOW_Z]);
}

/* Around the middles of spheres. */
static ball ball_around(const rp_dem *solver, size_t begin, size_t end)
{
    rp_box3 box = {rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    double largest = 0;
    for (size_t s = begin; s < end; s++) {
        rp_vec3 at = place_of(solver, s);
        largest = fmax(largest, (double)rp_dem_place_of(solver, s).at[AT_RADIUS]);
        box.low = rp_v3_min(box.low, at);
        box.high = rp_v3_max(box.high, at);
    }
    return (ball){rp_v3_scale(rp_v3_add(box.low, box.high), 0.5),
                  0.5 * rp_v3_length(rp_v3_sub(box.high, box.low)), largest};
}

/* The surfaces that some sphere of the block may be near: their number, and themselves where there
 * is room for them. */
static size_t surfaces_near(const rp_dem *solver, ball block, int32_t *near)
{
    const rp_surface *surfaces = rp_couple_surfaces(solver->host.couple);
    size_t count = 0;
    double reach = block.radius + rp_dem_reach(solver, block.largest);
    for (int s = 0; s < rp_couple_count(solver->host.couple); s++) {
        double fixed = surfaces[s].rough ? surfaces[s].rough->radius : 0;
        if (!rp_surface_may_touch(&surfaces[s], block.middle, reach + fixed)) continue;
        if (near) near[count] = s;
        count++;
    }
    return count;
}

static void near_range(void *context, rp_range range)
{
    const wall_job *job = context;
    const rp_dem *solver = job->solver;
    size_t block = range.begin / RP_DEM_BLOCK;
    ball around =
        ball_around(solver, rp_dem_first(solver, range.begin), rp_dem_first(solver, range.end));
    if (job->write)
        surfaces_near(solver, around, job->near + job->near_start[block]);
    else
        job->near_start[block] = surfaces_near(solver, around, NULL);
}

/* Walls of a block in the making. */
typedef struct listing {
    rp_dem_wall *walls; /* NULL: they are only counted */
    uint32_t at;        /* place of the next */
    uint32_t sphere;
    int32_t surface; /* that is looked at */
} listing;

static void add_wall(void *user, rp_fixed fixed, rp_vec3 place)
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
    size_t block = range.begin / RP_DEM_BLOCK;
    uint32_t *mine = &solver->lists.wall_start[block];
    listing l = {.walls = job->write ? solver->lists.walls : NULL, .at = job->write ? *mine : 0};
    size_t from = rp_dem_first(solver, range.begin), to = rp_dem_first(solver, range.end);
    size_t first = job->near_start[block], last = job->near_start[block + 1];
    for (size_t s = from; s < to && first < last; s++)
        for (size_t k = first; k < last; k++) {
            l.sphere = (uint32_t)s;
            l.surface = job->near[k];
            add_near(solver, &l);
        }
    if (!job->write) *mine = l.at;
}

/* Fills in what blocks are near, in the step's arena. */
static rp_code find_near(wall_job *job, size_t count, rp_report *report)
{
    const rp_host *host = &job->solver->host;
    size_t blocks = rp_dem_blocks(count), total = 0;
    job->near_start = rp_arena_take(host->arena, (blocks + 1) * sizeof *job->near_start);
    if (!job->near_start)
        return rp_fail_memory(report, blocks * sizeof *job->near_start, "surfaces near grains");
    job->write = false;
    rp_parallel_for(host->threads, count, RP_DEM_BLOCK, near_range, job);
    for (size_t b = 0; b < blocks; b++) {
        size_t here = job->near_start[b];
        job->near_start[b] = total;
        total += here;
    }
    job->near_start[blocks] = total;
    size_t room = total + total / 16 + 1; /* a few more next time need no larger arena */
    job->near = rp_arena_take(host->arena, room * sizeof *job->near);
    if (!job->near) return rp_fail_memory(report, room * sizeof *job->near, "surfaces near grains");
    job->write = true;
    rp_parallel_for(host->threads, count, RP_DEM_BLOCK, near_range, job);
    return RP_OK;
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
    wall_job job = {.solver = solver};
    size_t count = solver->lists.grains, mark = rp_arena_mark(solver->host.arena);
    rp_code code = find_near(&job, count, report);
    if (code == RP_OK) code = list_walls(&job, count, report);
    rp_arena_return(solver->host.arena, mark);
    return code;
}
