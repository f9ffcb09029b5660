/* Views: the schema of grain fields, the parts of bodies and contacts, grids, and copies. */
#include "view/view.h"
#include "base/memory.h"
#include "base/report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* --- the schema ------------------------------------------------------------------------------- */

const rp_field *rp_view_field(const rp_view *view, const char *name)
{
    if (!view || !name) return NULL;
    for (int i = 0; i < view->field_count; i++)
        if (strcmp(view->fields[i].name, name) == 0) return &view->fields[i];
    return NULL;
}

#define COLUMN(member, name, unit, value, type, optional)                                          \
    {name, unit, type, optional, offsetof(rp_view, member)},
const rp_view_column rp_view_schema[RP_VIEW_FIELDS] = {RP_VIEW_SCHEMA(COLUMN)};

/* The pointers of rp_view are written out, for readers of the public header; their types must be
 * those of the schema. */
#define SAME_TYPE(member, name, unit, value, type, optional)                                       \
    _Static_assert(_Generic(((rp_view *)0)->member, const value * : 1, default : 0),               \
                   "rp_view has another type of " name " than the schema");
RP_VIEW_SCHEMA(SAME_TYPE)

const void *rp_view_data(const rp_view *view, const rp_view_column *column)
{
    return *(const void *const *)((const char *)view + column->offset);
}

void rp_view_set_data(rp_view *view, const rp_view_column *column, const void *data)
{
    memcpy((char *)view + column->offset, &data, sizeof data);
}

bool rp_view_is_extra(const rp_field *field)
{
    for (int i = 0; i < RP_VIEW_FIELDS; i++)
        if (strcmp(field->name, rp_view_schema[i].name) == 0) return false;
    return true;
}

#define AT(member) offsetof(rp_body_state, member)
_Static_assert(sizeof(rp_body_state) == 25 * sizeof(double) && AT(orientation) == AT(position) + 24,
               "the parts of a state are columns of doubles");

const rp_body_part rp_body_parts[RP_BODY_PARTS] = {
    {"bodies/position", "m", AT(position), 3},
    {"bodies/orientation", "", AT(orientation), 4},
    {"bodies/velocity", "m/s", AT(velocity), 3},
    {"bodies/angular_velocity", "rad/s", AT(angular_velocity), 3},
    {"bodies/force", "N", AT(force), 3},
    {"bodies/torque", "N m", AT(torque), 3},
    {"bodies/contact_force", "N", AT(contact_force), 3},
    {"bodies/contact_torque", "N m", AT(contact_torque), 3},
};

_Static_assert(sizeof(rp_body_state) == 25 * sizeof(double), "a new member belongs in the list");

void rp_body_part_gather(const rp_body_part *part, const rp_body_state *states, size_t count,
                         double *table)
{
    for (size_t i = 0; i < count; i++)
        memcpy(table + i * part->width, (const char *)&states[i] + part->offset,
               part->width * sizeof *table);
}

void rp_body_part_scatter(const rp_body_part *part, rp_body_state *states, size_t count,
                          const double *table)
{
    for (size_t i = 0; i < count; i++)
        memcpy((char *)&states[i] + part->offset, table + i * part->width,
               part->width * sizeof *table);
}

#undef AT
#define AT(member) offsetof(rp_contact, member)

const rp_contact_part rp_contact_parts[RP_CONTACT_PARTS] = {
    {"contacts/first", "", RP_U32, AT(first), 1},
    {"contacts/second", "", RP_U32, AT(second), 1},
    {"contacts/with", "", RP_U8, AT(with), 1},
    {"contacts/position", "m", RP_F32, AT(position), 3},
    {"contacts/normal", "", RP_F32, AT(normal), 3},
    {"contacts/normal_force", "N", RP_F32, AT(normal_force), 1},
    {"contacts/shear_force", "N", RP_F32, AT(shear_force), 3},
    {"contacts/branch", "m", RP_F32, AT(branch), 3},
    {"contacts/overlap", "m", RP_F32, AT(overlap), 1},
};

