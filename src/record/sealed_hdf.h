/* What writing sealed files asks of the HDF5 library; for sealed_write.c only. */
#ifndef RP_RECORD_SEALED_HDF_H
#define RP_RECORD_SEALED_HDF_H

#include "record/sealed.h"

#include <hdf5.h>

/* One thread at a time is inside, from creating a file to finishing it: HDF5 may be built without
 * protection of its own, and its errors and the settings below are then shared by all threads. A
 * thread may have several files in hand. What the host program itself does with HDF5 at the same
 * time is safe only with a library that is built for threads.
 *
 * HDF5 prints its errors unless told not to. Quiet while we are inside, as found afterwards, since
 * the host program may use HDF5, too. */
typedef struct rp_sealed_hdf_quiet {
    H5E_auto2_t print;
    void *data;
} rp_sealed_hdf_quiet;

rp_sealed_hdf_quiet rp_sealed_hdf_enter(void);
void rp_sealed_hdf_leave(rp_sealed_hdf_quiet before);

/* Little endian on disk, the machine's own in memory. */
hid_t rp_sealed_hdf_file_type(rp_field_type type);
hid_t rp_sealed_hdf_memory_type(rp_field_type type);
/* Closes whatever the id stands for; ids of failed calls are let pass. */
void rp_sealed_hdf_close(hid_t id);
/* HDF5's innermost message about the last failure, and RP_ERROR_MEMORY when it is that memory ran
 * out; else `otherwise`. */
rp_code rp_sealed_hdf_reason(rp_code otherwise, char *text, size_t size);
/* A name for a file in memory that no other file of this process has: HDF5 takes files of one name
 * for one file. */
void rp_sealed_hdf_unique_name(char *text, size_t size);

#endif
