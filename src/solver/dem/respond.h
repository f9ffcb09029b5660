/* The force of a contact, eight at a time, values in, values out: (E2) to (E9) of
 * docs/theory/dem.md. Grains and walls share it; only what touches whom differs.
 *
 * Seen from the first of two: `n` points to the second, `v` is how the second moves against the
 * first at the point where they touch. With the two exchanged, n, v and the spring change their
 * signs and so do the forces, to the last bit. */
#ifndef RP_SOLVER_DEM_RESPOND_H
#define RP_SOLVER_DEM_RESPOND_H

#include "math/wide.h"
#include "solver/dem/dem.h"

/* Of rolling, in parts of sqrt(m* k): 0.3 of the critical damping (Ai and others 2011) of a sphere
 * on a plane, whose moment of inertia is 7/5 m R^2. */
#define RP_DEM_ROLL_DAMPING 0.71f

/* Constants of the pairs, one in each lane. */
typedef struct rp_dem_pairs {
    rp_wide stiffness, damping, shear, friction, rolling, tension, slip, lag;
} rp_dem_pairs;

RP_WIDE_INLINE rp_dem_pairs rp_dem_pairs_of(const rp_wide columns[RP_WIDE])
{
    return (rp_dem_pairs){columns[0], columns[1], columns[2], columns[3],
                          columns[4], columns[5], columns[6], columns[7]};
}

/* The same in all lanes. */
RP_WIDE_INLINE rp_dem_pairs rp_dem_pairs_all(const rp_dem_pair *pair)
{
    return (rp_dem_pairs){rp_wide_broadcast(pair->stiffness), rp_wide_broadcast(pair->damping),
                          rp_wide_broadcast(pair->shear),     rp_wide_broadcast(pair->friction),
                          rp_wide_broadcast(pair->rolling),   rp_wide_broadcast(pair->tension),
                          rp_wide_broadcast(pair->slip),      rp_wide_broadcast(pair->lag)};
}

/* What all contacts of a step have in common. */
typedef struct rp_dem_rules {
    bool hertz, history, cohesive, rolls;
    bool look;          /* at the step that was: its springs are there already, and stay */
    float dt;           /* s */
    float damping_most; /* 1/s, over m* */
    float slip_damping; /* of viscous shear */
    float rupture;      /* in parts of R* */
} rp_dem_rules;

/* A contact before the law. */
typedef struct rp_dem_meet {
    rp_wide_vec3 n, v;    /* unit; m/s */
    rp_wide_vec3 spin;    /* rad/s, of the first against the second */
    rp_wide overlap;      /* m; negative: a gap */
    rp_wide radius;       /* m, R*: 1 / (1/R1 + 1/R2) */
    rp_wide inverse_mass; /* 1/kg, of m* */
    rp_wide moisture;     /* 0 to 1 */
    rp_wide_vec3 spring;  /* m */
    rp_wide_vec3 roll;    /* m, displacement of rolling: R* times an angle */
    rp_wide twist;        /* m, of twisting about n */
} rp_dem_meet;

/* And after it. */
typedef struct rp_dem_answer {
    rp_wide normal;      /* N, pushes apart */
    rp_wide_vec3 shear;  /* N, on the first */
    rp_wide_vec3 torque; /* N m, on the first, from rolling and twisting */
    rp_wide_vec3 spring; /* m */
    rp_wide_vec3 roll;   /* m */
    rp_wide twist;       /* m */
} rp_dem_answer;

/* (E6): springs follow the contact as it turns, without their normal part, and grow by the slip. */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_stretch(rp_wide_vec3 spring, rp_wide_vec3 n, rp_wide_vec3 slip,
                                           float dt)
{
    rp_wide_vec3 flat = rp_wide_v3_madd(spring, -rp_wide_v3_dot(spring, n), n);
    rp_wide before = rp_wide_v3_dot(spring, spring), after = rp_wide_v3_dot(flat, flat);
    rp_wide kept = rp_wide_select(after > 0, rp_wide_sqrt(before / after), rp_wide_broadcast(0));
    return rp_wide_v3_madd(rp_wide_v3_scale(flat, kept), rp_wide_broadcast(dt), slip);
}

/* (E6): a force up to its limit; what slides keeps just the stretch that holds the limit. */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_cut(rp_wide_vec3 force, rp_wide stiffness, rp_wide limit,
                                       rp_wide_vec3 *spring)
{
    rp_wide square = rp_wide_v3_dot(force, force);
    rp_wide_int slides = square > limit * limit; /* of eight some often do: no branch */
    rp_wide cut = rp_wide_select(slides, limit / rp_wide_sqrt(square), rp_wide_broadcast(1));
    rp_wide_vec3 held = rp_wide_v3_scale(force, cut);
    *spring = rp_wide_v3_select(slides, rp_wide_v3_scale(held, 1 / stiffness), *spring);
    return held;
}

