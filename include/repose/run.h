/* Running a scene into a record. */
#ifndef REPOSE_RUN_H
#define REPOSE_RUN_H

#include "repose/measure.h"
#include "repose/record.h"
#include "repose/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Progress of a run, passed to the progress hook after every step. */
typedef struct rp_progress {
    int64_t frame, frame_count; /* last frame that is finished; last frame of the run */
    double time, duration;      /* s, simulated */
    size_t grains;
    rp_step_info step;
    uint64_t steps;
    double seconds;      /* wall-clock time since this run or resume began */
    double seconds_left; /* estimate; negative when unknown */
} rp_progress;

typedef struct rp_run_options {
    size_t size; /* set by rp_default_run_options() */
    const char *folder;
    int64_t frames; /* the number of the last frame; -1: as the scene says */
    bool resume;    /* continue from the last checkpoint in the folder */
    /* Replaces a run that is in the folder: its files and its film are removed. A folder that holds
     * something else, and no run, is refused all the same. */
    bool overwrite;
    const char
        *command; /* written to command.txt in the folder, for `repose resume`; may be NULL */
    const rp_world_options *world; /* NULL: the defaults */
    /* Called after every step and after every frame; may be NULL. Return false to stop: a
     * checkpoint of the last complete step is written and RP_INTERRUPTED returned. The same happens
     * when `world->stop` returns true, which is also called within long steps. */
    bool (*progress)(void *user, const rp_progress *progress);
    /* Called when a frame is on disk, with its fine grains where they are made during the run; may
     * be NULL. The run does not stop when the hook fails. */
    void (*frame_written)(void *user, const rp_record *record, int64_t number);
    void *user; /* passed to both */
} rp_run_options;
RP_DEFAULTS(rp_run_options, rp_default_run_options)

/* Statistics of the lengths of steps, and how often each reason limited them. */
#define RP_STEP_REASONS 8
typedef struct rp_step_tally {
    uint64_t steps;
    double shortest, mean, longest; /* s; 0 while there are no steps */
    struct rp_step_reason {
        const char *reason; /* as in rp_step_info */
        uint64_t steps;
    } reasons[RP_STEP_REASONS]; /* the most frequent first */
    int reason_count;
} rp_step_tally;

/* Result of a run. */
typedef struct rp_run_summary {
    int64_t frames; /* in the folder now */
    uint64_t steps;
    double time;    /* s, simulated */
    double seconds; /* wall-clock time */
    size_t grains;
    uint64_t fine;       /* fine grains at the end; 0: none were made */
    uint64_t hash;       /* of the final state */
    rp_step_tally tally; /* of the steps since this run or resume began */
    rp_step_info last;   /* of the last step */
    int stage_count;     /* times of the stages of these steps */
    rp_stage_time stages[RP_STAGE_COUNT_MAX];
} rp_run_summary;

/* Runs the scene and writes to the folder: frames, checkpoints, exports, measurements; and fine
 * grains, where the scene has a `detail.factor` and not `live: no`. */
RP_API rp_code rp_run(const rp_scene *scene, const rp_run_options *options, rp_run_summary *summary,
                      rp_report *report);

typedef struct rp_refine_options {
    size_t size;                /* set by rp_default_refine_options() */
    const char *folder;         /* of the run */
    const char *output;         /* another folder to write to; NULL: the run's own */
    const rp_setting *settings; /* changes to the scene as run, such as detail.factor */
    int setting_count;
    int threads;         /* 0: one per core */
    size_t memory_limit; /* bytes; 0: the free memory of the machine. Grains beyond it are in a
                            scratch file */
    /* Called after every frame, with the number of fine grains; see rp_run_options. */
    bool (*progress)(void *user, const rp_progress *progress);
    void *user;
} rp_refine_options;
RP_DEFAULTS(rp_refine_options, rp_default_refine_options)

/* Result of a refinement. */
typedef struct rp_refine_summary {
    int64_t frames;        /* fine frames in the folder now */
    int64_t resumed;       /* the frame it continued from; -1: from the start */
    uint64_t grains, left; /* in the domain; removed at open sides */
    uint64_t steps;
    double seconds; /* wall-clock time */
} rp_refine_summary;

/* Computes fine grains for all coarse frames of a run. Existing fine frames are continued, to the
 * same bits as in one session. A damaged coarse frame ends it; the frames before are kept. */
RP_API rp_code rp_refine(const rp_refine_options *options, rp_refine_summary *summary,
                         rp_report *report);

/* Takes a measurement of every frame of a run, for kinds that give numbers: a table with a row a
 * frame and the columns frame, time (s), the numbers, and the uncertainty of each. Frames in which
 * there is nothing to measure have NaN; kinds that compare frames begin with the second. `options`
 * may be NULL. */
typedef struct rp_measure_series rp_measure_series;
RP_API rp_code rp_record_measure(const rp_record *record, const char *name,
                                 const rp_measure_options *options, rp_measure_series **out,
                                 rp_report *report);
/* Borrowed until the series is destroyed. */
RP_API const rp_table *rp_measure_series_table(const rp_measure_series *series);
RP_API void rp_measure_series_destroy(rp_measure_series *series);

#ifdef __cplusplus
}
#endif
#endif
