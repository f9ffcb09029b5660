/* Fine grains in damaged files: cut, changed, missing, mixed up or made to mislead. Always a fault
 * that names the file, never a crash; failures while writing leave nothing behind. */
#include "chunks.h"

#include "files/checksummed.h"
#include "files/file_set.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static rp_report *report;
static rp_chunk chunks[3];

static int set_up(void **state)
{
    chunks[0] = chunk_make(0, 40, 40, 0.1f, 1);
    chunks[1] = chunk_make(40, 30, 20, 3, 1);
    chunks[2] = chunk_make(100, 20, 20, 0.1f, 0);
    report = rp_report_create();
    return make_folder(state);
}

static int tear_down(void **state)
{
    for (int i = 0; i < 3; i++)
        chunk_free(&chunks[i]);
    rp_report_destroy(report);
    return drop_folder(state);
}

static rp_code count_chunk(void *user, const rp_chunk *chunk, rp_report *faults)
{
    (void)faults;
    *(size_t *)user += chunk->count;
    return RP_OK;
}

/* Both readers: the same is asked of frames and of checkpoints. */
typedef rp_code read_fn(const char *folder, int64_t number, size_t *grains);

static rp_code read_frame(const char *folder, int64_t number, size_t *grains)
{
    rp_frame_file *frame;
    rp_code code = rp_fine_frame_read(folder, number, &frame, report);
    assert_int_equal(frame != NULL, code == RP_OK);
    *grains = frame ? rp_frame_view(frame)->count : 0;
    rp_frame_close(frame);
    return code;
}

static rp_code read_checkpoint(const char *folder, int64_t number, size_t *grains)
{
    rp_store store;
    rp_store_begin(&store);
    *grains = 0;
    rp_code code = rp_fine_checkpoint_read(folder, number, &store, count_chunk, grains, report);
    assert_int_equal(store.count, code == RP_OK ? 2 : 0);
    rp_store_end(&store);
    return code;
}

static void check_damaged(const char *folder, read_fn *read, const char *words)
{
    size_t grains;
    assert_int_equal(read(folder, 5, &grains), RP_ERROR_DAMAGED);
    check_fault(report, RP_ERROR_DAMAGED, words);
    check_ok(read(folder, 6, &grains), report); /* the other one is as it was */
    assert_int_equal(grains, 80);
}

static void check_cuts_and_flips(const char *folder, const char *name, read_fn *read)
{
    char path[RP_PATH_MAX + 64];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *data = read_whole(path, &size);
    for (size_t cut = 0; cut < size; cut += 1 + size / 7) {
        write_whole(path, data, cut);
        check_damaged(folder, read, name);
    }
    for (size_t at = 0; at < size; at += at < 600 ? 41 : 397) {
        data[at] ^= (char)(1 << (at % 8));
        write_whole(path, data, size);
        check_damaged(folder, read, name);
        data[at] ^= (char)(1 << (at % 8));
    }
    write_whole(path, data, size);
    rp_release(data, size + 1);
}

static void write_both(const char *frames, const char *checkpoints)
{
    for (int64_t i = 5; i < 7; i++) {
        check_ok(chunks_write(frames, i, chunks, 3, 45, 0, report), report);
        check_ok(chunks_save(checkpoints, i, chunks, 3, 45, report), report);
    }
}

static void damaged_files_are_named(void **state)
{
    char checkpoints[RP_PATH_MAX];
    snprintf(checkpoints, sizeof checkpoints, "%s", in_folder(state, "checkpoints"));
    write_both(*state, checkpoints);
    static const char *const names[] = {"000005.h5", "000005-000.h5", "000005-001.h5"};
    for (int i = 0; i < 3; i++) {
        check_cuts_and_flips(*state, names[i], read_frame);
        check_cuts_and_flips(checkpoints, names[i], read_checkpoint);
    }
    size_t grains;
    check_ok(read_frame(*state, 5, &grains), report);
    check_ok(read_checkpoint(checkpoints, 5, &grains), report);
}

static void missing_files_are_named(void **state)
{
    write_both(*state, in_folder(state, "checkpoints"));
    assert_int_equal(unlink(in_folder(state, "000005-001.h5")), 0);
    check_damaged(*state, read_frame, "000005-001.h5: the file is missing");
    size_t grains;
    assert_int_equal(unlink(in_folder(state, "000005.h5")), 0);
    assert_int_equal(read_frame(*state, 5, &grains), RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "000005.h5: cannot read");
    rp_numbers numbers;
    check_ok(rp_fine_numbers(*state, &numbers, report), report);
    assert_int_equal(numbers.count, 1);
    rp_numbers_end(&numbers);
}

