#include "base/memory.h"
#include "base/report.h"
#include "repose/measure.h"

#include <string.h>

rp_code rp_table_add(rp_table *table, const double *row, rp_report *report)
{
    RP_NEED(table, report);
    RP_NEED(row, report);
    size_t bytes = (size_t)table->column_count * sizeof *table->values;
    if (!rp_reserve((void **)&table->values, &table->capacity, table->rows, table->rows + 1, bytes))
        return rp_fail_memory(report, (table->rows + 1) * bytes, "a table");
    memcpy(table->values + table->rows * (size_t)table->column_count, row, bytes);
    table->rows++;
    return RP_OK;
}

void rp_table_column(const rp_table *table, int column, double *out)
{
    if (!table || !out || column < 0 || column >= table->column_count) return;
    for (size_t i = 0; i < table->rows; i++)
        out[i] = table->values[i * (size_t)table->column_count + (size_t)column];
}

void rp_table_release(rp_table *table)
{
    if (!table) return;
    rp_release(table->values,
               table->capacity * (size_t)table->column_count * sizeof *table->values);
    *table = (rp_table){.columns = table->columns, .column_count = table->column_count};
}
