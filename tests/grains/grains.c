/* The table of grains: fields follow along, states come back, damaged ones are refused. */
#include "neighbor/cloud.h"

#include "base/memory.h"

typedef struct own_fields {
    double *heat;
    uint16_t *flags;
    uint64_t *contact;
} own_fields;

static void begin(rp_grains *p, own_fields *own)
{
    check_ok(rp_grains_begin(p, NULL), NULL);
    check_ok(rp_grains_add_field(p, "heat", "J", RP_F64, RP_FIELD_STATE | RP_FIELD_VISIBLE,
                                 (void **)&own->heat, NULL),
             NULL);
    check_ok(
        rp_grains_add_field(p, "flags", "", RP_U16, RP_FIELD_STATE, (void **)&own->flags, NULL),
        NULL);
    check_ok(rp_grains_add_field(p, "contact", "", RP_U64, RP_FIELD_VISIBLE, (void **)&own->contact,
                                 NULL),
             NULL);
}

/* Every field holds the grain's number. */
static void mark(rp_grains *p, own_fields *own)
{
    for (size_t i = 0; i < p->count; i++) {
        uint32_t id = p->id[i];
        p->x[i] = p->pressure[i] = (float)id;
        p->material[i] = (uint8_t)id;
        own->heat[i] = id;
        own->flags[i] = (uint16_t)id;
        own->contact[i] = id;
    }
}

static void check_marks(const rp_grains *p, const own_fields *own, bool with_contact)
{
    for (size_t i = 0; i < p->count; i++) {
        uint32_t id = p->id[i];
        assert_true(p->x[i] == (float)id && p->pressure[i] == (float)id);
        assert_int_equal(p->material[i], (uint8_t)id);
        assert_true(own->heat[i] == id);
        assert_int_equal(own->flags[i], (uint16_t)id);
        assert_true(own->contact[i] == (with_contact ? id : 0));
    }
}

static void appending_numbers_and_clears(void **state)
{
    (void)state;
    rp_grains p;
    own_fields own;
    begin(&p, &own);
    size_t first = 99;
    check_ok(rp_grains_append(&p, 0, &first, NULL), NULL);
    assert_int_equal(first, 0);
    for (int i = 0; i < 100; i++) {
        p.ghosts = p.capacity - p.count > 0;
        check_ok(rp_grains_append(&p, 7, &first, NULL), NULL);
        assert_int_equal(first, 7 * i);
        assert_int_equal(p.ghosts, 0);
        for (size_t g = first; g < p.count; g++) {
            assert_int_equal(p.id[g], g);
            assert_true(p.x[g] == 0 && own.heat[g] == 0 && p.asleep[g] == 0);
        }
        mark(&p, &own);
    }
    check_marks(&p, &own, true);
    assert_int_equal(p.next_id, 700);
    assert_int_equal((uintptr_t)p.x % 64 + (uintptr_t)own.flags % 64, 0);
    p.next_id = UINT32_MAX - 3;
    assert_int_equal(rp_grains_append(&p, 4, &first, NULL), RP_ERROR_INPUT);
    check_ok(rp_grains_append(&p, 3, &first, NULL), NULL);
    rp_grains_end(&p);
}

static void fields_added_late_have_room(void **state)
{
    (void)state;
    rp_grains p;
    float *late = NULL;
    size_t first;
    check_ok(rp_grains_begin(&p, NULL), NULL);
    check_ok(rp_grains_append(&p, 10, &first, NULL), NULL);
    check_ok(rp_grains_add_field(&p, "late", "", RP_F32, RP_FIELD_STATE, (void **)&late, NULL),
             NULL);
    for (int i = 0; i < 10; i++)
        assert_true(late[i] == 0);
    /* 13 common fields of 4 bytes and less, the late one, spares of 1 and 4 bytes. */
    assert_int_equal(rp_grains_bytes_each(&p), 11 * 4 + 2 + 4 + 5);
    rp_grains_end(&p);
    assert_null(late);
}

static void removing_and_reordering_keep_grains_whole(void **state)
{
    (void)state;
    rp_grains p;
    own_fields own;
    begin(&p, &own);
    size_t first;
    check_ok(rp_grains_append(&p, 1000, &first, NULL), NULL);
    mark(&p, &own);
    uint8_t dead[1000];
    for (int i = 0; i < 1000; i++)
        dead[i] = i % 3 == 0;
    rp_grains_remove(&p, dead);
    assert_int_equal(p.count, 666);
    check_marks(&p, &own, true);
    for (size_t i = 1; i < p.count; i++)
        assert_true(p.id[i] > p.id[i - 1]);

    uint32_t order[666], ids[666];
    memcpy(ids, p.id, sizeof ids);
    for (uint32_t i = 0; i < 666; i++)
        order[i] = (i * 5) % 666;
    uint64_t calls = rp_memory_now().calls;
    rp_grains_reorder(&p, order, NULL);
    assert_true(rp_memory_now().calls == calls);
    check_marks(&p, &own, true);
    for (uint32_t i = 0; i < 666; i++)
        assert_int_equal(p.id[i], ids[order[i]]);
    rp_grains_end(&p);
}

static void a_state_comes_back(void **state)
{
    (void)state;
    rp_grains p, q;
    own_fields own, other;
    begin(&p, &own);
    begin(&q, &other);
    size_t first;
    check_ok(rp_grains_append(&p, 100, &first, NULL), NULL);
    check_ok(rp_grains_append(&q, 5, &first, NULL), NULL);
    mark(&p, &own);
    rp_store store;
    for (size_t count = 100; count != (size_t)-50; count -= 50) {
        rp_store_begin(&store);
        p.count = count;
        check_ok(rp_grains_save(&p, &store, NULL), NULL);
        check_ok(rp_grains_load(&q, &store, NULL), NULL);
        assert_int_equal(q.count, count);
        assert_int_equal(q.next_id, 100);
        check_marks(&q, &other, false);
        rp_store_end(&store);
    }
    rp_grains_end(&p);
    rp_grains_end(&q);
}

