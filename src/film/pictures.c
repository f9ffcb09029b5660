/* Painting: which frames a picture shows, with what camera and colours, and runs side by side. */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "film/film.h"
#include "picture/legend.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rp_code read_frame(const rp_shown *shown, int64_t place, rp_frame_file **out,
                          rp_report *report)
{
    const rp_series *series = shown->run.series;
    *out = NULL;
    return rp_series_read(series, rp_series_number(series, place), out, report);
}

void rp_film_look(rp_film *film)
{
    for (int i = 0; i < film->shown_count; i++) {
        rp_shown *shown = &film->shown[i];
        int64_t total = rp_series_count(shown->run.series);
        shown->first = shown->count = 0;
        for (int64_t place = 0; place < total; place++) {
            int64_t number = rp_series_number(shown->run.series, place);
            if (number < shown->run.from || number > shown->run.to) continue;
            if (!shown->count++) shown->first = place;
        }
    }
}

/* The shorter run holds its last frame. */
static int64_t place_of(const rp_shown *shown, int64_t picture)
{
    return shown->first + (picture < shown->count ? picture : shown->count - 1);
}

rp_path rp_shown_path(const rp_shown *shown, int64_t picture)
{
    int64_t number = rp_series_number(shown->run.series, place_of(shown, picture));
    return rp_series_path(shown->run.series, number);
}

const rp_record *rp_shown_record(const rp_shown *shown)
{
    return rp_series_record(shown->run.series);
}

bool rp_shown_is_fine(const rp_shown *shown)
{
    return shown->run.series == rp_record_series(rp_shown_record(shown), RP_SERIES_FINE);
}

int64_t rp_film_count(const rp_film *film)
{
    int64_t most = 0;
    for (int i = 0; i < film->shown_count; i++)
        if (film->shown[i].count > most) most = film->shown[i].count;
    return most;
}

int64_t rp_film_number(const rp_film *film, int64_t picture)
{
    const rp_shown *longest = &film->shown[0];
    for (int i = 1; i < film->shown_count; i++)
        if (film->shown[i].count > longest->count) longest = &film->shown[i];
    return rp_series_number(longest->run.series, place_of(longest, picture));
}

double rp_film_frame_time(const rp_film *film)
{
    const rp_scene *scene = rp_record_scene(rp_shown_record(&film->shown[0]));
    return (double)scene->output.frame_every / scene->time.frame_rate;
}

/* True when the coarse grains of a fine frame have what the fine ones lack. */
static bool coarse_has(const rp_shown *shown, int64_t place, const char *colour)
{
    rp_frame_file *frame = NULL;
    rp_colour_range range = rp_colour_range_empty();
    int64_t number = rp_series_number(shown->run.series, place);
    const rp_series *coarse = rp_record_series(rp_shown_record(shown), RP_SERIES_COARSE);
    rp_code code = rp_series_read(coarse, number, &frame, NULL);
    if (code == RP_OK) code = rp_colour_range_add(&range, rp_frame_view(frame), colour, NULL);
    rp_frame_close(frame);
    return code == RP_OK;
}

static rp_code add_colours(rp_film *film, const rp_shown *shown, int64_t place, const rp_view *view,
                           rp_report *report)
{
    const char *colour = film->options.colour;
    rp_place at = {.file = rp_record_folder(rp_shown_record(shown))};
    if (rp_colour_range_add(&film->range, view, colour, NULL) == RP_OK) return RP_OK;
    if (!rp_shown_is_fine(shown) || !coarse_has(shown, place, colour))
        return rp_colour_range_add(&film->range, view, colour, report);
    return rp_fail_at(report, RP_ERROR_INPUT, &at, NULL,
                      "fine grains have no '%s', but the coarse ones do: `repose render --grains "
                      "coarse` shows it",
                      colour);
}

