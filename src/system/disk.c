#include "system/disk.h"
#include "system/atomic.h"
#include "system/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0 or errno of a call that gives 0 or -1. */
static int error_of(int result)
{
    return result == 0 ? 0 : errno;
}

bool rp_disk_has(const char *path)
{
    return access(path, F_OK) == 0;
}

int rp_disk_status(const char *path, rp_file_info *info)
{
    struct stat status;
    int error = error_of(stat(path, &status));
    if (!error) *info = rp_file_info_of(&status);
    return error;
}

int rp_disk_link_status(const char *path, rp_file_info *info)
{
    struct stat status;
    int error = error_of(lstat(path, &status));
    if (!error) *info = rp_file_info_of(&status);
    return error;
}

bool rp_disk_is(const char *path, rp_file_kind kind)
{
    rp_file_info info;
    return rp_disk_link_status(path, &info) == 0 && info.kind == kind;
}

int rp_disk_remove(const char *path)
{
    int error = error_of(unlink(path));
    return error == ENOENT ? 0 : error;
}

int rp_disk_remove_folder(const char *path)
{
    int error = error_of(rmdir(path));
    return error == ENOENT ? 0 : error;
}

int rp_disk_make_folder(const char *path)
{
    rp_file_info info;
    int error = error_of(mkdir(path, 0777));
    if (error != EEXIST) return error;
    return rp_disk_status(path, &info) == 0 && info.kind == RP_FILE_FOLDER ? 0 : ENOTDIR;
}

/* --- lists ------------------------------------------------------------------------------------ */

int rp_disk_list_open(rp_disk_list *list, const char *path)
{
    *list = (rp_disk_list){.folder = opendir(path)};
    if (!list->folder) list->error = errno;
    return list->error;
}

const char *rp_disk_list_next(rp_disk_list *list)
{
    for (;;) {
        errno = 0;
        struct dirent *entry = list->folder ? readdir(list->folder) : NULL;
        if (!entry && list->folder) list->error = errno;
        if (!entry) return NULL;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    }
}

void rp_disk_list_close(rp_disk_list *list)
{
    if (list->folder) closedir(list->folder);
    list->folder = NULL;
}

/* --- files that stay open --------------------------------------------------------------------- */

rp_code rp_disk_open(const char *path, bool create, int *descriptor, rp_report *report)
{
    return rp_file_open_in_place(path, create ? O_RDWR | O_CREAT : O_RDWR, descriptor, report);
}

void rp_disk_close(int descriptor)
{
    if (descriptor >= 0) close(descriptor);
}

int rp_disk_truncate(int descriptor, uint64_t size)
{
    return error_of(ftruncate(descriptor, (off_t)size));
}

int rp_disk_lock(int descriptor)
{
    return error_of(flock(descriptor, LOCK_EX | LOCK_NB));
}

bool rp_disk_is_open(int descriptor, const char *path)
{
    struct stat held, named;
    return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

int rp_disk_lock_folder(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (descriptor >= 0 && flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    return descriptor;
}

/* --- scratch files ---------------------------------------------------------------------------- */

/* Created with a name, which is removed at once: the system frees the space when the descriptor is
 * closed, also after a crash. */
int rp_disk_scratch(const char *folder, int *descriptor)
{
    char path[RP_PATH_MAX];
    *descriptor = -1;
    int length = snprintf(path, sizeof path, "%s/.scratch-XXXXXX", folder);
    if (length >= (int)sizeof path) return ENAMETOOLONG;
    *descriptor = mkostemp(path, O_CLOEXEC);
    if (*descriptor < 0) return errno;
    unlink(path);
    return 0;
}

/* The result of one call: more bytes done, or an error number. EINTR is tried again. */
static int count_piece(ssize_t moved, size_t *done)
{
    if (moved == 0) return EIO;
    if (moved < 0) return errno == EINTR ? 0 : errno;
    *done += (size_t)moved;
    return 0;
}

int rp_disk_write_at(int descriptor, const void *data, size_t size, int64_t at)
{
    int error = 0;
    for (size_t done = 0; done < size && !error;)
        error = count_piece(
            pwrite(descriptor, (const char *)data + done, size - done, at + (int64_t)done), &done);
    return error;
}

int rp_disk_read_at(int descriptor, void *data, size_t size, int64_t at)
{
    int error = 0;
    for (size_t done = 0; done < size && !error;)
        error = count_piece(pread(descriptor, (char *)data + done, size - done, at + (int64_t)done),
                            &done);
    return error;
}
