/* Checksummed files for the fuzzers of record.
 *
 * The first byte picks a mode: an even one takes the rest as the file, with a checksum; an odd one
 * lets the rest drive the making of a valid, checksummed HDF5 file with odd content. In that mode a
 * zero byte, or none, always means "as it should be". */
#ifndef RP_TESTS_FUZZ_CHECKSUMMED_H
#define RP_TESTS_FUZZ_CHECKSUMMED_H

#include "files/checksum.h"

#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct fuzz_bytes {
    const uint8_t *data;
    size_t size;
} fuzz_bytes;

static inline uint8_t next_byte(fuzz_bytes *bytes)
{
    if (!bytes->size) return 0;
    bytes->size--;
    return *bytes->data++;
}

static inline hid_t odd_type(uint8_t choice)
{
    switch (choice % 8) {
    case 0:
        return H5T_IEEE_F32BE;
    case 1:
        return H5T_STD_I32LE;
    case 2:
        return H5T_IEEE_F64LE;
    case 3:
        return H5T_STD_U8LE;
    case 4:
        return H5T_C_S1;
    case 5:
        return H5T_STD_REF_OBJ;
    case 6:
        return H5T_STD_U64BE;
    default:
        return H5T_STD_U16LE;
    }
}

static inline void put_fact(hid_t object, const char *name, hid_t type, const void *value,
                            fuzz_bytes *bytes)
{
    uint8_t odd = next_byte(bytes);
    if (odd % 4 == 1) return;
    hsize_t extent[3] = {odd % 3, 1, 2};
    hid_t space = odd % 4 == 2 ? H5Screate_simple(odd % 3 + 1, extent, NULL)
                  : odd == 7   ? H5Screate(H5S_NULL)
                               : H5Screate(H5S_SCALAR);
    hid_t id = H5Acreate2(object, name, odd % 4 == 3 ? odd_type(odd / 4) : type, space, H5P_DEFAULT,
                          H5P_DEFAULT);
    if (id >= 0 && odd == 0) H5Awrite(id, type, value);
    H5Aclose(id);
    H5Sclose(space);
}

static inline void put_text(hid_t object, const char *name, const char *text, fuzz_bytes *bytes)
{
    uint8_t odd = next_byte(bytes);
    hid_t type = H5Tcopy(H5T_C_S1);
    if (odd != 12) H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_size(type, odd == 4 ? H5T_VARIABLE : odd == 8 ? 60000 : strlen(text) + 1);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = odd % 4 == 1 ? -1 : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (id >= 0 && odd == 0) H5Awrite(id, type, text);
    H5Aclose(id);
    H5Sclose(space);
    H5Tclose(type);
}

/* Wrong links: out of the file, in circles, to nothing. */
static inline void put_link(hid_t file, const char *name, uint8_t choice, hid_t links)
{
    if (choice % 4 == 0) H5Lcreate_external("/etc/hostname", "/x", file, name, links, H5P_DEFAULT);
    if (choice % 4 == 1) H5Lcreate_soft("/grains/x", file, name, links, H5P_DEFAULT);
    if (choice % 4 == 2) H5Lcreate_hard(file, "/", file, name, links, H5P_DEFAULT);
    if (choice % 4 == 3) H5Gclose(H5Gcreate2(file, name, links, H5P_DEFAULT, H5P_DEFAULT));
}

static inline hid_t odd_layout(uint8_t odd, fuzz_bytes *bytes, int rank)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, 0);
    uint8_t choice = odd == 4 ? next_byte(bytes) : 0;
    hsize_t chunk[3] = {1u + next_byte(bytes), 1, 1};
    choice %= 10;
    if ((choice >= 1 && choice <= 5) || choice > 7) H5Pset_chunk(properties, rank, chunk);
    if (choice == 3) H5Pset_fletcher32(properties);
    if (choice == 4 || choice > 7) H5Pset_shuffle(properties);
    if (choice == 2 || choice > 7) H5Pset_deflate(properties, 9); /* after shuffling: our own */
    if (choice == 9) H5Pset_deflate(properties, 9);
    if (choice == 5) H5Pset_scaleoffset(properties, H5Z_SO_INT, 3);
    if (choice == 6) H5Pset_layout(properties, H5D_COMPACT);
    if (choice == 7) H5Pset_external(properties, "/etc/hostname", 0, H5F_UNLIMITED);
    return properties;
}

