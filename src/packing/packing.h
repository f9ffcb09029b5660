/* The relaxed packing (W16) of docs/theory/world.md: positions for the grains of sources and
 * emitters that show no lattice. Each site of a cubic lattice has one grain, shifted by a vector
 * that a periodic tile gives; the tile was relaxed when the library was built. No two grains of it
 * are nearer than a spacing. All lengths are in spacings. */
#ifndef RP_PACKING_PACKING_H
#define RP_PACKING_PACKING_H

#include "base/report.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns the shift of a site of the packing, which is repeated without end. */
rp_vec3 rp_packing_shift(int64_t i, int64_t j, int64_t k);

/* --- the sites of a source -------------------------------------------------------------------- */

/* A row of sites along x. */
typedef struct rp_lattice_row {
    int32_t number; /* index along y */
    size_t begin;   /* its first site */
} rp_lattice_row;

typedef struct rp_lattice_site {
    int32_t number;    /* index along x */
    float free_radius; /* a grain may be anywhere within this distance */
} rp_lattice_site;

/* The sites of a lattice that hold a grain, by layers along z, rows along y and sites along x; rows
 * without a grain are left out. */
typedef struct rp_lattice {
    rp_lattice_site *sites;
    rp_lattice_row *rows; /* one more than `row_count` */
    size_t *layers;       /* first row of each; one more than `layer_count` */
    size_t count, capacity, row_count, row_capacity, layer_count, layer_capacity;
    int32_t period[3]; /* number of sites of a periodic axis, or 0 */
} rp_lattice;

/* Adds layers, rows and sites in their order; every layer has to be begun, also an empty one. False
 * when memory runs out. */
bool rp_lattice_begin_layer(rp_lattice *lattice);
bool rp_lattice_begin_row(rp_lattice *lattice, int32_t number);
bool rp_lattice_add(rp_lattice *lattice, int32_t number, double free_radius);
void rp_lattice_end(rp_lattice *lattice);

/* Returns true when a grain may be at a site (along x, y, z) plus a shift. */
typedef bool rp_packing_free_fn(void *context, const int32_t site[3], const float shift[3]);

/* Computes the shift of each site: that of the tile, from its site `origin` on; near the boundary
 * of the source one that keeps grains inside and no two nearer than `least`. `*relaxed` is true
 * when such shifts were found; if not, the shifts are of no use. */
rp_code rp_packing_relax(const rp_lattice *lattice, const int32_t origin[3], double least,
                         rp_packing_free_fn *is_free, void *context, float (*shifts)[3],
                         bool *relaxed, rp_report *report);

#endif
