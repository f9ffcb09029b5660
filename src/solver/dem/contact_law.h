/* The contact law: forces and torques of a contact from its geometry, relative motion and history,
 * eight contacts at a time, values in, values out; (E2) to (E9) of docs/theory/dem.md. Contacts of
 * two spheres and contacts with walls share it.
 *
 *     normal       Hertz or a linear spring, dashpot of Tsuji, Tanaka and Ishida (1992)
 *     tangential   spring, dashpot and slider: Cundall and Strack (1979), Mindlin (1949)
 *     rolling      spring, dashpot and slider: Ai, Chen, Rotter and Ooi (2011), Luding (2008)
 *     liquid       bridge that pulls: Fisher (1926)
 *
 * All quantities are as seen from the first sphere: `n` points to the second, `v` is the velocity
 * of the second relative to the first at the point of contact. With the two exchanged, n, v and the
 * history change their signs and so do the forces, to the last bit. */
#ifndef RP_SOLVER_DEM_CONTACT_LAW_H
#define RP_SOLVER_DEM_CONTACT_LAW_H

#include "math/wide.h"
#include "solver/dem/dem.h"

/* Damping of rolling over sqrt(m* k_t): 0.3 of the critical damping (Ai and others 2011) of a
 * sphere on a plane, whose moment of inertia about the contact is 7/5 m R^2. */
#define RP_DEM_ROLLING_DAMPING 0.71f

/* rp_dem_pair with one pair of materials in each lane. */
typedef struct rp_dem_wide_pair {
    rp_wide stiffness, damping, shear_ratio, friction, rolling_friction, tension, shear_damping,
        step_correction;
} rp_dem_wide_pair;
_Static_assert(sizeof(rp_dem_wide_pair) == RP_WIDE * sizeof(rp_dem_pair),
               "a wide pair has the members of a pair, in their order");

/* From the columns of eight transposed pairs. */
RP_WIDE_INLINE rp_dem_wide_pair rp_dem_wide_pair_of(const rp_wide columns[RP_WIDE])
{
    return (rp_dem_wide_pair){columns[0], columns[1], columns[2], columns[3],
                              columns[4], columns[5], columns[6], columns[7]};
}

/* The same pair in all lanes. */
RP_WIDE_INLINE rp_dem_wide_pair rp_dem_wide_pair_all(const rp_dem_pair *pair)
{
    return (rp_dem_wide_pair){
        rp_wide_broadcast(pair->stiffness),        rp_wide_broadcast(pair->damping),
        rp_wide_broadcast(pair->shear_ratio),      rp_wide_broadcast(pair->friction),
        rp_wide_broadcast(pair->rolling_friction), rp_wide_broadcast(pair->tension),
        rp_wide_broadcast(pair->shear_damping),    rp_wide_broadcast(pair->step_correction)};
}

/* What all contacts of a step have in common. */
typedef struct rp_dem_contact_options {
    bool hertz, has_history, cohesive, rolls;
    bool evaluate_only; /* forces of the step that was, without advancing the history */
    float dt;           /* s */
    float max_damping;  /* 1/s, over m* */
    float slip_damping; /* of viscous shear */
    float rupture;      /* over R* */
} rp_dem_contact_options;

/* Input of the contact law. */
typedef struct rp_dem_contact_state {
    rp_wide_vec3 n, v;       /* unit; m/s */
    rp_wide_vec3 spin;       /* rad/s, of the first relative to the second */
    rp_wide overlap;         /* m; negative: a gap */
    rp_wide radius;          /* m, R*: 1 / (1/R1 + 1/R2) */
    rp_wide inverse_mass;    /* 1/kg, of m* */
    rp_wide moisture;        /* 0 to 1 */
    rp_wide_vec3 tangential; /* m, tangential displacement */
    rp_wide_vec3 rolling;    /* m, displacement of rolling: R* times an angle */
    rp_wide twisting;        /* m, of twisting about n */
} rp_dem_contact_state;

