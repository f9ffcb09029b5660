/* Checkpoints: a store on disk, in a sealed HDF5 file. */
#ifndef RP_RECORD_CHECKPOINT_H
#define RP_RECORD_CHECKPOINT_H

#include "base/store.h"

/* Written aside, synced to disk and renamed. */
rp_code rp_checkpoint_write(const char *path, const rp_store *store, rp_report *report);
/* Fills an empty store, in the order in which it was written; leaves it empty when that fails. Any
 * damage is RP_ERROR_DAMAGED with the path. */
rp_code rp_checkpoint_read(const char *path, rp_store *store, rp_report *report);

#endif
