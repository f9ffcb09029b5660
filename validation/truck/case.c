/* The load of a truck moves with it. */
#include "validation/bodies.h"

#include "base/memory.h"
#include "base/report.h"

#include <math.h>

/* Where every grain is relative to the bed, by its number. */
typedef struct load {
    rp_vec3 *place; /* m, in the bed's frame */
    size_t count;   /* of numbers */
} load;

typedef struct slip {
    double mean, largest, along; /* m; along the truck, backwards is negative */
    size_t grains;
} slip;

static rp_pose bed_pose(const rp_trial *trial, const rp_view *view)
{
    const rp_body_state *bed = &view->bodies[rp_scene_find_body(trial->scene, "bed")];
    const double *p = bed->position, *q = bed->orientation;
    return (rp_pose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

static rp_vec3 place_of(const rp_view *view, rp_pose bed, size_t i)
{
    return rp_pose_to_local(bed, rp_v3(view->x[i], view->y[i], view->z[i]));
}

/* How far all grains have moved on the bed since the places in `l`, which become those of now. */
static slip slip_since(const rp_trial *trial, load *l)
{
    rp_view view;
    slip s = {0};
    rp_world_view(trial->world, &view);
    rp_pose bed = bed_pose(trial, &view);
    for (size_t i = 0; i < view.count; i++) {
        rp_vec3 now = place_of(&view, bed, i), *then = &l->place[view.id[i]];
        rp_vec3 way = rp_v3_sub(now, *then);
        s.mean += rp_v3_length(way) / (double)view.count;
        s.along += way.x / (double)view.count;
        s.largest = fmax(s.largest, rp_v3_length(way));
        *then = now;
    }
    s.grains = view.count;
    return s;
}

static rp_code make_load(const rp_trial *trial, load *l, rp_report *report)
{
    rp_view view;
    rp_world_view(trial->world, &view);
    for (size_t i = 0; i < view.count; i++)
        l->count = view.id[i] >= l->count ? (size_t)view.id[i] + 1 : l->count;
    size_t bytes = l->count * sizeof *l->place;
    l->place = rp_allocate_zero(bytes);
    return l->place ? RP_OK : rp_fail_memory(report, bytes, "places of grains");
}

static rp_code drive(rp_case_context *c, const rp_trial *trial, double until, load *l, slip *s)
{
    rp_code code = rp_case_run_to(c, trial->world, until, 10);
    if (code == RP_OK) *s = slip_since(trial, l);
    return code;
}

static void note(rp_case_context *c, const char *what, const slip *s)
{
    rp_case_note(c, "%s: mean slip %.3g mm, largest %.3g mm, along the truck %.3g mm, %zu grains",
                 what, 1000 * s->mean, 1000 * s->largest, 1000 * s->along, s->grains);
}

static rp_code judge_drive(rp_case_context *c, const rp_trial *trial, load *l)
{
    slip settling, start, even, brake;
    rp_code code = drive(c, trial, 0.8, l, &settling);
    if (code == RP_OK) code = drive(c, trial, 1.8, l, &start);
    if (code == RP_OK) code = drive(c, trial, 2.4, l, &even);
    if (code == RP_OK) code = drive(c, trial, 3.4, l, &brake);
    RP_TRY(code);
    rp_judge_at_most(c, "mean slip while it accelerates", 1000 * start.mean,
                     1000 * trial->scene->particles.spacing, "mm");
    note(c, "0.8 s to 1.8 s, it accelerates", &start);
    note(c, "1.8 s to 2.4 s, it drives evenly", &even);
    note(c, "2.4 s to 3.4 s, it brakes", &brake);
    return code;
}

static rp_code run(rp_case_context *c)
{
    const rp_setting coarse = {"particles.spacing", "2.5 cm"};
    rp_trial trial;
    load l = {0};
    rp_code code = rp_trial_begin(c, "scene.yaml", &coarse, c->quick ? 1 : 0, &trial);
    if (code == RP_OK) code = make_load(&trial, &l, c->report);
    if (code == RP_OK) code = judge_drive(c, &trial, &l);
    rp_release(l.place, l.count * sizeof *l.place);
    rp_trial_end(&trial);
    return code;
}

const rp_case rp_case_truck = {"truck", "The load of a truck moves with it", run};
