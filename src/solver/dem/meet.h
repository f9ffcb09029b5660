/* A sphere and eight that may touch it: from rows to what the law wants to know. */
#ifndef RP_SOLVER_DEM_MEET_H
#define RP_SOLVER_DEM_MEET_H

#include "solver/dem/respond.h"

/* What a sphere knows of itself. */
typedef struct rp_dem_self {
    float at[RP_WIDE], go[RP_WIDE]; /* its rows */
    float arm[3];                   /* m, from the middle of its grain */
} rp_dem_self;

/* What is the same for all spheres. */
typedef struct rp_dem_field {
    const rp_wide *place, *motion;
    const rp_dem_pair *pairs;
    int material_count;
    float period[3]; /* m; 0: none */
    bool periodic;
    rp_dem_rules rules;
} rp_dem_field;

/* Of the step in hand, or `looking` back at it. */
rp_dem_field rp_dem_field_of(const rp_solver *solver, bool looking);

/* Eight places; which of them touch, or have a bridge between. */
typedef struct rp_dem_eight {
    rp_dem_vec n;
    rp_wide overlap, radius, other_radius, other_inverse_mass;
    rp_wide_int touching, held;
} rp_dem_eight;

RP_WIDE_INLINE rp_wide rp_dem_nearest_wide(rp_wide d, float period)
{
    rp_wide half = rp_wide_all(0.5f * period), whole = rp_wide_all(period), zero = rp_wide_all(0);
    d -= rp_wide_select(d > half, whole, zero);
    return d + rp_wide_select(d < -half, whole, zero);
}

/* The first `lanes` of the spheres `index`. False when none of them is near enough. */
RP_WIDE_INLINE bool rp_dem_look(const rp_dem_field *f, const rp_dem_self *self,
                                const uint32_t *index, int lanes, rp_dem_eight *out)
{
    const rp_wide_int numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    rp_wide at[RP_WIDE];
    rp_wide_turn(f->place, index, at);
    rp_dem_vec d = {at[AT_X] - self->at[AT_X], at[AT_Y] - self->at[AT_Y],
                    at[AT_Z] - self->at[AT_Z]};
    if (f->periodic) {
        if (f->period[0] > 0) d.x = rp_dem_nearest_wide(d.x, f->period[0]);
        if (f->period[1] > 0) d.y = rp_dem_nearest_wide(d.y, f->period[1]);
        if (f->period[2] > 0) d.z = rp_dem_nearest_wide(d.z, f->period[2]);
    }
    d.x += at[AT_LOW_X] - self->at[AT_LOW_X];
    d.y += at[AT_LOW_Y] - self->at[AT_LOW_Y];
    d.z += at[AT_LOW_Z] - self->at[AT_LOW_Z];
    rp_wide square = rp_dem_dot(d, d), sum = at[AT_RADIUS] + self->at[AT_RADIUS];
    rp_wide_int there = numbers < lanes;
    out->touching = out->held = there & (square < sum * sum);
    if (f->rules.cohesive) {
        out->radius = at[AT_RADIUS] * self->at[AT_RADIUS] / sum;
        rp_wide reach = sum + f->rules.rupture * out->radius;
        out->held = there & (square < reach * reach);
    }
    if (!rp_dem_any(out->held)) return false;
    out->other_radius = at[AT_RADIUS];
    out->radius = at[AT_RADIUS] * self->at[AT_RADIUS] / sum;
    out->other_inverse_mass = at[AT_INVERSE_MASS];
    rp_wide distance = rp_wide_sqrt(square);
    rp_wide inverse = rp_wide_select(square > 0, 1 / distance, rp_wide_all(0));
    out->n = rp_dem_scale(d, inverse);
    out->overlap = sum - distance;
    return true;
}

/* Where the contact is, from the middle of the sphere. */
RP_WIDE_INLINE rp_wide rp_dem_lever(const rp_dem_self *self, const rp_dem_eight *e)
{
    return self->at[AT_RADIUS] - 0.5f * e->overlap;
}

