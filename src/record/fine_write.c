#include "base/log.h"
#include "base/memory.h"
#include "record/fine.h"
#include "record/fine_layout.h"
#include "record/frame.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Grains of a part: 100 MB in memory when all of them move, twice while it is written. */
#define PART_GRAINS 8000000
#define NOWHERE UINT32_MAX
/* Steps from the origin beyond which a double no longer holds small parts of a step. */
#define STEPS_MOST 0x1p48

static const rp_part_column columns[RP_FINE_COLUMNS] = {
    RP_PART_CHUNKS,
    [RP_FINE_WIDE] = {"chunks/wide", "", RP_U8, 1},
    [RP_FINE_LOW] = {"chunks/low", "m", RP_F64, 3},
    [RP_FINE_VELOCITY_STEP] = {"chunks/velocity_step", "m/s", RP_F32, 1},
    [RP_FINE_NEAR] = {"position_near", "", RP_U16, 3},
    [RP_FINE_FAR] = {"position_far", "", RP_U32, 3},
    [RP_FINE_VELOCITY] = {"velocity", "", RP_U16, 3},
    [RP_FINE_LOCAL] = {"local", "", RP_U16, 1},
};

const rp_part_layout rp_fine_layout = {RP_FINE_KIND, "fine part", columns, RP_FINE_COLUMNS};

struct rp_fine_writer {
    rp_parts_writer parts;
    rp_fine_facts facts;
    const char *const *body_names;
    uint64_t next_id;             /* behind those of the last chunk */
    uint32_t place[RP_CHUNK_MAX]; /* of each number of a chunk, where its grain is, or NOWHERE */
    uint32_t order[RP_CHUNK_MAX]; /* the places in the order of the numbers */
};

/* The box of a chunk in steps, and how its positions and velocities are kept. */
typedef struct packing {
    double low[3]; /* m */
    float velocity_step;
    uint8_t wide;
} packing;

rp_code rp_fine_create(const char *folder, const rp_fine_facts *facts,
                       const char *const *body_names, int compress, rp_fine_writer **out,
                       rp_report *report)
{
    RP_ASSERT(facts->precision >= RP_FINE_PRECISION_LEAST &&
              facts->precision <= RP_FINE_PRECISION_MOST);
    *out = NULL;
    rp_fine_writer *writer = rp_allocate_zero(sizeof *writer);
    if (!writer) return rp_fail_memory(report, sizeof *writer, folder);
    writer->facts = *facts;
    writer->body_names = body_names;
    rp_code code = rp_parts_begin(&writer->parts, folder, facts->frame, &rp_fine_layout,
                                  PART_GRAINS, compress, report);
    if (code == RP_OK)
        *out = writer;
    else
        rp_release(writer, sizeof *writer);
    return code;
}

void rp_fine_limit(rp_fine_writer *writer, uint64_t grains)
{
    writer->parts.limit = grains;
}

static void sort_grains(rp_fine_writer *writer, const rp_chunk *chunk)
{
    memset(writer->place, 0xff, chunk->born * sizeof *writer->place);
    for (uint32_t i = 0; i < chunk->count; i++) {
        RP_ASSERT(chunk->local[i] < chunk->born && writer->place[chunk->local[i]] == NOWHERE);
        writer->place[chunk->local[i]] = i;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < chunk->born; i++)
        if (writer->place[i] != NOWHERE) writer->order[count++] = writer->place[i];
}

