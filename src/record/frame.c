/* Frames: a view as a checksummed file, and back. Every array of the view's schema is one array of
 * the file; bodies and contacts, which are structs in memory, are stored as one array per member.
 * Whatever a reader of the view uses as an index is checked when the frame is read. */
#include "record/frame.h"
#include "base/memory.h"
#include "base/report.h"
#include "files/limits.h"
#include "view/view.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static rp_code damaged(const char *path, const char *key, const char *what, rp_report *report)
{
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key, "%s", what);
}

/* --- contacts --------------------------------------------------------------------------------- */

/* The widest member of a contact. */
#define MEMBER_BYTES (3 * sizeof(float))

static void put_contacts(rp_checksummed_writer *file, const rp_view *view)
{
    if (!view->contacts) return;
    size_t count = view->contact_count, bytes = count * MEMBER_BYTES;
    rp_checksummed_put_u64(file, "contact_count", count);
    void *table = rp_allocate(bytes);
    if (!table) rp_checksummed_fail_memory(file, bytes, "contacts");
    for (int i = 0; i < RP_CONTACT_PARTS && table; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        rp_contact_part_gather(part, view->contacts, count, table);
        rp_checksummed_put(file, part->path, part->unit, part->type, table, count, part->width);
    }
    rp_release(table, bytes);
}

/* Readers of a view index bodies with `second`. */
static rp_code check_contacts(const char *path, const rp_frame_file *frame, rp_report *report)
{
    for (size_t i = 0; i < frame->view.contact_count; i++) {
        const rp_contact *contact = &frame->contacts[i];
        if (contact->with == RP_WITH_BODY && contact->second >= (uint32_t)frame->view.body_count)
            return damaged(path, "contacts/second", "a contact with a body that is not there",
                           report);
    }
    return RP_OK;
}

static rp_code get_contact_members(const rp_checksummed_reader *file, rp_frame_file *frame,
                                   void *table, rp_report *report)
{
    size_t count = frame->view.contact_count;
    for (int i = 0; i < RP_CONTACT_PARTS; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        rp_code code =
            rp_checksummed_get(file, part->path, part->type, table, count, part->width, report);
        RP_TRY(code);
        rp_contact_part_scatter(part, frame->contacts, count, table);
    }
    return RP_OK;
}

/* Allocates as many contacts as the first array has, whose bytes are in the file; the attribute
 * alone could claim any number. */
static rp_code allocate_contacts(const rp_checksummed_reader *file, const char *path,
                                 uint64_t count, rp_frame_file *frame, rp_report *report)
{
    size_t rows = rp_checksummed_rows(file, rp_contact_parts[0].path);
    if (rows != count || rows > SIZE_MAX / sizeof *frame->contacts)
        return damaged(path, rp_contact_parts[0].path,
                       "the array's length is not the number of contacts", report);
    frame->contacts = rp_allocate_zero(rows * sizeof *frame->contacts);
    if (!frame->contacts) return rp_fail_memory(report, rows * sizeof *frame->contacts, path);
    frame->view.contacts = frame->contacts;
    frame->view.contact_count = rows;
    return RP_OK;
}

static rp_code get_contacts(const rp_checksummed_reader *file, const char *path,
                            rp_frame_file *frame, rp_report *report)
{
    uint64_t count = 0;
    if (!rp_checksummed_has(file, "contact_count")) return RP_OK;
    RP_TRY(rp_checksummed_get_u64(file, "contact_count", &count, report));
    RP_TRY(allocate_contacts(file, path, count, frame, report));
    size_t bytes = frame->view.contact_count * MEMBER_BYTES;
    void *table = rp_allocate(bytes);
    if (!table) return rp_fail_memory(report, bytes, path);
    rp_code code = get_contact_members(file, frame, table, report);
    rp_release(table, bytes);
    return code == RP_OK ? check_contacts(path, frame, report) : code;
}

/* --- grids ------------------------------------------------------------------------------------ */

#define GROUP "grids"
#define VALUES "/values"
#define PATH_MAX_LENGTH (sizeof GROUP + sizeof VALUES + RP_GRID_NAME_MAX + 1)

static const char *const size_names[3] = {"size_x", "size_y", "size_z"};
static const char *const spacing_names[3] = {"spacing_x", "spacing_y", "spacing_z"};
static const char *const origin_names[3] = {"origin_x", "origin_y", "origin_z"};

static size_t grid_bytes(const rp_view *view)
{
    size_t bytes = 0;
    for (int i = 0; i < view->grid_count; i++)
        bytes += rp_grid_count(&view->grids[i]) * sizeof(float);
    return bytes;
}

