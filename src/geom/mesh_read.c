/* Mesh files, by readers of our own, which name the line or byte of a mistake and break at nothing.
 * What comes in is joined, oriented, checked and prepared. */
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "geom/mesh_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LARGEST_FILE ((uint64_t)2 << 30)

rp_code rp_mesh_fail_memory(const rp_mesh_bytes *bytes, rp_report *report)
{
    rp_place place = {.file = bytes->name};
    return rp_fail_at(report, RP_ERROR_MEMORY, &place, NULL, "out of memory for the mesh");
}

static rp_code check_file(const char *path, const char *what, size_t *size, rp_report *report)
{
    rp_file_info found;
    rp_place place = {.file = path};
    char action[32];
    snprintf(action, sizeof action, "read %s", what);
    int error = rp_file_status(path, &found);
    if (error) return rp_fail_errno(report, error, path, action);
    if (found.kind == RP_FILE_FOLDER) return rp_fail_errno(report, EISDIR, path, action);
    if (found.kind != RP_FILE_PLAIN)
        return rp_fail_at(report, RP_ERROR_IO, &place, NULL, "cannot %s: not a file", action);
    if (found.size == 0)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot %s: the file is empty (0 bytes)", action);
    if (found.size > LARGEST_FILE)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot %s: the file has %.1f GB, 2 GB are allowed; simplify it", action,
                          (double)found.size / (1 << 30));
    *size = (size_t)found.size;
    return RP_OK;
}

rp_code rp_mesh_file_load(const char *path, const char *what, rp_mesh_bytes *bytes,
                          rp_report *report)
{
    size_t size = 0;
    *bytes = (rp_mesh_bytes){.name = path, .scale = 1};
    rp_code code = check_file(path, what, &size, report);
    RP_TRY(code);
    char *data = rp_allocate(size), action[32];
    if (!data) return rp_mesh_fail_memory(bytes, report);
    size_t got = 0;
    int error = rp_file_read_start(path, data, size, &got);
    bytes->data = data;
    bytes->size = size;
    snprintf(action, sizeof action, "read %s", what);
    if (error) code = rp_fail_errno(report, error, path, action);
    if (code == RP_OK && got < size) {
        rp_place place = {.file = path};
        code = rp_fail_at(report, RP_ERROR_IO, &place, NULL,
                          "cannot %s: the file became shorter meanwhile", action);
    }
    if (code != RP_OK) rp_mesh_file_release(bytes);
    return code;
}

void rp_mesh_file_release(rp_mesh_bytes *bytes)
{
    rp_release((void *)(uintptr_t)bytes->data, bytes->size);
    bytes->data = NULL;
}

static bool begins_with(const rp_mesh_bytes *bytes, const char *word)
{
    size_t length = strlen(word);
    return bytes->size > length && rp_text_begins(bytes->data, bytes->size, word);
}

/* By the ending of the name; where that says nothing, by how the content begins. */
static rp_mesh_reader *find_reader(const rp_mesh_bytes *bytes)
{
    static const struct {
        const char *ending;
        rp_mesh_reader *reader;
    } formats[] = {{".obj", rp_mesh_read_obj},   {".stl", rp_mesh_read_stl},
                   {".ply", rp_mesh_read_ply},   {".off", rp_mesh_read_off},
                   {".gltf", rp_mesh_read_gltf}, {".glb", rp_mesh_read_gltf}};
    const char *slash = strrchr(bytes->name, '/');
    const char *dot = strrchr(slash ? slash : bytes->name, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (rp_text_matches(dot, formats[i].ending)) return formats[i].reader;
    if (begins_with(bytes, "ply\n") || begins_with(bytes, "ply\r")) return rp_mesh_read_ply;
    if (begins_with(bytes, "solid")) return rp_mesh_read_stl;
    if (begins_with(bytes, "glTF")) return rp_mesh_read_gltf;
    return begins_with(bytes, "OFF\n") || begins_with(bytes, "OFF\r") ? rp_mesh_read_off : NULL;
}

static rp_code fail_memory(const char *name, rp_report *report)
{
    rp_mesh_bytes bytes = {.name = name};
    return rp_mesh_fail_memory(&bytes, report);
}

static rp_code make_solid(rp_mesh *mesh, const char *name, rp_report *report)
{
    rp_box3 shared;
    if (!rp_mesh_drop_unused(mesh) || !rp_mesh_join(mesh)) return fail_memory(name, report);
    rp_code code = rp_mesh_check_vertices(mesh, name, report);
    if (code == RP_OK) code = rp_mesh_close_gaps(mesh, name, report);
    if (code == RP_OK) code = rp_mesh_check_triangles(mesh, name, report);
    if (code == RP_OK) code = rp_mesh_orient(mesh, name, &shared, report);
    if (code == RP_OK) code = rp_mesh_check_volume(mesh, name, report);
    if (code == RP_OK) code = rp_mesh_measure_excess(mesh, shared, name, report);
    mesh->closed = code == RP_OK;
    return code;
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

rp_code rp_mesh_load(const char *path, double scale, rp_mesh **out, rp_report *report)
{
    *out = NULL;
    rp_mesh_bytes bytes;
    rp_place place = {.file = path};
    if (!(scale > 0) || !isfinite(scale))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "the scale of a mesh is %g; it must be above 0", scale);
    rp_code code = rp_mesh_file_load(path, "mesh", &bytes, report);
    RP_TRY(code);
    bytes.scale = scale;
    rp_mesh_reader *reader = find_reader(&bytes);
    if (reader)
        code = rp_mesh_read_bytes(reader, &bytes, out, report);
    else
        code = rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: OBJ, STL, PLY, OFF, glTF (.gltf) and GLB files can be "
                          "read; export it as one of these, such as .glb from Blender");
    rp_mesh_file_release(&bytes);
    return code;
}

/* Makes ready what was read, or takes it back. */
static rp_code finish(rp_code code, rp_mesh **out, rp_report *report)
{
    if (code == RP_OK) code = rp_mesh_prepare(*out, 0, NULL, report);
    if (code != RP_OK) {
        rp_mesh_destroy(*out);
        *out = NULL;
    }
    return code;
}

rp_code rp_mesh_read(const char *path, double scale, rp_mesh **out, rp_report *report)
{
    return finish(rp_mesh_load(path, scale, out, report), out, report);
}

rp_code rp_mesh_read_memory(const char *name, const char *text, size_t size, double scale,
                            rp_mesh **out, rp_report *report)
{
    rp_mesh_bytes bytes = {name, text, size, scale};
    return finish(rp_mesh_read_bytes(rp_mesh_read_obj, &bytes, out, report), out, report);
}
