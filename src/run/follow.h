/* Fine grains that follow a record: while a run writes it, or afterwards. For each coarse frame
 * they are carried to its time and written beside it; checkpoints of their own let them go on. */
#ifndef RP_RUN_FOLLOW_H
#define RP_RUN_FOLLOW_H

#include "base/threads.h"
#include "record/record.h"

typedef struct rp_follower rp_follower;

/* The share of the free memory that fine grains may take: what is counted of them needs some. */
#define RP_FINE_MEMORY 0.7
/* Bytes for fine frames and checkpoints of so many grains on their way to disk: the arrays of one
 * part, and the image of its file. */
double rp_follower_write_bytes(double grains);

/* Grains as the scene's `detail` section says, written to the record. They take up to `memory`
 * bytes, the rest waits in a scratch file of the record's folder. All must outlive it. */
rp_code rp_follower_create(const rp_scene *scene, rp_record *record, rp_threads *threads,
                           double memory, rp_follower **out, rp_report *report);
void rp_follower_destroy(rp_follower *follower);

/* Goes back to the newest sound checkpoint not behind frame `last`, and removes the fine frames
 * behind it. Fine grains that were made with other settings are refused, and frames without any
 * checkpoint. */
rp_code rp_follower_resume(rp_follower *follower, int64_t last, rp_report *report);
/* Carries the grains to a coarse frame and writes theirs; with a checkpoint where `keep` or where
 * one is due. */
rp_code rp_follower_take(rp_follower *follower, int64_t number, const rp_view *view, bool keep,
                         rp_report *report);
/* A checkpoint of the frame taken last, unless there is one. */
rp_code rp_follower_keep(rp_follower *follower, rp_report *report);
/* The number of the frame taken last; -1 before the first. */
int64_t rp_follower_frame(const rp_follower *follower);
uint64_t rp_follower_count(const rp_follower *follower); /* grains that are there */
uint64_t rp_follower_left(const rp_follower *follower);  /* that passed an open side */
uint64_t rp_follower_steps(const rp_follower *follower);

#endif
