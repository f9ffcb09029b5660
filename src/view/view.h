/* Views, for the rooms that make, save and read them: the schema of grain fields, and the parts of
 * bodies and contacts, each in one table. The table of grains, the view's pointers, frames, the
 * manifest and exports are all made from these. */
#ifndef RP_VIEW_VIEW_H
#define RP_VIEW_VIEW_H

#include "mesh/mesh.h"
#include "repose/view.h"

/* True when a body of the scene is present; one that the view has no entry for is. */
static inline bool rp_view_has_body(const rp_view *view, int body)
{
    return !view->bodies_absent || body >= view->body_count || !view->bodies_absent[body];
}

/* The grain fields for which rp_view has a pointer: member, name, unit, type of a value, the same
 * as rp_field_type, and whether the field is optional. The members of rp_grains have
 * the same names. The order is that of frames and exports: position and velocity come first. */
#define RP_VIEW_SCHEMA(FIELD)                                                                      \
    FIELD(x, "x", "m", float, RP_F32, false)                                                       \
    FIELD(y, "y", "m", float, RP_F32, false)                                                       \
    FIELD(z, "z", "m", float, RP_F32, false)                                                       \
    FIELD(vx, "velocity_x", "m/s", float, RP_F32, false)                                           \
    FIELD(vy, "velocity_y", "m/s", float, RP_F32, false)                                           \
    FIELD(vz, "velocity_z", "m/s", float, RP_F32, false)                                           \
    FIELD(mass, "mass", "kg", float, RP_F32, false)                                                \
    FIELD(density, "density", "kg/m3", float, RP_F32, true)                                        \
    FIELD(pressure, "pressure", "Pa", float, RP_F32, true)                                         \
    FIELD(id, "id", "", uint32_t, RP_U32, false)                                                   \
    FIELD(material, "material", "", uint8_t, RP_U8, false)                                         \
    FIELD(asleep, "asleep", "", uint8_t, RP_U8, true)                                              \
    FIELD(moisture, "moisture", "", float, RP_F32, true)

/* Indices of the schema: RP_VIEW_x, RP_VIEW_vx … */
#define RP_VIEW_PLACE(member, name, unit, value, type, optional) RP_VIEW_##member,
enum { RP_VIEW_SCHEMA(RP_VIEW_PLACE) RP_VIEW_FIELDS };
#undef RP_VIEW_PLACE

typedef struct rp_view_column {
    const char *name, *unit;
    rp_field_type type;
    bool optional; /* NULL in views of methods without it */
    size_t offset; /* of the pointer in rp_view */
} rp_view_column;
extern const rp_view_column rp_view_schema[RP_VIEW_FIELDS];

/* Returns or sets the pointer of a view to a column's values. */
const void *rp_view_data(const rp_view *view, const rp_view_column *column);
void rp_view_set_data(rp_view *view, const rp_view_column *column, const void *data);
/* True for a field that is not in the schema: one of the solver's own. */
bool rp_view_is_extra(const rp_field *field);

/* One part of rp_body_state as checkpoints and frames hold it: an array of its own, so that it has
 * its unit. */
typedef struct rp_body_part {
    const char *name; /* such as "bodies/position" */
    const char *unit;
    size_t offset; /* in rp_body_state */
    size_t width;  /* doubles per body, at most RP_BODY_PART_WIDTH */
} rp_body_part;

#define RP_BODY_PARTS 8
#define RP_BODY_PART_WIDTH 4
extern const rp_body_part rp_body_parts[RP_BODY_PARTS];

/* From states to a table of `count` rows of the part's width, and back. */
void rp_body_part_gather(const rp_body_part *part, const rp_body_state *states, size_t count,
                         double *table);
void rp_body_part_scatter(const rp_body_part *part, rp_body_state *states, size_t count,
                          const double *table);

/* One part of rp_contact as frames hold it: an array of its own, so that it has its unit. */
typedef struct rp_contact_part {
    const char *path; /* such as "contacts/normal" */
    const char *unit;
    rp_field_type type;
    size_t offset; /* in rp_contact */
    size_t width;  /* values a contact */
} rp_contact_part;

#define RP_CONTACT_PARTS 9
extern const rp_contact_part rp_contact_parts[RP_CONTACT_PARTS];

/* Its name without the group, such as "normal". */
const char *rp_contact_part_name(const rp_contact_part *part);
/* From contacts to a table of `count` rows of the part's width, and back. */
void rp_contact_part_gather(const rp_contact_part *part, const rp_contact *contacts, size_t count,
                            void *table);
void rp_contact_part_scatter(const rp_contact_part *part, rp_contact *contacts, size_t count,
                             const void *table);

/* --- grids: what is allowed in them, and height fields as triangles --------------------------- */

/* The names of rp_grid_kind in files, in its order. */
extern const char *const rp_grid_kind_names[RP_GRID_KINDS];

/* Names are part of paths in files: 1 to RP_GRID_NAME_MAX letters, digits, - and _. */
#define RP_GRID_NAME_MAX 48
typedef char rp_grid_name[RP_GRID_NAME_MAX + 1];
bool rp_grid_is_name(const char *name);
/* Returns what is wrong with a grid apart from its values, as a constant text; NULL: nothing. */
const char *rp_grid_fault(const rp_grid *grid);
/* Checks all grids of a view: RP_ERROR_INPUT for one that is invalid or has another's name,
 * RP_ERROR_NUMERIC for a value that is not finite. */
rp_code rp_grids_check(const rp_view *view, rp_report *report);

/* Returns the number of nodes. */
size_t rp_grid_count(const rp_grid *grid);
/* Returns the position of node (i, j, k), m; of a height field the point of the surface. */
rp_vec3 rp_grid_point(const rp_grid *grid, size_t i, size_t j, size_t k);
/* Makes the surface of a height field, two triangles per cell; one with a single row has none. */
rp_code rp_grid_mesh(const rp_grid *grid, rp_mesh **out, rp_report *report);

#endif
