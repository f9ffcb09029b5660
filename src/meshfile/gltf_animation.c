/* Animations of glTF files: the motion of one node as a list of poses. The chain of the node and
 * its ancestors is evaluated at every time at which any of them has a keyframe. */
#include "base/memory.h"
#include "base/report.h"
#include "meshfile/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST_NODE 1000
/* Keyframes times ancestors, at most: a few seconds. */
#define MOST_WORK 10000000
/* A scale that differs from 1 by less is rounding. */
#define SCALE_ROUNDING 1e-3
#define NAME 256

/* The property of a node that a channel animates. */
typedef enum target_path { TRANSLATION, ROTATION, SCALE, PATHS } target_path;
static const char *const path_names[PATHS] = {"translation", "rotation", "scale"};

typedef struct curve {
    const rp_gltf_accessor *times, *values; /* NULL: constant, as in the node */
    bool cubic; /* every value is between two tangents, which are skipped */
} curve;

typedef struct link {
    const rp_gltf_node *node;
    curve curves[PATHS];
} link;

typedef struct reading {
    rp_gltf gltf;
    uint32_t animation; /* values of the JSON */
    uint32_t node;      /* its number */
    char name[NAME];    /* of the node */
    link *links;        /* the node, then its ancestors up to the root */
    int link_count;
    double *times; /* s, of all keyframes, rising */
    size_t count, capacity;
} reading;

/* A pose with scale, in the frame of the parent or of the file. */
typedef struct place {
    rp_vec3 position, scale;
    rp_quat orientation;
} place;

void rp_gltf_animation_release(rp_animation_key *keys, int count)
{
    rp_release(keys, (size_t)count * sizeof *keys);
}

static rp_vec3 times(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static rp_code fail(const reading *r, const char *wrong, rp_report *report)
{
    rp_place where = {.file = r->gltf.bytes->name};
    return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL, "%s", wrong);
}

/* --- finding the node ------------------------------------------------------------------------- */

/* Reads the node and the property that a channel animates; false: it animates no node. */
static bool read_target(const reading *r, uint32_t channel, uint32_t *node, target_path *path)
{
    const rp_json *json = &r->gltf.json;
    uint32_t target = rp_json_member(json, channel, "target");
    uint64_t number;
    if (!rp_json_count(json, rp_json_member(json, target, "node"), RP_JSON_VALUES, &number) ||
        number >= r->gltf.node_count)
        return false;
    *node = (uint32_t)number;
    for (int i = 0; i < PATHS; i++)
        if (rp_json_is(json, rp_json_member(json, target, "path"), path_names[i])) {
            *path = (target_path)i;
            return true;
        }
    return false;
}

static void name_of(const reading *r, uint32_t node, char name[NAME])
{
    uint32_t value = rp_json_member(&r->gltf.json, r->gltf.nodes[node].value, "name");
    if (!rp_json_text(&r->gltf.json, value, name, NAME)) snprintf(name, NAME, "node %u", node);
}

/* Searches the channels of an animation for the node; appends the names of others to the list for a
 * message, as many as fit. */
static bool search(reading *r, uint32_t animation, const char *wanted, char *known, size_t size)
{
    const rp_json *json = &r->gltf.json;
    uint32_t channels = rp_json_member(json, animation, "channels");
    uint32_t channel = rp_json_first(json, channels);
    for (; channel != RP_JSON_NONE; channel = rp_json_after(json, channels, channel)) {
        target_path path;
        uint32_t last = r->node;
        if (!read_target(r, channel, &r->node, &path)) continue;
        name_of(r, r->node, r->name);
        r->animation = animation;
        if (!wanted || strcmp(r->name, wanted) == 0) return true;
        size_t used = strlen(known);
        if ((!used || last != r->node) && used + 64 < size)
            snprintf(known + used, size - used, "%s%.60s", used ? ", " : "", r->name);
    }
    return false;
}

