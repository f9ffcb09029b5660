/* Advection: one step of all fine grains, (D4) to (D6) and (D10) to (D13). M. Ihmsen, A. Wahl,
 * M. Teschner, "A Lagrangian framework for simulating granular material with high detail",
 * Computers & Graphics 37 (2013), equations (23) to (26).
 *
 * Grains of a chunk lie along a Morton curve. Up to 32 neighbors on the curve that share a search
 * cell form a packet: they evaluate one list of coarse grains, eight fine grains at a time. The
 * steps of a packet are those of advect_packet, in the order of the theory page. */
#include "detail/inside.h"

#include <string.h>

/* A chunk is sorted again when its step costs this many times as much as after the last sort. The
 * order of grains changes no result. */
#define SORT_FROM 1.15
/* The fixed cost of a packet, in pairs of fine and coarse grains. */
#define PACKET_PAIRS 800
/* Grains fly where a single coarse grain has more than this share of the weights; the paper's
 * value (D5). */
#define SINGLE_SHARE 0.6f
/* The sum of weights where packed material ends: half of 64 pi / 315 h^3 / d0^3 for h = 1.5 d0.
 * Gaps between coarse grains inside of packed material have more. */
#define OUTSIDE_WEIGHT 1.077f
/* Volume fraction of packed material, which supports grains above it (D10). */
#define PACKED 1.0f
/* Coarse grains are at rest below this speed, in spacings a second (D10). */
#define REST_SPEED 0.1
/* A fine grain follows a single coarse grain when that has this share of the weights (D13). */
#define FOLLOWER_SHARE 0.98f
/* The time in which the cloud of an isolated coarse grain becomes round, s (D13). */
#define ROUNDING_TIME 0.1
/* The longest push out of a crowded cell, relative to the displacement of the grain (D11). */
#define PUSH_MOST 0.5f

/* --- weights and velocities (D4) to (D6) ---------------------------------------------------------
 */

/* Adds coarse grains to the sums of (D4), for eight fine grains at a time; `begins`: the sums start
 * at zero. `inverse` is 1 / h^2, 1/m2. Every fine grain adds coarse grains in the order of their
 * cells, so that the sums do not depend on which packet it is in. */
RP_WIDE_KERNEL
static void add_coarse_grains(const rp_coarse_row *rows, const uint32_t *index, size_t count,
                              const rp_chunk *chunk, float inverse, bool begins,
                              rp_detail_packet *p)
{
    RP_ASSERT(p->count > 0 && p->count <= RP_DETAIL_PACKET);
    RP_ASSERT(p->begin + (size_t)p->count <= chunk->count);
    for (int first = 0; first < p->count; first += RP_WIDE) {
        /* Lanes after the last grain read padding; their results are never used. */
        size_t at = p->begin + (size_t)first;
        rp_wide x = rp_wide_load(chunk->x + at), y = rp_wide_load(chunk->y + at),
                z = rp_wide_load(chunk->z + at), zero = rp_wide_broadcast(0);
        rp_wide sum = zero, largest = zero, ux = zero, uy = zero, uz = zero;
        if (!begins) {
            sum = rp_wide_load(p->sum + first), largest = rp_wide_load(p->largest + first);
            ux = rp_wide_load(p->ux + first), uy = rp_wide_load(p->uy + first);
            uz = rp_wide_load(p->uz + first);
        }
        for (size_t k = 0; k < count; k++) {
            const rp_coarse_row *row = &rows[index[k]];
            /* w = max(0, 1 - s^2 / h^2)^3: no branch, coarse grains out of reach add zero. */
            rp_wide dx = x - row->x, dy = y - row->y, dz = z - row->z;
            rp_wide q = 1 - (dx * dx + dy * dy + dz * dz) * inverse;
            q = rp_wide_max(q, zero);
            rp_wide w = q * q * q;
            sum += w;
            largest = rp_wide_max(largest, w);
            ux += w * row->vx;
            uy += w * row->vy;
            uz += w * row->vz;
        }
        rp_wide_store(p->sum + first, sum);
        rp_wide_store(p->largest + first, largest);
        rp_wide_store(p->ux + first, ux);
        rp_wide_store(p->uy + first, uy);
        rp_wide_store(p->uz + first, uz);
    }
}