/* Output of the contact law: forces, and the history for the next step. */
typedef struct rp_dem_contact_force {
    rp_wide normal;          /* N, repulsive */
    rp_wide_vec3 shear;      /* N, on the first */
    rp_wide_vec3 torque;     /* N m, on the first, from rolling and twisting */
    rp_wide_vec3 tangential; /* m */
    rp_wide_vec3 rolling;    /* m */
    rp_wide twisting;        /* m */
} rp_dem_contact_force;

/* (E6): returns the displacement after a step with the velocity `slip`, m/s. */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_advance_displacement(rp_wide_vec3 displacement, rp_wide_vec3 n,
                                                        rp_wide_vec3 slip, float dt)
{
    /* The contact has rotated since the last step: project the displacement onto the new tangent
     * plane, and restore its length. */
    rp_wide_vec3 flat = rp_wide_v3_madd(displacement, -rp_wide_v3_dot(displacement, n), n);
    rp_wide before = rp_wide_v3_dot(displacement, displacement), after = rp_wide_v3_dot(flat, flat);
    rp_wide scale = rp_wide_select(after > 0, rp_wide_sqrt(before / after), rp_wide_broadcast(0));
    /* Then add the slip of this step. */
    return rp_wide_v3_madd(rp_wide_v3_scale(flat, scale), rp_wide_broadcast(dt), slip);
}

/* (E6): returns the force, or where it exceeds `limit` (Coulomb) a force of that size. A contact
 * that slides keeps the displacement whose spring alone gives the limit. */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_limit_force(rp_wide_vec3 force, rp_wide stiffness, rp_wide limit,
                                               rp_wide_vec3 *displacement)
{
    rp_wide square = rp_wide_v3_dot(force, force);
    rp_wide_int slides = square > limit * limit; /* some of eight often do: no branch */
    rp_wide cut = rp_wide_select(slides, limit / rp_wide_sqrt(square), rp_wide_broadcast(1));
    rp_wide_vec3 limited = rp_wide_v3_scale(force, cut);
    *displacement =
        rp_wide_v3_select(slides, rp_wide_v3_scale(limited, 1 / stiffness), *displacement);
    return limited;
}

/* Returns the shear force of the step that was, from its history: a spring that gives just the
 * limit belongs to a contact that slid, and then the dashpot was cut off as well. */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_evaluate_shear(rp_wide_vec3 force, rp_wide_vec3 displacement,
                                                  rp_wide stiffness, rp_wide limit)
{
    rp_wide_vec3 elastic = rp_wide_v3_scale(displacement, stiffness);
    rp_wide square = rp_wide_v3_dot(elastic, elastic), least = limit * limit;
    rp_wide_int slid = (square > 0.999996f * least) & (square < 1.000004f * least);
    return rp_wide_v3_select(slid, elastic, force);
}

/* (E5, E6): tangential spring and dashpot up to Coulomb's limit. `root` is sqrt(m* k),
 * `max_damping` is in kg/s. */
RP_WIDE_INLINE void rp_dem_shear_with_history(const rp_dem_contact_options *options,
                                              const rp_dem_wide_pair *pair,
                                              const rp_dem_contact_state *c, rp_wide_vec3 slip,
                                              rp_wide stiffness, rp_wide root, rp_wide max_damping,
                                              rp_wide limit, rp_dem_contact_force *out)
{
    /* Two spheres slip against each other with 2/7 of m*, since they are free to rotate. */
    rp_wide damping = rp_wide_min(pair->shear_damping * root, (2.0f / 7) * max_damping);
    rp_wide_vec3 displacement =
        options->evaluate_only
            ? c->tangential
            : rp_dem_advance_displacement(c->tangential, c->n, slip, options->dt);
    rp_wide_vec3 force = rp_wide_v3_madd(rp_wide_v3_scale(displacement, stiffness), damping, slip);
    if (options->evaluate_only)
        force = rp_dem_evaluate_shear(force, displacement, stiffness, limit);
    out->shear = rp_dem_limit_force(force, stiffness, limit, &displacement);
    out->tangential = displacement;
}

