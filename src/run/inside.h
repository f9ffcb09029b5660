/* What the files of this room share. run.c runs a scene into a record, refine.c computes fine
 * grains for the frames of a record, measurements.c writes tables of measurements. */
#ifndef RP_RUN_INSIDE_H
#define RP_RUN_INSIDE_H

#include "base/threads.h"
#include "measure/measure.h"
#include "record/record.h"
#include "repose/run.h"
#include "repose/save.h"
#include "world/world.h"

#include <stdint.h>

/* --- run.c ---------------------------------------------------------------------------------------
 */

/* The state of one run. */
typedef struct rp_runner {
    const rp_scene *scene;
    const rp_run_options *options;
    rp_record *record;
    rp_world *world;
    struct rp_refiner *refiner; /* of fine grains; NULL without */
    rp_body_state *means; /* bodies of the current frame, with loads averaged since the last one */
    int lock;             /* descriptor of the lock file, so that two runs cannot share a folder */
    int64_t frame;        /* the last one finished; -1 at the start */
    int64_t last_frame;   /* the one to end with */
    double started;       /* s, on rp_clock */
    double started_time;  /* s, simulated */
    uint64_t started_step;
    bool stop; /* one of the hooks asked for it */
    rp_world_options world_options;
    rp_budget *outside;    /* memory budget of the caller; the run is in the world's */
    rp_snapshot *snapshot; /* state before a long step, to return to; NULL before a short one */
    double step_seconds;   /* wall-clock time of the last step; 0 before the first */
    rp_step_tally tally;
} rp_runner;

/* Locks a run folder while `*lock` is open, so that no two programs write to it. A folder with
 * symbolic links that lead elsewhere is refused. */
rp_code rp_run_lock(const rp_record *record, int *lock, rp_report *report);

/* Adds one step of the length dt (s), with the reason that limited it. */
void rp_step_tally_add(rp_step_tally *tally, double dt, const char *reason);
/* Sorts the reasons, the most frequent first. */
void rp_step_tally_sort(rp_step_tally *tally);

/* --- measurements.c: tables that grow by a row a frame ------------------------------------------
 */

/* Appends the row of a frame to a CSV file; writes the header where the file begins. */
rp_code rp_measurements_add_row(const char *path, int64_t frame, double time,
                                const rp_measured *measured, int count, rp_report *report);
/* Removes the rows after `frame`, and an incomplete last row. The file may be missing. */
rp_code rp_measurements_truncate(const char *path, int64_t frame, rp_report *report);

/* Appends the rows of the current frame to the tables of the scene's measurements,
 * RUN/measurements/NAME.csv. */
rp_code rp_measurements_write(const rp_runner *runner, const rp_view *view, rp_report *report);
/* True when a measurement of the current frame needs contacts. */
bool rp_measurements_want_contacts(const rp_runner *runner);
/* Removes the rows after `frame`, which a resumed run writes again. */
rp_code rp_measurements_rewind(const rp_runner *runner, int64_t frame, rp_report *report);

/* --- refine.c: fine grains of a record -----------------------------------------------------------
 */

/* Computes fine grains for a record, while a run writes it or afterwards. For each coarse frame
 * they are advected to its time and written beside it; they have checkpoints of their own. */
typedef struct rp_refiner rp_refiner;

/* The share of the free memory for chunks of fine grains; the rest is for the volume fraction. */
#define RP_FINE_MEMORY 0.7
/* Returns the bytes of output buffers for frames and checkpoints of so many grains: the arrays of
 * one part, and the image of its file. */
double rp_refiner_write_bytes(double grains);

/* Creates fine grains by the scene's `detail` section, to be written to the record. They take up to
 * `memory` bytes, the rest is in a scratch file in the record's folder. Scene, record and threads
 * must outlive it. */
rp_code rp_refiner_create(const rp_scene *scene, rp_record *record, rp_threads *threads,
                          double memory, rp_refiner **out, rp_report *report);
void rp_refiner_destroy(rp_refiner *refiner);

/* Loads the newest intact checkpoint not after frame `last`, and removes the fine frames after it.
 * Fine grains that were made with other settings are refused, and so are frames without any
 * checkpoint. */
rp_code rp_refiner_resume(rp_refiner *refiner, int64_t last, rp_report *report);
/* Advects the grains to a coarse frame and writes the fine frame; with a checkpoint where `keep` is
 * true or one is due. */
rp_code rp_refiner_add_frame(rp_refiner *refiner, int64_t number, const rp_view *view, bool keep,
                             rp_report *report);
/* Writes a checkpoint of the last frame, unless there is one. */
rp_code rp_refiner_save_checkpoint(rp_refiner *refiner, rp_report *report);
/* Returns the number of the last frame; -1 before the first. */
int64_t rp_refiner_frame(const rp_refiner *refiner);
uint64_t rp_refiner_count(const rp_refiner *refiner); /* fine grains in the domain */
uint64_t rp_refiner_left(const rp_refiner *refiner);  /* removed at open sides */
uint64_t rp_refiner_steps(const rp_refiner *refiner);

#endif
