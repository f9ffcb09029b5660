/* Even samples of meshes, for the public interface. */
#include "sample/sample.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "meshfile/meshfile.h"
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
    rp_code code = rp_shape_sample_cached(&shape, o->spacing, keep ? folder : NULL, s->threads,
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
                             .volume_error = mesh->overlap.error,
                             .overlaps = mesh->overlap.volume != 0,
                             .area = samples->area,
                             .samples = samples->count,
                             .spacing = samples->spacing,
                             .nearest_mean = samples->mean,
                             .nearest_spread = samples->spread,
                             .rounds = samples->rounds,
                             .cached = samples->cached,
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

/* --- picture ---------------------------------------------------------------------------------- */

/* Two squares side by side. Left the body from above its front corner, with a small ball for every
 * sample, by a depth buffer of four samples a pixel. Right a vertical section through the middle,
 * seen from the front: colours and contours of equal distance to the surface, and the samples near
 * the section. */

#define EDGE 720 /* pixels of a square */
#define FINE 2   /* samples along a pixel's edge */
#define SIDE (EDGE * FINE)
#define CUT_STEP 4 /* pixels between exact distances in the cut, away from the surface */
#define CUT_NODES (EDGE / CUT_STEP + 1)
#define MARGIN 1.16

/* --- the body --------------------------------------------------------------------------------- */

typedef struct scene {
    const rp_mesh *mesh;
    const rp_samples *samples;
    rp_vec3 right, up, toward; /* of the camera */
    rp_vec3 middle;            /* m */
    double per_metre;          /* fine pixels */
    float *depth;              /* m, towards the camera */
    rp_vec3 *colour;           /* linear */
} scene;

static rp_vec3 mix(rp_vec3 a, rp_vec3 b, double t)
{
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    return rp_v3_madd(rp_v3_scale(a, 1 - t), t, b);
}

/* A lamp beside the camera, a sky, and a little light from below. */
static rp_vec3 shade(const scene *s, rp_vec3 normal, rp_vec3 albedo)
{
    rp_vec3 lamp =
        rp_v3_normalized(rp_v3_add(rp_v3_add(rp_v3_scale(s->toward, 0.6), rp_v3_scale(s->up, 0.7)),
                                   rp_v3_scale(s->right, -0.6)));
    double direct = rp_v3_dot(normal, lamp);
    double light = 0.85 * (direct > 0 ? direct : 0) + 0.22 + 0.13 * normal.z;
    return rp_v3_scale(albedo, light);
}

static rp_vec3 to_picture(const scene *s, rp_vec3 p)
{
    rp_vec3 v = rp_v3_sub(p, s->middle);
    return rp_v3(SIDE / 2.0 + s->per_metre * rp_v3_dot(v, s->right),
                 SIDE / 2.0 - s->per_metre * rp_v3_dot(v, s->up), rp_v3_dot(v, s->toward));
}

static void put_pixel(scene *s, int x, int y, double depth, rp_vec3 colour)
{
    if (x < 0 || y < 0 || x >= SIDE || y >= SIDE) return;
    size_t at = (size_t)y * SIDE + (size_t)x;
    if (!((float)depth > s->depth[at])) return;
    s->depth[at] = (float)depth;
    s->colour[at] = colour;
}

static int clamp(double value)
{
    return value < 0 ? 0 : value > SIDE - 1 ? SIDE - 1 : (int)value;
}

static void draw_triangle(scene *s, size_t t)
{
    rp_vec3 c[3];
    rp_mesh_corners(s->mesh, t, c);
    rp_vec3 normal = rp_v3_normalized(rp_v3_cross(rp_v3_sub(c[1], c[0]), rp_v3_sub(c[2], c[0])));
    if (rp_v3_dot(normal, s->toward) <= 0) return;
    rp_vec3 colour = shade(s, normal, rp_v3(0.30, 0.36, 0.42));
    rp_vec3 a = to_picture(s, c[0]), b = to_picture(s, c[1]), d = to_picture(s, c[2]);
    double area = (b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x);
    if (area == 0) return;
    int left = clamp(fmin(a.x, fmin(b.x, d.x))), right = clamp(fmax(a.x, fmax(b.x, d.x)) + 1);
    int top = clamp(fmin(a.y, fmin(b.y, d.y))), bottom = clamp(fmax(a.y, fmax(b.y, d.y)) + 1);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            double px = x + 0.5 - a.x, py = y + 0.5 - a.y;
            double v = (px * (d.y - a.y) - py * (d.x - a.x)) / area;
            double w = ((b.x - a.x) * py - (b.y - a.y) * px) / area;
            if (v < 0 || w < 0 || v + w > 1) continue;
            put_pixel(s, x, y, a.z + v * (b.z - a.z) + w * (d.z - a.z), colour);
        }
}

