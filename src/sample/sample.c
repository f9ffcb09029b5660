/* Even samples of meshes, for the public interface. */
#include "sample/sample.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "system/atomic.h"

#include <math.h>
#include <string.h>

void rp_default_sample_options_fill(rp_sample_options *options, size_t size)
{
    rp_sample_options own = {.size = size};
    rp_options_give(options, size, &own, sizeof own);
}

static rp_code load(rp_sampling *s, const char *path, const rp_sample_options *o, rp_report *report)
{
    double length, start = rp_clock();
    RP_TRY(rp_mesh_load(path, o->scale > 0 ? o->scale : 1, &s->mesh, report));
    s->read_seconds = rp_clock() - start;
    if (o->scale == 0 && rp_mesh_seems_in_mm(s->mesh, &length))
        rp_log(RP_LOG_WARNING, "%s: the mesh is %.4g m long; is it in mm? try --scale 0.001", path,
               length);
    start = rp_clock();
    rp_code code = rp_mesh_prepare(s->mesh, 0, s->threads, report);
    s->prepare_seconds = rp_clock() - start;
    return code;
}

static rp_code spread(rp_sampling *s, const rp_sample_options *o, rp_report *report)
{
    char folder[RP_PATH_MAX];
    bool keep = o->cache && rp_sample_cache_folder(folder, sizeof folder);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = s->mesh};
    rp_shape_mass(&shape, 1, &s->mass);
    double start = rp_clock();
    rp_code code = rp_shape_sample_kept(&shape, o->spacing, keep ? folder : NULL, s->threads,
                                        &s->samples, report);
    s->sample_seconds = rp_clock() - start;
    return code;
}

