#include "base/system.h"
#include "base/atomic.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Not blocking: a pipe in the place of a file must not hang the program. */
static int open_for_reading(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int rp_system_look(const char *path, rp_file_info *info)
{
    int file = open_for_reading(path);
    if (file < 0) return errno;
    struct stat status;
    int error = fstat(file, &status) == 0 ? 0 : errno;
    close(file);
    if (!error) *info = rp_file_info_of(&status);
    return error;
}

/* 0 or an error number. */
static int read_opened(int file, char *data, size_t size, size_t *got)
{
    struct stat status;
    if (fstat(file, &status) != 0) return errno;
    if (!S_ISREG(status.st_mode)) return S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    while (*got < size) {
        ssize_t part = read(file, data + *got, size - *got);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return errno;
        if (part == 0) break;
        *got += (size_t)part;
    }
    return 0;
}

int rp_system_read(const char *path, char *data, size_t size, size_t *got)
{
    int file = open_for_reading(path);
    if (file < 0) return errno;
    int error = read_opened(file, data, size, got);
    close(file);
    return error;
}

bool rp_system_resolve(const char *path, char *absolute, size_t size)
{
    char folder[PATH_MAX], *real = realpath(path, NULL);
    int length = -1;
    if (real)
        length = snprintf(absolute, size, "%s", real);
    else if (path[0] != '/' && getcwd(folder, sizeof folder))
        length = snprintf(absolute, size, strcmp(folder, "/") ? "%s/%s" : "%s%s", folder, path);
    free(real);
    return length > 0 && (size_t)length < size;
}

/* The folder and those above it. */
static void make_folder(const char *path)
{
    char part[RP_PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        mkdir(part, 0700);
        *c = '/';
    }
    mkdir(part, 0700);
}

void rp_system_cache(const char *folder, const char *path, const rp_file_piece *pieces, int count)
{
    rp_atomic file;
    make_folder(folder);
    if (rp_atomic_open(&file, path, NULL) != RP_OK) return;
    for (int i = 0; i < count; i++)
        rp_atomic_write(&file, pieces[i].data, pieces[i].size);
    (void)rp_atomic_finish(&file, NULL);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* What the kernel says is available; infinite when it does not say. */
static double machine_free(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return INFINITY;
    char line[256];
    double bytes = INFINITY, kilobytes;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1) bytes = 1024 * kilobytes;
    fclose(file);
    return bytes;
}

/* The number in a file of the control group, or infinite ("max", or no such file). */
static double group_number(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return INFINITY;
    double number;
    int found = fscanf(file, "%lf", &number);
    fclose(file);
    return found == 1 ? number : INFINITY;
}

double rp_system_memory_free(void)
{
    double limit = machine_free();
    double group = group_number("/sys/fs/cgroup/memory.max");
    if (isfinite(group)) {
        double used = group_number("/sys/fs/cgroup/memory.current");
        limit = fmin(limit, group - (isfinite(used) ? used : 0));
    }
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        limit = fmin(limit, (double)space.rlim_cur);
    return fmax(limit, 0);
}

double rp_system_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (double)pages * (double)page : 0;
}
