/* Folders and files of runs, for tests. */
#ifndef RP_TESTS_RUN_FILES_H
#define RP_TESTS_RUN_FILES_H

#include "check.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static inline int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline char *file_bytes(const char *folder, const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is missing", path);
    struct stat info;
    fstat(fileno(file), &info);
    *size = (size_t)info.st_size;
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void same_file(const char *a, const char *b, const char *name)
{
    size_t size_a, size_b;
    char *bytes_a = file_bytes(a, name, &size_a), *bytes_b = file_bytes(b, name, &size_b);
    if (size_a != size_b || memcmp(bytes_a, bytes_b, size_a) != 0)
        fail_msg("%s differs between %s and %s", name, a, b);
    free(bytes_a);
    free(bytes_b);
}

#endif
