/* The film of a run that goes on: each frame is painted as soon as it is there. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* What the first frame shows says little of the values that will come. */
static rp_code check_colour(const rp_film_options *film, rp_report *report)
{
    const char *colour = film->colour;
    if (!colour || strcmp(colour, "material") == 0 || strcmp(colour, "id") == 0 ||
        film->range_low < film->range_high)
        return RP_OK;
    return fail(report, RP_ERROR_INPUT,
                "--color %s: a run that is still to come needs its values, such as --range 0:2",
                colour);
}

rp_code live_film_prepare(live_film *live, const options *o, const rp_scene *scene,
                          const char *folder, rp_report *report)
{
    *live = (live_film){
        .wanted = true, .quiet = o->quiet || o->json, .json = o->json, .report = report};
    live->options = rp_default_film_options();
    rp_code code = read_looks(o, &live->options, report);
    if (code == RP_OK) code = check_colour(&live->options, report);
    if (code != RP_OK) return code;
    default_film(folder, "film", live->quiet, live->path, sizeof live->path);
    live->options.path = live->path;
    live->options.live = true;
    live->options.progress = progress_quiet_film;
    rp_detail_info detail = rp_scene_detail(scene);
    live->kind = detail.factor >= 1 && detail.live ? RP_SERIES_FINE : RP_SERIES_COARSE;
    return rp_film_check(&live->options, scene, report);
}

static rp_code open_film(live_film *live, const rp_record *record, rp_report *report)
{
    rp_film_run run = {rp_record_series(record, live->kind), 0, INT64_MAX};
    return rp_film_open(&live->options, &run, 1, &live->film, report);
}

/* Which fields there are to be shown is known by the first frame. The film that is opened here has
 * no place to be painted to: what fails is what was asked for. */
static rp_code check_first(const live_film *live, const rp_record *record)
{
    rp_film_options nowhere = live->options;
    rp_film_run run = {rp_record_series(record, live->kind), 0, INT64_MAX};
    rp_film *film = NULL;
    if (!nowhere.colour) return RP_OK;
    nowhere.path = NULL;
    rp_code code = rp_film_open(&nowhere, &run, 1, &film, live->report);
    rp_film_close(film);
    return code;
}

static void tell(const rp_report *report)
{
    char text[2048] = "";
    if (rp_report_count(report)) rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    /* The bar has no end of line yet. */
    fprintf(stderr, "%srepose: no pictures until the run ends: %s\n",
            isatty(STDERR_FILENO) ? "\n" : "", text);
}

/* Trouble must not end the run: what is missing is painted at its end, or the fault told there. */
void live_film_add(live_film *live, const rp_record *record)
{
    if (!live->wanted || live->failed || live->refused) return;
    live->refused = !live->film && check_first(live, record) == RP_ERROR_INPUT;
    if (live->refused) return;
    rp_report *report = rp_report_create();
    rp_code code = live->film ? RP_OK : open_film(live, record, report);
    if (code == RP_OK) code = rp_film_render(live->film, report);
    live->failed = code != RP_OK && code != RP_INTERRUPTED;
    if (live->failed && !live->quiet) tell(report);
    rp_report_destroy(report);
}

static rp_code finish(live_film *live, const rp_record *record, rp_report *report)
{
    rp_code code = open_film(live, record, report);
    if (code == RP_OK) code = rp_film_render(live->film, report);
    if (code == RP_OK) code = rp_film_finish(live->film, report);
    rp_film_close(live->film);
    live->film = NULL;
    return code;
}

static void tell_end(const live_film *live, rp_code code)
{
    if (live->json) {
        printf("{\"film\": ");
        print_json_text(stdout, live->path);
        printf(", \"done\": %s}\n", code == RP_OK ? "true" : "false");
    } else if (!live->quiet && code == RP_OK) {
        fprintf(stderr, "%s: %s\n", rp_film_is_video(live->path) ? "film" : "pictures",
                plain(live->path));
    } else if (!live->quiet) {
        fprintf(stderr, "repose: the run is whole, its film is not; `repose resume` tries again\n");
    }
}

/* Opened anew: the run has closed its record, and may have had nothing left to do. */
rp_code live_film_end(live_film *live, const char *folder, bool finished, progress_bar *bar,
                      rp_report *report)
{
    rp_record *record = NULL;
    rp_film_close(live->film);
    live->film = NULL;
    if (live->refused && !live->quiet)
        fprintf(stderr, "repose: the run was stopped for its film, and all is saved; once this is "
                        "mended, `repose resume` goes on:\n");
    if (!live->wanted || !finished) return RP_OK;
    live->options.progress = progress_show_film;
    live->options.user = bar;
    rp_code code = rp_record_open(folder, &record, report);
    if (code == RP_OK) code = finish(live, record, report);
    rp_record_close(record);
    progress_end(bar);
    tell_end(live, code);
    return code;
}
