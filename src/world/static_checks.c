/* Static checks: what looks wrong with a world before its first step. `repose check` reports it,
 * and a run does at its start. Nothing here changes the world or needs its grains: sources are
 * sampled, so that a scene of a hundred million grains takes as long as one of a thousand. */
#include "base/report.h"
#include "world/inside.h"

#include <stdio.h>

/* Number of sites of a source that are sampled, about; and of a nozzle, along each axis. */
#define SAMPLES 30000
#define NOZZLE_SAMPLES 15
/* Fractions of a source or nozzle from which on a warning is given. */
#define SHARE_LEAST 0.01
#define SHARE_BODIES 0.5
/* Bodies that overlap by more than this fraction of the smaller one's size are thrown apart. */
#define OVERLAP_SHARE 0.02
#define OVERLAP_SAMPLES 16
/* For keyed bodies: intervals between two keys in which the speed is sampled; and how many times
 * faster than before and after a motion must be for a warning. */
#define KEY_PIECES 8
#define KEY_RATIO 4
/* Grains times steps of a run that takes weeks: some ten millions are computed in a second. */
#define WORK_MOST 2e13
/* Limit of the steps of a fall. */
#define FALL_STEPS 400

typedef char key_text[160];

static const char *key_of(key_text text, const char *section, const char *name)
{
    snprintf(text, sizeof(key_text), "%s.%s", section, name);
    return text;
}

/* A warning is a fault with the code RP_OK. */
#define warn(review, key, ...) (void)rp_fail_at((review)->warnings, RP_OK, NULL, key, __VA_ARGS__)

/* --- sources ---------------------------------------------------------------------------------- */

/* How many samples of a source are where. */
typedef struct samples {
    double step; /* m, distance of samples */
    double all, behind_wall, outside, in_void, in_body, shared;
    rp_vec3 first_behind_wall;
    const char *other; /* another source that fills the same space */
} samples;

static bool is_in_source(const rp_world *world, const rp_source_spec *source, rp_vec3 point)
{
    rp_vec3 local = rp_pose_to_local(source->pose, point);
    return rp_shape_may_be_near(&source->shape, local, 0) &&
           rp_shape_distance(&source->shape, local, NULL) < -world->scene->particles.spacing / 2;
}

/* Returns the spacing of a source's lattice, m. Of two sources the one with the finer lattice
 * leaves out the grains of the other. */
static double lattice_spacing(const rp_world *world, const rp_source_spec *source)
{
    return rp_grain_split_of(world->scene, source->material).spacing;
}

/* Returns a source after `index` that fills this point, too, so that each pair is reported once. */
static const rp_source_spec *other_source_at(const rp_world *world, int index, rp_vec3 point)
{
    const rp_source_spec *sources = rp_scene_sources(world->scene);
    for (int i = index + 1; i < world->scene->sources.count; i++)
        if (sources[i].at == sources[index].at && is_in_source(world, &sources[i], point) &&
            lattice_spacing(world, &sources[i]) == lattice_spacing(world, &sources[index]))
            return &sources[i];
    return NULL;
}

static void classify_sample(rp_review *review, int index, rp_vec3 point, samples *p)
{
    const rp_world *world = review->world;
    const rp_source_spec *source = &rp_scene_sources(world->scene)[index];
    const rp_domain_spec *domain = &world->scene->domain;
    const float at[3] = {(float)point.x, (float)point.y, (float)point.z};
    double spacing = world->scene->particles.spacing, clearance = rp_scene_clearance(world->scene);
    /* Samples are not the grains themselves: they must be behind a wall by half a spacing. */
    double behind = p->step > spacing ? -spacing / 2 : 0;
    p->all++;
    if (rp_world_distance_to_voids(world, point) < clearance) {
        p->in_void++;
    } else if (rp_world_distance_to_bodies(world, rp_world_domain_wrapped(domain, point)) <
               clearance) {
        p->in_body++;
    } else if (rp_world_domain_is_behind_wall(domain, point, behind)) {
        if (p->behind_wall++ == 0) p->first_behind_wall = point;
    } else if (rp_scene_domain_has_left(domain, at)) {
        p->outside++;
    } else {
        const rp_source_spec *other = other_source_at(world, index, point);
        rp_review_add_start(review, point, source->velocity);
        if (!other) return;
        p->shared++;
        p->other = other->name;
    }
}

