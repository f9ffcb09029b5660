/* The BVH in a build without Embree: creating it fails and says what to install. The other
 * functions are never reached. */
#include "render/inside.h"

rp_code rp_ray_bvh_create(int threads, rp_ray_bvh **out, rp_report *report)
{
    (void)threads;
    *out = NULL;
    return rp_fail(report, RP_ERROR_UNSUPPORTED,
                   "this build cannot render pictures; install Embree 3 (Debian: libembree-dev) "
                   "and build Repose again");
}

void rp_ray_bvh_destroy(rp_ray_bvh *bvh)
{
    (void)bvh;
}

rp_code rp_ray_bvh_add_spheres(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *opening,
                               const rp_bvh_vertex *closing, rp_report *report)
{
    (void)bvh, (void)count, (void)opening, (void)closing, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

rp_code rp_ray_bvh_add_triangles(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *opening,
                                 const rp_bvh_vertex *closing, rp_report *report)
{
    (void)bvh, (void)count, (void)opening, (void)closing, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

rp_code rp_ray_bvh_add_capsules(rp_ray_bvh *bvh, size_t count, const rp_bvh_vertex *ends,
                                rp_report *report)
{
    (void)bvh, (void)count, (void)ends, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

rp_code rp_ray_bvh_build(rp_ray_bvh *bvh, rp_report *report)
{
    (void)bvh, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

size_t rp_ray_bvh_bytes(const rp_ray_bvh *bvh)
{
    (void)bvh;
    return 0;
}

bool rp_ray_bvh_intersect(const rp_ray_bvh *bvh, const rp_ray *ray, rp_bvh_hit *hit)
{
    (void)bvh, (void)ray, (void)hit;
    return false;
}

bool rp_ray_bvh_occluded(const rp_ray_bvh *bvh, const rp_ray *ray)
{
    (void)bvh, (void)ray;
    return false;
}

size_t rp_ray_bvh_benchmark(const rp_ray_bvh *bvh, rp_threads *threads, rp_vec3 eye, rp_vec3 corner,
                            rp_vec3 right, rp_vec3 down, int width, int height, rp_vec3 to_light,
                            bool scatter)
{
    (void)bvh, (void)threads, (void)eye, (void)corner, (void)right, (void)down;
    (void)width, (void)height, (void)to_light, (void)scatter;
    return 0;
}
