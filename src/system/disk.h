/* The disk of the rooms that record, export and film: what is at a path, folders, locks, scratch
 * files. Files that are written as a whole are in system/atomic.h. Functions that return an int
 * return 0 or an error number of errno.h; descriptors are -1 when there is none. */
#ifndef RP_SYSTEM_DISK_H
#define RP_SYSTEM_DISK_H

#include "base/file.h"

bool rp_disk_has(const char *path);
/* What is at a path, as stat() and as lstat() see it. */
int rp_disk_status(const char *path, rp_file_info *info);
int rp_disk_link_status(const char *path, rp_file_info *info);
/* True for a file, folder or link of that kind itself. */
bool rp_disk_is(const char *path, rp_file_kind kind);

/* Removing what is not there is no error. A folder must be empty. */
int rp_disk_remove(const char *path);
int rp_disk_remove_folder(const char *path);
/* One that exists is no error; ENOTDIR when something else has that name. */
int rp_disk_make_folder(const char *path);

/* The names in a folder, in any order, without "." and "..".
 *
 *     rp_disk_list list;
 *     int error = rp_disk_list_open(&list, path);
 *     for (const char *name; !error && (name = rp_disk_list_next(&list));) ...
 *     rp_disk_list_close(&list); // also after an error
 */
typedef struct rp_disk_list {
    void *folder;
    int error; /* why the list ended; 0: all names were read */
} rp_disk_list;
int rp_disk_list_open(rp_disk_list *list, const char *path);
const char *rp_disk_list_next(rp_disk_list *list);
void rp_disk_list_close(rp_disk_list *list);

/* Opens a file of ours that is changed in place (rp_file_open_in_place), for reading and writing.
 */
rp_code rp_disk_open(const char *path, bool create, int *descriptor, rp_report *report);
void rp_disk_close(int descriptor); /* -1 is ignored */
int rp_disk_truncate(int descriptor, uint64_t size);
/* Locks the file until the descriptor is closed or the process ends. EWOULDBLOCK when another
 * process has it. */
int rp_disk_lock(int descriptor);
/* True while the path still names the open file. */
bool rp_disk_is_open(int descriptor, const char *path);
/* Waits for the lock on a folder itself; returns its descriptor, -1 where folders have no locks. */
int rp_disk_lock_folder(const char *path);

/* Opens a file without a name: it vanishes with the process, whatever happens. */
int rp_disk_scratch(const char *folder, int *descriptor);
int rp_disk_write_at(int descriptor, const void *data, size_t size, int64_t at);
int rp_disk_read_at(int descriptor, void *data, size_t size, int64_t at);

#endif
