/* USD as text (.usda): what the files of grains and of bodies have in common.
 *
 *     STEM-000012.usda    a frame: one prim with its values as time samples at time code 12
 *     STEM.manifest.usda  which attributes the frames have values for
 *     STEM.usda           the series: the same prim, its values taken from the frames as clips
 *
 * The series uses value clips: a program reads only the frame that it shows. Sublayers could not
 * join frames, since the strongest layer would hide the samples of all others. The manifest saves
 * programs from opening all frames to find out which attributes they have. */
#ifndef RP_EXPORT_USDA_H
#define RP_EXPORT_USDA_H

#include "export/export.h"

typedef enum rp_usda_part { RP_USDA_FRAME, RP_USDA_MANIFEST, RP_USDA_SERIES } rp_usda_part;

/* A file being written. */
typedef struct rp_usda {
    rp_atomic file;
    rp_usda_part part;
    const rp_export *export;
    const uint32_t *order; /* of the grains: their places, ids rising */
} rp_usda;

/* Writes the content of the prim, as much of it as the file of this kind has. */
typedef rp_code rp_usda_fn(rp_usda *usda, rp_report *report);

/* The prim that the files of a stem are about. */
typedef struct rp_usda_prim {
    const char *stem, *type, *name;
    rp_usda_fn *inside;
    bool refer; /* the series refers to its first frame for what does not change; else `inside`
                   writes that into the series itself */
} rp_usda_prim;

/* Writes the frame, then the manifest and the series. */
rp_code rp_usda_write(const rp_export *export, const rp_usda_prim *prim, const uint32_t *order,
                      rp_report *report);

/* "float[] NAME" at an indent of four spaces a level. In a frame its samples are begun, too, and
 * the result is true: values and rp_usda_end_samples must follow. `interpolation` may be NULL. */
bool rp_usda_begin_samples(rp_usda *usda, int level, const char *type, const char *name,
                           const char *interpolation);
void rp_usda_end_samples(rp_usda *usda, int level);
/* "(1, 2, 3)" */
void rp_usda_put_tuple(rp_usda *usda, const double *values, int count);
/* "color3f[] primvars:displayColor = [(r, g, b), …]"; `stride` is the distance of the colours. */
void rp_usda_put_colours(rp_usda *usda, int level, const double *first, size_t stride, int count,
                         const char *interpolation);

/* Makes an identifier from any text. Those that had to be changed end in "__INDEX", and so do those
 * that ended like that already: as long as either texts or indices differ, identifiers differ. */
#define RP_USDA_NAME_MAX 160
void rp_usda_name(const char *text, size_t index, char name[RP_USDA_NAME_MAX]);

#endif
