#include "record/seal.h"
#include "base/atomic.h"
#include "base/hash.h"
#include "base/report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* HDF5 wants a power of two from 512 on before its own data; the head of a file is checked alone.
 */
_Static_assert(RP_SEAL_BYTES >= 512 && (RP_SEAL_BYTES & (RP_SEAL_BYTES - 1)) == 0,
               "not a user block");
_Static_assert(RP_SEAL_BYTES <= RP_FILE_HEAD, "a seal is read before the file");

#define SEAL_WORD "REPOSE SEAL 1 "

uint64_t rp_seal(char *image, size_t size)
{
    size_t content = size - RP_SEAL_BYTES;
    uint64_t hash = rp_hash(image + RP_SEAL_BYTES, content, 0);
    memset(image, 0, RP_SEAL_BYTES);
    snprintf(image, RP_SEAL_BYTES, SEAL_WORD "%zu %016" PRIx64 "\n", content, hash);
    return hash;
}

uint64_t rp_seal_hash(const char *image)
{
    uint64_t content = 0, hash = 0;
    char line[RP_SEAL_BYTES];
    memcpy(line, image, sizeof line);
    line[sizeof line - 1] = 0;
    sscanf(line, SEAL_WORD "%" SCNu64 " %" SCNx64, &content, &hash);
    return hash;
}

static rp_code damaged(const char *path, const char *what, rp_report *report)
{
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, NULL, "%s", what);
}

/* The bytes behind it that a seal tells. */
static bool content_of(const char *head, uint64_t *content)
{
    char line[RP_SEAL_BYTES];
    memcpy(line, head, sizeof line);
    line[sizeof line - 1] = 0;
    return sscanf(line, SEAL_WORD "%" SCNu64, content) == 1;
}

rp_code rp_seal_check_size(const char *path, const char *head, size_t size, rp_report *report)
{
    if (size < RP_SEAL_BYTES) return damaged(path, "the file is cut short: no whole seal", report);
    if (memcmp(head, SEAL_WORD, strlen(SEAL_WORD)) != 0)
        return damaged(path, "the file does not start with a seal of Repose", report);
    uint64_t content;
    if (!content_of(head, &content)) return damaged(path, "the seal cannot be read", report);
    if (content == size - RP_SEAL_BYTES) return RP_OK;
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, NULL,
                      "the file has %zu bytes behind its seal, which says %" PRIu64,
                      size - RP_SEAL_BYTES, content);
}

rp_code rp_seal_check(const char *path, const char *image, size_t size, rp_report *report)
{
    RP_TRY(rp_seal_check_size(path, image, size, report));
    /* Made anew and compared, so that a change anywhere in the block shows as well. */
    char expected[RP_SEAL_BYTES] = "";
    size_t content = size - RP_SEAL_BYTES;
    uint64_t hash = rp_hash(image + RP_SEAL_BYTES, content, 0);
    snprintf(expected, sizeof expected, SEAL_WORD "%zu %016" PRIx64 "\n", content, hash);
    if (memcmp(image, expected, sizeof expected) != 0)
        return damaged(path, "the file was changed: its content does not match its seal", report);
    return RP_OK;
}
