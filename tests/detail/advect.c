/* Carrying against a slow twin in double precision, straight from the paper (section 4.2, equations
 * 23 to 26), every coarse grain for every fine one. What differs from the paper by design: a coarse
 * grain's velocity is its displacement in the step over the length of the step; free flight is the
 * exact parabola; coarse grains follow at a small distance (D7) and glide between views (D8). */
#include "detail/grains.h"

#define SPACING 0.05
#define GRAVITY (-9.81)
#define STEP 0.01 /* s */
#define SLACK (0.02 * SPACING)

#define SCENE                                                                                      \
    "particles: {spacing: 0.05}\nsolver: {method: null}\nseed: 5\n"                                \
    "detail: {factor: 60, step: 10 ms, keep_apart: no}\n"

/* --- the twin --------------------------------------------------------------------------------- */

typedef struct twin_coarse {
    double x[3], v[3]; /* at the start of the step; over it */
} twin_coarse;

typedef struct twin_grain {
    double x[3], v[3];
    bool doubtful; /* so near to a case of alpha that rounding may decide */
} twin_grain;

/* (23) */
static double weight(double distance)
{
    double h = 3 * 0.5 * SPACING;
    return fmax(0, pow(1 - distance * distance / (h * h), 3)) * (distance < h);
}

/* (24), (25), (26) */
static void twin_step(twin_grain *g, const twin_coarse *rows, size_t count, double dt)
{
    double sum = 0, most = 0, average[3] = {0}, gravity[3] = {0, 0, GRAVITY};
    for (size_t j = 0; j < count; j++) {
        double dx = g->x[0] - rows[j].x[0], dy = g->x[1] - rows[j].x[1],
               dz = g->x[2] - rows[j].x[2];
        double w = weight(sqrt(dx * dx + dy * dy + dz * dz));
        sum += w;
        most = fmax(most, w);
        for (int a = 0; a < 3; a++)
            average[a] += w * rows[j].v[a];
    }
    double edge = weight(0.5 * SPACING);
    bool sparse = sum == 0 || most / sum >= 0.6 || most <= edge;
    g->doubtful |= sum > 0 && (fabs(most / sum - 0.6) < 1e-5 || fabs(most - edge) < 1e-5);
    double alpha = sparse ? 1 - most : 0;
    for (int a = 0; a < 3; a++) {
        double carried = sum > 0 ? average[a] / sum : 0, old = g->v[a];
        g->v[a] = (1 - alpha) * carried + alpha * (old + dt * gravity[a]);
        g->x[a] += dt * ((1 - alpha) * carried + alpha * (old + 0.5 * dt * gravity[a]));
    }
}

/* A cubic through both ends with the velocities there, no farther than either end; where all is
 * free flight, as it is. */
static double twin_between(double from, double to, double v0, double v1, double interval,
                           double gravity, double s)
{
    double shift = to - from, a = v0 * interval, b = v1 * interval;
    double change = v1 - v0, fall = gravity * interval;
    if (fabs(change - fall) > 0.02 * (fabs(change) + fabs(fall)) ||
        fabs(shift - 0.5 * (a + b)) > 0.02 * (fabs(a) + fabs(b))) {
        a = a * shift <= 0 ? 0 : fabs(a) > 3 * fabs(shift) ? 3 * shift : a;
        b = b * shift <= 0 ? 0 : fabs(b) > 3 * fabs(shift) ? 3 * shift : b;
    }
    double h10 = s * (1 - s) * (1 - s), h01 = s * s * (3 - 2 * s), h11 = s * s * (s - 1);
    return from + h10 * a + h01 * shift + h11 * b;
}

/* Where a coarse grain of either view is at a share of the interval; -1: not in that view. */
static double twin_place(const coarse *last, int i, const coarse *next, int j,
                         const double *settled, int axis, double interval, double s)
{
    const float *x0 = axis == 0 ? last->x : axis == 1 ? last->y : last->z;
    const float *v0 = axis == 0 ? last->vx : axis == 1 ? last->vy : last->vz;
    const float *x1 = axis == 0 ? next->x : axis == 1 ? next->y : next->z;
    const float *v1 = axis == 0 ? next->vx : axis == 1 ? next->vy : next->vz;
    if (j < 0) return x0[i] + s * interval * v0[i];
    if (i < 0) return x1[j] - (1 - s) * interval * v1[j];
    if (settled[axis] == x0[i]) return x0[i];
    return twin_between(x0[i], settled[axis], v0[i], v1[j], interval, axis == 2 ? GRAVITY : 0, s);
}

