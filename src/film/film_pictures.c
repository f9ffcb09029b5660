/* Pictures of films: which frames a picture shows, with what camera and colours, runs side by side,
 * single pictures and contact sheets. */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "film/inside.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- which frames a picture shows ------------------------------------------------------------- */

/* Reads the frame at a place in the series of a run. */
static rp_code read_frame(const rp_film_source *source, int64_t place, rp_frame_file **out,
                          rp_report *report)
{
    const rp_series *series = source->run.series;
    *out = NULL;
    return rp_series_read(series, rp_series_number(series, place), out, report);
}

void rp_film_count_frames(rp_film *film)
{
    for (int i = 0; i < film->source_count; i++) {
        rp_film_source *source = &film->sources[i];
        int64_t total = rp_series_count(source->run.series);
        source->first = source->count = 0;
        for (int64_t place = 0; place < total; place++) {
            int64_t number = rp_series_number(source->run.series, place);
            if (number < source->run.from || number > source->run.to) continue;
            if (!source->count++) source->first = place;
        }
    }
}

/* The frame of a picture, as a place in the series: the shorter run holds its last frame. */
static int64_t place_of(const rp_film_source *source, int64_t picture)
{
    return source->first + (picture < source->count ? picture : source->count - 1);
}

rp_path rp_film_source_path(const rp_film_source *source, int64_t picture)
{
    int64_t number = rp_series_number(source->run.series, place_of(source, picture));
    return rp_series_path(source->run.series, number);
}

const rp_record *rp_film_source_record(const rp_film_source *source)
{
    return rp_series_record(source->run.series);
}

bool rp_film_source_is_fine(const rp_film_source *source)
{
    return source->run.series == rp_record_series(rp_film_source_record(source), RP_SERIES_FINE);
}

int64_t rp_film_count(const rp_film *film)
{
    int64_t most = 0;
    for (int i = 0; i < film->source_count; i++)
        if (film->sources[i].count > most) most = film->sources[i].count;
    return most;
}

int64_t rp_film_number(const rp_film *film, int64_t picture)
{
    const rp_film_source *longest = &film->sources[0];
    for (int i = 1; i < film->source_count; i++)
        if (film->sources[i].count > longest->count) longest = &film->sources[i];
    return rp_series_number(longest->run.series, place_of(longest, picture));
}

double rp_film_frame_time(const rp_film *film)
{
    const rp_scene *scene = rp_record_scene(rp_film_source_record(&film->sources[0]));
    return (double)scene->output.frame_every / scene->time.frame_rate;
}

/* True when the coarse grains of a fine frame have a field that the fine ones lack. */
static bool coarse_has(const rp_film_source *source, int64_t place, const char *colour)
{
    rp_frame_file *frame = NULL;
    rp_colour_range range = rp_colour_range_empty();
    int64_t number = rp_series_number(source->run.series, place);
    const rp_series *coarse = rp_record_series(rp_film_source_record(source), RP_SERIES_COARSE);
    rp_code code = rp_series_read(coarse, number, &frame, NULL);
    if (code == RP_OK) code = rp_colour_range_add(&range, rp_frame_view(frame), colour, NULL);
    rp_frame_close(frame);
    return code == RP_OK;
}

/* Extends the colour range by a view. Where fine grains lack the field, the fault says whether the
 * coarse ones have it. */
static rp_code add_colours(rp_film *film, const rp_film_source *source, int64_t place,
                           const rp_view *view, rp_report *report)
{
    const char *colour = film->options.colour;
    rp_place at = {.file = rp_record_folder(rp_film_source_record(source))};
    if (rp_colour_range_add(&film->range, view, colour, NULL) == RP_OK) return RP_OK;
    if (!rp_film_source_is_fine(source) || !coarse_has(source, place, colour))
        return rp_colour_range_add(&film->range, view, colour, report);
    return rp_fail_at(report, RP_ERROR_INPUT, &at, NULL,
                      "fine grains have no '%s', but the coarse ones do: `repose render --grains "
                      "coarse` shows it",
                      colour);
}

