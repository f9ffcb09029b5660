/* The constitutive laws of one grain as pure functions: return mapping to the Drucker-Prager yield
 * surface (G9 to G9c, G17), mu(I) rheology (G9d; Jop, Forterre and Pouliquen 2006), damping (G16),
 * Coulomb friction on solids (G13, G14). Symmetric tensors are stored in the first six lanes: xx,
 * yy, zz, xy, xz, yz; lane 6 is the pressure. */
#ifndef RP_SOLVER_SPH_CONSTITUTIVE_H
#define RP_SOLVER_SPH_CONSTITUTIVE_H

#include "math/wide.h"

/* Returns |s|^2 (Frobenius); off-diagonal components count twice, as they occur twice. */
RP_WIDE_INLINE float rp_sph_norm2(rp_wide s)
{
    const rp_wide twice = {1, 1, 1, 2, 2, 2, 0, 0};
    return rp_wide_sum(s * s * twice);
}

/* --- rate-dependent friction: the mu(I) rheology --- */

/* (G9d) for eight grains. */
typedef struct rp_sph_rate_law {
    rp_wide dynamic_yield; /* like the yield coefficient, of the fastest flow */
    rp_wide rate_scale;    /* 1/(s sqrt(Pa)), strain rate of half the growth over sqrt(P) */
    rp_wide step;          /* Pa s, l: stress removed per strain rate by the gradient step */
    rp_wide drag;          /* Pa s, viscous stress per strain rate (G9e, ii) */
    rp_wide fabric;        /* stress ratio that the fabric carries (G9e, i) */
} rp_sph_rate_law;

/* (G9d): implicit return of a trial stress of norm `norm` beyond the yield stress `yield_stress`,
 * at the pressure `pressure`. The remaining stress and the strain rate that follows from it must
 * agree, which is a quadratic equation; its smaller root, in the form without cancellation. */
RP_WIDE_INLINE rp_wide rp_sph_flow_stress(rp_wide norm, rp_wide yield_stress, rp_wide pressure,
                                          const rp_sph_rate_law *law)
{
    /* (G9e, ii): part of the step is viscous stress. */
    rp_wide drag = rp_wide_min(law->drag, 0.5f * law->step), step = law->step - drag;
    /* (G9e, i): the fabric carries part of the friction. Y_s and Y_2 of (G9d). */
    rp_wide added = law->fabric * pressure, slowest = yield_stress - added;
    rp_wide fastest = law->dynamic_yield * pressure - added, apart = norm - fastest;
    /* a = l r, and the root. */
    rp_wide lost = step * law->rate_scale * rp_wide_sqrt(pressure);
    rp_wide beyond = (norm - slowest) + (fastest - slowest);
    rp_wide root = rp_wide_sqrt(apart * apart + lost * (lost + 2 * beyond));
    rp_wide whole = 2 * (norm * fastest + lost * slowest) / (norm + fastest + lost + root);
    /* Without the viscous stress, which (G16) applies; never below the yield stress. */
    rp_wide remaining = whole - drag / step * (norm - whole);
    return rp_wide_max(remaining, yield_stress);
}

/* --- pressure and cohesion --- */

/* (G17): returns the tensile strength in Pa that remains of `cohesion` where the volume fraction is
 * `error` above one. Sand that has dilated by more than the slack loses it linearly, all of it
 * after RP_SPH_TEAR_DILATION more: separate grains do not attract each other. */
#define RP_SPH_TEAR_DILATION 0.15f
static inline float rp_sph_tensile_strength(float cohesion, float error, float slack)
{
    float share = 1 + (error + slack) / RP_SPH_TEAR_DILATION;
    return share > 1 ? cohesion : share > 0 ? share * cohesion : 0;
}

/* (G10): returns the pressure after a gradient step against the rate of dilation, `trace`, where
 * sand may contract at the rate `allowed` (G8). (G17): a tension only opposes further dilation; if
 * it closed gaps within one step, it would throw grains together. */
RP_WIDE_INLINE rp_wide rp_sph_pressure_step(rp_wide p, rp_wide step, rp_wide trace, rp_wide allowed)
{
    const rp_wide none = {0};
    rp_wide pressure = p - step * (trace + allowed), tension = p - step * trace;
    return rp_wide_select((allowed > none) & (pressure < none), rp_wide_min(tension, none),
                          pressure);
}

