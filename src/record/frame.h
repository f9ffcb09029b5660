/* Frames: one instant in one sealed HDF5 file.
 *
 *     /          time, step, dt, spacing, count, frame, body_count …   attributes
 *     /grains    x, velocity_x, density …    one array each, with unit
 *     /bodies    position (N, 3), orientation (N, 4), velocity … and names
 */
#ifndef RP_RECORD_FRAME_H
#define RP_RECORD_FRAME_H

#include "repose/record.h"

/* `body_names` holds a name for each body of the view. */
rp_code rp_frame_write(const char *path, int64_t number, const rp_view *view,
                       const char *const *body_names, int compress, rp_report *report);
rp_code rp_frame_read(const char *path, int64_t number, rp_frame_file **out, rp_report *report);

#endif
