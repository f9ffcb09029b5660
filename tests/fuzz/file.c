/* Changes to whole recorded files, whose checksums are then computed again: refused, or of no harm
 * to whatever is done with them. The first byte picks a file of small runs; then come changes of
 * eleven bytes each, three of which say where and eight what is put there. */
#include "mutants/runs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_sound_runs(void)
{
    make_base();
    atexit(drop_runs);
    for (size_t i = 0; i < RUNS; i++) {
        make_run(i);
        take_files(i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!victim_count) make_sound_runs();
    if (!size) return 0;
    const victim *v = &victims[data[0] % victim_count];
    char run[PATH_BYTES], folder[PATH_BYTES], *bytes = malloc(v->size);
    memcpy(bytes, v->bytes, v->size);
    for (size_t i = 1; i + 11 <= size; i += 11) {
        size_t at = data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16;
        memcpy(bytes + RP_CHECKSUM_BYTES + at % (v->size - RP_CHECKSUM_BYTES - 8), data + i + 3, 8);
    }
    begin_case(v, run, folder);
    write_victim(v, run, bytes, v->size);
    use_run(v, run, folder);
    end_case(v);
    free(bytes);
    return 0;
}