/* Values that are allowed for everything: halves, of which four are a rotation, and zeros. */
static inline const void *plain_values(hid_t type)
{
    static const uint8_t zeros[8192];
    static float halves[1024];
    static double wide_halves[1024];
    for (int i = 0; i < 1024; i++)
        wide_halves[i] = halves[i] = 0.5f;
    if (H5Tget_class(type) != H5T_FLOAT) return zeros;
    return H5Tget_size(type) == sizeof(float) ? (void *)halves : (void *)wide_halves;
}

/* An array of rows x columns such values, or with something odd about it. */
static inline void put_array(hid_t file, const char *name, hid_t type, hsize_t rows,
                             hsize_t columns, uint64_t index, fuzz_bytes *bytes)
{
    uint8_t odd = next_byte(bytes) % 9;
    if (odd == 1) return;
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (odd == 7) put_link(file, name, next_byte(bytes), links);
    if (odd == 2) type = odd_type(next_byte(bytes));
    hsize_t extent[3] = {rows, columns, 2};
    int rank = columns > 1 ? 2 : 1;
    if (odd == 3) {
        rank = next_byte(bytes) % 4;
        extent[0] = next_byte(bytes);
        extent[0] <<= next_byte(bytes) % 60;
        extent[1] = next_byte(bytes);
    }
    hid_t space = H5Screate_simple(rank, extent, NULL);
    hid_t properties = odd_layout(odd, bytes, rank);
    hid_t id = odd == 7 ? -1 : H5Dcreate2(file, name, type, space, links, properties, H5P_DEFAULT);
    if (id >= 0 && odd != 3 && odd != 8)
        H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, plain_values(type));
    if (id >= 0 && odd != 5) put_text(id, "unit", "m", bytes);
    if (id >= 0 && odd != 6) put_fact(id, "index", H5T_STD_U64LE, &index, bytes);
    H5Dclose(id);
    H5Pclose(properties);
    H5Sclose(space);
    H5Pclose(links);
}

static inline hid_t begin_file(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(access, 1 << 16, 0);
    H5Pset_userblock(creation, RP_CHECKSUM_BYTES);
    hid_t file = H5Fcreate("fuzz", H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    return file;
}

/* Bytes as a file that only this process sees; its path goes to `path`. */
static inline int memory_file(const void *data, size_t size, char *path, size_t path_size)
{
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size) abort();
    snprintf(path, path_size, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

/* The same behind a valid checksum. */
static inline int file_with_checksum(const void *data, size_t size, char *path, size_t path_size)
{
    char *image = calloc(1, RP_CHECKSUM_BYTES + size);
    if (!image) abort();
    if (size) memcpy(image + RP_CHECKSUM_BYTES, data, size);
    rp_checksum_write(image, RP_CHECKSUM_BYTES + size);
    int descriptor = memory_file(image, RP_CHECKSUM_BYTES + size, path, path_size);
    free(image);
    return descriptor;
}

/* Closes an HDF5 file and returns it as a checksummed one. */
static inline int checksummed_file(hid_t file, char *path, size_t path_size)
{
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t size = H5Fget_file_image(file, NULL, 0);
    if (size < 0) abort();
    char *image = calloc(1, RP_CHECKSUM_BYTES + (size_t)size);
    if (!image || H5Fget_file_image(file, image + RP_CHECKSUM_BYTES, (size_t)size) != size) abort();
    rp_checksum_write(image, RP_CHECKSUM_BYTES + (size_t)size);
    int descriptor = memory_file(image, RP_CHECKSUM_BYTES + (size_t)size, path, path_size);
    free(image);
    H5Fclose(file);
    return descriptor;
}

#endif
