/* All that is done with what files hold, in small: measured, exported, painted. Whatever comes of
 * it, a fault has a text and nothing is left in memory; numbers that were read are finite. */
#ifndef RP_TESTS_MUTANTS_USE_H
#define RP_TESTS_MUTANTS_USE_H

#include "measure/measure.h"
#include "repose/repose.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static inline void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

/* A failure has a report, a success has none. */
static inline void check_report(rp_code code, rp_report *report)
{
    require((code == RP_OK) == (rp_report_count(report) == 0), "a fault goes with a code");
    for (int i = 0; i < rp_report_count(report); i++)
        require(rp_report_fault(report, i)->message[0] != 0, "a fault has a text");
    rp_report_clear(report);
}

static inline void check_numbers(const rp_view *view)
{
    for (int f = 0; f < view->field_count; f++) {
        const rp_field *field = &view->fields[f];
        for (size_t i = 0; i < view->count && field->type == RP_F32; i++)
            require(isfinite(((const float *)field->data)[i]), "numbers of grains are finite");
    }
    require(isfinite(view->time) && isfinite(view->spacing), "attributes are finite");
}

static inline void use_measurements(const rp_view *view, const rp_scene *scene)
{
    rp_measure_options options = rp_default_measure_options();
    options.body = scene->bodies.count ? 0 : -1;
    options.plane_axis = 2;
    rp_measure_input in = {.view = view, .before = view, .scene = scene, .options = &options};
    rp_report *report = rp_report_create();
    for (int i = 0; i < rp_measure_count(); i++) {
        const rp_measure_kind *kind = rp_measure_at(i);
        rp_measured numbers[RP_MEASURED_MAX];
        int count = 0;
        rp_table table = {0};
        if ((kind->of_body && options.body < 0) || (kind->of_contacts && !view->contacts)) continue;
        rp_code code =
            kind->take ? kind->take(&in, numbers, &count, report) : kind->fill(&in, &table, report);
        check_report(code, report);
        if (!kind->take) rp_table_release(&table);
    }
    rp_report_destroy(report);
}

static inline void use_exports(rp_record *record, const rp_view *view, const char *folder)
{
    rp_report *report = rp_report_create();
    static const char *const formats[] = {"vtp", "ply", "csv", "usda", "usda-instances"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        rp_export_options options = rp_default_export_options();
        options.format = formats[i];
        options.folder = folder;
        options.contacts = view->contacts && i % 2 == 0 && i < 3;
        check_report(rp_record_export(record, 1, view, &options, report), report);
    }
    rp_report_destroy(report);
}

static inline void use_pictures(const rp_view *view, const rp_scene *scene, const char *path)
{
    rp_report *report = rp_report_create();
    const char *const colours[] = {"material", "speed", "chains"};
    for (int i = 0; i < (view->contacts ? 3 : 2); i++) {
        rp_film_options options = rp_default_film_options();
        options.width = 32;
        options.height = 18;
        options.samples = 1;
        options.threads = 1;
        options.colour = colours[i];
        check_report(rp_view_picture(view, scene, &options, path, report), report);
    }
    rp_report_destroy(report);
}

static inline void use_view(rp_record *record, const rp_view *view, const char *folder)
{
    char path[1024];
    const rp_scene *scene = rp_record_scene(record);
    snprintf(path, sizeof path, "%s/picture.png", folder);
    check_numbers(view);
    if (view->mass) use_measurements(view, scene);
    use_exports(record, view, folder);
    use_pictures(view, scene, path);
}

#endif
