/* Refinement: fine grains for the frames of a record, while a run writes it (rp_refiner) or
 * afterwards (rp_refine). Both give the same bits. */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "base/threads.h"
#include "detail/detail.h"
#include "record/fine.h"
#include "run/inside.h"
#include "system/disk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- fine grains of a record ---------------------------------------------------------------- */

/* Positions in frames are rounded to this part of the spacing of fine grains. */
#define PRECISION (1.0 / 256)
#define CHECKPOINTS_KEPT 2
#define MISSING_MOST 1000 /* frames that may be missing between two */

struct rp_refiner {
    const rp_scene *scene;
    rp_record *record;
    rp_threads *threads;
    double memory;
    rp_path frames, checkpoints; /* folders */
    const char **names;          /* of the bodies */
    rp_detail *detail;
    int64_t frame, saved; /* the last one; that of the last checkpoint; -1: none */
};

/* Measured: a frame is written in parts of 8 million grains, a checkpoint, which holds more values
 * of each grain, in parts of 2 million. */
double rp_refiner_write_bytes(double grains)
{
    return fmax(24 * fmin(grains, 8e6), 54 * fmin(grains, 2e6));
}

static rp_code recreate_detail(rp_refiner *refiner, rp_report *report)
{
    rp_detail_destroy(refiner->detail);
    refiner->detail = NULL;
    refiner->frame = refiner->saved = -1;
    rp_detail_options options = {
        .threads = refiner->threads, .memory = refiner->memory, .scratch = refiner->frames.text};
    return rp_detail_create(refiner->scene, &options, &refiner->detail, report);
}

void rp_refiner_destroy(rp_refiner *refiner)
{
    if (!refiner) return;
    rp_detail_destroy(refiner->detail);
    rp_release((void *)refiner->names,
               (size_t)refiner->scene->bodies.count * sizeof *refiner->names);
    rp_release(refiner, sizeof *refiner);
}

rp_code rp_refiner_create(const rp_scene *scene, rp_record *record, rp_threads *threads,
                          double memory, rp_refiner **out, rp_report *report)
{
    *out = NULL;
    rp_refiner *refiner = rp_allocate_zero(sizeof *refiner);
    if (!refiner) return rp_fail_memory(report, sizeof *refiner, "fine grains");
    refiner->scene = scene;
    refiner->record = record;
    refiner->threads = threads;
    refiner->memory = memory;
    refiner->frames = rp_record_path(record, RP_FINE_FOLDER);
    refiner->checkpoints = rp_record_path(record, RP_FINE_CHECKPOINTS);
    size_t bytes = (size_t)scene->bodies.count * sizeof *refiner->names;
    refiner->names = rp_allocate(bytes);
    rp_code code = refiner->names ? RP_OK : rp_fail_memory(report, bytes, "names of bodies");
    for (int i = 0; i < scene->bodies.count && code == RP_OK; i++)
        refiner->names[i] = rp_scene_bodies(scene)[i].name;
    if (code == RP_OK) code = rp_folder_make(refiner->checkpoints.text, report);
    if (code == RP_OK) code = recreate_detail(refiner, report);
    if (code == RP_OK)
        *out = refiner;
    else
        rp_refiner_destroy(refiner);
    return code;
}

int64_t rp_refiner_frame(const rp_refiner *refiner)
{
    return refiner->frame;
}

uint64_t rp_refiner_count(const rp_refiner *refiner)
{
    return rp_detail_count(refiner->detail).there;
}

uint64_t rp_refiner_left(const rp_refiner *refiner)
{
    return rp_detail_count(refiner->detail).left;
}

uint64_t rp_refiner_steps(const rp_refiner *refiner)
{
    return rp_detail_count(refiner->detail).steps;
}

/* --- settings --------------------------------------------------------------------------------- */

/* Writes the settings that fine grains depend on besides the coarse frames. */
static void settings_text(const rp_scene *scene, char *text, size_t size)
{
    const rp_detail_spec *d = &scene->detail;
    uint64_t hash = rp_hash(scene->portable, strlen(scene->portable), 0);
    snprintf(text, size,
             "factor: %lld\nkeep_apart: %s\nstep: %lld ns\ncontrast: %lld/1000\nseed: %lld\nscene: "
             "%016llx\n",
             (long long)d->factor, d->keep_apart ? "yes" : "no", llround(1e9 * d->step),
             llround(1e3 * d->contrast), (long long)scene->seed, (unsigned long long)hash);
}

