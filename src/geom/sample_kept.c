/* Samples kept in a folder between runs. A file is a head, the points, the normals, and a hash of
 * all that; one that is cut, damaged or from another kind of machine is made again. */
#include "base/aside.h"
#include "base/hash.h"
#include "base/memory.h"
#include "geom/sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH 4096

typedef struct head {
    char name[16];  /* "repose samples" */
    uint64_t order; /* of bytes: 0x0102030405060708 */
    uint64_t key;   /* of shape and spacing */
    uint64_t count; /* samples */
    double spacing, area, mean, spread;
    uint64_t rounds;
} head;

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

static bool head_fits(const head *h, uint64_t key, double spacing, off_t size)
{
    rp_samples none = {.spacing = spacing};
    head wanted = head_of(&none, key);
    return memcmp(h->name, wanted.name, sizeof h->name) == 0 && h->order == wanted.order &&
           h->key == key && h->spacing == spacing && h->count > 0 && h->count <= RP_SAMPLES_MAX &&
           size == (off_t)(sizeof *h + 2 * h->count * sizeof(rp_vec3) + sizeof(uint64_t));
}

static bool read_samples(FILE *file, uint64_t key, double spacing, rp_samples *s)
{
    head h;
    struct stat info;
    if (fstat(fileno(file), &info) != 0 || fread(&h, sizeof h, 1, file) != 1) return false;
    if (!head_fits(&h, key, spacing, info.st_size)) return false;
    *s = (rp_samples){.count = h.count,
                      .spacing = spacing,
                      .area = h.area,
                      .mean = h.mean,
                      .spread = h.spread,
                      .rounds = (int)h.rounds,
                      .kept = true};
    s->points = rp_allocate(s->count * sizeof *s->points);
    s->normals = rp_allocate(s->count * sizeof *s->normals);
    uint64_t hash;
    return s->points && s->normals &&
           fread(s->points, sizeof(rp_vec3), s->count, file) == s->count &&
           fread(s->normals, sizeof(rp_vec3), s->count, file) == s->count &&
           fread(&hash, sizeof hash, 1, file) == 1 && hash == hash_of(&h, s);
}

static bool load(const char *path, uint64_t key, double spacing, rp_samples *samples)
{
    FILE *file = fopen(path, "rb");
    *samples = (rp_samples){0};
    if (!file) return false;
    bool ok = read_samples(file, key, spacing, samples);
    fclose(file);
    if (!ok) rp_samples_release(samples);
    return ok;
}

/* The folder and those above it. */
static void make_folder(const char *path)
{
    char part[PATH];
    snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        mkdir(part, 0700);
        *c = '/';
    }
    mkdir(part, 0700);
}

/* Trouble is passed over: without the file the samples are only made again. */
static void save(const char *folder, const char *path, uint64_t key, const rp_samples *s)
{
    head h = head_of(s, key);
    uint64_t hash = hash_of(&h, s);
    rp_aside file;
    make_folder(folder);
    if (rp_aside_open(&file, path, NULL) != RP_OK) return;
    rp_aside_write(&file, &h, sizeof h);
    rp_aside_write(&file, s->points, s->count * sizeof(rp_vec3));
    rp_aside_write(&file, s->normals, s->count * sizeof(rp_vec3));
    rp_aside_write(&file, &hash, sizeof hash);
    (void)rp_aside_finish(&file, NULL);
}

rp_code rp_shape_sample_kept(const rp_shape *shape, double spacing, const char *folder,
                             rp_threads *threads, rp_samples *samples, rp_report *report)
{
    char path[PATH];
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

bool rp_cache_folder(char *path, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (base && base[0] == '/')
        length = snprintf(path, size, "%s/repose", base);
    else if (home && home[0] == '/')
        length = snprintf(path, size, "%s/.cache/repose", home);
    return length > 0 && (size_t)length < size;
}