/* Samples the lattice of a source: all sites, or about SAMPLES in the shape's box. */
static samples sample_source(rp_review *review, int index)
{
    const rp_scene *scene = review->world->scene;
    const rp_source_spec *source = &rp_scene_sources(scene)[index];
    rp_source_grid lattice = rp_source_sampling(source, scene->particles.spacing, SAMPLES);
    samples p = {.step = lattice.step};
    for (double k = 0; k < lattice.count.z; k++)
        for (double j = 0; j < lattice.count.y; j++)
            for (double i = 0; i < lattice.count.x; i++) {
                rp_vec3 local = rp_v3_madd(lattice.first, lattice.step, rp_v3(i, j, k));
                if (rp_shape_distance(&source->shape, local, NULL) <= 0)
                    classify_sample(review, index, rp_pose_to_world(source->pose, local), &p);
            }
    return p;
}

static rp_code fail_behind_wall(const rp_review *review, const char *key, const samples *p)
{
    rp_vec3 at = p->first_behind_wall;
    return rp_fail_at(review->report, RP_ERROR_INPUT, NULL, key,
                      "about %.2g %% of its grains lie behind a wall of the domain, the first at "
                      "[%.4g, %.4g, %.4g] m; move it, or widen or open the domain",
                      100 * p->behind_wall / p->all, at.x, at.y, at.z);
}

static void warn_of_samples(const rp_review *review, const char *key, const samples *p,
                            double grains)
{
    double lost = p->in_void + p->in_body;
    if (p->outside > SHARE_LEAST * p->all)
        warn(review, key,
             "%.2g %% of its grains lie beyond an open side of the domain: they are removed after "
             "the "
             "first step",
             100 * p->outside / p->all);
    if (lost == p->all)
        warn(review, key, "stays empty: %s fill all of it",
             p->in_body == 0  ? "voids"
             : p->in_void > 0 ? "bodies and voids"
                              : "bodies");
    else if (p->in_body > SHARE_BODIES * p->all)
        warn(review, key, "%.2g %% of its grains, about %.3g, are left out where bodies are",
             100 * p->in_body / p->all, grains * p->in_body / p->all);
    if (p->shared > SHARE_LEAST * p->all)
        warn(review, key,
             "%.2g %% of its grains overlap those of the source '%s' and will be thrown "
             "apart; move one of them, or let it appear later",
             100 * p->shared / p->all, p->other);
}

static void review_source(rp_review *review, int index)
{
    const rp_scene *scene = review->world->scene;
    const rp_source_spec *source = &rp_scene_sources(scene)[index];
    double spacing = scene->particles.spacing;
    double grains = rp_world_grains_in(scene, source->material, rp_shape_volume(&source->shape));
    key_text key;
    key_of(key, "sources", source->name);
    if (source->at > scene->time.duration) {
        warn(review, key, "appears at %.4g s, after the end of the run at %.4g s", source->at,
             scene->time.duration);
        return;
    }
    samples p = sample_source(review, index);
    double free = p.all - p.behind_wall - p.outside - p.in_void - p.in_body;
    review->grains += p.all > 0 ? grains * free / p.all : 0;
    if (p.all == 0)
        warn(review, key, "stays empty: it is smaller than a grain (particles.spacing is %.4g m)",
             spacing);
    else if (p.behind_wall > 0)
        review->code = fail_behind_wall(review, key, &p);
    if (p.all > 0) warn_of_samples(review, key, &p, grains);
}

/* --- emitters --------------------------------------------------------------------------------- */

/* Computes the fraction of the nozzle's opening that a body blocks, and that beyond an open side.
 */