/* Reports the first line in which the settings differ. */
static rp_code settings_differ(const rp_refiner *refiner, const char *there, const char *now,
                               rp_report *report)
{
    size_t at = 0, line = 0;
    for (; there[at] && there[at] == now[at]; at++)
        if (there[at] == '\n') line = at + 1;
    rp_place place = {.file = refiner->frames.text};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "the folder holds fine grains that were made with other settings ('%.*s' "
                      "there, '%.*s' now); choose another folder with -o, or remove this one",
                      (int)strcspn(there + line, "\n"), there + line,
                      (int)strcspn(now + line, "\n"), now + line);
}

/* The first refinement writes its settings to the folder; later ones must have the same, unless the
 * folder has neither frames nor checkpoints. */
static rp_code check_settings(const rp_refiner *refiner, bool empty, rp_report *report)
{
    rp_path path = rp_record_path(refiner->record, RP_FINE_FOLDER "/settings.txt");
    char now[512], *there = NULL;
    size_t size = 0;
    settings_text(refiner->scene, now, sizeof now);
    if (empty || !rp_disk_has(path.text)) return rp_file_write(path.text, now, report);
    rp_code code = rp_file_read(path.text, &there, &size, report);
    RP_TRY(code);
    if (strcmp(there, now) != 0) code = settings_differ(refiner, there, now, report);
    rp_release(there, size + 1);
    return code;
}

/* --- checkpoints ------------------------------------------------------------------------------ */

static rp_code load(rp_refiner *refiner, int64_t number, rp_report *report)
{
    rp_store store;
    rp_store_begin(&store);
    rp_code code = recreate_detail(refiner, report);
    if (code == RP_OK)
        code = rp_fine_checkpoint_read(refiner->checkpoints.text, number, &store,
                                       rp_detail_load_chunk, refiner->detail, report);
    if (code == RP_OK) code = rp_detail_load(refiner->detail, &store, report);
    rp_store_end(&store);
    if (code == RP_OK) refiner->frame = refiner->saved = number;
    return code;
}

/* Loads the newest intact checkpoint not after frame `last`; without any, starts from the
 * beginning. */
static rp_code load_newest(rp_refiner *refiner, const rp_numbers *numbers, int64_t last,
                           rp_report *report)
{
    for (size_t i = numbers->count; i-- > 0;) {
        if (numbers->items[i] > last) continue;
        rp_code code = load(refiner, numbers->items[i], NULL);
        if (code == RP_OK) return RP_OK;
        if (code != RP_ERROR_DAMAGED && code != RP_ERROR_IO)
            return load(refiner, numbers->items[i], report);
        rp_log(RP_LOG_WARNING,
               "%s/%06lld.h5 cannot be read; fine grains go back to the checkpoint before",
               refiner->checkpoints.text, (long long)numbers->items[i]);
    }
    return recreate_detail(refiner, report);
}

static rp_path counts_path(const rp_refiner *refiner)
{
    return rp_record_path(refiner->record, RP_FINE_FOLDER "/counts.csv");
}

/* Refuses to start again, which would remove the frames that exist. */
static rp_code no_checkpoint(const rp_refiner *refiner, rp_report *report)
{
    rp_place place = {.file = refiner->frames.text};
    return rp_fail_at(
        report, RP_ERROR_INPUT, &place, NULL,
        "the folder holds %lld frames of fine grains but no intact checkpoint to resume "
        "from; they are kept. Remove the folder to make them again",
        (long long)rp_series_count(rp_record_series(refiner->record, RP_SERIES_FINE)));
}

rp_code rp_refiner_resume(rp_refiner *refiner, int64_t last, rp_report *report)
{
    rp_numbers numbers = {0};
    int64_t frames = rp_series_count(rp_record_series(refiner->record, RP_SERIES_FINE));
    rp_code code = rp_fine_numbers(refiner->checkpoints.text, &numbers, report);
    if (code == RP_OK) code = check_settings(refiner, !frames && !numbers.count, report);
    if (code == RP_OK) code = load_newest(refiner, &numbers, last, report);
    rp_numbers_end(&numbers);
    if (code == RP_OK && refiner->frame < 0 && frames > 1) code = no_checkpoint(refiner, report);
    if (code == RP_OK) code = rp_record_remove_fine_after(refiner->record, refiner->frame, report);
    if (code == RP_OK)
        code = rp_measurements_truncate(counts_path(refiner).text, refiner->frame, report);
    return code;
}

static rp_code save_chunk(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report; /* the saver remembers failures until it finishes */
    rp_fine_checkpoint_put(user, chunk);
    return RP_OK;
}

static rp_code save(rp_refiner *refiner, rp_store *store, rp_report *report)
{
    rp_fine_checkpoint_writer *saver;
    RP_TRY(rp_detail_save(refiner->detail, store, report));
    RP_TRY(rp_fine_checkpoint_begin(refiner->checkpoints.text, refiner->frame, &saver, report));
    rp_code code = rp_detail_visit(refiner->detail, save_chunk, saver, report);
    if (code == RP_OK) return rp_fine_checkpoint_finish(saver, store, report);
    rp_fine_checkpoint_abandon(saver);
    return code;
}

