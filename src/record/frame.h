/* Frames: one instant in one checksummed HDF5 file.
 *
 *     /          time, step, dt, spacing, count, frame, body_count …   attributes
 *     /grains    x, velocity_x, density …    one array each, with unit
 *     /bodies    position (N, 3), orientation (N, 4), velocity … and names
 *     /contacts  first, position (N, 3), normal_force …    where the view has contacts
 *     /grids     NAME/values …    where the view has grids; attributes say where the nodes are
 */
#ifndef RP_RECORD_FRAME_H
#define RP_RECORD_FRAME_H

#include "files/checksummed.h"
#include "repose/record.h"
#include "view/view.h"

/* The attribute "kind" of the files of frames. */
#define RP_FRAME_KIND "frame"

/* `body_names` holds a name for each body of the view. */
rp_code rp_frame_write(const char *path, int64_t number, const rp_view *view,
                       const char *const *body_names, int compress, rp_report *report);
rp_code rp_frame_read(const char *path, int64_t number, rp_frame_file **out, rp_report *report);

/* A frame that was read; the view's arrays are those of the store. */
struct rp_frame_file {
    rp_view view;
    rp_store store;
    rp_field *fields;
    rp_body_state *bodies;
    rp_contact *contacts;
    rp_store grid_store;
    rp_grid *grids;           /* their values are those of that store */
    rp_grid_name *grid_names; /* as many */
};

/* Common to frames of coarse and of fine grains: the bodies, with their number as "body_count" … */
void rp_frame_put_bodies(rp_checksummed_writer *file, const rp_body_state *bodies, int count,
                         const char *const *names);
rp_code rp_frame_get_bodies(const rp_checksummed_reader *file, const char *path,
                            rp_frame_file *frame, rp_report *report);
/* … and the fields of the view: all entries of the store, each with one value per grain. */
rp_code rp_frame_list_fields(const char *path, rp_frame_file *frame, rp_report *report);

#endif
