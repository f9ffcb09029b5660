/* The writer of checksummed files. The HDF5 library builds the file in memory (its core driver);
 * the checksum is computed over that memory, and the whole is written atomically. So HDF5 never
 * sees a full disk, and a file is complete or not there. */
#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "files/checksum.h"
#include "files/checksummed.h"
#include "files/hdf5_reader.h"
#include "system/atomic.h"

#include <hdf5.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* --- the HDF5 library ------------------------------------------------------------------------- */

/* One thread at a time uses HDF5, from the creation of a file to its end: the library may be built
 * without thread safety, and its error stack and settings are then shared by all threads. A thread
 * may have several files open. What the host program itself does with HDF5 at the same time is safe
 * only with a library that is built for threads.
 *
 * HDF5 prints its errors by default. That is switched off meanwhile and restored afterwards, since
 * the host program may use HDF5, too. */
typedef struct hdf5_quiet {
    H5E_auto2_t print;
    void *data;
} hdf5_quiet;

static rp_lock hdf5_lock;

static hdf5_quiet hdf5_enter(void)
{
    rp_lock_take(&hdf5_lock);
    hdf5_quiet before = {0};
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

static void hdf5_leave(hdf5_quiet before)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
    rp_lock_give(&hdf5_lock);
}

/* Little endian on disk, the machine's own in memory. */
static hid_t hdf5_file_type(rp_field_type type)
{
    switch (type) {
    case RP_F32:
        return H5T_IEEE_F32LE;
    case RP_F64:
        return H5T_IEEE_F64LE;
    case RP_U8:
        return H5T_STD_U8LE;
    case RP_U16:
        return H5T_STD_U16LE;
    case RP_U32:
        return H5T_STD_U32LE;
    case RP_U64:
        return H5T_STD_U64LE;
    }
    return H5I_INVALID_HID;
}

static hid_t hdf5_memory_type(rp_field_type type)
{
    switch (type) {
    case RP_F32:
        return H5T_NATIVE_FLOAT;
    case RP_F64:
        return H5T_NATIVE_DOUBLE;
    case RP_U8:
        return H5T_NATIVE_UINT8;
    case RP_U16:
        return H5T_NATIVE_UINT16;
    case RP_U32:
        return H5T_NATIVE_UINT32;
    case RP_U64:
        return H5T_NATIVE_UINT64;
    }
    return H5I_INVALID_HID;
}

/* Closes whatever the id stands for; ids of failed calls are ignored. */
static void hdf5_close(hid_t id)
{
    if (id >= 0) H5Idec_ref(id);
}

typedef struct reason {
    rp_code code;
    char *text;
    size_t size;
} reason;

static herr_t take_reason(unsigned depth, const H5E_error2_t *error, void *context)
{
    reason *taken = context;
    if (depth > 0) return 0;
    snprintf(taken->text, taken->size, "%s", error->desc ? error->desc : "");
    if (error->maj_num == H5E_RESOURCE) taken->code = RP_ERROR_MEMORY;
    return 0;
}

/* HDF5's innermost message about the last failure, and RP_ERROR_MEMORY when it is that memory ran
 * out; else `otherwise`. */
static rp_code hdf5_reason(rp_code otherwise, char *text, size_t size)
{
    snprintf(text, size, "no reason given");
    reason taken = {otherwise, text, size};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &taken);
    return taken.code;
}

/* A name for a file in memory that no other file of this process has: HDF5 takes files of one name
 * for one file. */
static void hdf5_unique_name(char *text, size_t size)
{
    static atomic_uint counter;
    snprintf(text, size, "repose-%u", atomic_fetch_add(&counter, 1));
}

/* --- writer ----------------------------------------------------------------------------------- */

/* What HDF5 adds for its own headers, roughly. */
#define OVERHEAD ((size_t)64 << 10)

struct rp_checksummed_writer {
    const char *path;
    rp_report *report;
    rp_code code;
    int compress;
    uint64_t
        arrays;    /* put so far: the attribute "index" of the next one, which records the order */
    uint64_t hash; /* once it is computed */
    hid_t access, file;
    hdf5_quiet quiet;
};

static void fail(rp_checksummed_writer *file, const char *name)
{
    char text[256];
    rp_place place = {.file = file->path};
    rp_code code = hdf5_reason(RP_ERROR_IO, text, sizeof text);
    file->code = rp_fail_at(file->report, code, &place, name, "HDF5 failed: %s", text);
}

