/* Spheres that may touch: from rows to what the law wants to know, eight pairs at a time. */
#ifndef RP_SOLVER_DEM_MEET_H
#define RP_SOLVER_DEM_MEET_H

#include "solver/dem/respond.h"

/* What is the same for all spheres. */
typedef struct rp_dem_field {
    const rp_dem_row *rows;
    const rp_dem_pair *pairs;
    int material_count;
    float period[3]; /* m; 0: none */
    bool periodic;
    rp_dem_rules rules;
} rp_dem_field;

/* `look`: only, at the forces of the last step. */
rp_dem_field rp_dem_field_of(const rp_dem *solver, bool look);

/* Eight entries of a block's list. */
typedef struct rp_dem_entries {
    const uint32_t *other;
    uint32_t mine[RP_WIDE];
    int lanes; /* that are its own; the others name spheres, too, but are not looked at */
} rp_dem_entries;

/* `base`: the first sphere of the block. */
RP_WIDE_INLINE rp_dem_entries rp_dem_entries_at(const rp_dem_lists *lists, size_t base, size_t at,
                                                int lanes)
{
    rp_dem_entries e = {.other = lists->other + at, .lanes = lanes};
    for (int k = 0; k < RP_WIDE; k++)
        e.mine[k] = (uint32_t)base + lists->mine[at + (size_t)k];
    return e;
}

/* Where eight pairs are; which of them touch, or have a bridge between. */
typedef struct rp_dem_eight {
    rp_wide_vec3 n;
    rp_wide_vec3 own_low, other_low; /* as in the rows */
    rp_wide overlap, radius, own_radius, other_radius, inverse_mass;
    rp_wide_int touching, held;
} rp_dem_eight;

RP_WIDE_INLINE rp_wide rp_dem_nearest_wide(rp_wide d, float period)
{
    rp_wide half = rp_wide_broadcast(0.5f * period), whole = rp_wide_broadcast(period),
            zero = rp_wide_broadcast(0);
    d -= rp_wide_select(d > half, whole, zero);
    return d + rp_wide_select(d < -half, whole, zero);
}

/* False when none of them is near enough. */
RP_WIDE_INLINE bool rp_dem_look(const rp_dem_field *f, const rp_dem_entries *e, rp_dem_eight *out)
{
    rp_wide at[RP_WIDE], own[RP_WIDE];
    rp_wide_transpose_strided(&f->rows->at, 2, e->other, at);
    rp_wide_transpose_strided(&f->rows->at, 2, e->mine, own);
    rp_wide_vec3 d = {at[AT_X] - own[AT_X], at[AT_Y] - own[AT_Y], at[AT_Z] - own[AT_Z]};
    if (f->periodic) {
        if (f->period[0] > 0) d.x = rp_dem_nearest_wide(d.x, f->period[0]);
        if (f->period[1] > 0) d.y = rp_dem_nearest_wide(d.y, f->period[1]);
        if (f->period[2] > 0) d.z = rp_dem_nearest_wide(d.z, f->period[2]);
    }
    d.x += at[AT_LOW_X] - own[AT_LOW_X];
    d.y += at[AT_LOW_Y] - own[AT_LOW_Y];
    d.z += at[AT_LOW_Z] - own[AT_LOW_Z];
    rp_wide square = rp_wide_v3_dot(d, d), sum = at[AT_RADIUS] + own[AT_RADIUS];
    rp_wide_int there = rp_wide_first_lanes(e->lanes);
    out->touching = out->held = there & (square < sum * sum);
    if (f->rules.cohesive) {
        rp_wide reach = sum + f->rules.rupture * (at[AT_RADIUS] * own[AT_RADIUS] / sum);
        out->held = there & (square < reach * reach);
    }
    if (!rp_wide_any(out->held)) return false;
    rp_wide distance = rp_wide_sqrt(square), both = sum * distance;
    rp_wide inverse =
        rp_wide_select(both > 0, 1 / both, rp_wide_broadcast(0)); /* of sum and distance */
    out->n = rp_wide_v3_scale(d, inverse * sum);
    out->radius = at[AT_RADIUS] * own[AT_RADIUS] * (inverse * distance);
    out->overlap = sum - distance;
    out->own_radius = own[AT_RADIUS];
    out->other_radius = at[AT_RADIUS];
    out->inverse_mass = at[AT_INVERSE_MASS] + own[AT_INVERSE_MASS];
    out->own_low = (rp_wide_vec3){own[AT_LOW_X], own[AT_LOW_Y], own[AT_LOW_Z]};
    out->other_low = (rp_wide_vec3){at[AT_LOW_X], at[AT_LOW_Y], at[AT_LOW_Z]};
    return true;
}

/* Where the contact is, from the middle of the own sphere and of the other. */
RP_WIDE_INLINE rp_wide rp_dem_lever(const rp_dem_eight *e)
{
    return e->own_radius - 0.5f * e->overlap;
}

RP_WIDE_INLINE rp_wide rp_dem_other_lever(const rp_dem_eight *e)
{
    return e->other_radius - 0.5f * e->overlap;
}