/* Finds the first animation of the node, or the first of any. */
static rp_code choose(reading *r, const char *wanted, rp_report *report)
{
    const rp_json *json = &r->gltf.json;
    char known[400] = "";
    if (wanted && !wanted[0]) wanted = NULL;
    uint32_t animations = rp_json_member(json, 0, "animations");
    uint32_t animation = rp_json_first(json, animations);
    for (; animation != RP_JSON_NONE; animation = rp_json_after(json, animations, animation))
        if (search(r, animation, wanted, known, sizeof known)) return RP_OK;
    if (!known[0]) return fail(r, "no node of the file is animated", report);
    rp_place where = {.file = r->gltf.bytes->name};
    return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL,
                      "no node '%.60s' is animated; there are: %s", wanted, known);
}

/* --- curves ----------------------------------------------------------------------------------- */

static double time_at(const curve *c, size_t i)
{
    double time;
    rp_gltf_element(c->times, i, &time);
    return time;
}

static rp_code read_curve(const reading *r, uint32_t sampler, target_path path, curve *c,
                          rp_report *report)
{
    const rp_gltf *g = &r->gltf;
    const rp_json *json = &g->json;
    uint32_t input = rp_json_member(json, sampler, "input");
    uint32_t output = rp_json_member(json, sampler, "output");
    c->cubic = rp_json_is(json, rp_json_member(json, sampler, "interpolation"), "CUBICSPLINE");
    RP_TRY(rp_gltf_find_accessor(g, input, 1, &c->times, report));
    RP_TRY(rp_gltf_find_accessor(g, output, path == ROTATION ? 4 : 3, &c->values, report));
    if (c->values->count / (c->cubic ? 3 : 1) < c->times->count)
        return fail(r, "the animation has less values than times", report);
    for (size_t i = 0; i < c->times->count; i++)
        if (!isfinite(time_at(c, i)) || (i > 0 && time_at(c, i) < time_at(c, i - 1)))
            return fail(r, "the animation has times that do not rise", report);
    return RP_OK;
}

/* Lists the samplers of the animation by their numbers. */
static rp_code list_samplers(const reading *r, uint32_t **list, size_t *count, rp_report *report)
{
    const rp_json *json = &r->gltf.json;
    uint32_t array = rp_json_member(json, r->animation, "samplers");
    uint32_t value = rp_json_first(json, array);
    *count = rp_json_kind_of(json, array) == RP_JSON_ARRAY ? rp_json_length(json, array) : 0;
    *list = rp_allocate((*count + 1) * sizeof **list);
    if (!*list) return rp_mesh_fail_memory(r->gltf.bytes, report);
    for (size_t i = 0; i < *count; i++, value = rp_json_after(json, array, value))
        (*list)[i] = value;
    return RP_OK;
}

static link *find_link(const reading *r, uint32_t node)
{
    for (int i = 0; i < r->link_count; i++)
        if (r->links[i].node == &r->gltf.nodes[node]) return &r->links[i];
    return NULL;
}

static rp_code read_curves(reading *r, const uint32_t *samplers, size_t count, rp_report *report)
{
    const rp_json *json = &r->gltf.json;
    uint32_t channels = rp_json_member(json, r->animation, "channels");
    uint32_t channel = rp_json_first(json, channels);
    rp_code code = RP_OK;
    for (; channel != RP_JSON_NONE && code == RP_OK;
         channel = rp_json_after(json, channels, channel)) {
        target_path path;
        uint32_t node;
        uint64_t sampler;
        link *l = read_target(r, channel, &node, &path) ? find_link(r, node) : NULL;
        if (!l || l->curves[path].times) continue;
        if (!rp_json_count(json, rp_json_member(json, channel, "sampler"), RP_JSON_VALUES,
                           &sampler) ||
            sampler >= count)
            return fail(r, "the animation names a sampler that is not there", report);
        code = read_curve(r, samplers[sampler], path, &l->curves[path], report);
    }
    return code;
}

