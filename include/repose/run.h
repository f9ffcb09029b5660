/* Running a scene into a record. */
#ifndef REPOSE_RUN_H
#define REPOSE_RUN_H

#include "repose/measure.h"
#include "repose/record.h"
#include "repose/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far a run has come; handed to the progress hook after every step. */
typedef struct rp_progress {
    int64_t frame, frame_count; /* frames finished, and asked for */
    double time, duration;      /* s, simulated */
    size_t grains;
    rp_step_info step;
    uint64_t steps;
    double seconds;      /* on the wall, since this run or resume began */
    double seconds_left; /* estimate; negative when unknown */
} rp_progress;

typedef struct rp_run_options {
    size_t size; /* set by rp_default_run_options() */
    const char *folder;
    int64_t frames; /* the number of the last frame; -1: as the scene says */
    bool resume;    /* go on from the folder's last checkpoint */
    /* A run that is in the folder gives way: what it wrote and its film are removed. A folder that
     * holds something else, and no run, is refused as ever. */
    bool overwrite;
    const char *command; /* kept in the folder as command.txt, for whoever resumes; may be NULL */
    const rp_world_options *world; /* NULL: the defaults */
    /* Called after every step and after every frame; may be NULL. Return false to stop: a
     * checkpoint of the last whole step is written and RP_INTERRUPTED returned. So it is when
     * `world->stop` gives true, which is also asked within steps that take long. */
    bool (*progress)(void *user, const rp_progress *progress);
    /* Called when a frame is on disk, with its fine grains where they are made while it runs; may
     * be NULL. What fails in it is its own affair: the run goes on. */
    void (*frame_written)(void *user, const rp_record *record, int64_t number);
    void *user; /* handed to both */
} rp_run_options;
RP_DEFAULTS(rp_run_options, rp_default_run_options)

/* How long steps were, and how often each reason decided that. */
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

/* What a run left behind. */
typedef struct rp_run_summary {
    int64_t frames; /* in the folder now */
    uint64_t steps;
    double time;    /* s, simulated */
    double seconds; /* on the wall */
    size_t grains;
    uint64_t fine;       /* fine grains that are there; 0: none were made */
    uint64_t hash;       /* of the final state */
    rp_step_tally tally; /* of the steps since this run or resume began */
    rp_step_info last;   /* step */
    int stage_count;     /* and where the time of the steps since then went */
    rp_stage_time stages[RP_STAGE_COUNT_MAX];
} rp_run_summary;

/* Runs the scene into the folder: frames, checkpoints, exports, measurements; and fine grains,
 * where the scene has a `detail.factor` and does not say `live: no`. */
RP_API rp_code rp_run(const rp_scene *scene, const rp_run_options *options, rp_run_summary *summary,
                      rp_report *report);

typedef struct rp_refine_options {
    size_t size;                /* set by rp_default_refine_options() */
    const char *folder;         /* of the run */
    const char *output;         /* another folder to write to; NULL: the run's own */
    const rp_setting *settings; /* changes to the scene as run, such as detail.factor */
    int setting_count;
    int threads;         /* 0: one per core */
    size_t memory_limit; /* bytes; 0: what the machine has to give. More grains than that wait on
                            disk */
    /* Called after every frame, with fine grains as grains; see rp_run_options. */
    bool (*progress)(void *user, const rp_progress *progress);
    void *user;
} rp_refine_options;
RP_DEFAULTS(rp_refine_options, rp_default_refine_options)

/* What a refinement left behind. */
typedef struct rp_refine_summary {
    int64_t frames;        /* of fine grains in the folder now */
    int64_t resumed;       /* the frame it went on from; -1: from the start */
    uint64_t grains, left; /* that are there; that passed an open side */
    uint64_t steps;
    double seconds; /* on the wall */
} rp_refine_summary;

/* Makes fine grains for all coarse frames of a run. What is there already is gone on with, to the
 * same bits as in one go. A coarse frame that is damaged ends it; what came before stays. */
RP_API rp_code rp_refine(const rp_refine_options *options, rp_refine_summary *summary,
                         rp_report *report);

/* A measurement that gives numbers, of every frame of a run: a table with a row a frame and the
 * columns frame, time (s), the numbers, and the uncertainty of each. Frames in which there is
 * nothing to measure have NaN; a kind that compares frames begins with the second. `options` may be
 * NULL. */
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