/* (D7): at a small distance behind. */
static void settle(const coarse *last, int i, const coarse *next, int j, double settled[3])
{
    const float from[3] = {last->x[i], last->y[i], last->z[i]};
    const float to[3] = {next->x[j], next->y[j], next->z[j]};
    double square = 0;
    for (int a = 0; a < 3; a++)
        square += ((double)to[a] - from[a]) * ((double)to[a] - from[a]);
    double length = sqrt(square), share = length > SLACK ? 1 - SLACK / length : 0;
    for (int a = 0; a < 3; a++)
        settled[a] = (float)(from[a] + share * ((double)to[a] - from[a]));
}

static int find(const coarse *c, uint32_t id)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->id[i] == id) return (int)i;
    return -1;
}

static void set_coarse(twin_coarse *row, const coarse *last, int i, const coarse *next, int j,
                       double start, double end)
{
    double interval = next->time - last->time, settled[3] = {0};
    if (i >= 0 && j >= 0) settle(last, i, next, j, settled);
    for (int a = 0; a < 3; a++) {
        double from = twin_place(last, i, next, j, settled, a, interval, start);
        double to = twin_place(last, i, next, j, settled, a, interval, end);
        row->x[a] = from;
        row->v[a] = (to - from) / (interval * (end - start));
    }
}

static size_t twin_coarse_rows(const coarse *last, const coarse *next, double start, double end,
                               twin_coarse *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < last->count; i++)
        set_coarse(&rows[count++], last, (int)i, next, find(next, last->id[i]), start, end);
    for (size_t j = 0; j < next->count; j++)
        if (find(last, next->id[j]) < 0)
            set_coarse(&rows[count++], last, -1, next, (int)j, start, end);
    return count;
}

/* --- the comparison --------------------------------------------------------------------------- */

/* A cloud that is dense in its middle and thin outside, with velocities of all directions. */
static void random_cloud(coarse *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double r = 0.02 + 0.5 * pow(0.5 + 0.5 * random_side(1, i, 3), 1.5);
        size_t k = coarse_add(c, r * random_side(1, i, 0), r * random_side(1, i, 1) - 0.3,
                              r * random_side(1, i, 2) + 0.2);
        c->vx[k] = (float)(2 * random_side(2, i, 0));
        c->vy[k] = (float)(2 * random_side(2, i, 1));
        c->vz[k] = (float)(2 * random_side(2, i, 2));
    }
}

/* The next view: each has moved about as its velocity says, some in free flight, some only tremble;
 * every 40th is gone, and as many are new. */
static void move_cloud(const coarse *last, coarse *next, double interval)
{
    next->time = last->time + interval;
    for (size_t i = 0; i < last->count; i++) {
        if (i % 40 == 39) continue;
        bool flight = i % 5 == 1, trembles = i % 5 == 2;
        double shift = trembles ? 0.01 * SPACING / (interval * 2) : 1, g = flight ? GRAVITY : 0;
        size_t k = coarse_add(next, last->x[i] + shift * interval * last->vx[i],
                              last->y[i] + shift * interval * last->vy[i],
                              last->z[i] + shift * interval * (last->vz[i] + 0.5 * g * interval));
        next->id[k] = last->id[i];
        double kick = flight || trembles ? 0 : 1;
        next->vx[k] = (float)(last->vx[i] + kick * random_side(3, i, 0));
        next->vy[k] = (float)(last->vy[i] + kick * random_side(3, i, 1));
        next->vz[k] = (float)(last->vz[i] + kick * random_side(3, i, 2) + g * interval);
    }
    for (uint32_t n = 0; n < last->count / 40; n++) {
        size_t k = coarse_add(next, 0.2 * random_side(4, n, 0), 0.2 * random_side(4, n, 1) - 0.3,
                              0.2 * random_side(4, n, 2) + 0.2);
        next->id[k] = 100000 + n;
        next->vx[k] = 1;
    }
}

