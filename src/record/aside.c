#include "record/aside.h"
#include "base/log.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux moves at most 2 GiB a call; smaller pieces also notice a full disk sooner. */
#define PIECE ((size_t)64 << 20)

/* Length of the folder part of a path, the last slash included. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static void release_parts(rp_aside *file)
{
    if (file->plain) freelocale(file->plain);
    rp_release(file->buffer, RP_ASIDE_BUFFER);
}

/* A name that no other writer has, in this process or another. Another machine's process may have
 * the same number, so a name that is taken gives way to the next. Returns 0 or errno. */
static int open_temporary(rp_aside *file)
{
    static atomic_uint counter;
    int folder = folder_length(file->path);
    do {
        int length = snprintf(file->temporary, sizeof file->temporary,
                              "%.*s.%s.%ld-%u" RP_ASIDE_SUFFIX, folder, file->path,
                              file->path + folder, (long)getpid(), atomic_fetch_add(&counter, 1));
        if (length >= (int)sizeof file->temporary) return ENAMETOOLONG;
        file->descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (file->descriptor < 0 && errno == EEXIST);
    if (file->descriptor < 0) return errno;
    /* Tells rp_aside_sweep that somebody still writes; where there are no locks, nobody does. */
    (void)flock(file->descriptor, LOCK_EX | LOCK_NB);
    return 0;
}

rp_code rp_aside_open(rp_aside *file, const char *path, rp_report *report)
{
    *file = (rp_aside){.descriptor = -1};
    if (strlen(path) >= sizeof file->path)
        return rp_fail_errno(report, ENAMETOOLONG, path, "write");
    snprintf(file->path, sizeof file->path, "%s", path);
    file->buffer = rp_allocate(RP_ASIDE_BUFFER);
    if (!file->buffer) return rp_fail_memory(report, RP_ASIDE_BUFFER, "a file buffer");
    file->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    int error = open_temporary(file);
    if (!error) return RP_OK;
    release_parts(file);
    return rp_fail_errno(report, error, path, "write");
}

static void write_through(rp_aside *file, const char *data, size_t size)
{
    while (size && !file->error) {
        ssize_t done = write(file->descriptor, data, size < PIECE ? size : PIECE);
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            file->error = done == 0 ? EIO : errno;
        }
    }
}

static void flush(rp_aside *file)
{
    write_through(file, file->buffer, file->used);
    file->used = 0;
}

void rp_aside_write(rp_aside *file, const void *data, size_t size)
{
    if (size > RP_ASIDE_BUFFER - file->used) flush(file);
    if (size > RP_ASIDE_BUFFER) {
        write_through(file, data, size);
    } else if (size) {
        memcpy(file->buffer + file->used, data, size);
        file->used += size;
    }
}

void rp_aside_print(rp_aside *file, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    locale_t before = uselocale(file->plain);
    int length = vsnprintf(text, sizeof text, format, arguments);
    uselocale(before);
    va_end(arguments);
    if (length < 0 || length >= (int)sizeof text) {
        if (!file->error) file->error = EOVERFLOW;
        return;
    }
    rp_aside_write(file, text, (size_t)length);
}

