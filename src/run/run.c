/* A scene runs into a record: the loop over frames, checkpoints, resuming, interruption. */
#include "base/report.h"
#include "export/export.h"
#include "run/inside.h"
#include "system/disk.h"

#include <math.h>
#include <string.h>

#define CHECKPOINTS_KEPT 2
/* Steps that take longer (wall-clock time, s) are interrupted when a run is to stop. */
#define STEP_LONG 0.2

void rp_default_run_options_fill(rp_run_options *options, size_t size)
{
    rp_run_options own = {.size = size, .frames = -1};
    rp_options_give(options, size, &own, sizeof own);
}

rp_code rp_run_lock(const rp_record *record, int *lock, rp_report *report)
{
    rp_path path = rp_record_path(record, "lock");
    rp_place place = {.file = rp_record_folder(record)};
    RP_TRY(rp_record_check_links(record, report));
    RP_TRY(rp_disk_open(path.text, true, lock, report));
    if (rp_disk_lock(*lock) == 0) return RP_OK;
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "another repose is running into this folder; wait for it, or take another");
}

/* Opens the folder of a run that is resumed. The command of the last call is recorded: it may ask
 * for more frames, or for a film. */
static rp_code open_existing(rp_runner *runner, rp_report *report)
{
    const rp_run_options *options = runner->options;
    rp_code code = rp_record_open(options->folder, &runner->record, report);
    if (code == RP_OK) code = rp_record_same_scene(runner->record, runner->scene, report);
    if (code == RP_OK) code = rp_run_lock(runner->record, &runner->lock, report);
    if (code != RP_OK || !options->command) return code;
    return rp_file_write(rp_record_path(runner->record, RP_COMMAND_FILE).text, options->command,
                         report);
}

/* Replaces a run. It is locked first: nothing is removed while another program writes to it. */
static rp_code replace_existing(rp_runner *runner, int threads, rp_report *report)
{
    const rp_run_options *options = runner->options;
    RP_TRY(rp_record_open_to_replace(options->folder, runner->scene, &runner->record, report));
    RP_TRY(rp_run_lock(runner->record, &runner->lock, report));
    return rp_record_replace(runner->record, threads, options->command, report);
}

static rp_code open_record(rp_runner *runner, rp_report *report)
{
    const rp_run_options *options = runner->options;
    int threads = rp_threads_count(runner->world->threads);
    if (options->resume) return open_existing(runner, report);
    if (options->overwrite && rp_record_is_run(options->folder))
        return replace_existing(runner, threads, report);
    rp_code code = rp_record_begin(options->folder, runner->scene, threads, options->command,
                                   &runner->record, report);
    return code == RP_OK ? rp_run_lock(runner->record, &runner->lock, report) : code;
}

/* Loads a checkpoint and checks that its time belongs to its number, or frames would be skipped. */
static rp_code load_state(rp_runner *runner, int64_t number, rp_report *report)
{
    rp_path path = rp_record_checkpoint_path(runner->record, number);
    double rate = runner->scene->time.frame_rate, due = (double)number / rate;
    rp_code code = rp_world_load(runner->world, path.text, report);
    double frames = (runner->world->time - due) * rate; /* time since its frame, in frames */
    rp_place place = {.file = path.text};
    if (code == RP_OK && runner->world->scene != runner->scene)
        return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "world/added",
                          "the state has bodies or joints that the scene of the run has not");
    if (code != RP_OK || (frames >= -0.5 && frames < 1)) return code;
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "world/time",
                      "the state is of %g s; its frame is of %g s, and the next begins at %g s",
                      runner->world->time, due, due + 1 / rate);
}

/* Loads the newest intact checkpoint: one that is damaged or cannot be read is skipped with a
 * warning; the failure of the oldest is reported. */
