/* Threads of one program that write and read checksummed files at once. HDF5 may be built without
 * thread safety, so the writer has a lock of its own. */
#include "record/fixture.h"

#include "files/checksummed.h"
#include "record/frame.h"

#include <pthread.h>
#include <stdatomic.h>

#define FRAMES 20

typedef struct worker {
    const char *folder;
    int64_t first;
    rp_view view;
    const char *const *names;
    rp_code code;
    bool same;
} worker;

static bool same_grains(const rp_view *a, const rp_view *b)
{
    return a->count == b->count && memcmp(a->x, b->x, a->count * sizeof *a->x) == 0 &&
           memcmp(a->id, b->id, a->count * sizeof *a->id) == 0 &&
           memcmp(a->bodies, b->bodies, (size_t)a->body_count * sizeof *a->bodies) == 0;
}

/* Writes frames of its own and reads each back; a damaged file comes in between. */
static void *write_and_read(void *context)
{
    worker *w = context;
    for (int64_t i = w->first; i < w->first + FRAMES && w->code == RP_OK && w->same; i++) {
        char path[RP_PATH_MAX];
        rp_frame_file *frame = NULL;
        snprintf(path, sizeof path, "%s/damaged", w->folder);
        if (rp_frame_read(path, i, &frame, NULL) != RP_ERROR_DAMAGED) w->code = RP_ERROR_IO;
        snprintf(path, sizeof path, "%s/%lld", w->folder, (long long)i);
        if (w->code == RP_OK)
            w->code = rp_frame_write(path, i, &w->view, w->names, (int)(i % 2), NULL);
        if (w->code == RP_OK) w->code = rp_frame_read(path, i, &frame, NULL);
        if (w->code != RP_OK) break;
        w->same = same_grains(rp_frame_view(frame), &w->view);
        rp_frame_close(frame);
    }
    return NULL;
}

static void frames_are_written_and_read_at_once(void **state)
{
    static const char *const names[] = {"floor", "ball"};
    test_grains grains[2];
    worker workers[2];
    pthread_t threads[2];
    write_whole(in_folder(state, "damaged"), "no file", 7);
    for (int i = 0; i < 2; i++) {
        test_grains_make(&grains[i], 500 + 100 * (size_t)i, i);
        workers[i] = (worker){*state, i * FRAMES, grains[i].view, names, RP_OK, true};
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, &workers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].code, RP_OK);
        assert_true(workers[i].same);
        test_grains_free(&grains[i]);
    }
}

static atomic_bool created;

static void *open_and_close(void *context)
{
    rp_checksummed_reader *file;
    if (rp_checksummed_open(context, "odd", &file, NULL) != RP_OK) return NULL;
    rp_checksummed_close(file);
    return context;
}

static void *write_third(void *context)
{
    char third[RP_PATH_MAX];
    snprintf(third, sizeof third, "%s/third", (char *)context);
    rp_checksummed_writer *file;
    rp_code code = rp_checksummed_create(third, "odd", 0, 0, &file, NULL);
    atomic_store(&created, true);
    if (code == RP_OK) code = rp_checksummed_finish(file, NULL);
    return code == RP_OK ? context : NULL;
}

/* While one thread writes a file, other writers wait, and readers do not. */
static void one_writer_at_a_time_is_inside(void **state)
{
    char first[RP_PATH_MAX], second[RP_PATH_MAX];
    snprintf(first, sizeof first, "%s/first", (char *)*state);
    snprintf(second, sizeof second, "%s/second", (char *)*state);
    rp_checksummed_writer *file;
    assert_int_equal(rp_checksummed_create(first, "odd", 0, 0, &file, NULL), RP_OK);
    assert_int_equal(rp_checksummed_finish(file, NULL), RP_OK);

    assert_int_equal(rp_checksummed_create(second, "odd", 0, 0, &file, NULL), RP_OK);
    pthread_t writer, reader;
    void *result;
    assert_int_equal(pthread_create(&writer, NULL, write_third, *state), 0);
    assert_int_equal(pthread_create(&reader, NULL, open_and_close, first), 0);
    pthread_join(reader, &result);
    assert_ptr_equal(result, first);
    usleep(50000);
    assert_false(atomic_load(&created));
    assert_int_equal(rp_checksummed_finish(file, NULL), RP_OK);
    pthread_join(writer, &result);
    assert_ptr_equal(result, *state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames_are_written_and_read_at_once, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(one_writer_at_a_time_is_inside, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
