/* Grids of views: what is allowed in them, and height fields as triangles. */
#ifndef RP_VIEW_GRID_H
#define RP_VIEW_GRID_H

#include "mesh/mesh.h"
#include "repose/view.h"

/* The words for rp_grid_kind in files, in its order. */
extern const char *const rp_grid_kind_names[RP_GRID_KINDS];

/* Names stand in paths of files: 1 to RP_GRID_NAME_MAX letters, digits, - and _. */
#define RP_GRID_NAME_MAX 48
typedef char rp_grid_name[RP_GRID_NAME_MAX + 1];
bool rp_grid_is_name(const char *name);
/* What is wrong with a grid apart from its values, as a text that lives forever; NULL: nothing. */
const char *rp_grid_fault(const rp_grid *grid);
/* All grids of a view: RP_ERROR_INPUT for one that is impossible or has another's name,
 * RP_ERROR_NUMERIC for a value that is not finite. */
rp_code rp_grids_check(const rp_view *view, rp_report *report);

/* How many nodes there are. */
size_t rp_grid_count(const rp_grid *grid);
/* Where node (i, j, k) is, m; of a height field the point of the surface. */
rp_vec3 rp_grid_point(const rp_grid *grid, size_t i, size_t j, size_t k);
/* The surface of a height field, two triangles a cell; one with a single row has none. */
rp_code rp_grid_mesh(const rp_grid *grid, rp_mesh **out, rp_report *report);

#endif
