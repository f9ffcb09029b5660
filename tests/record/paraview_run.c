/* Writes what open_in_paraview.py looks at: three frames at uneven times, the middle one without
 * grains. */
#include "fixture.h"

int main(int count, char **arguments)
{
    static const struct {
        int64_t number;
        size_t grains;
        double time;
    } frames[] = {{0, 2000, 0}, {3, 0, 0.0625}, {4, 1500, 1.0 / 3}};
    if (count != 2) return 2;
    nftw(arguments[1], remove_one, 8, FTW_DEPTH | FTW_PHYS);
    rp_report *report = rp_report_create();
    rp_scene *scene = test_scene("");
    rp_record *record;
    check_ok(rp_record_create(arguments[1], scene, 1, &record, report), report);
    for (int i = 0; i < 3; i++) {
        test_grains grains;
        test_grains_make(&grains, frames[i].grains, frames[i].time);
        check_ok(rp_record_write_frame(record, frames[i].number, &grains.view, report), report);
        check_ok(test_export(record, frames[i].number, &grains.view, "vtp", NULL, report), report);
        test_grains_free(&grains);
    }
    rp_record_close(record);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return 0;
}
