/* The bounding volume hierarchy, by Embree 3 (Wald et al., "Embree: a kernel framework for
 * efficient CPU ray tracing", 2014). All calls to it are here.
 *
 * Each set of primitives is one RTCGeometry; its number is Embree's geomID, the index of a
 * primitive its primID. Vertex arrays are shared, not copied: the render scene owns them. Moving
 * sets have two time steps, the ends of the shutter interval, and Embree interpolates between them.
 */
#include "base/memory.h"
#include "render/inside.h"

#include <embree3/rtcore.h>
#include <stdatomic.h>
#include <stdio.h>

struct rp_ray_bvh {
    RTCDevice device;
    RTCScene scene;
    atomic_llong bytes; /* that Embree has allocated */
};

/* Embree calls this with every change of its memory, from its own threads; returning false would
 * abort the build. */
static bool count_bytes(void *user, ssize_t bytes, bool after)
{
    (void)after;
    rp_ray_bvh *bvh = user;
    atomic_fetch_add(&bvh->bytes, bytes);
    return true;
}

/* Turns the first error of Embree since the last call into a fault; RP_OK where there was none. */
static rp_code take_error(rp_ray_bvh *bvh, rp_report *report)
{
    enum RTCError error = rtcGetDeviceError(bvh->device);
    if (error == RTC_ERROR_NONE) return RP_OK;
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        return rp_fail_memory(report, rp_ray_bvh_bytes(bvh), "the BVH of a picture");
    return rp_fail(report, RP_ERROR_UNSUPPORTED, "Embree failed with error %d", (int)error);
}

/* --- building --------------------------------------------------------------------------------- */

rp_code rp_ray_bvh_create(int threads, rp_ray_bvh **out, rp_report *report)
{
    char config[64];
    *out = NULL;
    rp_ray_bvh *bvh = rp_allocate_zero(sizeof *bvh);
    if (!bvh) return rp_fail_memory(report, sizeof *bvh, "the BVH of a picture");
    /* As many threads as ours, not pinned: other work may run beside them. */
    snprintf(config, sizeof config, "threads=%d,set_affinity=0", threads > 1 ? threads : 1);
    bvh->device = rtcNewDevice(config);
    if (!bvh->device) {
        enum RTCError error = rtcGetDeviceError(NULL);
        rp_ray_bvh_destroy(bvh);
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "Embree cannot start: error %d", (int)error);
    }
    rtcSetDeviceMemoryMonitorFunction(bvh->device, count_bytes, bvh);
    bvh->scene = rtcNewScene(bvh->device);
    /* Robust: the traversal misses no hit by rounding, so that hits do not depend on the shape of
     * the hierarchy. */
    if (bvh->scene) rtcSetSceneFlags(bvh->scene, RTC_SCENE_FLAG_ROBUST);
    rp_code code = take_error(bvh, report);
    if (code == RP_OK)
        *out = bvh;
    else
        rp_ray_bvh_destroy(bvh);
    return code;
}

void rp_ray_bvh_destroy(rp_ray_bvh *bvh)
{
    if (!bvh) return;
    if (bvh->scene) rtcReleaseScene(bvh->scene);
    if (bvh->device) rtcReleaseDevice(bvh->device);
    rp_release(bvh, sizeof *bvh);
}

size_t rp_ray_bvh_bytes(const rp_ray_bvh *bvh)
{
    long long bytes = atomic_load(&bvh->bytes);
    return bytes > 0 ? (size_t)bytes : 0;
}

/* Shares the borrowed positions at one or both ends of the shutter interval. */
static void set_points(RTCGeometry geometry, size_t count, const rp_bvh_vertex *opening,
                       const rp_bvh_vertex *closing, enum RTCFormat format)
{
    const rp_bvh_vertex *times[2] = {opening, closing};
    unsigned step_count = closing ? 2 : 1;
    rtcSetGeometryTimeStepCount(geometry, step_count);
    for (unsigned i = 0; i < step_count; i++)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, i, format, times[i], 0,
                                   sizeof(rp_bvh_vertex), count);
}

