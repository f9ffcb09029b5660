/* Atomic writes by POSIX calls. The order matters:
 *
 *     1. open a temporary in the same folder (rename works within one file system only)
 *     2. write
 *     3. fsync the file: its content is on disk before any name leads to it
 *     4. close: some file systems report a failed write only now
 *     5. rename over the path: readers see the old content or the new one
 *     6. fsync the folder: the new name is on disk, too
 *
 * Without 3 a power failure could leave the new name with no content; without 6 the old file could
 * come back. A writer holds a lock (flock) on its temporary, which ends with its process, so a
 * sweep can tell what a killed process left from what is being written. */
#include "system/atomic.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"

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

/* Linux transfers at most 2 GiB a call; smaller pieces also meet a full disk sooner. */
#define PIECE ((size_t)64 << 20)

/* Length of the folder part of a path, the last slash included. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static void release_buffer(rp_atomic *file)
{
    rp_release(file->buffer, RP_ATOMIC_BUFFER);
}

/* A name beside `path`, ".NAME.PROCESS-COUNTER.partial", that no other writer of this machine has.
 * A process of another machine that shares the folder may have the same id: callers create the file
 * exclusively and ask for the next name when it exists. False when it is too long. */
static bool temporary_name(const char *path, char name[RP_PATH_MAX])
{
    static atomic_uint counter;
    int folder = folder_length(path);
    int length = snprintf(name, RP_PATH_MAX, "%.*s.%s.%ld-%u" RP_ATOMIC_SUFFIX, folder, path,
                          path + folder, (long)getpid(), atomic_fetch_add(&counter, 1));
    return length < RP_PATH_MAX;
}

/* Returns 0 or errno. */
static int open_temporary(rp_atomic *file)
{
    do {
        if (!temporary_name(file->path, file->temporary)) return ENAMETOOLONG;
        file->descriptor =
            open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    } while (file->descriptor < 0 && errno == EEXIST);
    if (file->descriptor < 0) return errno;
    /* Shows rp_atomic_sweep that the file is being written; without effect on file systems without
     * locks, where a sweep removes it. */
    (void)flock(file->descriptor, LOCK_EX | LOCK_NB);
    return 0;
}

rp_code rp_atomic_open(rp_atomic *file, const char *path, rp_report *report)
{
    *file = (rp_atomic){.descriptor = -1};
    if (strlen(path) >= sizeof file->path)
        return rp_fail_errno(report, ENAMETOOLONG, path, "write");
    snprintf(file->path, sizeof file->path, "%s", path);
    file->buffer = rp_allocate(RP_ATOMIC_BUFFER);
    if (!file->buffer) return rp_fail_memory(report, RP_ATOMIC_BUFFER, "a file buffer");
    int error = open_temporary(file);
    if (!error) return RP_OK;
    release_buffer(file);
    return rp_fail_errno(report, error, path, "write");
}