static rp_code add_view(rp_film *film, rp_shown *shown, int64_t place, size_t *grains,
                        rp_report *report)
{
    rp_frame_file *frame;
    const rp_scene *scene = rp_record_scene(rp_shown_record(shown));
    rp_code code = read_frame(shown, place, &frame, report);
    if (code == RP_OK) code = rp_framing_add(&shown->framing, rp_frame_view(frame), scene, report);
    if (code == RP_OK) code = add_colours(film, shown, place, rp_frame_view(frame), report);
    if (code == RP_OK) *grains = rp_frame_view(frame)->count;
    rp_frame_close(frame);
    return code;
}

/* How many frames are looked at: all, unless they are so large that it takes long. */
static int64_t frames_surveyed(const rp_shown *shown, size_t grains)
{
    int64_t most = RP_FRAMING_GRAINS / (int64_t)(grains + 1);
    if (most < RP_FRAMING_VIEWS) most = RP_FRAMING_VIEWS;
    return shown->count < most ? shown->count : most;
}

/* One camera for all pictures of a run, made from views all over it, ends included; of a run that
 * still goes on from the first, because what comes is not known and cameras must not jump. The last
 * frame comes first: it has most grains, and bodies are judged by how near they are to these. */
static rp_code survey_run(rp_film *film, rp_shown *shown, rp_report *report)
{
    rp_code code = RP_OK;
    int64_t last = film->options.live ? 0 : shown->count - 1, wanted = 1;
    size_t grains = 0;
    shown->framing = rp_framing_empty();
    for (int64_t n = 0; n < wanted && code == RP_OK; n++) {
        int64_t place = n == 0 ? last : last - n * last / (wanted - 1);
        code = add_view(film, shown, shown->first + place, &grains, report);
        if (code == RP_OK && n == 0 && last > 0) wanted = frames_surveyed(shown, grains);
        if (code == RP_OK && !rp_film_show(film)) code = RP_INTERRUPTED;
    }
    return code;
}

/* Two records of one scene may still differ: made by another version, for one. */
static rp_code identify(rp_shown *shown, rp_report *report)
{
    char *text;
    size_t size;
    rp_path path = rp_record_path(rp_shown_record(shown), "manifest.json");
    RP_TRY(rp_file_read(path.text, &text, &size, report));
    shown->identity = rp_hash(text, size, 0);
    rp_release(text, size + 1);
    return RP_OK;
}

rp_code rp_film_survey(rp_film *film, rp_report *report)
{
    rp_code code = RP_OK;
    const rp_film_options *options = &film->options;
    film->range = rp_colour_range_empty();
    for (int i = 0; i < film->shown_count && code == RP_OK; i++) {
        code = survey_run(film, &film->shown[i], report);
        if (code == RP_OK) code = identify(&film->shown[i], report);
    }
    if (options->range_low != options->range_high)
        film->range = (rp_colour_range){options->range_low, options->range_high};
    return code;
}

/* --- painting --------------------------------------------------------------------------------- */

/* The last part of a path, or all of it, without slashes at the end. */
static rp_path folder_name(const char *folder, bool whole)
{
    rp_path name;
    size_t end = strlen(folder), begin;
    while (end > 1 && folder[end - 1] == '/')
        end--;
    for (begin = whole ? 0 : end; begin > 0 && folder[begin - 1] != '/';)
        begin--;
    snprintf(name.text, sizeof name.text, "%.*s", (int)(end - begin), folder + begin);
    return name;
}

rp_path rp_film_caption(const rp_film *film, int index)
{
    const char *folder = rp_record_folder(rp_shown_record(&film->shown[index]));
    rp_path name = folder_name(folder, false);
    for (int i = 0; i < film->shown_count; i++) {
        rp_path other = folder_name(rp_record_folder(rp_shown_record(&film->shown[i])), false);
        if (i != index && strcmp(other.text, name.text) == 0)
            return folder_name(folder, true); /* such as dry/run and wet/run */
    }
    return name;
}

/* The part of all runs that one has come to. */
typedef struct rp_painting {
    rp_film *film;
    int index;
} rp_painting;

static bool show_part(void *user, double part)
{
    const rp_painting *painting = user;
    rp_film *film = painting->film;
    film->progress.part = (painting->index + part) / film->shown_count;
    return rp_film_show(film);
}

