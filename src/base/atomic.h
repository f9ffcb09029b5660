/* How every file of the program is written. Most appear whole or not at all (an atomic write):
 * under a temporary name in the same folder, synced to disk, renamed. A reader sees the old file or
 * the new one, never half of either, and a link in the file's place is replaced, not followed.
 *
 *     rp_atomic file;
 *     RP_TRY(rp_atomic_open(&file, path, report));
 *     rp_atomic_write(&file, data, size);      // trouble is remembered, not returned
 *     return rp_atomic_finish(&file, report);  // and reported here, with nothing left behind
 */
#ifndef RP_BASE_ATOMIC_H
#define RP_BASE_ATOMIC_H

#include "base/files.h"

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
/* Renames when all went well; otherwise removes the temporary and tells why. */
rp_code rp_atomic_finish(rp_atomic *file, rp_report *report);
/* Removes the temporary. */
void rp_atomic_abandon(rp_atomic *file);

/* The stream of a file for a library that wants one; close it before rp_atomic_finish, and note
 * with rp_atomic_note when that or anything else fails. NULL and errno when there is none. */
FILE *rp_atomic_stream(rp_atomic *file);
void rp_atomic_note(rp_atomic *file, int error);

/* The same for a file that another program writes by name: it gets a folder beside `path` that
 * nobody else may enter, so that no link can wait there. */
typedef struct rp_atomic_folder {
    char path[RP_PATH_MAX];
    char folder[RP_PATH_MAX];
    char file[RP_PATH_MAX]; /* what the program is to write */
    int descriptor;         /* of the folder, locked */
} rp_atomic_folder;

rp_code rp_atomic_folder_open(rp_atomic_folder *aside, const char *path, rp_report *report);
/* Puts the file that `program` wrote in its place, and removes the folder in any case. */
rp_code rp_atomic_folder_finish(rp_atomic_folder *aside, const char *program, rp_report *report);
void rp_atomic_folder_abandon(rp_atomic_folder *aside);
/* Removes folders for `path` that killed processes left behind. */
void rp_atomic_folder_sweep(const char *path);

/* Opens a file of ours that is changed where it is, such as a lock or a table that grows; `flags`
 * as for open(), O_CREAT makes it. What is a link, has a second name elsewhere, or is no plain file
 * is refused: it would lead outside the folder, or hang. `*descriptor` is -1 after a fault. */
rp_code rp_file_open_own(const char *path, int flags, int *descriptor, rp_report *report);
/* Adds a text to the end of such a file by one write, synced to disk. */
rp_code rp_file_append(const char *path, const char *text, rp_report *report);

/* True for the names of temporaries. */
bool rp_atomic_is_temporary(const char *name);
/* Removes the temporaries of a folder that killed processes left behind; those that somebody still
 * writes stay. A folder that is missing is fine. */
rp_code rp_atomic_sweep(const char *path, rp_report *report);

/* A whole text as a file, aside. */
rp_code rp_file_write(const char *path, const char *text, rp_report *report);
/* The whole of a file, with a zero byte behind it; release with `size + 1`. */
rp_code rp_file_read(const char *path, char **data, size_t *size, rp_report *report);
/* The same of a file that tells its size at its beginning: `check` is given the first `head` bytes,
 * or fewer of a shorter file, and how many bytes the file has, before memory is taken for it. */
typedef rp_code rp_file_check(const char *path, const char *head, size_t size, rp_report *report);
#define RP_FILE_HEAD 512 /* bytes, at most */
rp_code rp_file_read_checked(const char *path, size_t head, rp_file_check *check, char **data,
                             size_t *size, rp_report *report);

#endif
