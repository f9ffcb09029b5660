/* Frames of fine grains. A chunk is a small box, so its positions are stored as 16-bit steps of the
 * precision above its low corner, and its velocities as 16-bit multiples of a step of its own;
 * larger boxes have 32-bit steps. The layout is in record/fine.h. */
#include "base/memory.h"
#include "base/report.h"
#include "files/file_set.h"
#include "files/limits.h"
#include "record/fine.h"
#include "record/frame.h"
#include "view/view.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- columns of a part ------------------------------------------------------------------------ */

_Static_assert(sizeof(float) == sizeof(uint32_t), "exact positions are stored as 32-bit words");

enum {
    ENCODING = RP_FILE_SET_OTHER,
    LOW,
    VELOCITY_STEP,
    POSITION_NEAR,
    POSITION_FAR,
    VELOCITY,
    LOCAL,
    COLUMNS
};

/* Values of "chunks/wide". */
enum { ENCODING_NEAR, ENCODING_FAR, ENCODING_EXACT, ENCODINGS };

/* Between these, steps and metres convert without overflow or loss. */
#define PRECISION_LEAST 1e-12 /* m */
#define PRECISION_MOST 1e6    /* m */

#define VELOCITY_ZERO 32768 /* the stored value of velocity 0 */

static const rp_file_set_part_column columns[COLUMNS] = {
    RP_FILE_SET_CHUNKS,
    [ENCODING] = {"chunks/wide", "", RP_U8, 1},
    [LOW] = {"chunks/low", "m", RP_F64, 3},
    [VELOCITY_STEP] = {"chunks/velocity_step", "m/s", RP_F32, 1},
    [POSITION_NEAR] = {"position_near", "", RP_U16, 3},
    [POSITION_FAR] = {"position_far", "", RP_U32, 3},
    [VELOCITY] = {"velocity", "", RP_U16, 3},
    [LOCAL] = {"local", "", RP_U16, 1},
};

static const rp_file_set_part_layout layout = {RP_FINE_KIND, "fine part", columns, COLUMNS};

/* --- writing ---------------------------------------------------------------------------------- */

/* Grains of a part: 100 MB in memory when all of them move, and as much again while it is written.
 */
#define PART_GRAINS 8000000
#define NO_GRAIN UINT32_MAX
/* Steps from the origin beyond which a double no longer resolves small fractions of a step. */
#define STEPS_MOST 0x1p48

struct rp_fine_frame_writer {
    rp_file_set_writer parts;
    rp_fine_frame_info info;
    const char *const *body_names;
    uint64_t next_id;             /* beyond those of the last chunk */
    uint32_t place[RP_CHUNK_MAX]; /* index of the grain of each local number, or NO_GRAIN */
    uint32_t order[RP_CHUNK_MAX]; /* these indices by rising local number */
};

/* How the positions and velocities of a chunk are quantised. */
typedef struct quantisation {
    double low[3]; /* m */
    float velocity_step;
    uint8_t encoding;
} quantisation;

rp_code rp_fine_frame_create(const char *folder, const rp_fine_frame_info *info,
                             const char *const *body_names, int compress,
                             rp_fine_frame_writer **out, rp_report *report)
{
    RP_ASSERT(info->precision >= PRECISION_LEAST && info->precision <= PRECISION_MOST);
    *out = NULL;
    rp_fine_frame_writer *writer = rp_allocate_zero(sizeof *writer);
    if (!writer) return rp_fail_memory(report, sizeof *writer, folder);
    writer->info = *info;
    writer->body_names = body_names;
    rp_code code = rp_file_set_begin(&writer->parts, folder, info->frame, &layout, PART_GRAINS,
                                     compress, report);
    if (code == RP_OK)
        *out = writer;
    else
        rp_release(writer, sizeof *writer);
    return code;
}

void rp_fine_frame_limit(rp_fine_frame_writer *writer, uint64_t grains)
{
    writer->parts.limit = grains;
}

