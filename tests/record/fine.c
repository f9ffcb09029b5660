/* Fine grains: frames are read back within their precision, checkpoints bit for bit. */
#include "chunks.h"

#include "record/record.h"

static rp_report *report;

/* Where a chunk's grain of each number is, for the slow twin of the reader's order. */
static uint32_t find_local(const rp_chunk *chunk, uint32_t number)
{
    uint32_t i = 0;
    while (i < chunk->count && chunk->local[i] != number)
        i++;
    return i;
}

static void check_grain(const rp_view *view, size_t at, const rp_chunk *chunk, uint32_t i)
{
    const float *const found[] = {view->x, view->y, view->z};
    const float *const wanted[] = {chunk->x, chunk->y, chunk->z};
    const float *const found_v[] = {view->vx, view->vy, view->vz};
    const float *const wanted_v[] = {chunk->vx, chunk->vy, chunk->vz};
    float largest = 0;
    for (uint32_t k = 0; k < chunk->count; k++)
        for (int a = 0; a < 3; a++)
            largest = fmaxf(largest, fabsf(wanted_v[a][k]));
    for (int a = 0; a < 3; a++) {
        double rounding = 0x1p-23 * fabs((double)wanted[a][i]);
        check_near(found[a][at], wanted[a][i], 0.5001e-5 + rounding);
        check_near(found_v[a][at], wanted_v[a][i], 0.5001 * (double)largest / 32767);
    }
    assert_int_equal(view->id[at], chunk->first + chunk->local[i]);
    assert_int_equal(view->material[at], chunk->material);
}

/* All grains of all chunks, in the order of their ids; small chunks only. */
static void check_frame(const rp_view *view, const rp_chunk *chunks, int count)
{
    size_t at = 0;
    for (int c = 0; c < count; c++)
        for (uint32_t number = 0; number < chunks[c].born; number++) {
            uint32_t i = find_local(&chunks[c], number);
            if (i < chunks[c].count) check_grain(view, at++, &chunks[c], i);
        }
    assert_int_equal(view->count, at);
}

static void check_facts(const rp_view *view, int64_t frame)
{
    test_grains bodies = {0};
    test_bodies(&bodies);
    check_near(view->time, 0.04 * (double)frame, 0);
    check_near(view->spacing, 1e-3, 0);
    check_near(view->dt, 0, 0);
    assert_int_equal(view->step, 0);
    assert_int_equal(view->field_count, 8);
    assert_ptr_equal(rp_view_field(view, "velocity_z")->data, view->vz);
    assert_ptr_equal(rp_view_field(view, "material")->data, view->material);
    assert_null(view->mass);
    assert_null(view->density);
    assert_null(view->pressure);
    assert_null(view->asleep);
    assert_null(view->moisture);
    assert_int_equal(view->body_count, 2);
    assert_memory_equal(view->bodies, bodies.bodies, sizeof bodies.bodies);
}

static void round_trip(void **state, uint64_t limit, int compress, int files)
{
    rp_chunk chunks[] = {
        chunk_make(0, 700, 700, 0.1f, 2),          /* near, moves */
        chunk_make(700, 500, 500, 0.1f, 0),        /* near, rests */
        chunk_make(1500, 300, 150, 3, 1),          /* far, has lost some */
        chunk_make(1800, 400, 400, 3, 0),          /* far, rests */
        chunk_make(2200, 50, 0, 1, 1),             /* no grain left */
        chunk_make(3000, 200, 90, 1e6f, 1e-5f),    /* farther than steps reach */
        chunk_make(UINT32_MAX - 63, 64, 64, 0, 1), /* the last ids; all at one point */
    };
    const int count = sizeof chunks / sizeof *chunks;
    size_t before = rp_memory_now().bytes;
    const char *folder = in_folder(state, "fine");
    check_ok(chunks_write(folder, 12, chunks, count, limit, compress, report), report);
    assert_int_equal(count_files(folder), files);
    rp_frame_file *frame;
    check_ok(rp_fine_frame_read(folder, 12, &frame, report), report);
    check_facts(rp_frame_view(frame), 12);
    check_frame(rp_frame_view(frame), chunks, count);
    rp_frame_close(frame);
    assert_int_equal(rp_memory_now().bytes, before);
    for (int i = 0; i < count; i++)
        chunk_free(&chunks[i]);
}

static void frames_come_back_within_their_precision(void **state)
{
    round_trip(state, 1000000, 0, 2);
}

