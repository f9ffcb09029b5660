#include "record/checkpoint.h"
#include "base/report.h"
#include "record/sealed.h"

#define KIND "checkpoint"

rp_code rp_checkpoint_write(const char *path, const rp_store *store, rp_report *report)
{
    size_t bytes = 0;
    for (size_t i = 0; i < store->count; i++)
        bytes += store->entries[i].count * rp_field_type_size(store->entries[i].type);
    rp_sealed_writer *file;
    RP_TRY(rp_sealed_create(path, KIND, bytes, 0, &file, report));
    for (size_t i = 0; i < store->count; i++) {
        const rp_store_entry *entry = &store->entries[i];
        rp_sealed_put(file, entry->name, entry->unit, entry->type, entry->data, entry->count, 1);
    }
    return rp_sealed_finish(file, report);
}

rp_code rp_checkpoint_read(const char *path, rp_store *store, rp_report *report)
{
    rp_sealed_reader *file;
    RP_TRY(rp_sealed_open(path, KIND, &file, report));
    rp_code code = rp_sealed_get_group(file, "", RP_SEALED_ANY, store, report);
    rp_sealed_close(file);
    if (code != RP_OK) rp_store_end(store);
    return code;
}
