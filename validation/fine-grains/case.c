/* Fine grains around a lone clump, in free flight, and in a heap that comes to rest. */
#include "base/memory.h"
#include "base/report.h"
#include "detail/detail.h"
#include "validation/sand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONE_GRAINS 200000
#define CONTRAST_LIMIT 0.02
#define FLIGHT_LIMIT 5e-6 /* m */
#define CROWD_LIMIT 1.5   /* times the start */
#define TIME_MOST 10.0    /* s, until the coarse grains rest */
#define ASLEEP 0.5        /* s, that they have to have slept, all of them */
#define WATCH 0.5         /* s, from then on */
#define BETWEEN 0.02      /* s, of views */

/* --- a lone clump ----------------------------------------------------------------------------- */

/* One coarse grain at the origin, and none. */
typedef struct lone {
    float place[3], velocity[3];
    uint32_t id;
    uint8_t material;
    rp_view view;
} lone;

static void lone_make(lone *l, double spacing)
{
    *l = (lone){.velocity = {1, -2, 3}};
    l->view = (rp_view){.spacing = spacing,
                        .count = 1,
                        .x = &l->place[0],
                        .y = &l->place[1],
                        .z = &l->place[2],
                        .vx = &l->velocity[0],
                        .vy = &l->velocity[1],
                        .vz = &l->velocity[2],
                        .id = &l->id,
                        .material = &l->material};
}

typedef struct contrast {
    double radius;          /* m */
    double inside, outside; /* grains */
} contrast;

static rp_code count_inside(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report;
    contrast *k = user;
    for (uint32_t i = 0; i < chunk->count; i++) {
        float most = fmaxf(fmaxf(fabsf(chunk->x[i]), fabsf(chunk->y[i])), fabsf(chunk->z[i]));
        if (most < k->radius)
            k->inside++;
        else
            k->outside++;
    }
    return RP_OK;
}

typedef struct flight {
    float *start; /* x, y, z, vx, vy, vz of each id */
    double time;  /* s, since then */
    double worst; /* m */
} flight;

static rp_code keep_start(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report;
    flight *f = user;
    for (uint32_t i = 0; i < chunk->count; i++) {
        float *to = f->start + 6 * (size_t)(chunk->first + chunk->local[i]);
        to[0] = chunk->x[i], to[1] = chunk->y[i], to[2] = chunk->z[i];
        to[3] = chunk->vx[i], to[4] = chunk->vy[i], to[5] = chunk->vz[i];
    }
    return RP_OK;
}

static rp_code compare_parabola(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report;
    flight *f = user;
    double t = f->time;
    for (uint32_t i = 0; i < chunk->count; i++) {
        const float *from = f->start + 6 * (size_t)(chunk->first + chunk->local[i]);
        double off[3] = {chunk->x[i] - (from[0] + from[3] * t),
                         chunk->y[i] - (from[1] + from[4] * t),
                         chunk->z[i] - (from[2] + from[5] * t - 0.5 * 9.81 * t * t)};
        for (int a = 0; a < 3; a++)
            f->worst = fmax(f->worst, fabs(off[a]));
    }
    return RP_OK;
}

static rp_code fly(rp_case_context *c, rp_detail *detail, lone *l)
{
    size_t bytes = 6 * LONE_GRAINS * sizeof(float);
    flight f = {.start = rp_allocate(bytes)};
    rp_code code = f.start ? RP_OK : rp_fail_memory(c->report, bytes, "fine grains");
    l->view.count = 0; /* until the next view it is still there */
    l->view.time = BETWEEN;
    if (code == RP_OK) code = rp_detail_advance(detail, &l->view, c->report);
    if (code == RP_OK) code = rp_detail_visit(detail, keep_start, &f, c->report);
    for (int i = 1; i <= 50 && code == RP_OK; i++) {
        f.time = BETWEEN * i;
        l->view.time = BETWEEN + f.time;
        code = rp_detail_advance(detail, &l->view, c->report);
    }
    if (code == RP_OK) code = rp_detail_visit(detail, compare_parabola, &f, c->report);
    if (code == RP_OK)
        rp_judge_at_most(c, "free flight: largest distance from the parabola after 1 s",
                         1e6 * f.worst, 1e6 * FLIGHT_LIMIT, "um");
    rp_release(f.start, bytes);
    return code;
}

