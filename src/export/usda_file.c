/* The files of a USD export (frame, manifest, series), and the bodies. */
#include "base/report.h"
#include "export/digits.h"
#include "export/usda.h"
#include "record/record.h"
#include "scene/scene.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define INDENT 4

/* True for texts like "name__12". */
static bool ends_in_index(const char *text)
{
    size_t length = strlen(text), digits = 0;
    while (digits < length && isdigit((unsigned char)text[length - 1 - digits]))
        digits++;
    return digits > 0 && length >= digits + 2 && text[length - digits - 1] == '_' &&
           text[length - digits - 2] == '_';
}

void rp_usda_name(const char *text, size_t index, char name[RP_USDA_NAME_MAX])
{
    size_t length = 0;
    bool changed = !*text || ends_in_index(text);
    if (!*text || isdigit((unsigned char)*text)) {
        name[length++] = '_';
        changed = true;
    }
    for (; *text && length < RP_USDA_NAME_MAX - 32; text++) {
        bool fits =
            *text == '_' || (isascii((unsigned char)*text) && isalnum((unsigned char)*text));
        name[length++] = fits ? *text : '_';
        changed = changed || !fits;
    }
    name[length] = 0;
    if (changed || *text) snprintf(name + length, RP_USDA_NAME_MAX - length, "__%zu", index);
}

/* The manifest and the series only declare the attribute; a frame also has its value. */
bool rp_usda_begin_samples(rp_usda *usda, int level, const char *type, const char *name,
                           const char *interpolation)
{
    int indent = INDENT * level;
    rp_atomic *file = &usda->file;
    if (interpolation)
        rp_atomic_print(file, "%*s%s %s (\n%*sinterpolation = \"%s\"\n%*s)\n", indent, "", type,
                        name, indent + INDENT, "", interpolation, indent, "");
    else if (usda->part != RP_USDA_FRAME)
        rp_atomic_print(file, "%*s%s %s\n", indent, "", type, name);
    if (usda->part != RP_USDA_FRAME) return false;
    rp_atomic_print(file, "%*s%s %s.timeSamples = {\n%*s%" PRId64 ": ", indent, "", type, name,
                    indent + INDENT, "", usda->export->number);
    return true;
}

void rp_usda_end_samples(rp_usda *usda, int level)
{
    rp_atomic_print(&usda->file, ",\n%*s}\n", INDENT * level, "");
}

void rp_usda_put_tuple(rp_usda *usda, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        rp_atomic_print(&usda->file, "%s%.17g", i ? ", " : "(", values[i]);
    rp_atomic_write(&usda->file, ")", 1);
}

void rp_usda_put_colours(rp_usda *usda, int level, const double *first, size_t stride, int count,
                         const char *interpolation)
{
    int indent = INDENT * level;
    rp_atomic *file = &usda->file;
    rp_atomic_print(file, "%*scolor3f[] primvars:displayColor = [", indent, "");
    for (int i = 0; i < count; i++) {
        const double *c = (const double *)((const char *)first + (size_t)i * stride);
        rp_atomic_print(file, "%s(%.6g, %.6g, %.6g)", i ? ", " : "", c[0], c[1], c[2]);
    }
    rp_atomic_print(file, "] (\n%*sinterpolation = \"%s\"\n%*s)\n", indent + INDENT, "",
                    interpolation, indent, "");
}

static void put_header(rp_usda *usda, const rp_usda_prim *prim, int64_t first, int64_t last)
{
    double rate = usda->export->scene->time.frame_rate;
    rp_atomic_print(&usda->file,
                    "#usda 1.0\n(\n"
                    "    defaultPrim = \"%s\"\n"
                    "    doc = \"Repose %s\"\n"
                    "    endTimeCode = %" PRId64 "\n"
                    "    framesPerSecond = %.17g\n"
                    "    metersPerUnit = 1\n"
                    "    startTimeCode = %" PRId64 "\n"
                    "    timeCodesPerSecond = %.17g\n"
                    "    upAxis = \"Z\"\n)\n\n",
                    prim->name, rp_version(), last, rate, first, rate);
}

/* The metadata of value clips. `active` says from which time code on which clip is used, `times`
 * maps time codes of the series to those of the clips: each frame is at its own number. */