/* Adds one frame to framing and colour range; `*grains` becomes its number of grains. */
static rp_code add_view(rp_film *film, rp_film_source *source, int64_t place, size_t *grains,
                        rp_report *report)
{
    rp_frame_file *frame;
    const rp_scene *scene = rp_record_scene(rp_film_source_record(source));
    rp_code code = read_frame(source, place, &frame, report);
    if (code == RP_OK) code = rp_framing_add(&source->framing, rp_frame_view(frame), scene, report);
    if (code == RP_OK) code = add_colours(film, source, place, rp_frame_view(frame), report);
    if (code == RP_OK) *grains = rp_frame_view(frame)->count;
    rp_frame_close(frame);
    return code;
}

/* How many frames are surveyed: all, unless they are so large that it takes long. */
static int64_t frames_surveyed(const rp_film_source *source, size_t grains)
{
    int64_t limit = RP_FRAMING_GRAINS / (int64_t)(grains + 1);
    if (limit < RP_FRAMING_VIEWS) limit = RP_FRAMING_VIEWS;
    return source->count < limit ? source->count : limit;
}

/* Surveys frames that are spread over a run, ends included, so that all pictures share one camera;
 * of a live run only the first, because later ones are not known and cameras must not jump. The
 * last frame is added first: it has most grains, and bodies are judged by their distance to these.
 */
static rp_code survey_run(rp_film *film, rp_film_source *source, rp_report *report)
{
    rp_code code = RP_OK;
    int64_t last = film->options.live ? 0 : source->count - 1, wanted = 1;
    size_t grains = 0;
    source->framing = rp_framing_empty();
    for (int64_t n = 0; n < wanted && code == RP_OK; n++) {
        int64_t place = n == 0 ? last : last - n * last / (wanted - 1);
        code = add_view(film, source, source->first + place, &grains, report);
        if (code == RP_OK && n == 0 && last > 0) wanted = frames_surveyed(source, grains);
        if (code == RP_OK && !rp_film_report_progress(film)) code = RP_INTERRUPTED;
    }
    return code;
}

/* Two records of one scene may differ, such as by the version that made them. */
static rp_code identify(rp_film_source *source, rp_report *report)
{
    char *text;
    size_t size;
    rp_path path = rp_record_path(rp_film_source_record(source), "manifest.json");
    RP_TRY(rp_file_read(path.text, &text, &size, report));
    source->identity = rp_hash(text, size, 0);
    rp_release(text, size + 1);
    return RP_OK;
}

rp_code rp_film_survey(rp_film *film, rp_report *report)
{
    rp_code code = RP_OK;
    const rp_film_options *options = &film->options;
    film->range = rp_colour_range_empty();
    for (int i = 0; i < film->source_count && code == RP_OK; i++) {
        code = survey_run(film, &film->sources[i], report);
        if (code == RP_OK) code = identify(&film->sources[i], report);
    }
    if (options->range_low != options->range_high)
        film->range = (rp_colour_range){options->range_low, options->range_high};
    return code;
}

/* --- rendering -------------------------------------------------------------------------------- */

/* The last component of a path, or all of it, without slashes at the end. */
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
    const char *folder = rp_record_folder(rp_film_source_record(&film->sources[index]));
    rp_path name = folder_name(folder, false);
    for (int i = 0; i < film->source_count; i++) {
        rp_path other =
            folder_name(rp_record_folder(rp_film_source_record(&film->sources[i])), false);
        if (i != index && strcmp(other.text, name.text) == 0)
            return folder_name(folder, true); /* such as dry/run and wet/run */
    }
    return name;
}

/* Context of the progress function: which of the runs is rendered. */
typedef struct part_context {
    rp_film *film;
    int index;
} part_context;

static bool report_part(void *user, double part)
{
    const part_context *context = user;
    rp_film *film = context->film;
    film->progress.part = (context->index + part) / film->source_count;
    return rp_film_report_progress(film);
}