/* False when one of the values is not a number or infinite; otherwise their bounds. */
static bool find_bounds(const float *values, uint32_t count, float *low, float *high)
{
    float least = INFINITY, most = -INFINITY;
    bool finite = true;
    for (uint32_t i = 0; i < count; i++) {
        finite &= fabsf(values[i]) <= FLT_MAX;
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    *low = least;
    *high = most;
    return finite;
}

static rp_code tell_nowhere(const rp_fine_writer *writer, const rp_chunk *chunk)
{
    const float *const all[] = {chunk->x, chunk->y, chunk->z, chunk->vx, chunk->vy, chunk->vz};
    uint32_t i = 0;
    for (bool finite = true; finite && i < chunk->count; i += finite)
        for (int a = 0; a < 6; a++)
            finite &= isfinite(all[a][i]) != 0;
    return rp_fail(writer->parts.report, RP_ERROR_NUMERIC,
                   "fine grain %" PRIu32 " of frame %" PRId64 ", at %g s, has the position (%g, %g,"
                   " %g) m and the velocity (%g, %g, %g) m/s",
                   chunk->first + chunk->local[i], writer->facts.frame, writer->facts.time,
                   (double)all[0][i], (double)all[1][i], (double)all[2][i], (double)all[3][i],
                   (double)all[4][i], (double)all[5][i]);
}

/* The low corner on a multiple of the precision, and which numbers hold the steps above it. */
static bool pack_positions(const rp_chunk *chunk, double precision, packing *out)
{
    const float *const axes[] = {chunk->x, chunk->y, chunk->z};
    double steps = 0, farthest = 0;
    for (int a = 0; a < 3; a++) {
        float low, high;
        if (!find_bounds(axes[a], chunk->count, &low, &high)) return false;
        out->low[a] = floor(low / precision) * precision;
        steps = fmax(steps, (high - out->low[a]) / precision);
        farthest = fmax(farthest, fmax(-low, high) / precision);
    }
    out->wide = steps <= UINT16_MAX ? RP_WIDE_NEAR : RP_WIDE_FAR;
    if (steps >= UINT32_MAX || farthest > STEPS_MOST) out->wide = RP_WIDE_EXACT;
    if (out->wide == RP_WIDE_EXACT) memset(out->low, 0, sizeof out->low);
    return true;
}

/* A velocity that floats hardly tell from none, below 1e-33 m/s, is none. */
static bool pack_velocities(const rp_chunk *chunk, packing *out)
{
    const float *const axes[] = {chunk->vx, chunk->vy, chunk->vz};
    float largest = 0;
    for (int a = 0; a < 3; a++) {
        float low, high;
        if (!find_bounds(axes[a], chunk->count, &low, &high)) return false;
        largest = fmaxf(largest, fmaxf(-low, high));
    }
    out->velocity_step = largest / (RP_FINE_VELOCITY_ZERO - 1);
    if (out->velocity_step < FLT_MIN) out->velocity_step = 0;
    return true;
}

static void put_packing(rp_fine_writer *writer, const packing *how)
{
    void *wide, *low, *step;
    if (!rp_parts_add_rows(&writer->parts, RP_FINE_WIDE, 1, &wide) ||
        !rp_parts_add_rows(&writer->parts, RP_FINE_LOW, 1, &low) ||
        !rp_parts_add_rows(&writer->parts, RP_FINE_VELOCITY_STEP, 1, &step))
        return;
    memcpy(wide, &how->wide, sizeof how->wide);
    memcpy(low, how->low, sizeof how->low);
    memcpy(step, &how->velocity_step, sizeof how->velocity_step);
}

static void put_near(rp_fine_writer *writer, const rp_chunk *chunk, const packing *how)
{
    void *values;
    if (!rp_parts_add_rows(&writer->parts, RP_FINE_NEAR, chunk->count, &values)) return;
    double scale = 1 / writer->facts.precision;
    const double *low = how->low;
    uint16_t *to = values;
    for (uint32_t k = 0; k < chunk->count; k++, to += 3) {
        uint32_t i = writer->order[k];
        to[0] = (uint16_t)((chunk->x[i] - low[0]) * scale + 0.5);
        to[1] = (uint16_t)((chunk->y[i] - low[1]) * scale + 0.5);
        to[2] = (uint16_t)((chunk->z[i] - low[2]) * scale + 0.5);
    }
}

static void put_far(rp_fine_writer *writer, const rp_chunk *chunk, const packing *how)
{
    void *values;
    if (!rp_parts_add_rows(&writer->parts, RP_FINE_FAR, chunk->count, &values)) return;
    const float *const axes[] = {chunk->x, chunk->y, chunk->z};
    double scale = 1 / writer->facts.precision;
    uint32_t *to = values;
    for (uint32_t k = 0; k < chunk->count; k++)
        for (int a = 0; a < 3; a++, to++) {
            const float *from = &axes[a][writer->order[k]];
            if (how->wide == RP_WIDE_EXACT)
                memcpy(to, from, sizeof *to);
            else
                *to = (uint32_t)((*from - how->low[a]) * scale + 0.5);
        }
}

static void put_velocities(rp_fine_writer *writer, const rp_chunk *chunk, const packing *how)
{
    void *values;
    if (!rp_parts_add_rows(&writer->parts, RP_FINE_VELOCITY, chunk->count, &values)) return;
    double scale = 1.0 / how->velocity_step, zero = RP_FINE_VELOCITY_ZERO + 0.5;
    uint16_t *to = values;
    for (uint32_t k = 0; k < chunk->count; k++, to += 3) {
        uint32_t i = writer->order[k];
        to[0] = (uint16_t)(chunk->vx[i] * scale + zero);
        to[1] = (uint16_t)(chunk->vy[i] * scale + zero);
        to[2] = (uint16_t)(chunk->vz[i] * scale + zero);
    }
}

static void put_locals(rp_fine_writer *writer, const rp_chunk *chunk)
{
    void *values;
    if (!rp_parts_add_rows(&writer->parts, RP_FINE_LOCAL, chunk->count, &values)) return;
    uint16_t *to = values;
    for (uint32_t k = 0; k < chunk->count; k++)
        to[k] = chunk->local[writer->order[k]];
}

void rp_fine_put(rp_fine_writer *writer, const rp_chunk *chunk)
{
    if (writer->parts.code != RP_OK) return;
    RP_ASSERT(chunk->first >= writer->next_id);
    writer->next_id = (uint64_t)chunk->first + chunk->born;
    rp_parts_add_chunk(&writer->parts, chunk);
    packing how = {.wide = RP_WIDE_NEAR};
    if (chunk->count &&
        (!pack_positions(chunk, writer->facts.precision, &how) || !pack_velocities(chunk, &how))) {
        writer->parts.code = tell_nowhere(writer, chunk);
        return;
    }
    put_packing(writer, &how);
    sort_grains(writer, chunk);
    if (how.wide == RP_WIDE_NEAR)
        put_near(writer, chunk, &how);
    else
        put_far(writer, chunk, &how);
    if (how.velocity_step > 0) put_velocities(writer, chunk, &how);
    if (chunk->count < chunk->born) put_locals(writer, chunk);
}

static void put_facts(rp_sealed_writer *file, const rp_fine_facts *facts,
                      const char *const *body_names)
{
    rp_sealed_put_f64(file, "time", facts->time);
    rp_sealed_put_f64(file, "spacing", facts->spacing);
    rp_sealed_put_f64(file, "precision", facts->precision);
    rp_sealed_put_u64(file, "factor", facts->factor);
    rp_sealed_put_u64(file, "born", facts->born);
    rp_frame_put_bodies(file, facts->bodies, facts->body_count, body_names);
}

rp_code rp_fine_finish(rp_fine_writer *writer, rp_report *report)
{
    writer->parts.report = report;
    size_t bytes = (size_t)writer->facts.body_count * sizeof(rp_body_state);
    rp_sealed_writer *index = rp_parts_index(&writer->parts, bytes);
    if (index) put_facts(index, &writer->facts, writer->body_names);
    rp_code code = rp_parts_finish(&writer->parts, index);
    rp_release(writer, sizeof *writer);
    return code;
}

void rp_fine_abandon(rp_fine_writer *writer)
{
    if (!writer) return;
    rp_parts_abandon(&writer->parts);
    rp_release(writer, sizeof *writer);
}
