#include "files/checksum.h"
#include "base/random.h"
#include "base/report.h"
#include "system/atomic.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* HDF5 wants a power of two from 512 on in front of its own data. The length is checked before the
 * rest of the file is read. */
_Static_assert(RP_CHECKSUM_BYTES >= 512 && (RP_CHECKSUM_BYTES & (RP_CHECKSUM_BYTES - 1)) == 0,
               "not a user block");
_Static_assert(RP_CHECKSUM_BYTES <= RP_FILE_HEAD, "the checksum line is read before the file");

#define MAGIC "REPOSE SEAL 1 "

uint64_t rp_checksum_write(char *image, size_t size)
{
    RP_ASSERT(size >= RP_CHECKSUM_BYTES);
    size_t content = size - RP_CHECKSUM_BYTES;
    uint64_t hash = rp_hash(image + RP_CHECKSUM_BYTES, content, 0);
    memset(image, 0, RP_CHECKSUM_BYTES);
    snprintf(image, RP_CHECKSUM_BYTES, MAGIC "%zu %016" PRIx64 "\n", content, hash);
    return hash;
}

uint64_t rp_checksum_hash(const char *image)
{
    uint64_t content = 0, hash = 0;
    char line[RP_CHECKSUM_BYTES];
    memcpy(line, image, sizeof line);
    line[sizeof line - 1] = 0;
    sscanf(line, MAGIC "%" SCNu64 " %" SCNx64, &content, &hash);
    return hash;
}

static rp_code damaged(const char *path, const char *what, rp_report *report)
{
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, NULL, "%s", what);
}

/* The number of bytes behind the line, as it says. */
static bool content_of(const char *head, uint64_t *content)
{
    char line[RP_CHECKSUM_BYTES];
    memcpy(line, head, sizeof line);
    line[sizeof line - 1] = 0;
    return sscanf(line, MAGIC "%" SCNu64, content) == 1;
}

rp_code rp_checksum_check_size(const char *path, const char *head, size_t size, rp_report *report)
{
    if (size < RP_CHECKSUM_BYTES)
        return damaged(path, "the file is cut short: its checksum is not complete", report);
    if (memcmp(head, MAGIC, strlen(MAGIC)) != 0)
        return damaged(path, "the file does not begin with a checksum of Repose", report);
    uint64_t content;
    if (!content_of(head, &content)) return damaged(path, "the checksum cannot be read", report);
    if (content == size - RP_CHECKSUM_BYTES) return RP_OK;
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, NULL,
                      "the file has %zu bytes behind its checksum, which says %" PRIu64,
                      size - RP_CHECKSUM_BYTES, content);
}

rp_code rp_checksum_check(const char *path, const char *image, size_t size, rp_report *report)
{
    RP_TRY(rp_checksum_check_size(path, image, size, report));
    /* The whole block is computed again and compared, so that a change anywhere in it is found. */
    char expected[RP_CHECKSUM_BYTES] = "";
    size_t content = size - RP_CHECKSUM_BYTES;
    uint64_t hash = rp_hash(image + RP_CHECKSUM_BYTES, content, 0);
    snprintf(expected, sizeof expected, MAGIC "%zu %016" PRIx64 "\n", content, hash);
    if (memcmp(image, expected, sizeof expected) != 0)
        return damaged(path, "the file was changed: its content does not match its checksum",
                       report);
    return RP_OK;
}