static void move(void **state, const char *from, const char *to)
{
    char path[RP_PATH_MAX];
    snprintf(path, sizeof path, "%s", in_folder(state, from));
    assert_int_equal(rename(path, in_folder(state, to)), 0);
}

/* Almost the same grains: only the checksum distinguishes the parts. */
static void parts_of_another_writing_are_refused(void **state)
{
    write_both(*state, in_folder(state, "checkpoints"));
    chunks[2].x[0] += 1e-3f;
    check_ok(chunks_write(in_folder(state, "other"), 5, chunks, 3, 45, 0, report), report);
    move(state, "other/000005-001.h5", "000005-001.h5");
    check_damaged(*state, read_frame, "000005-001.h5: the file is not the part");
    move(state, "other/000005-000.h5", "000005-001.h5");
    check_damaged(*state, read_frame, "000005-001.h5: the file is not the part");
    check_ok(chunks_write(*state, 5, chunks, 3, 45, 0, report), report);
    move(state, "checkpoints/000005-000.h5", "000005-000.h5");
    check_damaged(*state, read_frame, "000005-000.h5: kind");
}

static void a_frame_under_another_number_is_refused(void **state)
{
    write_both(*state, in_folder(state, "checkpoints"));
    check_ok(chunks_write(*state, 7, chunks, 3, 45, 0, report), report);
    move(state, "000007.h5", "000005.h5");
    check_damaged(*state, read_frame, "000005.h5: frame");
}

/* A valid, checksummed part with a table of two chunks: three grains near that move, of whom one is
 * gone, and two far ones at rest. */
typedef struct table {
    uint32_t first[2], born[2], count[2];
    uint8_t material[2], wide[2];
    double low[6];
    float step[2];
    uint16_t near[6], velocity[6], local[3];
    uint32_t far[6];
    size_t rows[11]; /* of the columns, in the order of the above */
    uint64_t part_grains, total, parts;
    double precision;
} table;

static table sound_table(void)
{
    return (table){.first = {10, 13},
                   .born = {3, 2},
                   .count = {2, 2},
                   .wide = {0, 1},
                   .step = {1e-4f, 0},
                   .local = {0, 2},
                   .near = {1, 2, 3, 4, 5, 6},
                   .rows = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                   .part_grains = 4,
                   .total = 4,
                   .parts = 1,
                   .precision = 1e-5};
}

static void write_index(const char *folder, const table *t, uint64_t checksum)
{
    rp_path path = rp_file_set_index_path(folder, 5);
    test_grains bodies = {0};
    test_bodies(&bodies);
    rp_checksummed_writer *file;
    check_ok(rp_checksummed_create(path.text, "fine", 0, 0, &file, report), report);
    rp_checksummed_put_u64(file, "frame", 5);
    rp_checksummed_put_u64(file, "count", t->total);
    rp_checksummed_put_u64(file, "part_count", t->parts);
    rp_checksummed_put(file, "parts/count", "", RP_U64, &t->part_grains, 1, 1);
    rp_checksummed_put(file, "parts/seal", "", RP_U64, &checksum, 1, 1);
    rp_checksummed_put_f64(file, "time", 1);
    rp_checksummed_put_f64(file, "spacing", 1e-3);
    rp_checksummed_put_f64(file, "precision", t->precision);
    rp_checksummed_put_u64(file, "body_count", 0);
    static const char *const parts[] = {"position",         "orientation",   "velocity",
                                        "angular_velocity", "force",         "torque",
                                        "contact_force",    "contact_torque"};
    for (int i = 0; i < 8; i++) {
        char name[64];
        snprintf(name, sizeof name, "bodies/%s", parts[i]);
        rp_checksummed_put(file, name, "", RP_F64, bodies.bodies, 0, i == 1 ? 4 : 3);
    }
    check_ok(rp_checksummed_finish(file, report), report);
}

static rp_code read_table(const char *folder, const table *t)
{
    const struct {
        const char *name;
        rp_field_type type;
        const void *data;
        size_t width;
    } columns[] = {
        {"chunks/first", RP_U32, t->first, 1},        {"chunks/born", RP_U32, t->born, 1},
        {"chunks/count", RP_U32, t->count, 1},        {"chunks/material", RP_U8, t->material, 1},
        {"chunks/wide", RP_U8, t->wide, 1},           {"chunks/low", RP_F64, t->low, 3},
        {"chunks/velocity_step", RP_F32, t->step, 1}, {"position_near", RP_U16, t->near, 3},
        {"velocity", RP_U16, t->velocity, 3},         {"local", RP_U16, t->local, 1},
        {"position_far", RP_U32, t->far, 3},
    };
    rp_path path = rp_file_set_part_path(folder, 5, 0);
    rp_checksummed_writer *file;
    uint64_t checksum;
    size_t grains;
    check_ok(rp_checksummed_create(path.text, "fine part", 0, 0, &file, report), report);
    rp_checksummed_put_u64(file, "frame", 5);
    rp_checksummed_put_u64(file, "part", 0);
    rp_checksummed_put_u64(file, "count", t->part_grains);
    for (int i = 0; i < 11; i++)
        rp_checksummed_put(file, columns[i].name, "", columns[i].type, columns[i].data, t->rows[i],
                           columns[i].width);
    check_ok(rp_checksummed_finish_hash(file, &checksum, report), report);
    write_index(folder, t, checksum);
    return read_frame(folder, 5, &grains);
}

