/* What a run does to its folders of fine grains when it goes on. */
#include "base/disk.h"
#include "base/report.h"
#include "record/fine.h"
#include "record/parts.h"

#include <errno.h>

rp_code rp_fine_numbers(const char *folder, rp_numbers *out, rp_report *report)
{
    *out = (rp_numbers){0};
    rp_file_info info;
    if (rp_disk_status(folder, &info) == ENOENT) return RP_OK;
    return rp_folder_numbers(folder, "", ".h5", out, report);
}

rp_code rp_fine_prune(const char *folder, int keep, rp_report *report)
{
    rp_numbers all;
    rp_code code = rp_fine_numbers(folder, &all, report);
    RP_TRY(code);
    for (size_t i = 0; i + (size_t)keep < all.count && code == RP_OK; i++)
        code = rp_parts_remove(folder, all.items[i], report);
    rp_numbers_end(&all);
    return code;
}

rp_code rp_fine_remove_after(const char *folder, int64_t number, rp_report *report)
{
    rp_numbers all;
    rp_code code = rp_fine_numbers(folder, &all, report);
    RP_TRY(code);
    for (size_t i = all.count; i > 0 && all.items[i - 1] > number && code == RP_OK; i--)
        code = rp_parts_remove(folder, all.items[i - 1], report);
    rp_numbers_end(&all);
    if (code == RP_OK) code = rp_parts_remove_strays(folder, report);
    return code == RP_OK ? rp_atomic_sweep(folder, report) : code;
}
