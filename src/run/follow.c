#include "run/follow.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "detail/detail.h"
#include "record/fine.h"
#include "run/rows.h"
#include "system/disk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Positions in frames are kept to this share of the distance of fine grains. */
#define PRECISION (1.0 / 256)
#define CHECKPOINTS_KEPT 2
#define MISSING_MOST 1000 /* frames */

struct rp_follower {
    const rp_scene *scene;
    rp_record *record;
    rp_threads *threads;
    double memory;
    rp_path frames, checkpoints; /* folders */
    const char **names;          /* of the bodies */
    rp_detail *detail;
    int64_t frame, kept; /* taken last; of the last checkpoint; -1: none */
};

/* By measurement: of parts of 8 million grains in frames, of 2 million in checkpoints, which hold
 * more of each. */
double rp_follower_write_bytes(double grains)
{
    return fmax(24 * fmin(grains, 8e6), 54 * fmin(grains, 2e6));
}

static rp_code new_detail(rp_follower *follower, rp_report *report)
{
    rp_detail_destroy(follower->detail);
    follower->detail = NULL;
    follower->frame = follower->kept = -1;
    rp_detail_options options = {
        .threads = follower->threads, .memory = follower->memory, .scratch = follower->frames.text};
    return rp_detail_create(follower->scene, &options, &follower->detail, report);
}

void rp_follower_destroy(rp_follower *follower)
{
    if (!follower) return;
    rp_detail_destroy(follower->detail);
    rp_release((void *)follower->names,
               (size_t)follower->scene->bodies.count * sizeof *follower->names);
    rp_release(follower, sizeof *follower);
}

rp_code rp_follower_create(const rp_scene *scene, rp_record *record, rp_threads *threads,
                           double memory, rp_follower **out, rp_report *report)
{
    *out = NULL;
    rp_follower *follower = rp_allocate_zero(sizeof *follower);
    if (!follower) return rp_fail_memory(report, sizeof *follower, "fine grains");
    follower->scene = scene;
    follower->record = record;
    follower->threads = threads;
    follower->memory = memory;
    follower->frames = rp_record_path(record, RP_FINE_FOLDER);
    follower->checkpoints = rp_record_path(record, RP_FINE_CHECKPOINTS);
    size_t bytes = (size_t)scene->bodies.count * sizeof *follower->names;
    follower->names = rp_allocate(bytes);
    rp_code code = follower->names ? RP_OK : rp_fail_memory(report, bytes, "names of bodies");
    for (int i = 0; i < scene->bodies.count && code == RP_OK; i++)
        follower->names[i] = rp_scene_bodies(scene)[i].name;
    if (code == RP_OK) code = rp_folder_make(follower->checkpoints.text, report);
    if (code == RP_OK) code = new_detail(follower, report);
    if (code == RP_OK)
        *out = follower;
    else
        rp_follower_destroy(follower);
    return code;
}

int64_t rp_follower_frame(const rp_follower *follower)
{
    return follower->frame;
}

uint64_t rp_follower_count(const rp_follower *follower)
{
    return rp_detail_count(follower->detail).there;
}

uint64_t rp_follower_left(const rp_follower *follower)
{
    return rp_detail_count(follower->detail).left;
}

uint64_t rp_follower_steps(const rp_follower *follower)
{
    return rp_detail_count(follower->detail).steps;
}

/* --- settings --------------------------------------------------------------------------------- */

/* What fine grains depend on besides the coarse frames: the section, and the scene as a whole. */
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

/* Both texts from the first line that differs on. */
static rp_code settings_differ(const rp_follower *follower, const char *there, const char *now,
                               rp_report *report)
{
    size_t at = 0, line = 0;
    for (; there[at] && there[at] == now[at]; at++)
        if (there[at] == '\n') line = at + 1;
    rp_place place = {.file = follower->frames.text};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "the folder holds fine grains that were made with other settings ('%.*s' "
                      "there, '%.*s' now); choose another folder with -o, or remove this one",
                      (int)strcspn(there + line, "\n"), there + line,
                      (int)strcspn(now + line, "\n"), now + line);
}