/* (G17): cohesion of eight grains. */
typedef struct rp_sph_cohesion {
    rp_wide strength; /* Pa, tensile strength */
    rp_wide cosine;   /* of the friction angle */
} rp_sph_cohesion;

/* --- the yield surface --- */

/* (G9c): computes the back stress of eight grains, the centre of the yield surface at the pressure
 * `limit`, from the scaled layer normal `axis`: less normal stress along the axis, more across. */
RP_WIDE_INLINE void rp_sph_back_stress(rp_wide limit, const rp_wide axis[3], rp_wide centre[6])
{
    rp_wide x = limit * axis[0], y = limit * axis[1], z = limit * axis[2];
    rp_wide third = (x * axis[0] + y * axis[1] + z * axis[2]) * (1.0f / 3);
    centre[0] = third - x * axis[0];
    centre[1] = third - y * axis[1];
    centre[2] = third - z * axis[2];
    centre[3] = -x * axis[1];
    centre[4] = -x * axis[2];
    centre[5] = -y * axis[2];
}

/* (G9, G17): return mapping of eight trial stresses to the yield surface; s[c] has the component c
 * of all of them. The pressure is at least minus the tensile strength of `cohesion` (tension
 * cut-off); the norm of the friction stress is at most `yield` times a pressure, and is scaled
 * radially, which keeps its direction. That pressure is a mean of the grain's own and of its
 * neighborhood's, `mean_pressure`: single pressures are noisy (in flow a third are zero), and with
 * them alone slopes steeper than 45 degrees would flow there. (G9c): the surface is centred at the
 * back stress of `back_stress`. (G9d): beyond it friction grows by `rate_law`. Each of the last
 * three may be NULL: none. */