/* Returns the weight of a coarse grain at a distance, m: the scalar form of (D4). */
static float weight(const rp_detail *detail, double distance)
{
    double q = distance / detail->support, rest = q < 1 ? 1 - q * q : 0;
    return (float)(rest * rest * rest);
}

/* Computes the share of free flight alpha (D5). A grain flies where a single coarse grain has most
 * of the weight, and outside of the material: farther than r from every coarse grain (largest
 * weight at most `edge`) with a sum of weights of at most `outside`, which is infinite as
 * published. */
RP_WIDE_KERNEL
static void compute_flight_share(rp_detail_packet *p, float edge, float outside)
{
    RP_ASSERT(p->count > 0 && p->count <= RP_DETAIL_PACKET);
    for (int i = 0; i < p->count; i += RP_WIDE) {
        rp_wide sum = rp_wide_load(p->sum + i), largest = rp_wide_load(p->largest + i);
        rp_wide_int flies =
            (largest >= SINGLE_SHARE * sum) | ((largest <= edge) & (sum <= outside));
        rp_wide_store(p->alpha + i, rp_wide_select(flies, 1 - largest, rp_wide_broadcast(0)));
    }
}

/* The length of the step and the velocity that gravity adds in it, the same for all grains. */
typedef struct gravity_step {
    float dt, x, y, z; /* s; m/s */
} gravity_step;

/* Blends advection and free flight (D6), along one axis for eight grains: the new velocity, and the
 * new position with half of gravity's part, so that free flight follows the exact parabola. */
RP_WIDE_INLINE void blend(const rp_detail_packet *p, int i, const float *sums, const float *v,
                          float pulled, float dt, float *velocity, float *end, const float *start)
{
    rp_wide sum = rp_wide_load(p->sum + i), alpha = rp_wide_load(p->alpha + i);
    /* Without any coarse grain in reach the sums are zero, and alpha is 1. */
    rp_wide carried = rp_wide_load(sums + i) / rp_wide_max(sum, rp_wide_broadcast(1e-30f));
    rp_wide old = rp_wide_load(v);
    rp_wide held = (1 - alpha) * carried;
    rp_wide_store(velocity + i, held + alpha * (old + pulled));
    rp_wide_store(end + i, rp_wide_load(start) + dt * (held + alpha * (old + 0.5f * pulled)));
}

RP_WIDE_KERNEL
static void blend_packet(rp_detail_packet *p, const rp_chunk *c, const gravity_step *g)
{
    RP_ASSERT(p->begin + (size_t)p->count <= c->count);
    for (int i = 0; i < p->count; i += RP_WIDE) {
        size_t at = p->begin + (size_t)i;
        blend(p, i, p->ux, c->vx + at, g->x, g->dt, p->vx, p->x, c->x + at);
        blend(p, i, p->uy, c->vy + at, g->y, g->dt, p->vy, p->y, c->y + at);
        blend(p, i, p->uz, c->vz + at, g->z, g->dt, p->vz, p->z, c->z + at);
    }
}

/* --- bounding boxes ------------------------------------------------------------------------------
 */

/* Finds the range of values, eight at a time; missing lanes repeat the first value. */
RP_WIDE_INLINE void bound(const float *x, size_t count, float *low, float *high)
{
    rp_wide lows = rp_wide_broadcast(x[0]), highs = lows;
    size_t i = 0;
    for (; i + RP_WIDE <= count; i += RP_WIDE) {
        rp_wide v = rp_wide_load(x + i);
        lows = rp_wide_min(lows, v);
        highs = rp_wide_max(highs, v);
    }
    if (i < count) {
        rp_wide v = rp_wide_load_some(x + i, (int)(count - i), x[0]);
        lows = rp_wide_min(lows, v);
        highs = rp_wide_max(highs, v);
    }
    *low = -rp_wide_largest(-lows);
    *high = rp_wide_largest(highs);
}

RP_WIDE_KERNEL
static void bounding_box(const rp_chunk *chunk, size_t begin, size_t count,
                         rp_point_search_box *box)
{
    RP_ASSERT(count > 0 && begin + count <= chunk->count);
    bound(chunk->x + begin, count, &box->low[0], &box->high[0]);
    bound(chunk->y + begin, count, &box->low[1], &box->high[1]);
    bound(chunk->z + begin, count, &box->low[2], &box->high[2]);
}