/* A ball whose middle is on the surface, so that half of it is seen. */
static void draw_sample(scene *s, size_t i)
{
    rp_vec3 at = to_picture(s, s->samples->points[i]);
    double radius = 0.27 * s->samples->spacing * s->per_metre;
    radius = radius < 1.2 ? 1.2 : radius;
    for (int y = clamp(at.y - radius); y <= clamp(at.y + radius); y++)
        for (int x = clamp(at.x - radius); x <= clamp(at.x + radius); x++) {
            double u = (x + 0.5 - at.x) / radius, v = (at.y - y - 0.5) / radius;
            double height = 1 - u * u - v * v;
            if (height < 0) continue;
            height = sqrt(height);
            rp_vec3 normal =
                rp_v3_madd(rp_v3_madd(rp_v3_scale(s->toward, height), u, s->right), v, s->up);
            put_pixel(s, x, y, at.z + height * radius / s->per_metre,
                      shade(s, normal, rp_v3(0.90, 0.42, 0.10)));
        }
}

static void draw_body(scene *s)
{
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        s->depth[i] = -INFINITY;
        s->colour[i] =
            mix(rp_v3(0.93, 0.94, 0.95), rp_v3(0.70, 0.74, 0.79), (double)(i / SIDE) / SIDE);
    }
    for (size_t t = 0; t < s->mesh->triangle_count; t++)
        draw_triangle(s, t);
    for (size_t i = 0; i < s->samples->count; i++)
        draw_sample(s, i);
}

static void set_pixel(const rp_picture *picture, int x, int y, rp_vec3 linear)
{
    uint8_t *pixel = rp_picture_at(picture, x, y);
    const double parts[3] = {linear.x, linear.y, linear.z};
    for (int k = 0; k < 3; k++) {
        double value = parts[k] > 0 ? (parts[k] < 1 ? parts[k] : 1) : 0;
        pixel[k] = (uint8_t)(255 * rp_picture_srgb_encode(value) + 0.5);
    }
}

static void copy_body(const scene *s, const rp_picture *picture)
{
    for (int y = 0; y < EDGE; y++)
        for (int x = 0; x < EDGE; x++) {
            rp_vec3 sum = {0, 0, 0};
            for (int i = 0; i < FINE * FINE; i++)
                sum = rp_v3_add(sum, s->colour[(size_t)(FINE * y + i / FINE) * SIDE +
                                               (size_t)(FINE * x + i % FINE)]);
            set_pixel(picture, x, y, rp_v3_scale(sum, 1.0 / (FINE * FINE)));
        }
}

/* --- the cut ---------------------------------------------------------------------------------- */

typedef struct cut {
    rp_shape shape;
    const rp_samples *samples;
    rp_vec3 middle;         /* m, of the picture */
    double pixel;           /* m */
    double step;            /* m, between lines */
    double inside, outside; /* m, the farthest from the surface in the picture */
    const rp_picture *picture;
    double nodes[CUT_NODES * CUT_NODES]; /* m, exact distances every few pixels */
} cut;

/* The front view: x to the right, z up. */
static rp_vec3 cut_point(const cut *c, double x, double y)
{
    return rp_v3(c->middle.x + (x - EDGE / 2.0) * c->pixel, c->middle.y,
                 c->middle.z - (y - EDGE / 2.0) * c->pixel);
}