static void sample_nozzle(rp_review *review, const rp_emitter_spec *spec, double *blocked,
                          double *outside)
{
    const rp_domain_spec *domain = &review->world->scene->domain;
    rp_vec3 u = rp_v3_perpendicular(spec->direction), v = rp_v3_cross(spec->direction, u);
    bool disc = spec->nozzle == RP_NOZZLE_DISC;
    double reach_u = disc ? spec->radius : spec->width / 2;
    double reach_v = disc ? spec->radius : spec->height / 2, all = 0;
    *blocked = *outside = 0;
    for (int j = 0; j < NOZZLE_SAMPLES; j++)
        for (int i = 0; i < NOZZLE_SAMPLES; i++) {
            double a = 2 * (i + 0.5) / NOZZLE_SAMPLES - 1, b = 2 * (j + 0.5) / NOZZLE_SAMPLES - 1;
            if (disc && a * a + b * b > 1) continue;
            rp_vec3 at = rp_v3_madd(rp_v3_madd(spec->position, a * reach_u, u), b * reach_v, v);
            const float place[3] = {(float)at.x, (float)at.y, (float)at.z};
            double gap =
                rp_world_distance_to_bodies(review->world, rp_world_domain_wrapped(domain, at));
            bool inside = gap < review->world->scene->particles.spacing * (0.5 - 1e-6);
            all++;
            *blocked += inside;
            *outside += rp_scene_domain_has_left(domain, place);
            if (!inside) rp_review_add_start(review, at, rp_v3_scale(spec->direction, spec->speed));
        }
    *blocked /= all;
    *outside /= all;
}

static void review_emitter(rp_review *review, const rp_emitter_spec *spec)
{
    const rp_scene *scene = review->world->scene;
    double blocked, outside, seconds = fmin(spec->stop, scene->time.duration) - spec->start;
    key_text key;
    key_of(key, "emitters", spec->name);
    if (!(seconds > 0) && scene->time.duration > 0) {
        warn(review, key, "starts at %.4g s, after the end of the run at %.4g s", spec->start,
             scene->time.duration);
        return;
    }
    sample_nozzle(review, spec, &blocked, &outside);
    if (blocked == 1)
        warn(review, key, "the nozzle lies inside a body: nothing comes out of it");
    else if (blocked > SHARE_BODIES)
        warn(review, key, "a body blocks %.2g %% of the nozzle", 100 * blocked);
    if (outside > SHARE_LEAST)
        warn(review, key,
             "%.2g %% of the nozzle lie beyond an open side of the domain: what comes out there is "
             "removed at once",
             100 * outside);
    review->grains += (1 - blocked) * fmax(0, seconds) * rp_emitter_grain_rate(scene, spec);
}

/* --- the whole scene -------------------------------------------------------------------------- */

void rp_review_add_start(rp_review *review, rp_vec3 point, rp_vec3 velocity)
{
    /* Keeps every n-th start, n growing, so that all sources have some whatever their size. */
    if (review->start_seen++ % review->start_stride) return;
    if (review->start_count == RP_REVIEW_STARTS) {
        for (int i = 0; i < RP_REVIEW_STARTS / 2; i++)
            review->starts[i] = review->starts[2 * i];
        review->start_count = RP_REVIEW_STARTS / 2;
        review->start_stride *= 2;
    }
    review->starts[review->start_count++] = (rp_review_start){point, velocity};
}

/* True when a grain in free flight reaches a wall or a body. Time advances so that the grain falls
 * at most half its distance from the nearest solid. */
static bool falls_on_something(const rp_review *review, const rp_review_start *start, rp_vec3 g)
{
    const rp_world *world = review->world;
    const rp_domain_spec *domain = &world->scene->domain;
    double spacing = world->scene->particles.spacing, pull = rp_v3_length(g), time = 0;
    for (int i = 0; i < FALL_STEPS; i++) {
        rp_vec3 at =
            rp_v3_madd(rp_v3_madd(start->point, time, start->velocity), time * time / 2, g);
        at = rp_world_domain_wrapped(domain, at);
        const float place[3] = {(float)at.x, (float)at.y, (float)at.z};
        if (rp_scene_domain_has_left(domain, place)) return false;
        double gap = rp_world_distance_to_solids(world, at, RP_SOLID_ALL, spacing);
        if (gap < 0.6 * spacing) return true;
        if (!isfinite(gap)) return false;
        double speed = rp_v3_length(rp_v3_madd(start->velocity, time, g));
        time += (sqrt(speed * speed + 2 * pull * fmax(gap, spacing) / 2) - speed) / pull;
    }
    return false;
}

static bool has_floor(const rp_domain_spec *domain, rp_vec3 g)
{
    rp_vec3 foot, inward;
    for (int side = 0; side < RP_SIDES; side++)
        if (rp_scene_domain_wall(domain, side, &foot, &inward) && rp_v3_dot(inward, g) < 0)
            return true;
    return false;
}

