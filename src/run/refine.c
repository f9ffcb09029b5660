/* Fine grains for a run that has been. */
#include "base/report.h"
#include "base/threads.h"
#include "run/run.h"
#include "system/disk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rp_default_refine_options_fill(rp_refine_options *options, size_t size)
{
    rp_refine_options own = {.size = size};
    rp_options_give(options, size, &own, sizeof own);
}

typedef struct refinement {
    const rp_refine_options *options;
    rp_scene *scene;
    rp_record *from, *to; /* may be the same */
    rp_threads *threads;
    rp_follower *follower;
    int lock;
    int64_t resumed;
    double grains;  /* that there will be, about */
    double started; /* s, on rp_clock */
    bool stop;
    rp_budget budget; /* of all that it holds */
} refinement;

/* The coarse frames that it starts from. */
static const rp_series *source_of(const refinement *r)
{
    return rp_record_series(r->from, RP_SERIES_COARSE);
}

/* Another folder becomes a run of its own: the scene, and fine frames without coarse ones. */
static rp_code open_output(refinement *r, rp_report *report)
{
    const char *output = r->options->output;
    r->to = r->from;
    if (!output) return RP_OK;
    r->to = NULL;
    if (!rp_record_is_run(output))
        return rp_record_create(output, r->scene, rp_threads_count(r->threads), &r->to, report);
    rp_code code = rp_record_open(output, &r->to, report);
    return code == RP_OK ? rp_record_same_scene(r->to, r->scene, report) : code;
}

/* What a refinement takes whatever its limit, bytes: the scene, the threads' buffers, a part of a
 * frame or checkpoint on its way to disk. */
#define LEAST_BYTES 64e6

static void set_budget(refinement *r)
{
    rp_world_options options = rp_default_world_options();
    options.memory_limit = r->options->memory_limit;
    double least = LEAST_BYTES + rp_follower_write_bytes(r->grains);
    size_t limit = rp_world_budget(&options);
    r->budget.limit = (double)limit > least ? limit : (size_t)least;
}

/* Known before anything is written. */
static rp_code check_numbers(refinement *r, rp_report *report)
{
    int64_t last = rp_series_number(source_of(r), rp_series_count(source_of(r)) - 1);
    rp_frame_file *frame;
    if (rp_series_read(source_of(r), last, &frame, NULL) != RP_OK) return RP_OK; /* told later */
    double grains = (double)rp_frame_view(frame)->count * (double)r->scene->detail.factor;
    rp_frame_close(frame);
    r->grains = grains;
    if (grains <= UINT32_MAX) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "%.3g fine grains are more than there are numbers for (4.29e9); take a smaller "
                   "factor",
                   grains);
}

static rp_code start(refinement *r, rp_report *report)
{
    const rp_refine_options *o = r->options;
    rp_code code = rp_record_open(o->folder, &r->from, report);
    if (code == RP_OK)
        code = rp_scene_load(rp_record_path(r->from, "scene.yaml").text, o->settings,
                             o->setting_count, &r->scene, report);
    if (code == RP_OK && r->scene->detail.factor < 1)
        code = rp_fail(report, RP_ERROR_INPUT,
                       "the scene does not say how many fine grains a coarse one has; give it with "
                       "--factor, such as --factor 100");
    if (code == RP_OK && rp_world_resolves_grains(r->scene))
        code = rp_world_check_grains(r->scene, report);
    if (code == RP_OK && rp_series_count(source_of(r)) == 0)
        code = rp_fail(report, RP_ERROR_INPUT, "%s: the run has no frames yet", o->folder);
    if (code == RP_OK) code = check_numbers(r, report);
    if (code == RP_OK) code = rp_threads_create(o->threads, &r->threads, report);
    if (code == RP_OK) code = open_output(r, report);
    if (code == RP_OK) code = rp_run_lock(r->to, &r->lock, report);
    RP_TRY(code);
    set_budget(r); /* now that the number of grains is known */
    double least = LEAST_BYTES + rp_follower_write_bytes(r->grains);
    double memory = RP_FINE_MEMORY * fmax(0, (double)r->budget.limit - least);
    code = rp_follower_create(r->scene, r->to, r->threads, memory, &r->follower, report);
    if (code == RP_OK) code = rp_follower_resume(r->follower, INT64_MAX, report);
    if (code == RP_OK) r->resumed = rp_follower_frame(r->follower);
    return code;
}