static void compressed_frames_come_back(void **state)
{
    round_trip(state, 1000000, 4, 2);
}

static void frames_in_several_parts_come_back(void **state)
{
    round_trip(state, 700, 0, 4); /* 700, 500 + 150, 400 + 0 + 90 + 64 */
    round_trip(state, 1, 4, 8);   /* every chunk alone */
}

static void boxes_at_the_limit_of_16_bits_come_back(void **state)
{
    for (int steps = 65533; steps < 65539; steps++) {
        rp_chunk chunk = chunk_make(5, 2, 2, 0, 0);
        chunk.x[0] = -0.3f;
        chunk.x[1] = (float)(-0.3 + steps * 1e-5);
        check_ok(chunks_write(*state, steps, &chunk, 1, 100, 0, report), report);
        rp_frame_file *frame;
        check_ok(rp_fine_frame_read(*state, steps, &frame, report), report);
        check_frame(rp_frame_view(frame), &chunk, 1);
        rp_frame_close(frame);
        chunk_free(&chunk);
    }
}

static void small_velocities_are_no_trouble(void **state)
{
    static const float speeds[] = {1e-45f, 1e-40f, 4e-34f, 1e-33f, 1e-20f, 1e11f};
    for (int i = 0; i < 6; i++) {
        rp_chunk chunk = chunk_make(9, 100, 100, 1e-3f, 0);
        for (int k = 0; k < 100; k++)
            chunk.vy[k] = speeds[i] * chunk_unit(4, (uint64_t)k);
        chunk.vz[7] = -speeds[i];
        check_ok(chunks_write(*state, i, &chunk, 1, 1000, 0, report), report);
        rp_frame_file *frame;
        check_ok(rp_fine_frame_read(*state, i, &frame, report), report);
        const rp_view *view = rp_frame_view(frame);
        for (uint32_t k = 0; k < 100; k++) {
            uint32_t from = find_local(&chunk, k);
            check_near(view->vy[k], chunk.vy[from], 0.5001 * (double)speeds[i] / 32767 + 4e-34);
            check_near(view->vz[k], chunk.vz[from], 0.5001 * (double)speeds[i] / 32767 + 4e-34);
        }
        rp_frame_close(frame);
        chunk_free(&chunk);
    }
}

static void an_empty_frame_comes_back(void **state)
{
    check_ok(chunks_write(*state, 0, NULL, 0, 100, 0, report), report);
    check_ok(chunks_write(*state, 1, NULL, 0, 100, 6, report), report);
    for (int64_t i = 0; i < 2; i++) {
        rp_frame_file *frame;
        check_ok(rp_fine_frame_read(*state, i, &frame, report), report);
        check_facts(rp_frame_view(frame), i);
        assert_int_equal(rp_frame_view(frame)->count, 0);
        rp_frame_close(frame);
    }
    assert_int_equal(count_files(*state), 2);
}

static void grains_at_rest_take_six_bytes(void **state)
{
    rp_chunk chunks[4];
    for (uint32_t i = 0; i < 4; i++)
        chunks[i] = chunk_make(i << 16, 1 << 16, 1 << 16, 0.1f, 0);
    check_ok(chunks_write(*state, 3, chunks, 4, 1 << 20, 0, report), report);
    double bytes = 0;
    static const char *const names[] = {"000003.h5", "000003-000.h5"};
    for (int i = 0; i < 2; i++) {
        struct stat status;
        assert_int_equal(stat(in_folder(state, names[i]), &status), 0);
        bytes += (double)status.st_size;
    }
    assert_true(bytes / (4 << 16) <= 6.1);
    assert_int_equal(count_files(*state), 2);
    for (int i = 0; i < 4; i++)
        chunk_free(&chunks[i]);
}

static void a_frame_written_again_replaces_the_old_one(void **state)
{
    rp_chunk chunks[] = {chunk_make(0, 100, 100, 1, 1), chunk_make(100, 100, 100, 1, 1)};
    check_ok(chunks_write(*state, 4, chunks, 2, 100, 0, report), report);
    assert_int_equal(count_files(*state), 3);
    check_ok(chunks_write(*state, 4, chunks + 1, 1, 100, 0, report), report);
    assert_int_equal(count_files(*state), 2);
    rp_frame_file *frame;
    check_ok(rp_fine_frame_read(*state, 4, &frame, report), report);
    check_frame(rp_frame_view(frame), chunks + 1, 1);
    rp_frame_close(frame);
    for (int i = 0; i < 2; i++)
        chunk_free(&chunks[i]);
}