/* Returns the centre of a box, m; `*half` is half of its diagonal, m. */
static rp_vec3 box_middle(const rp_point_search_box *box, double *half)
{
    rp_vec3 low = {box->low[0], box->low[1], box->low[2]};
    rp_vec3 high = {box->high[0], box->high[1], box->high[2]};
    *half = 0.5 * rp_v3_length(rp_v3_sub(high, low));
    return rp_v3_scale(rp_v3_add(low, high), 0.5);
}

/* --- surfaces, support and pushes ----------------------------------------------------------------
 */

/* Adds surfaces to the sums, as published: a surface counts as an even layer of coarse grains that
 * move with it (D4a). */
static void add_surfaces(const rp_detail *detail, const rp_chunk *chunk,
                         const rp_surface_list *near, rp_detail_packet *p)
{
    double support = detail->support, spacing = detail->scene->particles.spacing;
    double layer = 0.25 * RP_PI * support * support / (spacing * spacing);
    for (int n = 0; n < near->count; n++) {
        const rp_surface *surface = &detail->field.surfaces[near->index[n]];
        for (int i = 0; i < p->count; i++) {
            size_t at = p->begin + (size_t)i;
            rp_vec3 point = {chunk->x[at], chunk->y[at], chunk->z[at]};
            rp_touch touch;
            if (!rp_surface_touch(surface, point, support, &touch)) continue;
            /* The weight of the nearest point of the layer, and the integral over all of it. */
            double q = fmax(touch.distance, 0) / support, rest = 1 - q * q;
            float w = weight(detail, fmax(touch.distance, 0));
            float all = (float)(layer * rest * rest * rest * rest);
            p->largest[i] = w > p->largest[i] ? w : p->largest[i];
            p->sum[i] += all;
            p->ux[i] += all * (float)touch.velocity.x;
            p->uy[i] += all * (float)touch.velocity.y;
            p->uz[i] += all * (float)touch.velocity.z;
        }
    }
}

/* Collides each grain of the packet with the surfaces near it (D12). */
static void collide_packet(const rp_detail *detail, const rp_chunk *chunk,
                           const rp_surface_list *near, rp_detail_packet *p)
{
    for (int i = 0; i < p->count; i++) {
        size_t at = p->begin + (size_t)i;
        rp_detail_motion motion = {.start = {chunk->x[at], chunk->y[at], chunk->z[at]},
                                   .end = {p->x[i], p->y[i], p->z[i]},
                                   .velocity = {p->vx[i], p->vy[i], p->vz[i]},
                                   .material = chunk->material};
        if (!rp_detail_collide(detail, near, &motion)) continue;
        p->x[i] = (float)motion.end.x;
        p->y[i] = (float)motion.end.y;
        p->z[i] = (float)motion.end.z;
        p->vx[i] = (float)motion.velocity.x;
        p->vy[i] = (float)motion.velocity.y;
        p->vz[i] = (float)motion.velocity.z;
    }
}

/* Applies support by packed material (D10): a grain above a packed place does not fly; among coarse
 * grains at rest the others fall freely, so that they come to rest soon, too. */
static void apply_support(const rp_detail *detail, const rp_fraction_patch *patch,
                          const rp_chunk *chunk, rp_detail_packet *p)
{
    rp_vec3 down = rp_v3_scale(rp_v3_normalized(detail->field.gravity), 0.5 * detail->cell);
    const float below[3] = {(float)down.x, (float)down.y, (float)down.z};
    float slow = (float)(REST_SPEED * detail->scene->particles.spacing);
    for (int i = 0; i < p->count; i++) {
        if (!(p->alpha[i] > 0 && p->sum[i] > 0)) continue;
        size_t at = p->begin + (size_t)i;
        const float probe[3] = {chunk->x[at] + below[0], chunk->y[at] + below[1],
                                chunk->z[at] + below[2]};
        /* A block without any packed cell needs no interpolation. */
        bool supported =
            patch->highest >= PACKED && rp_fraction_patch_value(patch, probe) >= PACKED;
        float carried = p->ux[i] * p->ux[i] + p->uy[i] * p->uy[i] + p->uz[i] * p->uz[i];
        bool still = carried < slow * slow * p->sum[i] * p->sum[i];
        if (supported || still) p->alpha[i] = supported ? 0 : 1;
    }
}

