/* Contact geometry: from the rows of two spheres to normal, overlap and relative motion, which the
 * contact law wants to know; eight pairs at a time. Also the geometry of a sphere on a wall, and
 * the loop over the contacts of a block. */
#ifndef RP_SOLVER_DEM_CONTACT_GEOMETRY_H
#define RP_SOLVER_DEM_CONTACT_GEOMETRY_H

#include "solver/dem/contact_law.h"

/* What is the same for all spheres. */
typedef struct rp_dem_contact_context {
    const rp_dem_row *rows;
    const rp_dem_pair *pairs;
    int material_count;
    float period[3]; /* m; 0: none */
    bool periodic;
    rp_dem_contact_options options;
} rp_dem_contact_context;

/* `evaluate_only`: for the forces of the last step, without advancing the history. */
rp_dem_contact_context rp_dem_contact_context_of(const rp_dem *solver, bool evaluate_only);

/* --- two spheres --- */

/* Eight entries of the list of a block. */
typedef struct rp_dem_entries {
    const uint32_t *other; /* spheres */
    uint32_t own[RP_WIDE]; /* spheres */
    int lanes;             /* in use; the others name spheres as well, and are masked */
} rp_dem_entries;

/* Returns the eight entries from `at` on. `base`: first sphere of the block. */
RP_WIDE_INLINE rp_dem_entries rp_dem_entries_at(const rp_dem_lists *lists, size_t base, size_t at,
                                                int lanes)
{
    RP_ASSERT_DEBUG(lanes >= 1 && lanes <= RP_WIDE &&
                    at + RP_WIDE <= lists->entry_capacity + RP_WIDE);
    rp_dem_entries e = {.other = lists->other + at, .lanes = lanes};
    for (int k = 0; k < RP_WIDE; k++)
        e.own[k] = (uint32_t)base + lists->own[at + (size_t)k];
    return e;
}

/* Geometry of eight pairs. */
typedef struct rp_dem_geometry {
    rp_wide_vec3 n;                  /* unit, from the own sphere to the other */
    rp_wide_vec3 own_low, other_low; /* m, low words of the positions */
    rp_wide overlap;                 /* m; negative: a gap */
    rp_wide radius;                  /* m, R* */
    rp_wide own_radius, other_radius;
    rp_wide inverse_mass;              /* 1/kg, of m* */
    rp_wide_int touching, interacting; /* masks: overlap; overlap or a liquid bridge */
} rp_dem_geometry;

RP_WIDE_INLINE rp_wide rp_dem_minimum_image_wide(rp_wide d, float period)
{
    rp_wide half = rp_wide_broadcast(0.5f * period), whole = rp_wide_broadcast(period),
            zero = rp_wide_broadcast(0);
    d -= rp_wide_select(d > half, whole, zero);
    return d + rp_wide_select(d < -half, whole, zero);
}

/* Returns the vector from the own positions to the others, m: the difference of the high words,
 * which is exact for spheres near each other, then its minimum image, then the difference of the
 * low words.
 */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_difference(const rp_dem_contact_context *context,
                                              const rp_wide own[RP_WIDE],
                                              const rp_wide other[RP_WIDE])
{
    rp_wide_vec3 d = {other[POSITION_X] - own[POSITION_X], other[POSITION_Y] - own[POSITION_Y],
                      other[POSITION_Z] - own[POSITION_Z]};
    if (context->periodic) {
        if (context->period[0] > 0) d.x = rp_dem_minimum_image_wide(d.x, context->period[0]);
        if (context->period[1] > 0) d.y = rp_dem_minimum_image_wide(d.y, context->period[1]);
        if (context->period[2] > 0) d.z = rp_dem_minimum_image_wide(d.z, context->period[2]);
    }
    d.x += other[POSITION_LOW_X] - own[POSITION_LOW_X];
    d.y += other[POSITION_LOW_Y] - own[POSITION_LOW_Y];
    d.z += other[POSITION_LOW_Z] - own[POSITION_LOW_Z];
    return d;
}

