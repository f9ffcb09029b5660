/* Checksummed HDF5 files: arrays with units, and attributes of the whole file and of its arrays.
 *
 * The HDF5 library writes, into memory only, and never reads, since it was not made for files that
 * were tampered with: files/hdf5_reader.h does. The disk is reached through system/atomic.h, so
 * every failure of the disk and every damaged file is handled by code made for it. Only
 * checksummed_*.c and hdf5_*.c know the format.
 *
 * Any thread may use these, but a writer is finished by the thread that created it: until then, the
 * writers of other threads wait. */
#ifndef RP_FILES_CHECKSUMMED_H
#define RP_FILES_CHECKSUMMED_H

#include "base/store.h"

/* The meaning of a file is given by its attribute "kind" and this number, which changes when older
 * programs could no longer read the files. */
#define RP_FILES_FORMAT 1

/* Writing: the first error is reported at once, later calls then do nothing, and finish returns its
 * code. */
typedef struct rp_checksummed_writer rp_checksummed_writer;

/* `bytes` is an estimate of how much data will come; `compress` is 0 (off) to 9. The path and the
 * report must outlive the writer. NULL in `*out` when it fails. */
rp_code rp_checksummed_create(const char *path, const char *kind, size_t bytes, int compress,
                              rp_checksummed_writer **out, rp_report *report);
/* An array of `rows` values or, with columns > 1, of rows x columns. Slashes in the name make
 * groups. */
void rp_checksummed_put(rp_checksummed_writer *file, const char *name, const char *unit,
                        rp_field_type type, const void *data, size_t rows, size_t columns);
void rp_checksummed_put_texts(rp_checksummed_writer *file, const char *name,
                              const char *const *texts, size_t count);
/* Attributes of the whole file (of its root group). */
void rp_checksummed_put_f64(rp_checksummed_writer *file, const char *name, double value);
void rp_checksummed_put_u64(rp_checksummed_writer *file, const char *name, uint64_t value);
void rp_checksummed_put_text(rp_checksummed_writer *file, const char *name, const char *text);
/* Attributes of an array that has been put. */
void rp_checksummed_attribute_put_f64(rp_checksummed_writer *file, const char *array,
                                      const char *name, double value);
void rp_checksummed_attribute_put_u64(rp_checksummed_writer *file, const char *array,
                                      const char *name, uint64_t value);
void rp_checksummed_attribute_put_text(rp_checksummed_writer *file, const char *array,
                                       const char *name, const char *text);
/* Reports that memory ran out for what was to be put: the file will not be written. */
void rp_checksummed_fail_memory(rp_checksummed_writer *file, size_t bytes, const char *name);
/* Computes the checksum and writes the file, unless there was an error before; releases the writer.
 */
rp_code rp_checksummed_finish(rp_checksummed_writer *file, rp_report *report);
/* The same, and returns the checksum, by which the file can be recognised. */
rp_code rp_checksummed_finish_hash(rp_checksummed_writer *file, uint64_t *hash, rp_report *report);

/* Reading: every mistake in the content is RP_ERROR_DAMAGED with path and name. Attributes and
 * values are within the ranges of files/limits.h. */
typedef struct rp_checksummed_reader rp_checksummed_reader;

/* Checks checksum, kind and format, and that all arrays are complete and as our writer makes them.
 */
rp_code rp_checksummed_open(const char *path, const char *kind, rp_checksummed_reader **out,
                            rp_report *report);
void rp_checksummed_close(rp_checksummed_reader *file);
/* The checksum of the file. */
uint64_t rp_checksummed_hash(const rp_checksummed_reader *file);
/* Whether the file has an attribute of that name. */
bool rp_checksummed_has(const rp_checksummed_reader *file, const char *name);
rp_code rp_checksummed_get_f64(const rp_checksummed_reader *file, const char *name, double *value,
                               rp_report *report);
rp_code rp_checksummed_get_u64(const rp_checksummed_reader *file, const char *name, uint64_t *value,
                               rp_report *report);
/* Attributes of an array; texts are printable. */
#define RP_CHECKSUMMED_TEXT 256
rp_code rp_checksummed_attribute_get_f64(const rp_checksummed_reader *file, const char *array,
                                         const char *name, double *value, rp_report *report);
rp_code rp_checksummed_attribute_get_u64(const rp_checksummed_reader *file, const char *array,
                                         const char *name, uint64_t *value, rp_report *report);
rp_code rp_checksummed_attribute_get_text(const rp_checksummed_reader *file, const char *array,
                                          const char *name, char text[RP_CHECKSUMMED_TEXT],
                                          rp_report *report);
/* How many rows an array has; 0 when it is missing. */
size_t rp_checksummed_rows(const rp_checksummed_reader *file, const char *name);
/* Reads exactly rows x columns values of a type. */
rp_code rp_checksummed_get(const rp_checksummed_reader *file, const char *name, rp_field_type type,
                           void *data, size_t rows, size_t columns, rp_report *report);
/* Reads an array of any number of rows into new memory, of which there is never more than the file
 * can hold (1032 times its size, the best ratio of deflate, for all arrays together);
 * release it with rows x columns values. */
rp_code rp_checksummed_get_all(const rp_checksummed_reader *file, const char *name,
                               rp_field_type type, size_t columns, void **data, size_t *rows,
                               rp_report *report);
/* Adds all one-dimensional arrays below a group ("" for all) to the store in the order in which
 * they were put; their names are those behind "group/". Each has so many rows. */
#define RP_CHECKSUMMED_ANY SIZE_MAX
rp_code rp_checksummed_get_group(const rp_checksummed_reader *file, const char *group, size_t rows,
                                 rp_store *store, rp_report *report);

#endif
