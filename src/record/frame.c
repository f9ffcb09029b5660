#include "record/frame.h"
#include "base/memory.h"
#include "base/report.h"
#include "view/view.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_grains(rp_sealed_writer *file, const rp_view *view)
{
    char name[256];
    for (int i = 0; i < RP_VIEW_FIELDS; i++) {
        const rp_view_column *column = &rp_view_schema[i];
        const void *data = rp_view_data(view, column);
        if (!data && view->count) continue; /* optional, as rp_record_write_frame has checked */
        snprintf(name, sizeof name, "grains/%s", column->name);
        rp_sealed_put(file, name, column->unit, column->type, data, view->count, 1);
    }
    for (int i = 0; i < view->field_count; i++) {
        const rp_field *field = &view->fields[i];
        if (!rp_view_is_extra(field)) continue;
        snprintf(name, sizeof name, "grains/%s", field->name);
        rp_sealed_put(file, name, field->unit, field->type, field->data, view->count, 1);
    }
}

/* Bodies are few: each part is gathered into one table. */
void rp_frame_put_bodies(rp_sealed_writer *file, const rp_body_state *bodies, int body_count,
                         const char *const *names)
{
    size_t count = (size_t)body_count, bytes = count * RP_BODY_PART_WIDTH * sizeof(double);
    rp_sealed_put_u64(file, "body_count", count);
    double *table = rp_allocate(bytes);
    if (!table) rp_sealed_lack_memory(file, bytes, "bodies");
    for (int i = 0; i < RP_BODY_PARTS && table; i++) {
        const rp_body_part *part = &rp_body_parts[i];
        rp_body_part_gather(part, bodies, count, table);
        rp_sealed_put(file, part->name, part->unit, RP_F64, table, count, part->width);
    }
    rp_sealed_put_texts(file, "bodies/names", names, count);
    rp_release(table, bytes);
}

static void put_facts(rp_sealed_writer *file, int64_t number, const rp_view *view)
{
    rp_sealed_put_u64(file, "frame", (uint64_t)number);
    rp_sealed_put_f64(file, "time", view->time);
    rp_sealed_put_u64(file, "step", view->step);
    rp_sealed_put_f64(file, "dt", view->dt);
    rp_sealed_put_f64(file, "spacing", view->spacing);
    rp_sealed_put_u64(file, "count", view->count);
}

static size_t view_bytes(const rp_view *view)
{
    size_t each = 0;
    for (int i = 0; i < RP_VIEW_FIELDS; i++)
        each += rp_field_type_size(rp_view_schema[i].type);
    for (int i = 0; i < view->field_count; i++)
        if (rp_view_is_extra(&view->fields[i])) each += rp_field_type_size(view->fields[i].type);
    return each * view->count + (size_t)view->body_count * sizeof(rp_body_state) +
           view->contact_count * sizeof(rp_contact) + rp_frame_grid_bytes(view);
}

rp_code rp_frame_write(const char *path, int64_t number, const rp_view *view,
                       const char *const *body_names, int compress, rp_report *report)
{
    rp_sealed_writer *file;
    RP_TRY(rp_sealed_create(path, RP_FRAME_KIND, view_bytes(view), compress, &file, report));
    put_facts(file, number, view);
    put_grains(file, view);
    rp_frame_put_bodies(file, view->bodies, view->body_count, body_names);
    rp_frame_put_contacts(file, view);
    rp_frame_put_grids(file, view);
    return rp_sealed_finish(file, report);
}

const rp_view *rp_frame_view(const rp_frame_file *frame)
{
    return frame ? &frame->view : NULL;
}

void rp_frame_close(rp_frame_file *frame)
{
    if (!frame) return;
    rp_release(frame->fields, (size_t)frame->view.field_count * sizeof *frame->fields);
    rp_release(frame->contacts, frame->view.contact_count * sizeof *frame->contacts);
    rp_release(frame->bodies, (size_t)frame->view.body_count * sizeof *frame->bodies);
    rp_release(frame->grids, frame->grid_store.count * sizeof *frame->grids);
    rp_release(frame->grid_names, frame->grid_store.count * sizeof *frame->grid_names);
    rp_store_end(&frame->grid_store);
    rp_store_end(&frame->store);
    rp_release(frame, sizeof *frame);
}

static rp_code damaged(const char *path, const char *key, const char *what, rp_report *report)
{
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key, "%s", what);
}

static rp_code get_facts(const rp_sealed_reader *file, const char *path, int64_t number,
                         rp_view *view, rp_report *report)
{
    uint64_t frame = 0, count = 0;
    rp_code code = rp_sealed_get_f64(file, "time", &view->time, report);
    if (code == RP_OK) code = rp_sealed_get_u64(file, "step", &view->step, report);
    if (code == RP_OK) code = rp_sealed_get_f64(file, "dt", &view->dt, report);
    if (code == RP_OK) code = rp_sealed_get_f64(file, "spacing", &view->spacing, report);
    if (code == RP_OK) code = rp_sealed_get_u64(file, "count", &count, report);
    if (code == RP_OK) code = rp_sealed_get_u64(file, "frame", &frame, report);
    if (code == RP_OK && frame != (uint64_t)number)
        code = damaged(path, "frame", "the file holds another frame than its name says", report);
    view->count = (size_t)count;
    return code;
}

