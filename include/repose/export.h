/* Export: views in the file formats of other programs. */
#ifndef REPOSE_EXPORT_H
#define REPOSE_EXPORT_H

#include "repose/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is exported of a frame, and in which format. */
typedef struct rp_export_options {
    size_t size;        /* set by rp_default_export_options() */
    const char *format; /* "vtp", "ply", "csv" …: the words of `output: formats:` in a scene */
    const char *folder; /* NULL: RUN/export */
    const char *stem; /* name of the files of grains: letters, digits, - and _; such as "grains" */
    bool grains;      /* write grains */
    bool bodies;      /* write bodies */
    bool contacts;    /* write contacts; vtp and csv only, for views that have them */
    bool grids;       /* write grids, if the view has any; not in usda */
} rp_export_options;
/* vtp to RUN/export: grains as "grains", bodies and grids; no contacts. */
RP_DEFAULTS(rp_export_options, rp_default_export_options)

/* Writes the grains of a view as STEM-000012.FORMAT, its bodies as bodies-000012.FORMAT, its
 * contacts as contacts-000012.FORMAT, its grids as grid-NAME-000012.FORMAT (with the format vtp
 * these are VTK image data, .vti; with ply only the surfaces of height fields). Fields of the view
 * that are NULL are omitted; position, velocity, id and material are required. The files of a whole
 * series, such as grains.pvd, are rewritten each time. `options` may be NULL. */
RP_API rp_code rp_record_export(rp_record *record, int64_t number, const rp_view *view,
                                const rp_export_options *options, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