/* A counting sort by local number: chunks have their grains in any order, frames by id. */
static void sort_grains(rp_fine_frame_writer *writer, const rp_chunk *chunk)
{
    memset(writer->place, 0xff, chunk->born * sizeof *writer->place);
    for (uint32_t i = 0; i < chunk->count; i++) {
        RP_ASSERT(chunk->local[i] < chunk->born && writer->place[chunk->local[i]] == NO_GRAIN);
        writer->place[chunk->local[i]] = i;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < chunk->born; i++)
        if (writer->place[i] != NO_GRAIN) writer->order[count++] = writer->place[i];
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

/* Reports the first grain with a value that is not finite. */
static rp_code fail_not_finite(const rp_fine_frame_writer *writer, const rp_chunk *chunk)
{
    const float *const all[] = {chunk->x, chunk->y, chunk->z, chunk->vx, chunk->vy, chunk->vz};
    uint32_t i = 0;
    for (bool finite = true; finite && i < chunk->count; i += finite)
        for (int a = 0; a < 6; a++)
            finite &= isfinite(all[a][i]) != 0;
    return rp_fail(writer->parts.report, RP_ERROR_NUMERIC,
                   "fine grain %" PRIu32 " of frame %" PRId64 ", at %g s, has the position (%g, %g,"
                   " %g) m and the velocity (%g, %g, %g) m/s",
                   chunk->first + chunk->local[i], writer->info.frame, writer->info.time,
                   (double)all[0][i], (double)all[1][i], (double)all[2][i], (double)all[3][i],
                   (double)all[4][i], (double)all[5][i]);
}

/* Chooses the low corner, on a multiple of the precision so that equal positions of two frames are
 * stored as equal ones, and the encoding by the extent of the chunk. */
static bool quantise_positions(const rp_chunk *chunk, double precision, quantisation *out)
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
    out->encoding = steps <= UINT16_MAX ? ENCODING_NEAR : ENCODING_FAR;
    if (steps >= UINT32_MAX || farthest > STEPS_MOST) out->encoding = ENCODING_EXACT;
    if (out->encoding == ENCODING_EXACT) memset(out->low, 0, sizeof out->low);
    return true;
}

/* The largest component is stored as 32767 steps. Where a step would be subnormal, that is for
 * velocities below 4e-34 m/s, the chunk is at rest. */
static bool quantise_velocities(const rp_chunk *chunk, quantisation *out)
{
    const float *const axes[] = {chunk->vx, chunk->vy, chunk->vz};
    float largest = 0;
    for (int a = 0; a < 3; a++) {
        float low, high;
        if (!find_bounds(axes[a], chunk->count, &low, &high)) return false;
        largest = fmaxf(largest, fmaxf(-low, high));
    }
    out->velocity_step = largest / (VELOCITY_ZERO - 1);
    if (out->velocity_step < FLT_MIN) out->velocity_step = 0;
    return true;
}

static void put_quantisation(rp_fine_frame_writer *writer, const quantisation *how)
{
    void *encoding, *low, *step;
    if (!rp_file_set_add_rows(&writer->parts, ENCODING, 1, &encoding) ||
        !rp_file_set_add_rows(&writer->parts, LOW, 1, &low) ||
        !rp_file_set_add_rows(&writer->parts, VELOCITY_STEP, 1, &step))
        return;
    memcpy(encoding, &how->encoding, sizeof how->encoding);
    memcpy(low, how->low, sizeof how->low);
    memcpy(step, &how->velocity_step, sizeof how->velocity_step);
}

/* Rounds to the nearest step: positions are not below `low`, so truncation after adding a half
 * does. */
static void put_near(rp_fine_frame_writer *writer, const rp_chunk *chunk, const quantisation *how)
{
    void *values;
    if (!rp_file_set_add_rows(&writer->parts, POSITION_NEAR, chunk->count, &values)) return;
    double scale = 1 / writer->info.precision;
    const double *low = how->low;
    uint16_t *to = values;
    for (uint32_t k = 0; k < chunk->count; k++, to += 3) {
        uint32_t i = writer->order[k];
        to[0] = (uint16_t)((chunk->x[i] - low[0]) * scale + 0.5);
        to[1] = (uint16_t)((chunk->y[i] - low[1]) * scale + 0.5);
        to[2] = (uint16_t)((chunk->z[i] - low[2]) * scale + 0.5);
    }
}

static void put_far(rp_fine_frame_writer *writer, const rp_chunk *chunk, const quantisation *how)
{
    void *values;
    if (!rp_file_set_add_rows(&writer->parts, POSITION_FAR, chunk->count, &values)) return;
    const float *const axes[] = {chunk->x, chunk->y, chunk->z};
    double scale = 1 / writer->info.precision;
    uint32_t *to = values;
    for (uint32_t k = 0; k < chunk->count; k++)
        for (int a = 0; a < 3; a++, to++) {
            const float *from = &axes[a][writer->order[k]];
            if (how->encoding == ENCODING_EXACT)
                memcpy(to, from, sizeof *to);
            else
                *to = (uint32_t)((*from - how->low[a]) * scale + 0.5);
        }
}

