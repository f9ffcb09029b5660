/* The physics of one grain, values in, values out. Tensors lie in the first six lanes: xx, yy, zz,
 * xy, xz, yz; lane 6 is the pressure. */
#ifndef RP_SOLVER_SPH_STRESS_H
#define RP_SOLVER_SPH_STRESS_H

#include "math/wide.h"

/* |s|^2 with each off-diagonal part counted twice, as it stands twice in the tensor. */
RP_WIDE_INLINE float rp_sph_norm2(rp_wide s)
{
    const rp_wide twice = {1, 1, 1, 2, 2, 2, 0, 0};
    return rp_wide_sum(s * s * twice);
}

/* (G9d): friction that grows with the strain rate, of eight grains. */
typedef struct rp_sph_inertia {
    rp_wide dynamic; /* like the yield, of the fastest flow */
    rp_wide pace;    /* 1/(s sqrt(Pa)), times the root of the pressure the rate half way there */
    rp_wide step;    /* Pa s, what the strain rate was multiplied with to get to the stress */
    rp_wide drag;    /* Pa s, times the strain rate what viscosity adds to friction */
    rp_wide fabric;  /* in parts of pressure, what the arrangement of grains adds to it (G9e) */
} rp_sph_inertia;

/* (G9d): what is left of a stress of size `norm` beyond the yield stress `most`, at the pressure
 * `limit`: the strain rate that goes with what is left, times the step, is what it loses. That is
 * the smaller root of a quadratic equation, by the form that does not cancel. */
RP_WIDE_INLINE rp_wide rp_sph_flowing(rp_wide norm, rp_wide most, rp_wide limit,
                                      const rp_sph_inertia *inertia)
{
    rp_wide drag = rp_wide_min(inertia->drag, 0.5f * inertia->step), step = inertia->step - drag;
    rp_wide added = inertia->fabric * limit, slowest = most - added;
    rp_wide fastest = inertia->dynamic * limit - added, apart = norm - fastest;
    rp_wide lost = step * inertia->pace * rp_wide_sqrt(limit);
    rp_wide beyond = (norm - slowest) + (fastest - slowest);
    rp_wide root = rp_wide_sqrt(apart * apart + lost * (lost + 2 * beyond));
    rp_wide whole = 2 * (norm * fastest + lost * slowest) / (norm + fastest + lost + root);
    rp_wide left = whole - drag / step * (norm - whole);
    return rp_wide_max(left, most);
}

/* (G17): the tensile strength that is left of `cohesion` where the volume fraction is `error` above
 * one. Sand that has dilated by more than the slack tears: after RP_SPH_TEARS more nothing is left,
 * and loose grains do not pull each other. */
#define RP_SPH_TEARS 0.15f
static inline float rp_sph_strength(float cohesion, float error, float slack)
{
    float left = 1 + (error + slack) / RP_SPH_TEARS;
    return left > 1 ? cohesion : left > 0 ? left * cohesion : 0;
}

/* (G10): a pressure after a step against the rate of dilation, `trace`, where sand may contract at
 * the rate `allowed` (G8). (G17): a tension asks only that it dilates no further; asked to close
 * what is open at once, it would throw grains together. */
RP_WIDE_INLINE rp_wide rp_sph_press(rp_wide p, rp_wide step, rp_wide trace, rp_wide allowed)
{
    const rp_wide none = {0};
    rp_wide pressed = p - step * (trace + allowed), held = p - step * trace;
    return rp_wide_select((allowed > none) & (pressed < none), rp_wide_min(held, none), pressed);
}

/* (G17): what holds eight grains together. */
typedef struct rp_sph_moist {
    rp_wide strength; /* Pa, tension that they bear */
    rp_wide cosine;   /* of the angle */
} rp_sph_moist;

/* (G9, G17): no tension above the strength of `moist` sand (NULL: none), and friction at most
 * `yield` times a pressure plus that strength by the cosine of the angle: the norm is clamped,
 * which keeps the direction of the stress. That pressure is partly the grain's own, partly that of
 * its neighborhood, `around`: single pressures are uneven (in flow a third are nought), and
 * friction limited by them alone is lost to the unevenness: slopes asked to stand steeper than 45
 * degrees would flow there. (G9c): steep sand has `lean`, a vector in three parts; what is clamped
 * is then the way from a stress that presses less along that vector than across. NULL: there is
 * none. (G9d): friction of some sand grows with the strain rate, `inertia`. NULL: none does. Eight
 * grains at once: s[c] has the part c of all of them. */
