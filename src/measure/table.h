/* A table of numbers with named columns, filled row by row. */
#ifndef RP_MEASURE_TABLE_H
#define RP_MEASURE_TABLE_H

#include "repose/base.h"

typedef struct rp_column {
    const char *name, *unit;
} rp_column;

typedef struct rp_table {
    const rp_column *columns; /* not owned */
    int column_count;
    double *values; /* row after row */
    size_t rows, capacity;
} rp_table;

/* Adds a row of `column_count` values. */
rp_code rp_table_add(rp_table *table, const double *row, rp_report *report);
/* One column, copied to `out`, which has room for all rows. */
void rp_table_column(const rp_table *table, int column, double *out);
void rp_table_release(rp_table *table);

#endif
