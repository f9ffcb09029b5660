/* The system of programs that have none: no disk, a machine that says nothing about itself. */
#include "base/file.h"

#include <errno.h>
#include <math.h>

int rp_system_status(const char *path, rp_file_info *info)
{
    (void)path;
    (void)info;
    return ENOENT;
}

int rp_system_read(const char *path, char *data, size_t size, size_t *got)
{
    (void)path;
    (void)data;
    (void)size;
    (void)got;
    return ENOENT;
}

bool rp_system_resolve(const char *path, char *absolute, size_t size)
{
    (void)path;
    (void)absolute;
    (void)size;
    return false;
}

void rp_system_cache(const char *folder, const char *path, const rp_file_piece *pieces, int count)
{
    (void)folder;
    (void)path;
    (void)pieces;
    (void)count;
}

double rp_system_memory_free(void)
{
    return INFINITY;
}

double rp_system_memory(void)
{
    return 0;
}
