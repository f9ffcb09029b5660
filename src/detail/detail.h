/* Fine grains: passive grains for pictures that coarse grains carry along (M. Ihmsen, A. Wahl,
 * M. Teschner, Computers & Graphics 37, 2013). Every coarse grain is filled with many fine ones,
 * and these are advected by the weighted mean velocity of the coarse grains nearby. The room reads
 * views only, so it works while a world runs and from a record afterwards, with the same bits.
 * docs/theory/fine-grains.md has the equations.
 *
 *     rp_detail_advance(detail, first view)     fills the coarse grains
 *     rp_detail_advance(detail, next view)      advects the fine grains, fills new coarse ones
 *     rp_detail_visit(detail, …)                visits the fine grains, chunk by chunk
 *
 * Fine grains exert no forces on each other, so each chunk of them is advected by itself; chunks
 * beyond the memory limit are in a scratch file (out of core). Results are the same bits for any
 * number of threads and any memory limit. */
#ifndef RP_DETAIL_DETAIL_H
#define RP_DETAIL_DETAIL_H

#include "base/store.h"
#include "base/threads.h"
#include "repose/view.h"
#include "scene/scene.h"

typedef struct rp_detail rp_detail;

typedef struct rp_detail_options {
    rp_threads *threads; /* may be NULL; must outlive the detail */
    double memory;       /* bytes for fine grains; chunks beyond that go to the scratch file */
    const char *scratch; /* folder of the scratch file; NULL: all chunks stay in memory */
} rp_detail_options;

/* Creates the fine grains of a scene, by its `detail` section. The scene must outlive them. */
rp_code rp_detail_create(const rp_scene *scene, const rp_detail_options *options, rp_detail **out,
                         rp_report *report);
void rp_detail_destroy(rp_detail *detail);

/* Advects all fine grains to the time of the view, then fills coarse grains that are new in it.
 * Views come in the order of their times. After a failure the detail can only be destroyed. */
rp_code rp_detail_advance(rp_detail *detail, const rp_view *view, rp_report *report);

/* Numbers of fine grains so far. */
typedef struct rp_detail_counts {
    uint64_t born, left; /* created; removed at an open side of the domain */
    uint64_t there;      /* born - left */
    uint64_t swapped;    /* of these, in the scratch file */
    uint64_t steps;
    size_t bytes; /* of memory in total */
} rp_detail_counts;
rp_detail_counts rp_detail_count(const rp_detail *detail);
double rp_detail_spacing(const rp_detail *detail); /* m, of fine grains */
double rp_detail_time(const rp_detail *detail);    /* s, of the last view */
/* Returns the bodies of the last view. */
const rp_body_state *rp_detail_bodies(const rp_detail *detail, int *count);

/* Calls `visit` for one chunk after another, in the order of ids; stops at the first failure. */
typedef rp_code rp_chunk_fn(void *user, const rp_chunk *chunk, rp_report *report);
rp_code rp_detail_visit(rp_detail *detail, rp_chunk_fn *visit, void *user, rp_report *report);

/* The state consists of the store and of all chunks as visited. It is loaded into a new detail of
 * the same scene: first all chunks in order, then the store. The continuation is bit-identical. */
rp_code rp_detail_save(const rp_detail *detail, rp_store *store, rp_report *report);
rp_chunk_fn rp_detail_load_chunk; /* user: the detail */
rp_code rp_detail_load(rp_detail *detail, const rp_store *store, rp_report *report);

#endif
