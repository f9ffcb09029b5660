/* Copies of views: all that a view points to, packed into one block of memory.
 *
 *     | rp_view_buffer | fields | bodies | contacts | grids | x | y | … | names and units |
 *
 * The same walk over the view runs twice: first it counts, then it copies. A block that is large
 * enough is used again, so that a viewer that copies every frame allocates nothing once the number
 * of grains has settled. */
#include "base/memory.h"
#include "base/report.h"
#include "view/grid.h"
#include "view/view.h"

#include <string.h>

#define ALIGNMENT 64 /* bytes, of every array: as the arrays of a world */
#define SPARE 4      /* a block that must grow gets one part in so many more */

struct rp_view_buffer {
    rp_view view;
    char *block;
    size_t capacity; /* bytes */
};

/* A walk: to a block, or only counting. */
typedef struct packing {
    char *block; /* NULL: counts */
    size_t used; /* bytes */
} packing;

/* Room for an array, and its content, where there is any; NULL while counting. */
static void *pack(packing *p, const void *from, size_t bytes)
{
    size_t begin = (p->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    p->used = begin + bytes;
    if (!p->block) return NULL;
    if (from && bytes) memcpy(p->block + begin, from, bytes);
    return p->block + begin;
}

static const char *pack_text(packing *p, const char *text)
{
    size_t bytes = strlen(text) + 1, begin = p->used;
    p->used += bytes;
    return p->block ? memcpy(p->block + begin, text, bytes) : NULL;
}

static bool is_wanted(const rp_field *field, unsigned parts)
{
    return parts & (rp_view_is_extra(field) ? RP_COPY_FIELDS : RP_COPY_GRAINS);
}

/* The pointers of the schema; a field of the view that has the same values shares the copy. */
static void pack_grains(packing *p, const rp_view *from, rp_view *to, unsigned parts)
{
    for (int i = 0; i < RP_VIEW_FIELDS; i++) {
        const rp_view_column *column = &rp_view_schema[i];
        const void *data = parts & RP_COPY_GRAINS ? rp_view_data(from, column) : NULL;
        size_t bytes = from->count * rp_field_type_size(column->type);
        rp_view_set_data(to, column, data ? pack(p, data, bytes) : NULL);
    }
}

static const rp_view_column *column_of(const rp_field *field)
{
    for (int i = 0; i < RP_VIEW_FIELDS; i++)
        if (strcmp(rp_view_schema[i].name, field->name) == 0) return &rp_view_schema[i];
    return NULL;
}

static void pack_fields(packing *p, const rp_view *from, rp_view *to, unsigned parts)
{
    rp_field *fields = pack(p, NULL, (size_t)from->field_count * sizeof *fields);
    int count = 0;
    for (int i = 0; i < from->field_count; i++) {
        const rp_field *field = &from->fields[i];
        if (!is_wanted(field, parts)) continue;
        const rp_view_column *column = column_of(field);
        bool shared = column && rp_view_data(from, column) == field->data;
        size_t bytes = from->count * rp_field_type_size(field->type);
        rp_field made = {.type = field->type};
        made.data = shared ? rp_view_data(to, column) : pack(p, field->data, bytes);
        made.name = pack_text(p, field->name);
        made.unit = pack_text(p, field->unit);
        if (fields) fields[count] = made;
        count++;
    }
    to->fields = fields;
    to->field_count = count;
}

static void pack_grids(packing *p, const rp_view *from, rp_view *to)
{
    rp_grid *grids = pack(p, from->grids, (size_t)from->grid_count * sizeof *grids);
    for (int i = 0; i < from->grid_count; i++) {
        const rp_grid *grid = &from->grids[i];
        const float *values = pack(p, grid->values, rp_grid_count(grid) * sizeof *values);
        const char *name = pack_text(p, grid->name), *unit = pack_text(p, grid->unit);
        if (!grids) continue;
        grids[i].values = values;
        grids[i].name = name;
        grids[i].unit = unit;
    }
    to->grids = grids;
    to->grid_count = from->grid_count;
}

/* All that is wanted; what is not is empty, as in a record that does not hold it. */
static size_t pack_view(const rp_view *from, rp_view *to, unsigned parts, char *block)
{
    packing p = {.block = block};
    if (parts & RP_COPY_FIELDS) parts |= RP_COPY_GRAINS; /* grains without a place are none */
    *to = (rp_view){.time = from->time, .step = from->step, .dt = from->dt};
    to->spacing = from->spacing;
    to->count = parts & (RP_COPY_GRAINS | RP_COPY_FIELDS) ? from->count : 0;
    pack_grains(&p, from, to, parts);
    pack_fields(&p, from, to, parts);
    if (parts & RP_COPY_BODIES) {
        to->bodies = pack(&p, from->bodies, (size_t)from->body_count * sizeof *from->bodies);
        to->body_count = from->body_count;
        if (from->bodies_absent)
            to->bodies_absent = pack(&p, from->bodies_absent, (size_t)from->body_count);
    }
    if (parts & RP_COPY_CONTACTS && from->contacts) {
        to->contacts = pack(&p, from->contacts, from->contact_count * sizeof *from->contacts);
        to->contact_count = from->contact_count;
    }
    if (parts & RP_COPY_GRIDS && from->grid_count) pack_grids(&p, from, to);
    return p.used;
}

/* Room for so many bytes; what the block held is lost when it moves. */
static rp_code reserve(rp_view_buffer *buffer, size_t bytes, rp_report *report)
{
    if (bytes <= buffer->capacity) return RP_OK;
    rp_release(buffer->block, buffer->capacity);
    size_t capacity = bytes + bytes / SPARE;
    buffer->view = (rp_view){0};
    buffer->block = rp_allocate(capacity);
    buffer->capacity = buffer->block ? capacity : 0;
    return buffer->block ? RP_OK : rp_fail_memory(report, capacity, "a copy of a view");
}

rp_code rp_view_copy(const rp_view *view, unsigned parts, rp_view_buffer **buffer,
                     rp_report *report)
{
    RP_NEED(view, report);
    RP_NEED(buffer, report);
    if (*buffer && view == &(*buffer)->view)
        return rp_fail(report, RP_ERROR_INPUT, "a copy of a view cannot be copied to itself");
    if (!*buffer) *buffer = rp_allocate_zero(sizeof **buffer);
    if (!*buffer) return rp_fail_memory(report, sizeof **buffer, "a copy of a view");
    rp_view counted;
    size_t bytes = pack_view(view, &counted, parts, NULL);
    rp_code code = reserve(*buffer, bytes ? bytes : 1, report);
    if (code == RP_OK) pack_view(view, &(*buffer)->view, parts, (*buffer)->block);
    return code;
}

const rp_view *rp_view_buffer_view(const rp_view_buffer *buffer)
{
    return buffer ? &buffer->view : NULL;
}

void rp_view_buffer_destroy(rp_view_buffer *buffer)
{
    if (!buffer) return;
    rp_release(buffer->block, buffer->capacity);
    rp_release(buffer, sizeof *buffer);
}