/* How they move against each other; `spring` is left to the caller. */
RP_WIDE_INLINE rp_dem_meet rp_dem_meet_of(const rp_dem_field *f, const rp_dem_self *self,
                                          const uint32_t *index, const rp_dem_eight *e,
                                          rp_dem_pairs *pairs)
{
    rp_wide go[RP_WIDE], lever = rp_dem_lever(self, e);
    rp_wide other_lever = e->other_radius - 0.5f * e->overlap;
    rp_wide_turn(f->motion, index, go);
    rp_dem_vec turning = {other_lever * go[GO_SPIN_X] + lever * self->go[GO_SPIN_X],
                          other_lever * go[GO_SPIN_Y] + lever * self->go[GO_SPIN_Y],
                          other_lever * go[GO_SPIN_Z] + lever * self->go[GO_SPIN_Z]};
    rp_dem_vec around = rp_dem_cross(turning, e->n);
    rp_dem_meet m = {
        .n = e->n,
        .v = {(go[GO_X] - self->go[GO_X]) - around.x, (go[GO_Y] - self->go[GO_Y]) - around.y,
              (go[GO_Z] - self->go[GO_Z]) - around.z},
        .spin = {self->go[GO_SPIN_X] - go[GO_SPIN_X], self->go[GO_SPIN_Y] - go[GO_SPIN_Y],
                 self->go[GO_SPIN_Z] - go[GO_SPIN_Z]},
        .overlap = e->overlap,
        .radius = e->radius,
        .inverse_mass = e->other_inverse_mass + self->at[AT_INVERSE_MASS],
        .moisture = 0.5f * (go[GO_MOISTURE] + self->go[GO_MOISTURE])};
    rp_wide columns[RP_WIDE];
    uint32_t which[RP_WIDE] = {0};
    if (f->material_count > 1) {
        for (int k = 0; k < RP_WIDE; k++)
            which[k] = (uint32_t)((int)self->go[GO_MATERIAL] * f->material_count +
                                  (int)go[GO_MATERIAL][k]);
        rp_wide_turn((const rp_wide *)(const void *)f->pairs, which, columns);
    } else {
        const rp_dem_pair *one = f->pairs;
        columns[0] = rp_wide_all(one->stiffness);
        columns[1] = rp_wide_all(one->damping);
        columns[2] = rp_wide_all(one->shear);
        columns[3] = rp_wide_all(one->friction);
        columns[4] = rp_wide_all(one->rolling);
        columns[5] = rp_wide_all(one->tension);
    }
    *pairs = rp_dem_pairs_of(columns);
    return m;
}

static inline rp_dem_self rp_dem_self_of(const rp_solver *solver, size_t grain, size_t sphere)
{
    rp_dem_self self;
    memcpy(self.at, &solver->place[sphere], sizeof self.at);
    memcpy(self.go, &solver->motion[sphere], sizeof self.go);
    for (int a = 0; a < 3; a++) /* a single sphere's is exactly zero */
        self.arm[a] = solver->single ? 0 : self.at[AT_LOW_X + a] - solver->low[a][grain];
    return self;
}

/* A sphere on a solid: filled into lane 0, for the same law. Double, since there are few. */
typedef struct rp_dem_press {
    rp_vec3 point;   /* m, where they touch */
    rp_vec3 arm;     /* m, from there to the middle of the grain, backwards */
    rp_vec3 n;       /* from the sphere into the solid */
    rp_vec3 v, spin; /* m/s, of the solid against the sphere there; rad/s, of the sphere against
                        the solid */
    double overlap;  /* m */
    rp_dem_pair pair;
} rp_dem_press;

/* False when they are apart. */
bool rp_dem_press_of(const rp_solver *solver, const rp_dem_self *self, int32_t surface,
                     rp_dem_press *out);

typedef struct rp_dem_pressed {
    double normal;   /* N */
    rp_vec3 shear;   /* N, on the grain */
    rp_vec3 torque;  /* N m, from rolling */
    float spring[3]; /* m */
} rp_dem_pressed;

void rp_dem_press_back(const rp_dem_rules *rules, const rp_dem_self *self,
                       const rp_dem_press *press, const float spring[3], rp_dem_pressed *out);

#endif