/* Computes the squared displacements of the packet's grains, m2, without the part of gravity, which
 * also acts on grains that rest on something; 0 for lanes after the last grain. Returns the longest
 * displacement, with gravity, m. */
RP_WIDE_KERNEL
static float squared_displacements(const rp_chunk *chunk, const rp_detail_packet *p,
                                   const gravity_step *g, float *squares)
{
    const float half = 0.5f * g->dt;
    rp_wide largest = rp_wide_broadcast(0);
    for (int i = 0; i < p->count; i += RP_WIDE) {
        size_t at = p->begin + (size_t)i;
        rp_wide dx = rp_wide_load(p->x + i) - rp_wide_load(chunk->x + at);
        rp_wide dy = rp_wide_load(p->y + i) - rp_wide_load(chunk->y + at);
        rp_wide dz = rp_wide_load(p->z + i) - rp_wide_load(chunk->z + at);
        rp_wide path = dx * dx + dy * dy + dz * dz;
        rp_wide fall = half * rp_wide_load(p->alpha + i);
        dx -= fall * g->x, dy -= fall * g->y, dz -= fall * g->z;
        rp_wide square = dx * dx + dy * dy + dz * dz;
        for (int lane = p->count - i; lane < RP_WIDE; lane++)
            square[lane] = path[lane] = 0;
        rp_wide_store(squares + i, square);
        largest = rp_wide_max(largest, path);
    }
    return sqrtf(rp_wide_largest(largest));
}

/* Pushes moving grains out of crowded cells, by a share of their displacement at most: grains at
 * rest are not moved (D11). */
static void push_from_crowded(const rp_fraction_patch *patch, const float *squares,
                              rp_detail_packet *p)
{
    if (!patch->pushes_any) return;
    int32_t cells[RP_DETAIL_PACKET];
    rp_fraction_patch_cells(patch, p->x, p->y, p->z, p->count, cells);
    for (int i = 0; i < p->count; i++) {
        const float *push = patch->push[cells[i]];
        float length = push[0] * push[0] + push[1] * push[1] + push[2] * push[2];
        if (length == 0) continue;
        float limit = PUSH_MOST * PUSH_MOST * squares[i];
        float scale = length > limit ? sqrtf(limit / length) : 1;
        p->x[i] += scale * push[0];
        p->y[i] += scale * push[1];
        p->z[i] += scale * push[2];
    }
}

/* Sums (D4) over all coarse grains near the packet. The search returns them in portions; even where
 * there are none, the first portion clears the sums. */
static void gather(const rp_detail *detail, rp_detail_workspace *workspace, const rp_chunk *chunk,
                   const rp_point_search_box *box)
{
    const rp_coarse_field *field = &detail->field;
    float inverse = (float)(1 / (detail->support * detail->support));
    const uint32_t *index;
    bool begins = true;
    size_t found;
    rp_point_search_begin(field->near, box, workspace->walk);
    while ((found = rp_point_search_next(field->near, workspace->walk, &index)) || begins) {
        add_coarse_grains(field->rows, index, found, chunk, inverse, begins, &workspace->packet);
        workspace->pairs += found * RP_DETAIL_PACKET;
        begins = false;
    }
    workspace->pairs += PACKET_PAIRS;
}

/* --- isolated coarse grains (D13) ----------------------------------------------------------------
 */

bool rp_coarse_grain_is_isolated(const rp_detail *detail, rp_detail_workspace *workspace,
                                 const float at[3])
{
    const rp_coarse_field *field = &detail->field;
    float support = (float)(detail->support * detail->support);
    rp_point_search_box box = {.low = {at[0], at[1], at[2]}, .high = {at[0], at[1], at[2]}};
    rp_point_search_keys(field->near, &at[0], &at[1], &at[2], 1, &box.key);
    const uint32_t *index;
    size_t found;
    int near = 0; /* the coarse grain itself included */
    rp_point_search_begin(field->near, &box, workspace->walk);
    while ((found = rp_point_search_next(field->near, workspace->walk, &index)))
        for (size_t k = 0; k < found; k++) {
            const rp_coarse_row *row = &field->rows[index[k]];
            float x = row->x - at[0], y = row->y - at[1], z = row->z - at[2];
            near += x * x + y * y + z * z < support;
        }
    return near <= 1;
}

