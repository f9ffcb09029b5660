/* Films of runs: check the options, survey the frames, render the missing pictures, encode. */
#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "document/words.h"
#include "film/inside.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ORBIT_MAX 10000.0 /* degrees a second, as for cameras of scenes */

void rp_default_film_options_fill(rp_film_options *options, size_t size)
{
    rp_render_options render = rp_default_render_options();
    rp_film_options own = {.size = size,
                           .width = render.width,
                           .height = render.height,
                           .samples =
                               rp_render_quality_samples(rp_words_find(RP_QUALITY_WORDS, "good")),
                           .grain_scale = render.grain_scale};
    rp_options_give(options, size, &own, sizeof own);
}

int rp_film_quality_samples(const char *quality)
{
    int place = quality ? rp_words_find(RP_QUALITY_WORDS, quality) : -1;
    return place >= 0 ? rp_render_quality_samples(place) : 0;
}

bool rp_film_can_encode(void)
{
    return rp_encoder_available();
}

bool rp_film_is_video(const char *path)
{
    return path && rp_encoder_accepts(path);
}

/* --- checks ----------------------------------------------------------------------------------- */

static rp_code check_range(double low, double high, rp_report *report)
{
    if ((low == 0 && high == 0) || (low < high && isfinite(high - low))) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "colours from %g to %g: two numbers are wanted, the second above the first", low,
                   high);
}

static rp_code check_numbers(const rp_film_options *o, rp_report *report)
{
    if (o->width < 1 || o->height < 1 || o->width > RP_PICTURE_EDGE_MAX ||
        o->height > RP_PICTURE_EDGE_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "a picture of %d x %d pixels: 1 to %d are allowed",
                       o->width, o->height, RP_PICTURE_EDGE_MAX);
    if (o->samples < 1 || o->samples > RP_SAMPLES_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "%d samples of a pixel: 1 to %d are allowed",
                       o->samples, RP_SAMPLES_MAX);
    if (!(o->grain_scale > 0 && o->grain_scale <= 10))
        return rp_fail(report, RP_ERROR_INPUT,
                       "a grain size of %g: more than 0 and up to 10 are "
                       "allowed; with 1 neighbors touch",
                       o->grain_scale);
    double orbit = o->orbit * 180 / RP_PI;
    if (!(fabs(orbit) <= ORBIT_MAX * (1 + 1e-9))) /* a conversion to rad/s and back rounds */
        return rp_fail(report, RP_ERROR_INPUT,
                       "an orbit of %g degrees a second: %g to %g are allowed", orbit, -ORBIT_MAX,
                       ORBIT_MAX);
    if (o->frames_per_second != 0 &&
        !(o->frames_per_second >= RP_FILM_FPS_MIN && o->frames_per_second <= RP_FILM_FPS_MAX))
        return rp_fail(report, RP_ERROR_INPUT, "%g pictures a second: %g to %g are allowed",
                       o->frames_per_second, RP_FILM_FPS_MIN, RP_FILM_FPS_MAX);
    return check_range(o->range_low, o->range_high, report);
}

/* A camera of the scene, or the automatic one; the fault suggests the nearest name, or lists all.
 */
static rp_code check_camera(const char *camera, const rp_scene *scene, rp_report *report)
{
    rp_nearest nearest = rp_nearest_to(camera ? camera : "");
    char hint[128], names[512] = "automatic";
    if (!camera || strcmp(camera, "automatic") == 0) return RP_OK;
    rp_nearest_try(&nearest, "automatic", strlen("automatic"));
    for (int i = 0; i < scene->cameras.count; i++) {
        const char *name = rp_scene_cameras(scene)[i].name;
        if (strcmp(name, camera) == 0) return RP_OK;
        rp_nearest_try(&nearest, name, strlen(name));
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", name);
    }
    rp_nearest_hint(&nearest, hint, sizeof hint);
    return rp_fail(report, RP_ERROR_INPUT, "there is no camera '%s'%s%s", camera,
                   hint[0] ? hint : "; there are: ", hint[0] ? "" : names);
}

/* Whether the path can be written: PNG and, for a video, ffmpeg. */
static rp_code check_target(const rp_film_options *o, rp_report *report)
{
    if (!o->path) return RP_OK;
    rp_place place = {.file = o->path};
    if (!o->path[0]) return rp_fail(report, RP_ERROR_INPUT, "the film has no name");
    if (!rp_picture_can_write_png())
        return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &place, NULL,
                          "pictures need libpng, which this build lacks");
    return rp_encoder_accepts(o->path) ? rp_encoder_check(report) : RP_OK;
}

