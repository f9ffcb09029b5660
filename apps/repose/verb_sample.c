#include "base/aside.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/report.h"
#include "cli.h"
#include "geom/mass.h"
#include "geom/sample.h"
#include "sample_picture.h"
#include "scene/units.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const option_spec specs[] = {
    {"--spacing", NULL, "LENGTH", OPTION_TEXT, offsetof(options, spacing),
     "distance of neighbouring samples, such as 5mm (in metres without a unit)"},
    {"--scale", NULL, "X", OPTION_TEXT, offsetof(options, scale),
     "metres per unit of the file (default 1)"},
    {"--output", "-o", "FILE|DIR", OPTION_TEXT, offsetof(options, output),
     "samples as *.csv, *.ply or *.vtp with a picture beside them, a picture alone (*.png), or a "
     "folder for both (default: the picture MESH-samples.png here)"},
    {"--no-cache", NULL, NULL, OPTION_FLAG, offsetof(options, no_cache),
     "neither take samples from the cache nor keep them there"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); the samples do not depend on it"},
};

typedef struct job {
    const options *options;
    rp_threads *threads;
    double spacing, scale;
    rp_mesh *mesh;
    rp_mass mass; /* of density 1 */
    rp_samples samples;
    char samples_path[PATH_MAX]; /* empty: none */
    char picture_path[PATH_MAX];
    double read_s, prepare_s, sample_s, picture_s;
} job;

/* A quantity above 0. */
static rp_code read_positive(const char *option, const char *text, const char *unit, double *value,
                             rp_report *report)
{
    rp_code code = read_quantity(option, text, unit, value, report);
    if (code != RP_OK || *value > 0) return code;
    return rp_fail(report, RP_ERROR_INPUT, "%s %s: it must be above 0", option, text);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), part = strlen(end);
    return length > part && strcmp(text + length - part, end) == 0;
}

