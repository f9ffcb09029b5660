/* One step of all grains: (D4) to (D6) and (D13), then surfaces, then who left. */
#include "detail/inside.h"

#include <string.h>

/* Grains of a chunk are sorted anew when looking at their clumps has become so much more work. The
 * order of grains changes no result. */
#define SORT_FROM 1.15
/* A packet costs as much as so many pairs, however few grains it has. */
#define PACKET_PAIRS 800
/* Where one clump has more than this share of the weights, grains fly: the paper's number. */
#define ALONE 0.6f
/* The sum of weights where packed material ends: half of 64 pi / 315 h^3 / d0^3 for h = 1.5 d0.
 * Gaps between clumps inside of it have more. */
#define OUTSIDE 1.077f
/* As full as packed material: what is above does not sink in. */
#define FULL 1.0f
/* Clumps that carry grains by less than this many spacings in a second stand still. */
#define STILL 0.1
/* The share of the weights from which on one clump is all that a grain follows. */
#define FOLLOWS 0.98f
/* The time in which the cloud of a lone clump becomes round, s. */
#define ROUNDING 0.1
/* How much of its way a grain turns aside at most. */
#define ASIDE 0.5f

/* (D4) for eight grains at a time; `begins` where nothing was added yet. */
RP_WIDE_KERNEL
static void add_clumps(const rp_row *rows, const uint32_t *index, size_t count,
                       const rp_chunk *chunk, float inverse, bool begins, rp_packet *p)
{
    RP_ASSERT(p->count > 0 && p->count <= RP_PACKET);
    RP_ASSERT(p->begin + (size_t)p->count <= chunk->count);
    for (int first = 0; first < p->count; first += RP_WIDE) {
        size_t at = p->begin + (size_t)first;
        rp_wide x = rp_wide_load(chunk->x + at), y = rp_wide_load(chunk->y + at),
                z = rp_wide_load(chunk->z + at), zero = rp_wide_broadcast(0);
        rp_wide sum = zero, most = zero, ux = zero, uy = zero, uz = zero;
        if (!begins) {
            sum = rp_wide_load(p->sum + first), most = rp_wide_load(p->most + first);
            ux = rp_wide_load(p->ux + first), uy = rp_wide_load(p->uy + first);
            uz = rp_wide_load(p->uz + first);
        }
        for (size_t k = 0; k < count; k++) {
            const rp_row *row = &rows[index[k]];
            rp_wide dx = x - row->x, dy = y - row->y, dz = z - row->z;
            rp_wide q = 1 - (dx * dx + dy * dy + dz * dz) * inverse;
            q = rp_wide_max(q, zero);
            rp_wide w = q * q * q;
            sum += w;
            most = rp_wide_max(most, w);
            ux += w * row->vx;
            uy += w * row->vy;
            uz += w * row->vz;
        }
        rp_wide_store(p->sum + first, sum);
        rp_wide_store(p->most + first, most);
        rp_wide_store(p->ux + first, ux);
        rp_wide_store(p->uy + first, uy);
        rp_wide_store(p->uz + first, uz);
    }
}

static float weight(const rp_detail *detail, double distance)
{
    double q = distance / detail->reach, rest = q < 1 ? 1 - q * q : 0;
    return (float)(rest * rest * rest);
}

/* (D5): grains fly where one clump has most of the weight, and outside: farther from every clump
 * than its radius and, unless as published, with less weight than `outside` in all. */
RP_WIDE_KERNEL
static void share_flight(rp_packet *p, float edge, float outside)
{
    RP_ASSERT(p->count > 0 && p->count <= RP_PACKET);
    for (int i = 0; i < p->count; i += RP_WIDE) {
        rp_wide sum = rp_wide_load(p->sum + i), most = rp_wide_load(p->most + i);
        rp_wide_int flies = (most >= ALONE * sum) | ((most <= edge) & (sum <= outside));
        rp_wide_store(p->share + i, rp_wide_select(flies, 1 - most, rp_wide_broadcast(0)));
    }
}