static rp_code load_checkpoint(rp_runner *runner, const rp_numbers *numbers, rp_report *report)
{
    for (size_t i = numbers->count; i-- > 0;) {
        rp_path path = rp_record_checkpoint_path(runner->record, numbers->items[i]);
        rp_report *trouble = i > 0 ? NULL : report;
        rp_code code = load_state(runner, numbers->items[i], trouble);
        if (code == RP_OK) {
            runner->frame = numbers->items[i];
            return RP_OK;
        }
        bool unreadable = code == RP_ERROR_DAMAGED || code == RP_ERROR_IO;
        if (!unreadable && i > 0) return load_state(runner, numbers->items[i], report);
        if (i == 0) return code;
        rp_log(RP_LOG_WARNING, "%s cannot be read; going back to the checkpoint before", path.text);
    }
    return RP_OK;
}

/* Refuses to resume without a checkpoint: starting again would remove the frames that exist. */
static rp_code check_restart(const rp_runner *runner, rp_report *report)
{
    int64_t frames = rp_series_count(rp_record_series(runner->record, RP_SERIES_COARSE));
    if (frames <= 1) return RP_OK;
    rp_place place = {.file = runner->options->folder};
    return rp_fail_at(
        report, RP_ERROR_INPUT, &place, NULL,
        "the folder holds %lld frames but no checkpoint to resume from; they are kept. "
        "Start a new run with -o, or --overwrite",
        (long long)frames);
}

static rp_code load_newest_checkpoint(rp_runner *runner, rp_report *report)
{
    rp_numbers numbers = {0};
    rp_code code = rp_record_checkpoints(runner->record, &numbers, report);
    if (code == RP_OK)
        code = numbers.count ? load_checkpoint(runner, &numbers, report)
                             : check_restart(runner, report);
    rp_numbers_end(&numbers);
    return code;
}

static rp_code resume(rp_runner *runner, rp_report *report)
{
    RP_TRY(load_newest_checkpoint(runner, report));
    RP_TRY(rp_record_remove_frames_after(runner->record, runner->frame, report));
    return rp_measurements_rewind(runner, runner->frame, report);
}

static void show_progress(rp_runner *runner)
{
    const rp_world *world = runner->world;
    const rp_run_options *options = runner->options;
    if (!options->progress) return;
    double duration = (double)runner->last_frame / runner->scene->time.frame_rate;
    double done = world->time - runner->started_time, seconds = rp_clock() - runner->started;
    rp_progress progress = {
        .frame = runner->frame < 0 ? 0 : runner->frame,
        .frame_count = runner->last_frame,
        .time = world->time,
        .duration = duration,
        .grains = world->grains.count,
        .step = rp_world_step_info(world),
        .steps = world->step - runner->started_step,
        .seconds = seconds,
        .seconds_left = done > 0 ? seconds * (duration - world->time) / done : -1,
    };
    if (!options->progress(options->user, &progress)) runner->stop = true;
}

/* Advects fine grains through the coarse frames that exist already. */
static rp_code catch_up(rp_runner *runner, rp_report *report)
{
    rp_code code = rp_refiner_resume(runner->refiner, runner->frame, report);
    const rp_series *series = rp_record_series(runner->record, RP_SERIES_COARSE);
    int64_t count = rp_series_count(series);
    for (int64_t i = 0; i < count && code == RP_OK; i++) {
        int64_t number = rp_series_number(series, i);
        if (number <= rp_refiner_frame(runner->refiner)) continue;
        rp_frame_file *frame;
        code = rp_series_read(series, number, &frame, report);
        if (code != RP_OK) break;
        code = rp_refiner_add_frame(runner->refiner, number, rp_frame_view(frame), false, report);
        rp_frame_close(frame);
        show_progress(runner);
        if (code == RP_OK && runner->stop) code = RP_INTERRUPTED;
    }
    return code;
}

/* Creates the fine grains, with the memory that the coarse ones leave. */
static rp_code start_fine(rp_runner *runner, rp_report *report)
{
    const rp_scene *scene = runner->scene;
    if (scene->detail.factor < 1 || !scene->detail.live) return RP_OK;
    rp_estimate estimate = rp_scene_estimate(scene, runner->options->world);
    double fine = estimate.grains * (double)scene->detail.factor;
    double memory = fmax(0, estimate.bytes_limit - estimate.bytes - rp_refiner_write_bytes(fine));
    rp_code code = rp_refiner_create(scene, runner->record, runner->world->threads,
                                     RP_FINE_MEMORY * memory, &runner->refiner, report);
    return code == RP_OK ? catch_up(runner, report) : code;
}

