#include "base/memory.h"
#include "base/report.h"
#include "record/fine.h"
#include "record/fine_layout.h"
#include "record/frame.h"
#include "record/limits.h"
#include "view/view.h"

#include <string.h>

/* The arrays of the frame, and how far they are filled. */
typedef struct filling {
    float *x[3], *v[3]; /* m, m/s */
    uint32_t *id;
    uint8_t *material;
    double precision; /* m */
    uint64_t next_id;
    size_t done; /* grains */
} filling;

/* Where the next grains of a part are found. */
typedef struct cursor {
    const uint16_t *near, *velocity, *local;
    const uint32_t *far;
} cursor;

/* Rows that the table of chunks asks of the columns behind it. */
static void count_rows(const rp_part *part, uint64_t rows[RP_FINE_COLUMNS])
{
    const uint32_t *born = rp_part_u32(part, RP_PART_BORN),
                   *count = rp_part_u32(part, RP_PART_COUNT);
    const uint8_t *wide = part->data[RP_FINE_WIDE];
    const float *step = part->data[RP_FINE_VELOCITY_STEP];
    for (size_t k = 0; k < part->rows[RP_PART_FIRST]; k++) {
        rows[wide[k] == RP_WIDE_NEAR ? RP_FINE_NEAR : RP_FINE_FAR] += count[k];
        if (step[k] > 0) rows[RP_FINE_VELOCITY] += count[k];
        if (count[k] < born[k]) rows[RP_FINE_LOCAL] += count[k];
    }
}

static rp_code check_columns(const rp_part *part, rp_report *report)
{
    size_t chunks = part->rows[RP_PART_FIRST];
    for (int i = RP_FINE_WIDE; i <= RP_FINE_VELOCITY_STEP; i++)
        if (part->rows[i] != chunks)
            return rp_part_damaged(part, part->layout->columns[i].name,
                                   "the array's length is not the number of chunks", report);
    const uint8_t *wide = part->data[RP_FINE_WIDE];
    for (size_t k = 0; k < chunks; k++)
        if (wide[k] >= RP_WIDE_COUNT)
            return rp_part_damaged(part, "chunks/wide", "an unknown way to keep positions", report);
    uint64_t rows[RP_FINE_COLUMNS] = {0};
    count_rows(part, rows);
    for (int i = RP_FINE_NEAR; i < RP_FINE_COLUMNS; i++)
        if (part->rows[i] != rows[i])
            return rp_part_damaged(part, part->layout->columns[i].name,
                                   "the array's length does not fit the chunks", report);
    return RP_OK;
}

static void read_near(filling *to, cursor *at, const double low[3], size_t count)
{
    for (size_t i = to->done; i < to->done + count; i++, at->near += 3) {
        to->x[0][i] = (float)(low[0] + at->near[0] * to->precision);
        to->x[1][i] = (float)(low[1] + at->near[1] * to->precision);
        to->x[2][i] = (float)(low[2] + at->near[2] * to->precision);
    }
}

static void read_far(filling *to, cursor *at, const double low[3], size_t count)
{
    for (size_t i = to->done; i < to->done + count; i++, at->far += 3)
        for (int a = 0; a < 3; a++)
            to->x[a][i] = (float)(low[a] + at->far[a] * to->precision);
}

static void read_exact(filling *to, cursor *at, size_t count)
{
    for (size_t i = to->done; i < to->done + count; i++, at->far += 3)
        for (int a = 0; a < 3; a++)
            memcpy(&to->x[a][i], &at->far[a], sizeof(float));
}

static void read_velocities(filling *to, cursor *at, float step, size_t count)
{
    if (!(step > 0)) {
        for (int a = 0; a < 3; a++)
            memset(to->v[a] + to->done, 0, count * sizeof *to->v[a]);
        return;
    }
    for (size_t i = to->done; i < to->done + count; i++, at->velocity += 3)
        for (int a = 0; a < 3; a++)
            to->v[a][i] = (float)(at->velocity[a] - RP_FINE_VELOCITY_ZERO) * step;
}

/* False unless the numbers of those left rise and are those of grains that were born. */
static bool read_ids(filling *to, cursor *at, uint32_t first, uint32_t born, uint32_t count)
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

