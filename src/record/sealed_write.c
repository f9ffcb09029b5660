#include "base/atomic.h"
#include "base/memory.h"
#include "record/seal.h"
#include "record/sealed_hdf.h"

#include <string.h>

/* Values per chunk of a compressed array: small enough to unpack quickly, large enough to pack
 * well. */
#define CHUNK_ROWS ((size_t)64 << 10)
/* What HDF5 adds for itself, roughly. */
#define OVERHEAD ((size_t)64 << 10)

struct rp_sealed_writer {
    const char *path;
    rp_report *report;
    rp_code code;
    int compress;
    uint64_t arrays; /* put so far; each array notes its number, which keeps the order */
    uint64_t hash;   /* once it is sealed */
    hid_t access, file;
    rp_sealed_hdf_quiet quiet;
};

static void fail(rp_sealed_writer *file, const char *name)
{
    char text[256];
    rp_place place = {.file = file->path};
    rp_code code = rp_sealed_hdf_reason(RP_ERROR_IO, text, sizeof text);
    file->code = rp_fail_at(file->report, code, &place, name, "HDF5 failed: %s", text);
}

/* Fails unless all ids and results are good. */
static bool good(rp_sealed_writer *file, const char *name, bool worked)
{
    if (!worked && file->code == RP_OK) fail(file, name);
    return worked;
}

