/* Animations of nodes, through Assimp's C interface. */
#include "base/log.h"
#include "base/memory.h"
#include "geom/animation.h"

void rp_animation_release(rp_animation_key *keys, int count)
{
    rp_release(keys, (size_t)count * sizeof *keys);
}

#ifdef RP_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST_NODE 1000
/* Files that do not say how many ticks a second has mean this; glTF always says it. */
#define USUAL_TICKS 25
/* A scale that differs from 1 by less is rounding. */
#define SCALE_ROUNDING 1e-3

typedef struct reading {
    const char *path;
    const struct aiScene *scene;
    const struct aiAnimation *animation;
    const struct aiNode *node;
    double *ticks; /* at which something has a key, rising */
    size_t count, capacity;
} reading;

/* Where a node is in the frame of the one above it, or of the file. */
typedef struct place {
    rp_vec3 position, scale;
    rp_quat turn;
} place;

static rp_vec3 vec3_of(struct aiVector3D v)
{
    return rp_v3(v.x, v.y, v.z);
}

static rp_quat quat_of(struct aiQuaternion q)
{
    return rp_quat_normal((rp_quat){q.w, q.x, q.y, q.z});
}

static rp_vec3 times(rp_vec3 a, rp_vec3 b)
{
    return rp_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* --- finding the node ------------------------------------------------------------------------- */

static const struct aiNodeAnim *channel_of(const struct aiAnimation *animation, const char *name)
{
    for (unsigned i = 0; i < animation->mNumChannels; i++)
        if (strcmp(animation->mChannels[i]->mNodeName.data, name) == 0)
            return animation->mChannels[i];
    return NULL;
}

/* "a, b, c": nodes that are animated, as many as there is room for. */
static void list_animated(const struct aiScene *scene, char *text, size_t size)
{
    text[0] = 0;
    for (unsigned a = 0; a < scene->mNumAnimations; a++)
        for (unsigned i = 0; i < scene->mAnimations[a]->mNumChannels; i++) {
            const char *name = scene->mAnimations[a]->mChannels[i]->mNodeName.data;
            size_t used = strlen(text);
            if (used + 64 < size)
                snprintf(text + used, size - used, "%s%.60s", used ? ", " : "", name);
        }
}

static const struct aiNode *find_node(const struct aiNode *node, const char *name, int depth)
{
    if (strcmp(node->mName.data, name) == 0) return node;
    for (unsigned i = 0; i < node->mNumChildren && depth < DEEPEST_NODE; i++) {
        const struct aiNode *found = find_node(node->mChildren[i], name, depth + 1);
        if (found) return found;
    }
    return NULL;
}

/* The first animation that moves the node, or anything. */
static rp_code choose(reading *r, const char *name, rp_report *report)
{
    rp_place where = {.file = r->path};
    char known[400];
    bool any = !name || !name[0];
    for (unsigned a = 0; a < r->scene->mNumAnimations && !r->animation; a++) {
        const struct aiAnimation *animation = r->scene->mAnimations[a];
        if (any && animation->mNumChannels) name = animation->mChannels[0]->mNodeName.data;
        if (name && channel_of(animation, name)) r->animation = animation;
    }
    list_animated(r->scene, known, sizeof known);
    if (!known[0])
        return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL, "no node of the file is animated");
    if (!r->animation)
        return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL,
                          "no node '%.60s' is animated; there are: %s", name, known);
    r->node = r->scene->mRootNode ? find_node(r->scene->mRootNode, name, 0) : NULL;
    if (!r->node)
        return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL,
                          "the animated node '%.60s' is not in the file", name);
    return RP_OK;
}

