/* The grains that can be seen or cast a shadow: of a large heap most are buried, and leaving them
 * out is what makes a picture of millions of grains quick. */
#ifndef RP_RENDER_SHELL_H
#define RP_RENDER_SHELL_H

#include "base/report.h"
#include "math/vec.h"
#include "repose/view.h"

typedef struct rp_shell {
    uint32_t *grains; /* indices in the view, rising */
    size_t count, capacity;
} rp_shell;

/* Lists the grains with finite coordinates; with `hide` without those that lie deep among others
 * within the bounds. Release the shell, also after a fault. */
rp_code rp_shell_find(rp_shell *shell, const rp_view *view, rp_box3 bounds, bool hide,
                      rp_report *report);
void rp_shell_release(rp_shell *shell);

#endif