rp_paint_options rp_film_paint_options(const rp_film_options *options)
{
    rp_paint_options paint = rp_default_paint_options();
    paint.width = options->width;
    paint.height = options->height;
    paint.samples = options->samples;
    paint.camera = options->camera;
    paint.orbit = options->orbit;
    paint.grain_scale = options->grain_scale;
    paint.colour = options->colour;
    return paint;
}

static rp_paint_options how_to_paint(const rp_film *film, int index, rp_painting *painting)
{
    rp_paint_options paint = rp_film_paint_options(&film->options);
    if (film->shown_count > 1) paint.aspect = (double)paint.width / paint.height;
    int left = paint.width / film->shown_count;
    paint.width = index + 1 < film->shown_count ? left : paint.width - index * left;
    paint.frame_time = rp_film_frame_time(film);
    paint.range = film->range.low <= film->range.high ? &film->range : NULL;
    paint.no_legend = index + 1 < film->shown_count; /* all have the same */
    paint.framing = &film->shown[index].framing;
    paint.progress = show_part;
    paint.user = painting;
    return paint;
}

static rp_code paint_run(rp_film *film, int index, int64_t picture, rp_picture **out,
                         rp_report *report)
{
    const rp_shown *shown = &film->shown[index];
    rp_painting painting = {film, index};
    rp_paint_options paint = how_to_paint(film, index, &painting);
    rp_frame_file *frame;
    rp_code code = read_frame(shown, place_of(shown, picture), &frame, report);
    if (code == RP_OK) {
        const rp_view *view = rp_frame_view(frame);
        /* Of runs side by side the shorter one stands still at its end. */
        film->progress.time = index == 0 ? view->time : fmax(view->time, film->progress.time);
        film->progress.grains = view->count;
        code = rp_paint(view, rp_record_scene(rp_shown_record(shown)), &paint, film->threads, out,
                        report);
    }
    rp_frame_close(frame);
    return code;
}

/* Pictures of one height from left to right. */
static rp_code join(rp_picture *const *parts, int count, rp_picture **out, rp_report *report)
{
    int width = 0, left = 0;
    RP_ASSERT(parts[0]);
    for (int i = 0; i < count; i++)
        width += parts[i]->width;
    rp_code code = rp_picture_create(width, parts[0]->height, out, report);
    for (int i = 0; i < count && code == RP_OK; i++) {
        rp_picture_paste(*out, parts[i], left, 0);
        left += parts[i]->width;
    }
    return code;
}

/* Runs side by side have their names. */
static rp_code join_runs(const rp_film *film, rp_picture *const *parts, rp_picture **out,
                         rp_report *report)
{
    for (int i = 0; i < film->shown_count; i++)
        rp_legend_draw_caption(parts[i], rp_film_caption(film, i).text);
    return join(parts, film->shown_count, out, report);
}

/* With as many decimals as tell one picture from the next. */
static void draw_time(const rp_film *film, rp_picture *picture)
{
    char text[64];
    double places = ceil(-log10(rp_film_frame_time(film)) - 1e-9);
    snprintf(text, sizeof text, "%.*f s", (int)fmin(fmax(places, 0), 9), film->progress.time);
    rp_legend_draw_heading(picture, text);
}

rp_code rp_film_picture(rp_film *film, int64_t picture, rp_picture **out, rp_report *report)
{
    rp_picture *parts[RP_FILM_RUNS_MAX] = {0};
    rp_code code = RP_OK;
    RP_ASSERT(film->shown_count >= 1);
    *out = NULL;
    for (int i = 0; i < film->shown_count && code == RP_OK; i++)
        code = paint_run(film, i, picture, &parts[i], report);
    if (code == RP_OK && film->shown_count == 1) {
        *out = parts[0];
        parts[0] = NULL;
    } else if (code == RP_OK) {
        code = join_runs(film, parts, out, report);
    }
    if (code == RP_OK && film->options.show_time) draw_time(film, *out);
    for (int i = 0; i < film->shown_count; i++)
        rp_picture_destroy(parts[i]);
    return code;
}
