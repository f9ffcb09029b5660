/* Estimate of the grains and the memory that a scene needs, before anything is allocated; and
 * checks that follow from it. */
#include "base/file.h"
#include "base/report.h"
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

/* Number of lattice sites of a source that are sampled, about. */
#define SAMPLES 30000
/* Limit of the lattice sites of a source: filling more would take for ever. */
#define LATTICE_MAX 2e10
/* A frame that is being written exists twice in memory, with about 50 bytes per grain. */
#define FRAME_BYTES_EACH 100
/* Contacts per grain, where frames hold them: half of its dozen neighbors, some of which touch in
 * two points; and bytes of each in a frame. */
#define CONTACTS_EACH 10
#define FRAME_BYTES_CONTACT 100
/* Arrays that grow while grains are added become half as large again, and for a moment the old ones
 * exist as well. */
#define GROWTH 2.5
/* Spacings that grains of an emitter may travel in a fixed step: solvers fail beyond that. */
#define STEP_SPACINGS_MOST 1e4
/* The program itself, its threads and tables. */
#define BASE_BYTES 64e6

double rp_world_memory_limit(const rp_world_options *options)
{
    if (options->memory_limit) return (double)options->memory_limit;
    return rp_system_memory_free();
}

size_t rp_world_budget(const rp_world_options *options)
{
    double bytes = fmax(0, rp_world_memory_limit(options) - BASE_BYTES);
    return bytes < (double)SIZE_MAX / 2 ? (size_t)bytes : SIZE_MAX / 2;
}

/* --- grains of sources ------------------------------------------------------------------------ */

/* Bodies and their images, where they are when a source is filled, and voids: sources leave out
 * their space. */
typedef struct solids {
    const rp_scene *scene;
    rp_body_state *states;
    rp_surface *surfaces;
    int count; /* surfaces of bodies; walls do not count */
} solids;

static size_t solids_bytes(const rp_scene *scene)
{
    return (size_t)rp_surfaces_capacity(scene) * sizeof(rp_surface);
}

static size_t states_bytes(const rp_scene *scene)
{
    return (size_t)scene->bodies.count * sizeof(rp_body_state);
}

static bool solids_make(const rp_scene *scene, solids *out)
{
    *out = (solids){.scene = scene};
    out->states = rp_allocate_zero(states_bytes(scene));
    out->surfaces = rp_allocate(solids_bytes(scene));
    if (!out->states || !out->surfaces) return false;
    int count = rp_surfaces_fill(scene, out->surfaces);
    while (out->count < count && out->surfaces[out->count].body >= 0)
        out->count++;
    return true;
}

static void solids_release(solids *s)
{
    rp_release(s->states, states_bytes(s->scene));
    rp_release(s->surfaces, solids_bytes(s->scene));
}

static void solids_place(solids *s, double time)
{
    for (int i = 0; i < s->scene->bodies.count; i++) {
        rp_pose pose = rp_body_pose_at(&rp_scene_bodies(s->scene)[i], time);
        const rp_vec3 at = pose.position;
        const rp_quat q = pose.orientation;
        const double place[3] = {at.x, at.y, at.z}, turn[4] = {q.w, q.x, q.y, q.z};
        memcpy(s->states[i].position, place, sizeof place);
        memcpy(s->states[i].orientation, turn, sizeof turn);
    }
    rp_surfaces_refresh(s->surfaces, s->count, s->states);
}

static bool is_occupied(const solids *s, rp_vec3 point)
{
    double spacing = s->scene->particles.spacing, clearance = rp_scene_clearance(s->scene);
    const rp_void_spec *voids = rp_scene_voids(s->scene);
    for (int i = 0; i < s->scene->voids.count; i++)
        if (rp_clearance_distance(&voids[i].shape, voids[i].pose, point, spacing) < clearance)
            return true;
    point = rp_world_domain_wrapped(&s->scene->domain, point);
    for (int i = 0; i < s->count; i++) {
        const rp_surface *surface = &s->surfaces[i];
        if (rp_clearance_distance(surface->shape, surface->pose, point, spacing) < clearance)
            return true;
    }
    return false;
}

/* Counts the free sites of a source: all of them where it is small, else SAMPLES. */
static double grains_of_source(const solids *s, const rp_source_spec *source)
{
    double all = 0, free = 0, spacing = s->scene->particles.spacing;
    double volume = rp_shape_volume(&source->shape), places = volume / pow(spacing, 3);
    double each = rp_world_grains_in(s->scene, source->material, volume) / places;
    rp_source_grid lattice = rp_source_sampling(source, spacing, SAMPLES);
    for (double k = 0; k < lattice.count.z; k++)
        for (double j = 0; j < lattice.count.y; j++)
            for (double i = 0; i < lattice.count.x; i++) {
                rp_vec3 local = rp_v3_madd(lattice.first, lattice.step, rp_v3(i, j, k));
                if (rp_shape_distance(&source->shape, local, NULL) > 0) continue;
                all++;
                free += !is_occupied(s, rp_pose_to_world(source->pose, local));
            }
    if (!(lattice.step > spacing)) return each * free;
    return each * places * (all > 0 ? free / all : 1);
}

static double grains_of_sources(const rp_scene *scene)
{
    double grains = 0;
    solids s;
    bool made = solids_make(scene, &s);
    for (int i = 0; i < scene->sources.count && made; i++) {
        const rp_source_spec *source = &rp_scene_sources(scene)[i];
        solids_place(&s, source->at);
        grains += grains_of_source(&s, source);
    }
    solids_release(&s);
    return made ? grains : INFINITY; /* then memory does not suffice, either */
}