/* The stop hook of the world. A step is interrupted only when there is a snapshot to return to. */
static bool is_stopped(void *user)
{
    rp_runner *runner = user;
    const rp_world_options *options = runner->options->world;
    if (!runner->stop && options->stop && options->stop(options->stop_user)) runner->stop = true;
    return runner->stop && (!runner->world || runner->snapshot);
}

/* Logs the warnings of `repose check`. */
static void log_warnings(const rp_runner *runner)
{
    rp_report *warnings = rp_report_create();
    if (!warnings) return;
    (void)rp_world_review(runner->world, warnings, NULL);
    for (int i = 0; i < rp_report_count(warnings); i++) {
        const rp_fault *warning = rp_report_fault(warnings, i);
        rp_log(RP_LOG_WARNING, "%s: %s", warning->key, warning->message);
    }
    rp_report_destroy(warnings);
}

static size_t means_size(const rp_runner *runner)
{
    return (size_t)runner->scene->bodies.count * sizeof *runner->means;
}

static rp_code make_means(rp_runner *runner, rp_report *report)
{
    runner->means = rp_allocate_zero(means_size(runner));
    return runner->means ? RP_OK : rp_fail_memory(report, means_size(runner), "loads on bodies");
}

static rp_code start(rp_runner *runner, rp_report *report)
{
    const rp_run_options *options = runner->options;
    runner->world_options = *options->world;
    runner->world_options.stop = is_stopped;
    runner->world_options.stop_user = runner;
    /* The world comes first: a scene that cannot run must not leave a folder behind. */
    rp_code code = rp_world_create(runner->scene, &runner->world_options, &runner->world, report);
    if (code == RP_OK) runner->outside = rp_budget_enter(&runner->world->budget);
    if (code == RP_OK) code = make_means(runner, report);
    if (code == RP_OK && !options->resume) log_warnings(runner);
    if (code == RP_OK) code = open_record(runner, report);
    if (code == RP_OK && options->resume) code = resume(runner, report);
    if (code == RP_OK) code = start_fine(runner, report);
    runner->last_frame =
        options->frames >= 0 ? options->frames : rp_scene_frame_count(runner->scene) - 1;
    runner->started = rp_clock();
    RP_TRY(code);
    runner->started_time = runner->world->time;
    runner->started_step = runner->world->step;
    return RP_OK;
}

static rp_code write_exports(rp_runner *runner, const rp_view *view, rp_report *report)
{
    rp_code code = RP_OK;
    rp_export_options options = rp_default_export_options();
    for (int i = 0; i < rp_export_format_count() && code == RP_OK; i++) {
        options.format = rp_export_format(i);
        if (runner->scene->output.formats >> i & 1)
            code = rp_record_export(runner->record, runner->frame, view, &options, report);
    }
    return code;
}

static rp_code write_checkpoint(rp_runner *runner, rp_report *report)
{
    bool due = runner->frame % runner->scene->output.checkpoint_every == 0;
    if (!due && !runner->stop && runner->frame != runner->last_frame) return RP_OK;
    rp_path path = rp_record_checkpoint_path(runner->record, runner->frame);
    RP_TRY(runner->refiner ? rp_refiner_save_checkpoint(runner->refiner, report) : RP_OK);
    RP_TRY(rp_world_save(runner->world, path.text, report));
    return rp_record_prune_checkpoints(runner->record, CHECKPOINTS_KEPT, report);
}

/* Takes the view of a frame. Loads on bodies are means since the last frame on disk, since those of
 * a single step fluctuate. Contacts are computed only where output or measurements need them. */
static rp_code take_view(rp_runner *runner, bool due, rp_view *view, rp_report *report)
{
    bool wanted = (due && runner->scene->output.contacts) || rp_measurements_want_contacts(runner);
    rp_code code = wanted ? rp_world_contacts(runner->world, view, report) : RP_OK;
    if (!wanted) rp_world_view(runner->world, view);
    rp_bodies_mean(runner->world->bodies, runner->means);
    view->bodies = runner->means;
    return code;
}