/* (E7): viscous shear force up to Coulomb's limit, without history. */
RP_WIDE_INLINE void rp_dem_shear_viscous(const rp_dem_contact_options *options, rp_wide_vec3 slip,
                                         rp_wide root, rp_wide limit, rp_dem_contact_force *out)
{
    rp_wide speed, inverse = rp_wide_v3_inverse_length(slip, &speed);
    rp_wide size = rp_wide_min(limit, options->slip_damping * root * speed);
    out->shear = rp_wide_v3_scale(slip, size * inverse);
    out->tangential =
        (rp_wide_vec3){rp_wide_broadcast(0), rp_wide_broadcast(0), rp_wide_broadcast(0)};
}

/* (E8): rolling and twisting resistance, each a spring and a dashpot up to a limit, as slip has,
 * with R* times the relative spin in place of the slip. `stiffness` is that of slip. */
RP_WIDE_INLINE void rp_dem_rolling_with_history(const rp_dem_contact_options *options,
                                                const rp_dem_wide_pair *pair,
                                                const rp_dem_contact_state *c, rp_wide stiffness,
                                                rp_wide mass, rp_wide max_damping, rp_wide normal,
                                                rp_dem_contact_force *out)
{
    /* The moment of inertia of two spheres is never below 2/5 m* R*^2: explicit damping of more
     * than this could reverse the spin in one step. */
    rp_wide damping =
        rp_wide_min(RP_DEM_ROLLING_DAMPING * rp_wide_sqrt(mass * stiffness), 0.4f * max_damping);
    rp_wide limit = pair->rolling_friction * normal;
    /* Split the relative spin into twisting about n and rolling across it. */
    rp_wide_vec3 rate = rp_wide_v3_scale(c->spin, c->radius);
    rp_wide about = rp_wide_v3_dot(rate, c->n);
    rate = rp_wide_v3_madd(rate, -about, c->n);
    out->rolling = rp_dem_advance_displacement(c->rolling, c->n, rate, options->dt);
    rp_wide_vec3 rolling =
        rp_wide_v3_madd(rp_wide_v3_scale(out->rolling, stiffness), damping, rate);
    rolling = rp_dem_limit_force(rolling, stiffness, limit, &out->rolling);
    /* Twisting is the same in one dimension. */
    rp_wide displacement = c->twisting + options->dt * about;
    rp_wide twisting = stiffness * displacement + damping * about;
    rp_wide limited = rp_wide_max(rp_wide_min(twisting, limit), -limit);
    out->twisting = rp_wide_select(limited == twisting, displacement, limited / stiffness);
    /* R* is the arm of both. */
    out->torque = rp_wide_v3_scale(rp_wide_v3_madd(rolling, limited, c->n), -c->radius);
}

/* (E8a): returns the torque of rolling resistance without history, up to its limit, N m. */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_rolling_viscous(const rp_dem_wide_pair *pair,
                                                   const rp_dem_contact_state *c, rp_wide root,
                                                   rp_wide normal)
{
    rp_wide rate, inverse = rp_wide_v3_inverse_length(c->spin, &rate);
    rp_wide limit = pair->rolling_friction * c->radius * normal;
    rp_wide viscous = pair->rolling_friction * root * c->radius * c->radius * rate;
    return rp_wide_v3_scale(c->spin, -rp_wide_min(limit, viscous) * inverse);
}

/* (E4): returns the damping of the rate at which overlaps grow, kg/s. `separation` is the speed at
 * which the two move apart, `max_damping` what a step bears, kg/s. */