#define RP_SPH_SHARED 0.7f
RP_WIDE_INLINE void rp_sph_to_yield(rp_wide s[8], rp_wide yield, rp_wide around,
                                    const rp_sph_moist *moist, const rp_wide *lean,
                                    const rp_sph_inertia *inertia)
{
    const rp_wide none = {0};
    rp_wide p = rp_wide_max(s[6], moist ? none - moist->strength : none);
    rp_wide limit = p + RP_SPH_SHARED * (around - p);
    if (moist) limit = rp_wide_max(limit + moist->cosine * moist->strength, none);
    rp_wide most = yield * limit;
    rp_wide middle[6] = {0};
    if (lean) {
        rp_wide x = limit * lean[0], y = limit * lean[1], z = limit * lean[2];
        rp_wide third = (x * lean[0] + y * lean[1] + z * lean[2]) * (1.0f / 3);
        middle[0] = third - x * lean[0];
        middle[1] = third - y * lean[1];
        middle[2] = third - z * lean[2];
        middle[3] = -x * lean[1];
        middle[4] = -x * lean[2];
        middle[5] = -y * lean[2];
    }
    for (int c = 0; c < 6 && lean; c++)
        s[c] -= middle[c];
    rp_wide norm2 =
        (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
    rp_wide norm = rp_wide_sqrt(norm2), left = most;
    if (inertia) left = rp_sph_flowing(norm, most, limit, inertia);
    rp_wide kept = rp_wide_select(norm2 > most * most, left / norm, rp_wide_broadcast(1));
    for (int c = 0; c < 6; c++)
        s[c] *= kept;
    for (int c = 0; c < 6 && lean; c++)
        s[c] += middle[c];
    s[6] = p;
}

/* (G9a): friction across the layers, n s n, in parts of the pressure: what the stress across them
 * is above (then positive) or below the mean of all directions. `mean` is the stress of a
 * neighborhood, n the way to where it is deeper, of any length. */
RP_WIDE_INLINE float rp_sph_across(rp_wide mean, rp_float4 n)
{
    float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    float along = n[0] * n[0] * mean[0] + n[1] * n[1] * mean[1] + n[2] * n[2] * mean[2] +
                  2 * (n[0] * n[1] * mean[3] + n[0] * n[2] * mean[4] + n[1] * n[2] * mean[5]);
    float whole = square * mean[6];
    if (!(whole > 0)) return 0;
    return along < -whole ? -1 : along > whole ? 1 : along / whole;
}

/* (G9c): how much less sand that flows presses across its layers than in the mean of all
 * directions, in parts of the pressure. Friction of more than 45 degrees is more than the pressure:
 * without this, sand that slides would be under tension in one direction, and come apart. */
#define RP_SPH_UPRIGHT 0.8f
#define RP_SPH_LEAN_MOST 0.6f /* from 54.5 degrees on */
static inline float rp_sph_lean(float tangent)
{
    float lean = tangent > RP_SPH_UPRIGHT ? tangent - RP_SPH_UPRIGHT : 0;
    return lean < RP_SPH_LEAN_MOST ? lean : RP_SPH_LEAN_MOST;
}

/* (G9a): what presses the layers together, in parts of the pressure: where sand is squeezed along
 * its layers, the pressure is more than that, and friction limited by the pressure alone lets
 * slopes stand far too steep. `across` is known with some noise, which the SPARE part makes up for;
 * it grows with friction, by the tangent's square. Sand that leans is squeezed whenever it flows.
 */
#define RP_SPH_SPARE 0.09f
#define RP_SPH_LEANS 0.3f
#define RP_SPH_LEAST_GRIP 0.2f
static inline float rp_sph_pressed(float across, float tangent)
{
    float most = 1 - RP_SPH_LEANS * rp_sph_lean(tangent), pressed = 1 + across;
    if (pressed > most) pressed = most;
    pressed += RP_SPH_SPARE * tangent * tangent;
    return pressed > RP_SPH_LEAST_GRIP ? pressed : RP_SPH_LEAST_GRIP;
}

/* (G9a, G9b): by what the yield stress of a grain is multiplied. Coulomb's law holds for a plane,
 * and for the stress of the sand as a whole: where the stresses of single grains point in all
 * directions, less is left of them together (mean[7] has their sizes). */
#define RP_SPH_LEAST_ORDER 0.7f
RP_WIDE_INLINE float rp_sph_grip(rp_wide mean, float across, float tangent)
{
    float order = mean[7] > 0 ? sqrtf(rp_sph_norm2(mean)) / mean[7] : 1;
    return rp_sph_pressed(across, tangent) /
           (order > RP_SPH_LEAST_ORDER ? order : RP_SPH_LEAST_ORDER);
}

/* (G16): the share of their velocity difference v that grains of a pair lose; eight pairs at once.
 * `flow` is the smaller of their shares in flow, with RP_SPH_STUCK added where both are inside the
 * yield surface. There they hold each other, which takes the modes that neither fill nor strain
 * rate see; but as dry friction does, with no more than at a difference of `grasp`: such sand may
 * shear nevertheless, and a viscosity would take the speed of its thin layers. */
#define RP_SPH_STUCK 1.0f
#define RP_SPH_STUCK_DAMPING 0.5f
RP_WIDE_INLINE rp_wide rp_sph_damping(rp_wide flow, const rp_wide v[3], float grasp)
{
    rp_wide speed = rp_wide_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    rp_wide held = RP_SPH_STUCK_DAMPING * grasp / rp_wide_max(speed, rp_wide_broadcast(grasp));
    return rp_wide_select(flow >= RP_SPH_STUCK, rp_wide_max(flow - RP_SPH_STUCK, held), flow);
}

/* (G17): cohesion is even. Of what makes up for uneven pressures (G9a, b), friction gets only the
 * share that it has from pressure. */
static inline float rp_sph_moist_grip(float grip, float around, float strength)
{
    if (!(grip > 1) || !(strength > 0)) return grip;
    return around > 0 ? 1 + (grip - 1) * (around / (around + strength)) : 1;
}

/* (G9e): what pressure adds to friction where grains lie nearer to each other in one direction than
 * in others, in parts of the pressure. `moments` are those of a grain's pair gradients, in a
 * lattice the unit tensor; `mean` is the stress of its neighborhood, of any weight; `share` its
 * own pressure in parts of the mean one. */
RP_WIDE_INLINE float rp_sph_fabric(rp_wide moments, rp_wide mean, float share)
{
    float third = (moments[0] + moments[1] + moments[2]) * (1.0f / 3);
    const rp_wide twice = {1, 1, 1, 2, 2, 2, 0, 0}, even = {third, third, third, 0, 0, 0, 0, 0};
    float along = share * rp_wide_sum((moments - even) * mean * twice);
    float whole = third * sqrtf(rp_sph_norm2(mean));
    if (!(whole > 0)) return 0;
    return along < -whole ? -1 : along > whole ? 1 : along / whole;
}

/* (G9e): how much of a velocity gradient along n a grain sees, of any length: all of it where the
 * moment is one, less where grains lie without order or are missing. */
#define RP_SPH_LEAST_MOMENT 0.3f
RP_WIDE_INLINE float rp_sph_moment(rp_wide moments, rp_float4 n)
{
    float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    float along =
        n[0] * n[0] * moments[0] + n[1] * n[1] * moments[1] + n[2] * n[2] * moments[2] +
        2 * (n[0] * n[1] * moments[3] + n[0] * n[2] * moments[4] + n[1] * n[2] * moments[5]);
    float moment = square > 0 ? along / square : 1;
    if (moment > 1) return 1;
    return moment > RP_SPH_LEAST_MOMENT ? moment : RP_SPH_LEAST_MOMENT;
}

/* (G20), the same by components, as printed in the paper: the tensor loses its trace, then each
 * part is cut at `most`. */
RP_WIDE_INLINE rp_wide rp_sph_to_box(rp_wide s, float most)
{
    float mean = (s[0] + s[1] + s[2]) * (1.0f / 3), p = s[6];
    s -= (rp_wide){mean, mean, mean, 0, 0, 0, 0, 0};
    s = rp_wide_min(rp_wide_max(s, rp_wide_broadcast(-most)), rp_wide_broadcast(most));
    s[6] = p;
    s[7] = 0;
    return s;
}

/* (G8a, G24): a way by which a grain is moved apart from others is no longer than this many
 * spacings, whoever pushes: contacts are known for half a spacing, and nobody may be moved through
 * a wall. Only grains on one another come to it. */
#define RP_SPH_WAY_MOST 0.04f
RP_WIDE_INLINE rp_float4 rp_sph_no_further(rp_float4 way, float spacing)
{
    float length = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    float most = RP_SPH_WAY_MOST * spacing;
    return length > most ? way * (most / length) : way;
}

/* (G14a): what is left of a slip that friction without its growth would leave `left` of: friction
 * takes `growth` more of a fast one, half of that at `pace`. The positive root of a quadratic
 * equation, by the form that does not cancel. */
static inline float rp_sph_slip(float left, float growth, float pace)
{
    float half = 0.5f * (left - growth - pace), product = pace * left;
    float root = sqrtf(half * half + product);
    if (half > 0) return half + root;
    return root > 0 ? product / (root - half) : 0;
}

/* (G13, G14): a velocity relative to a solid, out of which it may not lead: approaching faster than
 * `allowed` is stopped, and that impulse times `friction` is the most that sliding may lose, or up
 * to `growth` times more the faster it slides. */
static inline void rp_sph_keep_out(float v[3], const float normal[3], float allowed, float friction,
                                   float growth, float pace)
{
    float approach = -(v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2]);
    float push = approach - allowed;
    if (!(push > 0)) return;
    float tangent[3], slip2 = 0;
    for (int k = 0; k < 3; k++) {
        tangent[k] = v[k] + approach * normal[k];
        slip2 += tangent[k] * tangent[k];
    }
    float slip = sqrtf(slip2), most = friction * push;
    float lost = slip > most ? most / slip : 1;
    if (growth > 0 && slip > most) lost = 1 - rp_sph_slip(slip - most, growth * push, pace) / slip;
    for (int k = 0; k < 3; k++)
        v[k] += push * normal[k] - lost * tangent[k];
}

#endif