/* Returns the part of a view that a frame holds: contacts only where the scene says so. */
static rp_view recorded_view(const rp_runner *runner, const rp_view *view)
{
    rp_view recorded = *view;
    if (runner->scene->output.contacts) return recorded;
    recorded.contacts = NULL;
    recorded.contact_count = 0;
    return recorded;
}

/* Calls the hook of the host program, whose allocations do not count towards the run's budget. */
static void call_frame_hook(const rp_runner *runner)
{
    const rp_run_options *options = runner->options;
    rp_budget *inside = rp_budget_enter(runner->outside);
    if (options->frame_written)
        options->frame_written(options->user, runner->record, runner->frame);
    rp_budget_enter(inside);
}

/* Writes all output of a finished frame: frame file, exports, fine grains, measurements. The
 * checkpoint comes last: where there is one, all that belongs before it is on disk. */
static rp_code write_frame(rp_runner *runner, rp_report *report)
{
    rp_view view;
    bool due = runner->frame % runner->scene->output.frame_every == 0;
    rp_code code = take_view(runner, due, &view, report);
    if (code == RP_OK && due) {
        rp_view recorded = recorded_view(runner, &view);
        code = rp_record_write_frame(runner->record, runner->frame, &recorded, report);
        if (code == RP_OK) code = write_exports(runner, &view, report);
        if (code == RP_OK && runner->refiner)
            code = rp_refiner_add_frame(runner->refiner, runner->frame, &view, false, report);
        if (code == RP_OK) call_frame_hook(runner);
        rp_bodies_begin_mean(runner->world->bodies);
    }
    if (code == RP_OK) code = rp_measurements_write(runner, &view, report);
    show_progress(runner);
    if (code == RP_OK) code = write_checkpoint(runner, report);
    return code;
}

/* Takes a snapshot before a step that may take long, if memory allows, so that the step can be
 * interrupted. The duration of the first step is unknown, so it counts as long. */
static void take_snapshot(rp_runner *runner)
{
    rp_snapshot_destroy(runner->snapshot);
    runner->snapshot = NULL;
    bool may_be_long = runner->step_seconds == 0 || runner->step_seconds > STEP_LONG;
    if (may_be_long && runner->options->world->stop)
        rp_world_snapshot(runner->world, &runner->snapshot, NULL);
}

/* Returns to the state before the interrupted step. */
static rp_code restore_snapshot(rp_runner *runner, rp_report *report)
{
    rp_code code = rp_world_restore(runner->world, runner->snapshot, report);
    rp_snapshot_destroy(runner->snapshot);
    runner->snapshot = NULL;
    return code;
}

static rp_code step(rp_runner *runner, double end, rp_report *report)
{
    rp_world *world = runner->world;
    uint64_t before = world->step;
    take_snapshot(runner);
    double began = rp_clock();
    rp_code code = rp_world_step_toward(world, end, report);
    runner->step_seconds = fmax(rp_clock() - began, 1e-9);
    if (code == RP_INTERRUPTED) return restore_snapshot(runner, report);
    /* Time may also advance by a rounding error, without a step. */
    if (code == RP_OK && world->step > before)
        rp_step_tally_add(&runner->tally, world->dt, world->reason);
    return code;
}

/* A run may stop between two frames: the checkpoint of the last frame then holds a later state,
 * from which the next frame is reached by the same steps as without the interruption. */
static rp_code checkpoint_between_frames(rp_runner *runner, rp_report *report)
{
    rp_code code = write_checkpoint(runner, report);
    return code == RP_OK ? RP_INTERRUPTED : code;
}

/* Computes frame after frame: steps up to the time of the next frame, then writes its output. Ends
 * at the last frame, at a fault, or when the run is asked to stop. */
static rp_code run_frames(rp_runner *runner, rp_report *report)
{
    rp_code code = RP_OK;
    while (code == RP_OK && runner->frame < runner->last_frame && !runner->stop) {
        double end = (double)(runner->frame + 1) / runner->scene->time.frame_rate;
        while (code == RP_OK && runner->world->time < end && !runner->stop) {
            code = step(runner, end, report);
            if (code == RP_OK) show_progress(runner);
        }
        if (code != RP_OK) break;
        /* The inner loop ended before the frame: the run was asked to stop. */
        if (runner->world->time < end) return checkpoint_between_frames(runner, report);
        runner->frame++;
        code = write_frame(runner, report);
    }
    if (code == RP_OK && runner->stop && runner->frame < runner->last_frame) return RP_INTERRUPTED;
    return code;
}