static void refuse_table(const char *folder, const table *t, const char *words)
{
    rp_code code = read_table(folder, t);
    if (code != RP_ERROR_DAMAGED) print_error("%s: code %d\n", words, (int)code);
    assert_int_equal(code, RP_ERROR_DAMAGED);
    check_fault(report, RP_ERROR_DAMAGED, words);
}

/* One thing wrong at a time. */
#define REFUSE(words, ...)                                                                         \
    do {                                                                                           \
        table t = sound_table();                                                                   \
        __VA_ARGS__;                                                                               \
        refuse_table(*state, &t, words);                                                           \
    } while (0)

static void misleading_tables_are_refused(void **state)
{
    table sound = sound_table();
    check_ok(read_table(*state, &sound), report);
    REFUSE("chunks/born", t.born[0] = 65537);
    REFUSE("chunks/born", t.rows[1] = 1);
    REFUSE("chunks/count: more", t.count[0] = 4);
    REFUSE("add up", t.count[1] = 1);
    REFUSE("chunks/count: the array", t.rows[2] = 1);
    REFUSE("chunks/material", t.rows[3] = 1);
    REFUSE("chunks/first: chunks share ids", t.first[1] = 12);
    REFUSE("chunks/first: chunks share ids", t.first[0] = 100);
    REFUSE("chunks/first: ids beyond", t.first[1] = UINT32_MAX);
    REFUSE("chunks/wide: the encoding", t.wide[0] = 3);
    REFUSE("chunks/wide: the array", t.rows[4] = 1);
    REFUSE("chunks/low: value 1", t.low[4] = NAN);
    REFUSE("chunks/low: value 0", t.low[1] = -1e39);
    REFUSE("chunks/low: the array", t.rows[5] = 1);
    REFUSE("chunks/velocity_step: value 1", t.step[1] = -1);
    REFUSE("chunks/velocity_step: value 1", t.step[1] = NAN);
    REFUSE("chunks/velocity_step: value 1", t.step[1] = 1e38f);
    REFUSE("chunks/velocity_step: the array", t.rows[6] = 1);
    REFUSE("position_near", t.wide[0] = 1);
    REFUSE("position_near", t.rows[7] = 1);
    REFUSE("velocity", t.step[0] = 0);
    REFUSE("velocity", t.rows[8] = 1);
    REFUSE("local: the array", t.rows[9] = 3);
    REFUSE("local: the array", t.born[0] = 2);
    REFUSE("local: a local number", t.local[1] = 3);
    REFUSE("local: a local number", t.local[1] = 0);
    REFUSE("local: a local number", t.local[0] = 60000);
    REFUSE("position_far: the array", t.rows[10] = 1);
    REFUSE("position: value 3", t.wide[1] = 2; t.far[3] = 0x7f800000);
    REFUSE("add up", t.total = 5);
    REFUSE("add up", t.part_grains = 3);
    REFUSE("add up", t.part_grains = t.total = 5);
    REFUSE("too small", t.part_grains = t.total = UINT32_MAX);
    REFUSE("too small", t.part_grains = t.total = UINT64_MAX);
    REFUSE("part_count", t.parts = 2);
    REFUSE("part_count", t.parts = 0);
    REFUSE("part_count", t.parts = UINT64_MAX);
    REFUSE("precision", t.precision = 0);
    REFUSE("precision", t.precision = NAN);
    REFUSE("precision", t.precision = 1e300);
}