/* What a step adds to a grain that flies, the same for all. */
typedef struct pull {
    float dt, x, y, z; /* s; m/s */
} pull;

/* (D6): the velocity is a blend; the way is that of the blend's parts, so that free flight is a
 * parabola. */
RP_WIDE_INLINE void blend(const rp_packet *p, int i, const float *sums, const float *v,
                          float pulled, float dt, float *velocity, float *end, const float *start)
{
    rp_wide sum = rp_wide_load(p->sum + i), share = rp_wide_load(p->share + i);
    rp_wide carried = rp_wide_load(sums + i) / rp_wide_max(sum, rp_wide_broadcast(1e-30f));
    rp_wide old = rp_wide_load(v);
    rp_wide held = (1 - share) * carried;
    rp_wide_store(velocity + i, held + share * (old + pulled));
    rp_wide_store(end + i, rp_wide_load(start) + dt * (held + share * (old + 0.5f * pulled)));
}

RP_WIDE_KERNEL
static void blend_packet(rp_packet *p, const rp_chunk *c, const pull *g)
{
    RP_ASSERT(p->begin + (size_t)p->count <= c->count);
    for (int i = 0; i < p->count; i += RP_WIDE) {
        size_t at = p->begin + (size_t)i;
        blend(p, i, p->ux, c->vx + at, g->x, g->dt, p->vx, p->x, c->x + at);
        blend(p, i, p->uy, c->vy + at, g->y, g->dt, p->vy, p->y, c->y + at);
        blend(p, i, p->uz, c->vz + at, g->z, g->dt, p->vz, p->z, c->z + at);
    }
}

/* Eight at a time: of a packet the arrays can be read beyond the end, where the last is repeated
 * instead. */
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
static void box_of(const rp_chunk *chunk, size_t begin, size_t count, rp_near_box *box)
{
    RP_ASSERT(count > 0 && begin + count <= chunk->count);
    bound(chunk->x + begin, count, &box->low[0], &box->high[0]);
    bound(chunk->y + begin, count, &box->low[1], &box->high[1]);
    bound(chunk->z + begin, count, &box->low[2], &box->high[2]);
}

static rp_vec3 box_middle(const rp_near_box *box, double *half)
{
    rp_vec3 low = {box->low[0], box->low[1], box->low[2]};
    rp_vec3 high = {box->high[0], box->high[1], box->high[2]};
    *half = 0.5 * rp_v3_length(rp_v3_sub(high, low));
    return rp_v3_scale(rp_v3_add(low, high), 0.5);
}

/* As published: a surface counts as a layer of clumps on it, evenly spread, that move with it
 * (D4a).
 */
static void add_surfaces(const rp_detail *detail, const rp_chunk *chunk,
                         const rp_surface_list *near, rp_packet *p)
{
    double reach = detail->reach, spacing = detail->scene->particles.spacing;
    double layer = 0.25 * RP_PI * reach * reach / (spacing * spacing);
    for (int n = 0; n < near->count; n++) {
        const rp_surface *surface = &detail->field.surfaces[near->index[n]];
        for (int i = 0; i < p->count; i++) {
            size_t at = p->begin + (size_t)i;
            rp_vec3 point = {chunk->x[at], chunk->y[at], chunk->z[at]};
            rp_touch touch;
            if (!rp_surface_touch(surface, point, reach, &touch)) continue;
            double q = fmax(touch.distance, 0) / reach, rest = 1 - q * q;
            float w = weight(detail, fmax(touch.distance, 0));
            float all = (float)(layer * rest * rest * rest * rest);
            p->most[i] = w > p->most[i] ? w : p->most[i];
            p->sum[i] += all;
            p->ux[i] += all * (float)touch.velocity.x;
            p->uy[i] += all * (float)touch.velocity.y;
            p->uz[i] += all * (float)touch.velocity.z;
        }
    }
}