/* Writes all bytes, however many a call takes. Returns 0 or errno. */
static int write_all(int descriptor, const char *data, size_t size)
{
    while (size) {
        ssize_t done = write(descriptor, data, size < PIECE ? size : PIECE);
        if (done == 0) return EIO;
        if (done < 0 && errno != EINTR) return errno;
        if (done < 0) continue;
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

static void write_through(rp_atomic *file, const char *data, size_t size)
{
    if (!file->error) file->error = write_all(file->descriptor, data, size);
}

static void flush(rp_atomic *file)
{
    write_through(file, file->buffer, file->used);
    file->used = 0;
}

void rp_atomic_write(rp_atomic *file, const void *data, size_t size)
{
    RP_ASSERT(file->used <= RP_ATOMIC_BUFFER);
    if (size > RP_ATOMIC_BUFFER - file->used) flush(file);
    if (size > RP_ATOMIC_BUFFER) {
        write_through(file, data, size);
    } else if (size) {
        memcpy(file->buffer + file->used, data, size);
        file->used += size;
    }
}

void rp_atomic_print(rp_atomic *file, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = rp_locale_print(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= (int)sizeof text) {
        rp_atomic_set_error(file, EOVERFLOW);
        return;
    }
    rp_atomic_write(file, text, (size_t)length);
}

FILE *rp_atomic_stream(rp_atomic *file)
{
    flush(file);
    int descriptor = fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!stream && descriptor >= 0) close(descriptor);
    return stream;
}

void rp_atomic_set_error(rp_atomic *file, int error)
{
    if (!file->error) file->error = error;
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

rp_code rp_atomic_finish(rp_atomic *file, rp_report *report)
{
    flush(file);
    if (!file->error) file->error = sync_descriptor(file->descriptor);
    int error = close_descriptor(file->descriptor);
    if (!file->error) file->error = error;
    release_buffer(file);
    if (!file->error && rename(file->temporary, file->path) != 0) file->error = errno;
    if (!file->error) { /* the new file is there, whatever becomes of the sync */
        error = sync_folder(file->path);
        return error ? rp_fail_errno(report, error, file->path, "sync the folder of") : RP_OK;
    }
    unlink(file->temporary);
    return rp_fail_errno(report, file->error, file->path, "write");
}

void rp_atomic_abandon(rp_atomic *file)
{
    close(file->descriptor);
    unlink(file->temporary);
    release_buffer(file);
}

rp_code rp_file_write(const char *path, const char *text, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_atomic_open(&file, path, report));
    rp_atomic_write(&file, text, strlen(text));
    return rp_atomic_finish(&file, report);
}

bool rp_atomic_is_temporary(const char *name)
{
    size_t length = strlen(name), suffix = strlen(RP_ATOMIC_SUFFIX);
    return name[0] == '.' && length > suffix &&
           strcmp(name + length - suffix, RP_ATOMIC_SUFFIX) == 0;
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
        if (!rp_atomic_is_temporary(entry->d_name) || in_use(file)) continue;
        if (unlink(file) != 0 && errno != ENOENT)
            return rp_fail_errno(report, errno, file, "remove the file");
    }
    return RP_OK;
}

rp_code rp_atomic_sweep(const char *path, rp_report *report)
{
    DIR *folder = opendir(path);
    if (!folder && errno == ENOENT) return RP_OK;
    if (!folder) return rp_fail_errno(report, errno, path, "list the folder");
    rp_code code = sweep_opened(folder, path, report);
    closedir(folder);
    return code;
}

/* --- files that other programs write ------------------------------------------------------------
 *
 * A program such as ffmpeg opens its output by name and follows links. So it writes to a folder of
 * mode 0700, and the result is renamed from there. */

rp_code rp_atomic_folder_open(rp_atomic_folder *temporary, const char *path, rp_report *report)
{
    *temporary = (rp_atomic_folder){.descriptor = -1};
    if (strlen(path) >= sizeof temporary->path)
        return rp_fail_errno(report, ENAMETOOLONG, path, "write");
    snprintf(temporary->path, sizeof temporary->path, "%s", path);
    int made;
    do {
        if (!temporary_name(path, temporary->folder) ||
            snprintf(temporary->file, RP_PATH_MAX, "%.4000s/output", temporary->folder) >
                (int)strlen(temporary->folder) + 7) {
            temporary->folder[0] = 0;
            return rp_fail_errno(report, ENAMETOOLONG, path, "write");
        }
        made = mkdir(temporary->folder, 0700);
    } while (made != 0 && errno == EEXIST);
    if (made != 0) {
        temporary->folder[0] = 0;
        return rp_fail_errno(report, errno, path, "write");
    }
    /* Shows rp_atomic_folder_sweep that the folder is in use. */
    temporary->descriptor =
        open(temporary->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (temporary->descriptor >= 0) (void)flock(temporary->descriptor, LOCK_EX | LOCK_NB);
    return RP_OK;
}

void rp_atomic_folder_abandon(rp_atomic_folder *temporary)
{
    if (!temporary->folder[0]) return;
    unlink(temporary->file);
    rmdir(temporary->folder);
    if (temporary->descriptor >= 0) close(temporary->descriptor);
    *temporary = (rp_atomic_folder){.descriptor = -1};
}

/* Syncs what was written. 0 or errno; ENODATA when there is nothing. */
static int sync_output(const char *path)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? ENODATA : errno;
    int error = fstat(descriptor, &status) == 0 ? 0 : errno;
    if (!error && (!S_ISREG(status.st_mode) || status.st_size == 0)) error = ENODATA;
    if (!error) error = sync_descriptor(descriptor);
    close(descriptor);
    return error;
}