/* Computes the geometry; false, and nothing computed, when none of the eight pairs interacts. */
RP_WIDE_INLINE bool rp_dem_find_geometry(const rp_dem_contact_context *context,
                                         const rp_dem_entries *e, rp_dem_geometry *out)
{
    /* Rows of eight spheres become columns. */
    rp_wide other[RP_WIDE], own[RP_WIDE];
    rp_wide_transpose_strided(&context->rows->position, 2, e->other, other);
    rp_wide_transpose_strided(&context->rows->position, 2, e->own, own);
    rp_wide_vec3 d = rp_dem_difference(context, own, other);
    /* Squares tell whether they interact: most groups of eight end here, without a root. */
    rp_wide square = rp_wide_v3_dot(d, d), sum = other[POSITION_RADIUS] + own[POSITION_RADIUS];
    rp_wide_int used = rp_wide_first_lanes(e->lanes);
    out->touching = out->interacting = used & (square < sum * sum);
    if (context->options.cohesive) {
        rp_wide reach =
            sum + context->options.rupture * (other[POSITION_RADIUS] * own[POSITION_RADIUS] / sum);
        out->interacting = used & (square < reach * reach);
    }
    if (!rp_wide_any(out->interacting)) return false;
    /* One division gives both 1 / distance and 1 / sum. */
    rp_wide distance = rp_wide_sqrt(square), both = sum * distance;
    rp_wide inverse = rp_wide_select(both > 0, 1 / both, rp_wide_broadcast(0));
    out->n = rp_wide_v3_scale(d, inverse * sum);
    out->radius = other[POSITION_RADIUS] * own[POSITION_RADIUS] * (inverse * distance);
    out->overlap = sum - distance;
    out->own_radius = own[POSITION_RADIUS];
    out->other_radius = other[POSITION_RADIUS];
    out->inverse_mass = other[POSITION_INVERSE_MASS] + own[POSITION_INVERSE_MASS];
    out->own_low = (rp_wide_vec3){own[POSITION_LOW_X], own[POSITION_LOW_Y], own[POSITION_LOW_Z]};
    out->other_low =
        (rp_wide_vec3){other[POSITION_LOW_X], other[POSITION_LOW_Y], other[POSITION_LOW_Z]};
    return true;
}

/* Returns the distance from the centre of the own sphere to the point of contact, m, which is in
 * the middle of the overlap. */
RP_WIDE_INLINE rp_wide rp_dem_lever(const rp_dem_geometry *g)
{
    return g->own_radius - 0.5f * g->overlap;
}

/* And from the centre of the other sphere. */
RP_WIDE_INLINE rp_wide rp_dem_other_lever(const rp_dem_geometry *g)
{
    return g->other_radius - 0.5f * g->overlap;
}

/* Returns the constants of pairs of materials, which rows hold as floats. */
RP_WIDE_INLINE rp_dem_wide_pair rp_dem_wide_pair_for(const rp_dem_contact_context *context,
                                                     rp_wide own, rp_wide other)
{
    if (context->material_count == 1) return rp_dem_wide_pair_all(context->pairs);
    uint32_t which[RP_WIDE];
    for (int k = 0; k < RP_WIDE; k++)
        which[k] = (uint32_t)((int)own[k] * context->material_count + (int)other[k]);
    rp_wide columns[RP_WIDE];
    rp_wide_transpose((const rp_wide *)(const void *)context->pairs, which, columns);
    return rp_dem_wide_pair_of(columns);
}