/* The scene keeps a reference of its own, so ours is released. */
static rp_code attach(rp_ray_bvh *bvh, RTCGeometry geometry, rp_report *report)
{
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(bvh->scene, geometry);
    rtcReleaseGeometry(geometry);
    return take_error(bvh, report);
}

rp_code rp_ray_bvh_add_spheres(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *opening,
                               const rp_bvh_vertex *closing, rp_report *report)
{
    RTCGeometry geometry = rtcNewGeometry(bvh->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (!geometry) return take_error(bvh, report);
    /* An empty set is attached, too: sets are known by their number. */
    if (count > 0) set_points(geometry, count, opening, closing, RTC_FORMAT_FLOAT4);
    return attach(bvh, geometry, report);
}

rp_code rp_ray_bvh_add_triangles(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *opening,
                                 const rp_bvh_vertex *closing, rp_report *report)
{
    RTCGeometry geometry = rtcNewGeometry(bvh->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) return take_error(bvh, report);
    if (count > 0) {
        set_points(geometry, 3 * count, opening, closing, RTC_FORMAT_FLOAT3);
        unsigned *corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0,
                                                    RTC_FORMAT_UINT3, 3 * sizeof(unsigned), count);
        /* No vertex is shared: triangle i has the corners 3 i to 3 i + 2. Where Embree has no
         * memory for them, `corners` is NULL, and attaching the geometry reports it. */
        for (size_t i = 0; corners && i < 3 * count; i++)
            corners[i] = (unsigned)i;
    }
    return attach(bvh, geometry, report);
}

rp_code rp_ray_bvh_add_capsules(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *ends,
                                rp_report *report)
{
    RTCGeometry geometry = rtcNewGeometry(bvh->device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    if (!geometry) return take_error(bvh, report);
    if (count > 0) {
        set_points(geometry, 2 * count, ends, NULL, RTC_FORMAT_FLOAT4);
        unsigned *begins = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0,
                                                   RTC_FORMAT_UINT, sizeof(unsigned), count);
        /* A capsule is a round linear curve from vertex 2 i to the next. */
        for (size_t i = 0; begins && i < count; i++)
            begins[i] = (unsigned)(2 * i);
    }
    return attach(bvh, geometry, report);
}

/* Embree builds with its own threads, as many as the device was created with. */
rp_code rp_ray_bvh_build(rp_ray_bvh *bvh, rp_report *report)
{
    rtcCommitScene(bvh->scene);
    return take_error(bvh, report);
}

/* --- rays ------------------------------------------------------------------------------------- */

/* From doubles to Embree's floats; coordinates are relative to the centre, where floats are fine.
 */
static struct RTCRay to_embree(const rp_ray *ray)
{
    return (struct RTCRay){.org_x = (float)ray->origin.x,
                           .org_y = (float)ray->origin.y,
                           .org_z = (float)ray->origin.z,
                           .tnear = (float)ray->near,
                           .dir_x = (float)ray->direction.x,
                           .dir_y = (float)ray->direction.y,
                           .dir_z = (float)ray->direction.z,
                           .time = (float)ray->time,
                           .tfar = (float)ray->far,
                           .mask = ~0u};
}

bool rp_ray_bvh_intersect(const rp_ray_bvh *bvh, const rp_ray *ray, rp_bvh_hit *hit)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit query = {.ray = to_embree(ray), .hit.geomID = RTC_INVALID_GEOMETRY_ID};
    rtcIntersect1(bvh->scene, &context, &query);
    /* Embree leaves the id as it was where it finds nothing; else tfar becomes the distance. */
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *hit = (rp_bvh_hit){.distance = (double)query.ray.tfar,
                        .set = query.hit.geomID,
                        .index = query.hit.primID,
                        .u = (double)query.hit.u,
                        .v = (double)query.hit.v};
    return true;
}

bool rp_ray_bvh_occluded(const rp_ray_bvh *bvh, const rp_ray *ray)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay query = to_embree(ray);
    rtcOccluded1(bvh->scene, &context, &query);
    return query.tfar < 0; /* Embree sets it to minus infinity for an occluded ray */
}

/* --- the benchmark ---------------------------------------------------------------------------- */