static rp_code try_lone(rp_case_context *c, const char *value, bool flies)
{
    char factor[32], what[160];
    snprintf(factor, sizeof factor, "%d", LONE_GRAINS);
    const rp_setting settings[] = {{"detail.factor", factor},
                                   {"detail.contrast", value},
                                   {"detail.keep_apart", "no"}, /* else it would be a ball */
                                   {"bodies.floor.position", "[0, 0, -100]"},
                                   {"domain.open", "[]"},
                                   {"domain.low", "[-200, -200, -200]"},
                                   {"domain.high", "[200, 200, 200]"}};
    rp_scene *scene = NULL;
    rp_detail *detail = NULL;
    rp_detail_options options = {.memory = INFINITY};
    rp_code code = rp_case_scene(c, "scene.yaml", settings, 7, &scene);
    if (code == RP_OK) code = rp_detail_create(scene, &options, &detail, c->report);
    if (code == RP_OK) {
        lone l;
        rp_body_state floor = {.position = {0, 0, -100}, .orientation = {1}};
        lone_make(&l, scene->particles.spacing);
        l.view.bodies = &floor;
        l.view.body_count = 1;
        contrast k = {.radius = 0.5 * scene->particles.spacing};
        code = rp_detail_advance(detail, &l.view, c->report);
        if (code == RP_OK) code = rp_detail_visit(detail, count_inside, &k, c->report);
        /* The box against six half boxes. */
        snprintf(what, sizeof what, "contrast %s: density inside the box over that beside it",
                 value);
        if (code == RP_OK)
            rp_judge_near(c, what, 3 * k.inside / k.outside, atof(value),
                          CONTRAST_LIMIT * atof(value), "");
        if (code == RP_OK && flies) code = fly(c, detail, &l);
    }
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
    return code;
}

/* --- a heap ----------------------------------------------------------------------------------- */

/* Where all grains are, and the cells they are in. */
typedef struct crowd {
    double edge;    /* m */
    uint64_t *keys; /* of the cells, one per grain */
    float *places;  /* x, y, z by id */
    uint8_t *seen;  /* by id */
    size_t count, twice;
    double moved; /* m, the largest displacement since the last evaluation */
} crowd;

static uint64_t cell(float x, double edge)
{
    return (uint64_t)((int64_t)floor(x / edge) + (1 << 20));
}

static rp_code evaluate(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)report;
    crowd *k = user;
    for (uint32_t i = 0; i < chunk->count; i++) {
        size_t id = chunk->first + chunk->local[i];
        float at[3] = {chunk->x[i], chunk->y[i], chunk->z[i]}, *last = k->places + 3 * id;
        double way =
            sqrt(pow(at[0] - last[0], 2) + pow(at[1] - last[1], 2) + pow(at[2] - last[2], 2));
        k->moved = fmax(k->moved, way);
        memcpy(last, at, sizeof at);
        k->twice += k->seen[id];
        k->seen[id] = 1;
        k->keys[k->count++] =
            cell(at[0], k->edge) << 42 | cell(at[1], k->edge) << 21 | cell(at[2], k->edge);
    }
    return RP_OK;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The most grains in one cell. */
static size_t fullest(crowd *k)
{
    size_t most = 0;
    qsort(k->keys, k->count, sizeof *k->keys, by_value);
    for (size_t i = 0, first = 0; i <= k->count; i++)
        if (i == k->count || k->keys[i] != k->keys[first]) {
            most = i - first > most ? i - first : most;
            first = i;
        }
    return most;
}

static rp_code look_at(rp_case_context *c, rp_detail *detail, crowd *k, size_t grains)
{
    k->count = k->twice = 0;
    k->moved = 0;
    memset(k->seen, 0, grains);
    return rp_detail_visit(detail, evaluate, k, c->report);
}

static bool all_asleep(const rp_view *view)
{
    for (size_t i = 0; i < view->count; i++)
        if (!view->asleep[i]) return false;
    return true;
}

/* Runs the world on by a view, and lets the fine grains follow. */
static rp_code follow(rp_case_context *c, const rp_trial *trial, rp_detail *detail, rp_view *view)
{
    double next = rp_world_time(trial->world) + BETWEEN;
    rp_code code = rp_case_run_to(c, trial->world, next, 1);
    rp_world_view(trial->world, view);
    return code == RP_OK ? rp_detail_advance(detail, view, c->report) : code;
}

static rp_code settle(rp_case_context *c, const rp_trial *trial, rp_detail *detail)
{
    rp_code code = RP_OK;
    double slept = 0;
    while (slept < ASLEEP && rp_world_time(trial->world) < TIME_MOST && code == RP_OK) {
        rp_view view;
        code = follow(c, trial, detail, &view);
        slept = all_asleep(&view) ? slept + BETWEEN : 0;
    }
    return code;
}