static void review_ground(rp_review *review)
{
    const rp_scene *scene = review->world->scene;
    rp_vec3 g = rp_scene_gravity(scene, 0);
    bool pulled = rp_v3_length(g) > 0 && scene->gravity_keys.count == 0;
    if (!pulled || !review->start_count || has_floor(&scene->domain, g)) return;
    for (int i = 0; i < review->start_count; i++)
        if (falls_on_something(review, &review->starts[i], g)) return;
    warn(review, "domain",
         "there is nothing for the grains to rest on: they fall on no wall and on no body. Give "
         "the domain a `low`, or add a body such as `ground: {shape: plane}`");
}

/* Fixed grains exist only where the solver supports them: warns where it does not. */
static void review_roughness(rp_review *review)
{
    const rp_scene *scene = review->world->scene;
    const rp_surface *surfaces = rp_couple_surfaces(review->world->couple);
    key_text key;
    bool found = false;
    for (int i = 0; i < rp_couple_count(review->world->couple) && !found; i++) {
        const rp_surface *s = &surfaces[i];
        const rp_roughness *own = s->body < 0 ? &scene->domain.roughness.grains
                                              : &rp_scene_bodies(scene)[s->body].roughness;
        found = own->radius > 0 && !s->rough &&
                (s->body >= 0 || scene->domain.roughness.sides >> s->side & 1);
        if (!found) continue;
        if (s->body < 0)
            snprintf(key, sizeof key, "domain.roughness");
        else
            snprintf(key, sizeof key, "bodies.%s.roughness", rp_scene_bodies(scene)[s->body].name);
        warn(review, key,
             "has no effect: the method %s does not resolve grains; there `friction: rough` "
             "is as rough as a surface can be. Fixed grains are for dem",
             scene->method->name);
    }
}

static void review_amount(rp_review *review)
{
    const rp_scene *scene = review->world->scene;
    bool asked = scene->sources.count || scene->emitters.count, dynamic = false;
    for (int i = 0; i < scene->bodies.count; i++)
        dynamic = dynamic || rp_scene_bodies(scene)[i].motion == RP_MOTION_DYNAMIC;
    if (!asked && !dynamic)
        warn(review, "sources", "there are no grains: the scene has neither sources nor emitters");
    else if (asked && review->grains < 1 && review->code == RP_OK)
        warn(review, scene->sources.count ? "sources" : "emitters",
             "there are no grains: nothing comes out of the sources and emitters");
    double room = rp_world_domain_closed_volume(&scene->domain), spacing = scene->particles.spacing;
    double sand = review->grains * spacing * spacing * spacing;
    if (sand > room)
        warn(review, scene->emitters.count ? "emitters" : "sources",
             "%.3g m3 of sand come into a closed domain of %.3g m3; the grains will overlap. Stop "
             "earlier, or open a side",
             sand, room);
}

static void review_time(rp_review *review)
{
    const rp_scene *scene = review->world->scene;
    if (rp_scene_frame_count(scene) <= 1)
        warn(review, "time.duration", "is %g s: only the first frame is written",
             scene->time.duration);
}

/* The smallest grains determine the step of all: warns of runs that take weeks. */
static void review_work(rp_review *review)
{
    const rp_world *world = review->world;
    const rp_scene *scene = world->scene;
    if (!rp_world_resolves_grains(scene)) return;
    double dt = world->type->limit_dt(world->solver).dt, smallest = INFINITY;
    if (scene->time.step > 0) dt = scene->time.step;
    double steps = scene->time.duration / dt;
    for (int i = 0; i < scene->grains.count; i++)
        smallest = fmin(smallest, rp_scene_grains(scene)[i].smallest);
    if (!(steps * review->grains > WORK_MOST)) return;
    warn(review, "grains",
         "contacts of the smallest, %.3g m, are so short that a step is %.2g s: %.2g grains take "
         "%.2g steps: the run takes weeks. Take larger ones for the smallest, a lower 'young', "
         "fewer grains, "
         "or a shorter duration",
         smallest, dt, review->grains, steps);
}

/* --- bodies ----------------------------------------------------------------------------------- */

/* Returns the thickness of the thinnest part of a shape that grains can be on both sides of, m; of
 * a mesh that of its box. */
static double thickness_of(const rp_shape *shape)
{
    return shape->kind == RP_SHAPE_FUNNEL ? shape->thickness : rp_shape_extent(shape);
}