/* Reports a failure of HDF5, the first one only; returns `worked`. */
static bool good(rp_checksummed_writer *file, const char *name, bool worked)
{
    if (!worked && file->code == RP_OK) fail(file, name);
    return worked;
}

static hid_t create_file(rp_checksummed_writer *file, size_t bytes)
{
    char name[64];
    hdf5_unique_name(name, sizeof name);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    file->access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t id = H5I_INVALID_HID;
    /* The memory of the core driver grows by the whole expected size at once, so nothing is copied
     * while writing. The earliest version of the format is asked for, since that is what our reader
     * knows; newer versions of the library would choose another by default. */
    if (H5Pset_libver_bounds(file->access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
        H5Pset_userblock(creation, RP_CHECKSUM_BYTES) >= 0 &&
        H5Pset_fapl_core(file->access, bytes + OVERHEAD, 0) >= 0 &&
        H5Pset_fclose_degree(file->access, H5F_CLOSE_STRONG) >= 0)
        id = H5Fcreate(name, H5F_ACC_TRUNC, creation, file->access);
    hdf5_close(creation);
    return id;
}

rp_code rp_checksummed_create(const char *path, const char *kind, size_t bytes, int compress,
                              rp_checksummed_writer **out, rp_report *report)
{
    *out = NULL;
    rp_checksummed_writer *file = rp_allocate_zero(sizeof *file);
    if (!file) return rp_fail_memory(report, sizeof *file, path);
    file->path = path;
    file->report = report;
    file->compress = compress;
    file->quiet = hdf5_enter();
    file->file = create_file(file, compress ? 0 : bytes);
    if (!good(file, NULL, file->file >= 0)) return rp_checksummed_finish(file, report);
    rp_checksummed_put_text(file, "program", "Repose");
    rp_checksummed_put_text(file, "program_version", rp_version());
    rp_checksummed_put_text(file, "kind", kind);
    rp_checksummed_put_u64(file, "format_version", RP_FILES_FORMAT);
    rp_checksummed_put_text(file, "units", "SI");
    *out = file;
    return RP_OK;
}

static void put_attribute(rp_checksummed_writer *file, hid_t object, const char *name,
                          hid_t file_type, hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    good(file, name, id >= 0 && H5Awrite(id, memory_type, value) >= 0);
    hdf5_close(id);
    hdf5_close(space);
}

/* A text of fixed length, zero-terminated: the kind that every program can read. */
static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static void put_text_attribute(rp_checksummed_writer *file, hid_t object, const char *name,
                               const char *text)
{
    hid_t type = text_type(strlen(text) + 1);
    put_attribute(file, object, name, type, type, text);
    hdf5_close(type);
}

void rp_checksummed_put_f64(rp_checksummed_writer *file, const char *name, double value)
{
    if (file->code != RP_OK) return;
    put_attribute(file, file->file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void rp_checksummed_put_u64(rp_checksummed_writer *file, const char *name, uint64_t value)
{
    if (file->code != RP_OK) return;
    put_attribute(file, file->file, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

void rp_checksummed_put_text(rp_checksummed_writer *file, const char *name, const char *text)
{
    if (file->code != RP_OK) return;
    put_text_attribute(file, file->file, name, text);
}

/* Equal content must give equal files, so HDF5 records no modification times. */
static hid_t array_properties(const rp_checksummed_writer *file, size_t rows, size_t columns)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, 0);
    /* Chunks are needed for filters. Shuffle groups the bytes of equal significance, which deflate
     * then compresses better. */
    if (file->compress && rows && columns) {
        hsize_t chunk[2] = {rows < RP_HDF5_CHUNK_ROWS ? rows : RP_HDF5_CHUNK_ROWS, columns};
        H5Pset_chunk(properties, columns > 1 ? 2 : 1, chunk);
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, (unsigned)file->compress);
    }
    return properties;
}

static hid_t create_array(rp_checksummed_writer *file, const char *name, hid_t type, size_t rows,
                          size_t columns)
{
    const hsize_t extent[2] = {rows, columns};
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, extent, NULL);
    hid_t properties = array_properties(file, rows, columns);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t id = H5Dcreate2(file->file, name, type, space, links, properties, H5P_DEFAULT);
    hdf5_close(links);
    hdf5_close(properties);
    hdf5_close(space);
    good(file, name, id >= 0);
    return id;
}

void rp_checksummed_put(rp_checksummed_writer *file, const char *name, const char *unit,
                        rp_field_type type, const void *data, size_t rows, size_t columns)
{
    RP_ASSERT(columns >= 1 && (data || !rows));
    if (file->code != RP_OK) return;
    hid_t id = create_array(file, name, hdf5_file_type(type), rows, columns);
    if (id < 0) return;
    if (rows)
        good(file, name,
             H5Dwrite(id, hdf5_memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    put_text_attribute(file, id, "unit", unit);
    put_attribute(file, id, "index", H5T_STD_U64LE, H5T_NATIVE_UINT64, &file->arrays);
    file->arrays++;
    hdf5_close(id);
}

static void put_array_attribute(rp_checksummed_writer *file, const char *array, const char *name,
                                hid_t file_type, hid_t memory_type, const void *value)
{
    if (file->code != RP_OK) return;
    hid_t id = H5Dopen2(file->file, array, H5P_DEFAULT);
    if (!good(file, array, id >= 0)) return;
    put_attribute(file, id, name, file_type, memory_type, value);
    hdf5_close(id);
}

void rp_checksummed_attribute_put_f64(rp_checksummed_writer *file, const char *array,
                                      const char *name, double value)
{
    put_array_attribute(file, array, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void rp_checksummed_attribute_put_u64(rp_checksummed_writer *file, const char *array,
                                      const char *name, uint64_t value)
{
    put_array_attribute(file, array, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

void rp_checksummed_attribute_put_text(rp_checksummed_writer *file, const char *array,
                                       const char *name, const char *text)
{
    hid_t type = text_type(strlen(text) + 1);
    put_array_attribute(file, array, name, type, type, text);
    hdf5_close(type);
}

/* The texts side by side, each in `size` bytes. */
static char *packed_texts(const char *const *texts, size_t count, size_t size)
{
    char *packed = rp_allocate_zero(count * size);
    for (size_t i = 0; packed && i < count; i++)
        memcpy(packed + i * size, texts[i], strlen(texts[i]));
    return packed;
}

void rp_checksummed_put_texts(rp_checksummed_writer *file, const char *name,
                              const char *const *texts, size_t count)
{
    if (file->code != RP_OK) return;
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        if (strlen(texts[i]) + 1 > size) size = strlen(texts[i]) + 1;
    char *packed = packed_texts(texts, count, size);
    if (!packed) {
        rp_checksummed_fail_memory(file, count * size, name);
        return;
    }
    hid_t type = text_type(size);
    hid_t id = create_array(file, name, type, count, 1);
    if (id >= 0 && count)
        good(file, name, H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) >= 0);
    hdf5_close(id);
    hdf5_close(type);
    rp_release(packed, count * size);
}

/* The handle of the core driver is its memory, user block included. The checksum is computed and
 * the file written from there: large runs could not afford a copy. */
static void write_image(rp_checksummed_writer *file)
{
    char **image = NULL;
    ssize_t content = -1;
    if (H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0 &&
        H5Fget_vfd_handle(file->file, file->access, (void **)&image) >= 0)
        content = H5Fget_file_image(file->file, NULL, 0); /* does not count the user block */
    if (!good(file, NULL, content >= 0 && image && *image)) return;

    size_t size = RP_CHECKSUM_BYTES + (size_t)content;
    file->hash = rp_checksum_write(*image, size);
    rp_atomic output;
    file->code = rp_atomic_open(&output, file->path, file->report);
    if (file->code != RP_OK) return;
    rp_atomic_write(&output, *image, size);
    file->code = rp_atomic_finish(&output, file->report);
}

void rp_checksummed_fail_memory(rp_checksummed_writer *file, size_t bytes, const char *name)
{
    if (file->code == RP_OK) file->code = rp_fail_memory(file->report, bytes, name);
}

rp_code rp_checksummed_finish_hash(rp_checksummed_writer *file, uint64_t *hash, rp_report *report)
{
    file->report = report;
    if (file->code == RP_OK) write_image(file);
    hdf5_close(file->file);
    hdf5_close(file->access);
    hdf5_leave(file->quiet);
    rp_code code = file->code;
    *hash = file->hash;
    rp_release(file, sizeof *file);
    return code;
}

rp_code rp_checksummed_finish(rp_checksummed_writer *file, rp_report *report)
{
    uint64_t hash;
    return rp_checksummed_finish_hash(file, &hash, report);
}
