/* Samples kept in a folder between runs. A file is a head, the points, the normals, and a hash of
 * all that; one that is cut, damaged or from another kind of machine is made again. */
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "geom/sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct head {
    char name[16];  /* "repose samples" */
    uint64_t order; /* of bytes: 0x0102030405060708 */
    uint64_t key;   /* of shape and spacing */
    uint64_t count; /* samples */
    double spacing, area, mean, spread;
    uint64_t rounds;
} head;

/* What files hold: no padding, which would be written as chance left it and hashed. */
_Static_assert(sizeof(head) == 16 + 8 * sizeof(uint64_t), "the head of a file has no padding");
_Static_assert(sizeof(rp_vec3) == 3 * sizeof(double), "points are three doubles each");

/* The mesh as it is used, scaled; other shapes by their numbers. */
static uint64_t key_of(const rp_shape *shape, double spacing)
{
    const double numbers[] = {RP_SAMPLE_VERSION, (double)shape->kind, spacing,       shape->size.x,
                              shape->size.y,     shape->size.z,       shape->radius, shape->height,
                              shape->neck,       shape->thickness};
    if (shape->kind != RP_SHAPE_MESH) return rp_hash(numbers, sizeof numbers, 0);
    const rp_mesh *mesh = shape->mesh;
    uint64_t key = rp_hash(numbers, 3 * sizeof *numbers, 0);
    key = rp_hash(mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices, key);
    return rp_hash(mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles, key);
}

static head head_of(const rp_samples *s, uint64_t key)
{
    return (head){"repose samples", 0x0102030405060708, key, s->count, s->spacing, s->area, s->mean,
                  s->spread,        (uint64_t)s->rounds};
}

static uint64_t hash_of(const head *h, const rp_samples *s)
{
    size_t bytes = s->count * sizeof(rp_vec3);
    uint64_t hash = rp_hash(h, sizeof *h, 0);
    hash = rp_hash(s->points, bytes, hash);
    return rp_hash(s->normals, bytes, hash);
}

static bool head_fits(const head *h, uint64_t key, double spacing, size_t size)
{
    rp_samples none = {.spacing = spacing};
    head wanted = head_of(&none, key);
    return memcmp(h->name, wanted.name, sizeof h->name) == 0 && h->order == wanted.order &&
           h->key == key && h->spacing == spacing && h->count > 0 && h->count <= RP_SAMPLES_MAX &&
           size == sizeof *h + 2 * h->count * sizeof(rp_vec3) + sizeof(uint64_t);
}

/* Takes the samples out of the bytes of a file. */
static bool take_samples(const char *data, size_t size, uint64_t key, double spacing, rp_samples *s)
{
    head h;
    uint64_t hash;
    if (size < sizeof h) return false;
    memcpy(&h, data, sizeof h);
    if (!head_fits(&h, key, spacing, size)) return false;
    *s = (rp_samples){.count = h.count,
                      .spacing = spacing,
                      .area = h.area,
                      .mean = h.mean,
                      .spread = h.spread,
                      .rounds = (int)h.rounds,
                      .kept = true};
    size_t bytes = s->count * sizeof(rp_vec3);
    s->points = rp_allocate(bytes);
    s->normals = rp_allocate(bytes);
    if (!s->points || !s->normals) return false;
    memcpy(s->points, data + sizeof h, bytes);
    memcpy(s->normals, data + sizeof h + bytes, bytes);
    memcpy(&hash, data + sizeof h + 2 * bytes, sizeof hash);
    return hash == hash_of(&h, s);
}

/* True when a plain file of a size that samples may have was read. */
static bool read_file(const char *path, char **data, size_t *size)
{
    size_t largest = sizeof(head) + 2 * RP_SAMPLES_MAX * sizeof(rp_vec3) + sizeof(uint64_t), got;
    rp_file_info info;
    *data = NULL;
    if (rp_file_status(path, &info) || info.kind != RP_FILE_PLAIN || info.size > largest)
        return false;
    *size = (size_t)info.size;
    *data = rp_allocate(*size);
    return *data && rp_file_read_start(path, *data, *size, &got) == 0 && got == *size;
}

static bool load(const char *path, uint64_t key, double spacing, rp_samples *samples)
{
    char *data;
    size_t size = 0;
    *samples = (rp_samples){0};
    bool ok = read_file(path, &data, &size) && take_samples(data, size, key, spacing, samples);
    rp_release(data, size);
    if (!ok) rp_samples_release(samples);
    return ok;
}

/* Trouble is passed over: without the file the samples are only made again. */
static void save(const char *folder, const char *path, uint64_t key, const rp_samples *s)
{
    head h = head_of(s, key);
    uint64_t hash = hash_of(&h, s);
    const rp_file_piece pieces[] = {{&h, sizeof h},
                                    {s->points, s->count * sizeof(rp_vec3)},
                                    {s->normals, s->count * sizeof(rp_vec3)},
                                    {&hash, sizeof hash}};
    rp_file_cache(folder, path, pieces, 4);
}

rp_code rp_shape_sample_kept(const rp_shape *shape, double spacing, const char *folder,
                             rp_threads *threads, rp_samples *samples, rp_report *report)
{
    char path[RP_PATH_MAX];
    uint64_t key = 0;
    bool keep = folder && shape->kind != RP_SHAPE_PLANE;
    if (keep) {
        key = key_of(shape, spacing);
        int length = snprintf(path, sizeof path, "%s/samples-%016" PRIx64, folder, key);
        keep = length < (int)sizeof path;
    }
    if (keep && load(path, key, spacing, samples)) return RP_OK;
    rp_code code = rp_shape_sample(shape, spacing, threads, samples, report);
    if (code == RP_OK && keep) save(folder, path, key, samples);
    return code;
}

bool rp_sample_cache_folder(char *path, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (base && base[0] == '/')
        length = snprintf(path, size, "%s/repose", base);
    else if (home && home[0] == '/')
        length = snprintf(path, size, "%s/.cache/repose", home);
    return length > 0 && (size_t)length < size;
}
