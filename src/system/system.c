/* What the core asks the operating system for (base/file.h), and what a record says about the
 * machine. */
#include "system/system.h"
#include "system/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

rp_file_info rp_file_info_of(const struct stat *status)
{
    rp_file_kind kind = S_ISREG(status->st_mode)   ? RP_FILE_PLAIN
                        : S_ISDIR(status->st_mode) ? RP_FILE_FOLDER
                        : S_ISLNK(status->st_mode) ? RP_FILE_LINK
                                                   : RP_FILE_OTHER;
    return (rp_file_info){.kind = kind,
                          .size = (uint64_t)status->st_size,
                          .identity = {(uint64_t)status->st_dev, (uint64_t)status->st_ino},
                          .changed = (int64_t)status->st_mtim.tv_sec * 1000000000 +
                                     status->st_mtim.tv_nsec};
}

/* O_NONBLOCK: opening a named pipe must not block the program. */
static int open_for_reading(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int rp_system_status(const char *path, rp_file_info *info)
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

/* What Linux estimates can be allocated without swapping; infinite when it does not say. */
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
    /* The control group of a container (version 2), then the limit of the address space. */
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

/* --- the machine ------------------------------------------------------------------------------ */

/* The processor as the kernel calls it; where it does not say, its architecture. */
static void find_processor(char *text, size_t size, const char *otherwise)
{
    snprintf(text, size, "%s", otherwise);
    FILE *info = fopen("/proc/cpuinfo", "re");
    if (!info) return;
    char line[512];
    while (fgets(line, sizeof line, info)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value += strspn(value, ": \t");
        snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(info);
}

void rp_machine_describe(rp_machine *out)
{
    struct utsname name;
    if (uname(&name) != 0) name = (struct utsname){.sysname = "unknown"};
    *out = (rp_machine){.cores = sysconf(_SC_NPROCESSORS_ONLN),
                        .memory = (long long)rp_system_memory()};
    find_processor(out->processor, sizeof out->processor, name.machine);
    snprintf(out->kernel, sizeof out->kernel, "%.60s %.60s %.60s", name.sysname, name.release,
             name.machine);
}