/* Loads the state with one entry changed and finds the grains untouched. */
static void check_refused(rp_store *store, const char *name, void (*damage)(rp_store_entry *))
{
    rp_grains p;
    own_fields own;
    begin(&p, &own);
    size_t first;
    check_ok(rp_grains_append(&p, 5, &first, NULL), NULL);
    mark(&p, &own);
    rp_store_entry *entry = (rp_store_entry *)rp_store_find(store, name);
    assert_non_null(entry);
    rp_store_entry kept = *entry;
    damage(entry);
    rp_report *report = rp_report_create();
    assert_int_equal(rp_grains_load(&p, store, report), RP_ERROR_DAMAGED);
    assert_int_equal(rp_report_count(report), 1);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "particles/"));
    rp_report_destroy(report);
    *entry = kept;
    assert_int_equal(p.count, 5);
    assert_int_equal(p.next_id, 5);
    check_marks(&p, &own, true);
    rp_grains_end(&p);
}

static const uint64_t absurd = UINT64_MAX / 8, just_too_large = (uint64_t)UINT32_MAX + 1;

static void shorten(rp_store_entry *entry)
{
    entry->count--;
}

static void lengthen(rp_store_entry *entry)
{
    entry->count = (size_t)absurd;
}

static void retype(rp_store_entry *entry)
{
    entry->type = entry->type == RP_F32 ? RP_U32 : RP_F32;
}

static void rename_entry(rp_store_entry *entry)
{
    static char other[] = "elsewhere";
    entry->name = other;
}

static void point_to_absurd(rp_store_entry *entry)
{
    entry->data = &absurd;
}

static void point_to_too_large(rp_store_entry *entry)
{
    entry->data = &just_too_large;
}

static void raise_id(rp_store_entry *entry)
{
    static uint32_t ids[20];
    ids[7] = 20;
    entry->data = ids;
}

static void damaged_states_are_refused(void **state)
{
    (void)state;
    rp_grains p;
    own_fields own;
    begin(&p, &own);
    size_t first;
    check_ok(rp_grains_append(&p, 20, &first, NULL), NULL);
    rp_store store;
    rp_store_begin(&store);
    check_ok(rp_grains_save(&p, &store, NULL), NULL);
    const char *names[] = {"particles/x",    "particles/id",    "particles/asleep",
                           "particles/heat", "particles/count", "particles/next_id"};
    for (int i = 0; i < 6; i++) {
        check_refused(&store, names[i], shorten);
        check_refused(&store, names[i], lengthen);
        check_refused(&store, names[i], retype);
        check_refused(&store, names[i], rename_entry);
    }
    check_refused(&store, "particles/count", point_to_absurd);
    check_refused(&store, "particles/next_id", point_to_absurd);
    check_refused(&store, "particles/next_id", point_to_too_large);
    check_refused(&store, "particles/id", raise_id);
    rp_store_end(&store);
    rp_grains_end(&p);
}

static void a_view_shows_visible_fields(void **state)
{
    (void)state;
    rp_grains p;
    own_fields own;
    begin(&p, &own);
    size_t first;
    check_ok(rp_grains_append(&p, 3, &first, NULL), NULL);
    rp_field fields[RP_FIELD_MAX];
    rp_view view = {0};
    rp_grains_view(&p, fields, &view);
    assert_int_equal(view.count, 3);
    assert_int_equal(view.field_count, 15);
    assert_ptr_equal(view.vy, p.vy);
    assert_ptr_equal(rp_view_field(&view, "velocity_y")->data, p.vy);
    assert_ptr_equal(rp_view_field(&view, "heat")->data, own.heat);
    assert_string_equal(rp_view_field(&view, "heat")->unit, "J");
    assert_null(rp_view_field(&view, "flags"));
    rp_grains_end(&p);
}

static void shapes_are_fields_like_others(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        rp_grains p;
        check_ok(rp_grains_begin(&p, NULL), NULL);
        assert_null(p.kind);
        size_t first, bytes = rp_grains_bytes_each(&p);
        check_ok(rp_grains_add_shapes(&p, turned, NULL), NULL);
        assert_int_equal(rp_grains_bytes_each(&p), bytes + (turned ? 21 : 5));
        check_ok(rp_grains_append(&p, 2, &first, NULL), NULL);
        assert_non_null(p.kind);
        assert_true((p.orientation[0] != NULL) == turned && (p.orientation[3] != NULL) == turned);
        rp_field fields[RP_FIELD_MAX];
        rp_view view = {0};
        rp_grains_view(&p, fields, &view);
        assert_ptr_equal(rp_view_field(&view, "kind")->data, p.kind);
        assert_ptr_equal(rp_view_field(&view, "diameter")->data, p.diameter);
        assert_string_equal(rp_view_field(&view, "diameter")->unit, "m");
        if (turned) assert_ptr_equal(rp_view_field(&view, "orientation_z")->data, p.orientation[3]);
        if (!turned) assert_null(rp_view_field(&view, "orientation_w"));
        rp_grains_end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appending_numbers_and_clears),
        cmocka_unit_test(fields_added_late_have_room),
        cmocka_unit_test(removing_and_reordering_keep_grains_whole),
        cmocka_unit_test(a_state_comes_back),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(a_view_shows_visible_fields),
        cmocka_unit_test(shapes_are_fields_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