/* Reads the chain of the node and its ancestors, with their curves. */
static rp_code read_links(reading *r, rp_report *report)
{
    const rp_gltf_node *nodes = r->gltf.nodes;
    for (uint32_t n = r->node; n != RP_JSON_NONE; n = nodes[n].parent)
        if (++r->link_count > DEEPEST_NODE)
            return fail(r, "more than 1000 nodes above each other", report);
    r->links = rp_allocate_zero((size_t)r->link_count * sizeof *r->links);
    if (!r->links) return rp_mesh_fail_memory(r->gltf.bytes, report);
    uint32_t n = r->node;
    for (int i = 0; i < r->link_count; i++, n = nodes[n].parent)
        r->links[i].node = &nodes[n];
    uint32_t *samplers;
    size_t count;
    rp_code code = list_samplers(r, &samplers, &count, report);
    if (code == RP_OK) code = read_curves(r, samplers, count, report);
    rp_release(samplers, (count + 1) * sizeof *samplers);
    return code;
}

/* --- times ------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static rp_code add_times(reading *r, const curve *c, rp_report *report)
{
    size_t count = c->times ? c->times->count : 0;
    if (r->count + count > 2 * (size_t)RP_ANIMATION_KEYS_MAX)
        return fail(r, "the animation has more than 1000000 keys", report);
    if (!rp_reserve((void **)&r->times, &r->capacity, r->count, r->count + count, sizeof *r->times))
        return rp_mesh_fail_memory(r->gltf.bytes, report);
    for (size_t i = 0; i < count; i++)
        r->times[r->count++] = time_at(c, i);
    return RP_OK;
}

/* Collects every time at which the node or an ancestor has a keyframe, once. */
static rp_code collect_times(reading *r, rp_report *report)
{
    rp_code code = RP_OK;
    size_t kept = 0;
    for (int i = 0; i < r->link_count && code == RP_OK; i++) {
        code = add_times(r, &r->links[i].curves[TRANSLATION], report);
        if (code == RP_OK) code = add_times(r, &r->links[i].curves[ROTATION], report);
    }
    RP_TRY(code);
    if (r->count) qsort(r->times, r->count, sizeof *r->times, by_size);
    for (size_t i = 0; i < r->count; i++)
        if (!kept || r->times[i] > r->times[kept - 1]) r->times[kept++] = r->times[i];
    r->count = kept;
    if (kept > RP_ANIMATION_KEYS_MAX || kept * (size_t)r->link_count > MOST_WORK)
        return fail(r,
                    "the animation has more than 1000000 keys, or too many nodes above each other",
                    report);
    return kept ? RP_OK : fail(r, "the animation has no keys", report);
}

/* --- poses ------------------------------------------------------------------------------------ */