static rp_code follow_for(rp_case_context *c, const rp_trial *trial, rp_detail *detail, double time)
{
    rp_code code = RP_OK;
    rp_view view;
    for (int i = 0; i < (int)lround(time / BETWEEN) && code == RP_OK; i++)
        code = follow(c, trial, detail, &view);
    return code;
}

static rp_code watch_heap(rp_case_context *c, const rp_trial *trial, rp_detail *detail, crowd *k,
                          size_t grains, bool published)
{
    const char *name = published ? "as published" : "separated";
    char what[160];
    rp_code code = look_at(c, detail, k, grains);
    double start = code == RP_OK ? (double)fullest(k) : 1;
    if (code == RP_OK) code = settle(c, trial, detail);
    double settled = rp_world_time(trial->world);
    if (code == RP_OK) code = look_at(c, detail, k, grains);
    double early = (double)fullest(k);
    if (code == RP_OK) code = follow_for(c, trial, detail, WATCH);
    if (code == RP_OK) code = look_at(c, detail, k, grains);
    RP_TRY(code);
    double ratio = (double)fullest(k) / start, packed = (double)trial->scene->detail.factor;
    rp_case_note(c,
                 "%s: the fullest cell holds %.3g times packed material at the start, %.3g at the "
                 "end: %.3g times its start",
                 name, start / packed, ratio * start / packed, fmax(ratio, early / start));
    snprintf(what, sizeof what, "%s: largest number density over that at the start", name);
    if (!published) rp_judge_at_most(c, what, ratio, CROWD_LIMIT, "");
    rp_case_note(c, "%s: coarse grains slept from %.3g s on", name, settled - ASLEEP);
    snprintf(what, sizeof what, "%s: largest displacement of a grain in %g s of rest", name, WATCH);
    if (published)
        rp_case_note(c, "%s: %.3g mm", what, 1e3 * k->moved);
    else
        rp_judge_at_most(c, what, 1e3 * k->moved, 0, "mm");
    rp_detail_counts counts = rp_detail_count(detail);
    double missing = fabs((double)counts.born - (double)counts.left - (double)k->count);
    snprintf(what, sizeof what, "%s: grains missing, or there twice", name);
    rp_judge_at_most(
        c, what, missing + (double)k->twice + fabs((double)grains - (double)counts.born), 0, "");
    return RP_OK;
}

static rp_code fill_heap(rp_case_context *c, const rp_trial *trial, rp_detail *detail,
                         bool published)
{
    rp_view view;
    rp_world_view(trial->world, &view);
    rp_code code = rp_detail_advance(detail, &view, c->report);
    size_t grains = view.count * (size_t)trial->scene->detail.factor;
    crowd k = {.edge = trial->scene->particles.spacing,
               .keys = rp_allocate(8 * grains),
               .places = rp_allocate_zero(12 * grains),
               .seen = rp_allocate(grains)};
    if (code == RP_OK && !(k.keys && k.places && k.seen))
        code = rp_fail_memory(c->report, 21 * grains, "fine grains");
    if (code == RP_OK) code = watch_heap(c, trial, detail, &k, grains, published);
    rp_release(k.keys, 8 * grains);
    rp_release(k.places, 12 * grains);
    rp_release(k.seen, grains);
    return code;
}

static rp_code try_heap(rp_case_context *c, bool published)
{
    const rp_setting settings[] = {{"detail.keep_apart", published ? "no" : "yes"},
                                   {"particles.spacing", "2.5 cm"},
                                   {"detail.factor", "300"}};
    rp_trial trial;
    rp_threads *threads = NULL;
    rp_detail *detail = NULL;
    rp_case_progress(c, "heap, %s", published ? "as published" : "separated");
    rp_code code = rp_trial_begin(c, "scene.yaml", settings, c->quick ? 3 : 1, &trial);
    if (code == RP_OK) code = rp_threads_create(c->world->threads, &threads, c->report);
    rp_detail_options options = {.threads = threads, .memory = INFINITY};
    if (code == RP_OK) code = rp_detail_create(trial.scene, &options, &detail, c->report);
    if (code == RP_OK) code = fill_heap(c, &trial, detail, published);
    rp_detail_destroy(detail);
    rp_threads_destroy(threads);
    rp_trial_end(&trial);
    return code;
}

static rp_code run(rp_case_context *c)
{
    RP_TRY(try_lone(c, "3", true));
    RP_TRY(try_lone(c, "4", false));
    RP_TRY(try_heap(c, true));
    return try_heap(c, false);
}

const rp_case rp_case_fine_grains = {"fine-grains", "Fine grains start, fly, rest and stay apart",
                                     run};