_Static_assert(sizeof(rp_contact) == 17 * sizeof(float), "a new member belongs in the list");

const char *rp_contact_part_name(const rp_contact_part *part)
{
    return strchr(part->path, '/') + 1;
}

void rp_contact_part_gather(const rp_contact_part *part, const rp_contact *contacts, size_t count,
                            void *table)
{
    size_t bytes = part->width * rp_field_type_size(part->type);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)table + i * bytes, (const char *)&contacts[i] + part->offset, bytes);
}

void rp_contact_part_scatter(const rp_contact_part *part, rp_contact *contacts, size_t count,
                             const void *table)
{
    size_t bytes = part->width * rp_field_type_size(part->type);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)&contacts[i] + part->offset, (const char *)table + i * bytes, bytes);
}

/* --- grids ------------------------------------------------------------------------------------ */

const char *const rp_grid_kind_names[RP_GRID_KINDS] = {
    [RP_GRID_VALUES] = "values", [RP_GRID_HEIGHT] = "height"};

const rp_grid *rp_view_grid(const rp_view *view, const char *name)
{
    if (!view || !name) return NULL;
    for (int i = 0; i < view->grid_count; i++)
        if (strcmp(view->grids[i].name, name) == 0) return &view->grids[i];
    return NULL;
}

size_t rp_grid_count(const rp_grid *grid)
{
    return grid->size[0] * grid->size[1] * grid->size[2];
}

bool rp_grid_is_name(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_') return false;
    return length > 0 && length <= RP_GRID_NAME_MAX;
}

/* More nodes than any memory holds; products of sizes stay far from overflow. */
#define NODES_MAX ((size_t)1 << 40)

static bool are_sizes_possible(const size_t size[3])
{
    size_t left = NODES_MAX;
    for (int a = 0; a < 3; a++) {
        if (size[a] == 0 || size[a] > left) return false;
        left /= size[a];
    }
    return true;
}

const char *rp_grid_fault(const rp_grid *grid)
{
    if (!grid->name || !rp_grid_is_name(grid->name))
        return "its name is not made of 1 to 48 letters, digits, - and _";
    if ((unsigned)grid->kind >= RP_GRID_KINDS) return "its kind is unknown";
    if (!are_sizes_possible(grid->size)) return "its size is impossible";
    if (grid->kind == RP_GRID_HEIGHT && grid->size[2] != 1)
        return "a height field has one layer of nodes";
    for (int a = 0; a < 3; a++)
        if (!(grid->spacing[a] > 0 && isfinite(grid->spacing[a])) || !isfinite(grid->origin[a]))
            return "its spacing is not above zero, or its origin is nowhere";
    return NULL;
}

static rp_code check_grid(const rp_view *view, int index, rp_report *report)
{
    const rp_grid *grid = &view->grids[index];
    const char *name = grid->name ? grid->name : "", *fault = rp_grid_fault(grid);
    if (!fault && (!grid->values || !grid->unit)) fault = "it has no values or no unit";
    if (!fault && rp_view_grid(view, name) != grid) fault = "another grid has its name";
    if (fault) return rp_fail(report, RP_ERROR_INPUT, "grid '%s': %s", name, fault);
    size_t count = rp_grid_count(grid);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(grid->values[i]))
            return rp_fail(report, RP_ERROR_NUMERIC, "grid '%s': value %zu is %g", name, i,
                           (double)grid->values[i]);
    return RP_OK;
}

rp_code rp_grids_check(const rp_view *view, rp_report *report)
{
    if (view->grid_count < 0 || view->grid_count > RP_GRIDS_MAX ||
        (view->grid_count && !view->grids))
        return rp_fail(report, RP_ERROR_INPUT, "the view has %d grids; 0 to %d are allowed",
                       view->grid_count, RP_GRIDS_MAX);
    rp_code code = RP_OK;
    for (int i = 0; i < view->grid_count && code == RP_OK; i++)
        code = check_grid(view, i, report);
    return code;
}