/* Marks the grains of the packet that fly with one coarse grain and no other; returns their number.
 */
static int find_followers(const rp_detail_packet *p, bool *follows)
{
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        follows[i] = p->sum[i] > 0 && p->largest[i] >= FOLLOWER_SHARE * p->sum[i] &&
                     p->alpha[i] > 0 && p->alpha[i] < 1;
        count += follows[i];
    }
    return count;
}

/* Finds the coarse grain that carries each follower: the only one within h. */
static void find_carriers(const rp_detail *detail, rp_detail_workspace *workspace,
                          const rp_chunk *chunk, const rp_point_search_box *box,
                          const bool *follows, const rp_coarse_row **carriers)
{
    const rp_detail_packet *p = &workspace->packet;
    float support = (float)(detail->support * detail->support);
    const uint32_t *index;
    size_t found;
    rp_point_search_begin(detail->field.near, box, workspace->walk);
    while ((found = rp_point_search_next(detail->field.near, workspace->walk, &index)))
        for (int i = 0; i < p->count; i++) {
            size_t at = p->begin + (size_t)i;
            for (size_t k = 0; follows[i] && k < found; k++) {
                const rp_coarse_row *row = &detail->field.rows[index[k]];
                float x = row->x - chunk->x[at], y = row->y - chunk->y[at],
                      z = row->z - chunk->z[at];
                if (x * x + y * y + z * z < FOLLOWER_SHARE * support) carriers[i] = row;
            }
        }
}

/* Moves the followers of an isolated coarse grain towards their own positions in its ball, so that
 * material that was torn off as a rod becomes a round cloud (D13). */
static void round_cloud(const rp_detail *detail, rp_detail_workspace *workspace,
                        const rp_chunk *chunk, const rp_point_search_box *box)
{
    rp_detail_packet *p = &workspace->packet;
    bool follows[RP_DETAIL_PACKET], isolated = false;
    const rp_coarse_row *carriers[RP_DETAIL_PACKET] = {NULL}, *known = NULL;
    if (!find_followers(p, follows)) return;
    find_carriers(detail, workspace, chunk, box, follows, carriers);
    float part = (float)fmin(detail->field.dt / ROUNDING_TIME, 1), radius = (float)detail->radius;
    for (int i = 0; i < p->count; i++) {
        const rp_coarse_row *row = carriers[i];
        if (!row) continue;
        const float middle[3] = {row->x, row->y, row->z};
        /* Followers of one coarse grain are neighbors in the packet: ask once. */
        if (row != known) isolated = rp_coarse_grain_is_isolated(detail, workspace, middle);
        known = row;
        if (!isolated) continue;
        size_t at = p->begin + (size_t)i;
        rp_vec3 home =
            rp_seeding_ball((uint64_t)detail->scene->seed, chunk->first + chunk->local[at]);
        p->x[i] += part * (row->x + radius * (float)home.x - chunk->x[at]);
        p->y[i] += part * (row->y + radius * (float)home.y - chunk->y[at]);
        p->z[i] += part * (row->z + radius * (float)home.z - chunk->z[at]);
    }
}

static void write_back(rp_chunk *chunk, const rp_detail_packet *p)
{
    size_t bytes = (size_t)p->count * sizeof(float);
    memcpy(chunk->x + p->begin, p->x, bytes);
    memcpy(chunk->y + p->begin, p->y, bytes);
    memcpy(chunk->z + p->begin, p->z, bytes);
    memcpy(chunk->vx + p->begin, p->vx, bytes);
    memcpy(chunk->vy + p->begin, p->vy, bytes);
    memcpy(chunk->vz + p->begin, p->vz, bytes);
}

/* --- packets, blocks and chunks ------------------------------------------------------------------
 */