/* The first to follow a record leaves its settings there; later ones must have the same, unless the
 * first left nothing else. */
static rp_code check_settings(const rp_follower *follower, bool empty, rp_report *report)
{
    rp_path path = rp_record_path(follower->record, RP_FINE_FOLDER "/settings.txt");
    char now[512], *there = NULL;
    size_t size = 0;
    settings_text(follower->scene, now, sizeof now);
    if (empty || !rp_disk_has(path.text)) return rp_file_write(path.text, now, report);
    rp_code code = rp_file_read(path.text, &there, &size, report);
    RP_TRY(code);
    if (strcmp(there, now) != 0) code = settings_differ(follower, there, now, report);
    rp_release(there, size + 1);
    return code;
}

/* --- checkpoints ------------------------------------------------------------------------------ */

static rp_code load(rp_follower *follower, int64_t number, rp_report *report)
{
    rp_store store;
    rp_store_begin(&store);
    rp_code code = new_detail(follower, report);
    if (code == RP_OK)
        code = rp_fine_checkpoint_read(follower->checkpoints.text, number, &store,
                                       rp_detail_load_chunk, follower->detail, report);
    if (code == RP_OK) code = rp_detail_load(follower->detail, &store, report);
    rp_store_end(&store);
    if (code == RP_OK) follower->frame = follower->kept = number;
    return code;
}

/* A checkpoint that is damaged gives way to the one before, the first to the very start. */
static rp_code load_newest(rp_follower *follower, const rp_numbers *numbers, int64_t last,
                           rp_report *report)
{
    for (size_t i = numbers->count; i-- > 0;) {
        if (numbers->items[i] > last) continue;
        rp_code code = load(follower, numbers->items[i], NULL);
        if (code == RP_OK) return RP_OK;
        if (code != RP_ERROR_DAMAGED && code != RP_ERROR_IO)
            return load(follower, numbers->items[i], report);
        rp_log(RP_LOG_WARNING,
               "%s/%06lld.h5 cannot be read; fine grains go back to the checkpoint before",
               follower->checkpoints.text, (long long)numbers->items[i]);
    }
    return new_detail(follower, report);
}

static rp_path counts_path(const rp_follower *follower)
{
    return rp_record_path(follower->record, RP_FINE_FOLDER "/counts.csv");
}

/* Starting again would cost the frames that are there. */
static rp_code no_checkpoint(const rp_follower *follower, rp_report *report)
{
    rp_place place = {.file = follower->frames.text};
    return rp_fail_at(
        report, RP_ERROR_INPUT, &place, NULL,
        "the folder holds %lld frames of fine grains but no sound checkpoint to go on "
        "from; they are kept. Remove the folder to make them again",
        (long long)rp_series_count(rp_record_series(follower->record, RP_SERIES_FINE)));
}

rp_code rp_follower_resume(rp_follower *follower, int64_t last, rp_report *report)
{
    rp_numbers numbers = {0};
    int64_t frames = rp_series_count(rp_record_series(follower->record, RP_SERIES_FINE));
    rp_code code = rp_fine_numbers(follower->checkpoints.text, &numbers, report);
    if (code == RP_OK) code = check_settings(follower, !frames && !numbers.count, report);
    if (code == RP_OK) code = load_newest(follower, &numbers, last, report);
    rp_numbers_end(&numbers);
    if (code == RP_OK && follower->frame < 0 && frames > 1) code = no_checkpoint(follower, report);
    if (code == RP_OK)
        code = rp_record_remove_fine_after(follower->record, follower->frame, report);
    if (code == RP_OK) code = rp_rows_rewind(counts_path(follower).text, follower->frame, report);
    return code;
}

static rp_code save_chunk(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report; /* the saver keeps what goes wrong */
    rp_fine_checkpoint_put(user, chunk);
    return RP_OK;
}