rp_render_options rp_film_render_options(const rp_film_options *options)
{
    rp_render_options render = rp_default_render_options();
    render.width = options->width;
    render.height = options->height;
    render.samples = options->samples;
    render.camera = options->camera;
    render.orbit = options->orbit;
    render.grain_scale = options->grain_scale;
    render.colour = options->colour;
    return render;
}

static rp_render_options options_of(const rp_film *film, int index, part_context *context)
{
    rp_render_options render = rp_film_render_options(&film->options);
    if (film->source_count > 1) render.aspect = (double)render.width / render.height;
    /* Each run has its part of the width; the last one what rounding leaves. */
    int left = render.width / film->source_count;
    render.width = index + 1 < film->source_count ? left : render.width - index * left;
    render.frame_time = rp_film_frame_time(film);
    render.range = film->range.low <= film->range.high ? &film->range : NULL;
    render.no_legend =
        index + 1 < film->source_count; /* all have the same scale; the last one shows it */
    render.framing = &film->sources[index].framing;
    render.progress = report_part;
    render.user = context;
    return render;
}

/* Renders the part of a picture that belongs to one run. */
static rp_code render_run(rp_film *film, int index, int64_t picture, rp_picture **out,
                          rp_report *report)
{
    const rp_film_source *source = &film->sources[index];
    part_context context = {film, index};
    rp_render_options render = options_of(film, index, &context);
    rp_frame_file *frame;
    rp_code code = read_frame(source, place_of(source, picture), &frame, report);
    if (code == RP_OK) {
        const rp_view *view = rp_frame_view(frame);
        /* The time of the longer run: the shorter one holds its last frame. */
        film->progress.time = index == 0 ? view->time : fmax(view->time, film->progress.time);
        film->progress.grains = view->count;
        code = rp_render_view(view, rp_record_scene(rp_film_source_record(source)), &render,
                              film->threads, out, report);
    }
    rp_frame_close(frame);
    return code;
}

/* Joins pictures of one height from left to right. */
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

/* Joins the pictures of runs side by side, each with its name. */
static rp_code join_runs(const rp_film *film, rp_picture *const *parts, rp_picture **out,
                         rp_report *report)
{
    for (int i = 0; i < film->source_count; i++)
        rp_legend_draw_caption(parts[i], rp_film_caption(film, i).text);
    return join(parts, film->source_count, out, report);
}

/* With as many decimals as distinguish one picture from the next. */
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
    RP_ASSERT(film->source_count >= 1);
    *out = NULL;
    for (int i = 0; i < film->source_count && code == RP_OK; i++)
        code = render_run(film, i, picture, &parts[i], report);
    if (code == RP_OK && film->source_count == 1) {
        *out = parts[0];
        parts[0] = NULL;
    } else if (code == RP_OK) {
        code = join_runs(film, parts, out, report);
    }
    if (code == RP_OK && film->options.show_time) draw_time(film, *out);
    for (int i = 0; i < film->source_count; i++)
        rp_picture_destroy(parts[i]);
    return code;
}

/* --- single pictures and contact sheets ------------------------------------------------------- */

/* Rendered in memory; nothing is stored in between. */

/* Pixels; at least the margin of a sheet. */
#define MARGIN 16

/* Renders a picture into memory and reports it. */
static rp_code render_next(rp_film *film, int64_t picture, rp_picture **out, rp_report *report)
{
    rp_code code = rp_film_picture(film, picture, out, report);
    film->progress.part = 0;
    RP_TRY(code);
    film->progress.frame++;
    bool last = film->progress.frame == film->progress.frame_count;
    return rp_film_report_progress(film) || last ? RP_OK : RP_INTERRUPTED;
}

static void begin(rp_film *film, int64_t count)
{
    film->progress = (rp_film_progress){.frame_count = count};
}

