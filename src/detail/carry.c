/* One step of all grains: (D4) to (D6), then surfaces, then who left. */
#include "detail/inside.h"

#include <string.h>

/* Grains are sorted anew when any of a chunk has moved by so many cells. */
#define SORT_AFTER 0.5f
/* Where one clump has more than this share of the weights, grains fly: the paper's number. */
#define ALONE 0.6f
/* As full as packed material: what is above does not sink in. */
#define FULL 1.0f
/* How much of its way a grain turns aside at most. */
#define ASIDE 0.5f

/* (D4) for eight grains at a time. */
RP_WIDE_KERNEL
static void add_clumps(const rp_row *rows, const uint32_t *index, size_t count,
                       const rp_chunk *chunk, float inverse, rp_packet *p)
{
    for (int first = 0; first < p->count; first += RP_WIDE) {
        size_t at = p->begin + (size_t)first;
        rp_wide x = rp_wide_load(chunk->x + at), y = rp_wide_load(chunk->y + at),
                z = rp_wide_load(chunk->z + at);
        rp_wide sum = rp_wide_load(p->sum + first), most = rp_wide_load(p->most + first);
        rp_wide ux = rp_wide_load(p->ux + first), uy = rp_wide_load(p->uy + first),
                uz = rp_wide_load(p->uz + first);
        for (size_t k = 0; k < count; k++) {
            const rp_row *row = &rows[index[k]];
            rp_wide dx = x - row->x, dy = y - row->y, dz = z - row->z;
            rp_wide q = 1 - (dx * dx + dy * dy + dz * dz) * inverse;
            q = rp_wide_max(q, rp_wide_all(0));
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

/* (D5). */
RP_WIDE_KERNEL
static void share_flight(rp_packet *p, float edge)
{
    for (int i = 0; i < p->count; i += RP_WIDE) {
        rp_wide sum = rp_wide_load(p->sum + i), most = rp_wide_load(p->most + i);
        rp_wide_int flies = (most >= ALONE * sum) | (most <= edge);
        rp_wide_store(p->share + i, rp_wide_select(flies, 1 - most, rp_wide_all(0)));
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
    rp_wide carried = rp_wide_load(sums + i) / rp_wide_max(sum, rp_wide_all(1e-30f));
    rp_wide old = rp_wide_load(v);
    rp_wide held = (1 - share) * carried;
    rp_wide_store(velocity + i, held + share * (old + pulled));
    rp_wide_store(end + i, rp_wide_load(start) + dt * (held + share * (old + 0.5f * pulled)));
}

RP_WIDE_KERNEL
static void blend_packet(rp_packet *p, const rp_chunk *c, const pull *g)
{
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
    rp_wide lows = rp_wide_all(x[0]), highs = lows;
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
    *low = -rp_wide_most(-lows);
    *high = rp_wide_most(highs);
}

RP_WIDE_KERNEL
static void box_of(const rp_chunk *chunk, size_t begin, size_t count, rp_near_box *box)
{
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

/* A surface counts as a layer of clumps on it, evenly spread: (D4a). `carries`: their velocity
 * counts, too, as in the paper; otherwise grains slip along it as the clumps do. */
static void add_surfaces(const rp_detail *detail, const rp_chunk *chunk,
                         const rp_near_surfaces *near, bool carries, rp_packet *p)
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
            p->most[i] = w > p->most[i] ? w : p->most[i];
            float all = (float)(layer * rest * rest * rest * rest);
            if (carries) {
                p->sum[i] += all;
                p->ux[i] += all * (float)touch.velocity.x;
                p->uy[i] += all * (float)touch.velocity.y;
                p->uz[i] += all * (float)touch.velocity.z;
            } else if (p->sum[i] > 0) { /* as fast as the clumps: only who is alone changes */
                float more = 1 + all / p->sum[i];
                p->sum[i] *= more;
                p->ux[i] *= more;
                p->uy[i] *= more;
                p->uz[i] *= more;
            }
        }
    }
}

static void meet_surfaces(const rp_detail *detail, const rp_chunk *chunk,
                          const rp_near_surfaces *near, rp_packet *p)
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

/* Grains that lie on a full place do not fly (D10). */
static void hold_up(const rp_detail *detail, const rp_around *around, const rp_chunk *chunk,
                    rp_packet *p)
{
    if (around->most < FULL) return;
    rp_vec3 down = rp_v3_scale(rp_v3_normal(detail->field.gravity), 0.5 * detail->cell);
    for (int i = 0; i < p->count; i++) {
        size_t at = p->begin + (size_t)i;
        if (p->share[i] > 0 && p->sum[i] > 0 &&
            rp_around_filled(around, &detail->counts, chunk->x[at] + down.x, chunk->y[at] + down.y,
                             chunk->z[at] + down.z) >= FULL)
            p->share[i] = 0;
    }
}

/* Moving grains turn aside from where it is too full, by a share of their way at most: what rests
 * stays (D11). */
static void push_aside(const rp_detail *detail, const rp_around *around, const rp_chunk *chunk,
                       rp_packet *p)
{
    if (around->most < FULL) return;
    for (int i = 0; i < p->count; i++) {
        size_t at = p->begin + (size_t)i;
        float dx = p->x[i] - chunk->x[at], dy = p->y[i] - chunk->y[at], dz = p->z[i] - chunk->z[at];
        float limit = ASIDE * sqrtf(dx * dx + dy * dy + dz * dz), push[3];
        if (limit == 0 || !rp_around_push(around, &detail->counts, p->x[i], p->y[i], p->z[i], push))
            continue;
        float length = sqrtf(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
        float scale = length > limit ? limit / length : 1;
        p->x[i] += scale * push[0];
        p->y[i] += scale * push[1];
        p->z[i] += scale * push[2];
    }
}

static void gather(const rp_detail *detail, rp_work *work, const rp_chunk *chunk,
                   const rp_near_box *box)
{
    const rp_detail_field *field = &detail->field;
    rp_packet *p = &work->packet;
    memset(p->sum, 0, sizeof p->sum);
    memset(p->most, 0, sizeof p->most);
    memset(p->ux, 0, sizeof p->ux);
    memset(p->uy, 0, sizeof p->uy);
    memset(p->uz, 0, sizeof p->uz);
    float inverse = (float)(1 / (detail->reach * detail->reach));
    const uint32_t *index;
    rp_near_begin(field->near, box, work->walk);
    for (size_t found; (found = rp_near_next(field->near, work->walk, &index));)
        add_clumps(field->rows, index, found, chunk, inverse, p);
}

/* The longest way of a grain of the packet, m. */
RP_WIDE_KERNEL
static float longest_way(const rp_chunk *chunk, const rp_packet *p)
{
    rp_wide most = rp_wide_all(0);
    for (int i = 0; i < p->count; i += RP_WIDE) {
        size_t at = p->begin + (size_t)i;
        rp_wide dx = rp_wide_load(p->x + i) - rp_wide_load(chunk->x + at);
        rp_wide dy = rp_wide_load(p->y + i) - rp_wide_load(chunk->y + at);
        rp_wide dz = rp_wide_load(p->z + i) - rp_wide_load(chunk->z + at);
        rp_wide square = dx * dx + dy * dy + dz * dz;
        for (int lane = p->count - i; lane < RP_WIDE; lane++)
            square[lane] = 0;
        most = rp_wide_max(most, square);
    }
    return sqrtf(rp_wide_most(most));
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

/* Gives the longest way. */
static float carry_packet(const rp_detail *detail, rp_work *work, rp_chunk *chunk, uint64_t key)
{
    rp_packet *p = &work->packet;
    const rp_detail_field *field = &detail->field;
    bool apart = detail->spec->keep_apart;
    rp_near_box box = {.key = key};
    box_of(chunk, p->begin, (size_t)p->count, &box);
    gather(detail, work, chunk, &box);
    double half;
    rp_vec3 middle = box_middle(&box, &half);
    rp_near_surfaces *near = &work->near_packet;
    rp_near_surfaces_find(detail, &work->near_chunk, middle, half + detail->reach, near);
    if (near->count) add_surfaces(detail, chunk, near, !apart, p);
    share_flight(p, weight(detail, detail->radius));
    float dt = (float)field->dt;
    pull g = {dt, (float)(field->gravity.x * field->dt), (float)(field->gravity.y * field->dt),
              (float)(field->gravity.z * field->dt)};
    if (apart) {
        rp_around_turn(&work->around, &detail->counts, box.low[0], box.low[1], box.low[2]);
        hold_up(detail, &work->around, chunk, p);
    }
    blend_packet(p, chunk, &g);
    if (apart) push_aside(detail, &work->around, chunk, p);
    float way = longest_way(chunk, p);
    rp_near_surfaces_find(detail, &work->near_chunk, middle, half + way + detail->clear, near);
    if (near->count) meet_surfaces(detail, chunk, near, p);
    write_back(chunk, p);
    return way;
}

/* Packets end where the cell does. */
static float carry_block(const rp_detail *detail, rp_work *work, rp_chunk *chunk, size_t begin,
                         size_t count)
{
    uint64_t *keys = work->keys;
    rp_near_keys(detail->field.near, chunk->x + begin, chunk->y + begin, chunk->z + begin, count,
                 keys);
    float most = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && end - i < RP_PACKET && keys[end] == keys[i])
            end++;
        work->packet.begin = begin + i;
        work->packet.count = (int)(end - i);
        float way = carry_packet(detail, work, chunk, keys[i]);
        most = way > most ? way : most;
        i = end;
    }
    return most;
}

/* Whether a grain is beyond an open side of the domain. */
static bool has_left(const rp_domain_spec *domain, const float at[3])
{
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    for (int axis = 0; axis < 3; axis++) {
        if (domain->open >> (2 * axis) & 1 && at[axis] < low[axis]) return true;
        if (domain->open >> (2 * axis + 1) & 1 && at[axis] > high[axis]) return true;
    }
    return false;
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
    rp_near_box box = {0};
    box_of(chunk, 0, chunk->count, &box);
    if (!has_left(domain, box.low) && !has_left(domain, box.high)) return;
    size_t kept = 0;
    for (size_t i = 0; i < chunk->count; i++) {
        const float at[3] = {chunk->x[i], chunk->y[i], chunk->z[i]};
        if (has_left(domain, at)) continue;
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
    rp_wide most = rp_wide_all(0);
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
    return sqrtf(fmaxf(rp_wide_most(most), rest));
}

static void find_surfaces(const rp_detail *detail, rp_work *work, const rp_chunk *chunk)
{
    rp_near_box box = {0};
    box_of(chunk, 0, chunk->count, &box);
    double half, way = detail->field.dt * (top_speed(chunk) + detail->field.fastest);
    rp_vec3 middle = box_middle(&box, &half);
    rp_near_surfaces_find(detail, NULL, middle, half + detail->reach + way, &work->near_chunk);
}

static void carry_chunk(rp_detail *detail, rp_work *work, rp_chunk *chunk, float *travelled)
{
    if (!chunk->count) return;
    if (*travelled > SORT_AFTER * detail->cell) {
        rp_chunk_sort(chunk, detail->cell, rp_near_edge(detail->reach), &work->sort);
        *travelled = 0;
    }
    find_surfaces(detail, work, chunk);
    float most = 0;
    for (size_t begin = 0; begin < chunk->count; begin += RP_KEY_BLOCK) {
        size_t left = chunk->count - begin;
        float way =
            carry_block(detail, work, chunk, begin, left < RP_KEY_BLOCK ? left : RP_KEY_BLOCK);
        most = way > most ? way : most;
    }
    *travelled += most;
    wrap(detail, chunk);
    drop_leavers(detail, chunk);
}

void rp_carry_range(void *context, size_t begin, size_t end)
{
    rp_detail *detail = context;
    rp_work *work = rp_work_take(detail);
    for (size_t i = begin; i < end; i++) {
        rp_chunk chunk;
        rp_code code = rp_chunks_borrow(&detail->chunks, i, &work->chunk, &chunk, NULL);
        if (code == RP_OK) {
            carry_chunk(detail, work, &chunk, &detail->chunks.items[i].travelled);
            if (detail->counts_next.counting) rp_counts_add(&detail->counts_next, &chunk);
            code = rp_chunks_return(&detail->chunks, i, &chunk, NULL);
        }
        rp_detail_note(detail, code);
    }
    rp_work_give(work);
}
