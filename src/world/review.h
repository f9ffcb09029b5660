/* A review in hand: what review.c and openings.c share. */
#ifndef RP_WORLD_REVIEW_H
#define RP_WORLD_REVIEW_H

#include "world/world.h"

/* A grain at its first place, m and m/s. */
typedef struct rp_review_start {
    rp_vec3 point, velocity;
} rp_review_start;

#define RP_REVIEW_STARTS 512

typedef struct rp_review {
    const rp_world *world;
    rp_report *warnings, *report;
    rp_code code;
    double grains; /* that find room, about */
    rp_review_start starts[RP_REVIEW_STARTS];
    int start_count;
    size_t start_seen, start_stride;
} rp_review;

void rp_review_add_start(rp_review *review, rp_vec3 point, rp_vec3 velocity);
/* Warns of openings that are too narrow for sand to flow through. */
void rp_review_openings(rp_review *review);

#endif
