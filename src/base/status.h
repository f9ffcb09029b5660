/* What stat() tells, in the words of base/files.h; for base only. */
#ifndef RP_BASE_STATUS_H
#define RP_BASE_STATUS_H

#include "base/files.h"

#include <sys/stat.h>

static inline rp_file_info rp_file_info_of(const struct stat *status)
{
    rp_file_kind kind = S_ISREG(status->st_mode)   ? RP_FILE_PLAIN
                        : S_ISDIR(status->st_mode) ? RP_FILE_FOLDER
                        : S_ISLNK(status->st_mode) ? RP_FILE_LINK
                                                   : RP_FILE_OTHER;
    return (rp_file_info){.kind = kind,
                          .size = (uint64_t)status->st_size,
                          .identity = {(uint64_t)status->st_dev, (uint64_t)status->st_ino},
                          .changed = (int64_t)status->st_mtim.tv_sec * 1000000000 +
                                     status->st_mtim.tv_nsec};
}

#endif
