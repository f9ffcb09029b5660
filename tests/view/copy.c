/* Copies of views: equal to what was copied, on their own, and without new memory once warm. */
#include "check.h"

#include "repose/view.h"
#include "view/view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define GRAINS 1000
#define NODES 12

/* A view all of whose numbers follow from one. */
typedef struct made_view {
    float floats[10][GRAINS], own[GRAINS], nodes[NODES];
    uint32_t id[GRAINS];
    uint8_t bytes[2][GRAINS];
    rp_field fields[3];
    rp_body_state bodies[2];
    rp_contact contacts[5];
    rp_grid grid;
    rp_view view;
} made_view;

static void fill(made_view *m, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 10; k++)
            m->floats[k][i] = (float)(seed + (uint32_t)k);
        m->own[i] = (float)seed;
        m->id[i] = seed;
        m->bytes[0][i] = m->bytes[1][i] = (uint8_t)seed;
    }
    for (int i = 0; i < NODES; i++)
        m->nodes[i] = (float)seed;
    m->bodies[1].position[2] = seed;
    m->contacts[4].first = seed;
    m->view.count = count;
    m->view.step = seed;
    m->view.time = seed / 8.0;
}

static made_view *make_view(void)
{
    made_view *m = calloc(1, sizeof *m);
    rp_view *v = &m->view;
    const void *const data[RP_VIEW_FIELDS] = {
        m->floats[0], m->floats[1], m->floats[2], m->floats[3], m->floats[4],
        m->floats[5], m->floats[6], m->floats[7], m->floats[8], m->id,
        m->bytes[0],  m->bytes[1],  m->floats[9]};
    for (int i = 0; i < RP_VIEW_FIELDS; i++)
        rp_view_set_data(v, &rp_view_schema[i], data[i]);
    m->fields[0] = (rp_field){"x", "m", RP_F32, m->floats[0]};
    m->fields[1] = (rp_field){"id", "", RP_U32, m->id};
    m->fields[2] = (rp_field){"spin", "rad/s", RP_F32, m->own};
    m->grid = (rp_grid){"height", "m", RP_GRID_HEIGHT, 0, {4, 3, 1}, {1, 1, 1}, {0}, m->nodes};
    v->fields = m->fields, v->field_count = 3;
    v->bodies = m->bodies, v->body_count = 2;
    v->contacts = m->contacts, v->contact_count = 5;
    v->grids = &m->grid, v->grid_count = 1;
    fill(m, GRAINS, 7);
    return m;
}

/* Every number of the copy is what fill made of `seed`. */
static bool holds_seed(const rp_view *v, uint32_t seed)
{
    const float *x[] = {v->x, v->y, v->z, v->vx, v->vy, v->vz, v->mass, v->density, v->pressure};
    const float *own = v->fields[2].data;
    bool good = v->step == seed && v->time == seed / 8.0;
    for (size_t i = 0; i < v->count; i++) {
        for (int k = 0; k < 9; k++)
            good &= x[k][i] == (float)(seed + (uint32_t)k);
        good &= v->id[i] == seed && v->material[i] == (uint8_t)seed && own[i] == (float)seed;
    }
    for (int i = 0; i < NODES; i++)
        good &= v->grids[0].values[i] == (float)seed;
    return good && v->bodies[1].position[2] == seed && v->contacts[4].first == seed;
}

static void a_copy_lives_on_its_own(void **state)
{
    (void)state;
    made_view *m = make_view();
    rp_view_buffer *buffer = NULL;
    assert_int_equal(rp_view_copy(&m->view, RP_COPY_ALL, &buffer, NULL), RP_OK);
    memset(m, 0xff, sizeof *m);
    free(m);
    const rp_view *copy = rp_view_buffer_view(buffer);
    assert_int_equal(copy->count, GRAINS);
    assert_true(holds_seed(copy, 7));
    assert_int_equal(copy->field_count, 3);
    assert_ptr_equal(rp_view_field(copy, "x")->data, copy->x);
    assert_ptr_equal(rp_view_field(copy, "id")->data, copy->id);
    assert_string_equal(copy->fields[2].name, "spin");
    assert_string_equal(copy->fields[2].unit, "rad/s");
    assert_string_equal(rp_view_grid(copy, "height")->unit, "m");
    assert_int_equal((uintptr_t)copy->vy % 64, 0);
    assert_int_equal(rp_view_copy(copy, RP_COPY_ALL, &buffer, NULL), RP_ERROR_INPUT);
    rp_view_buffer_destroy(buffer);
}

