#include "render/rays.h"
#include "base/memory.h"
#include "base/report.h"

#include <embree3/rtcore.h>
#include <stdatomic.h>
#include <stdio.h>

struct rp_rays {
    RTCDevice device;
    RTCScene scene;
    atomic_llong bytes; /* as Embree tells */
};

/* Embree calls it from its own threads. */
static bool count_bytes(void *user, ssize_t bytes, bool after)
{
    (void)after;
    rp_rays *rays = user;
    atomic_fetch_add(&rays->bytes, bytes);
    return true;
}

/* What Embree complained about since it was last asked. */
static rp_code check(rp_rays *rays, rp_report *report)
{
    enum RTCError error = rtcGetDeviceError(rays->device);
    if (error == RTC_ERROR_NONE) return RP_OK;
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        return rp_fail_memory(report, rp_rays_bytes(rays), "the structure that rays search");
    return rp_fail(report, RP_ERROR_UNSUPPORTED, "Embree failed with error %d", (int)error);
}

rp_code rp_rays_create(int threads, rp_rays **out, rp_report *report)
{
    char config[64];
    *out = NULL;
    rp_rays *rays = rp_allocate_zero(sizeof *rays);
    if (!rays) return rp_fail_memory(report, sizeof *rays, "a picture's rays");
    snprintf(config, sizeof config, "threads=%d,set_affinity=0", threads > 1 ? threads : 1);
    rays->device = rtcNewDevice(config);
    if (!rays->device) {
        enum RTCError error = rtcGetDeviceError(NULL);
        rp_rays_destroy(rays);
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "Embree cannot start: error %d", (int)error);
    }
    rtcSetDeviceMemoryMonitorFunction(rays->device, count_bytes, rays);
    rays->scene = rtcNewScene(rays->device);
    if (rays->scene) rtcSetSceneFlags(rays->scene, RTC_SCENE_FLAG_ROBUST);
    rp_code code = check(rays, report);
    if (code == RP_OK)
        *out = rays;
    else
        rp_rays_destroy(rays);
    return code;
}

void rp_rays_destroy(rp_rays *rays)
{
    if (!rays) return;
    if (rays->scene) rtcReleaseScene(rays->scene);
    if (rays->device) rtcReleaseDevice(rays->device);
    rp_release(rays, sizeof *rays);
}

size_t rp_rays_bytes(const rp_rays *rays)
{
    long long bytes = atomic_load(&rays->bytes);
    return bytes > 0 ? (size_t)bytes : 0;
}

/* Hands over the borrowed positions at one or both ends of the exposure. */
static void set_points(RTCGeometry geometry, size_t count, const rp_quad *first,
                       const rp_quad *last, enum RTCFormat format)
{
    const rp_quad *steps[2] = {first, last};
    unsigned step_count = last ? 2 : 1;
    rtcSetGeometryTimeStepCount(geometry, step_count);
    for (unsigned i = 0; i < step_count; i++)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, i, format, steps[i], 0,
                                   sizeof(rp_quad), count);
}

static rp_code attach(rp_rays *rays, RTCGeometry geometry, rp_report *report)
{
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(rays->scene, geometry);
    rtcReleaseGeometry(geometry);
    return check(rays, report);
}

rp_code rp_rays_add_spheres(rp_rays *rays, size_t count, const rp_quad *first, const rp_quad *last,
                            rp_report *report)
{
    RTCGeometry geometry = rtcNewGeometry(rays->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (!geometry) return check(rays, report);
    if (count > 0) set_points(geometry, count, first, last, RTC_FORMAT_FLOAT4);
    return attach(rays, geometry, report);
}

rp_code rp_rays_add_triangles(rp_rays *rays, size_t count, const rp_quad *first,
                              const rp_quad *last, rp_report *report)
{
    RTCGeometry geometry = rtcNewGeometry(rays->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) return check(rays, report);
    if (count > 0) {
        set_points(geometry, 3 * count, first, last, RTC_FORMAT_FLOAT3);
        unsigned *corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0,
                                                    RTC_FORMAT_UINT3, 3 * sizeof(unsigned), count);
        for (size_t i = 0; corners && i < 3 * count; i++)
            corners[i] = (unsigned)i;
    }
    return attach(rays, geometry, report);
}

rp_code rp_rays_add_tubes(rp_rays *rays, size_t count, const rp_quad *ends, rp_report *report)
{
    RTCGeometry geometry = rtcNewGeometry(rays->device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    if (!geometry) return check(rays, report);
    if (count > 0) {
        set_points(geometry, 2 * count, ends, NULL, RTC_FORMAT_FLOAT4);
        unsigned *begins = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0,
                                                   RTC_FORMAT_UINT, sizeof(unsigned), count);
        for (size_t i = 0; begins && i < count; i++)
            begins[i] = (unsigned)(2 * i);
    }
    return attach(rays, geometry, report);
}

