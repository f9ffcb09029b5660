/* Tables that grow by a row a frame while something runs, and are cut back when it is resumed. */
#ifndef RP_RUN_ROWS_H
#define RP_RUN_ROWS_H

#include "measure/measure.h"

#include <stdint.h>

/* Adds this frame's row, with the head where the table begins. */
rp_code rp_rows_add(const char *path, int64_t frame, double time, const rp_measured *measured,
                    int count, rp_report *report);
/* Drops the rows behind `frame` and a broken last one; a table that never began is fine. */
rp_code rp_rows_rewind(const char *path, int64_t frame, rp_report *report);

#endif
