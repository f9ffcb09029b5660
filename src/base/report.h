/* Faults with evidence, as the rooms write them. The public half is repose/base.h. */
#ifndef RP_BASE_REPORT_H
#define RP_BASE_REPORT_H

#include "repose/base.h"

/* Where something was found. */
typedef struct rp_place {
    const char *file;    /* path or flag; NULL for nowhere */
    int line, column;    /* from 1; 0 for none */
    const char *excerpt; /* the line of text, or NULL */
} rp_place;

/* Adds a fault and returns `code`, so that `return rp_fail(...)` reads well. */
rp_code rp_fail(rp_report *report, rp_code code, const char *format, ...) RP_PRINTF(3, 4);
/* The same, at a place and for a key (either may be NULL). */
rp_code rp_fail_at(rp_report *report, rp_code code, const rp_place *place, const char *key,
                   const char *format, ...) RP_PRINTF(5, 6);
/* "out of memory: N MB for WHAT". */
rp_code rp_fail_memory(rp_report *report, size_t bytes, const char *what);
/* "FUNCTION: ARGUMENT is NULL". */
rp_code rp_fail_null(rp_report *report, const char *function, const char *argument);
/* A failed system call on `file`: picks RP_ERROR_SPACE or RP_ERROR_IO from `error` (an errno). */
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

#endif
