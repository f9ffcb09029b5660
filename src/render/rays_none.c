/* Rays in a build without Embree: pictures are refused, with a word on what to do. */
#include "base/report.h"
#include "render/rays.h"

rp_code rp_rays_create(int threads, rp_rays **out, rp_report *report)
{
    (void)threads;
    *out = NULL;
    return rp_fail(report, RP_ERROR_UNSUPPORTED,
                   "this build cannot render pictures; install Embree 3 (Debian: libembree-dev) "
                   "and build Repose again");
}

void rp_rays_destroy(rp_rays *rays)
{
    (void)rays;
}

rp_code rp_rays_add_spheres(rp_rays *rays, size_t count, const rp_quad *first, const rp_quad *last,
                            rp_report *report)
{
    (void)rays, (void)count, (void)first, (void)last, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

rp_code rp_rays_add_triangles(rp_rays *rays, size_t count, const rp_quad *first,
                              const rp_quad *last, rp_report *report)
{
    (void)rays, (void)count, (void)first, (void)last, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

rp_code rp_rays_add_tubes(rp_rays *rays, size_t count, const rp_quad *ends, rp_report *report)
{
    (void)rays, (void)count, (void)ends, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

rp_code rp_rays_build(rp_rays *rays, rp_report *report)
{
    (void)rays, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

size_t rp_rays_bytes(const rp_rays *rays)
{
    (void)rays;
    return 0;
}

bool rp_rays_meet(const rp_rays *rays, const rp_ray *ray, rp_hit *hit)
{
    (void)rays, (void)ray, (void)hit;
    return false;
}

bool rp_rays_blocked(const rp_rays *rays, const rp_ray *ray)
{
    (void)rays, (void)ray;
    return false;
}

size_t rp_rays_bare(const rp_rays *rays, rp_threads *threads, rp_vec3 eye, rp_vec3 corner,
                    rp_vec3 right, rp_vec3 down, int width, int height, rp_vec3 to_light,
                    bool scatter)
{
    (void)rays, (void)threads, (void)eye, (void)corner, (void)right, (void)down;
    (void)width, (void)height, (void)to_light, (void)scatter;
    return 0;
}
