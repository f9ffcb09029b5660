/* Free flight: the physics of one grain, values in, values out; docs/theory/null.md. */
#ifndef RP_SOLVER_NULL_H
#define RP_SOLVER_NULL_H

#include "math/vec.h"

/* (N3): the velocity after hitting a solid, relative to it. The normal part turns round,
 * `restitution` times as fast; the tangential part loses at most `friction` times the normal
 * impulse (Coulomb) and never turns round. Velocities that leave the solid stay. */
static inline rp_vec3 rp_null_bounce(rp_vec3 velocity, rp_vec3 normal, double restitution,
                                     double friction)
{
    double approach = -rp_v3_dot(velocity, normal);
    if (approach <= 0) return velocity;
    rp_vec3 tangential = rp_v3_madd(velocity, approach, normal);
    double impulse = (1 + restitution) * approach;
    double slip = rp_v3_length(tangential);
    double kept = slip > friction * impulse ? 1 - friction * impulse / slip : 0;
    return rp_v3_madd(rp_v3_scale(tangential, kept), restitution * approach, normal);
}

/* (N5): the step in which a grain at `speed` under `acceleration` moves at most `distance`. */
static inline double rp_null_travel_time(double distance, double speed, double acceleration)
{
    double divisor = speed + sqrt(speed * speed + 2 * acceleration * distance);
    return divisor > 0 ? 2 * distance / divisor : INFINITY;
}

#endif
