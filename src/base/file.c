/* Files that are read: by the reader of the host program, else by the operating system. */
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

#include <errno.h>
#include <string.h>

static rp_file_reader reader;

void rp_set_file_reader(const rp_file_reader *wanted)
{
    reader = wanted ? *wanted : (rp_file_reader){0};
}

static void release(const void *bytes, size_t size)
{
    if (reader.release) reader.release(reader.user, bytes, size);
}

/* The identity of a host's file is its name: two names are two files. */
static int host_status(const char *path, rp_file_info *info)
{
    size_t size = 0;
    const void *bytes = reader.read(reader.user, path, &size);
    if (!bytes) return ENOENT;
    release(bytes, size);
    *info = (rp_file_info){.kind = RP_FILE_PLAIN,
                           .size = size,
                           .identity = {rp_hash(path, strlen(path), 0), strlen(path)}};
    return 0;
}

int rp_file_status(const char *path, rp_file_info *info)
{
    *info = (rp_file_info){0};
    if (reader.read && host_status(path, info) == 0) return 0;
    return rp_system_status(path, info);
}

static int read_from_host(const char *path, char *data, size_t size, size_t *got)
{
    size_t have = 0;
    const void *bytes = reader.read(reader.user, path, &have);
    if (!bytes) return ENOENT;
    *got = have < size ? have : size;
    if (*got) memcpy(data, bytes, *got);
    release(bytes, have);
    return 0;
}

int rp_file_read_start(const char *path, char *data, size_t size, size_t *got)
{
    *got = 0;
    if (reader.read && read_from_host(path, data, size, got) == 0) return 0;
    return rp_system_read(path, data, size, got);
}

rp_code rp_file_load(const char *path, char **data, size_t *size, rp_report *report)
{
    rp_file_info info;
    size_t got = 0;
    *data = NULL;
    int error = rp_file_status(path, &info);
    if (error) return rp_fail_errno(report, error, path, "read");
    *size = (size_t)info.size;
    *data = rp_allocate(*size + 1);
    if (!*data) return rp_fail_memory(report, *size + 1, path);
    error = rp_file_read_start(path, *data, *size, &got);
    if (!error && got < *size) error = EIO; /* the file became shorter meanwhile */
    (*data)[got] = 0;
    if (!error) return RP_OK;
    rp_release(*data, *size + 1);
    *data = NULL;
    return rp_fail_errno(report, error, path, "read");
}

bool rp_file_resolve(const char *path, char *absolute, size_t size)
{
    rp_file_info info;
    if (reader.read && host_status(path, &info) == 0)
        return false; /* a name of the host, not a path */
    return rp_system_resolve(path, absolute, size);
}

void rp_file_cache(const char *folder, const char *path, const rp_file_piece *pieces, int count)
{
    rp_system_cache(folder, path, pieces, count);
}
