#include <repose/repose.h>
#include <stdio.h>

int main(void)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_world *world = NULL;

    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles.spacing", "2 cm");
    rp_draft_set(draft, "domain", "{low: [-1, -1, 0], high: [1, 1, inf]}");
    rp_draft_set(draft, "sources.block",
                 "{shape: box, size: [20 cm, 20 cm, 20 cm], position: [0, 0, 1]}");

    rp_code code = rp_draft_finish(draft, &scene, report);
    if (code == RP_OK) code = rp_world_create(scene, NULL, &world, report);

    rp_emitter_def spout = rp_default_emitter();
    spout.position[2] = 2;
    spout.stop = 0.5;
    if (code == RP_OK) code = rp_world_add_emitter(world, &spout, report);

    for (int frame = 1; frame <= 50 && code == RP_OK; frame++) {
        code = rp_world_run_to(world, frame / 50.0, report);
        rp_view view;
        rp_world_view(world, &view);
        double height = 0;
        for (size_t i = 0; i < view.count; i++)
            height += view.z[i] / (double)view.count;
        printf("%.2f s: %zu grains, mean height %.3f m\n", view.time, view.count, height);
    }
    if (code == RP_OK) code = rp_world_save(world, "pour.h5", report);
    for (int i = 0; i < rp_report_count(report); i++)
        fprintf(stderr, "%s\n", rp_report_fault(report, i)->message);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return code;
}
