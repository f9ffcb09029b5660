/* Saves the state of a world to a file, from which it can be continued later. */
#ifndef REPOSE_SAVE_H
#define REPOSE_SAVE_H

#include "repose/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the state of a world to a file, atomically. */
RP_API rp_code rp_world_save(const rp_world *world, const char *path, rp_report *report);
/* Restores the state; the world must have been created from the same scene. */
RP_API rp_code rp_world_load(rp_world *world, const char *path, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