/* Rays in single precision, with nothing but Embree in the loop. */
typedef struct bare {
    const rp_ray_bvh *bvh;
    float eye[3], corner[3], right[3], down[3], light[3];
    int width;
    bool scatter;
    atomic_llong count;
} bare;

static struct RTCRay bare_ray(const float from[3], const float direction[3])
{
    return (struct RTCRay){.org_x = from[0],
                           .org_y = from[1],
                           .org_z = from[2],
                           .dir_x = direction[0],
                           .dir_y = direction[1],
                           .dir_z = direction[2],
                           .tfar = INFINITY,
                           .mask = ~0u};
}

/* A random direction of the hemisphere: the unit normal plus a random vector shorter than 1. */
static void random_direction(const struct RTCHit *hit, uint32_t number, float direction[3])
{
    const float n[3] = {hit->Ng_x, hit->Ng_y, hit->Ng_z};
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), off[3], square = 0;
    for (int a = 0; a < 3; a++) {
        number = number * 1664525u + 1013904223u;
        off[a] = (float)(number >> 8) * 0x1p-23f - 1;
        square += off[a] * off[a];
    }
    float scale = 0.999f / sqrtf(square + 1e-6f);
    for (int a = 0; a < 3; a++)
        direction[a] = n[a] / length + scale * off[a];
}

/* A shadow ray from slightly before the hit of a ray, which becomes `from`. */
static void trace_shadow(const bare *b, struct RTCIntersectContext *context,
                         const struct RTCRay *ray, float from[3])
{
    const float origin[3] = {ray->org_x, ray->org_y, ray->org_z};
    const float direction[3] = {ray->dir_x, ray->dir_y, ray->dir_z};
    for (int a = 0; a < 3; a++)
        from[a] = origin[a] + 0.999f * ray->tfar * direction[a];
    struct RTCRay shadow = bare_ray(from, b->light);
    rtcOccluded1(b->bvh->scene, context, &shadow);
}

/* One ray, and those that follow from it. Returns their number. */
static int trace_ray(const bare *b, struct RTCIntersectContext *context, const float from[3],
                     const float direction[3], bool scatter, uint32_t number)
{
    struct RTCRayHit query = {.ray = bare_ray(from, direction),
                              .hit.geomID = RTC_INVALID_GEOMETRY_ID};
    rtcIntersect1(b->bvh->scene, context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return 1;
    float place[3], off[3];
    trace_shadow(b, context, &query.ray, place);
    if (!scatter) return 2;
    random_direction(&query.hit, number, off);
    return 2 + trace_ray(b, context, place, off, false, number);
}

/* Pixels of one row; the context is made once a row, as it would be in any renderer. */
static void trace_row(bare *b, int y)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    long long count = 0;
    for (int x = 0; x < b->width; x++) {
        float d[3];
        for (int a = 0; a < 3; a++)
            d[a] = b->corner[a] + (float)x * b->right[a] + (float)y * b->down[a] - b->eye[a];
        count += trace_ray(b, &context, b->eye, d, b->scatter, (uint32_t)(y * b->width + x));
    }
    atomic_fetch_add(&b->count, count);
}

static void trace_rows(void *context, rp_range range)
{
    for (size_t y = range.begin; y < range.end; y++)
        trace_row(context, (int)y);
}

static void copy3(float to[3], rp_vec3 from)
{
    to[0] = (float)from.x;
    to[1] = (float)from.y;
    to[2] = (float)from.z;
}

size_t rp_ray_bvh_benchmark(const rp_ray_bvh *bvh, rp_threads *threads, rp_vec3 eye, rp_vec3 corner,
                            rp_vec3 right, rp_vec3 down, int width, int height, rp_vec3 to_light,
                            bool scatter)
{
    bare b = {.bvh = bvh, .width = width, .scatter = scatter};
    copy3(b.eye, eye);
    copy3(b.corner, corner);
    copy3(b.right, right);
    copy3(b.down, down);
    copy3(b.light, to_light);
    rp_parallel_for(threads, (size_t)height, 8, trace_rows, &b);
    return (size_t)atomic_load(&b.count);
}