/* The values of a grid as one array; where its nodes are, as attributes of that array. */
static void put_grid(rp_checksummed_writer *file, const rp_grid *grid)
{
    char path[PATH_MAX_LENGTH];
    snprintf(path, sizeof path, GROUP "/%s" VALUES, grid->name);
    rp_checksummed_put(file, path, grid->unit, RP_F32, grid->values, rp_grid_count(grid), 1);
    rp_checksummed_attribute_put_text(file, path, "kind", rp_grid_kind_names[grid->kind]);
    rp_checksummed_attribute_put_u64(file, path, "material", grid->material);
    for (int a = 0; a < 3; a++) {
        rp_checksummed_attribute_put_u64(file, path, size_names[a], grid->size[a]);
        rp_checksummed_attribute_put_f64(file, path, spacing_names[a], grid->spacing[a]);
        rp_checksummed_attribute_put_f64(file, path, origin_names[a], grid->origin[a]);
    }
}

static void put_grids(rp_checksummed_writer *file, const rp_view *view)
{
    if (!view->grid_count) return;
    rp_checksummed_put_u64(file, "grid_count", (uint64_t)view->grid_count);
    for (int i = 0; i < view->grid_count; i++)
        put_grid(file, &view->grids[i]);
}

static rp_code get_kind(const rp_checksummed_reader *file, const char *path, const char *array,
                        rp_grid_kind *kind, rp_report *report)
{
    char word[RP_CHECKSUMMED_TEXT];
    RP_TRY(rp_checksummed_attribute_get_text(file, array, "kind", word, report));
    for (int i = 0; i < RP_GRID_KINDS; i++)
        if (strcmp(word, rp_grid_kind_names[i]) == 0) {
            *kind = (rp_grid_kind)i;
            return RP_OK;
        }
    return damaged(path, array, "the kind of the grid is unknown", report);
}

/* Where the nodes are. Each value is within its range; rp_grid_fault checks them together. */
static rp_code get_geometry(const rp_checksummed_reader *file, const char *array, rp_grid *grid,
                            rp_report *report)
{
    rp_code code = RP_OK;
    for (int a = 0; a < 3 && code == RP_OK; a++) {
        uint64_t size = 0;
        code = rp_checksummed_attribute_get_u64(file, array, size_names[a], &size, report);
        if (code == RP_OK)
            code = rp_checksummed_attribute_get_f64(file, array, spacing_names[a],
                                                    &grid->spacing[a], report);
        if (code == RP_OK)
            code = rp_checksummed_attribute_get_f64(file, array, origin_names[a], &grid->origin[a],
                                                    report);
        grid->size[a] = (size_t)size;
    }
    return code;
}

/* A height is a coordinate and has the range of z. */
static rp_code check_heights(const char *path, const char *array, const rp_grid *grid,
                             rp_report *report)
{
    rp_limits range = rp_limits_find("z");
    size_t count = rp_grid_count(grid);
    if (grid->kind != RP_GRID_HEIGHT ||
        rp_limits_first_outside(&range, RP_F32, grid->values, count) == count)
        return RP_OK;
    return damaged(path, array, "a height is out of reach", report);
}

static rp_code get_grid(const rp_checksummed_reader *file, const char *path,
                        const rp_store_entry *entry, rp_grid *grid, rp_report *report)
{
    char array[PATH_MAX_LENGTH];
    uint64_t material = 0;
    snprintf(array, sizeof array, GROUP "/%s" VALUES, grid->name);
    *grid = (rp_grid){.name = grid->name, .unit = entry->unit, .values = entry->data};
    if (entry->type != RP_F32) return damaged(path, array, "the array has the wrong type", report);
    RP_TRY(get_kind(file, path, array, &grid->kind, report));
    RP_TRY(rp_checksummed_attribute_get_u64(file, array, "material", &material, report));
    if (material > UINT8_MAX)
        RP_TRY(damaged(path, array, "the grid has an impossible material", report));
    RP_TRY(get_geometry(file, array, grid, report));
    grid->material = (uint8_t)material;
    const char *fault = rp_grid_fault(grid);
    if (!fault && rp_grid_count(grid) != entry->count)
        fault = "the array's length is not the number of nodes";
    if (fault) return damaged(path, array, fault, report);
    return check_heights(path, array, grid, report);
}

/* Copies the NAME of "NAME/values"; false for any other path. */
static bool copy_name(const char *path, rp_grid_name name)
{
    const char *slash = strchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (!slash || strcmp(slash, VALUES) != 0 || length > RP_GRID_NAME_MAX) return false;
    memcpy(name, path, length);
    name[length] = 0;
    return rp_grid_is_name(name);
}