static void parts_are_copied_by_choice(void **state)
{
    (void)state;
    made_view *m = make_view();
    rp_view_buffer *buffer = NULL;
    assert_int_equal(rp_view_copy(&m->view, RP_COPY_BODIES, &buffer, NULL), RP_OK);
    const rp_view *copy = rp_view_buffer_view(buffer);
    assert_int_equal(copy->count, 0);
    assert_true(!copy->x && !copy->contacts && !copy->grid_count && !copy->field_count);
    assert_memory_equal(copy->bodies, m->bodies, sizeof m->bodies);
    assert_int_equal(rp_view_copy(&m->view, RP_COPY_GRAINS | RP_COPY_GRIDS, &buffer, NULL), RP_OK);
    assert_int_equal(copy->count, GRAINS);
    assert_true(copy->x && !copy->bodies && copy->grid_count == 1 && copy->field_count == 2);
    assert_null(rp_view_field(copy, "spin"));
    m->view.density = NULL;
    assert_int_equal(rp_view_copy(&m->view, RP_COPY_ALL, &buffer, NULL), RP_OK);
    assert_null(copy->density);
    rp_view_buffer_destroy(buffer);
    free(m);
}

static void a_warm_buffer_takes_no_memory(void **state)
{
    (void)state;
    made_view *m = make_view();
    rp_view_buffer *buffer = NULL;
    assert_int_equal(rp_view_copy(&m->view, RP_COPY_ALL, &buffer, NULL), RP_OK);
    uint64_t before = rp_memory_now().calls;
    for (uint32_t i = 0; i < 100; i++) {
        fill(m, GRAINS - 10 * i, i);
        assert_int_equal(rp_view_copy(&m->view, RP_COPY_ALL, &buffer, NULL), RP_OK);
        assert_true(holds_seed(rp_view_buffer_view(buffer), i));
    }
    assert_int_equal(rp_memory_now().calls, before);
    rp_view_buffer_destroy(buffer);
    free(m);
}

/* Two buffers that a simulation and a viewer trade: one is written while the other is read. */
typedef struct exchange {
    pthread_mutex_t lock;
    rp_view_buffer *fresh; /* the newest copy, not yet taken */
    bool ended;
    int torn; /* copies that did not hold one instant */
    int seen;
} exchange;

static rp_view_buffer *trade(exchange *e, rp_view_buffer *mine)
{
    pthread_mutex_lock(&e->lock);
    rp_view_buffer *theirs = e->fresh;
    e->fresh = mine;
    pthread_mutex_unlock(&e->lock);
    return theirs;
}

static void *watch(void *context)
{
    exchange *e = context;
    rp_view_buffer *mine = NULL;
    for (bool ended = false; !ended;) {
        mine = trade(e, mine);
        const rp_view *view = rp_view_buffer_view(mine);
        if (view) {
            e->torn += !holds_seed(view, (uint32_t)view->step);
            e->seen++;
        }
        pthread_mutex_lock(&e->lock);
        ended = e->ended;
        pthread_mutex_unlock(&e->lock);
    }
    rp_view_buffer_destroy(mine);
    return NULL;
}

static void another_thread_reads_whole_instants(void **state)
{
    (void)state;
    exchange e = {.lock = PTHREAD_MUTEX_INITIALIZER};
    made_view *m = make_view();
    pthread_t viewer;
    assert_int_equal(pthread_create(&viewer, NULL, watch, &e), 0);
    rp_view_buffer *mine = NULL;
    for (uint32_t step = 1; step <= 2000; step++) {
        fill(m, GRAINS / 2 + step % 500, step);
        assert_int_equal(rp_view_copy(&m->view, RP_COPY_ALL, &mine, NULL), RP_OK);
        mine = trade(&e, mine);
    }
    pthread_mutex_lock(&e.lock);
    e.ended = true;
    pthread_mutex_unlock(&e.lock);
    pthread_join(viewer, NULL);
    assert_int_equal(e.torn, 0);
    rp_view_buffer_destroy(mine);
    rp_view_buffer_destroy(e.fresh);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_lives_on_its_own),
        cmocka_unit_test(parts_are_copied_by_choice),
        cmocka_unit_test(a_warm_buffer_takes_no_memory),
        cmocka_unit_test(another_thread_reads_whole_instants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
