/* Spheres on solids: the same law as between spheres, one contact at a time. */
#include "solver/dem/meet.h"

/* How far a sphere's middle is from what it touches, and the way out of that. */
typedef struct touched {
    double distance; /* m */
    rp_vec3 normal;
} touched;

static bool touch_smooth(const rp_surface *solid, rp_vec3 at, double reach, touched *out)
{
    rp_touch touch;
    if (!rp_surface_touch(solid, at, reach, &touch)) return false;
    *out = (touched){touch.distance, touch.normal};
    return true;
}

static bool touch_fixed(const rp_surface *solid, rp_fixed fixed, rp_vec3 at, double reach,
                        touched *out)
{
    rp_vec3 away = rp_v3_sub(at, rp_surface_fixed_place(solid, fixed, at));
    double length = rp_v3_length(away);
    *out = (touched){length - solid->rough->radius, rp_v3_scale(away, length > 0 ? 1 / length : 0)};
    return out->distance < reach;
}

bool rp_dem_press_of(const rp_dem *solver, const rp_dem_self *self, const rp_dem_wall *wall,
                     rp_dem_press *out)
{
    const rp_surface *solid = &rp_couple_surfaces(solver->host.couple)[wall->surface];
    bool smooth = rp_dem_is_smooth(wall->fixed);
    double radius = (double)self->at[AT_RADIUS], fixed = smooth ? 0 : solid->rough->radius;
    out->radius = smooth ? radius : radius * fixed / (radius + fixed);
    out->smaller = smooth ? radius : fmin(radius, fixed);
    double reach = radius;
    if (solver->cohesive) reach += solver->params.rupture * out->radius;
    rp_vec3 at = rp_v3((double)self->at[AT_X] + (double)self->at[AT_LOW_X],
                       (double)self->at[AT_Y] + (double)self->at[AT_LOW_Y],
                       (double)self->at[AT_Z] + (double)self->at[AT_LOW_Z]);
    touched touch;
    if (smooth ? !touch_smooth(solid, at, reach, &touch)
               : !touch_fixed(solid, wall->fixed, at, reach, &touch))
        return false;
    double overlap = radius - touch.distance, lever = touch.distance;
    out->n = rp_v3_scale(touch.normal, -1);
    out->overlap = overlap;
    out->point = rp_v3_madd(at, lever, out->n);
    rp_vec3 spin = rp_v3(self->go[GO_SPIN_X], self->go[GO_SPIN_Y], self->go[GO_SPIN_Z]);
    rp_vec3 own = rp_v3(self->go[GO_X], self->go[GO_Y], self->go[GO_Z]);
    own = rp_v3_add(own, rp_v3_cross(spin, rp_v3_scale(out->n, lever)));
    out->v = rp_v3_sub(rp_surface_velocity(solid, out->point, out->n), own);
    out->spin = rp_v3_sub(spin, solid->spin);
    out->arm =
        rp_v3_add(rp_v3(self->arm[0], self->arm[1], self->arm[2]), rp_v3_scale(out->n, lever));
    out->pair = solver->wall_pairs[(size_t)wall->surface * (size_t)solver->material_count +
                                   (size_t)self->go[GO_MATERIAL]];
    return true;
}

RP_WIDE_INLINE rp_wide_vec3 spread_floats(const float v[3])
{
    return (rp_wide_vec3){rp_wide_broadcast(v[0]), rp_wide_broadcast(v[1]),
                          rp_wide_broadcast(v[2])};
}

RP_WIDE_KERNEL
void rp_dem_press_back(const rp_dem_rules *rules, const rp_dem_self *self,
                       const rp_dem_press *press, const float spring[RP_DEM_SPRINGS],
                       rp_dem_pressed *out)
{
    rp_dem_pairs pairs = rp_dem_pairs_all(&press->pair);
    rp_dem_meet m = {.n = rp_wide_v3_broadcast(press->n),
                     .v = rp_wide_v3_broadcast(press->v),
                     .spin = rp_wide_v3_broadcast(press->spin),
                     .overlap = rp_wide_broadcast((float)press->overlap),
                     .radius = rp_wide_broadcast((float)press->radius),
                     .inverse_mass = rp_wide_broadcast(self->at[AT_INVERSE_MASS]),
                     .moisture = rp_wide_broadcast(self->go[GO_MOISTURE]),
                     .spring = spread_floats(spring),
                     .roll = spread_floats(spring + ROLL_X),
                     .twist = rp_wide_broadcast(spring[TWIST])};
    rp_dem_answer answer = rp_dem_respond(rules, &pairs, &m, m.overlap > 0);
    out->normal = (double)answer.normal[0];
    out->shear = rp_wide_v3_first_lane(&answer.shear);
    out->torque = rp_wide_v3_first_lane(&answer.torque);
    const float springs[RP_DEM_SPRINGS] = {
        answer.spring.x[0], answer.spring.y[0], answer.spring.z[0], answer.roll.x[0],
        answer.roll.y[0],   answer.roll.z[0],   answer.twist[0]};
    memcpy(out->spring, springs, sizeof springs);
}