static void put_clips(rp_usda *usda, const rp_usda_prim *prim, const rp_numbers *frames)
{
    rp_atomic *file = &usda->file;
    rp_atomic_print(file, "    clips = {\n        dictionary default = {\n"
                          "            double2[] active = [");
    for (size_t i = 0; i < frames->count; i++)
        rp_atomic_print(file, "%s(%" PRId64 ", %zu)", i ? ", " : "", frames->items[i], i);
    rp_atomic_print(file, "]\n            asset[] assetPaths = [");
    for (size_t i = 0; i < frames->count; i++)
        rp_atomic_print(file, "%s@./%s-%06" PRId64 ".usda@", i ? ", " : "", prim->stem,
                        frames->items[i]);
    rp_atomic_print(file,
                    "]\n            asset manifestAssetPath = @./%s.manifest.usda@\n"
                    "            string primPath = \"/%s\"\n"
                    "            double2[] times = [",
                    prim->stem, prim->name);
    for (size_t i = 0; i < frames->count; i++)
        rp_atomic_print(file, "%s(%" PRId64 ", %" PRId64 ")", i ? ", " : "", frames->items[i],
                        frames->items[i]);
    rp_atomic_print(file, "]\n        }\n    }\n");
    if (prim->refer)
        rp_atomic_print(file, "    prepend references = @./%s-%06" PRId64 ".usda@</%s>\n",
                        prim->stem, frames->items[0], prim->name);
}

/* A file: the header, then the prim; in the series with the metadata of its clips. */
static rp_code put_file(rp_usda *usda, const rp_usda_prim *prim, const rp_numbers *frames,
                        rp_report *report)
{
    bool series = usda->part == RP_USDA_SERIES;
    put_header(usda, prim, frames->items[0], frames->items[frames->count - 1]);
    rp_atomic_print(&usda->file, "def %s \"%s\"%s\n", prim->type, prim->name, series ? " (" : "");
    if (series) {
        put_clips(usda, prim, frames);
        rp_atomic_write(&usda->file, ")\n", 2);
    }
    rp_atomic_write(&usda->file, "{\n", 2);
    rp_code code = prim->inside(usda, report);
    rp_atomic_write(&usda->file, "}\n", 2);
    if (code == RP_OK) return rp_atomic_finish(&usda->file, report);
    rp_atomic_abandon(&usda->file);
    return code;
}

static rp_path part_path(const rp_usda *usda, const char *stem)
{
    rp_path path;
    const rp_export *export = usda->export;
    if (usda->part == RP_USDA_FRAME)
        snprintf(path.text, sizeof path.text, "%s/%s-%06" PRId64 ".usda", export->folder, stem,
                 export->number);
    else
        snprintf(path.text, sizeof path.text, "%s/%s%s.usda", export->folder, stem,
                 usda->part == RP_USDA_MANIFEST ? ".manifest" : "");
    return path;
}

static rp_code write_part(rp_usda *usda, rp_usda_part part, const rp_usda_prim *prim,
                          const rp_numbers *frames, rp_report *report)
{
    usda->part = part;
    rp_code code = rp_atomic_open(&usda->file, part_path(usda, prim->stem).text, report);
    return code == RP_OK ? put_file(usda, prim, frames, report) : code;
}

rp_code rp_usda_write(const rp_export *export, const rp_usda_prim *prim, const uint32_t *order,
                      rp_report *report)
{
    rp_usda usda = {.export = export, .order = order};
    int64_t number = export->number;
    rp_numbers self = {.items = &number, .count = 1}, frames = {0};
    RP_TRY(write_part(&usda, RP_USDA_FRAME, prim, &self, report));
    char before[2 * RP_USDA_NAME_MAX];
    snprintf(before, sizeof before, "%s-", prim->stem);
    rp_code code = rp_folder_numbers(export->folder, before, ".usda", &frames, report);
    /* Another process may have removed the frame meanwhile. */
    if (code == RP_OK && frames.count > 0)
        code = write_part(&usda, RP_USDA_MANIFEST, prim, &frames, report);
    if (code == RP_OK && frames.count > 0)
        code = write_part(&usda, RP_USDA_SERIES, prim, &frames, report);
    rp_numbers_end(&frames);
    return code;
}

/* --- bodies ----------------------------------------------------------------------------------- */

/* Bodies for USD: a mesh for each, in its own frame, and where it stands as a time sample. The
 * series takes the meshes from the first of its frames, since they do not change. */

static void put_point(rp_atomic *file, rp_vec3 point)
{
    const double values[3] = {point.x, point.y, point.z};
    for (int c = 0; c < 3; c++) {
        char text[RP_DIGITS_MAX];
        size_t length = rp_digits_f32(text, (float)values[c]);
        rp_atomic_write(file, c ? ", " : "(", c ? 2 : 1);
        rp_atomic_write(file, text, length);
    }
    rp_atomic_write(file, ")", 1);
}