rp_code rp_film_last(rp_film *film, rp_picture **out, rp_report *report)
{
    RP_NEED(film, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    begin(film, 1);
    return render_next(film, rp_film_count(film) - 1, out, report);
}

rp_code rp_view_render(const rp_view *view, const rp_scene *scene, const rp_film_options *options,
                       rp_picture **out, rp_report *report)
{
    if (out) *out = NULL;
    RP_NEED(view, report);
    RP_NEED(scene, report);
    RP_NEED(options, report);
    RP_NEED(out, report);
    RP_ENTER();
    rp_film_options own = rp_default_film_options();
    RP_TAKE_OPTIONS(&own, options, report);
    own.path = NULL; /* it is not checked: nothing is written there */
    RP_TRY(rp_film_check(&own, scene, report));
    rp_render_options render = rp_film_render_options(&own);
    rp_colour_range range = {own.range_low, own.range_high};
    if (range.low < range.high) render.range = &range;
    render.frame_time = 1 / scene->time.frame_rate;
    rp_threads *threads = NULL;
    rp_code code = rp_threads_create(own.threads, &threads, report);
    if (code == RP_OK) code = rp_render_view(view, scene, &render, threads, out, report);
    rp_threads_destroy(threads);
    return code;
}

rp_code rp_view_picture(const rp_view *view, const rp_scene *scene, const rp_film_options *options,
                        const char *path, rp_report *report)
{
    RP_NEED(view, report);
    RP_NEED(scene, report);
    RP_NEED(options, report);
    RP_NEED(path, report);
    RP_ENTER();
    rp_picture *picture = NULL;
    RP_TRY(rp_view_render(view, scene, options, &picture, report));
    rp_code code = rp_picture_write_png(picture, path, report);
    rp_picture_destroy(picture);
    return code;
}

/* Reported before hours of rendering. */
static rp_code check_size(const rp_film *film, int columns, int rows, rp_report *report)
{
    int64_t width = (int64_t)columns * (film->options.width + MARGIN);
    int64_t height = (int64_t)rows * (film->options.height + MARGIN);
    if (columns < 1 || rows < 1 || columns > RP_FILM_SHEET_MAX || rows > RP_FILM_SHEET_MAX)
        return rp_fail(report, RP_ERROR_INPUT,
                       "a sheet of %d x %d pictures: 1x1 to %dx%d are allowed", columns, rows,
                       RP_FILM_SHEET_MAX, RP_FILM_SHEET_MAX);
    if (width <= RP_PICTURE_EDGE_MAX && height <= RP_PICTURE_EDGE_MAX) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "a sheet of %d x %d pictures of %d x %d pixels: more than %d pixels wide or "
                   "high; take smaller ones by --size",
                   columns, rows, film->options.width, film->options.height, RP_PICTURE_EDGE_MAX);
}

rp_code rp_film_sheet(rp_film *film, int columns, int rows, rp_picture **out, rp_report *report)
{
    RP_NEED(film, report);
    RP_NEED(out, report);
    RP_ENTER();
    rp_picture *pictures[RP_FILM_SHEET_MAX * RP_FILM_SHEET_MAX] = {0};
    int64_t total = rp_film_count(film), wanted = (int64_t)columns * rows;
    *out = NULL;
    rp_code code = check_size(film, columns, rows, report);
    RP_TRY(code);
    int count = (int)(total < wanted ? total : wanted);
    film->options.show_time = true; /* pictures of a sheet need it */
    begin(film, count);
    for (int n = 0; n < count && code == RP_OK; n++) { /* spread evenly, ends included */
        int64_t picture = count > 1 ? n * (total - 1) / (count - 1) : total - 1;
        code = render_next(film, picture, &pictures[n], report);
    }
    if (code == RP_OK)
        code = rp_picture_sheet((const rp_picture *const *)pictures, count, columns,
                                film->options.width, out, report);
    for (int n = 0; n < count; n++)
        rp_picture_destroy(pictures[n]);
    return code;
}
