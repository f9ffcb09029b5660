/* The table of a body's parts: everything of a state is in it, once, and comes back as it was. */
#include "check.h"

#include "view/view.h"

#include <string.h>

static void the_parts_are_the_whole_state(void **state)
{
    (void)state;
    size_t end = 0;
    for (int i = 0; i < RP_BODY_PARTS; i++) {
        const rp_body_part *part = &rp_body_parts[i];
        assert_int_equal(part->offset, end);
        assert_in_range(part->width, 1, RP_BODY_PART_WIDTH);
        assert_memory_equal(part->name, "bodies/", strlen("bodies/"));
        end += part->width * sizeof(double);
    }
    assert_int_equal(end, sizeof(rp_body_state));
}

#define BODIES 3

static void states_come_back_from_tables(void **state)
{
    (void)state;
    rp_body_state from[BODIES], to[BODIES];
    double *values = (double *)(void *)from, table[BODIES * RP_BODY_PART_WIDTH];
    size_t count = BODIES * (sizeof *from / sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = 1 / (double)(i + 3);
    memset(to, 0xff, sizeof to);
    for (int i = 0; i < RP_BODY_PARTS; i++) {
        rp_body_part_gather(&rp_body_parts[i], from, BODIES, table);
        rp_body_part_scatter(&rp_body_parts[i], to, BODIES, table);
    }
    assert_memory_equal(from, to, sizeof from);
    rp_body_part_gather(&rp_body_parts[1], from, BODIES, table);
    assert_memory_equal(table + RP_BODY_PART_WIDTH, from[1].orientation,
                        sizeof from[1].orientation);
}

static void sizes_and_names_are_found(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 8, 1, 2, 4, 8};
    for (int i = RP_F32; i <= RP_U64; i++)
        assert_int_equal(rp_field_type_size((rp_field_type)i), sizes[i]);
    const rp_field fields[] = {{.name = "x"}, {.name = "xy"}};
    const rp_view view = {.fields = fields, .field_count = 2};
    assert_ptr_equal(rp_view_field(&view, "xy"), &fields[1]);
    assert_null(rp_view_field(&view, "y"));
}

/* Names are unique, pointers are found where the schema says, and a solver's own fields are
 * recognised. */
static void the_schema_names_every_pointer(void **state)
{
    (void)state;
    static const char values[RP_VIEW_FIELDS];
    rp_view view = {0};
    for (int i = 0; i < RP_VIEW_FIELDS; i++) {
        const rp_view_column *column = &rp_view_schema[i];
        assert_null(rp_view_data(&view, column));
        rp_view_set_data(&view, column, &values[i]);
        assert_false(rp_view_is_extra(&(rp_field){.name = column->name}));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(column->name, rp_view_schema[k].name);
    }
    assert_ptr_equal(view.x, &values[RP_VIEW_x]);
    assert_ptr_equal(view.vz, &values[RP_VIEW_vz]);
    assert_ptr_equal(view.moisture, &values[RP_VIEW_moisture]);
    assert_true(rp_view_is_extra(&(rp_field){.name = "spin_x"}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_are_the_whole_state),
        cmocka_unit_test(states_come_back_from_tables),
        cmocka_unit_test(the_schema_names_every_pointer),
        cmocka_unit_test(sizes_and_names_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
