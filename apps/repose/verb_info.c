/* What a run folder holds, and what this program is. */
#include "cli.h"

/* --- info ------------------------------------------------------------------------------------- */

static const option_spec info_specs[] = {
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "as one JSON object"},
};

static void print_text(const rp_record *record, const rp_view *view)
{
    const rp_scene *scene = rp_record_scene(record);
    const rp_series *series = rp_record_series(record, RP_SERIES_COARSE);
    int64_t count = rp_series_count(series);
    char grains[32];
    printf("%s\n", plain(rp_scene_title(scene)));
    printf("frames:  %lld (the scene asks for %lld), at %.6g frames/s\n", (long long)count,
           (long long)rp_scene_frame_count(scene), rp_scene_frame_rate(scene));
    int64_t fine = rp_series_count(rp_record_series(record, RP_SERIES_FINE));
    if (fine)
        printf("fine:    %lld frames of fine grains (counts: fine/counts.csv)\n", (long long)fine);
    if (!view) return;
    printf("last:    frame %lld at %.6g s, step %llu, grains: %s, bodies: %d\n",
           (long long)rp_series_number(series, count - 1), view->time,
           (unsigned long long)view->step, short_number((double)view->count, grains, sizeof grains),
           view->body_count);
    printf("spacing: %.6g m\nfields:\n", view->spacing);
    for (int i = 0; i < view->field_count; i++)
        printf("  %-20s %s\n", plain(view->fields[i].name), plain(view->fields[i].unit));
    if (view->grid_count) printf("grids:\n");
    for (int i = 0; i < view->grid_count; i++) {
        const rp_grid *grid = &view->grids[i];
        printf("  %-20s %-6s %zu x %zu x %zu nodes\n", plain(grid->name), plain(grid->unit),
               grid->size[0], grid->size[1], grid->size[2]);
    }
}

static void print_json_grids(const rp_view *view)
{
    printf(", \"grids\": {");
    for (int i = 0; i < view->grid_count; i++) {
        const rp_grid *grid = &view->grids[i];
        if (i) printf(", ");
        print_json_text(stdout, grid->name);
        printf(": {\"unit\": ");
        print_json_text(stdout, grid->unit);
        printf(", \"size\": [%zu, %zu, %zu]}", grid->size[0], grid->size[1], grid->size[2]);
    }
    printf("}");
}

static void print_json(const rp_record *record, const rp_view *view)
{
    const rp_scene *scene = rp_record_scene(record);
    const rp_series *series = rp_record_series(record, RP_SERIES_COARSE);
    int64_t count = rp_series_count(series);
    printf("{\"title\": ");
    print_json_text(stdout, rp_scene_title(scene));
    printf(", \"frames\": %lld, \"frames_asked\": %lld, \"frame_rate\": %.9g", (long long)count,
           (long long)rp_scene_frame_count(scene), rp_scene_frame_rate(scene));
    printf(", \"fine_frames\": %lld",
           (long long)rp_series_count(rp_record_series(record, RP_SERIES_FINE)));
    if (view) {
        printf(", \"last\": {\"frame\": %lld, \"time\": %.17g, \"step\": %llu, \"grains\": %zu, "
               "\"bodies\": %d, \"fields\": {",
               (long long)rp_series_number(series, count - 1), view->time,
               (unsigned long long)view->step, view->count, view->body_count);
        for (int i = 0; i < view->field_count; i++) {
            if (i) printf(", ");
            print_json_text(stdout, view->fields[i].name);
            printf(": ");
            print_json_text(stdout, view->fields[i].unit);
        }
        printf("}");
        print_json_grids(view);
        printf("}");
    }
    printf("}\n");
}

static int show_info(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    rp_frame_file *frame = NULL;
    rp_code code = rp_record_open(o->words[0], &record, report);
    const rp_series *series = rp_record_series(record, RP_SERIES_COARSE);
    int64_t count = rp_series_count(series);
    if (count) code = rp_series_read(series, rp_series_number(series, count - 1), &frame, report);
    if (record) { /* the last frame may be damaged, the rest is still shown */
        const rp_view *view = frame ? rp_frame_view(frame) : NULL;
        if (o->json)
            print_json(record, view);
        else
            print_text(record, view);
    }
    int result = print_faults(code, report, o->json);
    rp_frame_close(frame);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_info = {.name = "info",
                        .words = "RUN",
                        .help = "show what a run folder holds",
                        VERB_OPTIONS(info_specs),
                        .min_words = 1,
                        .max_words = 1,
                        .run = show_info};

/* --- version ---------------------------------------------------------------------------------- */

static const option_spec version_specs[] = {
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "as one JSON object"},
};

static void print_missing(void)
{
    if (!rp_picture_can_write_png())
        printf("missing:      pictures (install libpng-dev and build again)\n");
    if (!rp_plot_can()) printf("missing:      plots (install gnuplot-nox)\n");
}

static int show_version(const verb *v, const options *o)
{
    (void)v;
    if (o->json) {
        printf("{\"version\": \"%s\", \"build\": ", rp_version());
        print_json_text(stdout, rp_build_text());
        printf(", \"instructions\": \"%s\", \"pictures\": %s, \"plots\": %s}\n",
               rp_instructions_text(), rp_picture_can_write_png() ? "true" : "false",
               rp_plot_can() ? "true" : "false");
        return 0;
    }
    printf("repose %s\n", rp_version());
    printf("build:        %s\n", rp_build_text());
    printf("instructions: %s\n", rp_instructions_text());
    printf("methods:     ");
    for (int i = 0; i < rp_method_count(); i++)
        printf(" %s", rp_method_name(i));
    printf("\n");
    print_missing();
    return 0;
}

const verb verb_version = {.name = "version",
                           .words = "",
                           .help = "show version, build and missing optional parts",
                           VERB_OPTIONS(version_specs),
                           .run = show_version};