#define RP_SPH_MEAN_PRESSURE_SHARE 0.7f
RP_WIDE_INLINE void rp_sph_return_to_yield(rp_wide s[8], rp_wide yield, rp_wide mean_pressure,
                                           const rp_sph_cohesion *cohesion,
                                           const rp_wide *back_stress,
                                           const rp_sph_rate_law *rate_law)
{
    const rp_wide none = {0};
    /* Tension cut-off, and the pressure that limits friction. */
    rp_wide p = rp_wide_max(s[6], cohesion ? none - cohesion->strength : none);
    rp_wide limit = p + RP_SPH_MEAN_PRESSURE_SHARE * (mean_pressure - p);
    if (cohesion) limit = rp_wide_max(limit + cohesion->cosine * cohesion->strength, none);
    rp_wide yield_stress = yield * limit;
    /* The stress relative to the centre of the yield surface, and its norm. */
    rp_wide centre[6] = {0};
    if (back_stress) rp_sph_back_stress(limit, back_stress, centre);
    for (int c = 0; c < 6 && back_stress; c++)
        s[c] -= centre[c];
    rp_wide norm2 =
        (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
    rp_wide norm = rp_wide_sqrt(norm2), remaining = yield_stress;
    if (rate_law) remaining = rp_sph_flow_stress(norm, yield_stress, limit, rate_law);
    /* Radial return: stresses inside stay as they are. */
    rp_wide factor =
        rp_wide_select(norm2 > yield_stress * yield_stress, remaining / norm, rp_wide_broadcast(1));
    for (int c = 0; c < 6; c++)
        s[c] *= factor;
    for (int c = 0; c < 6 && back_stress; c++)
        s[c] += centre[c];
    s[6] = p;
}

/* (G9a): returns k, the friction stress across the layers n s n as a fraction of the pressure:
 * positive where the normal stress across layers is above the mean of all directions. `mean` is the
 * mean stress of a neighborhood, n the direction of increasing depth, of any length. */
RP_WIDE_INLINE float rp_sph_layer_stress_ratio(rp_wide mean, rp_float4 n)
{
    float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    float along = n[0] * n[0] * mean[0] + n[1] * n[1] * mean[1] + n[2] * n[2] * mean[2] +
                  2 * (n[0] * n[1] * mean[3] + n[0] * n[2] * mean[4] + n[1] * n[2] * mean[5]);
    float whole = square * mean[6];
    if (!(whole > 0)) return 0;
    return along < -whole ? -1 : along > whole ? 1 : along / whole;
}

/* (G9c): returns beta, by how much the normal stress across layers is below the mean of all
 * directions when sand flows, as a fraction of the pressure. A friction angle above 45 degrees
 * means a shear stress above the pressure: without a back stress, sand that slides would be under
 * tension in one direction and would separate. */
#define RP_SPH_BACK_STRESS_FROM 0.8f /* tangent */
#define RP_SPH_BACK_STRESS_MAX 0.6f  /* from 54.5 degrees on */
static inline float rp_sph_back_stress_ratio(float tangent)
{
    float ratio = tangent > RP_SPH_BACK_STRESS_FROM ? tangent - RP_SPH_BACK_STRESS_FROM : 0;
    return ratio < RP_SPH_BACK_STRESS_MAX ? ratio : RP_SPH_BACK_STRESS_MAX;
}

/* (G9a): returns the normal stress across the layers as a fraction of the pressure, with an
 * allowance for the noise of the measured ratio, which grows with the square of friction. Where
 * sand is compressed along its layers, the pressure is above that normal stress, and friction
 * limited by the pressure alone would let slopes stand far too steep. Sand with a back stress is
 * compressed along its layers whenever it flows. */
#define RP_SPH_NOISE_ALLOWANCE 0.09f
#define RP_SPH_BACK_STRESS_LOSS 0.3f
#define RP_SPH_MIN_YIELD_SCALE 0.2f
static inline float rp_sph_layer_pressure_ratio(float layer_stress_ratio, float tangent)
{
    float most = 1 - RP_SPH_BACK_STRESS_LOSS * rp_sph_back_stress_ratio(tangent);
    float ratio = 1 + layer_stress_ratio;
    if (ratio > most) ratio = most;
    ratio += RP_SPH_NOISE_ALLOWANCE * tangent * tangent;
    return ratio > RP_SPH_MIN_YIELD_SCALE ? ratio : RP_SPH_MIN_YIELD_SCALE;
}

/* (G9a, G9b): returns the factor of the yield stress of a grain. Coulomb's law holds for a plane,
 * and for the mean stress of the sand: where stresses of single grains differ in direction, their
 * mean is smaller than the mean of their norms, which mean[7] holds. */
#define RP_SPH_MIN_ALIGNMENT 0.7f
RP_WIDE_INLINE float rp_sph_yield_scale(rp_wide mean, float layer_stress_ratio, float tangent)
{
    float alignment = mean[7] > 0 ? sqrtf(rp_sph_norm2(mean)) / mean[7] : 1;
    return rp_sph_layer_pressure_ratio(layer_stress_ratio, tangent) /
           (alignment > RP_SPH_MIN_ALIGNMENT ? alignment : RP_SPH_MIN_ALIGNMENT);
}

/* (G17): returns the yield scale of cohesive sand. Cohesion has no noise: the part of the scale
 * above one, which makes up for noisy pressures (G9a, b), counts by the share of friction that
 * comes from pressure. */
static inline float rp_sph_cohesive_yield_scale(float yield_scale, float mean_pressure,
                                                float strength)
{
    if (!(yield_scale > 1) || !(strength > 0)) return yield_scale;
    return mean_pressure > 0 ? 1 + (yield_scale - 1) * (mean_pressure / (mean_pressure + strength))
                             : 1;
}

/* --- damping --- */

/* (G16): returns the fraction of their velocity difference v that the grains of a pair lose, for
 * eight pairs. `flow` is the smaller of their dampings in flow, with RP_SPH_BELOW_YIELD added where
 * both are inside the yield surface. There damping removes the zero-energy modes that neither the
 * volume fraction nor the strain rate see; but bounded like dry friction, by the loss at a
 * difference of `slip_limit` in m/s: such sand may shear nevertheless, and a viscosity would slow
 * down thin layers. */
#define RP_SPH_BELOW_YIELD 1.0f
#define RP_SPH_BELOW_YIELD_DAMPING 0.5f
RP_WIDE_INLINE rp_wide rp_sph_damping(rp_wide flow, const rp_wide v[3], float slip_limit)
{
    rp_wide speed = rp_wide_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    rp_wide held =
        RP_SPH_BELOW_YIELD_DAMPING * slip_limit / rp_wide_max(speed, rp_wide_broadcast(slip_limit));
    return rp_wide_select(flow >= RP_SPH_BELOW_YIELD, rp_wide_max(flow - RP_SPH_BELOW_YIELD, held),
                          flow);
}

/* --- fabric: the distribution of pair directions --- */

/* (G9e, i): returns the friction that pressure carries where grains are closer to each other in one
 * direction than in others, as a fraction of the pressure. `moments` are those of a grain's pair
 * gradients, in a lattice the unit tensor; `mean` is the stress of its neighborhood, of any weight;
 * `share` its own pressure over the mean pressure. */
RP_WIDE_INLINE float rp_sph_fabric_friction(rp_wide moments, rp_wide mean, float share)
{
    float third = (moments[0] + moments[1] + moments[2]) * (1.0f / 3);
    const rp_wide twice = {1, 1, 1, 2, 2, 2, 0, 0};
    const rp_wide isotropic = {third, third, third, 0, 0, 0, 0, 0};
    float along = share * rp_wide_sum((moments - isotropic) * mean * twice);
    float whole = third * sqrtf(rp_sph_norm2(mean));
    if (!(whole > 0)) return 0;
    return along < -whole ? -1 : along > whole ? 1 : along / whole;
}

/* (G9e, iii): returns the fraction of a velocity gradient along n, of any length, that the SPH sum
 * of a grain resolves: 1 in a lattice, less where grains are disordered or missing. */
#define RP_SPH_MIN_MOMENT 0.3f
RP_WIDE_INLINE float rp_sph_moment_along(rp_wide moments, rp_float4 n)
{
    float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    float along =
        n[0] * n[0] * moments[0] + n[1] * n[1] * moments[1] + n[2] * n[2] * moments[2] +
        2 * (n[0] * n[1] * moments[3] + n[0] * n[2] * moments[4] + n[1] * n[2] * moments[5]);
    float moment = square > 0 ? along / square : 1;
    if (moment > 1) return 1;
    return moment > RP_SPH_MIN_MOMENT ? moment : RP_SPH_MIN_MOMENT;
}

/* --- pcisph --- */

/* (G20), as printed in the paper: removes the trace, then clamps each component to +-`most`. */
RP_WIDE_INLINE rp_wide rp_sph_clamp_components(rp_wide s, float most)
{
    float mean = (s[0] + s[1] + s[2]) * (1.0f / 3), p = s[6];
    s -= (rp_wide){mean, mean, mean, 0, 0, 0, 0, 0};
    s = rp_wide_min(rp_wide_max(s, rp_wide_broadcast(-most)), rp_wide_broadcast(most));
    s[6] = p;
    s[7] = 0;
    return s;
}

/* --- displacements and wall contact --- */

/* (G8a, G24): limits a position correction to this many spacings: contacts are known within half a
 * spacing, and no grain may be moved through a wall. Only overlapping grains reach the limit. */
#define RP_SPH_MAX_DISPLACEMENT 0.04f
RP_WIDE_INLINE rp_float4 rp_sph_limit_displacement(rp_float4 displacement, float spacing)
{
    float length = sqrtf(displacement[0] * displacement[0] + displacement[1] * displacement[1] +
                         displacement[2] * displacement[2]);
    float most = RP_SPH_MAX_DISPLACEMENT * spacing;
    return length > most ? displacement * (most / length) : displacement;
}

/* (G14a): returns the slip speed that remains when rate-independent friction would leave
 * `remaining`, and friction grows by up to `growth` (m/s), half of it at `slip_scale`. The positive
 * root of a quadratic equation, in the form without cancellation. */
static inline float rp_sph_sliding_speed(float remaining, float growth, float slip_scale)
{
    float half = 0.5f * (remaining - growth - slip_scale), product = slip_scale * remaining;
    float root = sqrtf(half * half + product);
    if (half > 0) return half + root;
    return root > 0 ? product / (root - half) : 0;
}

/* (G13, G14): applies the contact impulse to a velocity relative to a solid. The approach is
 * limited to `allowed`; Coulomb friction removes at most that impulse times `friction` of the slip,
 * plus up to `growth` times it the faster it slips. */
static inline void rp_sph_wall_impulse(float v[3], const float normal[3], float allowed,
                                       float friction, float growth, float slip_scale)
{
    float approach = -(v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2]);
    float impulse = approach - allowed;
    if (!(impulse > 0)) return;
    float tangent[3], slip2 = 0;
    for (int k = 0; k < 3; k++) {
        tangent[k] = v[k] + approach * normal[k];
        slip2 += tangent[k] * tangent[k];
    }
    float slip = sqrtf(slip2), most = friction * impulse;
    float lost = slip > most ? most / slip : 1; /* fraction of the slip; 1: it sticks */
    if (growth > 0 && slip > most)
        lost = 1 - rp_sph_sliding_speed(slip - most, growth * impulse, slip_scale) / slip;
    for (int k = 0; k < 3; k++)
        v[k] += impulse * normal[k] - lost * tangent[k];
}

#endif
