/* One body: where it is, how it moves and what acts on it (theory/measure.md, M14). */
#ifndef RP_MEASURE_BODY_H
#define RP_MEASURE_BODY_H

#include "repose/measure.h"
#include "scene/scene.h"

/* The quantity at that place in RP_BODY_QUANTITY_WORDS. */
rp_vec3 rp_body_quantity(const rp_body_state *state, int quantity);

#endif
