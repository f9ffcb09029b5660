/* Which grain or triangle each sample of the picture sees.
 *
 * The picture is cut into tiles; grains and triangles are listed by the tiles they may touch; a
 * tile is then worked on alone with a small depth buffer. Memory does not grow with the samples of
 * the picture, and no two threads share a sample. Of two grains at the same depth the lower id is
 * seen, so the order of the lists does not matter. */
#ifndef RP_RENDER_SPLAT_H
#define RP_RENDER_SPLAT_H

#include "render/camera.h"
#include "render/shell.h"
#include "render/solid.h"

#define RP_TILE_PIXELS 32
#define RP_SAMPLES 2 /* per pixel along each axis */
#define RP_TILE_EDGE (RP_TILE_PIXELS * RP_SAMPLES)

/* What a sample sees: a grain's index, a triangle's index with the top bit set, or nothing. */
#define RP_SEEN_NOTHING UINT32_MAX
#define RP_SEEN_TRIANGLE 0x80000000u

typedef struct rp_tile {
    int x, y;                                /* samples from the left and the top of the picture */
    float depth[RP_TILE_EDGE][RP_TILE_EDGE]; /* m, along the camera's forward axis */
    uint32_t seen[RP_TILE_EDGE][RP_TILE_EDGE];
} rp_tile;

typedef struct rp_splats {
    const rp_camera *camera;
    const rp_view *view;
    const rp_shell *shell;
    double radius; /* m, of a grain */
    const rp_solids *solids;
    int columns, rows; /* of tiles */
    /* Of tile t: grains[first_grain[t]] to grains[first_grain[t + 1] - 1]; triangles likewise. */
    size_t *first_grain, *first_triangle;
    uint32_t *grains, *triangles;
} rp_splats;

rp_code rp_splats_sort(rp_splats *splats, const rp_camera *camera, const rp_view *view,
                       const rp_shell *shell, double radius, const rp_solids *solids,
                       rp_threads *threads, rp_report *report);
void rp_splats_release(rp_splats *splats);

/* Finds what the samples of tile number `index` see. */
void rp_splats_draw(const rp_splats *splats, int index, rp_tile *tile);

/* The weights of a triangle's corners where the ray (u, v, 1) of camera space meets it. */
rp_vec3 rp_triangle_weights(const rp_camera *camera, const rp_solid_triangle *triangle, double u,
                            double v);

#endif
