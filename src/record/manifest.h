/* The manifest of a run folder: who computed what, when, on what machine, in which units. */
#ifndef RP_RECORD_MANIFEST_H
#define RP_RECORD_MANIFEST_H

#include "base/report.h"
#include "scene/scene.h"

rp_code rp_manifest_write(const char *path, const rp_scene *scene, int threads, rp_report *report);
/* The manifest is that of a run of Repose, of any format. */
rp_code rp_manifest_check_program(const char *path, rp_report *report);
/* The manifest is there, whole, and of a format that this program knows. */
rp_code rp_manifest_check(const char *path, rp_report *report);

#endif