rp_vec3 rp_grid_point(const rp_grid *grid, size_t i, size_t j, size_t k)
{
    double z = grid->kind == RP_GRID_HEIGHT ? (double)grid->values[j * grid->size[0] + i]
                                            : (double)k * grid->spacing[2];
    return rp_v3(grid->origin[0] + (double)i * grid->spacing[0],
                 grid->origin[1] + (double)j * grid->spacing[1], grid->origin[2] + z);
}

/*     c---d     Both triangles of a cell are counter-clockwise, seen from above. The diagonal
 *     |\  |     alternates like a chess board, so that slopes have no preferred direction.
 *     | \ |
 *     a---b  */
static void add_cell(rp_mesh *mesh, const rp_grid *grid, size_t i, size_t j, bool *ok)
{
    uint32_t a = (uint32_t)(j * grid->size[0] + i), b = a + 1, c = a + (uint32_t)grid->size[0],
             d = c + 1;
    if ((i + j) % 2) {
        rp_mesh_add_triangle(mesh, a, b, d, ok);
        rp_mesh_add_triangle(mesh, a, d, c, ok);
    } else {
        rp_mesh_add_triangle(mesh, a, b, c, ok);
        rp_mesh_add_triangle(mesh, b, d, c, ok);
    }
}

rp_code rp_grid_mesh(const rp_grid *grid, rp_mesh **out, rp_report *report)
{
    RP_ASSERT(grid->kind == RP_GRID_HEIGHT && grid->size[2] == 1);
    *out = NULL;
    size_t count = rp_grid_count(grid);
    if (count > RP_MESH_MAX / 2)
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "grid '%s' has too many nodes for a mesh",
                       grid->name);
    rp_mesh *mesh = rp_mesh_create();
    bool ok = mesh != NULL;
    for (size_t j = 0; j < grid->size[1]; j++)
        for (size_t i = 0; i < grid->size[0] && ok; i++)
            rp_mesh_add_vertex(mesh, rp_grid_point(grid, i, j, 0), &ok);
    for (size_t j = 0; j + 1 < grid->size[1]; j++)
        for (size_t i = 0; i + 1 < grid->size[0] && ok; i++)
            add_cell(mesh, grid, i, j, &ok);
    if (ok) {
        *out = mesh;
        return RP_OK;
    }
    rp_mesh_destroy(mesh);
    return rp_fail_memory(report, count * sizeof(rp_vec3), "the surface of a grid");
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Copies of views: all that a view points to, packed into one block of memory.
 *
 *     | rp_view_buffer | fields | bodies | contacts | grids | x | y | … | names and units |
 *
 * The same traversal of the view runs twice: first it counts bytes, then it copies. A block that is
 * large enough is reused, so that a viewer that copies every frame soon allocates no memory. */

#define ALIGNMENT 64 /* bytes, of every array: as the arrays of a world */
#define SPARE 4      /* a block that grows gets a quarter more than it needs */

struct rp_view_buffer {
    rp_view view;
    char *block;
    size_t capacity; /* bytes */
};

/* The state of a traversal. */
typedef struct packing {
    char *block; /* NULL: count only */
    size_t used; /* bytes */
} packing;

/* Appends an array, aligned, and copies its content; returns NULL while counting. */
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

/* Packs the arrays of the schema; a field of the view with the same values shares the copy. */
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

/* Packs the wanted parts; others are empty, as in a record without them. */
static size_t pack_view(const rp_view *from, rp_view *to, unsigned parts, char *block)
{
    packing p = {.block = block};
    if (parts & RP_COPY_FIELDS) parts |= RP_COPY_GRAINS; /* fields need positions */
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

/* Grows the block to so many bytes; its content is lost when it moves. */
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