rp_code rp_film_check(const rp_film_options *options, const rp_scene *scene, rp_report *report)
{
    RP_NEED(options, report);
    RP_NEED(scene, report);
    RP_ENTER();
    rp_film_options own = rp_default_film_options();
    RP_TAKE_OPTIONS(&own, options, report);
    options = &own;
    rp_code code = check_numbers(options, report);
    if (code == RP_OK) code = check_camera(options->camera, scene, report);
    return code == RP_OK ? check_target(options, report) : code;
}

/* Runs side by side share a clock. */
static rp_code check_runs(const rp_film *film, rp_report *report)
{
    for (int i = 0; i < film->source_count; i++) {
        const rp_record *record = rp_film_source_record(&film->sources[i]);
        const rp_scene *scene = rp_record_scene(record);
        rp_place place = {.file = rp_record_folder(record)};
        RP_TRY(rp_film_check(&film->options, scene, report));
        if (film->options.width < film->source_count)
            return rp_fail(report, RP_ERROR_INPUT, "%d runs side by side in %d pixels",
                           film->source_count, film->options.width);
        if (!film->sources[i].count)
            return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "there are no such frames");
        double time = (double)scene->output.frame_every / scene->time.frame_rate;
        double first = rp_film_frame_time(film);
        if (fabs(time - first) > 1e-9 * first)
            return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                              "its frames are %g s apart, those of %s %g s: such runs cannot be "
                              "side by side",
                              time, rp_record_folder(rp_film_source_record(&film->sources[0])),
                              first);
    }
    return RP_OK;
}

/* --- opening and closing ---------------------------------------------------------------------- */

/* Counts, checks, locks, surveys; only then are pictures of other settings removed. */
static rp_code open_film(rp_film *film, rp_report *report)
{
    const rp_film_options *options = &film->options;
    rp_film_count_frames(film);
    film->progress.frame_count = rp_film_count(film);
    rp_code code = check_runs(film, report);
    film->encodes = options->path && rp_encoder_accepts(options->path);
    /* The lock comes before the survey, which takes a while with fine grains. */
    if (code == RP_OK && options->path) code = rp_film_folder_open(film, report);
    if (code == RP_OK) code = rp_threads_create(options->threads, &film->threads, report);
    if (code == RP_OK) code = rp_film_survey(film, report);
    return code == RP_OK && options->path ? rp_film_folder_apply_settings(film, report) : code;
}

