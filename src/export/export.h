/* Exports: frames in the formats of other programs. export.c holds the table of formats; each
 * format has a file of its own. */
#ifndef RP_EXPORT_EXPORT_H
#define RP_EXPORT_EXPORT_H

#include "mesh/mesh.h"
#include "repose/export.h"
#include "system/atomic.h"
#include "view/view.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the exports write memory as it is, and their files are little endian"
#endif

/* The formats, as in RP_FORMAT_WORDS and in that order; NULL beyond the last. */
int rp_export_format_count(void);
const char *rp_export_format(int index);

/* One quantity of all grains: a number or a vector. */
typedef struct rp_export_column {
    char name[128];
    char prefix[128]; /* in front of x, y, z, where a format knows no vectors */
    rp_field_type type;
    int components; /* 1 or 3 */
    const void *data[3];
} rp_export_column;

/* The position, the velocity, then all other fields of the view; fields that end in _x, _y and _z
 * are joined to vectors. */
typedef struct rp_export_columns {
    rp_export_column *items;
    size_t count, capacity;
} rp_export_columns;

typedef struct rp_export {
    const char *folder;
    const char *stem; /* of the grains' files */
    int64_t number;
    const rp_view *view;
    const rp_scene *scene;
    rp_export_columns columns;
} rp_export;

/* The grains of a view, or its contacts, its grids, or its bodies, of which there is at least one.
 */
typedef rp_code rp_export_fn(const rp_export *export, rp_report *report);
rp_export_fn rp_export_vtp_grains, rp_export_vtp_bodies;
rp_export_fn rp_export_ply_grains, rp_export_ply_bodies;
rp_export_fn rp_export_csv_grains, rp_export_csv_bodies;
rp_export_fn rp_export_vtp_contacts, rp_export_csv_contacts;
rp_export_fn rp_export_vtp_grids, rp_export_ply_grids, rp_export_csv_grids;
rp_export_fn rp_export_usda_grains, rp_export_usda_instances, rp_export_usda_bodies;

/* Opens "<folder>/<stem>-<number>.<ending>". */
rp_code rp_export_open(const rp_export *export, const char *stem, const char *ending,
                       rp_atomic *file, rp_report *report);
/* The name of one component: "density", or "vx" of a vector. */
void rp_export_label(const rp_export_column *column, int component, char *text, size_t size);
/* Writes one number as text that reads back as the same bits. */
void rp_export_number(rp_atomic *file, const rp_export_column *column, int component, size_t grain);
/* Writes `count` tuples from 1 to 3 arrays, the components of each tuple side by side. */
void rp_export_tuples(rp_atomic *file, const void *const *data, int components, size_t value_bytes,
                      size_t count);

/* The edge of the square that represents an infinite plane, m: large enough for all that the scene
 * names, and the same in every frame. */
double rp_export_plane_size(const rp_scene *scene);
/* A body as triangles in its own frame. */
rp_code rp_export_tessellate(const rp_export *export, int body, double plane_size, rp_mesh **out,
                             rp_report *report);

/* All bodies as triangles in world coordinates; `owners` has the index of each triangle's body. */
typedef struct rp_body_mesh {
    rp_mesh *mesh;
    uint32_t *owners;
    size_t owner_capacity;
} rp_body_mesh;
rp_code rp_body_mesh_make(const rp_export *export, rp_body_mesh *out, rp_report *report);
void rp_body_mesh_end(rp_body_mesh *bodies);

/* The stem of a grid's files, "grid-NAME"; and a call of a writer for each grid of the view. */
typedef struct rp_export_stem {
    char text[sizeof "grid-" + RP_GRID_NAME_MAX];
} rp_export_stem;
rp_export_stem rp_export_grid_stem(const rp_grid *grid);
typedef rp_code rp_export_grid_fn(const rp_export *export, const rp_grid *grid, rp_report *report);
rp_code rp_export_each_grid(const rp_export *export, rp_export_grid_fn *write, rp_report *report);

#endif