/* Every array below "grids" is a grid; their number is small and known (RP_GRIDS_MAX). */
static rp_code list_grids(const rp_checksummed_reader *file, const char *path, rp_frame_file *frame,
                          rp_report *report)
{
    size_t count = frame->grid_store.count;
    frame->grids = rp_allocate_zero(count * sizeof *frame->grids);
    frame->grid_names = rp_allocate_zero(count * sizeof *frame->grid_names);
    if (!frame->grids || !frame->grid_names)
        return rp_fail_memory(report, count * sizeof *frame->grids, path);
    frame->view.grids = frame->grids;
    frame->view.grid_count = (int)count;
    rp_code code = RP_OK;
    for (size_t i = 0; i < count && code == RP_OK; i++) {
        const rp_store_entry *entry = &frame->grid_store.entries[i];
        if (!copy_name(entry->name, frame->grid_names[i]))
            return damaged(path, GROUP, "a grid has an impossible name", report);
        frame->grids[i].name = frame->grid_names[i];
        code = get_grid(file, path, entry, &frame->grids[i], report);
    }
    return code;
}

static rp_code get_grids(const rp_checksummed_reader *file, const char *path, rp_frame_file *frame,
                         rp_report *report)
{
    uint64_t count = 0;
    if (!rp_checksummed_has(file, "grid_count")) return RP_OK;
    RP_TRY(rp_checksummed_get_u64(file, "grid_count", &count, report));
    RP_TRY(rp_checksummed_get_group(file, GROUP, RP_CHECKSUMMED_ANY, &frame->grid_store, report));
    if (count != frame->grid_store.count || count > RP_GRIDS_MAX)
        return damaged(path, "grid_count", "not as many grids as the file holds", report);
    return list_grids(file, path, frame, report);
}

/* --- grains, bodies and the whole frame ------------------------------------------------------- */

/* The arrays of the schema that the view has, then the solver's own fields, in "grains/NAME". */
static void put_grains(rp_checksummed_writer *file, const rp_view *view)
{
    char name[256];
    for (int i = 0; i < RP_VIEW_FIELDS; i++) {
        const rp_view_column *column = &rp_view_schema[i];
        const void *data = rp_view_data(view, column);
        if (!data && view->count) continue; /* optional, as rp_record_write_frame has checked */
        snprintf(name, sizeof name, "grains/%s", column->name);
        rp_checksummed_put(file, name, column->unit, column->type, data, view->count, 1);
    }
    for (int i = 0; i < view->field_count; i++) {
        const rp_field *field = &view->fields[i];
        if (!rp_view_is_extra(field)) continue;
        snprintf(name, sizeof name, "grains/%s", field->name);
        rp_checksummed_put(file, name, field->unit, field->type, field->data, view->count, 1);
    }
}

/* Bodies are few: each member is gathered into one table. */
void rp_frame_put_bodies(rp_checksummed_writer *file, const rp_body_state *bodies, int body_count,
                         const char *const *names)
{
    size_t count = (size_t)body_count, bytes = count * RP_BODY_PART_WIDTH * sizeof(double);
    rp_checksummed_put_u64(file, "body_count", count);
    double *table = rp_allocate(bytes);
    if (!table) rp_checksummed_fail_memory(file, bytes, "bodies");
    for (int i = 0; i < RP_BODY_PARTS && table; i++) {
        const rp_body_part *part = &rp_body_parts[i];
        rp_body_part_gather(part, bodies, count, table);
        rp_checksummed_put(file, part->name, part->unit, RP_F64, table, count, part->width);
    }
    rp_checksummed_put_texts(file, "bodies/names", names, count);
    rp_release(table, bytes);
}

static void put_attributes(rp_checksummed_writer *file, int64_t number, const rp_view *view)
{
    rp_checksummed_put_u64(file, "frame", (uint64_t)number);
    rp_checksummed_put_f64(file, "time", view->time);
    rp_checksummed_put_u64(file, "step", view->step);
    rp_checksummed_put_f64(file, "dt", view->dt);
    rp_checksummed_put_f64(file, "spacing", view->spacing);
    rp_checksummed_put_u64(file, "count", view->count);
}

/* An upper estimate of the file, so that HDF5 allocates its memory once. */
static size_t view_bytes(const rp_view *view)
{
    size_t each = 0;
    for (int i = 0; i < RP_VIEW_FIELDS; i++)
        each += rp_field_type_size(rp_view_schema[i].type);
    for (int i = 0; i < view->field_count; i++)
        if (rp_view_is_extra(&view->fields[i])) each += rp_field_type_size(view->fields[i].type);
    return each * view->count + (size_t)view->body_count * sizeof(rp_body_state) +
           view->contact_count * sizeof(rp_contact) + grid_bytes(view);
}

