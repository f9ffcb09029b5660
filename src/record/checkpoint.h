/* Checkpoints: a store on disk, in a checksummed HDF5 file. */
#ifndef RP_RECORD_CHECKPOINT_H
#define RP_RECORD_CHECKPOINT_H

#include "base/store.h"

/* Writes the file atomically. */
rp_code rp_checkpoint_write(const char *path, const rp_store *store, rp_report *report);
/* Reads the arrays into an empty store, in the order of writing; the store is empty again after a
 * failure. Any damage is RP_ERROR_DAMAGED with the path. */
rp_code rp_checkpoint_read(const char *path, rp_store *store, rp_report *report);

#endif
