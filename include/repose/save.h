/* Worlds in single files: the whole state, to go on from later. */
#ifndef REPOSE_SAVE_H
#define REPOSE_SAVE_H

#include "repose/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a world's state to a file, which appears whole or not at all. */
RP_API rp_code rp_world_save(const rp_world *world, const char *path, rp_report *report);
/* Takes it back; the world must be of the same scene. */
RP_API rp_code rp_world_load(rp_world *world, const char *path, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
