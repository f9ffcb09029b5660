#include <math.h>
#include <repose/repose.h>
#include <stdio.h>

#define GRAINS_MOST 20000

/* A floor, walls around it, a stone on it and a nozzle above: as a scene file would say it. */
static rp_code make_scene(rp_scene **scene, rp_report *report)
{
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles.spacing", "2 cm");
    rp_draft_set(draft, "domain", "{low: [-0.5, -0.5, 0], high: [0.5, 0.5, inf]}");
    rp_draft_set(draft, "bodies.stone", "{shape: sphere, radius: 6 cm, position: [0.2, 0, 0.05]}");
    rp_draft_set(draft, "emitters.spout", "{radius: 6 cm, position: [0, 0, 0.6], speed: 1.5}");
    return rp_draft_finish(draft, scene, report);
}

/* What stands under a point, and how high the sand is there. */
static rp_code look(rp_world *world, double x, double y, rp_report *report)
{
    static const char *const names[] = {"nothing", "a grain", "a body", "", "a wall"};
    const double from[3] = {x, y, 2}, down[3] = {0, 0, -1};
    const rp_query *query;
    rp_ray_hit hit;
    double height = 0;
    rp_code code = rp_world_query(world, &query, report);
    if (code != RP_OK) return code;
    rp_query_ray(query, from, down, INFINITY, RP_HIT_ANY, &hit);
    rp_query_height(query, x, y, 0, &height);
    printf("at (%.2f, %.2f): sand up to %.3f m, a ray from above meets %s at %.3f m\n", x, y,
           height, names[hit.kind], hit.point[2]);
    return RP_OK;
}

/* Takes away what lies in a box: a hole that sand then slides into. */
static rp_code dig(rp_world *world, rp_report *report)
{
    static size_t indices[GRAINS_MOST];
    const double low[3] = {-0.05, -0.05, 0}, high[3] = {0.05, 0.05, 1};
    const rp_query *query;
    rp_code code = rp_world_query(world, &query, report);
    if (code != RP_OK) return code;
    size_t found = rp_query_box(query, low, high, indices, GRAINS_MOST);
    if (found > GRAINS_MOST) found = GRAINS_MOST;
    printf("%zu grains are dug out\n", found);
    return rp_world_remove_grains(world, indices, found, report);
}

/* What happens between two frames. */
static rp_code act(rp_world *world, int frame, rp_report *report)
{
    if (frame == 30) return rp_world_switch_emitter(world, 0, false, report);
    if (frame == 40) return dig(world, report);
    if (frame == 45)
        return rp_world_add_source(world, "lump",
                                   "{shape: sphere, radius: 7 cm, position: "
                                   "[-0.3, 0, 0.4]}",
                                   report);
    return RP_OK;
}

int main(void)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    rp_code code = make_scene(&scene, report);
    if (code == RP_OK) code = rp_world_create(scene, NULL, &world, report);

    for (int frame = 1; frame <= 50 && code == RP_OK; frame++) {
        code = rp_world_run_to(world, frame / 50.0, report);
        rp_view view;
        rp_world_view(world, &view);
        printf("%.2f s: %zu grains\n", view.time, view.count);
        if (code == RP_OK) code = act(world, frame, report);
    }
    if (code == RP_OK) code = look(world, -0.1, 0, report);
    if (code == RP_OK) code = look(world, 0.2, 0, report);
    if (code == RP_OK) code = rp_world_save(world, "pour.h5", report);
    for (int i = 0; i < rp_report_count(report); i++)
        fprintf(stderr, "%s\n", rp_report_fault(report, i)->message);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return code;
}
