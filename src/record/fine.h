/* Frames and checkpoints of fine grains, chunk by chunk, in sets of files (record/parts.h).
 *
 *     RUN/fine/000012.h5, 000012-000.h5 …              a frame, kept to a given precision
 *     RUN/fine/checkpoints/000010.h5, 000010-000.h5 …  the exact state
 *
 * A frame takes 6 bytes for a grain at rest and 12 for one that moves. Columns of a part, with a
 * row per chunk:
 *
 *     chunks/first, born, count, material   as in rp_chunk
 *     chunks/wide            where its positions are: 0 position_near, 1 position_far, in steps of
 *                            `precision` above `low`; 2 position_far, the bits of 32-bit floats,
 *                            for a box of more than 2^32 steps
 *     chunks/low             m, a multiple of the precision
 *     chunks/velocity_step   m/s; 0: all of it stands still and has no velocities
 *
 * and with a row per grain, chunk after chunk, in the order of the ids within each:
 *
 *     position_near, position_far
 *     velocity               times velocity_step, 32768 being zero
 *     local                  id - first, only of chunks that have lost grains
 */
#ifndef RP_RECORD_FINE_H
#define RP_RECORD_FINE_H

#include "base/fine.h"
#include "base/store.h"
#include "record/folder.h"

/* What the indices of frames note as their kind. */
#define RP_FINE_KIND "fine"

/* About one frame of fine grains. */
typedef struct rp_fine_facts {
    int64_t frame;
    double time;      /* s */
    double spacing;   /* m, of the fine grains */
    double precision; /* m, that positions are kept to */
    uint64_t factor;  /* fine grains per coarse one */
    uint64_t born;    /* fine grains that ever were, at this time */
    const rp_body_state *bodies;
    int body_count;
} rp_fine_facts;

typedef struct rp_fine_writer rp_fine_writer;

/* `folder` is RUN/fine, made if missing; a frame of that number is replaced. The facts' bodies,
 * their names and the report must outlive the writer. */
rp_code rp_fine_create(const char *folder, const rp_fine_facts *facts,
                       const char *const *body_names, int compress, rp_fine_writer **out,
                       rp_report *report);
/* One chunk after another, ids rising. What goes wrong is put into the report at once, later calls
 * then do nothing, and finish returns the code. A grain that is nowhere (its position or velocity
 * no number) is RP_ERROR_NUMERIC with its id. */
void rp_fine_put(rp_fine_writer *writer, const rp_chunk *chunk);
/* The frame is there once this returns RP_OK; otherwise nothing of it is. Releases the writer. */
rp_code rp_fine_finish(rp_fine_writer *writer, rp_report *report);
/* Removes what was written. */
void rp_fine_abandon(rp_fine_writer *writer);
/* Parts of fewer grains than usual, so that tests need not write millions. */
void rp_fine_limit(rp_fine_writer *writer, uint64_t grains);

/* The grains in the order in which they were put, in each chunk in that of their ids; 29 bytes a
 * grain, and one part at a time. The view has no mass, density, pressure, asleep and moisture. */
rp_code rp_fine_read(const char *folder, int64_t number, rp_frame_file **out, rp_report *report);

/* The exact state of all chunks, and a store with whatever else belongs to it. `folder` is
 * RUN/fine/checkpoints. */
typedef struct rp_fine_saver rp_fine_saver;

/* As for frames, except that ids may come in any order. */
rp_code rp_fine_save_begin(const char *folder, int64_t number, rp_fine_saver **out,
                           rp_report *report);
void rp_fine_save_chunk(rp_fine_saver *saver, const rp_chunk *chunk);
rp_code rp_fine_save_finish(rp_fine_saver *saver, const rp_store *store, rp_report *report);
void rp_fine_save_abandon(rp_fine_saver *saver);
void rp_fine_save_limit(rp_fine_saver *saver, uint64_t grains);

/* Given each chunk in the order saved, its grains in their order, bit for bit; the arrays are
 * borrowed for the call and not to be changed. Anything but RP_OK ends the loading. */
typedef rp_code rp_fine_take_fn(void *user, const rp_chunk *chunk, rp_report *report);
/* Fills the empty store first, then hands over the chunks; the store is empty again after a
 * failure. */
rp_code rp_fine_load(const char *folder, int64_t number, rp_store *store, rp_fine_take_fn *take,
                     void *user, rp_report *report);

/* Which frames, or checkpoints, a folder holds; none where it is missing. Release with
 * rp_numbers_end. */
rp_code rp_fine_numbers(const char *folder, rp_numbers *out, rp_report *report);
/* Keeps the newest `keep` checkpoints. */
rp_code rp_fine_prune(const char *folder, int keep, rp_report *report);
/* Removes the frames, or checkpoints, of a folder behind `number`, and what interrupted writes
 * left: parts without an index, temporaries. A folder that is missing is fine. */
rp_code rp_fine_remove_after(const char *folder, int64_t number, rp_report *report);

#endif