/* Whatever the numbers of a table are: read or refused. */
static void random_tables_do_no_harm(void **state)
{
    REFUSE("precision", t.precision = 0); /* the report allocates memory at its first fault */
    size_t before = rp_memory_now().bytes;
    for (uint64_t seed = 0; seed < 300; seed++) {
        table t = sound_table();
        for (uint32_t i = 0; i < 1 + seed % 3; i++) {
            rp_random4 r = rp_random(seed, RP_RANDOM_TEST, i);
            size_t at = r.bits[0] % offsetof(table, rows);
            ((uint8_t *)&t)[at] = r.bits[2] % 2 ? (uint8_t)r.bits[1] : (uint8_t)(r.bits[1] % 4);
            if (r.bits[3] % 8 == 0) t.rows[r.bits[3] / 8 % 11] = r.bits[1] % 3;
        }
        rp_code code = read_table(*state, &t);
        assert_true(code == RP_OK || code == RP_ERROR_DAMAGED);
        assert_int_equal(rp_report_count(report), code == RP_OK ? 0 : 1);
        rp_report_clear(report);
    }
    assert_int_equal(rp_memory_now().bytes, before);
}

static void misleading_checkpoints_are_refused(void **state)
{
    size_t grains;
    uint16_t before = chunks[1].local[3];
    chunks[1].local[3] = 30;
    check_ok(chunks_save(*state, 5, chunks, 3, 1000, report), report);
    assert_int_equal(read_checkpoint(*state, 5, &grains), RP_ERROR_DAMAGED);
    check_fault(report, RP_ERROR_DAMAGED, "000005-000.h5: local");
    chunks[1].local[3] = chunks[1].local[4];
    check_ok(chunks_save(*state, 5, chunks, 3, 1000, report), report);
    assert_int_equal(read_checkpoint(*state, 5, &grains), RP_ERROR_DAMAGED);
    check_fault(report, RP_ERROR_DAMAGED, "000005-000.h5: local");
    chunks[1].local[3] = before;
    float place = chunks[1].x[2];
    chunks[1].x[2] = NAN;
    check_ok(chunks_save(*state, 5, chunks, 3, 1000, report), report);
    assert_int_equal(read_checkpoint(*state, 5, &grains), RP_ERROR_DAMAGED);
    check_fault(report, RP_ERROR_DAMAGED, "is nan; allowed are");
    chunks[1].x[2] = place;
}

static void a_limit_on_file_size_leaves_nothing(void **state)
{
    rp_chunk large[] = {chunk_make(0, 100, 100, 1, 1), chunk_make(100, 60000, 60000, 1, 1)};
    struct rlimit before, tight;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    tight = before;
    tight.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &tight);
    rp_code code = chunks_write(*state, 5, large, 2, 1000, 0, report);
    assert_int_equal(code, RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "000005-001.h5: cannot write");
    assert_int_equal(count_files(*state), 0);
    code = chunks_save(*state, 5, large, 2, 1000, report);
    assert_int_equal(code, RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "000005-001.h5: cannot write");
    assert_int_equal(count_files(*state), 0);
    setrlimit(RLIMIT_FSIZE, &before);
    check_ok(chunks_write(*state, 5, large, 2, 1000, 0, report), report);
    for (int i = 0; i < 2; i++)
        chunk_free(&large[i]);
}

/* Dies with parts on the disk and no index. */
static void write_and_die(const char *folder)
{
    test_grains bodies = {0};
    test_bodies(&bodies);
    rp_fine_frame_info facts = chunk_facts(6, &bodies);
    rp_fine_frame_writer *writer;
    if (rp_fine_frame_create(folder, &facts, chunk_body_names, 0, &writer, report) != RP_OK)
        _exit(1);
    rp_fine_frame_limit(writer, 1);
    for (int i = 0; i < 3; i++)
        rp_fine_frame_put(writer, &chunks[i]);
    _exit(0);
}

static void a_killed_writer_leaves_no_frame(void **state)
{
    check_ok(chunks_write(*state, 5, chunks, 3, 1000, 0, report), report);
    pid_t child = fork();
    if (child == 0) write_and_die(*state);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    rp_numbers numbers;
    check_ok(rp_fine_numbers(*state, &numbers, report), report);
    assert_int_equal(numbers.count, 1);
    rp_numbers_end(&numbers);
    assert_int_equal(count_files(*state), 4);
    check_ok(rp_fine_remove_after(*state, 100, report), report);
    assert_int_equal(count_files(*state), 2);
    size_t grains;
    check_ok(read_frame(*state, 5, &grains), report);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(damaged_files_are_named),
        IN_FOLDER(missing_files_are_named),
        IN_FOLDER(parts_of_another_writing_are_refused),
        IN_FOLDER(a_frame_under_another_number_is_refused),
        IN_FOLDER(misleading_tables_are_refused),
        IN_FOLDER(random_tables_do_no_harm),
        IN_FOLDER(misleading_checkpoints_are_refused),
        IN_FOLDER(a_limit_on_file_size_leaves_nothing),
        IN_FOLDER(a_killed_writer_leaves_no_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