static void review_thickness(rp_review *review, const rp_body_spec *body)
{
    double spacing = review->world->scene->particles.spacing, thin = thickness_of(&body->shape);
    key_text key;
    if (review->grains == 0 || rp_world_resolves_grains(review->world->scene) ||
        thin >= spacing / 2)
        return;
    warn(review, key_of(key, "bodies", body->name),
         "is %.3g m thick, less than half a spacing (%.3g m): grains on both sides push each other "
         "through it; make it thicker, or particles.spacing smaller",
         thin, spacing);
}

/* Returns the largest distance that a corner of a body's box moves from one pose to another, m. */
static double distance_moved(const rp_body_spec *body, rp_pose from, rp_pose to)
{
    rp_box3 box = body->shape.kind == RP_SHAPE_PLANE ? (rp_box3){0} : rp_shape_bounds(&body->shape);
    double most = 0;
    for (int c = 0; c < 8; c++) {
        rp_vec3 corner = rp_v3(c & 1 ? box.high.x : box.low.x, c & 2 ? box.high.y : box.low.y,
                               c & 4 ? box.high.z : box.low.z);
        rp_vec3 displacement =
            rp_v3_sub(rp_pose_to_world(to, corner), rp_pose_to_world(from, corner));
        most = fmax(most, rp_v3_length(displacement));
    }
    return most;
}

/* Returns the speed of a body's fastest corner between two times, m/s. */
static double speed_between(const rp_body_spec *body, double from, double to)
{
    double piece = (to - from) / KEY_PIECES, most = 0;
    rp_pose before = rp_body_pose_at(body, from);
    for (int i = 1; i <= KEY_PIECES; i++) {
        rp_pose after = rp_body_pose_at(body, from + piece * i);
        most = fmax(most, distance_moved(body, before, after) / piece);
        before = after;
    }
    return most;
}

static double key_time(const rp_body_spec *body, int key)
{
    return body->animation.count ? ((const rp_animation_key *)body->animation.items)[key].time
                                 : ((const rp_key_spec *)body->keys.items)[key].time;
}

/* Two keys less than a frame apart that throw sand higher than a spacing, while the body is far
 * slower before and after them, are mostly a typing error: the motion would not be seen. */
static void review_keys(rp_review *review, const rp_body_spec *body)
{
    const rp_scene *scene = review->world->scene;
    int count = body->animation.count ? body->animation.count : body->keys.count;
    double frame = 1 / scene->time.frame_rate, before = 0;
    double thrown = sqrt(2 * rp_v3_length(scene->gravity) * scene->particles.spacing);
    key_text key;
    if (body->motion != RP_MOTION_KEYS) return;
    for (int i = 0; i + 1 < count; i++) {
        double from = key_time(body, i), to = key_time(body, i + 1);
        double now = speed_between(body, from, to);
        double after = i + 2 < count ? speed_between(body, to, key_time(body, i + 2)) : 0;
        bool sudden = now > KEY_RATIO * fmax(before, after) && now > thrown;
        before = now;
        if (!sudden || to - from >= frame || from > scene->time.duration) continue;
        warn(
            review, key_of(key, "bodies", body->name),
            "moves at up to %.3g m/s in the %.3g s from key [%d] to key [%d], less than a frame, "
            "and far slower before and after: it hits what it touches. Give it more time there, or "
            "let both keys have one place",
            now, to - from, i, i + 1);
        return;
    }
}

static void review_body(rp_review *review, const rp_body_spec *body)
{
    review_thickness(review, body);
    review_keys(review, body);
}

static bool are_joined(const rp_scene *scene, int a, int b)
{
    for (int i = 0; i < scene->joints.count; i++) {
        const rp_joint_spec *joint = &rp_scene_joints(scene)[i];
        if ((joint->body == a && joint->other == b) || (joint->body == b && joint->other == a))
            return true;
    }
    return false;
}

static double inside_of(const rp_surface *surface, rp_vec3 point)
{
    return -rp_shape_distance(surface->shape, rp_pose_to_local(surface->pose, point), NULL);
}

/* Computes the intersection of two bounding boxes; false where it is thinner than `least`: this
 * decides for most bodies that touch. */