static void check_near_twin(const grain *g, const twin_grain *t, size_t id)
{
    const float x[3] = {g->x, g->y, g->z}, v[3] = {g->vx, g->vy, g->vz};
    for (int a = 0; a < 3; a++) /* a few roundings of numbers of about 1 */
        if (!(fabs(x[a] - t->x[a]) <= 5e-7) || !(fabs(v[a] - t->v[a]) <= 1e-5))
            fail_msg("grain %zu, axis %d: %.9g m, %.9g m/s; the twin has %.9g and %.9g", id, a,
                     (double)x[a], (double)v[a], t->x[a], t->v[a]);
}

static void check_twin(int steps)
{
    const size_t count = 600;
    rp_scene *scene = scene_of(SCENE);
    rp_detail *detail = detail_of(scene, NULL);
    coarse last = coarse_begin(scene, count), next = coarse_begin(scene, 2 * count);
    random_cloud(&last, count);
    move_cloud(&last, &next, steps * STEP);
    detail_to_coarse(detail, &last);
    grains before = grains_of(detail);
    twin_grain *twins = calloc(before.born, sizeof *twins);
    for (size_t i = 0; i < before.born; i++) {
        const grain *g = &before.of[i];
        twins[i] = (twin_grain){.x = {g->x, g->y, g->z}, .v = {g->vx, g->vy, g->vz}};
    }
    twin_coarse *rows = malloc(2 * count * sizeof *rows);
    for (int s = 0; s < steps; s++) {
        size_t n = twin_coarse_rows(&last, &next, (double)s / steps, (double)(s + 1) / steps, rows);
        for (size_t i = 0; i < before.born; i++)
            twin_step(&twins[i], rows, n, STEP);
    }
    detail_to_coarse(detail, &next);
    assert_int_equal(rp_detail_count(detail).steps, steps);
    grains after = grains_of(detail);
    size_t doubtful = 0;
    for (size_t i = 0; i < before.born; i++) {
        doubtful += twins[i].doubtful;
        if (!twins[i].doubtful) check_near_twin(&after.of[i], &twins[i], i);
    }
    assert_true(doubtful < before.born / 500);
    assert_int_equal(after.born, before.born + 60 * (count / 40)); /* the new ones are filled */
    free(rows);
    free(twins);
    grains_end(&before);
    grains_end(&after);
    coarse_end(&last);
    coarse_end(&next);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void a_step_is_that_of_the_twin(void **state)
{
    (void)state;
    check_twin(1);
}

static void steps_between_views_are_those_of_the_twin(void **state)
{
    (void)state;
    check_twin(3);
}

/* --- flight ----------------------------------------------------------------------------------- */

/* Without any coarse grains left, over a second. Each of 100 steps rounds positions of up to 8 m
 * and velocities of up to 16 m/s once. */
static void check_flight(const char *text)
{
    rp_scene *scene = scene_of(text);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 200);
    random_cloud(&c, 200);
    detail_to_coarse(detail, &c);
    c.count = 0;
    c.time = 0.02; /* where they went on straight */
    detail_to_coarse(detail, &c);
    grains start = grains_of(detail);
    for (int frame = 1; frame <= 40; frame++) {
        c.time = 0.02 + frame * 0.025;
        detail_to_coarse(detail, &c);
        if (frame % 20 != 0) continue;
        double t = frame * 0.025, steps = t / STEP + 20;
        double limit_v = steps * 16 * 0x1p-24, limit_x = steps * 8 * 0x1p-24 + t * limit_v;
        grains now = grains_of(detail);
        for (size_t i = 0; i < start.born; i++) {
            const grain *a = &start.of[i], *b = &now.of[i];
            check_near(b->x, a->x + t * a->vx, limit_x);
            check_near(b->y, a->y + t * a->vy, limit_x);
            check_near(b->z, a->z + t * (a->vz + 0.5 * GRAVITY * t), limit_x);
            check_near(b->vz, a->vz + GRAVITY * t, limit_v);
            assert_true(b->vx == a->vx && b->vy == a->vy);
        }
        grains_end(&now);
    }
    grains_end(&start);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void free_grains_fly_on_parabolas(void **state)
{
    (void)state;
    check_flight(SCENE);
    check_flight("particles: {spacing: 0.05}\nsolver: {method: null}\ndetail: {factor: 60}\n");
}

/* Whether a grain is well within the radius of a coarse grain of the block that has others on all
 * sides: then alpha is 0. */
static bool is_carried(const grain *g)
{
    const double at[3] = {g->x / SPACING, g->y / SPACING, g->z / SPACING};
    double square = 0;
    for (int a = 0; a < 3; a++) {
        if (at[a] < 0.2 || at[a] > 2.8) return false;
        square += (at[a] - rint(at[a])) * (at[a] - rint(at[a]));
    }
    return square < 0.4 * 0.4;
}

/* A block in free flight, seen every 40 ms, keeps its grains where they are in it. Between the
 * coarse grains they are carried; around them they get a part of their velocity at the middle of
 * each step instead of its end, and may lag by that. */
static void what_flies_together_stays_together(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(SCENE);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 64);
    coarse_add_block(&c, 0, 0, 0, 4, 4, 4, SPACING);
    for (size_t i = 0; i < c.count; i++) {
        c.vx[i] = 1;
        c.vz[i] = 3;
    }
    grains start = {0};
    for (int frame = 0; frame <= 20; frame++) {
        double t = c.time = 0.04 * frame;
        for (size_t i = 0; i < c.count; i++) {
            c.x[i] = (float)(SPACING * (double)(i % 4) + t);
            c.z[i] = (float)(SPACING * (double)(i / 16) + t * (3 + 0.5 * GRAVITY * t));
            c.vz[i] = (float)(3 + GRAVITY * t);
        }
        detail_to_coarse(detail, &c);
        if (frame == 0) start = grains_of(detail);
    }
    grains end = grains_of(detail);
    double t = c.time;
    for (size_t i = 0; i < start.born; i++) {
        const grain *a = &start.of[i], *b = &end.of[i];
        double dx = b->x - (a->x + t), dy = b->y - (double)a->y,
               dz = b->z - (a->z + t * (3 + 0.5 * GRAVITY * t));
        double limit = 2 * SLACK + (is_carried(a) ? 0 : 0.5 * STEP * -GRAVITY * t);
        check_near(sqrt(dx * dx + dy * dy + dz * dz), 0, limit);
    }
    grains_end(&start);
    grains_end(&end);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

/* The longest and the shortest half axis of all grains near a coarse one, as deviations along x, y
 * and z; gives how many they are. */
static size_t axes_of(const grains *g, const coarse *c, size_t index, double *most, double *least)
{
    size_t count = 0;
    double squares[3] = {0, 0, 0};
    for (size_t i = 0; i < g->born; i++) {
        const double shift[3] = {g->of[i].x - (double)c->x[index], g->of[i].y - (double)c->y[index],
                                 g->of[i].z - (double)c->z[index]};
        double square = shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2];
        if (square > 4 * SPACING * SPACING) continue;
        count++;
        for (int a = 0; a < 3; a++)
            squares[a] += shift[a] * shift[a];
    }
    *most = sqrt(fmax(squares[0], fmax(squares[1], squares[2])) / (double)count);
    *least = sqrt(fmin(squares[0], fmin(squares[1], squares[2])) / (double)count);
    return count;
}

