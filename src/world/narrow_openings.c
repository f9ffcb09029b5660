/* Openings that are too narrow for sand to flow through. Space around the bodies is a lattice whose
 * places know how far they are from the nearest solid. Sand goes from where it starts straight
 * down, and sideways where a solid below is near; the flow takes up places by the widest way there
 * is to them, from the widest to the narrowest. Where open space is reached only through a narrow
 * place, that is an opening; wedges and slots beside a wider way are none, whatever their width. */
#include "base/report.h"
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

#define OPENING_LEAST 5     /* spacings */
#define PASSABLE 0.6        /* spacings from a solid: nearer no grain gets through at all */
#define WIDEST 3.6          /* spacings from a solid: farther it makes no difference */
#define MARGIN 10           /* spacings of the lattice beyond bodies */
#define PLACES_MOST 2000000 /* of a lattice; finer scenes are not looked at */
#define BEHIND_LEAST 5      /* open places behind an opening that counts */
#define BLOCK 4             /* places along each axis that are often settled by one look */
#define FINER 8             /* places of a close look to one of the first */
#define CLOSE 3             /* places around an opening that are looked at closely */
#define PIPE_MOST 4         /* spacings: wider ones may be places along a wall */
#define OPENINGS_TOLD 3
#define OPENINGS_TRIED 20
#define LEVELS 1024 /* of widths that are told apart */

enum { SIDE_ONE = 1, SIDE_TWO = 2 };

typedef struct lattice {
    const rp_world *world;
    rp_vec3 low; /* m, of the first place */
    double step; /* m */
    size_t n[3], count;
    double spacing;
    float *width; /* m from the nearest solid, up to WIDEST */
    /* Of the flow: the narrowest place on the way to each, or NONE where no sand comes; open places
     * behind each; and a list of those that are as wide, by number + 1.
     * Of a close look: the parent of each place, its own number for the root of a part, or NONE;
     * the places of a root's part; places from the widest to the narrowest. */
    uint32_t *parent, *size, *order;
    uint8_t *marks;
} lattice;

#define NONE UINT32_MAX

static size_t lattice_bytes(size_t count)
{
    return count * (sizeof(float) + 3 * sizeof(uint32_t) + 1);
}

static bool lattice_begin(lattice *l)
{
    l->count = l->n[0] * l->n[1] * l->n[2];
    l->width = l->count ? rp_allocate(lattice_bytes(l->count)) : NULL;
    if (!l->width) return false;
    l->parent = (uint32_t *)(l->width + l->count);
    l->size = l->parent + l->count;
    l->order = l->size + l->count;
    l->marks = (uint8_t *)(l->order + l->count);
    memset(l->parent, 0xff, l->count * sizeof *l->parent);
    memset(l->size, 0, l->count * sizeof *l->size);
    memset(l->marks, 0, l->count);
    return true;
}

static void lattice_end(lattice *l)
{
    rp_release(l->width, l->width ? lattice_bytes(l->count) : 0);
}

static rp_vec3 place_of(const lattice *l, double i, double j, double k)
{
    return rp_v3_madd(l->low, l->step, rp_v3(i, j, k));
}

static double width_at(const lattice *l, rp_vec3 at, double near)
{
    return rp_world_distance_to_solids(l->world, at, RP_SOLID_WALLS | RP_SOLID_FIXED, near);
}

/* The widths of a block of places: all at once where its middle is far from every surface. */
static void measure_block(const lattice *l, const size_t begin[3], const size_t end[3])
{
    double most = WIDEST * l->spacing, reach = 0.87 * BLOCK * l->step;
    rp_vec3 middle = place_of(l, ((double)begin[0] + (double)end[0] - 1) / 2,
                              ((double)begin[1] + (double)end[1] - 1) / 2,
                              ((double)begin[2] + (double)end[2] - 1) / 2);
    double gap = width_at(l, middle, most + reach);
    bool all = gap > most + reach || gap < -reach;
    for (size_t k = begin[2]; k < end[2]; k++)
        for (size_t j = begin[1]; j < end[1]; j++)
            for (size_t i = begin[0]; i < end[0]; i++) {
                double width =
                    all ? gap : width_at(l, place_of(l, (double)i, (double)j, (double)k), most);
                l->width[i + l->n[0] * (j + l->n[1] * k)] = (float)fmin(width, most);
            }
}

static void measure_range(void *context, rp_range range)
{
    const lattice *l = context;
    for (size_t k = range.begin; k < range.end; k += BLOCK)
        for (size_t j = 0; j < l->n[1]; j += BLOCK)
            for (size_t i = 0; i < l->n[0]; i += BLOCK) {
                const size_t from[3] = {i, j, k};
                size_t to[3];
                for (int a = 0; a < 3; a++)
                    to[a] = from[a] + BLOCK < l->n[a] ? from[a] + BLOCK : l->n[a];
                measure_block(l, from, to);
            }
}