static hid_t create_file(rp_sealed_writer *file, size_t bytes)
{
    char name[64];
    rp_sealed_hdf_unique_name(name, sizeof name);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    file->access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t id = H5I_INVALID_HID;
    /* Grown by all that is to come in one go: no copies while writing. The oldest form of the
     * format, which other versions of the library would not choose, is what our reader knows. */
    if (H5Pset_libver_bounds(file->access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
        H5Pset_userblock(creation, RP_SEAL_BYTES) >= 0 &&
        H5Pset_fapl_core(file->access, bytes + OVERHEAD, 0) >= 0 &&
        H5Pset_fclose_degree(file->access, H5F_CLOSE_STRONG) >= 0)
        id = H5Fcreate(name, H5F_ACC_TRUNC, creation, file->access);
    rp_sealed_hdf_close(creation);
    return id;
}

rp_code rp_sealed_create(const char *path, const char *kind, size_t bytes, int compress,
                         rp_sealed_writer **out, rp_report *report)
{
    *out = NULL;
    rp_sealed_writer *file = rp_allocate_zero(sizeof *file);
    if (!file) return rp_fail_memory(report, sizeof *file, path);
    file->path = path;
    file->report = report;
    file->compress = compress;
    file->quiet = rp_sealed_hdf_enter();
    file->file = create_file(file, compress ? 0 : bytes);
    if (!good(file, NULL, file->file >= 0)) return rp_sealed_finish(file, report);
    rp_sealed_put_text(file, "program", "Repose");
    rp_sealed_put_text(file, "program_version", rp_version());
    rp_sealed_put_text(file, "kind", kind);
    rp_sealed_put_u64(file, "format_version", RP_RECORD_FORMAT);
    rp_sealed_put_text(file, "units", "SI");
    *out = file;
    return RP_OK;
}

static void put_attribute(rp_sealed_writer *file, hid_t object, const char *name, hid_t file_type,
                          hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    good(file, name, id >= 0 && H5Awrite(id, memory_type, value) >= 0);
    rp_sealed_hdf_close(id);
    rp_sealed_hdf_close(space);
}

/* A text of fixed length, ended by a zero byte: the plainest kind, read by everything. */
static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static void put_text_attribute(rp_sealed_writer *file, hid_t object, const char *name,
                               const char *text)
{
    hid_t type = text_type(strlen(text) + 1);
    put_attribute(file, object, name, type, type, text);
    rp_sealed_hdf_close(type);
}

void rp_sealed_put_f64(rp_sealed_writer *file, const char *name, double value)
{
    if (file->code != RP_OK) return;
    put_attribute(file, file->file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void rp_sealed_put_u64(rp_sealed_writer *file, const char *name, uint64_t value)
{
    if (file->code != RP_OK) return;
    put_attribute(file, file->file, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

void rp_sealed_put_text(rp_sealed_writer *file, const char *name, const char *text)
{
    if (file->code != RP_OK) return;
    put_text_attribute(file, file->file, name, text);
}

/* Equal content must give equal files, so no times are noted. */
static hid_t array_properties(const rp_sealed_writer *file, size_t rows, size_t columns)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, 0);
    if (file->compress && rows && columns) {
        hsize_t chunk[2] = {rows < CHUNK_ROWS ? rows : CHUNK_ROWS, columns};
        H5Pset_chunk(properties, columns > 1 ? 2 : 1, chunk);
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, (unsigned)file->compress);
    }
    return properties;
}

static hid_t create_array(rp_sealed_writer *file, const char *name, hid_t type, size_t rows,
                          size_t columns)
{
    const hsize_t extent[2] = {rows, columns};
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, extent, NULL);
    hid_t properties = array_properties(file, rows, columns);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t id = H5Dcreate2(file->file, name, type, space, links, properties, H5P_DEFAULT);
    rp_sealed_hdf_close(links);
    rp_sealed_hdf_close(properties);
    rp_sealed_hdf_close(space);
    good(file, name, id >= 0);
    return id;
}

void rp_sealed_put(rp_sealed_writer *file, const char *name, const char *unit, rp_field_type type,
                   const void *data, size_t rows, size_t columns)
{
    if (file->code != RP_OK) return;
    hid_t id = create_array(file, name, rp_sealed_hdf_file_type(type), rows, columns);
    if (id < 0) return;
    if (rows)
        good(file, name,
             H5Dwrite(id, rp_sealed_hdf_memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >=
                 0);
    put_text_attribute(file, id, "unit", unit);
    put_attribute(file, id, "index", H5T_STD_U64LE, H5T_NATIVE_UINT64, &file->arrays);
    file->arrays++;
    rp_sealed_hdf_close(id);
}

static void note(rp_sealed_writer *file, const char *array, const char *name, hid_t file_type,
                 hid_t memory_type, const void *value)
{
    if (file->code != RP_OK) return;
    hid_t id = H5Dopen2(file->file, array, H5P_DEFAULT);
    if (!good(file, array, id >= 0)) return;
    put_attribute(file, id, name, file_type, memory_type, value);
    rp_sealed_hdf_close(id);
}

void rp_sealed_note_f64(rp_sealed_writer *file, const char *array, const char *name, double value)
{
    note(file, array, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void rp_sealed_note_u64(rp_sealed_writer *file, const char *array, const char *name, uint64_t value)
{
    note(file, array, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

void rp_sealed_note_text(rp_sealed_writer *file, const char *array, const char *name,
                         const char *text)
{
    hid_t type = text_type(strlen(text) + 1);
    note(file, array, name, type, type, text);
    rp_sealed_hdf_close(type);
}

/* The texts side by side, each in `size` bytes. */
static char *packed_texts(const char *const *texts, size_t count, size_t size)
{
    char *packed = rp_allocate_zero(count * size);
    for (size_t i = 0; packed && i < count; i++)
        memcpy(packed + i * size, texts[i], strlen(texts[i]));
    return packed;
}

void rp_sealed_put_texts(rp_sealed_writer *file, const char *name, const char *const *texts,
                         size_t count)
{
    if (file->code != RP_OK) return;
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        if (strlen(texts[i]) + 1 > size) size = strlen(texts[i]) + 1;
    char *packed = packed_texts(texts, count, size);
    if (!packed) {
        rp_sealed_lack_memory(file, count * size, name);
        return;
    }
    hid_t type = text_type(size);
    hid_t id = create_array(file, name, type, count, 1);
    if (id >= 0 && count)
        good(file, name, H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) >= 0);
    rp_sealed_hdf_close(id);
    rp_sealed_hdf_close(type);
    rp_release(packed, count * size);
}

/* The core driver's handle is its memory, user block included: sealed and written from where it
 * is, without a copy that large runs could not afford. */
static void write_image(rp_sealed_writer *file)
{
    char **image = NULL;
    ssize_t content = -1;
    if (H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0 &&
        H5Fget_vfd_handle(file->file, file->access, (void **)&image) >= 0)
        content = H5Fget_file_image(file->file, NULL, 0); /* does not count the user block */
    if (!good(file, NULL, content >= 0 && image && *image)) return;

    size_t size = RP_SEAL_BYTES + (size_t)content;
    file->hash = rp_seal(*image, size);
    rp_atomic aside;
    file->code = rp_atomic_open(&aside, file->path, file->report);
    if (file->code != RP_OK) return;
    rp_atomic_write(&aside, *image, size);
    file->code = rp_atomic_finish(&aside, file->report);
}

void rp_sealed_lack_memory(rp_sealed_writer *file, size_t bytes, const char *name)
{
    if (file->code == RP_OK) file->code = rp_fail_memory(file->report, bytes, name);
}

rp_code rp_sealed_finish_hash(rp_sealed_writer *file, uint64_t *hash, rp_report *report)
{
    file->report = report;
    if (file->code == RP_OK) write_image(file);
    rp_sealed_hdf_close(file->file);
    rp_sealed_hdf_close(file->access);
    rp_sealed_hdf_leave(file->quiet);
    rp_code code = file->code;
    *hash = file->hash;
    rp_release(file, sizeof *file);
    return code;
}

rp_code rp_sealed_finish(rp_sealed_writer *file, rp_report *report)
{
    uint64_t hash;
    return rp_sealed_finish_hash(file, &hash, report);
}