static void fill_cut_nodes(void *context, rp_range range)
{
    cut *c = context;
    for (size_t i = range.begin; i < range.end; i++) {
        double x = (double)(i % CUT_NODES) * CUT_STEP, y = (double)(i / CUT_NODES) * CUT_STEP;
        c->nodes[i] = rp_shape_distance(&c->shape, cut_point(c, x, y), NULL);
    }
}

/* Between the nodes, and exact where the surface is near. */
static double cut_distance(const cut *c, double x, double y)
{
    size_t column = (size_t)(x / CUT_STEP), row = (size_t)(y / CUT_STEP);
    double u = x / CUT_STEP - (double)column, v = y / CUT_STEP - (double)row;
    const double *n = &c->nodes[row * CUT_NODES + column];
    double value =
        (1 - v) * ((1 - u) * n[0] + u * n[1]) + v * ((1 - u) * n[CUT_NODES] + u * n[CUT_NODES + 1]);
    if (fabs(value) > 2 * CUT_STEP * c->pixel) return value;
    return rp_shape_distance(&c->shape, cut_point(c, x, y), NULL);
}

/* How much of a line of half the width (in pixels) covers a pixel that is `off` (m) from it. */
static double line(const cut *c, double off, double half_width)
{
    double cover = half_width + 0.5 - fabs(off) / c->pixel;
    return cover > 0 ? (cover < 1 ? cover : 1) : 0;
}

static rp_vec3 cut_colour(const cut *c, double distance)
{
    double part = distance < 0 ? -distance / c->inside : distance / c->outside;
    rp_vec3 colour = distance < 0 ? mix(rp_v3(0.42, 0.60, 0.80), rp_v3(0.02, 0.07, 0.22), part)
                                  : mix(rp_v3(0.98, 0.90, 0.72), rp_v3(0.72, 0.33, 0.18), part);
    double nearest = c->step * floor(distance / c->step + 0.5);
    colour = mix(colour, distance < 0 ? rp_v3(0.75, 0.88, 1) : rp_v3(0.35, 0.14, 0.06),
                 0.45 * line(c, distance - nearest, 0.35));
    return mix(colour, rp_v3(0.01, 0.01, 0.02), line(c, distance, 1.1));
}

static void draw_cut_rows(void *context, rp_range range)
{
    const cut *c = context;
    for (size_t y = range.begin; y < range.end; y++)
        for (int x = 0; x < EDGE; x++)
            set_pixel(c->picture, EDGE + x, (int)y,
                      cut_colour(c, cut_distance(c, x + 0.5, (double)y + 0.5)));
}

/* Samples within half a spacing of the cut, as dots. */
static void draw_cut_samples(const cut *c)
{
    const double radius = 3.2; /* pixels */
    for (size_t i = 0; i < c->samples->count; i++) {
        rp_vec3 at = rp_v3_sub(c->samples->points[i], c->middle);
        if (fabs(at.y) > 0.5 * c->samples->spacing) continue;
        double px = EDGE / 2.0 + at.x / c->pixel, py = EDGE / 2.0 - at.z / c->pixel;
        for (int y = (int)(py - radius); y <= (int)(py + radius); y++)
            for (int x = (int)(px - radius); x <= (int)(px + radius); x++) {
                if (x < 0 || y < 0 || x >= EDGE || y >= EDGE) continue;
                double off = rp_hypot(x + 0.5 - px, y + 0.5 - py);
                if (off > radius) continue;
                set_pixel(c->picture, EDGE + x, y,
                          off > radius - 1 ? rp_v3(0.05, 0.02, 0.01) : rp_v3(0.95, 0.45, 0.10));
            }
    }
}

static double longest_side(const rp_mesh *mesh)
{
    rp_vec3 size = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    return fmax(size.x, fmax(size.y, size.z));
}

/* The largest of 1, 2 and 5 times a power of ten that leaves 20 lines along the longest side. */
double rp_sampling_contour(const rp_mesh *mesh)
{
    double wanted = longest_side(mesh) / 20, power = 1;
    while (power > wanted)
        power /= 10;
    while (power * 10 <= wanted)
        power *= 10;
    return 5 * power <= wanted ? 5 * power : 2 * power <= wanted ? 2 * power : power;
}