/* 0 or errno. A signal of the host program, such as a timer's, may interrupt it. */
static int sync_descriptor(int descriptor)
{
    while (fsync(descriptor) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* 0 or errno. An interrupted close has closed; a second one could hit another thread's file. */
static int close_descriptor(int descriptor)
{
    return close(descriptor) == 0 || errno == EINTR ? 0 : errno;
}

/* The rename itself must reach the disk. Some file systems cannot sync a folder and say EINVAL;
 * they leave nothing better to do. */
static int sync_folder(const char *path)
{
    char folder[RP_PATH_MAX];
    int length = folder_length(path);
    snprintf(folder, sizeof folder, "%.*s", length, path);
    int descriptor = open(length ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int error = sync_descriptor(descriptor);
    close(descriptor);
    return error == EINVAL ? 0 : error;
}

rp_code rp_aside_finish(rp_aside *file, rp_report *report)
{
    flush(file);
    if (!file->error) file->error = sync_descriptor(file->descriptor);
    int error = close_descriptor(file->descriptor);
    if (!file->error) file->error = error;
    release_parts(file);
    if (!file->error && rename(file->temporary, file->path) != 0) file->error = errno;
    if (!file->error) {
        error = sync_folder(file->path);
        return error ? rp_fail_errno(report, error, file->path, "sync the folder of") : RP_OK;
    }
    unlink(file->temporary);
    return rp_fail_errno(report, file->error, file->path, "write");
}

void rp_aside_abandon(rp_aside *file)
{
    close(file->descriptor);
    unlink(file->temporary);
    release_parts(file);
}

rp_code rp_file_write(const char *path, const char *text, rp_report *report)
{
    rp_aside file;
    rp_code code = rp_aside_open(&file, path, report);
    if (code != RP_OK) return code;
    rp_aside_write(&file, text, strlen(text));
    return rp_aside_finish(&file, report);
}

bool rp_aside_is_temporary(const char *name)
{
    size_t length = strlen(name), suffix = strlen(RP_ASIDE_SUFFIX);
    return name[0] == '.' && length > suffix &&
           strcmp(name + length - suffix, RP_ASIDE_SUFFIX) == 0;
}

/* True while a living process writes the file. */
static bool in_use(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool locked = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(descriptor);
    return locked;
}

static rp_code sweep_opened(DIR *folder, const char *path, rp_report *report)
{
    for (struct dirent *entry; (entry = readdir(folder));) {
        char file[RP_PATH_MAX + NAME_MAX + 2];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (!rp_aside_is_temporary(entry->d_name) || in_use(file)) continue;
        if (unlink(file) != 0 && errno != ENOENT)
            return rp_fail_errno(report, errno, file, "remove the file");
    }
    return RP_OK;
}

rp_code rp_aside_sweep(const char *path, rp_report *report)
{
    DIR *folder = opendir(path);
    if (!folder && errno == ENOENT) return RP_OK;
    if (!folder) return rp_fail_errno(report, errno, path, "list the folder");
    rp_code code = sweep_opened(folder, path, report);
    closedir(folder);
    return code;
}

static int read_all(int descriptor, char *data, size_t size)
{
    size_t have = 0;
    while (have < size) {
        size_t left = size - have;
        ssize_t done = read(descriptor, data + have, left < PIECE ? left : PIECE);
        if (done == 0) return EIO; /* it shrank while we read it */
        if (done > 0)
            have += (size_t)done;
        else if (errno != EINTR)
            return errno;
    }
    data[size] = 0;
    return 0;
}

/* Asks about the beginning of an open file, which has `size` bytes, and goes back to it. */
static rp_code check_head(int descriptor, const char *path, size_t head, size_t size,
                          rp_file_check *check, rp_report *report)
{
    char bytes[RP_FILE_HEAD + 1] = "";
    RP_ASSERT(head <= RP_FILE_HEAD);
    int error = read_all(descriptor, bytes, size < head ? size : head);
    if (!error && lseek(descriptor, 0, SEEK_SET) != 0) error = errno;
    return error ? rp_fail_errno(report, error, path, "read") : check(path, bytes, size, report);
}

static rp_code read_opened(int descriptor, const char *path, size_t head, rp_file_check *check,
                           char **data, size_t *size, rp_report *report)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) return rp_fail_errno(report, errno, path, "read");
    if (!S_ISREG(status.st_mode))
        return rp_fail_errno(report, S_ISDIR(status.st_mode) ? EISDIR : EINVAL, path, "read");
    *size = (size_t)status.st_size;
    rp_code code = check ? check_head(descriptor, path, head, *size, check, report) : RP_OK;
    if (code != RP_OK) return code;
    *data = rp_allocate(*size + 1);
    if (!*data) return rp_fail_memory(report, *size + 1, path);
    int error = read_all(descriptor, *data, *size);
    if (!error) return RP_OK;
    rp_release(*data, *size + 1);
    *data = NULL;
    return rp_fail_errno(report, error, path, "read");
}

rp_code rp_file_read_checked(const char *path, size_t head, rp_file_check *check, char **data,
                             size_t *size, rp_report *report)
{
    *data = NULL;
    /* Not blocking: a pipe in the place of a file must not hang the program. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return rp_fail_errno(report, errno, path, "read");
    rp_code code = read_opened(descriptor, path, head, check, data, size, report);
    close(descriptor);
    return code;
}

rp_code rp_file_read(const char *path, char **data, size_t *size, rp_report *report)
{
    return rp_file_read_checked(path, 0, NULL, data, size, report);
}
