/* Chunks of fine grains with random values, and the attributes of their frame. */
#ifndef RP_TESTS_RECORD_CHUNKS_H
#define RP_TESTS_RECORD_CHUNKS_H

#include "fixture.h"

#include "record/fine.h"

static const char *const chunk_body_names[] = {"floor", "ball"};

static inline float chunk_unit(uint64_t seed, uint64_t counter)
{
    return 2 * rp_random_unit(rp_random(seed, RP_RANDOM_TEST, counter).bits[0]) - 1;
}

static inline float *chunk_floats(uint32_t count, uint64_t seed, float middle, float half)
{
    float *values = malloc(count * sizeof *values + 1);
    for (uint32_t i = 0; i < count; i++)
        values[i] = middle + half * chunk_unit(seed, i);
    return values;
}

/* Every third grain is gone when not all are left; the order is a riffle of the numbers. */
static inline uint16_t *chunk_locals(uint32_t born, uint32_t count)
{
    uint16_t *local = malloc(count * sizeof *local + 1);
    uint32_t place = 0, stride = count < born ? 3 : 1;
    for (uint32_t turn = 0; turn < 2; turn++)
        for (uint32_t i = turn; i < born && place < count; i += 2)
            if (stride == 1 || i % stride != 0) local[place++] = (uint16_t)i;
    assert_int_equal(place, count);
    return local;
}

/* In a box of the given half size; `speed` 0 for a chunk at rest. At most two thirds of those born
 * may be left, or all. */
static inline rp_chunk chunk_make(uint32_t first, uint32_t born, uint32_t count, float half,
                                  float speed)
{
    uint64_t seed = first + 1;
    rp_chunk chunk = {.first = first,
                      .born = born,
                      .count = count,
                      .material = (uint8_t)(1 + first % 3),
                      .local = chunk_locals(born, count),
                      .x = chunk_floats(count, seed, 0.1f * (float)(first % 7), half),
                      .y = chunk_floats(count, seed + 100, -1.25f, half),
                      .z = chunk_floats(count, seed + 200, 2, half),
                      .vx = chunk_floats(count, seed + 300, 0, speed),
                      .vy = chunk_floats(count, seed + 400, 0, speed),
                      .vz = chunk_floats(count, seed + 500, 0, speed)};
    return chunk;
}

static inline void chunk_free(rp_chunk *chunk)
{
    free(chunk->local);
    float *const values[] = {chunk->x, chunk->y, chunk->z, chunk->vx, chunk->vy, chunk->vz};
    for (int i = 0; i < 6; i++)
        free(values[i]);
}

static inline rp_fine_frame_info chunk_facts(int64_t frame, const test_grains *bodies)
{
    return (rp_fine_frame_info){.frame = frame,
                                .time = 0.04 * (double)frame,
                                .spacing = 1e-3,
                                .precision = 1e-5,
                                .factor = 1000,
                                .born = 123456789,
                                .bodies = bodies->bodies,
                                .body_count = 2};
}

/* Writes a frame in parts of at most `limit` grains. */
static inline rp_code chunks_write(const char *folder, int64_t frame, const rp_chunk *chunks,
                                   int count, uint64_t limit, int compress, rp_report *report)
{
    test_grains bodies = {0};
    test_bodies(&bodies);
    rp_fine_frame_info facts = chunk_facts(frame, &bodies);
    rp_fine_frame_writer *writer;
    rp_code code =
        rp_fine_frame_create(folder, &facts, chunk_body_names, compress, &writer, report);
    if (code != RP_OK) return code;
    rp_fine_frame_limit(writer, limit);
    for (int i = 0; i < count; i++)
        rp_fine_frame_put(writer, &chunks[i]);
    return rp_fine_frame_finish(writer, report);
}

/* The same for a checkpoint, with two numbers in its store. */
static inline rp_code chunks_save(const char *folder, int64_t number, const rp_chunk *chunks,
                                  int count, uint64_t limit, rp_report *report)
{
    rp_fine_checkpoint_writer *saver;
    rp_store store;
    rp_store_begin(&store);
    rp_code code = rp_store_put_f64(&store, "clock/time", "s", 1.0 / 3, report);
    if (code == RP_OK) code = rp_store_put_u64(&store, "next_id", 77, report);
    if (code == RP_OK) code = rp_fine_checkpoint_begin(folder, number, &saver, report);
    if (code == RP_OK) {
        rp_fine_checkpoint_limit(saver, limit);
        for (int i = 0; i < count; i++)
            rp_fine_checkpoint_put(saver, &chunks[i]);
        code = rp_fine_checkpoint_finish(saver, &store, report);
    }
    rp_store_end(&store);
    return code;
}

#endif