static rp_code read_chunk(const rp_part *part, size_t k, cursor *at, filling *to, rp_report *report)
{
    uint32_t count = rp_part_u32(part, RP_PART_COUNT)[k];
    if (!count) return RP_OK;
    const double *low = (const double *)part->data[RP_FINE_LOW] + 3 * k;
    int wide = ((const uint8_t *)part->data[RP_FINE_WIDE])[k];
    if (wide == RP_WIDE_NEAR)
        read_near(to, at, low, count);
    else if (wide == RP_WIDE_FAR)
        read_far(to, at, low, count);
    else
        read_exact(to, at, count);
    read_velocities(to, at, ((const float *)part->data[RP_FINE_VELOCITY_STEP])[k], count);
    if (!read_ids(to, at, rp_part_u32(part, RP_PART_FIRST)[k], rp_part_u32(part, RP_PART_BORN)[k],
                  count))
        return rp_part_damaged(part, "local", "a number is repeated, out of order or unborn",
                               report);
    memset(to->material + to->done, ((const uint8_t *)part->data[RP_PART_MATERIAL])[k], count);
    to->done += count;
    return RP_OK;
}

static rp_code read_part(const rp_parts *parts, size_t index, filling *to, rp_report *report)
{
    rp_part part;
    RP_TRY(rp_part_read(parts, index, &to->next_id, &part, report));
    rp_code code = check_columns(&part, report);
    cursor at = {part.data[RP_FINE_NEAR], part.data[RP_FINE_VELOCITY], part.data[RP_FINE_LOCAL],
                 part.data[RP_FINE_FAR]};
    for (size_t k = 0; k < part.rows[RP_PART_FIRST] && code == RP_OK; k++)
        code = read_chunk(&part, k, &at, to, report);
    rp_part_end(&part);
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

static rp_code add_arrays(rp_frame_file *frame, filling *to, rp_report *report)
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

/* The bits of a part may stand for anything until they are put together. */
static rp_code check_range(const rp_parts *parts, const char *name, const float *values,
                           size_t count, rp_report *report)
{
    rp_limits range = rp_limits_of(name);
    size_t place = rp_limits_leave(&range, RP_F32, values, count);
    if (place == count) return RP_OK;
    rp_place where = {.file = parts->index_path.text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &where, name,
                      "value %zu of the parts is %g; allowed are %g to %g", place,
                      (double)values[place], range.low, range.high);
}

static rp_code check_filled(const rp_parts *parts, const filling *to, rp_report *report)
{
    rp_code code = RP_OK;
    for (int a = 0; a < 3 && code == RP_OK; a++)
        code = check_range(parts, "position", to->x[a], to->done, report);
    for (int a = 0; a < 3 && code == RP_OK; a++)
        code = check_range(parts, "velocity", to->v[a], to->done, report);
    return code;
}

static rp_code get_facts(const rp_sealed_reader *file, const rp_parts *parts, rp_view *view,
                         double *precision, rp_report *report)
{
    rp_code code = rp_sealed_get_f64(file, "time", &view->time, report);
    if (code == RP_OK) code = rp_sealed_get_f64(file, "spacing", &view->spacing, report);
    if (code == RP_OK) code = rp_sealed_get_f64(file, "precision", precision, report);
    view->count = (size_t)parts->total;
    return code;
}

/* The index is closed before the parts are read, so that no more than one file is in memory. */
static rp_code read_index(rp_parts *parts, const char *folder, int64_t number, rp_frame_file *frame,
                          double *precision, rp_report *report)
{
    rp_sealed_reader *file;
    RP_TRY(rp_parts_open(parts, folder, number, &rp_fine_layout, &file, report));
    rp_code code = get_facts(file, parts, &frame->view, precision, report);
    if (code == RP_OK) code = rp_frame_get_bodies(file, parts->index_path.text, frame, report);
    rp_sealed_close(file);
    return code;
}

static rp_code read_frame(const char *folder, int64_t number, rp_frame_file *frame,
                          rp_report *report)
{
    filling to = {0};
    rp_parts parts = {0};
    rp_code code = read_index(&parts, folder, number, frame, &to.precision, report);
    if (code == RP_OK) code = add_arrays(frame, &to, report);
    if (code == RP_OK) code = rp_frame_list_fields(parts.index_path.text, frame, report);
    for (size_t i = 0; i < parts.list.count && code == RP_OK; i++)
        code = read_part(&parts, i, &to, report);
    if (code == RP_OK) code = check_filled(&parts, &to, report);
    rp_parts_end(&parts);
    return code;
}

rp_code rp_fine_read(const char *folder, int64_t number, rp_frame_file **out, rp_report *report)
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