/* The constants of pairs of materials. */
RP_WIDE_INLINE rp_dem_pairs rp_dem_pairs_for(const rp_dem_field *f, rp_wide own, rp_wide other)
{
    if (f->material_count == 1) return rp_dem_pairs_all(f->pairs);
    uint32_t which[RP_WIDE];
    for (int k = 0; k < RP_WIDE; k++)
        which[k] = (uint32_t)((int)own[k] * f->material_count + (int)other[k]);
    rp_wide columns[RP_WIDE];
    rp_wide_transpose((const rp_wide *)(const void *)f->pairs, which, columns);
    return rp_dem_pairs_of(columns);
}

/* How they move against each other; what they remember is left to the caller. */
RP_WIDE_INLINE rp_dem_meet rp_dem_meet_of(const rp_dem_field *f, const rp_dem_entries *entries,
                                          const rp_dem_eight *e, rp_dem_pairs *pairs)
{
    rp_wide go[RP_WIDE], own[RP_WIDE];
    rp_wide lever = rp_dem_lever(e), other_lever = rp_dem_other_lever(e);
    rp_wide_transpose_strided(&f->rows->go, 2, entries->other, go);
    rp_wide_transpose_strided(&f->rows->go, 2, entries->mine, own);
    rp_wide_vec3 turning = {other_lever * go[GO_SPIN_X] + lever * own[GO_SPIN_X],
                            other_lever * go[GO_SPIN_Y] + lever * own[GO_SPIN_Y],
                            other_lever * go[GO_SPIN_Z] + lever * own[GO_SPIN_Z]};
    rp_wide_vec3 around = rp_wide_v3_cross(turning, e->n);
    *pairs = rp_dem_pairs_for(f, own[GO_MATERIAL], go[GO_MATERIAL]);
    return (rp_dem_meet){.n = e->n,
                         .v = {(go[GO_X] - own[GO_X]) - around.x, (go[GO_Y] - own[GO_Y]) - around.y,
                               (go[GO_Z] - own[GO_Z]) - around.z},
                         .spin = {own[GO_SPIN_X] - go[GO_SPIN_X], own[GO_SPIN_Y] - go[GO_SPIN_Y],
                                  own[GO_SPIN_Z] - go[GO_SPIN_Z]},
                         .overlap = e->overlap,
                         .radius = e->radius,
                         .inverse_mass = e->inverse_mass,
                         .moisture = 0.5f * (go[GO_MOISTURE] + own[GO_MOISTURE])};
}

/* A sphere on a solid; double, since there are few. */
typedef struct rp_dem_self {
    float at[RP_WIDE], go[RP_WIDE]; /* its rows */
    float arm[3];                   /* m, from the middle of its grain */
} rp_dem_self;

typedef struct rp_dem_press {
    rp_vec3 point;   /* m, where they touch */
    rp_vec3 arm;     /* m, from the middle of the grain to there */
    rp_vec3 n;       /* from the sphere into the solid */
    rp_vec3 v, spin; /* m/s, of the solid against the sphere there; rad/s, of the sphere against
                        the solid */
    double overlap;  /* m */
    double radius;   /* m, R*: that of the sphere where the solid is flat */
    double smaller;  /* m, radius of the smaller one */
    rp_dem_pair pair;
} rp_dem_press;

/* False when they are apart. */
bool rp_dem_press_of(const rp_dem *solver, const rp_dem_self *self, const rp_dem_wall *wall,
                     rp_dem_press *out);

typedef struct rp_dem_pressed {
    double normal;                /* N */
    rp_vec3 shear;                /* N, on the grain */
    rp_vec3 torque;               /* N m, from rolling and twisting */
    float spring[RP_DEM_SPRINGS]; /* m */
} rp_dem_pressed;

/* What presses on a grain. */
typedef struct rp_dem_force {
    float force[3], torque[3]; /* N; N m about its middle */
    float squeeze;             /* N m, normal forces times levers */
} rp_dem_force;

/* forces.c: the forces of a step, block by block. */
typedef struct rp_dem_forces {
    rp_dem *solver;
    rp_dem_field field;
    float *loads;             /* m2/kg2, of each block: the largest R* xi / m*^2 */
    rp_grain_value *excesses; /* m, likewise: overlap beyond what is borne */
    float most;               /* overlap in parts of the smaller radius */
    int classes;              /* of entries that may touch by now */
} rp_dem_forces;

rp_code rp_dem_forces_begin(rp_dem_forces *forces, rp_dem *solver, rp_report *report);
/* What presses on the grains of a block, whatever of them was kicked or has drifted in other blocks
 * by then: neighbors are seen through their rows. */
void rp_dem_forces_on(const rp_dem_forces *forces, rp_range block, rp_dem_force *loads);
/* Hands forces to bodies; a fault where grains overlap by more than is borne. */
rp_code rp_dem_forces_end(const rp_dem_forces *forces, double time, rp_report *report);

/* move.c */
/* (E1): velocities and spins of a block change by a whole step. */
void rp_dem_kick(const rp_dem *solver, rp_range block, const rp_dem_force *loads);
/* (E1): a block drifts for half a step; rows stay as they were. */
void rp_dem_drift_block(const rp_dem *solver, rp_range block);

void rp_dem_press_back(const rp_dem_rules *rules, const rp_dem_self *self,
                       const rp_dem_press *press, const float spring[RP_DEM_SPRINGS],
                       rp_dem_pressed *out);

#endif