rp_code rp_atomic_folder_finish(rp_atomic_folder *temporary, const char *program, rp_report *report)
{
    rp_place place = {.file = temporary->path};
    rp_code code = RP_OK;
    int error = sync_output(temporary->file);
    if (!error && rename(temporary->file, temporary->path) != 0) error = errno;
    if (!error) error = sync_folder(temporary->path);
    if (error == ENODATA)
        code = rp_fail_at(report, RP_ERROR_IO, &place, NULL, "%s wrote nothing", program);
    else if (error)
        code = rp_fail_errno(report, error, temporary->path, "write");
    rp_atomic_folder_abandon(temporary);
    return code;
}

/* True for ".FILE.123-4.partial", where `file` is the name without its folder. */
static bool is_temporary_of(const char *name, const char *file)
{
    size_t length = strlen(file);
    return rp_atomic_is_temporary(name) && strncmp(name + 1, file, length) == 0 &&
           name[1 + length] == '.' &&
           strspn(name + 2 + length, "0123456789-") ==
               strlen(name + 2 + length) - strlen(RP_ATOMIC_SUFFIX);
}

void rp_atomic_folder_sweep(const char *path)
{
    int length = folder_length(path);
    char parent[RP_PATH_MAX];
    snprintf(parent, sizeof parent, "%.*s", length ? length : 2, length ? path : "./");
    DIR *folder = opendir(parent);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char found[RP_PATH_MAX + NAME_MAX + 2], file[RP_PATH_MAX + NAME_MAX + 16];
        snprintf(found, sizeof found, "%s%s", parent, entry->d_name);
        snprintf(file, sizeof file, "%s/output", found);
        if (!is_temporary_of(entry->d_name, path + length) || in_use(found)) continue;
        unlink(file);
        rmdir(found);
    }
    closedir(folder);
}

/* --- files that are changed in place ---------------------------------------------------------- */

static rp_code not_own(const char *path, const char *why, rp_report *report)
{
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "this is %s, and repose writes to plain files of its own only; remove it",
                      why);
}

/* Why an open file may not be written to, or NULL. Checked after opening, since what a path leads
 * to may change between a check and the opening. */
static const char *foreign(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return "no plain file";
    return status.st_nlink > 1 ? "a file that has another name elsewhere (a hard link)" : NULL;
}

rp_code rp_file_open_in_place(const char *path, int flags, int *descriptor, rp_report *report)
{
    /* O_NONBLOCK: opening a named pipe must not block the program. */
    *descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
    if (*descriptor < 0 && errno == ELOOP) return not_own(path, "a link", report);
    if (*descriptor < 0 && errno == ENXIO) return not_own(path, "a pipe or a device", report);
    if (*descriptor < 0) return rp_fail_errno(report, errno, path, "open");
    const char *why = foreign(*descriptor);
    if (!why) return RP_OK;
    close(*descriptor);
    *descriptor = -1;
    return not_own(path, why, report);
}

rp_code rp_file_append(const char *path, const char *text, rp_report *report)
{
    int file;
    RP_TRY(rp_file_open_in_place(path, O_WRONLY | O_CREAT | O_APPEND, &file, report));
    int error = write_all(file, text, strlen(text));
    if (!error) error = sync_descriptor(file);
    close(file);
    return error ? rp_fail_errno(report, error, path, "write") : RP_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

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

/* Lets `check` judge the first bytes of an open file of `size` bytes, and rewinds it. */
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
    RP_TRY(check ? check_head(descriptor, path, head, *size, check, report) : RP_OK);
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
    /* O_NONBLOCK: opening a named pipe must not block the program. */
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