static rp_code save(rp_follower *follower, rp_store *store, rp_report *report)
{
    rp_fine_checkpoint_writer *saver;
    RP_TRY(rp_detail_save(follower->detail, store, report));
    RP_TRY(rp_fine_checkpoint_begin(follower->checkpoints.text, follower->frame, &saver, report));
    rp_code code = rp_detail_visit(follower->detail, save_chunk, saver, report);
    if (code == RP_OK) return rp_fine_checkpoint_finish(saver, store, report);
    rp_fine_checkpoint_abandon(saver);
    return code;
}

rp_code rp_follower_keep(rp_follower *follower, rp_report *report)
{
    if (follower->frame < 0 || follower->kept == follower->frame) return RP_OK;
    rp_store store;
    rp_store_begin(&store);
    store.borrow = true;
    rp_code code = save(follower, &store, report);
    rp_store_end(&store);
    RP_TRY(code);
    follower->kept = follower->frame;
    return rp_fine_prune(follower->checkpoints.text, CHECKPOINTS_KEPT, report);
}

/* --- frames ----------------------------------------------------------------------------------- */

static rp_code put_chunk(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report;
    rp_fine_frame_put(user, chunk);
    return RP_OK;
}

static rp_code write_frame(rp_follower *follower, rp_report *report)
{
    rp_detail *detail = follower->detail;
    rp_fine_frame_info facts = {.frame = follower->frame,
                                .time = rp_detail_time(detail),
                                .spacing = rp_detail_spacing(detail),
                                .precision = PRECISION * rp_detail_spacing(detail),
                                .factor = (uint64_t)follower->scene->detail.factor,
                                .born = rp_detail_count(detail).born};
    facts.bodies = rp_detail_bodies(detail, &facts.body_count);
    rp_fine_frame_writer *writer;
    RP_TRY(rp_fine_frame_create(follower->frames.text, &facts, follower->names,
                                (int)follower->scene->output.compress, &writer, report));
    rp_code code = rp_detail_visit(detail, put_chunk, writer, report);
    if (code == RP_OK)
        code = rp_fine_frame_finish(writer, report);
    else
        rp_fine_frame_abandon(writer);
    RP_TRY(code);
    return rp_series_add(&follower->record->series[RP_SERIES_FINE], follower->frame, report);
}

static rp_code write_counts(const rp_follower *follower, rp_report *report)
{
    rp_detail_counts counts = rp_detail_count(follower->detail);
    const rp_measured measured[] = {{"born", (double)counts.born, 0, ""},
                                    {"left", (double)counts.left, 0, ""},
                                    {"there", (double)counts.there, 0, ""}};
    return rp_rows_add(counts_path(follower).text, follower->frame,
                       rp_detail_time(follower->detail), measured, 3, report);
}

/* A frame of the time that its number says, not far behind the one before it: grains make as many
 * steps as fit between the two, and files may say any time. */
static rp_code check_time(const rp_follower *follower, int64_t number, const rp_view *view,
                          rp_report *report)
{
    double rate = follower->scene->time.frame_rate, due = (double)number / rate;
    if (follower->frame >= 0 && number - follower->frame > MISSING_MOST)
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the frames between %" PRId64 " and %" PRId64 " are missing: too many to "
                       "carry grains across",
                       follower->frame, number);
    if (fabs(view->time - due) * rate <= 0.5) return RP_OK;
    return rp_fail(report, RP_ERROR_DAMAGED,
                   "frame %" PRId64 " is of %g s; at %g frames a second it must be of %g s", number,
                   view->time, rate, due);
}

rp_code rp_follower_take(rp_follower *follower, int64_t number, const rp_view *view, bool keep,
                         rp_report *report)
{
    RP_TRY(check_time(follower, number, view, report));
    RP_TRY(rp_detail_advance(follower->detail, view, report));
    follower->frame = number;
    rp_code code = write_frame(follower, report);
    if (code == RP_OK) code = write_counts(follower, report);
    bool due = number % follower->scene->output.checkpoint_every == 0;
    return code == RP_OK && (keep || due) ? rp_follower_keep(follower, report) : code;
}
