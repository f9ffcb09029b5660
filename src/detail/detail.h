/* Fine grains: a coarse grain is a clump of matter; this room fills every clump with many fine
 * grains and lets the clumps carry them. It sees views only, so it works while a world runs and
 * from a record afterwards, with the same bits. docs/theory/fine-grains.md has the equations.
 *
 *     rp_detail_advance(detail, first view)     fills the clumps
 *     rp_detail_advance(detail, next view)      carries the grains there, fills the new clumps
 *     rp_detail_visit(detail, …)                looks at the grains, chunk by chunk
 *
 * Grains do not push each other, so each chunk of them is moved for itself; chunks that the memory
 * does not hold wait in a scratch file. The same bits for any number of threads, and for any limit
 * of memory. */
#ifndef RP_DETAIL_DETAIL_H
#define RP_DETAIL_DETAIL_H

#include "base/store.h"
#include "base/threads.h"
#include "repose/view.h"
#include "scene/scene.h"

typedef struct rp_detail rp_detail;

typedef struct rp_detail_options {
    rp_threads *threads; /* may be NULL; must outlive the detail */
    double memory;       /* bytes that grains may take; what is beyond goes to the scratch file */
    const char *scratch; /* folder of the scratch file; NULL: there is none, all is in memory */
} rp_detail_options;

/* The scene must outlive it; its `detail` section says how. */
rp_code rp_detail_create(const rp_scene *scene, const rp_detail_options *options, rp_detail **out,
                         rp_report *report);
void rp_detail_destroy(rp_detail *detail);

/* Carries all grains to the time of the view, then fills the clumps that were not there before.
 * Views come in the order of their times. Where it fails, the detail is of no more use. */
rp_code rp_detail_advance(rp_detail *detail, const rp_view *view, rp_report *report);

/* What became of the grains so far. */
typedef struct rp_detail_counts {
    uint64_t born, left; /* that ever were; that passed an open side of the domain */
    uint64_t there;      /* born - left */
    uint64_t swapped;    /* of them in the scratch file */
    uint64_t steps;
    size_t bytes; /* of memory, all in */
} rp_detail_counts;
rp_detail_counts rp_detail_count(const rp_detail *detail);
double rp_detail_spacing(const rp_detail *detail); /* m, of fine grains */
double rp_detail_time(const rp_detail *detail);    /* s, of the last view */
/* Bodies as the last view had them. */
const rp_body_state *rp_detail_bodies(const rp_detail *detail, int *count);

/* Hands over the chunks one after another, ids rising; stops at the first fault. */
typedef rp_code rp_chunk_fn(void *user, const rp_chunk *chunk, rp_report *report);
rp_code rp_detail_visit(rp_detail *detail, rp_chunk_fn *visit, void *user, rp_report *report);

/* The state: what is in the store, and all chunks as visited. Into a new detail of the same scene:
 * first all chunks in order, then the rest. Going on is bit-identical. */
rp_code rp_detail_save(const rp_detail *detail, rp_store *store, rp_report *report);
rp_chunk_fn rp_detail_load_chunk; /* user: the detail */
rp_code rp_detail_load(rp_detail *detail, const rp_store *store, rp_report *report);

#endif