/* The shear force of a step that was: a spring that holds just the limit is one that slid, and then
 * its dashpot was cut off with it. */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_shear_again(rp_wide_vec3 force, rp_wide_vec3 spring,
                                               rp_wide stiffness, rp_wide limit)
{
    rp_wide_vec3 held = rp_wide_v3_scale(spring, stiffness);
    rp_wide square = rp_wide_v3_dot(held, held), least = limit * limit;
    rp_wide_int slid = (square > 0.999996f * least) & (square < 1.000004f * least);
    return rp_wide_v3_select(slid, held, force);
}

/* (E5, E6): spring and dashpot along the surface, up to Coulomb's limit. Two spheres slip against
 * each other with 2/7 of m*, since they turn; `root` is sqrt(m* k). */
RP_WIDE_INLINE void rp_dem_shear_by_spring(const rp_dem_rules *rules, const rp_dem_pairs *pairs,
                                           const rp_dem_meet *m, rp_wide_vec3 slip,
                                           rp_wide stiffness, rp_wide root, rp_wide most,
                                           rp_wide limit, rp_dem_answer *out)
{
    rp_wide damping = rp_wide_min(pairs->slip * root, (2.0f / 7) * most);
    rp_wide_vec3 spring =
        rules->look ? m->spring : rp_dem_stretch(m->spring, m->n, slip, rules->dt);
    rp_wide_vec3 force = rp_wide_v3_madd(rp_wide_v3_scale(spring, stiffness), damping, slip);
    if (rules->look) force = rp_dem_shear_again(force, spring, stiffness, limit);
    out->shear = rp_dem_cut(force, stiffness, limit, &spring);
    out->spring = spring;
}

/* (E7): slip is slowed down, up to Coulomb's limit; no memory. */
RP_WIDE_INLINE void rp_dem_shear_by_slip(const rp_dem_rules *rules, rp_wide_vec3 slip, rp_wide root,
                                         rp_wide limit, rp_dem_answer *out)
{
    rp_wide speed, inverse = rp_wide_v3_inverse_length(slip, &speed);
    rp_wide size = rp_wide_min(limit, rules->slip_damping * root * speed);
    out->shear = rp_wide_v3_scale(slip, size * inverse);
    out->spring = (rp_wide_vec3){rp_wide_broadcast(0), rp_wide_broadcast(0), rp_wide_broadcast(0)};
}

/* (E8): rolling and twisting each have a spring and a dashpot up to a limit, as slip has, with R*
 * times the spin for the slip. `stiffness` is that of slip. Of two spheres the moment of inertia
 * is never below 2/5 m* R*^2, which is what damping must not turn around in a step. */
RP_WIDE_INLINE void rp_dem_roll_by_spring(const rp_dem_rules *rules, const rp_dem_pairs *pairs,
                                          const rp_dem_meet *m, rp_wide stiffness, rp_wide mass,
                                          rp_wide most, rp_wide normal, rp_dem_answer *out)
{
    rp_wide damping =
        rp_wide_min(RP_DEM_ROLL_DAMPING * rp_wide_sqrt(mass * stiffness), 0.4f * most);
    rp_wide limit = pairs->rolling * normal;
    rp_wide_vec3 rate = rp_wide_v3_scale(m->spin, m->radius);
    rp_wide about = rp_wide_v3_dot(rate, m->n);
    rate = rp_wide_v3_madd(rate, -about, m->n);
    out->roll = rp_dem_stretch(m->roll, m->n, rate, rules->dt);
    rp_wide_vec3 rolls = rp_wide_v3_madd(rp_wide_v3_scale(out->roll, stiffness), damping, rate);
    rolls = rp_dem_cut(rolls, stiffness, limit, &out->roll);
    rp_wide twist = m->twist + rules->dt * about, twists = stiffness * twist + damping * about;
    rp_wide held = rp_wide_max(rp_wide_min(twists, limit), -limit);
    out->twist = rp_wide_select(held == twists, twist, held / stiffness);
    out->torque = rp_wide_v3_scale(rp_wide_v3_madd(rolls, held, m->n), -m->radius);
}