static void meet_surfaces(const rp_detail *detail, const rp_chunk *chunk,
                          const rp_surface_list *near, rp_packet *p)
{
    for (int i = 0; i < p->count; i++) {
        size_t at = p->begin + (size_t)i;
        rp_flight flight = {.start = {chunk->x[at], chunk->y[at], chunk->z[at]},
                            .end = {p->x[i], p->y[i], p->z[i]},
                            .velocity = {p->vx[i], p->vy[i], p->vz[i]},
                            .material = chunk->material};
        if (!rp_flight_meet(detail, near, &flight)) continue;
        p->x[i] = (float)flight.end.x;
        p->y[i] = (float)flight.end.y;
        p->z[i] = (float)flight.end.z;
        p->vx[i] = (float)flight.velocity.x;
        p->vy[i] = (float)flight.velocity.y;
        p->vz[i] = (float)flight.velocity.z;
    }
}

/* Grains that lie on a full place do not fly; among clumps that stand still the others fall freely,
 * so that they come to rest soon, too (D10). */
static void hold_up(const rp_detail *detail, const rp_around *around, const rp_chunk *chunk,
                    rp_packet *p)
{
    rp_vec3 down = rp_v3_scale(rp_v3_normalized(detail->field.gravity), 0.5 * detail->cell);
    const float below[3] = {(float)down.x, (float)down.y, (float)down.z};
    float slow = (float)(STILL * detail->scene->particles.spacing);
    for (int i = 0; i < p->count; i++) {
        if (!(p->share[i] > 0 && p->sum[i] > 0)) continue;
        size_t at = p->begin + (size_t)i;
        const float probe[3] = {chunk->x[at] + below[0], chunk->y[at] + below[1],
                                chunk->z[at] + below[2]};
        bool full = around->most >= FULL && rp_around_filled(around, probe) >= FULL;
        float carried = p->ux[i] * p->ux[i] + p->uy[i] * p->uy[i] + p->uz[i] * p->uz[i];
        bool still = carried < slow * slow * p->sum[i] * p->sum[i];
        if (full || still) p->share[i] = full ? 0 : 1;
    }
}

/* The squares of the ways of the packet's grains, m2, less what gravity added in this step, which
 * also pulls at grains that lie on something; 0 for lanes behind the last. Gives the longest way.
 */
RP_WIDE_KERNEL
static float ways_of(const rp_chunk *chunk, const rp_packet *p, const pull *g, float *squares)
{
    const float half = 0.5f * g->dt;
    rp_wide most = rp_wide_broadcast(0);
    for (int i = 0; i < p->count; i += RP_WIDE) {
        size_t at = p->begin + (size_t)i;
        rp_wide dx = rp_wide_load(p->x + i) - rp_wide_load(chunk->x + at);
        rp_wide dy = rp_wide_load(p->y + i) - rp_wide_load(chunk->y + at);
        rp_wide dz = rp_wide_load(p->z + i) - rp_wide_load(chunk->z + at);
        rp_wide way = dx * dx + dy * dy + dz * dz;
        rp_wide fall = half * rp_wide_load(p->share + i);
        dx -= fall * g->x, dy -= fall * g->y, dz -= fall * g->z;
        rp_wide square = dx * dx + dy * dy + dz * dz;
        for (int lane = p->count - i; lane < RP_WIDE; lane++)
            square[lane] = way[lane] = 0;
        rp_wide_store(squares + i, square);
        most = rp_wide_max(most, way);
    }
    return sqrtf(rp_wide_largest(most));
}

/* Moving grains turn aside from where it is too full, by a share of their way at most: what rests
 * stays (D11). */
static void push_aside(const rp_around *around, const float *squares, rp_packet *p)
{
    if (!around->crowded) return;
    int32_t cells[RP_PACKET];
    rp_around_cells(around, p->x, p->y, p->z, p->count, cells);
    for (int i = 0; i < p->count; i++) {
        const float *push = around->push[cells[i]];
        float length = push[0] * push[0] + push[1] * push[1] + push[2] * push[2];
        if (length == 0) continue;
        float limit = ASIDE * ASIDE * squares[i];
        float scale = length > limit ? sqrtf(limit / length) : 1;
        p->x[i] += scale * push[0];
        p->y[i] += scale * push[1];
        p->z[i] += scale * push[2];
    }
}