/* --- everything ------------------------------------------------------------------------------- */

double rp_emitter_grain_rate(const rp_scene *scene, const rp_emitter_spec *spec)
{
    double rate = spec->rate > 0 ? spec->rate : rp_emitter_full_rate(scene, spec);
    return rate / rp_grain_mean_mass(scene, rp_world_resolves_grains(scene), spec->material);
}

static double grains_of_emitters(const rp_scene *scene)
{
    double grains = 0;
    for (int i = 0; i < scene->emitters.count; i++) {
        const rp_emitter_spec *spec = &rp_scene_emitters(scene)[i];
        double seconds = fmin(spec->stop, scene->time.duration) - spec->start;
        grains += fmax(0, seconds) * rp_emitter_grain_rate(scene, spec);
    }
    return grains;
}

/* Returns the mean number of spheres of a grain, for the material that has most. */
static double spheres_each(const rp_scene *scene)
{
    double most = 1;
    for (int i = 0; i < scene->materials.count; i++)
        most = fmax(most, rp_grain_mean_spheres(scene, i));
    return most;
}

static double bytes_each(const rp_scene *scene)
{
    const rp_solver_type *type = rp_solver_find(scene->method->name);
    rp_grains table;
    bool resolved = rp_world_resolves_grains(scene);
    double bytes = type->estimate(scene, resolved ? spheres_each(scene) : 1) + FRAME_BYTES_EACH;
    rp_code code = rp_grains_begin_with(&table, type->needs, NULL);
    if (code == RP_OK && resolved)
        code = rp_grains_add_shapes(&table, rp_world_orients_grains(scene), NULL);
    if (code == RP_OK) bytes += (double)rp_grains_bytes_each(&table);
    rp_grains_end(&table);
    if (scene->output.contacts) bytes += CONTACTS_EACH * (sizeof(rp_contact) + FRAME_BYTES_CONTACT);
    return bytes;
}

double rp_world_most_grains(const rp_scene *scene, const rp_world_options *options)
{
    return fmin(4e9, (rp_world_memory_limit(options) - BASE_BYTES) / (GROWTH * bytes_each(scene)));
}

rp_estimate rp_scene_estimate(const rp_scene *scene, const rp_world_options *options)
{
    if (!scene) return (rp_estimate){0};
    RP_ENTER();
    rp_world_options own = rp_default_world_options();
    if (rp_options_take(&own, sizeof own, options, __func__, "options", NULL) != RP_OK)
        return (rp_estimate){0};
    double at_start = grains_of_sources(scene), poured = grains_of_emitters(scene);
    double at_most = at_start + (poured > 0 ? GROWTH * poured : 0);
    return (rp_estimate){.grains = at_start + poured,
                         .bytes = BASE_BYTES + at_most * bytes_each(scene),
                         .bytes_limit = rp_world_memory_limit(&own)};
}

static rp_code check_lattice(const rp_scene *scene, rp_report *report)
{
    double cell = pow(scene->particles.spacing, 3);
    for (int i = 0; i < scene->sources.count; i++) {
        const rp_source_spec *source = &rp_scene_sources(scene)[i];
        rp_box3 box = rp_shape_bounds(&source->shape);
        rp_vec3 size = rp_v3_sub(box.high, box.low);
        double places = size.x * size.y * size.z / cell;
        if (!(places <= LATTICE_MAX))
            return rp_fail(report, RP_ERROR_INPUT,
                           "source '%s' spans %.3g sites of the lattice, more than %.0e; raise "
                           "particles.spacing",
                           source->name, places, LATTICE_MAX);
    }
    return RP_OK;
}

double rp_world_domain_closed_volume(const rp_domain_spec *domain)
{
    rp_vec3 size = rp_v3_sub(domain->high, domain->low);
    return domain->open ? INFINITY : size.x * size.y * size.z;
}

rp_code rp_emitter_check_step(const rp_scene *scene, const rp_emitter_spec *spec, rp_report *report)
{
    double step = scene->time.step, spacing = scene->particles.spacing;
    double room = rp_world_domain_closed_volume(&scene->domain);
    double poured = rp_emitter_grain_rate(scene, spec) * step * spacing * spacing * spacing;
    if (poured <= room && spec->speed * step <= STEP_SPACINGS_MOST * spacing) return RP_OK;
    char key[128];
    snprintf(key, sizeof key, "emitters.%s", spec->name);
    if (poured > room)
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                          "in one step of %.3g s it lets out %.3g m3, more than the closed domain "
                          "holds (%.3g m3): grains would overlap. Lower its speed or "
                          "rate, or leave time.step out",
                          step, poured, room);
    return rp_fail_at(
        report, RP_ERROR_INPUT, NULL, key,
        "its grains travel %.3g spacings in one step of %.3g s; lower its speed, or leave "
        "time.step out",
        spec->speed * step / spacing, step);
}

rp_code rp_world_check_memory(const rp_scene *scene, const rp_world_options *options,
                              rp_report *report)
{
    rp_estimate estimate = rp_scene_estimate(scene, options);
    if (!(estimate.bytes <= estimate.bytes_limit) || !(estimate.grains < 4e9))
        return rp_fail(report, RP_ERROR_MEMORY,
                       "the scene needs about %.3g GB for %.4g grains; there are %.3g GB. Raise "
                       "particles.spacing, or make the sources smaller",
                       estimate.bytes / 1e9, estimate.grains, estimate.bytes_limit / 1e9);
    return check_lattice(scene, report);
}