/* Four in a row are thrown apart: each takes the grains along that follow it, as a round cloud. */
static void isolated_coarse_grains_have_round_clouds(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 0.05}\nsolver: {method: null}\n"
                               "detail: {factor: 400, step: 10 ms}\n");
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 4);
    coarse_add_block(&c, 0, 0, 0, 1, 1, 4, SPACING);
    for (int frame = 0; frame <= 20; frame++) {
        double t = c.time = 0.025 * frame;
        for (size_t i = 0; i < c.count; i++) {
            double speed = 2 + 0.8 * (double)i;
            c.z[i] = (float)(SPACING * (double)i + t * (speed + 0.5 * GRAVITY * t));
            c.vz[i] = (float)(speed + GRAVITY * t);
        }
        detail_to_coarse(detail, &c);
    }
    grains g = grains_of(detail);
    for (size_t i = 0; i < c.count; i++) {
        double most, least;
        assert_true(axes_of(&g, &c, i, &most, &least) > 100);
        assert_true(most < 1.25 * least);
        check_near(most, 0.62 * SPACING / sqrt(5), 0.1 * SPACING); /* of an even ball */
    }
    grains_end(&g);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

/* --- rest ------------------------------------------------------------------------------------- */

/* Coarse grains that are the same in every view, but for a tremble. */
static void tremble(coarse *c, int frame)
{
    c->time = frame / 25.0;
    for (size_t i = 0; i < c->count; i++)
        c->x[i] += (float)((frame % 2 ? 0.005 : -0.005) * SPACING);
}

