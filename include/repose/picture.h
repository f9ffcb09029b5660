/* Pictures in memory, and as PNG files. film.h renders them from views and frames. */
#ifndef REPOSE_PICTURE_H
#define REPOSE_PICTURE_H

#include "repose/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RP_PICTURE_EDGE_MAX 8192

/* Rows of red, green and blue from the top, eight bits each, sRGB. */
typedef struct rp_picture {
    int width, height; /* pixels, 1 to RP_PICTURE_EDGE_MAX */
    uint8_t *pixels;   /* 3 width height bytes */
} rp_picture;

/* Creates a black picture. */
RP_API rp_code rp_picture_create(int width, int height, rp_picture **out, rp_report *report);
RP_API void rp_picture_destroy(rp_picture *picture);
/* Writes a PNG file, under a temporary name next to `path`, and renames it: the file is complete or
 * absent. */
RP_API rp_code rp_picture_write_png(const rp_picture *picture, const char *path, rp_report *report);
/* True when this build can write PNG files. */
RP_API bool rp_picture_can_write_png(void);

#ifdef __cplusplus
}
#endif
#endif