static int level_of(const lattice *l, float width)
{
    double most = WIDEST * l->spacing, least = PASSABLE * l->spacing;
    return width >= least ? (int)((most - width) / (most - least) * (LEVELS - 1)) : LEVELS;
}

static rp_vec3 at_place(const lattice *l, size_t place)
{
    return place_of(l, (double)(place % l->n[0]), (double)(place / l->n[0] % l->n[1]),
                    (double)(place / l->n[0] / l->n[1]));
}

/* --- the flow --------------------------------------------------------------------------------- */

typedef struct flow {
    lattice *l;
    size_t stride[3];
    int down;              /* axis along which gravity pulls most, */
    bool up;               /* and whether that is upwards along it */
    uint32_t head[LEVELS]; /* place + 1 of each list of places to go on from */
} flow;

/* The place next to one along an axis, or NONE at the lattice's end. */
static size_t beside(const flow *f, size_t place, int axis, bool higher)
{
    size_t at = place / f->stride[axis] % f->l->n[axis];
    if (higher) return at + 1 < f->l->n[axis] ? place + f->stride[axis] : NONE;
    return at > 0 ? place - f->stride[axis] : NONE;
}

/* Sand comes to a place by a way whose narrowest place is known: nobody comes later by a wider one.
 */
static void reach(flow *f, size_t place, uint32_t narrowest)
{
    lattice *l = f->l;
    if (place == NONE || l->parent[place] != NONE || level_of(l, l->width[place]) == LEVELS) return;
    if (l->width[place] < l->width[narrowest]) narrowest = (uint32_t)place;
    int level = level_of(l, l->width[narrowest]);
    l->parent[place] = narrowest;
    l->order[place] = f->head[level];
    f->head[level] = (uint32_t)place + 1;
}

/* A solid is near, and nearer below. */
static bool is_supported(const flow *f, size_t place, size_t below)
{
    const lattice *l = f->l;
    return l->width[place] < WIDEST * l->spacing && below != NONE &&
           l->width[below] < l->width[place] - 0.2 * l->step;
}

static void flow_on(flow *f, size_t place)
{
    size_t below = beside(f, place, f->down, f->up);
    uint32_t narrowest = f->l->parent[place];
    reach(f, below, narrowest);
    if (!is_supported(f, place, below)) return;
    for (int a = 0; a < 3; a++) {
        if (a == f->down) continue;
        reach(f, beside(f, place, a, false), narrowest);
        reach(f, beside(f, place, a, true), narrowest);
    }
}

/* Sand beyond the lattice falls in at its nearest place. Where it starts it has room, however near
 * that is to a wall. */
static void begin_flow(flow *f, const rp_review *review)
{
    lattice *l = f->l;
    for (int s = 0; s < review->start_count; s++) {
        rp_vec3 from = rp_v3_scale(rp_v3_sub(review->starts[s].point, l->low), 1 / l->step);
        const double at[3] = {from.x, from.y, from.z};
        size_t place = 0;
        for (int a = 0; a < 3; a++)
            place += f->stride[a] * (size_t)fmin(fmax(floor(at[a] + 0.5), 0), (double)l->n[a] - 1);
        if (!(l->width[place] > 0)) continue;
        l->width[place] = (float)(WIDEST * l->spacing);
        reach(f, place, (uint32_t)place);
    }
}

static void let_flow(flow *f)
{
    for (int level = 0; level < LEVELS; level++)
        while (f->head[level]) {
            size_t place = f->head[level] - 1;
            f->head[level] = f->l->order[place];
            flow_on(f, place);
        }
}

/* Counts the open places behind each narrow one. */
static void count_behind(lattice *l)
{
    double open = OPENING_LEAST / 2.0 * l->spacing, narrow = open + 0.87 * l->step;
    for (size_t p = 0; p < l->count; p++)
        if (l->parent[p] != NONE && l->width[p] >= open && l->width[l->parent[p]] < narrow)
            l->size[l->parent[p]]++;
}

/* --- the close look --------------------------------------------------------------------------- */

/* From the widest to the narrowest by counting; gives how many a grain can be at. */
static size_t order_places(lattice *l)
{
    size_t first[LEVELS + 2] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t p = 0; p < l->count; p++) {
            int level = level_of(l, l->width[p]);
            if (level == LEVELS) continue;
            if (pass)
                l->order[first[level]++] = (uint32_t)p;
            else
                first[level + 1]++;
        }
        for (int i = 0; i < LEVELS && !pass; i++)
            first[i + 1] += first[i];
    }
    return first[LEVELS - 1];
}

static uint32_t root_of(const lattice *l, size_t place)
{
    uint32_t at = (uint32_t)place;
    while (l->parent[at] != at)
        at = l->parent[at] = l->parent[l->parent[at]];
    return at;
}