/* A bed in a box: all find their places soon, and stay there to the bit. */
static void check_bed(const char *apart)
{
    char text[512];
    snprintf(text, sizeof text,
             "particles: {spacing: 0.05}\nsolver: {method: null}\n"
             "domain: {low: [0, 0, 0], high: [0.3, 0.3, 2]}\n"
             "bodies: {stone: {shape: sphere, radius: 0.06, position: [0.15, 0.15, 0.02]}}\n"
             "detail: {factor: 50, keep_apart: %s}\n",
             apart);
    rp_scene *scene = scene_of(text);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 200);
    coarse_add_block(&c, 0.025, 0.025, 0.025, 6, 6, 4, SPACING);
    grains last = {0};
    for (int frame = 0; frame < 200; frame++) {
        tremble(&c, frame);
        detail_to_coarse(detail, &c);
        grains now = grains_of(detail);
        grains_outside(&now, scene, c.bodies);
        if (frame > 150) grains_same(&last, &now);
        grains_end(&last);
        last = now;
    }
    for (size_t i = 0; i < last.born; i++) {
        const grain *g = &last.of[i];
        assert_true(g->vx == 0 && g->vy == 0 && g->vz == 0);
        assert_true(g->x > 0 && g->y > 0 && g->z > 0 && g->x < 0.3f && g->y < 0.3f);
    }
    grains_end(&last);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void a_bed_comes_to_rest_to_the_bit(void **state)
{
    (void)state;
    check_bed("yes");
    check_bed("no");
}

static bool same_grain(const grain *a, const grain *b)
{
    return memcmp(&a->x, &b->x, 6 * sizeof a->x) == 0;
}

/* At the edges of a heap grains creep down for long; but who stood still once does so for ever. */
static void who_rests_on_a_heap_stays_there(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 0.05}\nsolver: {method: null}\n"
                               "bodies: {floor: {shape: plane}}\n"
                               "detail: {factor: 50, keep_apart: no}\n");
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 1000);
    for (int k = 0; k < 4; k++)
        coarse_add_block(&c, 0.05 * k, 0.05 * k, 0.025 + 0.05 * k, 8 - 2 * k, 8 - 2 * k, 1,
                         SPACING);
    grains last = {0};
    size_t moving = 0;
    for (int frame = 0; frame < 100; frame++) {
        tremble(&c, frame);
        detail_to_coarse(detail, &c);
        grains now = grains_of(detail);
        moving = 0;
        for (size_t i = 0; i < last.born; i++) {
            now.of[i].material = same_grain(&last.of[i], &now.of[i]); /* a mark: it rested */
            if (last.of[i].material == 1 && !now.of[i].material)
                fail_msg("grain %zu moves again at frame %d", i, frame);
            moving += !now.of[i].material;
        }
        grains_end(&last);
        last = now;
    }
    assert_true(moving < last.born / 20);
    grains_end(&last);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_that_of_the_twin),
        cmocka_unit_test(steps_between_views_are_those_of_the_twin),
        cmocka_unit_test(free_grains_fly_on_parabolas),
        cmocka_unit_test(what_flies_together_stays_together),
        cmocka_unit_test(isolated_coarse_grains_have_round_clouds),
        cmocka_unit_test(a_bed_comes_to_rest_to_the_bit),
        cmocka_unit_test(who_rests_on_a_heap_stays_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
