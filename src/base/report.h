/* Errors and what public functions do first: faults with evidence, argument checks, options of
 * callers, assertions and the log. The public half is repose/base.h. */
#ifndef RP_BASE_REPORT_H
#define RP_BASE_REPORT_H

#include "repose/base.h"

#include <fenv.h>

/* --- faults ----------------------------------------------------------------------------------- */

/* Where something was found. */
typedef struct rp_place {
    const char *file;    /* path or flag; NULL: no place is known */
    int line, column;    /* from 1; 0: unknown */
    const char *excerpt; /* the line of text, or NULL */
} rp_place;

/* Adds a fault to the report, which may be NULL, and returns `code`, so that `return rp_fail(...)`
 * reads well. */
rp_code rp_fail(rp_report *report, rp_code code, const char *format, ...) RP_PRINTF(3, 4);
/* The same, at a place and for a key (either may be NULL). */
rp_code rp_fail_at(rp_report *report, rp_code code, const rp_place *place, const char *key,
                   const char *format, ...) RP_PRINTF(5, 6);
/* "out of memory: N MB for WHAT". */
rp_code rp_fail_memory(rp_report *report, size_t bytes, const char *what);
/* "FUNCTION: ARGUMENT is NULL". */
rp_code rp_fail_null(rp_report *report, const char *function, const char *argument);
/* A failed system call on `file`: RP_ERROR_SPACE or RP_ERROR_IO, by `error`, a number of errno.h.
 */
rp_code rp_fail_errno(rp_report *report, int error, const char *file, const char *action);

/* How errors are passed on. Where nothing has to be released, a call that fails ends the function:
 *
 *     RP_TRY(read_header(file, report));
 *
 * Where something has to be released whatever happens, the first failure skips the calls behind it:
 *
 *     rp_code code = open_file(&file, report);
 *     if (code == RP_OK) code = read_header(file, report);
 *     close_file(file);
 *     return code; */
#define RP_TRY(call)                                                                               \
    do {                                                                                           \
        rp_code rp_try_code = (call);                                                              \
        if (rp_try_code != RP_OK) return rp_try_code;                                              \
    } while (0)

/* --- entry of public functions ------------------------------------------------------------------
 *
 *     rp_code rp_world_step(rp_world *world, rp_report *report)
 *     {
 *         RP_NEED(world, report);  // a fault "rp_world_step: world is NULL"
 *         RP_ENTER();              // default floating-point environment until the function returns
 *
 * Functions that return no code give 0, NULL or nothing back for NULL. */

#define RP_NEED(argument, report)                                                                  \
    do {                                                                                           \
        if (!(argument)) return rp_fail_null((report), __func__, #argument);                       \
    } while (0)

/* The floating-point environment that C programs start with: rounding to nearest, no traps,
 * subnormal numbers are not flushed to zero. A host program may have set another one, and results
 * must not depend on that. The host's own is restored when the function returns. */
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

/* --- options of callers -------------------------------------------------------------------------
 *
 * The first member of option and definition structs is `size_t size`, set by the rp_default_...()
 * that made them: the bytes that the caller's version of the struct has. New members are added at
 * the end only, so a program that was built against an older, shorter struct still works, with the
 * defaults for members that it does not know. A size of 0 (not made by rp_default_...()) or one
 * beyond ours (a newer program on an older library) is refused.
 *
 *     rp_film_options own = rp_default_film_options();
 *     RP_TAKE_OPTIONS(&own, options, report);  // a fault "rp_film_open: options->size is 0 ..."
 */

/* Copies the members that `given` has over those of `own`, which holds the defaults and has `size`
 * bytes. NULL changes nothing. `own` keeps its own size. */
rp_code rp_options_take(void *own, size_t size, const void *given, const char *function,
                        const char *argument, rp_report *report);

/* Copies the defaults `own` of our version, of `own_size` bytes, into a caller's struct of `size`
 * bytes, whatever version it is of: as many bytes as fit. */
void rp_options_give(void *given, size_t size, const void *own, size_t own_size);

#define RP_TAKE_OPTIONS(own, given, report)                                                        \
    RP_TRY(rp_options_take((own), sizeof *(own), (given), __func__, #given, (report)))

/* --- log and assertions, handed to the hooks -------------------------------------------------- */

void rp_log(rp_level level, const char *format, ...) RP_PRINTF(2, 3);

void rp_assert_failed(const char *condition, const char *file, int line)
    __attribute__((noreturn, cold));

/* Cheap enough to stay on in release builds: at the entrance of a loop over a block, not for each
 * grain or pair in it. */
#define RP_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : rp_assert_failed(#condition, __FILE__, __LINE__))

/* The same in debug builds only, for what is done for each grain or pair. */
#ifdef NDEBUG
#define RP_ASSERT_DEBUG(condition) ((void)sizeof(condition))
#else
#define RP_ASSERT_DEBUG(condition) RP_ASSERT(condition)
#endif

#endif