/* The sums over all clumps near the packet. */
static void gather(const rp_detail *detail, rp_work *work, const rp_chunk *chunk,
                   const rp_near_box *box)
{
    const rp_detail_field *field = &detail->field;
    float inverse = (float)(1 / (detail->reach * detail->reach));
    const uint32_t *index;
    bool begins = true;
    size_t found;
    rp_near_begin(field->near, box, work->walk);
    while ((found = rp_near_next(field->near, work->walk, &index)) || begins) {
        add_clumps(field->rows, index, found, chunk, inverse, begins, &work->packet);
        work->pairs += found * RP_PACKET;
        begins = false;
    }
    work->pairs += PACKET_PAIRS;
}

/* --- lone clumps (D13) -------------------------------------------------------------------------
 */

bool rp_coarse_grain_is_lone(const rp_detail *detail, rp_work *work, const float at[3])
{
    const rp_detail_field *field = &detail->field;
    float reach = (float)(detail->reach * detail->reach);
    rp_near_box box = {.low = {at[0], at[1], at[2]}, .high = {at[0], at[1], at[2]}};
    rp_near_keys(field->near, &at[0], &at[1], &at[2], 1, &box.key);
    const uint32_t *index;
    size_t found;
    int near = 0; /* itself among them */
    rp_near_begin(field->near, &box, work->walk);
    while ((found = rp_near_next(field->near, work->walk, &index)))
        for (size_t k = 0; k < found; k++) {
            const rp_row *row = &field->rows[index[k]];
            float x = row->x - at[0], y = row->y - at[1], z = row->z - at[2];
            near += x * x + y * y + z * z < reach;
        }
    return near <= 1;
}

/* Which grains of the packet fly with one clump and no other; gives how many. */
static int find_followers(const rp_packet *p, bool *follows)
{
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        follows[i] = p->sum[i] > 0 && p->most[i] >= FOLLOWS * p->sum[i] && p->share[i] > 0 &&
                     p->share[i] < 1;
        count += follows[i];
    }
    return count;
}

/* The clump that each follower is in reach of. */
static void find_leaders(const rp_detail *detail, rp_work *work, const rp_chunk *chunk,
                         const rp_near_box *box, const bool *follows, const rp_row **leaders)
{
    const rp_packet *p = &work->packet;
    float reach = (float)(detail->reach * detail->reach);
    const uint32_t *index;
    size_t found;
    rp_near_begin(detail->field.near, box, work->walk);
    while ((found = rp_near_next(detail->field.near, work->walk, &index)))
        for (int i = 0; i < p->count; i++) {
            size_t at = p->begin + (size_t)i;
            for (size_t k = 0; follows[i] && k < found; k++) {
                const rp_row *row = &detail->field.rows[index[k]];
                float x = row->x - chunk->x[at], y = row->y - chunk->y[at],
                      z = row->z - chunk->z[at];
                if (x * x + y * y + z * z < FOLLOWS * reach) leaders[i] = row;
            }
        }
}

/* Followers of a clump without neighbors move towards a place of their own in its ball, so that
 * what was torn off as a rod becomes a round cloud. */
static void round_off(const rp_detail *detail, rp_work *work, const rp_chunk *chunk,
                      const rp_near_box *box)
{
    rp_packet *p = &work->packet;
    bool follows[RP_PACKET], lone = false;
    const rp_row *leaders[RP_PACKET] = {NULL}, *known = NULL;
    if (!find_followers(p, follows)) return;
    find_leaders(detail, work, chunk, box, follows, leaders);
    float part = (float)fmin(detail->field.dt / ROUNDING, 1), radius = (float)detail->radius;
    for (int i = 0; i < p->count; i++) {
        const rp_row *row = leaders[i];
        if (!row) continue;
        const float middle[3] = {row->x, row->y, row->z};
        if (row != known) lone = rp_coarse_grain_is_lone(detail, work, middle);
        known = row;
        if (!lone) continue;
        size_t at = p->begin + (size_t)i;
        rp_vec3 home =
            rp_sample_ball((uint64_t)detail->scene->seed, chunk->first + chunk->local[at]);
        p->x[i] += part * (row->x + radius * (float)home.x - chunk->x[at]);
        p->y[i] += part * (row->y + radius * (float)home.y - chunk->y[at]);
        p->z[i] += part * (row->z + radius * (float)home.z - chunk->z[at]);
    }
}