/* --- times ------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool add_tick(reading *r, double tick)
{
    if (!isfinite(tick) || r->count > 2 * (size_t)RP_ANIMATION_MOST) return false;
    if (!rp_reserve((void **)&r->ticks, &r->capacity, r->count, r->count + 1, sizeof *r->ticks))
        return false;
    r->ticks[r->count++] = tick;
    return true;
}

static bool add_ticks(reading *r, const struct aiNodeAnim *channel)
{
    bool ok = true;
    for (unsigned i = 0; i < channel->mNumPositionKeys && ok; i++)
        ok = add_tick(r, channel->mPositionKeys[i].mTime);
    for (unsigned i = 0; i < channel->mNumRotationKeys && ok; i++)
        ok = add_tick(r, channel->mRotationKeys[i].mTime);
    return ok;
}

/* Every time at which the node or one above it has a key, once. */
static rp_code collect_ticks(reading *r, rp_report *report)
{
    rp_place where = {.file = r->path};
    bool ok = true;
    size_t kept = 0;
    for (const struct aiNode *n = r->node; n && ok; n = n->mParent) {
        const struct aiNodeAnim *channel = channel_of(r->animation, n->mName.data);
        if (channel) ok = add_ticks(r, channel);
    }
    if (r->count) qsort(r->ticks, r->count, sizeof *r->ticks, by_size);
    for (size_t i = 0; i < r->count; i++)
        if (!kept || r->ticks[i] > r->ticks[kept - 1]) r->ticks[kept++] = r->ticks[i];
    r->count = kept;
    if (!ok || kept > RP_ANIMATION_MOST)
        return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL,
                          "the animation has more than %d keys, or times that make no sense",
                          RP_ANIMATION_MOST);
    if (!kept) return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL, "the animation has no keys");
    return RP_OK;
}

/* --- places ----------------------------------------------------------------------------------- */

/* The share of the way from a key at `from` to the next at `to`. */
static double share(double from, double to, double tick)
{
    return to > from ? fmin(fmax((tick - from) / (to - from), 0), 1) : 0;
}

/* The last of the keys at or before the tick, or the first: both kinds of keys begin with their
 * time. In a file whose times do not rise it is some key. */