/* Binary search: the last keyframe at or before the time, or the first one. */
static size_t key_before(const curve *c, double time)
{
    size_t low = 0, high = c->times->count - 1;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (time >= time_at(c, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Reads the values at the keyframe before the time and at the next; returns the interpolation
 * parameter between them, 0 to 1. */
static double around(const curve *c, double time, double from[4], double to[4])
{
    size_t i = key_before(c, time), next = i + 1 < c->times->count ? i + 1 : i;
    double start = time_at(c, i), end = time_at(c, next);
    rp_gltf_element(c->values, c->cubic ? 3 * i + 1 : i, from);
    rp_gltf_element(c->values, c->cubic ? 3 * next + 1 : next, to);
    return end > start ? fmin(fmax((time - start) / (end - start), 0), 1) : 0;
}

static rp_quat quat_of(const double v[4])
{
    return rp_quat_normalized((rp_quat){v[3], v[0], v[1], v[2]});
}

static rp_vec3 first_scale(const curve *c)
{
    double v[4];
    rp_gltf_element(c->values, c->cubic ? 1 : 0, v);
    return rp_v3(v[0], v[1], v[2]);
}

/* Returns the local pose at a time; properties without a curve are those of the node. */
static place own_place(const link *l, double time)
{
    place p = {l->node->translation, l->node->scale, l->node->rotation};
    double from[4], to[4];
    if (l->curves[TRANSLATION].times) {
        double s = around(&l->curves[TRANSLATION], time, from, to);
        rp_vec3 start = rp_v3(from[0], from[1], from[2]);
        p.position = rp_v3_madd(start, s, rp_v3_sub(rp_v3(to[0], to[1], to[2]), start));
    }
    if (l->curves[ROTATION].times) {
        double s = around(&l->curves[ROTATION], time, from, to);
        p.orientation = s > 0 ? rp_quat_slerp(quat_of(from), quat_of(to), s) : quat_of(from);
    }
    if (l->curves[SCALE].times) p.scale = first_scale(&l->curves[SCALE]);
    return p;
}

/* Returns the pose in the frame of the file: the local pose, then the transforms of the ancestors
 * from the nearest to the root. Scales along the axes of nodes that are rotated against each other
 * would shear, which a rigid body cannot: they are multiplied axis by axis. */
static place place_at(const reading *r, double time)
{
    place p = own_place(&r->links[0], time);
    for (int i = 1; i < r->link_count; i++) {
        place above = own_place(&r->links[i], time);
        rp_vec3 arm = rp_quat_rotate(above.orientation, times(above.scale, p.position));
        p = (place){rp_v3_add(above.position, arm), times(above.scale, p.scale),
                    rp_quat_mul(above.orientation, p.orientation)};
    }
    return p;
}

static bool is_scaled(rp_vec3 scale)
{
    return rp_v3_length(rp_v3_sub(scale, rp_v3(1, 1, 1))) > SCALE_ROUNDING;
}

/* True when the node's scale changes with time. */
static bool grows(const curve *c)
{
    for (size_t i = 1; c->times && i < c->times->count; i++) {
        double v[4];
        rp_vec3 first = first_scale(c);
        rp_gltf_element(c->values, c->cubic ? 3 * i + 1 : i, v);
        rp_vec3 change = rp_v3_sub(rp_v3(v[0], v[1], v[2]), first);
        if (rp_v3_length(change) > SCALE_ROUNDING * rp_v3_length(first)) return true;
    }
    return false;
}

static rp_code fill_keys(const reading *r, rp_animation_key *keys, rp_report *report)
{
    rp_place where = {.file = r->gltf.bytes->name};
    for (size_t i = 0; i < r->count; i++) {
        place p = place_at(r, r->times[i]);
        keys[i] = (rp_animation_key){r->times[i], p.position, rp_quat_normalized(p.orientation)};
        rp_quat q = keys[i].orientation;
        if (!isfinite(rp_v3_length(p.position) + q.w + q.x + q.y + q.z))
            return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL,
                              "key %zu of node '%.60s' makes no sense", i + 1, r->name);
    }
    if (is_scaled(place_at(r, r->times[0]).scale) || grows(&r->links[0].curves[SCALE]))
        rp_log(RP_LOG_WARNING, "%s: node '%.60s' is scaled, which a rigid body cannot be; left out",
               where.file, r->name);
    return RP_OK;
}

rp_code rp_gltf_animation_read_bytes(const rp_mesh_bytes *bytes, const char *node,
                                     rp_animation_key **out, int *count, rp_report *report)
{
    *out = NULL;
    *count = 0;
    reading r = {.node = RP_JSON_NONE};
    rp_code code = rp_gltf_open(&r.gltf, bytes, "read animation", report);
    if (code == RP_OK) code = choose(&r, node, report);
    if (code == RP_OK) code = read_links(&r, report);
    if (code == RP_OK) code = collect_times(&r, report);
    rp_animation_key *keys = code == RP_OK ? rp_allocate(r.count * sizeof *keys) : NULL;
    if (code == RP_OK && !keys) code = rp_mesh_fail_memory(bytes, report);
    if (code == RP_OK) code = fill_keys(&r, keys, report);
    if (code == RP_OK) {
        *out = keys;
        *count = (int)r.count;
    } else {
        rp_release(keys, r.count * sizeof *keys);
    }
    rp_release(r.times, r.capacity * sizeof *r.times);
    rp_release(r.links, (size_t)(r.links ? r.link_count : 0) * sizeof *r.links);
    rp_gltf_destroy(&r.gltf);
    return code;
}

rp_code rp_gltf_animation_read(const char *path, const char *node, rp_animation_key **out,
                               int *count, rp_report *report)
{
    *out = NULL;
    *count = 0;
    rp_mesh_bytes bytes;
    RP_TRY(rp_mesh_file_load(path, "animation", &bytes, report));
    rp_code code = rp_gltf_animation_read_bytes(&bytes, node, out, count, report);
    rp_mesh_file_release(&bytes);
    return code;
}
