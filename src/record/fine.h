/* Frames and checkpoints of fine grains, chunk by chunk, in file sets (files/file_set.h).
 *
 *     RUN/fine/000012.h5, 000012-000.h5 …              a frame, of a given precision
 *     RUN/fine/checkpoints/000010.h5, 000010-000.h5 …  the exact state
 *
 * A frame has 6 bytes for a grain at rest and 12 for one that moves. Columns of a part, with a row
 * per chunk:
 *
 *     chunks/first, born, count, material   as in rp_chunk
 *     chunks/wide            encoding of positions: 0 in position_near, 1 in position_far, both in
 *                            steps of `precision` above `low`; 2 in position_far, the bits of
 * 32-bit floats, for a box of more than 2^32 steps chunks/low             m, a multiple of the
 * precision chunks/velocity_step   m/s; 0: all grains are at rest and have no velocities
 *
 * and with a row per grain, chunk after chunk, in the order of the ids within each:
 *
 *     position_near, position_far
 *     velocity               times velocity_step; 32768 is zero
 *     local                  id - first, only of chunks that have lost grains
 */
#ifndef RP_RECORD_FINE_H
#define RP_RECORD_FINE_H

#include "base/store.h"
#include "record/record.h"

/* The attribute "kind" of the index files of frames. */
#define RP_FINE_KIND "fine"

/* About one frame of fine grains. */
typedef struct rp_fine_frame_info {
    int64_t frame;
    double time;      /* s */
    double spacing;   /* m, of the fine grains */
    double precision; /* m, of positions */
    uint64_t factor;  /* fine grains per coarse one */
    uint64_t born;    /* fine grains created up to this time */
    const rp_body_state *bodies;
    int body_count;
} rp_fine_frame_info;

typedef struct rp_fine_frame_writer rp_fine_frame_writer;

/* `folder` is RUN/fine, created if missing; a frame of that number is replaced. The bodies of
 * `info`, their names and the report must outlive the writer. */
rp_code rp_fine_frame_create(const char *folder, const rp_fine_frame_info *info,
                             const char *const *body_names, int compress,
                             rp_fine_frame_writer **out, rp_report *report);
/* One chunk after another, ids rising. The first error is reported at once, later calls then do
 * nothing, and finish returns its code. A grain whose position or velocity is not finite is
 * RP_ERROR_NUMERIC with its id. */
void rp_fine_frame_put(rp_fine_frame_writer *writer, const rp_chunk *chunk);
/* The frame exists once this returns RP_OK; otherwise nothing of it does. Releases the writer. */
rp_code rp_fine_frame_finish(rp_fine_frame_writer *writer, rp_report *report);
/* Removes what was written. */
void rp_fine_frame_abandon(rp_fine_frame_writer *writer);
/* Sets the most grains of a part, so that tests need not write millions. */
void rp_fine_frame_limit(rp_fine_frame_writer *writer, uint64_t grains);

/* Reads a frame: the grains in the order of the chunks, in each by rising id; 29 bytes of memory a
 * grain, and one part at a time. The view has no mass, density, pressure, asleep and moisture. */
rp_code rp_fine_frame_read(const char *folder, int64_t number, rp_frame_file **out,
                           rp_report *report);

/* The exact state of all chunks, and a store with whatever else belongs to it. `folder` is
 * RUN/fine/checkpoints. */
typedef struct rp_fine_checkpoint_writer rp_fine_checkpoint_writer;

/* As for frames, except that ids may come in any order. */
rp_code rp_fine_checkpoint_begin(const char *folder, int64_t number,
                                 rp_fine_checkpoint_writer **out, rp_report *report);
void rp_fine_checkpoint_put(rp_fine_checkpoint_writer *writer, const rp_chunk *chunk);
rp_code rp_fine_checkpoint_finish(rp_fine_checkpoint_writer *writer, const rp_store *store,
                                  rp_report *report);
void rp_fine_checkpoint_abandon(rp_fine_checkpoint_writer *writer);
void rp_fine_checkpoint_limit(rp_fine_checkpoint_writer *writer, uint64_t grains);

/* Called with each chunk in the order of writing, its grains in their order, bit for bit; the
 * arrays are valid during the call and must not be changed. Anything but RP_OK ends the reading. */
typedef rp_code rp_fine_chunk_fn(void *user, const rp_chunk *chunk, rp_report *report);
/* Reads into the empty store first, then calls `take` for the chunks; the store is empty again
 * after a failure. */
rp_code rp_fine_checkpoint_read(const char *folder, int64_t number, rp_store *store,
                                rp_fine_chunk_fn *take, void *user, rp_report *report);

/* Lists the frames, or checkpoints, of a folder; none where it is missing. Release with
 * rp_numbers_end. */
rp_code rp_fine_numbers(const char *folder, rp_numbers *out, rp_report *report);
/* Removes all but the newest `keep` checkpoints. */
rp_code rp_fine_prune(const char *folder, int keep, rp_report *report);
/* Removes the frames, or checkpoints, of a folder behind `number`, and what interrupted writes
 * left: parts without an index, temporaries. A folder that is missing is no error. */
rp_code rp_fine_remove_after(const char *folder, int64_t number, rp_report *report);

#endif