static unsigned key_before(const void *keys, size_t size, unsigned count, double tick)
{
    unsigned low = 0, high = count - 1;
    while (low < high) {
        unsigned middle = high - (high - low) / 2;
        double at;
        memcpy(&at, (const char *)keys + middle * size, sizeof at);
        if (tick >= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static rp_vec3 position_at(const struct aiNodeAnim *channel, double tick)
{
    const struct aiVectorKey *keys = channel->mPositionKeys;
    unsigned last = channel->mNumPositionKeys - 1;
    unsigned i = key_before(keys, sizeof *keys, last + 1, tick);
    rp_vec3 from = vec3_of(keys[i].mValue), to = vec3_of(keys[i < last ? i + 1 : i].mValue);
    double s = i < last ? share(keys[i].mTime, keys[i + 1].mTime, tick) : 0;
    return rp_v3_madd(from, s, rp_v3_sub(to, from));
}

static rp_quat turn_at(const struct aiNodeAnim *channel, double tick)
{
    const struct aiQuatKey *keys = channel->mRotationKeys;
    unsigned last = channel->mNumRotationKeys - 1;
    unsigned i = key_before(keys, sizeof *keys, last + 1, tick);
    if (i == last) return quat_of(keys[i].mValue);
    double s = share(keys[i].mTime, keys[i + 1].mTime, tick);
    return rp_quat_slerp(quat_of(keys[i].mValue), quat_of(keys[i + 1].mValue), s);
}

/* What the channel does not say is as it stands in the file. */
static place own_place(const reading *r, const struct aiNode *node, double tick)
{
    struct aiVector3D scale, position;
    struct aiQuaternion turn;
    aiDecomposeMatrix(&node->mTransformation, &scale, &turn, &position);
    place p = {vec3_of(position), vec3_of(scale), quat_of(turn)};
    const struct aiNodeAnim *channel = channel_of(r->animation, node->mName.data);
    if (!channel) return p;
    if (channel->mNumPositionKeys) p.position = position_at(channel, tick);
    if (channel->mNumRotationKeys) p.turn = turn_at(channel, tick);
    if (channel->mNumScalingKeys) p.scale = vec3_of(channel->mScalingKeys[0].mValue);
    return p;
}

/* In the frame of the file. Scales along the axes of several nodes that are turned against each
 * other would shear, which no rigid body can: they are multiplied axis by axis. */
static place place_at(const reading *r, double tick)
{
    place p = own_place(r, r->node, tick);
    for (const struct aiNode *n = r->node->mParent; n; n = n->mParent) {
        place above = own_place(r, n, tick);
        rp_vec3 arm = rp_quat_rotate(above.turn, times(above.scale, p.position));
        p = (place){rp_v3_add(above.position, arm), times(above.scale, p.scale),
                    rp_quat_mul(above.turn, p.turn)};
    }
    return p;
}

static bool is_scaled(rp_vec3 scale)
{
    return rp_v3_length(rp_v3_sub(scale, rp_v3(1, 1, 1))) > SCALE_ROUNDING;
}

/* Whether its scale changes with time. */
static bool grows(const struct aiNodeAnim *channel)
{
    for (unsigned i = 1; channel && i < channel->mNumScalingKeys; i++) {
        rp_vec3 first = vec3_of(channel->mScalingKeys[0].mValue);
        rp_vec3 change = rp_v3_sub(vec3_of(channel->mScalingKeys[i].mValue), first);
        if (rp_v3_length(change) > SCALE_ROUNDING * rp_v3_length(first)) return true;
    }
    return false;
}

static rp_code fill_keys(const reading *r, rp_animation_key *keys, rp_report *report)
{
    rp_place where = {.file = r->path};
    const char *name = r->node->mName.data;
    double second = r->animation->mTicksPerSecond > 0 ? r->animation->mTicksPerSecond : USUAL_TICKS;
    for (size_t i = 0; i < r->count; i++) {
        place p = place_at(r, r->ticks[i]);
        keys[i] = (rp_animation_key){r->ticks[i] / second, p.position, rp_quat_normal(p.turn)};
        rp_quat q = keys[i].orientation;
        bool rises = i == 0 || keys[i].time > keys[i - 1].time;
        if (!isfinite(rp_v3_length(p.position) + q.w + q.x + q.y + q.z) || !rises)
            return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL,
                              "key %zu of node '%.60s' makes no sense", i + 1, name);
    }
    if (is_scaled(place_at(r, r->ticks[0]).scale) || grows(channel_of(r->animation, name)))
        rp_log(RP_LOG_WARNING, "%s: node '%.60s' is scaled, which a rigid body cannot be; left out",
               r->path, name);
    return RP_OK;
}

rp_code rp_animation_read(const char *path, const char *node, rp_animation_key **out, int *count,
                          rp_report *report)
{
    *out = NULL;
    *count = 0;
    reading r = {.path = path, .scene = aiImportFile(path, 0)};
    rp_place where = {.file = path};
    if (!r.scene)
        return rp_fail_at(report, RP_ERROR_INPUT, &where, NULL, "cannot read animation: %s",
                          aiGetErrorString());
    rp_code code = choose(&r, node, report);
    if (code == RP_OK) code = collect_ticks(&r, report);
    rp_animation_key *keys = code == RP_OK ? rp_allocate(r.count * sizeof *keys) : NULL;
    if (code == RP_OK && !keys) code = rp_fail_memory(report, r.count * sizeof *keys, path);
    if (code == RP_OK) code = fill_keys(&r, keys, report);
    if (code == RP_OK) {
        *out = keys;
        *count = (int)r.count;
    } else {
        rp_release(keys, r.count * sizeof *keys);
    }
    rp_release(r.ticks, r.capacity * sizeof *r.ticks);
    aiReleaseImport(r.scene);
    return code;
}

#else

rp_code rp_animation_read(const char *path, const char *node, rp_animation_key **out, int *count,
                          rp_report *report)
{
    (void)node;
    *out = NULL;
    *count = 0;
    rp_place where = {.file = path};
    return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &where, NULL,
                      "this build cannot read animations; install Assimp (libassimp-dev) and "
                      "configure and build Repose again");
}

#endif
