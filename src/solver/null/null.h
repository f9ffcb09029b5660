/* Free flight: the physics of one grain as pure functions; docs/theory/null.md. */
#ifndef RP_SOLVER_NULL_H
#define RP_SOLVER_NULL_H

#include "math/vec.h"

/* (N3): returns the velocity after a collision with a solid, relative to the solid, m/s. The normal
 * part is reversed and multiplied by `restitution`; the tangential part is reduced by at most
 * `friction` times the normal impulse (Coulomb), and not below zero. A grain that moves away from
 * the solid keeps its velocity. */
static inline rp_vec3 rp_null_bounce(rp_vec3 velocity, rp_vec3 normal, double restitution,
                                     double friction)
{
    double approach = -rp_v3_dot(velocity, normal);
    if (approach <= 0) return velocity;
    rp_vec3 tangential = rp_v3_madd(velocity, approach, normal);
    double impulse = (1 + restitution) * approach;
    double slip = rp_v3_length(tangential);
    double remaining = slip > friction * impulse ? 1 - friction * impulse / slip : 0;
    return rp_v3_madd(rp_v3_scale(tangential, remaining), restitution * approach, normal);
}

/* (N5): returns the time in which a grain at `speed` under `acceleration` travels `distance`, s. */
static inline double rp_null_travel_time(double distance, double speed, double acceleration)
{
    double divisor = speed + sqrt(speed * speed + 2 * acceleration * distance);
    return divisor > 0 ? 2 * distance / divisor : INFINITY;
}

#endif