rp_code rp_frame_write(const char *path, int64_t number, const rp_view *view,
                       const char *const *body_names, int compress, rp_report *report)
{
    rp_checksummed_writer *file;
    RP_TRY(rp_checksummed_create(path, RP_FRAME_KIND, view_bytes(view), compress, &file, report));
    put_attributes(file, number, view);
    put_grains(file, view);
    rp_frame_put_bodies(file, view->bodies, view->body_count, body_names);
    put_contacts(file, view);
    put_grids(file, view);
    return rp_checksummed_finish(file, report);
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

static rp_code get_attributes(const rp_checksummed_reader *file, const char *path, int64_t number,
                              rp_view *view, rp_report *report)
{
    uint64_t frame = 0, count = 0;
    rp_code code = rp_checksummed_get_f64(file, "time", &view->time, report);
    if (code == RP_OK) code = rp_checksummed_get_u64(file, "step", &view->step, report);
    if (code == RP_OK) code = rp_checksummed_get_f64(file, "dt", &view->dt, report);
    if (code == RP_OK) code = rp_checksummed_get_f64(file, "spacing", &view->spacing, report);
    if (code == RP_OK) code = rp_checksummed_get_u64(file, "count", &count, report);
    if (code == RP_OK) code = rp_checksummed_get_u64(file, "frame", &frame, report);
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

/* Points the members of the view at the arrays of the store; the schema says which type each has,
 * and which may be missing. */
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

static rp_code check_body_orientations(const char *path, const rp_frame_file *frame,
                                       rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < frame->view.body_count && code == RP_OK; i++) {
        const double *q = frame->bodies[i].orientation;
        double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        code = check_length(path, "bodies/orientation", (size_t)i, square, report);
    }
    return code;
}

static rp_code get_bodies(const rp_checksummed_reader *file, rp_frame_file *frame, double *table,
                          rp_report *report)
{
    size_t count = (size_t)frame->view.body_count;
    for (int i = 0; i < RP_BODY_PARTS; i++) {
        const rp_body_part *part = &rp_body_parts[i];
        RP_TRY(rp_checksummed_get(file, part->name, RP_F64, table, count, part->width, report));
        rp_body_part_scatter(part, frame->bodies, count, table);
    }
    return RP_OK;
}

rp_code rp_frame_get_bodies(const rp_checksummed_reader *file, const char *path,
                            rp_frame_file *frame, rp_report *report)
{
    uint64_t count = 0;
    RP_TRY(rp_checksummed_get_u64(file, "body_count", &count, report));
    /* The attribute alone could claim any number, also one that is no int. */
    if (count > INT_MAX || rp_checksummed_rows(file, rp_body_parts[0].name) != count)
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
    return code == RP_OK ? check_body_orientations(path, frame, report) : code;
}

/* Grains first: the number of bodies, contacts and nodes is checked against arrays of their own. */
static rp_code read_frame(const rp_checksummed_reader *file, const char *path, int64_t number,
                          rp_frame_file *frame, rp_report *report)
{
    RP_TRY(get_attributes(file, path, number, &frame->view, report));
    RP_TRY(rp_checksummed_get_group(file, "grains", frame->view.count, &frame->store, report));
    RP_TRY(rp_frame_list_fields(path, frame, report));
    RP_TRY(set_pointers(path, frame, report));
    RP_TRY(check_orientations(path, frame, report));
    RP_TRY(rp_frame_get_bodies(file, path, frame, report));
    RP_TRY(get_contacts(file, path, frame, report));
    return get_grids(file, path, frame, report);
}

rp_code rp_frame_read(const char *path, int64_t number, rp_frame_file **out, rp_report *report)
{
    *out = NULL;
    rp_checksummed_reader *file;
    rp_code code = rp_checksummed_open(path, RP_FRAME_KIND, &file, report);
    RP_TRY(code);
    rp_frame_file *frame = rp_allocate_zero(sizeof *frame);
    if (frame) {
        rp_store_begin(&frame->store);
        rp_store_begin(&frame->grid_store);
        code = read_frame(file, path, number, frame, report);
    } else {
        code = rp_fail_memory(report, sizeof *frame, path);
    }
    rp_checksummed_close(file);
    if (code == RP_OK)
        *out = frame;
    else
        rp_frame_close(frame);
    return code;
}
