/* The grains that can be seen or cast a shadow: of a large heap most are buried, and leaving them
 * out is what makes a picture of millions of grains quick. */
#ifndef RP_RENDER_SHELL_H
#define RP_RENDER_SHELL_H

#include "base/report.h"
#include "base/threads.h"
#include "math/vec.h"
#include "render/grains.h"
#include "repose/view.h"

#include <stdbool.h>

/* Which grains are wanted. Those without finite coordinates never are. */
typedef struct rp_shell_wish {
    rp_box3 bounds;  /* m; outside nothing is hidden */
    bool hide;       /* leave out those that lie deep among others */
    rp_vec3 eye;     /* m; */
    double clear;    /* m; grains nearer than this to the eye are left out: it is inside of them */
    double exposure; /* s; */
    double still;    /* m; grains that move farther than this while exposed are listed apart */
    /* Of single grains: each has its own lengths in place of `clear` and `still`. NULL: all are
     * balls that fill a lattice of the spacing. */
    const rp_grain_shapes *shapes;
} rp_shell_wish;

/* The part of its radius that a single grain may move and still stand still. */
#define RP_SHELL_STILL 0.1

typedef struct rp_shell {
    uint32_t *grains; /* indices in the view: those that stand still, rising; then those that move,
                         rising */
    size_t count;
    size_t still; /* of them stand still */
} rp_shell;

/* Release the shell, also after a fault. */
rp_code rp_shell_find(rp_shell *shell, const rp_view *view, const rp_shell_wish *wish,
                      rp_threads *threads, rp_report *report);
void rp_shell_release(rp_shell *shell);

#endif
