/* Other programs: found in PATH and started without a shell, so that nothing in a name or an
 * argument is ever run. */
#ifndef RP_SYSTEM_PROGRAM_H
#define RP_SYSTEM_PROGRAM_H

#include "repose/base.h"

#include <stdbool.h>
#include <stdio.h>

/* The path of a program; false when PATH has none of that name. */
bool rp_program_find(const char *name, char *path, size_t size);

/* Starts it with standard input, output and error from `files`. The list of arguments begins with
 * the program's name and ends with NULL. It gets a process group of its own, so that Ctrl-C reaches
 * this program only, which then decides what to do with unfinished output. */
rp_code rp_program_start(const char *path, char *const arguments[], const int files[3], int *child,
                         rp_report *report);

/* Called while waiting for another program; false ends the waiting. */
typedef bool rp_program_poll_fn(void *user);
/* Seconds from one call to the next. */
#define RP_PROGRAM_POLL 0.05

/* Waits for its end; `*status` is for rp_program_succeeded and rp_program_signal. RP_INTERRUPTED,
 * while it still runs, when `keep_on`, which may be NULL, returns false. */
rp_code rp_program_wait_while(const char *name, int child, rp_program_poll_fn *keep_on, void *user,
                              int *status, rp_report *report);
rp_code rp_program_wait(const char *name, int child, int *status, rp_report *report);

/* Whether a program exited with status 0, and the signal that ended it, or 0. */
bool rp_program_succeeded(int status);
int rp_program_signal(int status);
/* Kills it and the programs that it started. */
void rp_program_kill(int child);

/* Two ends of a connection, ours and that of a program's input. Writing to ours never raises
 * SIGPIPE in the host program. Returns 0 or an error number. */
int rp_program_connect(int ends[2]);
void rp_program_disconnect(int end); /* -1 is ignored */
/* Sends as much as fits at once; EAGAIN when nothing does. */
int rp_program_send(int end, const void *data, size_t size, size_t *sent);
/* Waits until something fits, at most for so long; false when nothing fits then. */
bool rp_program_wait_writable(int end, double seconds);
/* Flushes a stream and rewinds it, also for a program that inherits its descriptor. */
int rp_program_rewind(FILE *stream);

#endif
