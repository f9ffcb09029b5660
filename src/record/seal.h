/* The seal of recorded HDF5 files: one line of text in front of the HDF5 data, in the 512 bytes
 * that HDF5 calls the user block and leaves alone.
 *
 *     REPOSE SEAL 1 <bytes behind the block> <their hash, 16 hex digits>\n  then zeros
 *
 * It finds damage. It does not prove who made a file, since anybody can compute it: what is behind
 * it is checked as well. Programs that know HDF5 open sealed files as they are. */
#ifndef RP_RECORD_SEAL_H
#define RP_RECORD_SEAL_H

#include "base/report.h"

#define RP_SEAL_BYTES 512

/* Fills the first RP_SEAL_BYTES of `image`, of which `size` bytes in all are to be written; gives
 * the hash that it notes there. */
uint64_t rp_seal(char *image, size_t size);
/* RP_ERROR_DAMAGED, with the path and what is wrong, unless the seal fits. */
rp_code rp_seal_check(const char *path, const char *image, size_t size, rp_report *report);
/* The first half of that: the seal says as many bytes as the file has, of which `head` holds those
 * of the seal. A file that was stretched need not be read to be refused. */
rp_code rp_seal_check_size(const char *path, const char *head, size_t size, rp_report *report);
/* The hash in a seal that was checked. */
uint64_t rp_seal_hash(const char *image);

#endif