static void write_back(rp_chunk *chunk, const rp_packet *p)
{
    size_t bytes = (size_t)p->count * sizeof(float);
    memcpy(chunk->x + p->begin, p->x, bytes);
    memcpy(chunk->y + p->begin, p->y, bytes);
    memcpy(chunk->z + p->begin, p->z, bytes);
    memcpy(chunk->vx + p->begin, p->vx, bytes);
    memcpy(chunk->vy + p->begin, p->vy, bytes);
    memcpy(chunk->vz + p->begin, p->vz, bytes);
}

static void carry_packet(const rp_detail *detail, rp_work *work, rp_chunk *chunk,
                         const rp_near_box *box)
{
    rp_packet *p = &work->packet;
    const rp_detail_field *field = &detail->field;
    bool apart = detail->spec->keep_apart;
    const rp_around *around = NULL;
    gather(detail, work, chunk, box);
    double half;
    rp_vec3 middle = box_middle(box, &half);
    rp_surface_list *near = &work->near_packet;
    if (!apart) {
        rp_detail_surfaces_near(detail, &work->near_chunk, middle, half + detail->reach, near);
        add_surfaces(detail, chunk, near, p);
    }
    share_flight(p, weight(detail, detail->radius), apart ? OUTSIDE : INFINITY);
    float dt = (float)field->dt, squares[RP_PACKET];
    pull g = {dt, (float)(field->gravity.x * field->dt), (float)(field->gravity.y * field->dt),
              (float)(field->gravity.z * field->dt)};
    if (apart) {
        around = rp_arounds_at(&work->arounds, &detail->counts, box->low);
        hold_up(detail, around, chunk, p);
    }
    blend_packet(p, chunk, &g);
    if (apart) round_off(detail, work, chunk, box);
    float way = ways_of(chunk, p, &g, squares) * (1 + ASIDE);
    if (apart) push_aside(around, squares, p);
    rp_detail_surfaces_near(detail, &work->near_chunk, middle, half + way + detail->clear, near);
    if (near->count) meet_surfaces(detail, chunk, near, p);
    write_back(chunk, p);
}

static bool wider(const rp_near_box *box, float edge)
{
    return box->high[0] - box->low[0] > edge || box->high[1] - box->low[1] > edge ||
           box->high[2] - box->low[2] > edge;
}

/* Packets end where the cell does. */
static void carry_block(const rp_detail *detail, rp_work *work, rp_chunk *chunk, size_t begin,
                        size_t count)
{
    RP_ASSERT(count <= RP_KEY_BLOCK && begin + count <= chunk->count);
    uint64_t *keys = work->keys;
    float edge = (float)(1.01 * rp_near_edge(detail->reach));
    rp_near_keys(detail->field.near, chunk->x + begin, chunk->y + begin, chunk->z + begin, count,
                 keys);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && end - i < RP_PACKET && keys[end] == keys[i])
            end++;
        rp_near_box box = {.key = keys[i]};
        box_of(chunk, begin + i, end - i, &box);
        if (wider(&box, edge)) { /* cells far from each other may share a key */
            end = i + 1;
            box_of(chunk, begin + i, 1, &box);
        }
        work->packet.begin = begin + i;
        work->packet.count = (int)(end - i);
        carry_packet(detail, work, chunk, &box);
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