/* Whether both sides have met. */
static bool join(lattice *l, size_t place, size_t other)
{
    if (l->parent[other] == NONE) return false;
    uint32_t one = root_of(l, place), two = root_of(l, other);
    if (l->size[one] < l->size[two]) {
        uint32_t swapped = one;
        one = two;
        two = swapped;
    }
    if (one != two) {
        l->parent[two] = one;
        l->size[one] += l->size[two];
        l->marks[one] |= l->marks[two];
    }
    return l->marks[one] == (SIDE_ONE | SIDE_TWO);
}

/* Takes up places from the widest to the narrowest (union-find) until one joins both sides, and
 * gives that; NONE where none does. */
static size_t join_sides(lattice *l)
{
    const size_t stride[3] = {1, l->n[0], l->n[0] * l->n[1]};
    size_t count = order_places(l);
    for (size_t n = 0; n < count; n++) {
        size_t place = l->order[n];
        l->parent[place] = (uint32_t)place;
        l->size[place] = 1;
        for (int a = 0; a < 3; a++) {
            size_t at = place / stride[a] % l->n[a];
            if (at > 0 && join(l, place, place - stride[a])) return place;
            if (at + 1 < l->n[a] && join(l, place, place + stride[a])) return place;
        }
    }
    return NONE;
}

/* The side of a place: before the opening, or behind it; 0: neither, or not known. */
static uint8_t side_of(const lattice *l, size_t place, size_t opening, double least)
{
    if (l->parent[place] == NONE || place == opening || l->width[place] < least) return 0;
    if (l->parent[place] == opening) return SIDE_TWO;
    return l->width[l->parent[place]] > l->width[opening] ? SIDE_ONE : 0;
}

/* Marks the places of the finer lattice that are those of the first and have so much room; gives
 * the sides that there are. */
static uint8_t mark_sides(const lattice *l, lattice *fine, const size_t first[3], size_t opening,
                          double least)
{
    uint8_t sides = 0;
    memset(fine->marks, 0, fine->count);
    for (size_t p = 0; p < fine->count; p++) {
        size_t at[3] = {p % fine->n[0], p / fine->n[0] % fine->n[1], p / fine->n[0] / fine->n[1]};
        if (at[0] % FINER || at[1] % FINER || at[2] % FINER) continue;
        size_t place = first[0] + at[0] / FINER +
                       l->n[0] * (first[1] + at[1] / FINER + l->n[1] * (first[2] + at[2] / FINER));
        fine->marks[p] = side_of(l, place, opening, least);
        sides |= fine->marks[p];
    }
    return sides;
}

typedef struct close_look {
    double width; /* m, of half the opening; infinite where it is not sure to be one */
    rp_vec3 at;
} close_look;

/* How wide the opening is, to a ninth of a spacing. */
static close_look look_closely(const lattice *l, size_t place)
{
    close_look look = {l->width[place], at_place(l, place)};
    const size_t at[3] = {place % l->n[0], place / l->n[0] % l->n[1], place / l->n[0] / l->n[1]};
    size_t first[3];
    lattice fine = {.world = l->world, .step = l->step / FINER, .spacing = l->spacing};
    for (int a = 0; a < 3; a++) {
        first[a] = at[a] > CLOSE ? at[a] - CLOSE : 0;
        size_t last = at[a] + CLOSE < l->n[a] ? at[a] + CLOSE : l->n[a] - 1;
        fine.n[a] = (last - first[a]) * FINER + 1;
    }
    fine.low = place_of(l, (double)first[0], (double)first[1], (double)first[2]);
    if (!lattice_begin(&fine)) return look;
    rp_parallel_for(l->world->threads, fine.n[2], BLOCK, measure_range, &fine);
    /* From open space to open space; in the middle of a pipe there is none near. */
    double open = OPENING_LEAST / 2.0 * l->spacing;
    bool pipe = mark_sides(l, &fine, first, place, open) != (SIDE_ONE | SIDE_TWO);
    if (pipe) mark_sides(l, &fine, first, place, 0);
    size_t narrowest = join_sides(&fine);
    if (narrowest != NONE) look = (close_look){fine.width[narrowest], at_place(&fine, narrowest)};
    if (narrowest == NONE || (pipe && look.width > PIPE_MOST / 2.0 * l->spacing))
        look.width = INFINITY;
    lattice_end(&fine);
    return look;
}

/* --- all openings ----------------------------------------------------------------------------- */

static int body_beside(const rp_world *world, rp_vec3 at)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    double nearest = INFINITY;
    int body = 0;
    for (int i = 0; i < rp_couple_count(world->couple); i++) {
        if (surfaces[i].body < 0 || surfaces[i].dynamic) continue;
        double gap =
            rp_shape_distance(surfaces[i].shape, rp_pose_to_local(surfaces[i].pose, at), NULL);
        if (gap >= nearest) continue;
        nearest = gap;
        body = surfaces[i].body;
    }
    return body;
}