static void grains_that_are_nowhere_are_named(void **state)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 6; i++) {
        rp_chunk chunks[] = {chunk_make(0, 10, 10, 1, 1), chunk_make(1000, 100, 100, 1, 1)};
        float *const values[] = {chunks[1].x,  chunks[1].y,  chunks[1].z,
                                 chunks[1].vx, chunks[1].vy, chunks[1].vz};
        values[i][find_local(&chunks[1], 42)] = bad[i % 3];
        rp_code code = chunks_write(*state, 7, chunks, 2, 10, 0, report);
        assert_int_equal(code, RP_ERROR_NUMERIC);
        check_fault(report, RP_ERROR_NUMERIC, "grain 1042 of frame 7");
        assert_int_equal(count_files(*state), 0);
        for (int k = 0; k < 2; k++)
            chunk_free(&chunks[k]);
    }
}

static void an_abandoned_frame_leaves_nothing(void **state)
{
    test_grains bodies = {0};
    test_bodies(&bodies);
    rp_fine_frame_info facts = chunk_facts(0, &bodies);
    rp_chunk chunks[] = {chunk_make(0, 100, 100, 1, 1), chunk_make(100, 100, 100, 1, 1)};
    rp_fine_frame_writer *writer;
    check_ok(rp_fine_frame_create(*state, &facts, chunk_body_names, 0, &writer, report), report);
    rp_fine_frame_limit(writer, 100);
    rp_fine_frame_put(writer, &chunks[0]);
    rp_fine_frame_put(writer, &chunks[1]);
    assert_int_equal(count_files(*state), 1);
    rp_fine_frame_abandon(writer);
    rp_fine_frame_abandon(NULL);
    assert_int_equal(count_files(*state), 0);
    for (int i = 0; i < 2; i++)
        chunk_free(&chunks[i]);
}