rp_code rp_rays_build(rp_rays *rays, rp_report *report)
{
    rtcCommitScene(rays->scene);
    return check(rays, report);
}

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

bool rp_rays_meet(const rp_rays *rays, const rp_ray *ray, rp_hit *hit)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit query = {.ray = to_embree(ray), .hit.geomID = RTC_INVALID_GEOMETRY_ID};
    rtcIntersect1(rays->scene, &context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *hit = (rp_hit){.distance = (double)query.ray.tfar,
                    .set = query.hit.geomID,
                    .index = query.hit.primID,
                    .u = (double)query.hit.u,
                    .v = (double)query.hit.v};
    return true;
}

bool rp_rays_blocked(const rp_rays *rays, const rp_ray *ray)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay query = to_embree(ray);
    rtcOccluded1(rays->scene, &context, &query);
    return query.tfar < 0; /* Embree's way to say so */
}

typedef struct bare {
    const rp_rays *rays;
    float eye[3], corner[3], right[3], down[3], light[3];
    int width;
    bool scatter;
    atomic_llong count;
} bare;

static struct RTCRay bare_ray(const float from[3], const float way[3])
{
    return (struct RTCRay){.org_x = from[0],
                           .org_y = from[1],
                           .org_z = from[2],
                           .dir_x = way[0],
                           .dir_y = way[1],
                           .dir_z = way[2],
                           .tfar = INFINITY,
                           .mask = ~0u};
}

/* A direction off a surface, by its normal (of any length) and a number. */
static void any_way(const struct RTCHit *hit, uint32_t number, float way[3])
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
        way[a] = n[a] / length + scale * off[a];
}

/* Towards the light, from a little before where a ray ended. */
static void shoot_light(const bare *b, struct RTCIntersectContext *context,
                        const struct RTCRay *ray, float from[3])
{
    const float origin[3] = {ray->org_x, ray->org_y, ray->org_z};
    const float way[3] = {ray->dir_x, ray->dir_y, ray->dir_z};
    for (int a = 0; a < 3; a++)
        from[a] = origin[a] + 0.999f * ray->tfar * way[a];
    struct RTCRay shadow = bare_ray(from, b->light);
    rtcOccluded1(b->rays->scene, context, &shadow);
}

/* One ray, and those that follow from it; gives their number. */
static int shoot(const bare *b, struct RTCIntersectContext *context, const float from[3],
                 const float way[3], bool scatter, uint32_t number)
{
    struct RTCRayHit query = {.ray = bare_ray(from, way), .hit.geomID = RTC_INVALID_GEOMETRY_ID};
    rtcIntersect1(b->rays->scene, context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return 1;
    float place[3], off[3];
    shoot_light(b, context, &query.ray, place);
    if (!scatter) return 2;
    any_way(&query.hit, number, off);
    return 2 + shoot(b, context, place, off, false, number);
}

static void shoot_row(bare *b, int y)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    long long count = 0;
    for (int x = 0; x < b->width; x++) {
        float d[3];
        for (int a = 0; a < 3; a++)
            d[a] = b->corner[a] + (float)x * b->right[a] + (float)y * b->down[a] - b->eye[a];
        count += shoot(b, &context, b->eye, d, b->scatter, (uint32_t)(y * b->width + x));
    }
    atomic_fetch_add(&b->count, count);
}

static void shoot_rows(void *context, rp_range range)
{
    for (size_t y = range.begin; y < range.end; y++)
        shoot_row(context, (int)y);
}

static void copy3(float to[3], rp_vec3 from)
{
    to[0] = (float)from.x;
    to[1] = (float)from.y;
    to[2] = (float)from.z;
}

size_t rp_rays_bare(const rp_rays *rays, rp_threads *threads, rp_vec3 eye, rp_vec3 corner,
                    rp_vec3 right, rp_vec3 down, int width, int height, rp_vec3 to_light,
                    bool scatter)
{
    bare b = {.rays = rays, .width = width, .scatter = scatter};
    copy3(b.eye, eye);
    copy3(b.corner, corner);
    copy3(b.right, right);
    copy3(b.down, down);
    copy3(b.light, to_light);
    rp_parallel_for(threads, (size_t)height, 8, shoot_rows, &b);
    return (size_t)atomic_load(&b.count);
}