/* (E8a): the same without memory, up to the limit. */
RP_WIDE_INLINE rp_wide_vec3 rp_dem_roll_by_spin(const rp_dem_pairs *pairs, const rp_dem_meet *m,
                                                rp_wide root, rp_wide normal)
{
    rp_wide rate, inverse = rp_wide_v3_inverse_length(m->spin, &rate);
    rp_wide most = pairs->rolling * m->radius * normal;
    rp_wide slow = pairs->rolling * root * m->radius * m->radius * rate;
    return rp_wide_v3_scale(m->spin, -rp_wide_min(most, slow) * inverse);
}

/* (E4): of the rate at which overlaps grow. Explicit damping of more than `damping_most` would not
 * be stable where a grain has many contacts; what closes or opens by a fortieth of its overlap in a
 * step bears half as much again, since there what opens does not push. */
RP_WIDE_INLINE rp_wide rp_dem_damping(const rp_dem_rules *rules, const rp_dem_pairs *pairs,
                                      const rp_dem_meet *m, rp_wide stiffness, rp_wide root,
                                      rp_wide most, rp_wide away)
{
    rp_wide way = -rules->dt * away;
    rp_wide late = 1 + pairs->lag * (rules->dt * rules->dt) * (stiffness * m->inverse_mass);
    rp_wide_int bounces = m->overlap < 40 * rp_wide_max(way, -way);
    most = rp_wide_select(bounces, 1.5f * most, most);
    rp_wide damping = rp_wide_min(pairs->damping * root / late, most);
    /* Contacts that were still open half way through the step before began since: what they would
     * have got by now, in steps; Hertz's grows with the overlap to 1/4. */
    rp_wide_int begins = (m->overlap > 0) & (m->overlap < way);
    if (!rp_wide_any(begins)) return damping;
    rp_wide since = rp_wide_max(m->overlap / way, rp_wide_broadcast(1e-6f)), part = since + 0.5f;
    if (rules->hertz) part *= 0.8f * rp_wide_sqrt(rp_wide_sqrt(part / since));
    return damping * rp_wide_select(begins, part, rp_wide_broadcast(1));
}

/* Lanes that do not touch give no force, and their springs are gone. */
RP_WIDE_INLINE rp_dem_answer rp_dem_respond(const rp_dem_rules *rules, const rp_dem_pairs *pairs,
                                            const rp_dem_meet *m, rp_wide_int touching)
{
    rp_wide zero = rp_wide_broadcast(0), overlap = rp_wide_max(m->overlap, zero);
    rp_wide_vec3 none = {zero, zero, zero};
    rp_dem_answer out = {.torque = none, .roll = none, .twist = zero};
    rp_wide mass = 1 / m->inverse_mass;
    rp_wide stiffness = pairs->stiffness; /* (E2), (E3): force over overlap */
    if (rules->hertz) stiffness *= rp_wide_sqrt(m->radius * overlap);
    rp_wide root = rp_wide_sqrt(mass * stiffness);
    rp_wide most = rules->damping_most * mass; /* (E4): what a step bears */
    rp_wide away = rp_wide_v3_dot(m->v, m->n);
    rp_wide damping = rp_dem_damping(rules, pairs, m, stiffness, root, most, away);
    rp_wide normal = stiffness * overlap - damping * away;
    normal = rp_wide_select(touching, rp_wide_max(normal, zero), zero);
    rp_wide limit = pairs->friction * normal;
    rp_wide_vec3 slip = rp_wide_v3_madd(m->v, -away, m->n);
    if (rules->history) {
        rp_wide along = rp_wide_max(pairs->shear * stiffness, rp_wide_broadcast(1e-30f));
        rp_dem_shear_by_spring(rules, pairs, m, slip, along, root, most, limit, &out);
        out.spring = rp_wide_v3_select(touching, out.spring, none);
        if (rules->rolls) {
            rp_dem_roll_by_spring(rules, pairs, m, along, mass, most, normal, &out);
            out.roll = rp_wide_v3_select(touching, out.roll, none);
            out.twist = rp_wide_select(touching, out.twist, zero);
        }
    } else {
        rp_dem_shear_by_slip(rules, slip, root, limit, &out);
        if (rules->rolls) out.torque = rp_dem_roll_by_spin(pairs, m, root, normal);
    }
    out.normal = normal;
    if (rules->cohesive) { /* (E9) */
        rp_wide gap = rp_wide_max(-m->overlap, zero);
        rp_wide near = rp_wide_max(1 - gap / (rules->rupture * m->radius), zero);
        out.normal -= pairs->tension * m->moisture * m->radius * near;
    }
    return out;
}

#endif
