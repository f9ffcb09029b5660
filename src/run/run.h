/* A run in hand: the parts that run.c leads and measurements.c writes. */
#ifndef RP_RUN_RUN_H
#define RP_RUN_RUN_H

#include "record/record.h"
#include "repose/run.h"
#include "repose/save.h"
#include "run/follow.h"
#include "world/world.h"

typedef struct rp_runner {
    const rp_scene *scene;
    const rp_run_options *options;
    rp_record *record;
    rp_world *world;
    rp_follower *follower; /* of fine grains; NULL without */
    rp_body_state *means;  /* of the frame in hand: bodies with the means of their loads */
    int lock;            /* descriptor of the locked file, so that two runs cannot share a folder */
    int64_t frame;       /* the last one finished; -1 at the start */
    int64_t last_frame;  /* the one to end with */
    double started;      /* s, on rp_clock */
    double started_time; /* s, simulated */
    uint64_t started_step;
    bool stop; /* one of the hooks asked for it */
    rp_world_options world_options;
    rp_budget *outside;  /* what the caller was in; the run is in the world's */
    rp_snapshot *before; /* the state before a long step, to go back to; NULL before a short one */
    double step_seconds; /* on the wall, of the last step; 0 at first */
    rp_step_tally tally;
} rp_runner;

/* run.c: locks a run folder as long as `*lock` is open, so that no two write to it; a folder that
 * leads elsewhere by links is refused. */
rp_code rp_run_lock(const rp_record *record, int *lock, rp_report *report);

/* tally.c: one more step; and the most frequent reasons first. */
void rp_tally_add(rp_step_tally *tally, double dt, const char *reason);
void rp_tally_sort(rp_step_tally *tally);

/* measurements.c: the scene's measurements, one table each, RUN/measurements/NAME.csv. */
/* Adds this frame's rows. */
rp_code rp_measurements_write(const rp_runner *runner, const rp_view *view, rp_report *report);
/* Whether one of this frame's measurements looks at contacts. */
bool rp_measurements_want_contacts(const rp_runner *runner);
/* Drops the rows behind `frame`, which a resumed run writes again. */
rp_code rp_measurements_rewind(const rp_runner *runner, int64_t frame, rp_report *report);

#endif
