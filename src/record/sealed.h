/* Sealed HDF5 files: arrays with units, and numbers about the whole. The disk is reached through
 * base/atomic.h and record/seal.h, so that every failure of the disk and every damaged file is met
 * by code made for it. The HDF5 library writes, in memory only; it never reads, since it was not
 * made for files that somebody tampered with: record/sealed_image.h does. Both are known to
 * sealed_*.c and nowhere else.
 *
 * Any thread may use these, but a writer is finished by the thread that made it: until then, the
 * writers of other threads wait. */
#ifndef RP_RECORD_SEALED_H
#define RP_RECORD_SEALED_H

#include "base/store.h"

/* What is in a file is told by its "kind" and this number; it changes when old readers would
 * stumble. */
#define RP_RECORD_FORMAT 1

/* Writing: what goes wrong is put into the report at once, later calls then do nothing, and finish
 * returns the code. */
typedef struct rp_sealed_writer rp_sealed_writer;

/* `bytes` is about how much data will come; `compress` is 0 (off) to 9. The path and the report
 * must outlive the writer. NULL in `*out` when it fails. */
rp_code rp_sealed_create(const char *path, const char *kind, size_t bytes, int compress,
                         rp_sealed_writer **out, rp_report *report);
/* An array of `rows` values or, with columns > 1, of rows x columns. Slashes in the name make
 * groups. */
void rp_sealed_put(rp_sealed_writer *file, const char *name, const char *unit, rp_field_type type,
                   const void *data, size_t rows, size_t columns);
void rp_sealed_put_texts(rp_sealed_writer *file, const char *name, const char *const *texts,
                         size_t count);
/* Facts about the whole file: attributes of the root. */
void rp_sealed_put_f64(rp_sealed_writer *file, const char *name, double value);
void rp_sealed_put_u64(rp_sealed_writer *file, const char *name, uint64_t value);
void rp_sealed_put_text(rp_sealed_writer *file, const char *name, const char *text);
/* Facts about one array that has been put: its attributes. */
void rp_sealed_note_f64(rp_sealed_writer *file, const char *array, const char *name, double value);
void rp_sealed_note_u64(rp_sealed_writer *file, const char *array, const char *name,
                        uint64_t value);
void rp_sealed_note_text(rp_sealed_writer *file, const char *array, const char *name,
                         const char *text);
/* Memory ran out for what was to be put: the file will not be written. */
void rp_sealed_lack_memory(rp_sealed_writer *file, size_t bytes, const char *name);
/* Seals and writes the file, unless something went wrong before; releases the writer. */
rp_code rp_sealed_finish(rp_sealed_writer *file, rp_report *report);
/* The same, and tells the hash in its seal, by which it is known again. */
rp_code rp_sealed_finish_hash(rp_sealed_writer *file, uint64_t *hash, rp_report *report);

/* Reading: every mistake in the content is RP_ERROR_DAMAGED with path and name. Facts and values
 * are within the ranges of record/limits.h. */
typedef struct rp_sealed_reader rp_sealed_reader;

/* Checks seal, kind and format, and that all arrays are whole and of our making. */
rp_code rp_sealed_open(const char *path, const char *kind, rp_sealed_reader **out,
                       rp_report *report);
void rp_sealed_close(rp_sealed_reader *file);
/* The hash in its seal. */
uint64_t rp_sealed_hash(const rp_sealed_reader *file);
/* Whether the file has a fact of that name. */
bool rp_sealed_has_fact(const rp_sealed_reader *file, const char *name);
rp_code rp_sealed_get_f64(const rp_sealed_reader *file, const char *name, double *value,
                          rp_report *report);
rp_code rp_sealed_get_u64(const rp_sealed_reader *file, const char *name, uint64_t *value,
                          rp_report *report);
/* Facts about an array; texts are printable. */
#define RP_SEALED_TEXT 256
rp_code rp_sealed_noted_f64(const rp_sealed_reader *file, const char *array, const char *name,
                            double *value, rp_report *report);
rp_code rp_sealed_noted_u64(const rp_sealed_reader *file, const char *array, const char *name,
                            uint64_t *value, rp_report *report);
rp_code rp_sealed_noted_text(const rp_sealed_reader *file, const char *array, const char *name,
                             char text[RP_SEALED_TEXT], rp_report *report);
/* How many rows an array has; 0 when it is missing. */
size_t rp_sealed_rows(const rp_sealed_reader *file, const char *name);
/* Reads exactly rows x columns values of a type. */
rp_code rp_sealed_get(const rp_sealed_reader *file, const char *name, rp_field_type type,
                      void *data, size_t rows, size_t columns, rp_report *report);
/* Reads an array of any number of rows into new memory, of which there is never more than the file
 * can account for (1032 times its size, which deflate can make of it, for all arrays together);
 * release it with rows x columns values. */
rp_code rp_sealed_take(const rp_sealed_reader *file, const char *name, rp_field_type type,
                       size_t columns, void **data, size_t *rows, rp_report *report);
/* Adds all one-dimensional arrays below a group ("" for all) to the store in the order in which
 * they were put; their names are those behind "group/". Each has so many rows. */
#define RP_SEALED_ANY SIZE_MAX
rp_code rp_sealed_get_group(const rp_sealed_reader *file, const char *group, size_t rows,
                            rp_store *store, rp_report *report);

#endif
