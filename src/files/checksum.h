/* The checksum of recorded HDF5 files: one line of text in front of the HDF5 data, in the 512 bytes
 * that HDF5 calls the user block and does not interpret.
 *
 *     REPOSE SEAL 1 <bytes behind the block> <their hash, 16 hex digits>\n  then zeros
 *
 * It finds damage. It does not prove who made a file, since anybody can compute it: the content is
 * checked as well. Programs that know HDF5 open checksummed files as they are. */
#ifndef RP_FILES_CHECKSUM_H
#define RP_FILES_CHECKSUM_H

#include "base/report.h"

#define RP_CHECKSUM_BYTES 512

/* Fills the first RP_CHECKSUM_BYTES of `image`, the `size` bytes of a whole file; returns the hash
 * that it wrote there. */
uint64_t rp_checksum_write(char *image, size_t size);
/* RP_ERROR_DAMAGED, with the path and what is wrong, unless length and hash are right. */
rp_code rp_checksum_check(const char *path, const char *image, size_t size, rp_report *report);
/* The first half of that: whether the length is that of the file, of which `head` holds the first
 * RP_CHECKSUM_BYTES. A file that was extended is refused before it is read. */
rp_code rp_checksum_check_size(const char *path, const char *head, size_t size, rp_report *report);
/* The hash in a checksum line that was checked. */
uint64_t rp_checksum_hash(const char *image);

#endif
