/* Places for the grains of sources and streams that show no lattice (W16): each place of a cubic
 * lattice has a grain of its own, shifted as a periodic tile says that was relaxed when the library
 * was built. No two grains of it are nearer than a spacing. Lengths are in spacings. */
#ifndef RP_WORLD_PACKING_H
#define RP_WORLD_PACKING_H

#include "base/report.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* The shift of a place of the endless packing. */
rp_vec3 rp_packing_shift(int64_t i, int64_t j, int64_t k);

/* --- places that a source takes --------------------------------------------------------------- */

/* A row along x. */
typedef struct rp_lattice_row {
    int32_t number; /* along y */
    size_t begin;   /* its first place */
} rp_lattice_row;

typedef struct rp_lattice_place {
    int32_t number; /* along x */
    float reach;    /* how far around it a grain may be at least */
} rp_lattice_place;

/* The places of a lattice that hold a grain, by layers along z, rows along y and places along x;
 * empty rows are left out. */
typedef struct rp_lattice {
    rp_lattice_place *places;
    rp_lattice_row *rows; /* and one behind the last */
    size_t *layers;       /* first row of each, and one behind the last */
    size_t count, capacity, row_count, row_capacity, layer_count, layer_capacity;
    int32_t period[3]; /* places after which an axis begins again, or 0 */
} rp_lattice;

/* Layers, rows and places are added in their order; every layer has to be begun. False when memory
 * runs out. */
bool rp_lattice_begin_layer(rp_lattice *lattice);
bool rp_lattice_begin_row(rp_lattice *lattice, int32_t number);
bool rp_lattice_add(rp_lattice *lattice, int32_t number, double reach);
void rp_lattice_end(rp_lattice *lattice);

/* Whether a grain may be there: at a place (along x, y, z) plus a shift. */
typedef bool rp_packing_free_fn(void *context, const int32_t place[3], const float shift[3]);

/* Gives each place its shift: the tile's from `origin` on, and near the ends of the source what
 * keeps grains inside of it and no two nearer than `least`. `*relaxed` tells whether that was
 * found; if not, the shifts are of no use. */
rp_code rp_packing_relax(const rp_lattice *lattice, const int32_t origin[3], double least,
                         rp_packing_free_fn *is_free, void *context, float (*shifts)[3],
                         bool *relaxed, rp_report *report);

#endif