/* Returns the input of the contact law, without the history, and the constants of the pairs. */
RP_WIDE_INLINE rp_dem_contact_state rp_dem_contact_state_of(const rp_dem_contact_context *context,
                                                            const rp_dem_entries *entries,
                                                            const rp_dem_geometry *g,
                                                            rp_dem_wide_pair *pair)
{
    rp_wide other[RP_WIDE], own[RP_WIDE];
    rp_wide lever = rp_dem_lever(g), other_lever = rp_dem_other_lever(g);
    rp_wide_transpose_strided(&context->rows->motion, 2, entries->other, other);
    rp_wide_transpose_strided(&context->rows->motion, 2, entries->own, own);
    /* Velocity at the point of contact: that of the centres, and spin times lever of both. */
    rp_wide_vec3 turning = {other_lever * other[MOTION_SPIN_X] + lever * own[MOTION_SPIN_X],
                            other_lever * other[MOTION_SPIN_Y] + lever * own[MOTION_SPIN_Y],
                            other_lever * other[MOTION_SPIN_Z] + lever * own[MOTION_SPIN_Z]};
    rp_wide_vec3 around = rp_wide_v3_cross(turning, g->n);
    *pair = rp_dem_wide_pair_for(context, own[MOTION_MATERIAL], other[MOTION_MATERIAL]);
    return (rp_dem_contact_state){.n = g->n,
                                  .v = {(other[MOTION_X] - own[MOTION_X]) - around.x,
                                        (other[MOTION_Y] - own[MOTION_Y]) - around.y,
                                        (other[MOTION_Z] - own[MOTION_Z]) - around.z},
                                  .spin = {own[MOTION_SPIN_X] - other[MOTION_SPIN_X],
                                           own[MOTION_SPIN_Y] - other[MOTION_SPIN_Y],
                                           own[MOTION_SPIN_Z] - other[MOTION_SPIN_Z]},
                                  .overlap = g->overlap,
                                  .radius = g->radius,
                                  .inverse_mass = g->inverse_mass,
                                  .moisture =
                                      0.5f * (other[MOTION_MOISTURE] + own[MOTION_MOISTURE])};
}

/* --- a sphere and a wall; in double, since there are few --- */

/* A sphere of a grain. */
typedef struct rp_dem_sphere {
    float position[RP_WIDE], motion[RP_WIDE]; /* the halves of its row */
    float arm[3];                             /* m, from the centre of its grain */
} rp_dem_sphere;

/* Geometry and relative motion of a sphere and a solid that touch. */
typedef struct rp_dem_wall_geometry {
    rp_vec3 point;  /* m, of contact */
    rp_vec3 arm;    /* m, from the centre of the grain to that point */
    rp_vec3 n;      /* unit, from the sphere into the solid */
    rp_vec3 v;      /* m/s, of the solid relative to the sphere at the point */
    rp_vec3 spin;   /* rad/s, of the sphere relative to the solid */
    double overlap; /* m */
    double radius;  /* m, R*: that of the sphere where the solid is flat */
    double smaller; /* m, the smaller of both radii */
    rp_dem_pair pair;
} rp_dem_wall_geometry;

/* Computes the geometry; false when the two do not interact. */
bool rp_dem_find_wall_geometry(const rp_dem *solver, const rp_dem_sphere *sphere,
                               const rp_dem_wall *wall, rp_dem_wall_geometry *out);

typedef struct rp_dem_wall_force {
    double normal;                         /* N, repulsive */
    rp_vec3 shear;                         /* N, on the grain */
    rp_vec3 torque;                        /* N m, on the grain, from rolling and twisting */
    float history[RP_DEM_HISTORY_COLUMNS]; /* m */
} rp_dem_wall_force;

/* Computes the forces of one contact with a wall by the same law. */
void rp_dem_wall_contact_law(const rp_dem_contact_options *options, const rp_dem_sphere *sphere,
                             const rp_dem_wall_geometry *geometry,
                             const float history[RP_DEM_HISTORY_COLUMNS], rp_dem_wall_force *out);

/* --- contact_forces.c: the contact forces of a step, block by block --- */

/* Sum of the contact forces on a grain. */
typedef struct rp_dem_grain_force {
    float force[3], torque[3]; /* N; N m about its centre */
    float virial;              /* N m, sum of normal forces times levers (E11) */
} rp_dem_grain_force;

typedef struct rp_dem_force_job {
    rp_dem *solver;
    rp_dem_contact_context context;
    float *loads;             /* m2/kg2, of each block: the largest R* xi / m*^2 */
    rp_grain_value *excesses; /* m, of each block: the largest overlap beyond max_overlap */
    float max_overlap;        /* over the smaller radius */
    int classes;              /* of entries that may touch by now */
} rp_dem_force_job;

rp_code rp_dem_contact_forces_begin(rp_dem_force_job *job, rp_dem *solver, rp_report *report);
/* Computes the contact forces on the grains of a block. Grains of other blocks may have been kicked
 * or have drifted by then: only their rows are read. */
void rp_dem_contact_forces_block(const rp_dem_force_job *job, rp_range block,
                                 rp_dem_grain_force *forces);
/* Adds up the forces on bodies; fails where grains overlap by too much. */
rp_code rp_dem_contact_forces_end(const rp_dem_force_job *job, double time, rp_report *report);

#endif