rp_code rp_refiner_save_checkpoint(rp_refiner *refiner, rp_report *report)
{
    if (refiner->frame < 0 || refiner->saved == refiner->frame) return RP_OK;
    rp_store store;
    rp_store_begin(&store);
    store.borrow = true;
    rp_code code = save(refiner, &store, report);
    rp_store_end(&store);
    RP_TRY(code);
    refiner->saved = refiner->frame;
    return rp_fine_prune(refiner->checkpoints.text, CHECKPOINTS_KEPT, report);
}

/* --- frames ----------------------------------------------------------------------------------- */

static rp_code put_chunk(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report;
    rp_fine_frame_put(user, chunk);
    return RP_OK;
}

static rp_code write_frame(rp_refiner *refiner, rp_report *report)
{
    rp_detail *detail = refiner->detail;
    rp_fine_frame_info facts = {.frame = refiner->frame,
                                .time = rp_detail_time(detail),
                                .spacing = rp_detail_spacing(detail),
                                .precision = PRECISION * rp_detail_spacing(detail),
                                .factor = (uint64_t)refiner->scene->detail.factor,
                                .born = rp_detail_count(detail).born};
    facts.bodies = rp_detail_bodies(detail, &facts.body_count);
    rp_fine_frame_writer *writer;
    RP_TRY(rp_fine_frame_create(refiner->frames.text, &facts, refiner->names,
                                (int)refiner->scene->output.compress, &writer, report));
    rp_code code = rp_detail_visit(detail, put_chunk, writer, report);
    if (code == RP_OK)
        code = rp_fine_frame_finish(writer, report);
    else
        rp_fine_frame_abandon(writer);
    RP_TRY(code);
    return rp_series_add(&refiner->record->series[RP_SERIES_FINE], refiner->frame, report);
}

static rp_code write_counts(const rp_refiner *refiner, rp_report *report)
{
    rp_detail_counts counts = rp_detail_count(refiner->detail);
    const rp_measured measured[] = {{"born", (double)counts.born, 0, ""},
                                    {"left", (double)counts.left, 0, ""},
                                    {"there", (double)counts.there, 0, ""}};
    return rp_measurements_add_row(counts_path(refiner).text, refiner->frame,
                                   rp_detail_time(refiner->detail), measured, 3, report);
}

/* Checks that a frame has the time of its number and is not far after the one before: the number of
 * steps follows from the times, and a damaged file may hold any time. */
static rp_code check_time(const rp_refiner *refiner, int64_t number, const rp_view *view,
                          rp_report *report)
{
    double rate = refiner->scene->time.frame_rate, due = (double)number / rate;
    if (refiner->frame >= 0 && number - refiner->frame > MISSING_MOST)
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the frames between %" PRId64 " and %" PRId64 " are missing: too many to "
                       "carry grains across",
                       refiner->frame, number);
    if (fabs(view->time - due) * rate <= 0.5) return RP_OK;
    return rp_fail(report, RP_ERROR_DAMAGED,
                   "frame %" PRId64 " is of %g s; at %g frames a second it must be of %g s", number,
                   view->time, rate, due);
}

/* The order matters: a checkpoint is written last, when all that belongs before it is on disk. */
rp_code rp_refiner_add_frame(rp_refiner *refiner, int64_t number, const rp_view *view, bool keep,
                             rp_report *report)
{
    RP_TRY(check_time(refiner, number, view, report));
    RP_TRY(rp_detail_advance(refiner->detail, view, report));
    refiner->frame = number;
    rp_code code = write_frame(refiner, report);
    if (code == RP_OK) code = write_counts(refiner, report);
    bool due = number % refiner->scene->output.checkpoint_every == 0;
    return code == RP_OK && (keep || due) ? rp_refiner_save_checkpoint(refiner, report) : code;
}

/* --- refinement of a run -------------------------------------------------------------------- */

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
    rp_refiner *refiner;
    int lock;
    int64_t resumed;
    double grains;  /* estimated number of fine grains */
    double started; /* s, on rp_clock */
    bool stop;
    rp_budget budget; /* of all memory of the refinement */
} refinement;

/* Returns the coarse frames of the run. */
static const rp_series *source_of(const refinement *r)
{
    return rp_record_series(r->from, RP_SERIES_COARSE);
}

/* Opens the output. Another folder becomes a run of its own, with the scene and fine frames only.
 */
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