static void draw_cut(cut *c, rp_threads *threads)
{
    rp_parallel_for(threads, (size_t)CUT_NODES * CUT_NODES, 256, fill_cut_nodes, c);
    for (size_t i = 0; i < (size_t)CUT_NODES * CUT_NODES; i++) {
        c->inside = fmax(c->inside, -c->nodes[i]);
        c->outside = fmax(c->outside, c->nodes[i]);
    }
    rp_parallel_for(threads, EDGE, 8, draw_cut_rows, c);
    draw_cut_samples(c);
    for (int y = 0; y < EDGE; y++)
        for (int x = EDGE - 2; x < EDGE + 2; x++)
            set_pixel(c->picture, x, y, rp_v3(1, 1, 1));
}

/* --- both ------------------------------------------------------------------------------------- */

/* So that the body, as the camera sees it, fills the square. */
static void fit(scene *s)
{
    rp_vec3 low = rp_v3(INFINITY, INFINITY, 0), high = rp_v3(-INFINITY, -INFINITY, 0);
    for (size_t i = 0; i < s->mesh->vertex_count; i++) {
        rp_vec3 v = rp_v3_sub(s->mesh->vertices[i], s->middle);
        rp_vec3 seen = rp_v3(rp_v3_dot(v, s->right), rp_v3_dot(v, s->up), 0);
        low = rp_v3_min(low, seen);
        high = rp_v3_max(high, seen);
    }
    s->middle = rp_v3_madd(s->middle, (low.x + high.x) / 2, s->right);
    s->middle = rp_v3_madd(s->middle, (low.y + high.y) / 2, s->up);
    s->per_metre = SIDE / (MARGIN * fmax(high.x - low.x, high.y - low.y));
}

static void paint(scene *s, cut *c, rp_threads *threads, rp_picture *picture)
{
    s->toward = rp_v3_normalized(rp_v3(0.55, -1, 0.62));
    s->right = rp_v3_normalized(rp_v3_cross(rp_v3(0, 0, 1), s->toward));
    s->up = rp_v3_cross(s->toward, s->right);
    rp_vec3 size = rp_v3_sub(s->mesh->bounds.high, s->mesh->bounds.low);
    fit(s);
    draw_body(s);
    copy_body(s, picture);
    c->pixel = MARGIN * fmax(size.x, fmax(size.z, 1e-3 * size.y)) / EDGE;
    c->step = rp_sampling_contour(s->mesh);
    c->picture = picture;
    draw_cut(c, threads);
}

rp_code rp_sampling_paint(const rp_sampling *sampling, rp_picture **out, rp_report *report)
{
    RP_NEED(sampling, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    const rp_mesh *mesh = sampling->mesh;
    const rp_samples *samples = &sampling->samples;
    rp_vec3 middle = rp_v3_scale(rp_v3_add(mesh->bounds.low, mesh->bounds.high), 0.5);
    size_t pixels = (size_t)SIDE * SIDE;
    scene s = {.mesh = mesh, .samples = samples, .middle = middle};
    s.depth = rp_allocate(pixels * sizeof *s.depth);
    s.colour = rp_allocate(pixels * sizeof *s.colour);
    cut *c = rp_allocate_zero(sizeof *c);
    rp_code code = s.depth && s.colour && c ? rp_picture_create(2 * EDGE, EDGE, out, report)
                                            : rp_fail_memory(report, pixels * 28, "a picture");
    if (code == RP_OK) {
        c->shape = (rp_shape){.kind = RP_SHAPE_MESH, .mesh = mesh};
        c->samples = samples;
        c->middle = middle;
        paint(&s, c, sampling->threads, *out);
    }
    rp_release(c, sizeof *c);
    rp_release(s.colour, pixels * sizeof *s.colour);
    rp_release(s.depth, pixels * sizeof *s.depth);
    return code;
}
