/* How every file of the program is written. Most are written atomically, that is whole or not at
 * all: under a temporary name in the same folder, synced to disk, renamed. A reader sees the old
 * file or the new one, never half of either, and a symbolic link at the path is replaced, not
 * followed.
 *
 *     rp_atomic file;
 *     RP_TRY(rp_atomic_open(&file, path, report));
 *     rp_atomic_write(&file, data, size);      // an error is stored, not returned
 *     return rp_atomic_finish(&file, report);  // and reported here; the temporary is removed then
 */
#ifndef RP_SYSTEM_ATOMIC_H
#define RP_SYSTEM_ATOMIC_H

#include "base/file.h"

#include <stdbool.h>
#include <stdio.h>

#define RP_ATOMIC_BUFFER ((size_t)256 << 10)

/* How temporary names end; they also start with a dot. */
#define RP_ATOMIC_SUFFIX ".partial"

typedef struct rp_atomic {
    char path[RP_PATH_MAX];
    char temporary[RP_PATH_MAX];
    int descriptor;
    int error; /* errno of the first call that failed */
    char *buffer;
    size_t used;
} rp_atomic;

rp_code rp_atomic_open(rp_atomic *file, const char *path, rp_report *report);
void rp_atomic_write(rp_atomic *file, const void *data, size_t size);
/* At most 4 kB a call; numbers have decimal points, whatever the host program has set. */
void rp_atomic_print(rp_atomic *file, const char *format, ...) RP_PRINTF(2, 3);
/* Syncs and renames when nothing failed; otherwise removes the temporary and reports why. */
rp_code rp_atomic_finish(rp_atomic *file, rp_report *report);
/* Removes the temporary. */
void rp_atomic_abandon(rp_atomic *file);

/* The stream of a file for a library that wants one; close it before rp_atomic_finish, and call
 * rp_atomic_set_error when that or anything else fails. Returns NULL and errno when there is none.
 */
FILE *rp_atomic_stream(rp_atomic *file);
/* Stores an errno, unless there is an earlier one: rp_atomic_finish will fail with it. */
void rp_atomic_set_error(rp_atomic *file, int error);

/* The same for a file that another program writes by name: it gets a folder beside `path` that no
 * other user may enter, so that no link can be planted there. */
typedef struct rp_atomic_folder {
    char path[RP_PATH_MAX];
    char folder[RP_PATH_MAX];
    char file[RP_PATH_MAX]; /* what the program is to write */
    int descriptor;         /* of the folder, locked */
} rp_atomic_folder;

rp_code rp_atomic_folder_open(rp_atomic_folder *temporary, const char *path, rp_report *report);
/* Renames the file that `program` wrote to `path`, and removes the folder in any case. */
rp_code rp_atomic_folder_finish(rp_atomic_folder *temporary, const char *program,
                                rp_report *report);
void rp_atomic_folder_abandon(rp_atomic_folder *temporary);
/* Removes temporary folders for `path` that killed processes left behind. */
void rp_atomic_folder_sweep(const char *path);

/* Opens a file of ours that is changed in place, such as a lock or a table that grows; `flags` as
 * for open(), O_CREAT creates it. Symbolic links, files with a second hard link and all but plain
 * files are refused: they would lead outside the folder, or block. `*descriptor` is -1 after a
 * fault. */
rp_code rp_file_open_in_place(const char *path, int flags, int *descriptor, rp_report *report);
/* Adds a text to the end of such a file by one write, synced to disk. */
rp_code rp_file_append(const char *path, const char *text, rp_report *report);

/* True for the names of temporaries. */
bool rp_atomic_is_temporary(const char *name);
/* Removes the temporaries of a folder that killed processes left behind; those that are still
 * locked by their writer stay. A folder that is missing is fine. */
rp_code rp_atomic_sweep(const char *path, rp_report *report);

/* Writes a whole text as a file, atomically. */
rp_code rp_file_write(const char *path, const char *text, rp_report *report);
/* Reads a whole file, with a zero byte behind it; release with `size + 1`. */
rp_code rp_file_read(const char *path, char **data, size_t *size, rp_report *report);
/* The same for a file that has its size in its header: before memory is allocated, `check` gets the
 * first `head` bytes, or fewer of a shorter file, and the number of bytes that the file has. */
typedef rp_code rp_file_check(const char *path, const char *head, size_t size, rp_report *report);
#define RP_FILE_HEAD 512 /* bytes, at most */
rp_code rp_file_read_checked(const char *path, size_t head, rp_file_check *check, char **data,
                             size_t *size, rp_report *report);

#endif
