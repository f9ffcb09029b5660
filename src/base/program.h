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

/* Waits for its end; `*status` as waitpid gives it. */
rp_code rp_program_wait(const char *name, pid_t child, int *status, rp_report *report);

#endif
