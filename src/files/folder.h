/* Folders of numbered files, such as the frames of a run: paths, and which numbers there are. */
#ifndef RP_FILES_FOLDER_H
#define RP_FILES_FOLDER_H

#include "base/file.h"

/* The longest folder name; leaves space for the names of files in it. */
#define RP_FOLDER_MAX (RP_PATH_MAX - 512)

typedef struct rp_path {
    char text[RP_PATH_MAX];
} rp_path;

/* Numbers of files, rising. */
typedef struct rp_numbers {
    int64_t *items;
    size_t count, capacity;
} rp_numbers;

/* Creates a folder and its parents; one that exists is no error. */
rp_code rp_folder_make(const char *path, rp_report *report);
/* The numbers N of the files "<before>N<after>" of a folder, N with at least six digits. */
rp_code rp_folder_numbers(const char *path, const char *before, const char *after, rp_numbers *out,
                          rp_report *report);
/* Inserts a number, unless it is there, so that the order is kept; false when memory runs out. */
bool rp_numbers_add(rp_numbers *numbers, int64_t number);
void rp_numbers_end(rp_numbers *numbers);

#endif