static void advect_packet(const rp_detail *detail, rp_detail_workspace *workspace, rp_chunk *chunk,
                          const rp_point_search_box *box)
{
    rp_detail_packet *p = &workspace->packet;
    const rp_coarse_field *field = &detail->field;
    bool apart = detail->spec->keep_apart;
    const rp_fraction_patch *patch = NULL;
    /* 1. Weights and weighted velocities of the coarse grains; as published, of surfaces, too. */
    gather(detail, workspace, chunk, box);
    double half;
    rp_vec3 middle = box_middle(box, &half);
    rp_surface_list *near = &workspace->near_packet;
    if (!apart) {
        rp_detail_surfaces_near(detail, &workspace->near_chunk, middle, half + detail->support,
                                near);
        add_surfaces(detail, chunk, near, p);
    }
    /* 2. Share of free flight; packed material below a grain supports it. */
    compute_flight_share(p, weight(detail, detail->radius), apart ? OUTSIDE_WEIGHT : INFINITY);
    float dt = (float)field->dt, squares[RP_DETAIL_PACKET];
    gravity_step g = {dt, (float)(field->gravity.x * field->dt),
                      (float)(field->gravity.y * field->dt), (float)(field->gravity.z * field->dt)};
    if (apart) {
        patch = rp_fraction_cache_at(&workspace->cache, &detail->fraction, box->low);
        apply_support(detail, patch, chunk, p);
    }
    /* 3. New velocities and positions; clouds of isolated coarse grains become round. */
    blend_packet(p, chunk, &g);
    if (apart) round_cloud(detail, workspace, chunk, box);
    /* 4. Pushes out of crowded cells, then collisions on the whole displacement. */
    float path = squared_displacements(chunk, p, &g, squares) * (1 + PUSH_MOST);
    if (apart) push_from_crowded(patch, squares, p);
    rp_detail_surfaces_near(detail, &workspace->near_chunk, middle, half + path + detail->clearance,
                            near);
    if (near->count) collide_packet(detail, chunk, near, p);
    write_back(chunk, p);
}

static bool exceeds(const rp_point_search_box *box, float edge)
{
    return box->high[0] - box->low[0] > edge || box->high[1] - box->low[1] > edge ||
           box->high[2] - box->low[2] > edge;
}

/* Cuts a block of at most RP_DETAIL_KEY_BLOCK grains into packets and advects them. A packet ends
 * where its search cell does. */
static void advect_block(const rp_detail *detail, rp_detail_workspace *workspace, rp_chunk *chunk,
                         size_t begin, size_t count)
{
    RP_ASSERT(count <= RP_DETAIL_KEY_BLOCK && begin + count <= chunk->count);
    uint64_t *keys = workspace->keys;
    float edge = (float)(1.01 * rp_point_search_edge(detail->support));
    rp_point_search_keys(detail->field.near, chunk->x + begin, chunk->y + begin, chunk->z + begin,
                         count, keys);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && end - i < RP_DETAIL_PACKET && keys[end] == keys[i])
            end++;
        rp_point_search_box box = {.key = keys[i]};
        bounding_box(chunk, begin + i, end - i, &box);
        /* Keys are hashes: cells far from each other may share one. Then grains go one by one. */
        if (exceeds(&box, edge)) {
            end = i + 1;
            bounding_box(chunk, begin + i, 1, &box);
        }
        workspace->packet.begin = begin + i;
        workspace->packet.count = (int)(end - i);
        advect_packet(detail, workspace, chunk, &box);
        i = end;
    }
}

static void move_grain(rp_chunk *chunk, size_t to, size_t from)
{
    chunk->x[to] = chunk->x[from];
    chunk->y[to] = chunk->y[from];
    chunk->z[to] = chunk->z[from];
    chunk->vx[to] = chunk->vx[from];
    chunk->vy[to] = chunk->vy[from];
    chunk->vz[to] = chunk->vz[from];
    chunk->local[to] = chunk->local[from];
}

/* Removes the grains that passed an open side; the others keep their order. */
static void remove_departed(rp_detail *detail, rp_chunk *chunk)
{
    const rp_domain_spec *domain = &detail->scene->domain;
    if (!domain->open) return;
    rp_point_search_box box = {0};
    bounding_box(chunk, 0, chunk->count, &box);
    if (!rp_scene_domain_has_left(domain, box.low) && !rp_scene_domain_has_left(domain, box.high))
        return;
    size_t stored = 0;
    for (size_t i = 0; i < chunk->count; i++) {
        const float at[3] = {chunk->x[i], chunk->y[i], chunk->z[i]};
        if (rp_scene_domain_has_left(domain, at)) continue;
        if (stored != i) move_grain(chunk, stored, i);
        stored++;
    }
    atomic_fetch_add(&detail->left, chunk->count - stored);
    chunk->count = (uint32_t)stored;
}