/* Vertices and bounds, in the frame of the body. */
static void put_mesh_points(rp_atomic *file, const rp_mesh *mesh)
{
    rp_atomic_print(file, "        float3[] extent = [");
    put_point(file, mesh->bounds.low);
    rp_atomic_write(file, ", ", 2);
    put_point(file, mesh->bounds.high);
    rp_atomic_print(file, "]\n        point3f[] points = [");
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (i) rp_atomic_write(file, ", ", 2);
        put_point(file, mesh->vertices[i]);
    }
    rp_atomic_print(file, "]\n");
}

static void put_triangles(rp_atomic *file, const rp_mesh *mesh)
{
    rp_atomic_print(file, "        int[] faceVertexCounts = [");
    for (size_t i = 0; i < mesh->triangle_count; i++)
        rp_atomic_write(file, i ? ", 3" : "3", i ? 3 : 1);
    rp_atomic_print(file, "]\n        int[] faceVertexIndices = [");
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        char text[RP_DIGITS_MAX];
        size_t length = rp_digits_u64(text, mesh->triangles[i / 3][i % 3]);
        if (i) rp_atomic_write(file, ", ", 2);
        rp_atomic_write(file, text, length);
    }
    rp_atomic_print(file, "]\n");
}

static void put_mesh(rp_usda *usda, const rp_body_spec *spec, const rp_mesh *mesh)
{
    put_mesh_points(&usda->file, mesh);
    put_triangles(&usda->file, mesh);
    rp_atomic_print(&usda->file,
                    "        uniform bool doubleSided = %d\n"
                    "        uniform token subdivisionScheme = \"none\"\n",
                    spec->shape.kind == RP_SHAPE_PLANE);
    rp_usda_put_colours(usda, 2, spec->colour, 0, 1, "constant");
    if (spec->hidden) rp_atomic_print(&usda->file, "        token visibility = \"invisible\"\n");
    rp_atomic_print(&usda->file, "        uniform token[] xformOpOrder = "
                                 "[\"xformOp:translate\", \"xformOp:orient\"]\n");
}

/* The pose is the only thing about a body that changes: a time sample of translation and rotation.
 */
static void put_pose(rp_usda *usda, const rp_body_state *state)
{
    if (rp_usda_begin_samples(usda, 2, "double3", "xformOp:translate", NULL)) {
        rp_usda_put_tuple(usda, state->position, 3);
        rp_usda_end_samples(usda, 2);
    }
    if (rp_usda_begin_samples(usda, 2, "quatd", "xformOp:orient", NULL)) {
        rp_usda_put_tuple(usda, state->orientation, 4);
        rp_usda_end_samples(usda, 2);
    }
}

/* Frames have mesh and pose, the manifest has declarations only. */
static rp_code put_body(rp_usda *usda, int index, double plane_size, rp_report *report)
{
    const rp_export *export = usda->export;
    const rp_body_spec *spec = &rp_scene_bodies(export->scene)[index];
    rp_mesh *mesh = NULL;
    rp_code code = RP_OK;
    if (usda->part == RP_USDA_FRAME)
        code = rp_export_tessellate(export, index, plane_size, &mesh, report);
    RP_TRY(code);
    char name[RP_USDA_NAME_MAX];
    rp_usda_name(spec->name, (size_t)index, name);
    rp_atomic_print(&usda->file, "    def Mesh \"%s\"\n    {\n", name);
    if (mesh) put_mesh(usda, spec, mesh);
    put_pose(usda, &export->view->bodies[index]);
    rp_atomic_print(&usda->file, "    }\n");
    if (mesh) rp_mesh_destroy(mesh);
    return RP_OK;
}

static rp_code put_bodies(rp_usda *usda, rp_report *report)
{
    if (usda->part == RP_USDA_SERIES) return RP_OK;
    double plane_size = rp_export_plane_size(usda->export->scene);
    rp_code code = RP_OK;
    for (int i = 0; i < usda->export->view->body_count && code == RP_OK; i++)
        code = put_body(usda, i, plane_size, report);
    return code;
}

rp_code rp_export_usda_bodies(const rp_export *export, rp_report *report)
{
    rp_usda_prim prim = {"bodies", "Xform", "Bodies", put_bodies, true};
    return rp_usda_write(export, &prim, NULL, report);
}