rp_code rp_film_open(const rp_film_options *options, const rp_film_run *runs, int run_count,
                     rp_film **out, rp_report *report)
{
    RP_NEED(options, report);
    RP_NEED(runs, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    if (run_count < 1 || run_count > RP_FILM_RUNS_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "a film of %d runs: 1 to %d are allowed", run_count,
                       RP_FILM_RUNS_MAX);
    for (int i = 0; i < run_count; i++)
        RP_NEED(runs[i].series, report);
    rp_film_options own = rp_default_film_options();
    RP_TAKE_OPTIONS(&own, options, report);
    rp_film *film = rp_allocate_zero(sizeof *film);
    if (!film) return rp_fail_memory(report, sizeof *film, "a film");
    film->options = own;
    film->source_count = run_count;
    for (int i = 0; i < run_count; i++)
        film->sources[i].run = runs[i];
    film->lock = -1;
    film->started = rp_clock();
    rp_code code = open_film(film, report);
    if (code == RP_OK)
        *out = film;
    else
        rp_film_close(film);
    return code;
}

void rp_film_close(rp_film *film)
{
    if (!film) return;
    rp_film_folder_close(film);
    rp_threads_destroy(film->threads);
    rp_release(film, sizeof *film);
}

/* --- rendering -------------------------------------------------------------------------------- */

rp_film_progress rp_film_state(const rp_film *film)
{
    if (!film) return (rp_film_progress){.seconds_left = -1};
    rp_film_progress p = film->progress;
    /* The time per picture so far, without those of an earlier run, times those that are left. */
    double done = (double)(p.frame - (p.encoding ? 0 : p.kept)) + p.part;
    double left = (double)(p.frame_count - p.frame) - p.part;
    p.seconds = rp_clock() - film->started;
    p.seconds_left = done > 0 ? p.seconds * left / done : -1;
    return p;
}

bool rp_film_report_progress(const rp_film *film)
{
    if (!film->options.progress) return true;
    rp_film_progress progress = rp_film_state(film);
    return film->options.progress(film->options.user, &progress);
}

/* Renders one picture into its file. */
static rp_code render_file(rp_film *film, int64_t picture, rp_report *report)
{
    rp_picture *rendered = NULL;
    rp_code code = rp_film_picture(film, picture, &rendered, report);
    if (code == RP_OK)
        code = rp_picture_write_png(rendered, rp_film_picture_path(film, picture).text, report);
    rp_picture_destroy(rendered);
    film->progress.part = 0;
    return code;
}

rp_code rp_film_render(rp_film *film, rp_report *report)
{
    RP_NEED(film, report);
    RP_ENTER();
    rp_code code = RP_OK;
    if (!film->options.path)
        return rp_fail(report, RP_ERROR_INPUT,
                       "this film has no path, and pictures cannot be written");
    rp_film_count_frames(film);
    film->progress.frame_count = rp_film_count(film);
    while (code == RP_OK && film->progress.frame < film->progress.frame_count) {
        /* Pictures of an interrupted film are reused. */
        bool kept = rp_film_has_picture(film, film->progress.frame);
        if (!kept) code = render_file(film, film->progress.frame, report);
        if (code != RP_OK) break;
        film->progress.frame++;
        film->progress.kept += kept;
        bool last = film->progress.frame == film->progress.frame_count;
        if (!rp_film_report_progress(film) && !last) code = RP_INTERRUPTED;
    }
    return code;
}

/* --- the film --------------------------------------------------------------------------------- */

/* The rate of the options, or that of real time within the limits. */
static double frames_per_second(const rp_film *film)
{
    double rate = film->options.frames_per_second;
    if (rate > 0) return rate;
    rate = 1 / rp_film_frame_time(film);
    /* 1 / (1 / 30) is not 30 in floating point. */
    if (fabs(rate - round(rate)) < 1e-9 * rate) rate = round(rate);
    return fmin(RP_FILM_RATE_MAX, fmax(RP_FILM_FPS_MIN, rate));
}

/* Sends a picture to the encoder, after a check: bytes may have changed on disk since. */
static rp_code add_picture(const rp_film *film, int64_t picture, rp_encoder *encoder,
                           rp_report *report)
{
    char *bytes;
    size_t size;
    rp_path path = rp_film_picture_path(film, picture);
    rp_place place = {.file = path.text};
    rp_code code = rp_file_read(path.text, &bytes, &size, report);
    RP_TRY(code);
    if (rp_picture_png_is_whole(bytes, size, film->options.width, film->options.height))
        code = rp_encoder_add(encoder, bytes, size, report);
    else
        code = rp_fail_at(report, RP_ERROR_DAMAGED, &place, NULL,
                          "the picture has changed since it was rendered; the same command "
                          "renders it again");
    rp_release(bytes, size + 1);
    return code;
}

static bool keep_on(void *user)
{
    return rp_film_report_progress(user);
}

/* Streams all pictures through ffmpeg. Progress counts from 0 again, for the encoding. */
static rp_code encode(rp_film *film, rp_report *report)
{
    rp_encoder *encoder;
    rp_code code = rp_encoder_start(film->options.path, frames_per_second(film), &encoder, report);
    RP_TRY(code);
    rp_encoder_watch(encoder, keep_on, film);
    film->started = rp_clock();
    film->progress.encoding = true;
    film->progress.frame = 0;
    while (code == RP_OK && film->progress.frame < film->progress.frame_count) {
        code = add_picture(film, film->progress.frame, encoder, report);
        film->progress.frame++;
        if (code == RP_OK && !rp_film_report_progress(film)) code = RP_INTERRUPTED;
    }
    if (code != RP_OK)
        rp_encoder_abandon(encoder);
    else
        code = rp_encoder_finish(encoder, report);
    if (code == RP_OK) return code;
    film->progress.encoding =
        false; /* all pictures are there still, and encoding may be tried again */
    film->progress.frame = film->progress.frame_count;
    return code;
}

rp_code rp_film_finish(rp_film *film, rp_report *report)
{
    RP_NEED(film, report);
    RP_ENTER();
    if (film->progress.frame < rp_film_count(film) || film->progress.encoding)
        return rp_fail(report, RP_ERROR_INPUT, "not all pictures of the film are rendered yet");
    if (!film->encodes) return RP_OK;
    rp_code code = encode(film, report);
    if (code == RP_OK) rp_film_folder_remove(film);
    return code;
}
