/* Other programs: found in PATH and started without a shell, so that nothing in a name or an
 * argument is ever run. */
#ifndef RP_BASE_PROGRAM_H
#define RP_BASE_PROGRAM_H

#include "repose/base.h"

#include <stdbool.h>
#include <sys/types.h>

/* The path of a program; false when PATH has none of that name. */
bool rp_program_find(const char *name, char *path, size_t size);

/* Starts it with standard input, output and error from `files`. The list of arguments begins with
 * the program's name and ends with NULL. It gets a process group of its own: Ctrl-C is for us, who
 * know what to do with a half-done piece of work. */
rp_code rp_program_start(const char *path, char *const arguments[], const int files[3],
                         pid_t *child, rp_report *report);

/* Asked now and then while another program keeps us waiting; false to give up. */
typedef bool rp_keep_on_fn(void *user);
/* Seconds from one question to the next. */
#define RP_PROGRAM_PATIENCE 0.05

/* Waits for its end; `*status` as waitpid gives it. RP_INTERRUPTED, while it still runs, when
 * `keep_on`, which may be NULL, says so. */
rp_code rp_program_wait_while(const char *name, pid_t child, rp_keep_on_fn *keep_on, void *user,
                              int *status, rp_report *report);
rp_code rp_program_wait(const char *name, pid_t child, int *status, rp_report *report);

#endif
