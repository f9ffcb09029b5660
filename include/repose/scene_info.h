/* What a scene holds: bodies and their shapes as triangles, materials, cameras, the domain,
 * sources, emitters, light. What a viewer, an exporter or a script needs to show a scene and to
 * explain it.
 *
 * Counts and places are those of views: body 2 of a view is body 2 of the scene. What is asked for
 * beyond the last place has zeros and a NULL name. Names are borrowed from the scene. Colours are
 * linear sRGB, 0 to 1. */
#ifndef REPOSE_SCENE_INFO_H
#define REPOSE_SCENE_INFO_H

#include "repose/scene.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_body_info {
    const char *name;
    const char *motion;     /* "fixed", "keys" or "dynamic" */
    const char *shape;      /* "plane", "box", "sphere", "cylinder" … "mesh" */
    double position[3];     /* m, at the start */
    double orientation[4];  /* likewise: unit quaternion w, x, y, z, body to world */
    double low[3], high[3]; /* m, bounds in the body's frame; infinite for a plane */
    double density, mass;   /* kg/m3 or kg of a dynamic body, as given; the other one is 0 */
    double friction;        /* of its surface, tangent of the angle; infinite: rough */
    double restitution;     /* likewise */
    double colour[3];
    bool hidden; /* not in pictures */
} rp_body_info;
RP_API int rp_scene_body_count(const rp_scene *scene);
RP_API rp_body_info rp_scene_body_info(const rp_scene *scene, int body);

/* A surface for drawing. Vertices are shared where the surface is smooth and doubled along edges,
 * so that each has one normal. */
typedef struct rp_triangles {
    const float *positions; /* m, x, y, z of each vertex, in the body's frame */
    const float *normals;   /* unit, outward, likewise */
    size_t vertex_count;
    const uint32_t *indices; /* three vertices a triangle, counter-clockwise seen from outside */
    size_t triangle_count;
} rp_triangles;
/* The shape of a body. Round parts have `segments` pieces, 3 at least; a plane becomes a square of
 * edge `plane_size` (m). Destroy them. */
RP_API rp_code rp_scene_body_triangles(const rp_scene *scene, int body, int segments,
                                       double plane_size, rp_triangles **out, rp_report *report);
RP_API void rp_triangles_destroy(rp_triangles *triangles);

typedef struct rp_material_info {
    const char *name;
    double density; /* kg/m3, of the packed material */
    double angle;   /* rad, angle of repose */
    double colour[3];
} rp_material_info;
RP_API int rp_scene_material_count(const rp_scene *scene);
RP_API rp_material_info rp_scene_material_info(const rp_scene *scene, int material);

typedef struct rp_camera_info {
    const char *name;
    double position[3], target[3]; /* m, at the time asked for */
    double up[3];
    double field_of_view; /* rad, across the height of the picture */
} rp_camera_info;
RP_API int rp_scene_camera_count(const rp_scene *scene);
RP_API rp_camera_info rp_scene_camera_info(const rp_scene *scene, int camera, double time);

/* Sides are left, right, front, back, bottom, top: low x, high x, low y and so on. */
typedef struct rp_domain_info {
    double low[3], high[3]; /* m; infinite where the scene gives no bound */
    bool periodic[3];       /* along x, y, z: what leaves on one side returns on the other */
    bool open[6];           /* what passes this side is gone; else it is a wall */
    double gravity[3];      /* m/s2, at the start */
    double spacing;         /* m, distance of neighboring grains at rest */
} rp_domain_info;
RP_API rp_domain_info rp_scene_domain(const rp_scene *scene);

typedef struct rp_source_info {
    const char *name;
    int material;
    double at;              /* s, when it appears */
    double low[3], high[3]; /* m, bounds of its shape in its own frame */
    double position[3];     /* m, where that frame is */
    double orientation[4];  /* unit quaternion w, x, y, z: source to world */
} rp_source_info;
RP_API int rp_scene_source_count(const rp_scene *scene);
RP_API rp_source_info rp_scene_source_info(const rp_scene *scene, int source);

typedef struct rp_emitter_info {
    const char *name;
    int material;
    double position[3];   /* m, of the nozzle's centre */
    double direction[3];  /* unit vector */
    double radius;        /* m; 0 where it is a rectangle */
    double width, height; /* m; 0 where it is a disc */
    double speed;         /* m/s */
    double start, stop;   /* s; stop may be infinite */
} rp_emitter_info;
RP_API int rp_scene_emitter_count(const rp_scene *scene);
RP_API rp_emitter_info rp_scene_emitter_info(const rp_scene *scene, int emitter);

typedef struct rp_light_info {
    double direction[3]; /* unit vector, along which the light of the sun travels */
    double strength;     /* of the sun, 1 is plain daylight */
    double sky;          /* light from all sides */
    double colour[3];
} rp_light_info;
RP_API rp_light_info rp_scene_light(const rp_scene *scene);

/* A ball that shines. */
typedef struct rp_lamp_info {
    const char *name;
    double position[3]; /* m */
    double radius;      /* m */
    double strength;    /* 1: lights what faces it at 1 m as the sun of strength 1 does */
    double colour[3];
} rp_lamp_info;
RP_API int rp_scene_lamp_count(const rp_scene *scene);
RP_API rp_lamp_info rp_scene_lamp_info(const rp_scene *scene, int lamp);

/* What is written besides grains and bodies. */
typedef struct rp_detail_info {
    int64_t factor; /* fine grains for each coarse one; 0: none */
    bool live;      /* made while running */
} rp_detail_info;
RP_API rp_detail_info rp_scene_detail(const rp_scene *scene);
/* Each n-th frame is written. */
RP_API int64_t rp_scene_frame_every(const rp_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