static void put_velocities(rp_fine_frame_writer *writer, const rp_chunk *chunk,
                           const quantisation *how)
{
    void *values;
    if (!rp_file_set_add_rows(&writer->parts, VELOCITY, chunk->count, &values)) return;
    double scale = 1.0 / how->velocity_step, zero = VELOCITY_ZERO + 0.5;
    uint16_t *to = values;
    for (uint32_t k = 0; k < chunk->count; k++, to += 3) {
        uint32_t i = writer->order[k];
        to[0] = (uint16_t)(chunk->vx[i] * scale + zero);
        to[1] = (uint16_t)(chunk->vy[i] * scale + zero);
        to[2] = (uint16_t)(chunk->vz[i] * scale + zero);
    }
}

static void put_locals(rp_fine_frame_writer *writer, const rp_chunk *chunk)
{
    void *values;
    if (!rp_file_set_add_rows(&writer->parts, LOCAL, chunk->count, &values)) return;
    uint16_t *to = values;
    for (uint32_t k = 0; k < chunk->count; k++)
        to[k] = chunk->local[writer->order[k]];
}

void rp_fine_frame_put(rp_fine_frame_writer *writer, const rp_chunk *chunk)
{
    if (writer->parts.code != RP_OK) return;
    RP_ASSERT(chunk->first >= writer->next_id);
    writer->next_id = (uint64_t)chunk->first + chunk->born;
    rp_file_set_add_chunk(&writer->parts, chunk);
    quantisation how = {.encoding = ENCODING_NEAR};
    if (chunk->count && (!quantise_positions(chunk, writer->info.precision, &how) ||
                         !quantise_velocities(chunk, &how))) {
        writer->parts.code = fail_not_finite(writer, chunk);
        return;
    }
    put_quantisation(writer, &how);
    sort_grains(writer, chunk);
    if (how.encoding == ENCODING_NEAR)
        put_near(writer, chunk, &how);
    else
        put_far(writer, chunk, &how);
    if (how.velocity_step > 0) put_velocities(writer, chunk, &how);
    if (chunk->count < chunk->born) put_locals(writer, chunk);
}

static void put_attributes(rp_checksummed_writer *file, const rp_fine_frame_info *info,
                           const char *const *body_names)
{
    rp_checksummed_put_f64(file, "time", info->time);
    rp_checksummed_put_f64(file, "spacing", info->spacing);
    rp_checksummed_put_f64(file, "precision", info->precision);
    rp_checksummed_put_u64(file, "factor", info->factor);
    rp_checksummed_put_u64(file, "born", info->born);
    rp_frame_put_bodies(file, info->bodies, info->body_count, body_names);
}

rp_code rp_fine_frame_finish(rp_fine_frame_writer *writer, rp_report *report)
{
    writer->parts.report = report;
    size_t bytes = (size_t)writer->info.body_count * sizeof(rp_body_state);
    rp_checksummed_writer *index = rp_file_set_index(&writer->parts, bytes);
    if (index) put_attributes(index, &writer->info, writer->body_names);
    rp_code code = rp_file_set_finish(&writer->parts, index);
    rp_release(writer, sizeof *writer);
    return code;
}