/* Wraps positions into the period of periodic axes. */
static void wrap(const rp_detail *detail, rp_chunk *chunk)
{
    const rp_domain_spec *domain = &detail->scene->domain;
    float *const axes[3] = {chunk->x, chunk->y, chunk->z};
    for (int a = 0; a < 3; a++)
        for (size_t i = 0; (domain->periodic >> a & 1) && i < chunk->count; i++)
            axes[a][i] = (float)rp_detail_wrap(domain, a, axes[a][i]);
}

/* Returns the highest speed of a chunk's grains, m/s. */
RP_WIDE_KERNEL
static float top_speed(const rp_chunk *c)
{
    rp_wide largest = rp_wide_broadcast(0);
    float rest = 0;
    size_t i = 0;
    for (; i + RP_WIDE <= c->count; i += RP_WIDE) {
        rp_wide x = rp_wide_load(c->vx + i), y = rp_wide_load(c->vy + i),
                z = rp_wide_load(c->vz + i);
        largest = rp_wide_max(largest, x * x + y * y + z * z);
    }
    for (; i < c->count; i++) {
        float square = c->vx[i] * c->vx[i] + c->vy[i] * c->vy[i] + c->vz[i] * c->vz[i];
        rest = square > rest ? square : rest;
    }
    return sqrtf(fmaxf(rp_wide_largest(largest), rest));
}

/* Lists the surfaces that any grain of the chunk may reach in this step; packets choose from it. */
static void find_surfaces(const rp_detail *detail, rp_detail_workspace *workspace,
                          const rp_chunk *chunk)
{
    rp_point_search_box box = {0};
    bounding_box(chunk, 0, chunk->count, &box);
    double dt = detail->field.dt, fall = 0.5 * dt * rp_v3_length(detail->field.gravity);
    double half, path = (1 + PUSH_MOST) * dt * (top_speed(chunk) + detail->field.fastest + fall);
    rp_vec3 middle = box_middle(&box, &half);
    rp_detail_surfaces_near(detail, NULL, middle, half + detail->support + path,
                            &workspace->near_chunk);
}

/* Advects a chunk; sorts it before where its packets have become costly. */
static void advect_chunk(rp_detail *detail, rp_detail_workspace *workspace, rp_chunk *chunk,
                         rp_stored_chunk *stored)
{
    if (!chunk->count) return;
    RP_ASSERT(chunk->count <= chunk->born && chunk->born <= RP_CHUNK_MAX);
    RP_ASSERT(detail->field.dt > 0 && detail->support > 0);
    bool sorts = (double)stored->pairs > SORT_FROM * (double)stored->sorted_pairs;
    if (sorts)
        rp_chunk_sort(chunk, detail->cell, rp_point_search_edge(detail->support), &workspace->sort);
    find_surfaces(detail, workspace, chunk);
    workspace->pairs = 0;
    for (size_t begin = 0; begin < chunk->count; begin += RP_DETAIL_KEY_BLOCK) {
        size_t left = chunk->count - begin;
        advect_block(detail, workspace, chunk, begin,
                     left < RP_DETAIL_KEY_BLOCK ? left : RP_DETAIL_KEY_BLOCK);
    }
    stored->pairs = workspace->pairs;
    if (sorts) stored->sorted_pairs = workspace->pairs;
    wrap(detail, chunk);
    remove_departed(detail, chunk);
}

/* One chunk at a time: fetch it, advect it, count its grains at the end of the step, store it. */
void rp_advect_range(void *context, rp_range range)
{
    rp_detail *detail = context;
    rp_detail_workspace *workspace = rp_scratch_of(&detail->workspaces, range.worker);
    for (size_t i = range.begin; i < range.end; i++) {
        rp_chunk chunk;
        rp_code code = rp_chunks_borrow(&detail->chunks, i, &workspace->chunk, &chunk, NULL);
        if (code == RP_OK) {
            advect_chunk(detail, workspace, &chunk, &detail->chunks.items[i]);
            if (detail->fraction_next.counting)
                rp_fraction_grid_add(&detail->fraction_next, &chunk);
            code = rp_chunks_return(&detail->chunks, i, &chunk, NULL);
        }
        rp_detail_note_failure(detail, code);
    }
}