rp_code rp_frame_list_fields(const char *path, rp_frame_file *frame, rp_report *report)
{
    size_t count = frame->store.count, bytes = count * sizeof *frame->fields;
    frame->fields = rp_allocate(bytes);
    if (!frame->fields) return rp_fail_memory(report, bytes, path);
    frame->view.fields = frame->fields;
    frame->view.field_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        const rp_store_entry *entry = &frame->store.entries[i];
        if (entry->count != frame->view.count)
            return damaged(path, entry->name, "the array's length is not the number of grains",
                           report);
        frame->fields[i] = (rp_field){entry->name, entry->unit, entry->type, entry->data};
    }
    return RP_OK;
}

static rp_code set_pointers(const char *path, rp_frame_file *frame, rp_report *report)
{
    for (int i = 0; i < RP_VIEW_FIELDS; i++) {
        const rp_view_column *column = &rp_view_schema[i];
        const rp_store_entry *entry = rp_store_find(&frame->store, column->name);
        if (!entry && column->optional) continue;
        if (!entry) return damaged(path, column->name, "the array is missing", report);
        if (entry->type != column->type)
            return damaged(path, column->name, "the array has the wrong type", report);
        rp_view_set_data(&frame->view, column, entry->data);
    }
    return RP_OK;
}

/* A quaternion that turns, and does nothing else. */
#define LENGTH_ERROR 1e-3

static rp_code check_length(const char *path, const char *key, size_t index, double square,
                            rp_report *report)
{
    if (fabs(square - 1) <= LENGTH_ERROR) return RP_OK;
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key,
                      "value %zu has the length %g; allowed is 1", index, sqrt(square));
}

/* Of grains that have one. */
static rp_code check_orientations(const char *path, const rp_frame_file *frame, rp_report *report)
{
    static const char *const names[4] = {"orientation_w", "orientation_x", "orientation_y",
                                         "orientation_z"};
    const float *parts[4];
    for (int k = 0; k < 4; k++) {
        const rp_store_entry *entry = rp_store_find(&frame->store, names[k]);
        if (!entry || entry->type != RP_F32) return RP_OK;
        parts[k] = entry->data;
    }
    rp_code code = RP_OK;
    for (size_t i = 0; i < frame->view.count && code == RP_OK; i++) {
        double square = 0;
        for (int k = 0; k < 4; k++)
            square += (double)parts[k][i] * (double)parts[k][i];
        code = check_length(path, "grains/orientation", i, square, report);
    }
    return code;
}

static rp_code check_turns(const char *path, const rp_frame_file *frame, rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < frame->view.body_count && code == RP_OK; i++) {
        const double *q = frame->bodies[i].orientation;
        double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        code = check_length(path, "bodies/orientation", (size_t)i, square, report);
    }
    return code;
}

static rp_code get_bodies(const rp_sealed_reader *file, rp_frame_file *frame, double *table,
                          rp_report *report)
{
    size_t count = (size_t)frame->view.body_count;
    for (int i = 0; i < RP_BODY_PARTS; i++) {
        const rp_body_part *part = &rp_body_parts[i];
        RP_TRY(rp_sealed_get(file, part->name, RP_F64, table, count, part->width, report));
        rp_body_part_scatter(part, frame->bodies, count, table);
    }
    return RP_OK;
}

rp_code rp_frame_get_bodies(const rp_sealed_reader *file, const char *path, rp_frame_file *frame,
                            rp_report *report)
{
    uint64_t count = 0;
    RP_TRY(rp_sealed_get_u64(file, "body_count", &count, report));
    /* The number alone is not to be trusted for memory, nor for an int. */
    if (count > INT_MAX || rp_sealed_rows(file, rp_body_parts[0].name) != count)
        return damaged(path, "body_count", "not as many bodies as the file holds", report);
    frame->bodies = rp_allocate_zero(count * sizeof *frame->bodies);
    if (!frame->bodies) return rp_fail_memory(report, count * sizeof *frame->bodies, path);
    frame->view.bodies = frame->bodies;
    frame->view.body_count = (int)count;
    size_t table_bytes = count * RP_BODY_PART_WIDTH * sizeof(double);
    double *table = rp_allocate(table_bytes);
    if (!table) return rp_fail_memory(report, table_bytes, path);
    rp_code code = get_bodies(file, frame, table, report);
    rp_release(table, table_bytes);
    return code == RP_OK ? check_turns(path, frame, report) : code;
}

static rp_code read_frame(const rp_sealed_reader *file, const char *path, int64_t number,
                          rp_frame_file *frame, rp_report *report)
{
    RP_TRY(get_facts(file, path, number, &frame->view, report));
    RP_TRY(rp_sealed_get_group(file, "grains", frame->view.count, &frame->store, report));
    RP_TRY(rp_frame_list_fields(path, frame, report));
    RP_TRY(set_pointers(path, frame, report));
    RP_TRY(check_orientations(path, frame, report));
    RP_TRY(rp_frame_get_bodies(file, path, frame, report));
    RP_TRY(rp_frame_get_contacts(file, path, frame, report));
    return rp_frame_get_grids(file, path, frame, report);
}

rp_code rp_frame_read(const char *path, int64_t number, rp_frame_file **out, rp_report *report)
{
    *out = NULL;
    rp_sealed_reader *file;
    rp_code code = rp_sealed_open(path, RP_FRAME_KIND, &file, report);
    RP_TRY(code);
    rp_frame_file *frame = rp_allocate_zero(sizeof *frame);
    if (frame) {
        rp_store_begin(&frame->store);
        rp_store_begin(&frame->grid_store);
        code = read_frame(file, path, number, frame, report);
    } else {
        code = rp_fail_memory(report, sizeof *frame, path);
    }
    rp_sealed_close(file);
    if (code == RP_OK)
        *out = frame;
    else
        rp_frame_close(frame);
    return code;
}