/* The name of the mesh without folder and ending. */
static void stem_of(const char *path, char *stem, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(stem, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = 0;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Where samples and picture go. */
static rp_code choose_paths(job *j, rp_report *report)
{
    const char *output = j->options->output;
    char stem[NAME_MAX + 1];
    stem_of(j->options->words[0], stem, sizeof stem);
    if (output && strlen(output) + sizeof stem + 16 > sizeof j->samples_path)
        return rp_fail(report, RP_ERROR_INPUT, "the path of the output is too long");
    if (!output) {
        snprintf(j->picture_path, sizeof j->picture_path, "%s-samples.png", stem);
    } else if (is_folder(output)) {
        snprintf(j->samples_path, sizeof j->samples_path, "%s/%s-samples.ply", output, stem);
        snprintf(j->picture_path, sizeof j->picture_path, "%s/%s-samples.png", output, stem);
    } else if (ends_with(output, ".png")) {
        snprintf(j->picture_path, sizeof j->picture_path, "%s", output);
    } else if (ends_with(output, ".csv") || ends_with(output, ".ply") ||
               ends_with(output, ".vtp")) {
        snprintf(j->samples_path, sizeof j->samples_path, "%s", output);
        snprintf(j->picture_path, sizeof j->picture_path, "%.*s.png", (int)strlen(output) - 4,
                 output);
    } else {
        return rp_fail(report, RP_ERROR_INPUT,
                       "-o %s: samples are written as *.csv, *.ply or *.vtp, pictures as *.png, or "
                       "both into a folder that exists",
                       output);
    }
    return RP_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

static void print_csv(rp_aside *file, const rp_samples *s)
{
    rp_aside_print(file, "x,y,z,nx,ny,nz\n");
    for (size_t i = 0; i < s->count; i++) {
        rp_vec3 p = s->points[i], n = s->normals[i];
        rp_aside_print(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", p.x, p.y, p.z, n.x, n.y, n.z);
    }
}

static void print_ply(rp_aside *file, const rp_samples *s)
{
    rp_aside_print(file,
                   "ply\nformat ascii 1.0\ncomment samples by repose, in metres\n"
                   "element vertex %zu\n",
                   s->count);
    static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz"};
    for (int k = 0; k < 6; k++)
        rp_aside_print(file, "property double %s\n", names[k]);
    rp_aside_print(file, "end_header\n");
    for (size_t i = 0; i < s->count; i++) {
        rp_vec3 p = s->points[i], n = s->normals[i];
        rp_aside_print(file, "%.17g %.17g %.17g %.9g %.9g %.9g\n", p.x, p.y, p.z, n.x, n.y, n.z);
    }
}

static void print_vectors(rp_aside *file, const char *name, const rp_vec3 *values, size_t count)
{
    rp_aside_print(file,
                   "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"3\" "
                   "format=\"ascii\">\n",
                   name);
    for (size_t i = 0; i < count; i++)
        rp_aside_print(file, "%.17g %.17g %.17g\n", values[i].x, values[i].y, values[i].z);
    rp_aside_print(file, "</DataArray>\n");
}

/* All samples are one cell of many points: ParaView opens it much faster than one cell each. */
static void print_vtp(rp_aside *file, const rp_samples *s)
{
    rp_aside_print(file,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\">\n"
                   "<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"1\" "
                   "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n"
                   "<PointData Normals=\"normal\">\n",
                   s->count);
    print_vectors(file, "normal", s->normals, s->count);
    rp_aside_print(file, "</PointData>\n<Points>\n");
    print_vectors(file, "position", s->points, s->count);
    rp_aside_print(file, "</Points>\n<Verts>\n<DataArray type=\"Int64\" Name=\"connectivity\" "
                         "format=\"ascii\">\n");
    for (size_t i = 0; i < s->count; i++)
        rp_aside_print(file, "%zu\n", i);
    rp_aside_print(file,
                   "</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n"
                   "%zu\n</DataArray>\n</Verts>\n</Piece>\n</PolyData>\n</VTKFile>\n",
                   s->count);
}

static rp_code write_samples(const job *j, rp_report *report)
{
    const char *path = j->samples_path;
    rp_aside file;
    if (!path[0]) return RP_OK;
    rp_code code = rp_aside_open(&file, path, report);
    if (code != RP_OK) return code;
    if (ends_with(path, ".csv"))
        print_csv(&file, &j->samples);
    else if (ends_with(path, ".ply"))
        print_ply(&file, &j->samples);
    else
        print_vtp(&file, &j->samples);
    return rp_aside_finish(&file, report);
}

static rp_code write_picture(job *j, rp_report *report)
{
    double start = rp_clock();
    rp_picture *picture = NULL;
    rp_code code = sample_picture(j->mesh, &j->samples, j->threads, &picture, report);
    if (code == RP_OK) code = rp_picture_write_png(picture, j->picture_path, report);
    rp_picture_destroy(picture);
    j->picture_s = rp_clock() - start;
    return code;
}

/* --- telling ---------------------------------------------------------------------------------- */

static void print_text(const job *j)
{
    const rp_mesh *m = j->mesh;
    const rp_samples *s = &j->samples;
    rp_vec3 low = m->bounds.low, high = m->bounds.high, c = j->mass.centre;
    printf("triangles:  %zu, vertices %zu\n", m->triangle_count, m->vertex_count);
    printf("bounds:     (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) m\n", low.x, low.y, low.z, high.x,
           high.y, high.z);
    printf("volume:     %.8g m3", j->mass.mass);
    if (m->excess.volume != 0)
        printf(" (parts overlap; the error is about %.2g m3)", m->excess.error);
    printf(", surface %.8g m2\n", s->area);
    printf("centre:     (%.6g, %.6g, %.6g) m\n", c.x, c.y, c.z);
    printf("samples:    %zu%s\n", s->count, s->kept ? ", from the cache" : "");
    printf("distance:   %.6g m to the nearest on average, wanted %.6g m\n", s->mean, s->spacing);
    printf("spread:     %.2f %% of it (standard deviation), after %d rounds\n", 100 * s->spread,
           s->rounds);
    printf("time:       read %.2f s, tree and field %.2f s, samples %.2f s, picture %.2f s\n",
           j->read_s, j->prepare_s, j->sample_s, j->picture_s);
    if (j->samples_path[0]) printf("written:    %s\n", plain(j->samples_path));
    printf("picture:    %s (lines of equal distance every %g m)\n", plain(j->picture_path),
           sample_picture_step(m));
}

static void print_vector_json(const char *name, rp_vec3 v)
{
    printf("\"%s\": [%.17g, %.17g, %.17g], ", name, v.x, v.y, v.z);
}

static void print_json(const job *j)
{
    const rp_samples *s = &j->samples;
    printf("{\"triangles\": %zu, \"vertices\": %zu, ", j->mesh->triangle_count,
           j->mesh->vertex_count);
    print_vector_json("low", j->mesh->bounds.low);
    print_vector_json("high", j->mesh->bounds.high);
    print_vector_json("centre", j->mass.centre);
    printf("\"volume\": %.17g, \"volume_error\": %.17g, \"area\": %.17g, \"samples\": %zu, "
           "\"spacing\": %.17g, "
           "\"nearest_mean\": %.17g, \"nearest_spread\": %.17g, \"rounds\": %d, \"cached\": %s, ",
           j->mass.mass, j->mesh->excess.error, s->area, s->count, s->spacing, s->mean, s->spread,
           s->rounds, s->kept ? "true" : "false");
    printf("\"seconds\": {\"read\": %.6g, \"prepare\": %.6g, \"sample\": %.6g, \"picture\": %.6g}, "
           "\"file\": ",
           j->read_s, j->prepare_s, j->sample_s, j->picture_s);
    if (j->samples_path[0])
        print_json_text(stdout, j->samples_path);
    else
        printf("null");
    printf(", \"picture\": ");
    print_json_text(stdout, j->picture_path);
    printf("}\n");
}

/* --- the verb --------------------------------------------------------------------------------- */

static rp_code make_samples(job *j, rp_report *report)
{
    double start = rp_clock();
    rp_code code = rp_mesh_load(j->options->words[0], j->scale, &j->mesh, report);
    j->read_s = rp_clock() - start;
    double length;
    if (code == RP_OK && !j->options->scale && rp_mesh_seems_in_mm(j->mesh, &length))
        rp_log(RP_LOG_WARNING, "%s: the mesh is %.4g m long; is it in mm? try --scale 0.001",
               j->options->words[0], length);
    start = rp_clock();
    if (code == RP_OK) code = rp_mesh_prepare(j->mesh, 0, j->threads, report);
    j->prepare_s = rp_clock() - start;
    if (code != RP_OK) return code;
    char folder[PATH_MAX];
    bool keep = !j->options->no_cache && rp_cache_folder(folder, sizeof folder);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = j->mesh};
    rp_shape_mass(&shape, 1, &j->mass);
    start = rp_clock();
    code = rp_shape_sample_kept(&shape, j->spacing, keep ? folder : NULL, j->threads, &j->samples,
                                report);
    j->sample_s = rp_clock() - start;
    return code;
}

static int run(const verb *v, const options *o)
{
    if (!o->spacing) return say_usage(v, "--spacing is missing: how far apart samples shall be");
    rp_report *report = rp_report_create();
    job *j = calloc(1, sizeof *j);
    rp_code code = j ? RP_OK : rp_fail_memory(report, sizeof *j, "the paths of files");
    if (!j) return say_faults(code, report, o->json);
    j->options = o;
    j->scale = 1;
    code = read_positive("--spacing", o->spacing, "m", &j->spacing, report);
    if (code == RP_OK && o->scale) code = read_positive("--scale", o->scale, "", &j->scale, report);
    if (code == RP_OK) code = choose_paths(j, report);
    if (code == RP_OK) code = rp_threads_create((int)(o->threads & INT_MAX), &j->threads, report);
    if (code == RP_OK) code = make_samples(j, report);
    if (code == RP_OK) code = write_samples(j, report);
    if (code == RP_OK) code = write_picture(j, report);
    if (code == RP_OK) o->json ? print_json(j) : print_text(j);
    int result = say_faults(code, report, o->json);
    rp_samples_release(&j->samples);
    rp_mesh_destroy(j->mesh);
    rp_threads_destroy(j->threads);
    rp_report_destroy(report);
    free(j);
    return result;
}

const verb verb_sample = {
    .name = "sample",
    .words = "MESH",
    .help = "spread even samples over the surface of a mesh",
    .more =
        "Reads a mesh as a scene would, tells its size, volume and centre, and spreads points\n"
        "over its surface that are about as far apart as --spacing says. The picture shows the\n"
        "samples on the body and a cut through its distance field. Samples are kept in\n"
        "$XDG_CACHE_HOME/repose or ~/.cache/repose and found there again.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
