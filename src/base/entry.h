/* The doors of the library: what public functions do first.
 *
 *     rp_code rp_world_step(rp_world *world, rp_report *report)
 *     {
 *         RP_NEED(world, report);  // a fault "rp_world_step: world is NULL"
 *         RP_ENTER();              // numbers round as they always do, until this function returns
 *
 * Functions that return no code give 0, NULL or nothing back for NULL. */
#ifndef RP_BASE_ENTRY_H
#define RP_BASE_ENTRY_H

#include "base/report.h"

#include <fenv.h>

#define RP_NEED(argument, report)                                                                  \
    do {                                                                                           \
        if (!(argument)) return rp_fail_null((report), __func__, #argument);                       \
    } while (0)

/* The environment of floating-point numbers as C programs start with it: rounding to nearest, no
 * traps, denormal numbers kept. A host program may have set another one, and results must not
 * depend on that. The host's own comes back when the function is left. */
static inline fenv_t rp_floats_enter(void)
{
    fenv_t host;
    fegetenv(&host);
    fesetenv(FE_DFL_ENV);
    return host;
}

static inline void rp_floats_leave(const fenv_t *host)
{
    fesetenv(host);
}

#define RP_ENTER() __attribute__((cleanup(rp_floats_leave), unused)) fenv_t host = rp_floats_enter()

#endif