void rp_fine_frame_abandon(rp_fine_frame_writer *writer)
{
    if (!writer) return;
    rp_file_set_abandon(&writer->parts);
    rp_release(writer, sizeof *writer);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The arrays of the frame that is read, and how far they are filled. */
typedef struct unpacked {
    float *x[3], *v[3]; /* m, m/s */
    uint32_t *id;
    uint8_t *material;
    double precision; /* m */
    uint64_t next_id;
    size_t done; /* grains */
} unpacked;

/* The next grains in the columns of a part. */
typedef struct cursor {
    const uint16_t *near, *velocity, *local;
    const uint32_t *far;
} cursor;

/* Counts the rows that the columns must have by the table of chunks. */
static void count_rows(const rp_file_set_part *part, uint64_t rows[COLUMNS])
{
    const uint32_t *born = rp_file_set_part_u32(part, RP_FILE_SET_BORN),
                   *count = rp_file_set_part_u32(part, RP_FILE_SET_COUNT);
    const uint8_t *encoding = part->data[ENCODING];
    const float *step = part->data[VELOCITY_STEP];
    for (size_t k = 0; k < part->rows[RP_FILE_SET_FIRST]; k++) {
        rows[encoding[k] == ENCODING_NEAR ? POSITION_NEAR : POSITION_FAR] += count[k];
        if (step[k] > 0) rows[VELOCITY] += count[k];
        if (count[k] < born[k]) rows[LOCAL] += count[k];
    }
}

static rp_code check_columns(const rp_file_set_part *part, rp_report *report)
{
    size_t chunks = part->rows[RP_FILE_SET_FIRST];
    for (int i = ENCODING; i <= VELOCITY_STEP; i++)
        if (part->rows[i] != chunks)
            return rp_file_set_part_damaged(part, part->layout->columns[i].name,
                                            "the array's length is not the number of chunks",
                                            report);
    const uint8_t *encoding = part->data[ENCODING];
    for (size_t k = 0; k < chunks; k++)
        if (encoding[k] >= ENCODINGS)
            return rp_file_set_part_damaged(part, "chunks/wide",
                                            "the encoding of positions is unknown", report);
    uint64_t rows[COLUMNS] = {0};
    count_rows(part, rows);
    for (int i = POSITION_NEAR; i < COLUMNS; i++)
        if (part->rows[i] != rows[i])
            return rp_file_set_part_damaged(part, part->layout->columns[i].name,
                                            "the array's length does not fit the chunks", report);
    return RP_OK;
}

static void read_near(unpacked *to, cursor *at, const double low[3], size_t count)
{
    for (size_t i = to->done; i < to->done + count; i++, at->near += 3) {
        to->x[0][i] = (float)(low[0] + at->near[0] * to->precision);
        to->x[1][i] = (float)(low[1] + at->near[1] * to->precision);
        to->x[2][i] = (float)(low[2] + at->near[2] * to->precision);
    }
}

static void read_far(unpacked *to, cursor *at, const double low[3], size_t count)
{
    for (size_t i = to->done; i < to->done + count; i++, at->far += 3)
        for (int a = 0; a < 3; a++)
            to->x[a][i] = (float)(low[a] + at->far[a] * to->precision);
}

static void read_exact(unpacked *to, cursor *at, size_t count)
{
    for (size_t i = to->done; i < to->done + count; i++, at->far += 3)
        for (int a = 0; a < 3; a++)
            memcpy(&to->x[a][i], &at->far[a], sizeof(float));
}

static void read_velocities(unpacked *to, cursor *at, float step, size_t count)
{
    if (!(step > 0)) {
        for (int a = 0; a < 3; a++)
            memset(to->v[a] + to->done, 0, count * sizeof *to->v[a]);
        return;
    }
    for (size_t i = to->done; i < to->done + count; i++, at->velocity += 3)
        for (int a = 0; a < 3; a++)
            to->v[a][i] = (float)(at->velocity[a] - VELOCITY_ZERO) * step;
}

/* False unless the ids rise and are those of grains that were created. */
static bool read_ids(unpacked *to, cursor *at, uint32_t first, uint32_t born, uint32_t count)
{
    uint32_t *id = to->id + to->done;
    for (uint32_t i = 0; i < count; i++)
        id[i] = first + (count < born ? at->local[i] : i);
    bool rising = !count || id[count - 1] - first < born;
    for (uint32_t i = 1; i < count; i++)
        rising &= id[i] > id[i - 1];
    if (count < born) at->local += count;
    return rising;
}

static rp_code read_chunk(const rp_file_set_part *part, size_t k, cursor *at, unpacked *to,
                          rp_report *report)
{
    uint32_t count = rp_file_set_part_u32(part, RP_FILE_SET_COUNT)[k];
    if (!count) return RP_OK;
    const double *low = (const double *)part->data[LOW] + 3 * k;
    int encoding = ((const uint8_t *)part->data[ENCODING])[k];
    if (encoding == ENCODING_NEAR)
        read_near(to, at, low, count);
    else if (encoding == ENCODING_FAR)
        read_far(to, at, low, count);
    else
        read_exact(to, at, count);
    read_velocities(to, at, ((const float *)part->data[VELOCITY_STEP])[k], count);
    if (!read_ids(to, at, rp_file_set_part_u32(part, RP_FILE_SET_FIRST)[k],
                  rp_file_set_part_u32(part, RP_FILE_SET_BORN)[k], count))
        return rp_file_set_part_damaged(
            part, "local", "a local number is repeated, out of order or too large", report);
    memset(to->material + to->done, ((const uint8_t *)part->data[RP_FILE_SET_MATERIAL])[k], count);
    to->done += count;
    return RP_OK;
}

static rp_code read_part(const rp_file_set *parts, size_t index, unpacked *to, rp_report *report)
{
    rp_file_set_part part;
    RP_TRY(rp_file_set_part_read(parts, index, &to->next_id, &part, report));
    rp_code code = check_columns(&part, report);
    cursor at = {part.data[POSITION_NEAR], part.data[VELOCITY], part.data[LOCAL],
                 part.data[POSITION_FAR]};
    for (size_t k = 0; k < part.rows[RP_FILE_SET_FIRST] && code == RP_OK; k++)
        code = read_chunk(&part, k, &at, to, report);
    rp_file_set_part_end(&part);
    return code;
}

/* An array for all grains, owned by the frame. */
static rp_code add_array(rp_frame_file *frame, int place, void **out, rp_report *report)
{
    const rp_view_column *column = &rp_view_schema[place];
    size_t count = frame->view.count, bytes = count * rp_field_type_size(column->type);
    *out = rp_allocate(bytes);
    if (!*out) return rp_fail_memory(report, bytes, column->name);
    rp_view_set_data(&frame->view, column, *out);
    return rp_store_give(&frame->store, column->name, column->unit, column->type, *out, count,
                         report);
}

static rp_code add_arrays(rp_frame_file *frame, unpacked *to, rp_report *report)
{
    rp_code code = RP_OK;
    for (int a = 0; a < 3 && code == RP_OK; a++)
        code = add_array(frame, RP_VIEW_x + a, (void **)&to->x[a], report);
    for (int a = 0; a < 3 && code == RP_OK; a++)
        code = add_array(frame, RP_VIEW_vx + a, (void **)&to->v[a], report);
    if (code == RP_OK) code = add_array(frame, RP_VIEW_id, (void **)&to->id, report);
    if (code == RP_OK) code = add_array(frame, RP_VIEW_material, (void **)&to->material, report);
    return code;
}

/* Positions are known only when low corner and steps are added, so their range is checked last. */
static rp_code check_range(const rp_file_set *parts, const char *name, const float *values,
                           size_t count, rp_report *report)
{
    rp_limits range = rp_limits_find(name);
    size_t place = rp_limits_first_outside(&range, RP_F32, values, count);
    if (place == count) return RP_OK;
    rp_place where = {.file = parts->index_path.text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &where, name,
                      "value %zu of the parts is %g; allowed are %g to %g", place,
                      (double)values[place], range.low, range.high);
}

static rp_code check_filled(const rp_file_set *parts, const unpacked *to, rp_report *report)
{
    rp_code code = RP_OK;
    for (int a = 0; a < 3 && code == RP_OK; a++)
        code = check_range(parts, "position", to->x[a], to->done, report);
    for (int a = 0; a < 3 && code == RP_OK; a++)
        code = check_range(parts, "velocity", to->v[a], to->done, report);
    return code;
}

static rp_code get_attributes(const rp_checksummed_reader *file, const rp_file_set *parts,
                              rp_view *view, double *precision, rp_report *report)
{
    rp_code code = rp_checksummed_get_f64(file, "time", &view->time, report);
    if (code == RP_OK) code = rp_checksummed_get_f64(file, "spacing", &view->spacing, report);
    if (code == RP_OK) code = rp_checksummed_get_f64(file, "precision", precision, report);
    view->count = (size_t)parts->total;
    return code;
}

/* The index is closed before the parts are read, so that no more than one file is in memory. */
static rp_code read_index(rp_file_set *parts, const char *folder, int64_t number,
                          rp_frame_file *frame, double *precision, rp_report *report)
{
    rp_checksummed_reader *file;
    RP_TRY(rp_file_set_open(parts, folder, number, &layout, &file, report));
    rp_code code = get_attributes(file, parts, &frame->view, precision, report);
    if (code == RP_OK) code = rp_frame_get_bodies(file, parts->index_path.text, frame, report);
    rp_checksummed_close(file);
    return code;
}

static rp_code read_frame(const char *folder, int64_t number, rp_frame_file *frame,
                          rp_report *report)
{
    unpacked to = {0};
    rp_file_set parts = {0};
    rp_code code = read_index(&parts, folder, number, frame, &to.precision, report);
    if (code == RP_OK) code = add_arrays(frame, &to, report);
    if (code == RP_OK) code = rp_frame_list_fields(parts.index_path.text, frame, report);
    for (size_t i = 0; i < parts.list.count && code == RP_OK; i++)
        code = read_part(&parts, i, &to, report);
    if (code == RP_OK) code = check_filled(&parts, &to, report);
    rp_file_set_end(&parts);
    return code;
}

rp_code rp_fine_frame_read(const char *folder, int64_t number, rp_frame_file **out,
                           rp_report *report)
{
    *out = NULL;
    rp_frame_file *frame = rp_allocate_zero(sizeof *frame);
    if (!frame) return rp_fail_memory(report, sizeof *frame, folder);
    rp_store_begin(&frame->store);
    rp_store_begin(&frame->grid_store);
    rp_code code = read_frame(folder, number, frame, report);
    if (code == RP_OK)
        *out = frame;
    else
        rp_frame_close(frame);
    return code;
}
