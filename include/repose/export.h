/* Exports: views in the formats of other programs. */
#ifndef REPOSE_EXPORT_H
#define REPOSE_EXPORT_H

#include "repose/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a frame is written for other programs. */
typedef struct rp_export_options {
    size_t size;        /* set by rp_default_export_options() */
    const char *format; /* "vtp", "ply", "csv" …: the words of `output: formats:` in a scene */
    const char *folder; /* NULL: RUN/export */
    const char *stem;   /* of the grains' files: letters, digits, - and _; such as "grains" */
    bool grains;        /* whether to write them */
    bool bodies;        /* likewise */
    bool contacts;      /* likewise; vtp and csv alone, of views that have them */
    bool grids;         /* likewise, where the view has any; not in usda */
} rp_export_options;
/* vtp to RUN/export: grains under the stem "grains", bodies and grids; no contacts. */
RP_DEFAULTS(rp_export_options, rp_default_export_options)

/* Writes a view as STEM-000012.FORMAT, and its bodies, where it has any, as bodies-000012.FORMAT,
 * its contacts as contacts-000012.FORMAT, its grids as grid-NAME-000012.FORMAT: vtp stands for VTK
 * image data (.vti), and PLY files hold the surfaces of height fields alone.
 * Fields of the view that are NULL are left out; position, velocity, id and material must be there.
 * The files for a whole series, such as grains.pvd, are rewritten each time. `options` may be NULL.
 */
RP_API rp_code rp_record_export(rp_record *record, int64_t number, const rp_view *view,
                                const rp_export_options *options, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
