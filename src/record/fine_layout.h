/* The columns of frames of fine grains, as writer and reader share them; record/fine.h tells what
 * they mean. */
#ifndef RP_RECORD_FINE_LAYOUT_H
#define RP_RECORD_FINE_LAYOUT_H

#include "record/parts.h"

enum {
    RP_FINE_WIDE = RP_PART_OTHER,
    RP_FINE_LOW,
    RP_FINE_VELOCITY_STEP,
    RP_FINE_NEAR,
    RP_FINE_FAR,
    RP_FINE_VELOCITY,
    RP_FINE_LOCAL,
    RP_FINE_COLUMNS
};

/* Values of "chunks/wide". */
enum { RP_WIDE_NEAR, RP_WIDE_FAR, RP_WIDE_EXACT, RP_WIDE_COUNT };

/* Between these, steps and metres turn into each other without a care. */
#define RP_FINE_PRECISION_LEAST 1e-12 /* m */
#define RP_FINE_PRECISION_MOST 1e6    /* m */

#define RP_FINE_VELOCITY_ZERO 32768 /* what is kept for no velocity */

extern const rp_part_layout rp_fine_layout;

#endif