/* Those that passed an open side are gone; the others keep their order. */
static void drop_leavers(rp_detail *detail, rp_chunk *chunk)
{
    const rp_domain_spec *domain = &detail->scene->domain;
    if (!domain->open) return;
    rp_near_box box = {0};
    box_of(chunk, 0, chunk->count, &box);
    if (!rp_scene_domain_has_left(domain, box.low) && !rp_scene_domain_has_left(domain, box.high))
        return;
    size_t kept = 0;
    for (size_t i = 0; i < chunk->count; i++) {
        const float at[3] = {chunk->x[i], chunk->y[i], chunk->z[i]};
        if (rp_scene_domain_has_left(domain, at)) continue;
        if (kept != i) move_grain(chunk, kept, i);
        kept++;
    }
    atomic_fetch_add(&detail->left, chunk->count - kept);
    chunk->count = (uint32_t)kept;
}

static void wrap(const rp_detail *detail, rp_chunk *chunk)
{
    const rp_domain_spec *domain = &detail->scene->domain;
    float *const axes[3] = {chunk->x, chunk->y, chunk->z};
    for (int a = 0; a < 3; a++)
        for (size_t i = 0; (domain->periodic >> a & 1) && i < chunk->count; i++)
            axes[a][i] = (float)rp_detail_wrap(domain, a, axes[a][i]);
}

/* The highest speed of a chunk's grains, m/s. */
RP_WIDE_KERNEL
static float top_speed(const rp_chunk *c)
{
    rp_wide most = rp_wide_broadcast(0);
    float rest = 0;
    size_t i = 0;
    for (; i + RP_WIDE <= c->count; i += RP_WIDE) {
        rp_wide x = rp_wide_load(c->vx + i), y = rp_wide_load(c->vy + i),
                z = rp_wide_load(c->vz + i);
        most = rp_wide_max(most, x * x + y * y + z * z);
    }
    for (; i < c->count; i++) {
        float square = c->vx[i] * c->vx[i] + c->vy[i] * c->vy[i] + c->vz[i] * c->vz[i];
        rest = square > rest ? square : rest;
    }
    return sqrtf(fmaxf(rp_wide_largest(most), rest));
}

static void find_surfaces(const rp_detail *detail, rp_work *work, const rp_chunk *chunk)
{
    rp_near_box box = {0};
    box_of(chunk, 0, chunk->count, &box);
    double dt = detail->field.dt, fall = 0.5 * dt * rp_v3_length(detail->field.gravity);
    double half, way = (1 + ASIDE) * dt * (top_speed(chunk) + detail->field.fastest + fall);
    rp_vec3 middle = box_middle(&box, &half);
    rp_detail_surfaces_near(detail, NULL, middle, half + detail->reach + way, &work->near_chunk);
}

static void carry_chunk(rp_detail *detail, rp_work *work, rp_chunk *chunk, rp_kept_chunk *kept)
{
    if (!chunk->count) return;
    RP_ASSERT(chunk->count <= chunk->born && chunk->born <= RP_CHUNK_MAX);
    bool sorts = (double)kept->pairs > SORT_FROM * (double)kept->sorted_pairs;
    if (sorts) rp_chunk_sort(chunk, detail->cell, rp_near_edge(detail->reach), &work->sort);
    find_surfaces(detail, work, chunk);
    work->pairs = 0;
    for (size_t begin = 0; begin < chunk->count; begin += RP_KEY_BLOCK) {
        size_t left = chunk->count - begin;
        carry_block(detail, work, chunk, begin, left < RP_KEY_BLOCK ? left : RP_KEY_BLOCK);
    }
    kept->pairs = work->pairs;
    if (sorts) kept->sorted_pairs = work->pairs;
    wrap(detail, chunk);
    drop_leavers(detail, chunk);
}

void rp_carry_range(void *context, rp_range range)
{
    rp_detail *detail = context;
    rp_work *work = rp_scratch_of(&detail->works, range.worker);
    for (size_t i = range.begin; i < range.end; i++) {
        rp_chunk chunk;
        rp_code code = rp_chunks_borrow(&detail->chunks, i, &work->chunk, &chunk, NULL);
        if (code == RP_OK) {
            carry_chunk(detail, work, &chunk, &detail->chunks.items[i]);
            if (detail->counts_next.counting) rp_counts_add(&detail->counts_next, &chunk);
            code = rp_chunks_return(&detail->chunks, i, &chunk, NULL);
        }
        rp_detail_note(detail, code);
    }
}
