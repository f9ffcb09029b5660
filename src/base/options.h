/* Option and definition structs of callers.
 *
 * Their first member is `size_t size`, set by the rp_default_...() that made them: the bytes that
 * the caller's version of the struct has. New members are added at the end only, so a program that
 * was built against an older, shorter struct goes on working, with the defaults for what it does
 * not know. A size of 0 (not made by rp_default_...()) or one beyond ours (a newer program on an
 * older library) is refused.
 *
 *     rp_film_options own = rp_default_film_options();
 *     RP_TAKE_OPTIONS(&own, options, report);  // a fault "rp_film_open: options->size is 0 ..."
 */
#ifndef RP_BASE_OPTIONS_H
#define RP_BASE_OPTIONS_H

#include "base/report.h"

/* Copies the members that `given` has over those of `own`, which holds the defaults and has `size`
 * bytes. NULL changes nothing. `own` keeps its own size. */
rp_code rp_options_take(void *own, size_t size, const void *given, const char *function,
                        const char *argument, rp_report *report);

/* Gives a caller's struct of `size` bytes, whatever version it is of, as much of the defaults as it
 * has room for; `own` are those of our version, of `own_size` bytes. */
void rp_options_give(void *given, size_t size, const void *own, size_t own_size);

#define RP_TAKE_OPTIONS(own, given, report)                                                        \
    RP_TRY(rp_options_take((own), sizeof *(own), (given), __func__, #given, (report)))

#endif
