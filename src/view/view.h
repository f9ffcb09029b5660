/* Views, for the rooms that save and read them: the parts of a body's state in one table. */
#ifndef RP_VIEW_VIEW_H
#define RP_VIEW_VIEW_H

#include "repose/view.h"

/* One part of rp_body_state as checkpoints and frames hold it: an array of its own, so that it has
 * its unit. */
typedef struct rp_body_part {
    const char *name; /* such as "bodies/position" */
    const char *unit;
    size_t offset; /* in rp_body_state */
    size_t width;  /* doubles per body, at most RP_BODY_PART_WIDTH */
} rp_body_part;

#define RP_BODY_PARTS 8
#define RP_BODY_PART_WIDTH 4
extern const rp_body_part rp_body_parts[RP_BODY_PARTS];

/* From states to a table of `count` rows of the part's width, and back. */
void rp_body_part_gather(const rp_body_part *part, const rp_body_state *states, size_t count,
                         double *table);
void rp_body_part_scatter(const rp_body_part *part, rp_body_state *states, size_t count,
                          const double *table);

#endif
