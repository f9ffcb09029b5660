/* Mesh files: OBJ, STL and PLY by readers of our own, which name the line or byte of a mistake and
 * break at nothing; all else by Assimp. What comes in is joined, checked and prepared. */
#include "base/log.h"
#include "base/memory.h"
#include "geom/mesh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_FILE ((int64_t)2 << 30)

rp_code rp_mesh_fail_memory(const rp_mesh_bytes *bytes, rp_report *report)
{
    rp_place place = {.file = bytes->name};
    return rp_fail_at(report, RP_ERROR_MEMORY, &place, NULL, "out of memory for the mesh");
}

static rp_code check_file(const char *path, size_t *size, rp_report *report)
{
    struct stat found;
    rp_place place = {.file = path};
    if (stat(path, &found) != 0) return rp_fail_errno(report, errno, path, "read mesh");
    if (S_ISDIR(found.st_mode)) return rp_fail_errno(report, EISDIR, path, "read mesh");
    if (!S_ISREG(found.st_mode))
        return rp_fail_at(report, RP_ERROR_IO, &place, NULL, "cannot read mesh: not a file");
    if (found.st_size == 0)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: the file is empty (0 bytes)");
    if (found.st_size > LARGEST_FILE)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: the file has %.1f GB, 2 GB are allowed; simplify it",
                          (double)found.st_size / (1 << 30));
    *size = (size_t)found.st_size;
    return RP_OK;
}

rp_mesh_reader *rp_mesh_reader_for(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot) return NULL;
    if (strcasecmp(dot, ".obj") == 0) return rp_mesh_read_obj;
    if (strcasecmp(dot, ".stl") == 0) return rp_mesh_read_stl;
    if (strcasecmp(dot, ".ply") == 0) return rp_mesh_read_ply;
    return NULL;
}

static rp_code make_solid(rp_mesh *mesh, const char *name, rp_report *report)
{
    if (!rp_mesh_drop_unused(mesh) || !rp_mesh_join(mesh)) {
        rp_place place = {.file = name};
        return rp_fail_at(report, RP_ERROR_MEMORY, &place, NULL, "out of memory for the mesh");
    }
    rp_code code = rp_mesh_check(mesh, name, report);
    if (code != RP_OK) return code;
    if (rp_mesh_volume(mesh) < 0) {
        rp_log(RP_LOG_WARNING, "%s: the mesh is inside out; its triangles are turned", name);
        rp_mesh_flip(mesh);
    }
    mesh->closed = true;
    return RP_OK;
}

rp_code rp_mesh_read_bytes(rp_mesh_reader *reader, const rp_mesh_bytes *bytes, rp_mesh **out,
                           rp_report *report)
{
    rp_mesh *mesh = rp_mesh_create();
    *out = mesh;
    rp_code code = mesh ? reader(bytes, mesh, report) : rp_mesh_fail_memory(bytes, report);
    if (code == RP_OK) code = make_solid(mesh, bytes->name, report);
    if (code == RP_OK) return RP_OK;
    rp_mesh_destroy(mesh);
    *out = NULL;
    return code;
}

/* Gives the number of bytes that came, or -1. */
static ssize_t read_whole(int file, char *data, size_t size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t part = read(file, data + got, size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return -1;
        if (part == 0) break;
        got += (size_t)part;
    }
    return (ssize_t)got;
}

static rp_code read_own(rp_mesh_reader *reader, const char *path, size_t size, double scale,
                        rp_mesh **out, rp_report *report)
{
    rp_mesh_bytes bytes = {.name = path, .scale = scale};
    char *data = rp_allocate(size);
    if (!data) return rp_mesh_fail_memory(&bytes, report);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read_whole(file, data, size);
    rp_code code = RP_OK;
    if (got < 0) code = rp_fail_errno(report, errno, path, "read mesh");
    if (file >= 0) close(file);
    bytes.data = data;
    bytes.size = got < 0 ? 0 : (size_t)got;
    if (code == RP_OK) code = rp_mesh_read_bytes(reader, &bytes, out, report);
    rp_release(data, size);
    return code;
}

/* Assimp looks at the content where it does not know a name, and then reads PLY and text STL by
 * itself, which damaged files make it crash at. */
static rp_mesh_reader *reader_by_content(const char *path)
{
    char start[6] = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read_whole(file, start, 5);
    if (file >= 0) close(file);
    if (got >= 4 && strncasecmp(start, "ply", 3) == 0 && strchr("\r\n", start[3]))
        return rp_mesh_read_ply;
    return got == 5 && strncasecmp(start, "solid", 5) == 0 ? rp_mesh_read_stl : NULL;
}

static rp_code read_foreign(const char *path, double scale, rp_mesh **out, rp_report *report)
{
    rp_mesh_bytes bytes = {.name = path, .scale = scale};
    rp_mesh *mesh = rp_mesh_create();
    rp_code code =
        mesh ? rp_mesh_read_other(path, scale, mesh, report) : rp_mesh_fail_memory(&bytes, report);
    if (code == RP_OK) code = make_solid(mesh, path, report);
    *out = code == RP_OK ? mesh : NULL;
    if (code != RP_OK) rp_mesh_destroy(mesh);
    return code;
}

rp_code rp_mesh_load(const char *path, double scale, rp_mesh **out, rp_report *report)
{
    *out = NULL;
    size_t size = 0;
    rp_place place = {.file = path};
    if (!(scale > 0) || !isfinite(scale))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "the scale of a mesh is %g; it must be above 0", scale);
    rp_code code = check_file(path, &size, report);
    if (code != RP_OK) return code;
    rp_mesh_reader *reader = rp_mesh_reader_for(path);
    if (!reader) reader = reader_by_content(path);
    return reader ? read_own(reader, path, size, scale, out, report)
                  : read_foreign(path, scale, out, report);
}

rp_code rp_mesh_read(const char *path, double scale, rp_mesh **out, rp_report *report)
{
    rp_code code = rp_mesh_load(path, scale, out, report);
    if (code == RP_OK) code = rp_mesh_prepare(*out, 0, NULL, report);
    if (code != RP_OK) {
        rp_mesh_destroy(*out);
        *out = NULL;
    }
    return code;
}