static void check_export(rp_record *record, const rp_view *view, const char *folder)
{
    char path[RP_PATH_MAX + 64], head[64] = "";
    check_ok(test_export(record, 5, view, "vtp", folder, report), report);
    check_ok(test_export(record, 5, view, "ply", folder, report), report);
    check_ok(test_export(record, 5, view, "csv", folder, report), report);
    snprintf(path, sizeof path, "%s/grains-000005.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(head, sizeof head, file));
    fclose(file);
    assert_non_null(strstr(head, "vz,id,material\n"));
}

/* A frame with bodies does not fit a scene without. */
static void check_other_scene(rp_record *record)
{
    static const char text[] = "time: {duration: 1 s}\nparticles: {spacing: 1 cm}\n";
    const rp_scene *before = record->scene;
    rp_scene *other = NULL;
    rp_frame_file *frame;
    check_ok(rp_scene_parse(text, "test", &other, report), report);
    record->scene = other;
    assert_int_equal(rp_series_read(rp_record_series(record, RP_SERIES_FINE), 5, &frame, report),
                     RP_ERROR_DAMAGED);
    check_fault(report, RP_ERROR_DAMAGED, "fine/000005.h5");
    record->scene = before;
    rp_scene_destroy(other);
}

static void a_record_knows_its_fine_frames(void **state)
{
    rp_scene *scene = test_scene("");
    rp_record *record;
    rp_frame_file *frame;
    rp_chunk chunk = chunk_make(0, 100, 100, 1, 1);
    chunk.material = 0;
    char folder[RP_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_folder(state, "run/fine"));
    check_ok(rp_record_create(in_folder(state, "run"), scene, 1, &record, report), report);
    assert_int_equal(rp_series_count(rp_record_series(record, RP_SERIES_FINE)), 0);
    for (int64_t i = 5; i < 8; i++)
        check_ok(chunks_write(folder, i, &chunk, 1, 100, 0, report), report);
    check_ok(rp_series_add(&record->series[RP_SERIES_FINE], 5, report), report);
    assert_int_equal(rp_series_number(rp_record_series(record, RP_SERIES_FINE), 0), 5);
    rp_record_close(record);

    check_ok(rp_record_open(in_folder(state, "run"), &record, report), report);
    assert_int_equal(rp_series_count(rp_record_series(record, RP_SERIES_FINE)), 3);
    assert_int_equal(rp_series_number(rp_record_series(record, RP_SERIES_FINE), 2), 7);
    assert_int_equal(rp_series_number(rp_record_series(record, RP_SERIES_FINE), 3), -1);
    check_ok(rp_series_read(rp_record_series(record, RP_SERIES_FINE), 5, &frame, report), report);
    check_frame(rp_frame_view(frame), &chunk, 1);
    check_export(record, rp_frame_view(frame), in_folder(state, "out"));
    rp_code code = rp_record_write_frame(record, 5, rp_frame_view(frame), report);
    assert_int_equal(code, RP_ERROR_INPUT);
    check_fault(report, RP_ERROR_INPUT, "no mass");
    rp_frame_close(frame);

    check_ok(rp_record_remove_frames_after(record, 5, report), report);
    assert_int_equal(rp_series_count(rp_record_series(record, RP_SERIES_FINE)), 1);
    assert_int_equal(count_files(folder), 2);
    check_other_scene(record);
    rp_record_close(record);
    rp_scene_destroy(scene);
    chunk_free(&chunk);
}

/* Chunks to be loaded, one after another. */
typedef struct expected {
    const rp_chunk *chunks;
    int count, next;
    rp_code answer;
} expected;

static rp_code take_chunk(void *user, const rp_chunk *chunk, rp_report *faults)
{
    expected *e = user;
    assert_true(e->next < e->count);
    const rp_chunk *wanted = &e->chunks[e->next++];
    assert_int_equal(chunk->first, wanted->first);
    assert_int_equal(chunk->born, wanted->born);
    assert_int_equal(chunk->count, wanted->count);
    assert_int_equal(chunk->material, wanted->material);
    size_t bytes = wanted->count * sizeof(float);
    if (wanted->count) {
        assert_memory_equal(chunk->local, wanted->local, wanted->count * sizeof(uint16_t));
        assert_memory_equal(chunk->x, wanted->x, bytes);
        assert_memory_equal(chunk->y, wanted->y, bytes);
        assert_memory_equal(chunk->z, wanted->z, bytes);
        assert_memory_equal(chunk->vx, wanted->vx, bytes);
        assert_memory_equal(chunk->vy, wanted->vy, bytes);
        assert_memory_equal(chunk->vz, wanted->vz, bytes);
    }
    return e->answer == RP_OK ? RP_OK : rp_fail(faults, e->answer, "enough");
}

static void save_and_load(const char *folder, const rp_chunk *chunks, int count, uint64_t limit,
                          int files)
{
    size_t before = rp_memory_now().bytes;
    rp_store store;
    rp_store_begin(&store);
    check_ok(chunks_save(folder, 10, chunks, count, limit, report), report);
    assert_int_equal(count_files(folder), files);
    expected e = {.chunks = chunks, .count = count};
    check_ok(rp_fine_checkpoint_read(folder, 10, &store, take_chunk, &e, report), report);
    assert_int_equal(e.next, count);
    double time = 0;
    uint64_t next = 0;
    assert_int_equal(store.count, 2);
    check_ok(rp_store_get_f64(&store, "clock/time", &time, report), report);
    check_ok(rp_store_get_u64(&store, "next_id", &next, report), report);
    check_near(time, 1.0 / 3, 0);
    assert_int_equal(next, 77);
    rp_store_end(&store);
    assert_int_equal(rp_memory_now().bytes, before);
}

static void checkpoints_come_back_bit_for_bit(void **state)
{
    rp_chunk chunks[] = {
        chunk_make(5000, 700, 700, 1, 2), chunk_make(700, 500, 500, 1, 0),
        chunk_make(1500, 300, 150, 3, 1), chunk_make(2200, 50, 0, 1, 1),
        chunk_make(3000, 200, 200, 3, 0), chunk_make(UINT32_MAX - 9, 10, 10, 1, 0),
    };
    chunks[4].vy[3] = -0.0f; /* the sign of zero must be restored */
    save_and_load(in_folder(state, "a/checkpoints"), chunks, 6, 1000000, 2);
    save_and_load(in_folder(state, "b"), chunks, 6, 700, 4);
    save_and_load(in_folder(state, "c"), NULL, 0, 700, 1);
    for (int i = 0; i < 6; i++)
        chunk_free(&chunks[i]);
}

static void a_refusal_ends_the_loading(void **state)
{
    rp_chunk chunks[] = {chunk_make(0, 100, 100, 1, 1), chunk_make(100, 100, 100, 1, 1)};
    check_ok(chunks_save(*state, 10, chunks, 2, 100, report), report);
    expected e = {.chunks = chunks, .count = 2, .answer = RP_ERROR_MEMORY};
    rp_store store;
    rp_store_begin(&store);
    rp_code code = rp_fine_checkpoint_read(*state, 10, &store, take_chunk, &e, report);
    assert_int_equal(code, RP_ERROR_MEMORY);
    check_fault(report, RP_ERROR_MEMORY, "enough");
    assert_int_equal(e.next, 1);
    assert_int_equal(store.count, 0);
    for (int i = 0; i < 2; i++)
        chunk_free(&chunks[i]);
}

static void check_numbers(const char *folder, const int64_t *wanted, size_t count)
{
    rp_numbers found;
    check_ok(rp_fine_numbers(folder, &found, report), report);
    assert_int_equal(found.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(found.items[i], wanted[i]);
    rp_numbers_end(&found);
}

static void old_checkpoints_are_pruned(void **state)
{
    rp_chunk chunks[] = {chunk_make(0, 100, 100, 1, 1), chunk_make(100, 100, 100, 1, 1)};
    check_numbers(in_folder(state, "none"), NULL, 0);
    check_ok(rp_fine_prune(in_folder(state, "none"), 2, report), report);
    for (int64_t i = 10; i <= 50; i += 10)
        check_ok(chunks_save(*state, i, chunks, 2, 100, report), report);
    check_numbers(*state, (int64_t[]){10, 20, 30, 40, 50}, 5);
    assert_int_equal(count_files(*state), 15);
    check_ok(rp_fine_prune(*state, 2, report), report);
    check_numbers(*state, (int64_t[]){40, 50}, 2);
    assert_int_equal(count_files(*state), 6);
    for (int i = 0; i < 2; i++)
        chunk_free(&chunks[i]);
}

static void frames_behind_and_leftovers_are_removed(void **state)
{
    rp_chunk chunks[] = {chunk_make(0, 100, 100, 1, 1), chunk_make(100, 100, 100, 1, 1)};
    for (int64_t i = 0; i < 5; i++)
        check_ok(chunks_write(*state, i, chunks, 2, 100, 0, report), report);
    assert_int_equal(mkdir(in_folder(state, "checkpoints"), 0777), 0);
    write_whole(in_folder(state, "000001-002.h5"), "x", 1);  /* of a set: left alone */
    write_whole(in_folder(state, "000009-000.h5"), "x", 1);  /* without an index */
    write_whole(in_folder(state, "000009-0000.h5"), "x", 1); /* not as we write it */
    write_whole(in_folder(state, "notes-1.h5"), "x", 1);
    write_whole(in_folder(state, ".000007-000.h5.1-2" RP_ATOMIC_SUFFIX), "x", 1);
    assert_int_equal(unlink(in_folder(state, "000000.h5")), 0);
    check_ok(rp_fine_remove_after(*state, 2, report), report);
    check_numbers(*state, (int64_t[]){1, 2}, 2);
    assert_int_equal(count_files(*state), 10);
    assert_true(exists(in_folder(state, "notes-1.h5")));
    assert_true(exists(in_folder(state, "000009-0000.h5")));
    assert_false(exists(in_folder(state, "000009-000.h5")));
    check_ok(rp_fine_remove_after(in_folder(state, "none"), 2, report), report);
    for (int i = 0; i < 2; i++)
        chunk_free(&chunks[i]);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(frames_come_back_within_their_precision),
        IN_FOLDER(compressed_frames_come_back),
        IN_FOLDER(frames_in_several_parts_come_back),
        IN_FOLDER(boxes_at_the_limit_of_16_bits_come_back),
        IN_FOLDER(small_velocities_are_no_trouble),
        IN_FOLDER(an_empty_frame_comes_back),
        IN_FOLDER(grains_at_rest_take_six_bytes),
        IN_FOLDER(a_frame_written_again_replaces_the_old_one),
        IN_FOLDER(grains_that_are_nowhere_are_named),
        IN_FOLDER(an_abandoned_frame_leaves_nothing),
        IN_FOLDER(a_record_knows_its_fine_frames),
        IN_FOLDER(checkpoints_come_back_bit_for_bit),
        IN_FOLDER(a_refusal_ends_the_loading),
        IN_FOLDER(old_checkpoints_are_pruned),
        IN_FOLDER(frames_behind_and_leftovers_are_removed),
    };
    report = rp_report_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rp_report_destroy(report);
    return failed;
}
