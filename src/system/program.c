#include "system/program.h"
#include "base/report.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Searches PATH itself: posix_spawnp cannot tell a missing program from a missing interpreter, and
 * some callers only ask whether the program is there. */
bool rp_program_find(const char *name, char *path, size_t size)
{
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        size_t length = strcspn(folder, ":");
        int written = snprintf(path, size, "%.*s/%s", (int)length, folder, name);
        struct stat info;
        if (length && written > 0 && (size_t)written < size && stat(path, &info) == 0 &&
            S_ISREG(info.st_mode) && access(path, X_OK) == 0)
            return true;
        folder += length;
        if (*folder == ':') folder++;
    }
    return false;
}

rp_code rp_program_start(const char *path, char *const arguments[], const int files[3], int *child,
                         rp_report *report)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return rp_fail_errno(report, error, path, "start");
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return rp_fail_errno(report, error, path, "start");
    }
    for (int i = 0; i < 3 && !error; i++)
        error = posix_spawn_file_actions_adddup2(&actions, files[i], i);
    if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!error) error = posix_spawn(child, path, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error ? rp_fail_errno(report, error, path, "start") : RP_OK;
}

rp_code rp_program_wait_while(const char *name, int child, rp_program_poll_fn *keep_on, void *user,
                              int *status, rp_report *report)
{
    const struct timespec shortly = {.tv_nsec = (long)(1e9 * RP_PROGRAM_POLL)};
    for (;;) {
        pid_t ended = waitpid(child, status, keep_on ? WNOHANG : 0);
        if (ended == child) return RP_OK;
        if (ended < 0 && errno != EINTR) return rp_fail_errno(report, errno, name, "wait for");
        if (keep_on && !keep_on(user)) return RP_INTERRUPTED;
        if (keep_on) nanosleep(&shortly, NULL);
    }
}

rp_code rp_program_wait(const char *name, int child, int *status, rp_report *report)
{
    return rp_program_wait_while(name, child, NULL, NULL, status, report);
}

bool rp_program_succeeded(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int rp_program_signal(int status)
{
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void rp_program_kill(int child)
{
    kill(-child, SIGKILL); /* its group: it may be a script */
}

/* --- connections ------------------------------------------------------------------------------ */

/* A socket, not a pipe: only for sockets can a write suppress SIGPIPE (MSG_NOSIGNAL). */
int rp_program_connect(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
}

void rp_program_disconnect(int end)
{
    if (end >= 0) close(end);
}

int rp_program_send(int end, const void *data, size_t size, size_t *sent)
{
    *sent = 0;
    for (;;) {
        ssize_t done = send(end, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done >= 0) *sent = (size_t)done;
        if (done >= 0) return 0;
        if (errno == EWOULDBLOCK) return EAGAIN;
        if (errno != EINTR) return errno;
    }
}

bool rp_program_wait_writable(int end, double seconds)
{
    struct pollfd wanted = {.fd = end, .events = POLLOUT};
    return poll(&wanted, 1, (int)(1000 * seconds)) > 0;
}

int rp_program_rewind(FILE *stream)
{
    if (fflush(stream) != 0) return errno;
    return lseek(fileno(stream), 0, SEEK_SET) == 0 ? 0 : errno;
}
