/* Checkpoints made of anything: read or refused, never a crash. See fuzz/checksummed.h. */
#include "checksummed.h"

#include "record/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int odd_checkpoint(fuzz_bytes *bytes, char *path, size_t path_size)
{
    static const char *const names[] = {"particles/x", "world/time", "a/b/c/d/e/f/g/h/i/j",
                                        "alone",       "a",          "particles/id"};
    const uint64_t one = 1;
    hid_t file = begin_file();
    uint8_t arrays = next_byte(bytes) % 16;
    for (uint64_t i = 0; i < arrays; i++) {
        char name[300];
        uint8_t choice = next_byte(bytes);
        if (choice < 250)
            snprintf(name, sizeof name, "%s%u", names[choice % 6], choice / 6 % 4);
        else
            snprintf(name, sizeof name, "%0280u", choice);
        put_array(file, name, H5T_IEEE_F32LE, next_byte(bytes), 1, i, bytes);
    }
    put_text(file, "kind", "checkpoint", bytes);
    put_fact(file, "format_version", H5T_STD_U64LE, &one, bytes);
    return checksummed_file(file, path, path_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    char path[64];
    int descriptor = next_byte(&bytes) % 2
                         ? odd_checkpoint(&bytes, path, sizeof path)
                         : file_with_checksum(bytes.data, bytes.size, path, sizeof path);
    rp_report *report = rp_report_create();
    rp_store store;
    rp_store_begin(&store);
    rp_code code = rp_checkpoint_read(path, &store, report);
    if ((code == RP_OK) != (rp_report_count(report) == 0)) abort();
    static volatile uint64_t sink;
    sink = rp_store_hash(&store);
    (void)sink;
    rp_store_end(&store);
    rp_report_destroy(report);
    close(descriptor);
    return 0;
}
