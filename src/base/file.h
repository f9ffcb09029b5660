/* How rooms that may run without a disk read files: scenes, meshes, animations. A host program's
 * reader (rp_set_file_reader) is asked first; what it does not have is read from the system.
 * Writing and all else that needs a disk is in the room `system`. */
#ifndef RP_BASE_FILE_H
#define RP_BASE_FILE_H

#include "base/report.h"

#include <stdbool.h>

#define RP_PATH_MAX 4096

typedef enum rp_file_kind {
    RP_FILE_PLAIN,
    RP_FILE_FOLDER,
    RP_FILE_LINK,
    RP_FILE_OTHER
} rp_file_kind;

typedef struct rp_file_info {
    rp_file_kind kind;
    uint64_t size;        /* bytes */
    uint64_t identity[2]; /* equal for two names of one file */
    int64_t changed;      /* ns since 1970 */
} rp_file_info;

/* Kind, size and identity of what is at a path and can be opened. Returns 0 or an error number of
 * errno.h. */
int rp_file_status(const char *path, rp_file_info *info);
/* Reads the first `size` bytes of a plain file, or as many as it has. Returns 0 or an error number.
 */
int rp_file_read_start(const char *path, char *data, size_t size, size_t *got);
/* Reads a whole plain file, with a zero byte behind it; release it with `size + 1`. */
rp_code rp_file_load(const char *path, char **data, size_t *size, rp_report *report);
/* The absolute path without links; false when there is none or it is too long. */
bool rp_file_resolve(const char *path, char *absolute, size_t size);

/* A cache file, such as samples of a mesh: one that is missing or unreadable is no fault. */
typedef struct rp_file_piece {
    const void *data;
    size_t size;
} rp_file_piece;
/* Writes the pieces one behind the other as a file of `folder`, which it makes. */
void rp_file_cache(const char *folder, const char *path, const rp_file_piece *pieces, int count);

/* --- the operating system, as the core sees it
 * ----------------------------------------------------
 *
 * There are two implementations, and programs are linked with one of them: system/system.c asks the
 * system; system/system_none.c, in the core archive, has no disk and knows nothing of the machine.
 */

/* As the functions of above. */
int rp_system_status(const char *path, rp_file_info *info);
int rp_system_read(const char *path, char *data, size_t size, size_t *got);
bool rp_system_resolve(const char *path, char *absolute, size_t size);
void rp_system_cache(const char *folder, const char *path, const rp_file_piece *pieces, int count);

/* Bytes that this process may still allocate, by the machine, its control group and its limits;
 * infinite when unknown. */
double rp_system_memory_free(void);
/* Bytes that the machine has; 0 when unknown. */
double rp_system_memory(void);

#endif