rp_code rp_sampling_create(const char *path, const rp_sample_options *options, rp_sampling **out,
                           rp_report *report)
{
    RP_NEED(path, report);
    RP_NEED(options, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    rp_sample_options own = rp_default_sample_options();
    RP_TAKE_OPTIONS(&own, options, report);
    if (!(own.spacing > 0 && isfinite(own.spacing)) || !(own.scale >= 0 && isfinite(own.scale)))
        return rp_fail(report, RP_ERROR_INPUT,
                       "samples %g m apart of a mesh at scale %g: the spacing must be above 0, the "
                       "scale not below",
                       own.spacing, own.scale);
    rp_sampling *s = rp_allocate_zero(sizeof *s);
    if (!s) return rp_fail_memory(report, sizeof *s, "samples");
    rp_code code = rp_threads_create(own.threads, &s->threads, report);
    if (code == RP_OK) code = load(s, path, &own, report);
    if (code == RP_OK) code = spread(s, &own, report);
    if (code == RP_OK)
        *out = s;
    else
        rp_sampling_destroy(s);
    return code;
}

void rp_sampling_destroy(rp_sampling *sampling)
{
    if (!sampling) return;
    rp_samples_release(&sampling->samples);
    rp_mesh_destroy(sampling->mesh);
    rp_threads_destroy(sampling->threads);
    rp_release(sampling, sizeof *sampling);
}

static void put(double to[3], rp_vec3 from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

rp_sampling_info rp_sampling_state(const rp_sampling *sampling)
{
    if (!sampling) return (rp_sampling_info){0};
    const rp_mesh *mesh = sampling->mesh;
    const rp_samples *samples = &sampling->samples;
    rp_sampling_info info = {.triangles = mesh->triangle_count,
                             .vertices = mesh->vertex_count,
                             .volume = sampling->mass.mass,
                             .volume_error = mesh->excess.error,
                             .overlaps = mesh->excess.volume != 0,
                             .area = samples->area,
                             .samples = samples->count,
                             .spacing = samples->spacing,
                             .nearest_mean = samples->mean,
                             .nearest_spread = samples->spread,
                             .rounds = samples->rounds,
                             .cached = samples->kept,
                             .contour = rp_sampling_contour(mesh),
                             .read_seconds = sampling->read_seconds,
                             .prepare_seconds = sampling->prepare_seconds,
                             .sample_seconds = sampling->sample_seconds};
    put(info.low, mesh->bounds.low);
    put(info.high, mesh->bounds.high);
    put(info.centre, sampling->mass.centre);
    return info;
}

_Static_assert(sizeof(rp_vec3) == 3 * sizeof(double), "points are handed out as numbers");

const double *rp_sampling_points(const rp_sampling *sampling)
{
    return sampling ? &sampling->samples.points->x : NULL;
}

const double *rp_sampling_normals(const rp_sampling *sampling)
{
    return sampling ? &sampling->samples.normals->x : NULL;
}

/* --- files ------------------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), part = strlen(end);
    return length > part && strcmp(text + length - part, end) == 0;
}

static void print_csv(rp_atomic *file, const rp_samples *s)
{
    rp_atomic_print(file, "x,y,z,nx,ny,nz\n");
    for (size_t i = 0; i < s->count; i++) {
        rp_vec3 p = s->points[i], n = s->normals[i];
        rp_atomic_print(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", p.x, p.y, p.z, n.x, n.y,
                        n.z);
    }
}

static void print_ply(rp_atomic *file, const rp_samples *s)
{
    rp_atomic_print(file,
                    "ply\nformat ascii 1.0\ncomment samples by repose, in metres\n"
                    "element vertex %zu\n",
                    s->count);
    static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz"};
    for (int k = 0; k < 6; k++)
        rp_atomic_print(file, "property double %s\n", names[k]);
    rp_atomic_print(file, "end_header\n");
    for (size_t i = 0; i < s->count; i++) {
        rp_vec3 p = s->points[i], n = s->normals[i];
        rp_atomic_print(file, "%.17g %.17g %.17g %.9g %.9g %.9g\n", p.x, p.y, p.z, n.x, n.y, n.z);
    }
}

static void print_vectors(rp_atomic *file, const char *name, const rp_vec3 *values, size_t count)
{
    rp_atomic_print(file,
                    "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"3\" "
                    "format=\"ascii\">\n",
                    name);
    for (size_t i = 0; i < count; i++)
        rp_atomic_print(file, "%.17g %.17g %.17g\n", values[i].x, values[i].y, values[i].z);
    rp_atomic_print(file, "</DataArray>\n");
}

/* All samples are one cell of many points: ParaView opens it much faster than one cell each. */
static void print_vtp(rp_atomic *file, const rp_samples *s)
{
    rp_atomic_print(file,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\">\n"
                    "<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"1\" "
                    "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n"
                    "<PointData Normals=\"normal\">\n",
                    s->count);
    print_vectors(file, "normal", s->normals, s->count);
    rp_atomic_print(file, "</PointData>\n<Points>\n");
    print_vectors(file, "position", s->points, s->count);
    rp_atomic_print(file, "</Points>\n<Verts>\n<DataArray type=\"Int64\" Name=\"connectivity\" "
                          "format=\"ascii\">\n");
    for (size_t i = 0; i < s->count; i++)
        rp_atomic_print(file, "%zu\n", i);
    rp_atomic_print(file,
                    "</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n"
                    "%zu\n</DataArray>\n</Verts>\n</Piece>\n</PolyData>\n</VTKFile>\n",
                    s->count);
}

rp_code rp_sampling_write(const rp_sampling *sampling, const char *path, rp_report *report)
{
    RP_NEED(sampling, report);
    RP_NEED(path, report);
    RP_ENTER();
    bool csv = ends_with(path, ".csv"), ply = ends_with(path, ".ply");
    if (!csv && !ply && !ends_with(path, ".vtp"))
        return rp_fail(report, RP_ERROR_INPUT, "%s: samples are written as *.csv, *.ply or *.vtp",
                       path);
    rp_atomic file;
    RP_TRY(rp_atomic_open(&file, path, report));
    if (csv)
        print_csv(&file, &sampling->samples);
    else if (ply)
        print_ply(&file, &sampling->samples);
    else
        print_vtp(&file, &sampling->samples);
    return rp_atomic_finish(&file, report);
}
