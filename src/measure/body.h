/* One body: where it is, how it moves and what acts on it (theory/measure.md, M14). */
#ifndef RP_MEASURE_BODY_H
#define RP_MEASURE_BODY_H

#include "repose/view.h"
#include "scene/scene.h"

/* Position (m), rotation (deg about x, then y, then z, as scenes say it), velocity (m/s), spin
 * (deg/s), force and torque of sand, force and torque of other bodies and joints (N, N m about the
 * body's origin). */
#define RP_BODY_QUANTITY_WORDS                                                                     \
    "position|rotation|velocity|spin|force|torque|contact-force|contact-torque"
#define RP_BODY_QUANTITIES 8

/* The quantity at that place in the words. */
rp_vec3 rp_body_quantity(const rp_body_state *state, int quantity);
/* The body of that name. RP_ERROR_INPUT, with the nearest name or all of them, when there is none.
 */
rp_code rp_measure_find_body(const rp_scene *scene, const char *name, int *body, rp_report *report);

#endif