static void finish(rp_runner *runner, rp_run_summary *summary)
{
    rp_step_tally_sort(&runner->tally);
    if (runner->world && runner->record && summary) {
        *summary = (rp_run_summary){
            .frames = rp_series_count(rp_record_series(runner->record, RP_SERIES_COARSE)),
            .steps = runner->world->step,
            .time = runner->world->time,
            .seconds = rp_clock() - runner->started,
            .grains = runner->world->grains.count,
            .fine = runner->refiner ? rp_refiner_count(runner->refiner) : 0,
            .hash = rp_world_hash(runner->world),
            .tally = runner->tally,
            .last = rp_world_step_info(runner->world)};
        summary->stage_count = rp_world_stages(runner->world, summary->stages, RP_STAGE_COUNT_MAX);
    }
    rp_snapshot_destroy(runner->snapshot);
    rp_release(runner->means, means_size(runner));
    rp_refiner_destroy(runner->refiner);
    rp_disk_close(runner->lock);
    rp_record_close(runner->record);
    if (runner->world) rp_budget_enter(runner->outside);
    rp_world_destroy(runner->world);
}

rp_code rp_run(const rp_scene *scene, const rp_run_options *options, rp_run_summary *summary,
               rp_report *report)
{
    RP_NEED(scene, report);
    RP_NEED(options, report);
    RP_ENTER();
    rp_run_options own = rp_default_run_options();
    RP_TAKE_OPTIONS(&own, options, report);
    rp_world_options world = rp_default_world_options();
    RP_TAKE_OPTIONS(&world, own.world, report);
    own.world = &world;
    options = &own;
    RP_NEED(options->folder, report);
    if (summary) memset(summary, 0, sizeof *summary);
    if (options->resume && options->overwrite)
        return rp_fail(report, RP_ERROR_INPUT, "a run is either resumed or overwritten, not both");
    rp_runner runner = {.scene = scene, .options = options, .lock = -1, .frame = -1};
    rp_code code = start(&runner, report);
    if (code == RP_OK && runner.frame < 0) {
        runner.frame = 0;
        code = write_frame(&runner, report);
    }
    if (code == RP_OK) code = run_frames(&runner, report);
    finish(&runner, summary);
    return code;
}

/* --- lengths of steps ----------------------------------------------------------------------- */

/* Statistics of step lengths and of the reasons that limited them. Solvers give a handful of
 * reasons; beyond the capacity, the last entry counts the rest. */

typedef struct rp_step_reason step_reason;

static step_reason *find_reason(rp_step_tally *tally, const char *reason)
{
    for (int i = 0; i < tally->reason_count; i++)
        if (strcmp(tally->reasons[i].reason, reason) == 0) return &tally->reasons[i];
    if (tally->reason_count == RP_STEP_REASONS) {
        tally->reasons[RP_STEP_REASONS - 1].reason = "other reasons";
        return &tally->reasons[RP_STEP_REASONS - 1];
    }
    step_reason *fresh = &tally->reasons[tally->reason_count++];
    *fresh = (step_reason){.reason = reason};
    return fresh;
}

void rp_step_tally_add(rp_step_tally *tally, double dt, const char *reason)
{
    tally->shortest = tally->steps ? fmin(tally->shortest, dt) : dt;
    tally->longest = fmax(tally->longest, dt);
    tally->steps++;
    tally->mean += (dt - tally->mean) / (double)tally->steps;
    find_reason(tally, reason)->steps++;
}

void rp_step_tally_sort(rp_step_tally *tally)
{
    for (int i = 1; i < tally->reason_count; i++)
        for (int k = i; k > 0 && tally->reasons[k].steps > tally->reasons[k - 1].steps; k--) {
            step_reason moved = tally->reasons[k];
            tally->reasons[k] = tally->reasons[k - 1];
            tally->reasons[k - 1] = moved;
        }
}
