#include "cli.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const option_spec specs[] = {
    {"--spacing", NULL, "LENGTH", OPTION_TEXT, offsetof(options, spacing),
     "distance between neighboring samples, such as 5mm; bare numbers in metres"},
    {"--scale", NULL, "X", OPTION_TEXT, offsetof(options, scale),
     "metres per unit of the file (default 1)"},
    {"--output", "-o", "FILE|DIR", OPTION_TEXT, offsetof(options, output),
     "samples as *.csv, *.ply or *.vtp with a picture of the same name, a picture alone (*.png), "
     "or "
     "a folder for both (default: MESH-samples.png in the current folder)"},
    {"--no-cache", NULL, NULL, OPTION_FLAG, offsetof(options, no_cache),
     "neither read nor write the cache of samples"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); the samples do not depend on it"},
};

typedef struct job {
    const options *options;
    rp_sample_options wanted;
    rp_sampling *sampling;
    char samples_path[PATH_MAX]; /* empty: none */
    char picture_path[PATH_MAX];
    double picture_s; /* time to render the picture */
} job;

/* Reads a quantity above 0. */
static rp_code read_positive(const char *option, const char *text, const char *unit, double *value,
                             rp_report *report)
{
    rp_code code = read_quantity(option, text, unit, value, report);
    if (code != RP_OK || *value > 0) return code;
    return fail(report, RP_ERROR_INPUT, "%s %s: it must be above 0", option, text);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), part = strlen(end);
    return length > part && strcmp(text + length - part, end) == 0;
}

/* Writes the file name of the mesh without folder and extension. */
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

/* Chooses the paths of samples and picture. */
static rp_code choose_paths(job *j, rp_report *report)
{
    const char *output = j->options->output;
    char stem[NAME_MAX + 1];
    stem_of(j->options->words[0], stem, sizeof stem);
    if (output && strlen(output) + sizeof stem + 16 > sizeof j->samples_path)
        return fail(report, RP_ERROR_INPUT, "the path of the output is too long");
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
        return fail(report, RP_ERROR_INPUT,
                    "-o %s: samples are written as *.csv, *.ply or *.vtp, pictures as *.png, or "
                    "both into a folder that exists",
                    output);
    }
    return RP_OK;
}

static rp_code write_picture(job *j, rp_report *report)
{
    double start = wall_clock();
    rp_picture *picture = NULL;
    rp_code code = rp_sampling_paint(j->sampling, &picture, report);
    if (code == RP_OK) code = rp_picture_write_png(picture, j->picture_path, report);
    rp_picture_destroy(picture);
    j->picture_s = wall_clock() - start;
    return code;
}

/* --- results ---------------------------------------------------------------------------------- */

static void print_text(const job *j)
{
    rp_sampling_info s = rp_sampling_state(j->sampling);
    printf("triangles:  %zu, vertices %zu\n", s.triangles, s.vertices);
    printf("bounds:     (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) m\n", s.low[0], s.low[1], s.low[2],
           s.high[0], s.high[1], s.high[2]);
    printf("volume:     %.8g m3", s.volume);
    if (s.overlaps) printf(" (parts overlap; the error is about %.2g m3)", s.volume_error);
    printf(", surface %.8g m2\n", s.area);
    printf("centre:     (%.6g, %.6g, %.6g) m\n", s.centre[0], s.centre[1], s.centre[2]);
    printf("samples:    %zu%s\n", s.samples, s.cached ? ", from the cache" : "");
    printf("distance:   %.6g m to the nearest neighbor on average, requested %.6g m\n",
           s.nearest_mean, s.spacing);
    printf("spread:     %.2f %% of it (standard deviation), after %d rounds\n",
           100 * s.nearest_spread, s.rounds);
    printf(
        "time:       read %.2f s, BVH and distance field %.2f s, samples %.2f s, picture %.2f s\n",
        s.read_seconds, s.prepare_seconds, s.sample_seconds, j->picture_s);
    if (j->samples_path[0]) printf("written:    %s\n", plain(j->samples_path));
    printf("picture:    %s (lines of equal distance every %g m)\n", plain(j->picture_path),
           s.contour);
}

static void print_vector_json(const char *name, const double v[3])
{
    printf("\"%s\": [%.17g, %.17g, %.17g], ", name, v[0], v[1], v[2]);
}

static void print_json(const job *j)
{
    rp_sampling_info s = rp_sampling_state(j->sampling);
    printf("{\"triangles\": %zu, \"vertices\": %zu, ", s.triangles, s.vertices);
    print_vector_json("low", s.low);
    print_vector_json("high", s.high);
    print_vector_json("centre", s.centre);
    printf("\"volume\": %.17g, \"volume_error\": %.17g, \"area\": %.17g, \"samples\": %zu, "
           "\"spacing\": %.17g, "
           "\"nearest_mean\": %.17g, \"nearest_spread\": %.17g, \"rounds\": %d, \"cached\": %s, ",
           s.volume, s.volume_error, s.area, s.samples, s.spacing, s.nearest_mean, s.nearest_spread,
           s.rounds, s.cached ? "true" : "false");
    printf("\"seconds\": {\"read\": %.6g, \"prepare\": %.6g, \"sample\": %.6g, \"picture\": %.6g}, "
           "\"file\": ",
           s.read_seconds, s.prepare_seconds, s.sample_seconds, j->picture_s);
    if (j->samples_path[0])
        print_json_text(stdout, j->samples_path);
    else
        printf("null");
    printf(", \"picture\": ");
    print_json_text(stdout, j->picture_path);
    printf("}\n");
}

/* --- the verb --------------------------------------------------------------------------------- */

static int run(const verb *v, const options *o)
{
    if (!o->spacing)
        return print_usage_error(v,
                                 "--spacing is missing: the distance between neighboring samples");
    rp_report *report = rp_report_create();
    job *j = calloc(1, sizeof *j);
    rp_code code = j ? RP_OK : fail(report, RP_ERROR_MEMORY, "out of memory: the paths of files");
    if (!j) return print_faults(code, report, o->json);
    j->options = o;
    j->wanted = rp_default_sample_options();
    j->wanted.cache = !o->no_cache;
    j->wanted.threads = (int)(o->threads & INT_MAX);
    code = read_positive("--spacing", o->spacing, "m", &j->wanted.spacing, report);
    if (code == RP_OK && o->scale)
        code = read_positive("--scale", o->scale, "", &j->wanted.scale, report);
    if (code == RP_OK) code = choose_paths(j, report);
    if (code == RP_OK) code = rp_sampling_create(o->words[0], &j->wanted, &j->sampling, report);
    if (code == RP_OK && j->samples_path[0])
        code = rp_sampling_write(j->sampling, j->samples_path, report);
    if (code == RP_OK) code = write_picture(j, report);
    if (code == RP_OK) o->json ? print_json(j) : print_text(j);
    int result = print_faults(code, report, o->json);
    rp_sampling_destroy(j->sampling);
    rp_report_destroy(report);
    free(j);
    return result;
}

const verb verb_sample = {
    .name = "sample",
    .words = "MESH",
    .help = "inspect a mesh and sample its surface evenly",
    .more =
        "Reads a mesh as a scene would, prints its size, volume and centre, and distributes "
        "points\n"
        "over its surface at about the distance --spacing. The picture shows the samples and a\n"
        "section through the signed distance field. Samples are cached in\n"
        "$XDG_CACHE_HOME/repose or ~/.cache/repose.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