static void tell_opening(const rp_review *review, const lattice *l, const close_look *look,
                         int body)
{
    double wide =
        2 * look->width + 0.87 * l->step / FINER; /* it is no narrower than the look says */
    char key[160];
    snprintf(key, sizeof key, "bodies.%s", rp_scene_bodies(l->world->scene)[body].name);
    (void)rp_fail_at(
        review->warnings, RP_OK, NULL, key,
        "the opening at [%.4g, %.4g, %.4g] m is about %.2g m wide, %.2g spacings; sand "
        "flows as it should through %d or more: widen it, or make particles.spacing "
        "smaller",
        look->at.x, look->at.y, look->at.z, wide, wide / l->spacing, OPENING_LEAST);
}

/* Those with most behind them first, and one of each body: a slot is many places. */
static void tell_openings(const rp_review *review, lattice *l)
{
    int told[OPENINGS_TOLD], count = 0;
    for (int tried = 0; tried < OPENINGS_TRIED && count < OPENINGS_TOLD; tried++) {
        size_t most = 0;
        for (size_t p = 1; p < l->count; p++)
            if (l->size[p] > l->size[most]) most = p;
        if (l->size[most] < BEHIND_LEAST) return;
        l->size[most] = 0;
        close_look look = look_closely(l, most);
        bool narrow = 2 * (look.width + 0.87 * l->step / FINER) < OPENING_LEAST * l->spacing;
        int body = narrow ? body_beside(l->world, look.at) : 0;
        for (int i = 0; i < count; i++)
            narrow = narrow && told[i] != body;
        if (!narrow) continue;
        tell_opening(review, l, &look, body);
        told[count++] = body;
    }
}

/* The box around all bodies that stay or are moved, cut off at the domain; false where there is
 * none. */
static bool box_of_bodies(const rp_world *world, rp_box3 *box)
{
    const rp_surface *surfaces = rp_couple_surfaces(world->couple);
    const rp_domain_spec *domain = &world->scene->domain;
    double margin = MARGIN * world->scene->particles.spacing;
    *box = (rp_box3){rp_v3(INFINITY, INFINITY, INFINITY), rp_v3(-INFINITY, -INFINITY, -INFINITY)};
    for (int i = 0; i < rp_couple_count(world->couple); i++) {
        const rp_surface *s = &surfaces[i];
        if (s->body < 0 || s->dynamic || s->shape->kind == RP_SHAPE_PLANE) continue;
        rp_box3 own = rp_clearance_surface_bounds(s);
        box->low = rp_v3_min(box->low, own.low);
        box->high = rp_v3_max(box->high, own.high);
    }
    rp_vec3 more = rp_v3(margin, margin, margin);
    box->low = rp_v3_max(rp_v3_sub(box->low, more), domain->low);
    box->high = rp_v3_min(rp_v3_add(box->high, more), domain->high);
    return box->low.x < box->high.x && box->low.y < box->high.y && box->low.z < box->high.z;
}

static flow flow_in(lattice *l, rp_vec3 gravity)
{
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    flow f = {.l = l, .stride = {1, l->n[0], l->n[0] * l->n[1]}};
    for (int a = 1; a < 3; a++)
        if (fabs(g[a]) > fabs(g[f.down])) f.down = a;
    f.up = g[f.down] > 0;
    return f;
}

void rp_review_openings(rp_review *review)
{
    const rp_world *world = review->world;
    double spacing = world->scene->particles.spacing;
    rp_box3 box;
    /* Single grains that are as large as they really are jam as they really do. */
    if (rp_world_resolves_grains(world->scene) || !review->start_count) return;
    rp_vec3 gravity = rp_scene_gravity(world->scene, 0);
    if (!(rp_v3_length(gravity) > 0)) return;
    if (!box_of_bodies(world, &box)) return;
    rp_vec3 size = rp_v3_sub(box.high, box.low);
    double places = size.x * size.y * size.z / (spacing * spacing * spacing);
    if (!(places <= PLACES_MOST)) return;
    lattice l = {.world = world, .low = box.low, .step = spacing, .spacing = spacing};
    const double sizes[3] = {size.x, size.y, size.z};
    for (int a = 0; a < 3; a++)
        l.n[a] = (size_t)floor(sizes[a] / spacing) + 1;
    if (!lattice_begin(&l)) return; /* a warning less */
    rp_parallel_for(world->threads, l.n[2], BLOCK, measure_range, &l);
    flow f = flow_in(&l, gravity);
    begin_flow(&f, review);
    let_flow(&f);
    count_behind(&l);
    tell_openings(review, &l);
    lattice_end(&l);
}
