/* Grains that are larger than a place of the lattice on which a source lays the others: they are
 * placed first, wherever there is room, and the lattice goes on around them (W17). */
#ifndef RP_WORLD_LARGE_H
#define RP_WORLD_LARGE_H

#include "world/world.h"

/* Balls that nothing may appear in, in cells by their size. */
typedef struct rp_stone {
    rp_vec3 at;    /* m */
    double radius; /* m */
    uint32_t next; /* in its slot, + 1 */
} rp_stone;

typedef struct rp_stones {
    const rp_domain_spec *domain;
    double least; /* m, radius: cells of level k have the edge least 2^(k + 1) */
    double most;  /* m, the largest radius yet */
    unsigned levels;
    rp_stone *items;
    size_t count, capacity;
    uint32_t *slots; /* stone + 1, or 0 */
    size_t slot_count;
} rp_stones;

/* All grains of the world that are larger than a place of the scene's lattice. */
rp_code rp_stones_collect(rp_stones *stones, const rp_world *world, rp_report *report);
bool rp_stones_add(rp_stones *stones, rp_vec3 at, double radius);
/* How far a point is from the nearest one, m, negative inside; `near` where that is further. */
double rp_stones_gap(const rp_stones *stones, rp_vec3 at, double near);
void rp_stones_end(rp_stones *stones);
/* m, that the middle of a grain on a lattice keeps from large ones: it may be shifted towards the
 * corners of its place, further than that goes. */
double rp_stones_clearance(const rp_scene *scene, double spacing);

/* How many large grains a source has that would have room for so many places of its lattice. */
size_t rp_large_count(const rp_scene *scene, const rp_grain_split *split, int material,
                      double places);
/* Puts the grains of some diameters, largest first, into the source, clear of stones, walls, voids
 * and bodies, and adds them to the stones. Those that found no room are marked. */
rp_code rp_large_place(const rp_world *world, const rp_source_spec *source, const double *diameters,
                       size_t count, rp_stones *stones, rp_vec3 *positions, uint8_t *lost,
                       rp_report *report);

#endif