static void show_progress(refinement *r, int64_t done, int64_t count, const rp_view *view)
{
    const rp_refine_options *o = r->options;
    if (!o->progress) return;
    double seconds = rp_clock() - r->started;
    int64_t last = rp_series_number(source_of(r), rp_series_count(source_of(r)) - 1);
    double rate = r->scene->time.frame_rate;
    rp_progress progress = {.frame = rp_follower_frame(r->follower),
                            .frame_count = last,
                            .time = view->time,
                            .duration = (double)last / rate,
                            .grains = (size_t)rp_follower_count(r->follower),
                            .steps = rp_follower_steps(r->follower),
                            .seconds = seconds,
                            .seconds_left = seconds * (double)(count - done) / (double)done};
    if (!o->progress(o->user, &progress)) r->stop = true;
}

/* Places in the record's list of frames that are still to be done. */
static int64_t first_place(const refinement *r)
{
    int64_t place = 0, count = rp_series_count(source_of(r));
    while (place < count && rp_series_number(source_of(r), place) <= rp_follower_frame(r->follower))
        place++;
    return place;
}

static rp_code take_frame(refinement *r, int64_t place, int64_t first, rp_report *report)
{
    rp_frame_file *frame;
    int64_t number = rp_series_number(source_of(r), place), count = rp_series_count(source_of(r));
    RP_TRY(rp_series_read(source_of(r), number, &frame, report));
    rp_code code =
        rp_follower_take(r->follower, number, rp_frame_view(frame), place + 1 == count, report);
    if (code == RP_OK) show_progress(r, place + 1 - first, count - first, rp_frame_view(frame));
    rp_frame_close(frame);
    return code;
}

static rp_code take_frames(refinement *r, rp_report *report)
{
    int64_t first = first_place(r), count = rp_series_count(source_of(r));
    rp_code code = RP_OK;
    int64_t place = first;
    for (; place < count && code == RP_OK && !r->stop; place++)
        code = take_frame(r, place, first, report);
    if (code == RP_OK && place < count) code = RP_INTERRUPTED;
    /* Whatever ended it, what is done need not be done again. */
    if (code == RP_INTERRUPTED || code == RP_ERROR_DAMAGED) {
        rp_code kept = rp_follower_keep(r->follower, report);
        if (kept != RP_OK) code = kept;
    }
    return code;
}

static void finish(refinement *r, rp_refine_summary *summary)
{
    if (summary && r->follower)
        *summary =
            (rp_refine_summary){.frames = rp_series_count(rp_record_series(r->to, RP_SERIES_FINE)),
                                .resumed = r->resumed,
                                .grains = rp_follower_count(r->follower),
                                .left = rp_follower_left(r->follower),
                                .steps = rp_follower_steps(r->follower),
                                .seconds = rp_clock() - r->started};
    rp_follower_destroy(r->follower);
    rp_disk_close(r->lock);
    rp_threads_destroy(r->threads);
    if (r->to != r->from) rp_record_close(r->to);
    rp_record_close(r->from);
    rp_scene_destroy(r->scene);
}

rp_code rp_refine(const rp_refine_options *options, rp_refine_summary *summary, rp_report *report)
{
    RP_NEED(options, report);
    RP_ENTER();
    rp_refine_options own = rp_default_refine_options();
    RP_TAKE_OPTIONS(&own, options, report);
    options = &own;
    RP_NEED(options->folder, report);
    if (summary) memset(summary, 0, sizeof *summary);
    refinement r = {.options = options, .lock = -1, .resumed = -1, .started = rp_clock()};
    set_budget(&r);
    rp_budget *outside = rp_budget_enter(&r.budget);
    rp_code code = start(&r, report);
    if (code == RP_OK) code = take_frames(&r, report);
    finish(&r, summary);
    rp_budget_enter(outside);
    return code;
}