/* Least memory of a refinement whatever its limit, bytes: the scene, buffers of the threads, output
 * buffers of a part of a frame or checkpoint. */
#define LEAST_BYTES 64e6

static void set_budget(refinement *r)
{
    rp_world_options options = rp_default_world_options();
    options.memory_limit = r->options->memory_limit;
    double least = LEAST_BYTES + rp_refiner_write_bytes(r->grains);
    size_t limit = rp_world_budget(&options);
    r->budget.limit = (double)limit > least ? limit : (size_t)least;
}

/* Refuses more fine grains than there are ids, before anything is written. */
static rp_code check_numbers(refinement *r, rp_report *report)
{
    int64_t last = rp_series_number(source_of(r), rp_series_count(source_of(r)) - 1);
    rp_frame_file *frame;
    if (rp_series_read(source_of(r), last, &frame, NULL) != RP_OK)
        return RP_OK; /* reported when it is used */
    double grains = (double)rp_frame_view(frame)->count * (double)r->scene->detail.factor;
    rp_frame_close(frame);
    r->grains = grains;
    if (grains <= UINT32_MAX) return RP_OK;
    return rp_fail(
        report, RP_ERROR_INPUT,
        "%.3g fine grains are more than ids of 32 bits can number (4.29e9); take a smaller "
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
    double least = LEAST_BYTES + rp_refiner_write_bytes(r->grains);
    double memory = RP_FINE_MEMORY * fmax(0, (double)r->budget.limit - least);
    code = rp_refiner_create(r->scene, r->to, r->threads, memory, &r->refiner, report);
    if (code == RP_OK) code = rp_refiner_resume(r->refiner, INT64_MAX, report);
    if (code == RP_OK) r->resumed = rp_refiner_frame(r->refiner);
    return code;
}

static void show_progress(refinement *r, int64_t done, int64_t count, const rp_view *view)
{
    const rp_refine_options *o = r->options;
    if (!o->progress) return;
    double seconds = rp_clock() - r->started;
    int64_t last = rp_series_number(source_of(r), rp_series_count(source_of(r)) - 1);
    double rate = r->scene->time.frame_rate;
    rp_progress progress = {.frame = rp_refiner_frame(r->refiner),
                            .frame_count = last,
                            .time = view->time,
                            .duration = (double)last / rate,
                            .grains = (size_t)rp_refiner_count(r->refiner),
                            .steps = rp_refiner_steps(r->refiner),
                            .seconds = seconds,
                            .seconds_left = seconds * (double)(count - done) / (double)done};
    if (!o->progress(o->user, &progress)) r->stop = true;
}

/* Returns the place of the first coarse frame that has no fine frame yet. */
static int64_t first_missing(const refinement *r)
{
    int64_t place = 0, count = rp_series_count(source_of(r));
    while (place < count && rp_series_number(source_of(r), place) <= rp_refiner_frame(r->refiner))
        place++;
    return place;
}

static rp_code take_frame(refinement *r, int64_t place, int64_t first, rp_report *report)
{
    rp_frame_file *frame;
    int64_t number = rp_series_number(source_of(r), place), count = rp_series_count(source_of(r));
    RP_TRY(rp_series_read(source_of(r), number, &frame, report));
    rp_code code =
        rp_refiner_add_frame(r->refiner, number, rp_frame_view(frame), place + 1 == count, report);
    if (code == RP_OK) show_progress(r, place + 1 - first, count - first, rp_frame_view(frame));
    rp_frame_close(frame);
    return code;
}

static rp_code take_frames(refinement *r, rp_report *report)
{
    int64_t first = first_missing(r), count = rp_series_count(source_of(r));
    rp_code code = RP_OK;
    int64_t place = first;
    for (; place < count && code == RP_OK && !r->stop; place++)
        code = take_frame(r, place, first, report);
    if (code == RP_OK && place < count) code = RP_INTERRUPTED;
    /* A checkpoint, so that nothing has to be computed again. */
    if (code == RP_INTERRUPTED || code == RP_ERROR_DAMAGED) {
        rp_code saved = rp_refiner_save_checkpoint(r->refiner, report);
        if (saved != RP_OK) code = saved;
    }
    return code;
}

static void finish(refinement *r, rp_refine_summary *summary)
{
    if (summary && r->refiner)
        *summary =
            (rp_refine_summary){.frames = rp_series_count(rp_record_series(r->to, RP_SERIES_FINE)),
                                .resumed = r->resumed,
                                .grains = rp_refiner_count(r->refiner),
                                .left = rp_refiner_left(r->refiner),
                                .steps = rp_refiner_steps(r->refiner),
                                .seconds = rp_clock() - r->started};
    rp_refiner_destroy(r->refiner);
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
