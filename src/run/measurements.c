/* The scene's measurements as tables that grow by a row a frame. */
#include "measure/measure.h"
#include "run/rows.h"
#include "run/run.h"

#include <stdio.h>

static rp_path table_path(const rp_runner *runner, int index)
{
    char name[512];
    snprintf(name, sizeof name, "measurements/%s.csv",
             rp_scene_measurements(runner->scene)[index].name);
    return rp_record_path(runner->record, name);
}

/* Where there is nothing to measure yet, such as a pile that is still in the air, the row holds
 * `nan` and the run goes on. */
static rp_code take(const rp_view *view, const rp_scene *scene, int what, rp_measured *measured,
                    int *count)
{
    rp_measure_options options = rp_default_measure_options();
    rp_measure_input input = {.view = view, .scene = scene, .options = &options};
    rp_code code = rp_measure_at(what)->take(&input, measured, count, NULL);
    return code == RP_ERROR_INPUT || code == RP_ERROR_UNSUPPORTED ? RP_OK : code;
}

bool rp_measurements_want_contacts(const rp_runner *runner)
{
    const rp_scene *scene = runner->scene;
    for (int i = 0; i < scene->measurements.count; i++) {
        const rp_measurement_spec *spec = &rp_scene_measurements(scene)[i];
        if (runner->frame % spec->every == 0 && rp_measure_at(spec->what)->of_contacts) return true;
    }
    return false;
}

rp_code rp_measurements_write(const rp_runner *runner, const rp_view *view, rp_report *report)
{
    const rp_scene *scene = runner->scene;
    rp_code code = RP_OK;
    if (scene->measurements.count)
        code = rp_folder_make(rp_record_path(runner->record, "measurements").text, report);
    for (int i = 0; i < scene->measurements.count && code == RP_OK; i++) {
        const rp_measurement_spec *spec = &rp_scene_measurements(scene)[i];
        if (runner->frame % spec->every) continue;
        rp_measured measured[RP_MEASURED_MAX];
        int count = 0;
        code = take(view, scene, spec->what, measured, &count);
        if (code != RP_OK) break;
        code = rp_rows_add(table_path(runner, i).text, runner->frame, view->time, measured, count,
                           report);
    }
    return code;
}

rp_code rp_measurements_rewind(const rp_runner *runner, int64_t frame, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < runner->scene->measurements.count && code == RP_OK; i++)
        code = rp_rows_rewind(table_path(runner, i).text, frame, report);
    return code;
}