RP_WIDE_INLINE rp_wide rp_dem_normal_damping(const rp_dem_contact_options *options,
                                             const rp_dem_wide_pair *pair,
                                             const rp_dem_contact_state *c, rp_wide stiffness,
                                             rp_wide root, rp_wide max_damping, rp_wide separation)
{
    rp_wide growth = -options->dt * separation; /* m, of the overlap in this step */
    /* Velocities half way through the step are extrapolated and too fast: damp less. */
    rp_wide correction =
        1 + pair->step_correction * (options->dt * options->dt) * (stiffness * c->inverse_mass);
    /* Explicit damping of more than `max_damping` is not stable where a grain has many contacts. A
     * contact whose overlap changes by a fortieth or more in a step bears half as much again: one
     * that opens so fast does not push any more. */
    rp_wide_int bounces = c->overlap < 40 * rp_wide_max(growth, -growth);
    max_damping = rp_wide_select(bounces, 1.5f * max_damping, max_damping);
    rp_wide damping = rp_wide_min(pair->damping * root / correction, max_damping);
    /* A contact that was still open half way through the step before has just begun, `since` steps
     * ago: it gets the impulse of damping since then. Hertz's damping grows with the overlap to
     * the power of 1/4. */
    rp_wide_int begins = (c->overlap > 0) & (c->overlap < growth);
    if (!rp_wide_any(begins)) return damping;
    rp_wide since = rp_wide_max(c->overlap / growth, rp_wide_broadcast(1e-6f)), part = since + 0.5f;
    if (options->hertz) part *= 0.8f * rp_wide_sqrt(rp_wide_sqrt(part / since));
    return damping * rp_wide_select(begins, part, rp_wide_broadcast(1));
}

/* (E9): returns the attraction of a liquid bridge, N: less with the gap, until it ruptures. */
RP_WIDE_INLINE rp_wide rp_dem_bridge_force(const rp_dem_contact_options *options,
                                           const rp_dem_wide_pair *pair,
                                           const rp_dem_contact_state *c)
{
    rp_wide zero = rp_wide_broadcast(0), gap = rp_wide_max(-c->overlap, zero);
    rp_wide near = rp_wide_max(1 - gap / (options->rupture * c->radius), zero);
    return pair->tension * c->moisture * c->radius * near;
}

/* Returns forces and new history of eight contacts. Lanes that do not touch have no repulsion, no
 * friction and no history; they may have a liquid bridge. */
RP_WIDE_INLINE rp_dem_contact_force rp_dem_contact_law(const rp_dem_contact_options *options,
                                                       const rp_dem_wide_pair *pair,
                                                       const rp_dem_contact_state *c,
                                                       rp_wide_int touching)
{
    rp_wide zero = rp_wide_broadcast(0), overlap = rp_wide_max(c->overlap, zero);
    rp_wide_vec3 none = {zero, zero, zero};
    rp_dem_contact_force out = {.torque = none, .rolling = none, .twisting = zero};
    /* (E2), (E3): secant stiffness k, force over overlap. */
    rp_wide mass = 1 / c->inverse_mass;
    rp_wide stiffness = pair->stiffness;
    if (options->hertz) stiffness *= rp_wide_sqrt(c->radius * overlap);
    rp_wide root = rp_wide_sqrt(mass * stiffness);
    /* (E4): normal force, spring and dashpot, never attractive. */
    rp_wide max_damping = options->max_damping * mass;
    rp_wide separation = rp_wide_v3_dot(c->v, c->n);
    rp_wide damping =
        rp_dem_normal_damping(options, pair, c, stiffness, root, max_damping, separation);
    rp_wide normal = stiffness * overlap - damping * separation;
    normal = rp_wide_select(touching, rp_wide_max(normal, zero), zero);
    /* (E5) to (E8a): shear force up to Coulomb's limit, and resistance to rolling. */
    rp_wide limit = pair->friction * normal;
    rp_wide_vec3 slip = rp_wide_v3_madd(c->v, -separation, c->n);
    if (options->has_history) {
        rp_wide tangential = rp_wide_max(pair->shear_ratio * stiffness, rp_wide_broadcast(1e-30f));
        rp_dem_shear_with_history(options, pair, c, slip, tangential, root, max_damping, limit,
                                  &out);
        out.tangential = rp_wide_v3_select(touching, out.tangential, none);
        if (options->rolls) {
            rp_dem_rolling_with_history(options, pair, c, tangential, mass, max_damping, normal,
                                        &out);
            out.rolling = rp_wide_v3_select(touching, out.rolling, none);
            out.twisting = rp_wide_select(touching, out.twisting, zero);
        }
    } else {
        rp_dem_shear_viscous(options, slip, root, limit, &out);
        if (options->rolls) out.torque = rp_dem_rolling_viscous(pair, c, root, normal);
    }
    out.normal = normal;
    if (options->cohesive) out.normal -= rp_dem_bridge_force(options, pair, c); /* (E9) */
    return out;
}

#endif