static bool shared_box(const rp_surface *a, const rp_surface *b, double least, rp_box3 *box)
{
    *box = rp_clearance_surface_bounds(a);
    if (b->shape->kind == RP_SHAPE_PLANE) {
        rp_vec3 middle = rp_v3_scale(rp_v3_add(box->low, box->high), 0.5);
        double reach = rp_v3_length(rp_v3_sub(box->high, middle));
        return inside_of(b, middle) + reach > least;
    }
    rp_box3 other = rp_clearance_surface_bounds(b);
    *box = (rp_box3){rp_v3_max(box->low, other.low), rp_v3_min(box->high, other.high)};
    rp_vec3 size = rp_v3_sub(box->high, box->low);
    return fmin(size.x, fmin(size.y, size.z)) > least;
}

/* Returns the largest overlap of two bodies, m, and its point; negative when they are apart. The
 * common part of two bodies is a lens of that thickness. */
static double overlap_of(const rp_surface *a, const rp_surface *b, double least, rp_vec3 *deepest)
{
    bool plane = b->shape->kind == RP_SHAPE_PLANE;
    double most = -INFINITY;
    rp_box3 box;
    if (!shared_box(a, b, least, &box)) return most;
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    for (int n = 0; n < OVERLAP_SAMPLES * OVERLAP_SAMPLES * OVERLAP_SAMPLES; n++) {
        double x = (n % OVERLAP_SAMPLES + 0.5) / OVERLAP_SAMPLES,
               y = (n / OVERLAP_SAMPLES % OVERLAP_SAMPLES + 0.5) / OVERLAP_SAMPLES,
               z = (n / OVERLAP_SAMPLES / OVERLAP_SAMPLES + 0.5) / OVERLAP_SAMPLES;
        rp_vec3 at = rp_v3_add(box.low, rp_v3(x * size.x, y * size.y, z * size.z));
        double in_a = inside_of(a, at), in_b = inside_of(b, at);
        double deep = plane ? (in_a >= 0 ? in_b : -INFINITY) : 2 * fmin(in_a, in_b);
        if (deep <= most) continue;
        most = deep;
        *deepest = at;
    }
    return most;
}

static void review_pair(rp_review *review, const rp_surface *a, const rp_surface *b)
{
    const rp_body_spec *bodies = rp_scene_bodies(review->world->scene);
    rp_vec3 at = {0};
    double size = fmin(rp_shape_extent(a->shape), rp_shape_extent(b->shape));
    double deep = overlap_of(a, b, OVERLAP_SHARE * size, &at);
    key_text key;
    if (!(deep > OVERLAP_SHARE * size)) return;
    warn(review, key_of(key, "bodies", bodies[a->body].name),
         "starts %.3g m inside %s%s%s at [%.4g, %.4g, %.4g] m and will be thrown out; move it, or "
         "join them",
         deep, b->body < 0 ? "a wall of the domain" : "'", b->body < 0 ? "" : bodies[b->body].name,
         b->body < 0 ? "" : "'", at.x, at.y, at.z);
}

static void review_overlaps(rp_review *review)
{
    const rp_couple *couple = review->world->couple;
    const rp_surface *surfaces = rp_couple_surfaces(couple);
    int count = rp_couple_count(couple);
    for (int i = 0; i < count; i++) {
        const rp_surface *a = &surfaces[i];
        if (!a->dynamic || rp_v3_length(a->shift) > 0) continue;
        for (int j = 0; j < count; j++) {
            const rp_surface *b = &surfaces[j];
            bool again = b->dynamic && j <= i; /* the pair was examined in the other order */
            if (again || a->body == b->body) continue;
            if (b->body < 0 || !are_joined(review->world->scene, a->body, b->body))
                review_pair(review, a, b);
        }
    }
}

rp_code rp_world_review(const rp_world *world, rp_report *warnings, rp_report *report)
{
    const rp_scene *scene = world->scene;
    rp_review review = {.world = world, .warnings = warnings, .report = report, .start_stride = 1};
    review_time(&review);
    review_roughness(&review);
    for (int i = 0; i < scene->sources.count; i++)
        review_source(&review, i);
    for (int i = 0; i < scene->emitters.count; i++)
        review_emitter(&review, &rp_scene_emitters(scene)[i]);
    review_amount(&review);
    review_work(&review);
    review_ground(&review);
    for (int i = 0; i < scene->bodies.count; i++)
        review_body(&review, &rp_scene_bodies(scene)[i]);
    review_overlaps(&review);
    rp_review_openings(&review);
    return review.code;
}
