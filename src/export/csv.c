/* CSV: a row of names, then a row per grain, body, contact or node, in SI units. Numbers have as
 * many digits as are needed to read back the same bits. */
#include "base/report.h"
#include "export/digits.h"
#include "export/export.h"
#include "scene/scene.h"
#include "view/view.h"

#include <string.h>

static void print_names(rp_atomic *file, const rp_export_columns *columns)
{
    rp_atomic_print(file, "Px,Py,Pz");
    for (size_t i = 1; i < columns->count; i++)
        for (int c = 0; c < columns->items[i].components; c++) {
            char label[160];
            rp_export_label(&columns->items[i], c, label, sizeof label);
            rp_atomic_print(file, ",%s", label);
        }
    rp_atomic_print(file, "\n");
}

rp_code rp_export_csv_grains(const rp_export *export, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, export->stem, "csv", &file, report));
    const rp_export_columns *columns = &export->columns;
    print_names(&file, columns);
    for (size_t grain = 0; grain < export->view->count; grain++) {
        for (size_t i = 0; i < columns->count; i++)
            for (int c = 0; c < columns->items[i].components; c++) {
                if (i || c) rp_atomic_write(&file, ",", 1);
                rp_export_number(&file, &columns->items[i], c, grain);
            }
        rp_atomic_write(&file, "\n", 1);
    }
    return rp_atomic_finish(&file, report);
}

/* Always in quotes, since a name may hold a comma; a quote is doubled. */
static void print_name(rp_atomic *file, const char *name)
{
    rp_atomic_write(file, "\"", 1);
    for (; *name; name++)
        rp_atomic_write(file, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    rp_atomic_write(file, "\"", 1);
}

static void print_numbers(rp_atomic *file, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        rp_atomic_print(file, ",%.17g", values[i]);
}

rp_code rp_export_csv_bodies(const rp_export *export, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, "bodies", "csv", &file, report));
    rp_atomic_print(&file, "name,Px,Py,Pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,Fx,Fy,Fz,Tx,Ty,Tz,"
                           "contact_Fx,contact_Fy,contact_Fz,contact_Tx,contact_Ty,contact_Tz\n");
    for (int i = 0; i < export->view->body_count; i++) {
        const rp_body_state *body = &export->view->bodies[i];
        print_name(&file, rp_scene_bodies(export->scene)[i].name);
        print_numbers(&file, body->position, 3);
        print_numbers(&file, body->orientation, 4);
        print_numbers(&file, body->velocity, 3);
        print_numbers(&file, body->angular_velocity, 3);
        print_numbers(&file, body->force, 3);
        print_numbers(&file, body->torque, 3);
        print_numbers(&file, body->contact_force, 3);
        print_numbers(&file, body->contact_torque, 3);
        rp_atomic_write(&file, "\n", 1);
    }
    return rp_atomic_finish(&file, report);
}

static void print_member_names(rp_atomic *file)
{
    for (int i = 0; i < RP_CONTACT_PARTS; i++)
        for (size_t c = 0; c < rp_contact_parts[i].width; c++) {
            const rp_contact_part *part = &rp_contact_parts[i];
            const char *comma = i || c ? "," : "", *name = rp_contact_part_name(part);
            if (part->width > 1)
                rp_atomic_print(file, "%s%s_%c", comma, name, "xyz"[c]);
            else
                rp_atomic_print(file, "%s%s", comma, name);
        }
    rp_atomic_write(file, "\n", 1);
}

/* A member of a contact, read from the struct by its offset in the schema. */
static void print_member(rp_atomic *file, const rp_contact_part *part, const rp_contact *contact)
{
    const char *data = (const char *)contact + part->offset;
    for (size_t c = 0; c < part->width; c++) {
        char text[RP_DIGITS_MAX];
        size_t length;
        if (part->type == RP_F32)
            length = rp_digits_f32(text, ((const float *)(const void *)data)[c]);
        else if (part->type == RP_U32)
            length = rp_digits_u64(text, ((const uint32_t *)(const void *)data)[c]);
        else
            length = rp_digits_u64(text, ((const uint8_t *)data)[c]);
        if (part != rp_contact_parts || c) rp_atomic_write(file, ",", 1);
        rp_atomic_write(file, text, length);
    }
}

rp_code rp_export_csv_contacts(const rp_export *export, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, "contacts", "csv", &file, report));
    print_member_names(&file);
    for (size_t i = 0; i < export->view->contact_count; i++) {
        for (int k = 0; k < RP_CONTACT_PARTS; k++)
            print_member(&file, &rp_contact_parts[k], &export->view->contacts[i]);
        rp_atomic_write(&file, "\n", 1);
    }
    return rp_atomic_finish(&file, report);
}

/* --- grids ------------------------------------------------------------------------------------ */

static void print_node(rp_atomic *file, const rp_grid *grid, size_t i, size_t j, size_t k)
{
    rp_vec3 at = rp_grid_point(grid, i, j, k);
    char text[RP_DIGITS_MAX];
    size_t place = (k * grid->size[1] + j) * grid->size[0] + i;
    size_t length = rp_digits_f32(text, grid->values[place]);
    rp_atomic_print(file, "%.9g,%.9g,%.9g,", at.x, at.y, at.z);
    rp_atomic_write(file, text, length);
    rp_atomic_write(file, "\n", 1);
}

static rp_code write_grid(const rp_export *export, const rp_grid *grid, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_export_open(export, rp_export_grid_stem(grid).text, "csv", &file, report));
    rp_atomic_print(&file, "Px,Py,Pz,%s\n", grid->name);
    for (size_t k = 0; k < grid->size[2]; k++)
        for (size_t j = 0; j < grid->size[1]; j++)
            for (size_t i = 0; i < grid->size[0]; i++)
                print_node(&file, grid, i, j, k);
    return rp_atomic_finish(&file, report);
}

rp_code rp_export_csv_grids(const rp_export *export, rp_report *report)
{
    return rp_export_each_grid(export, write_grid, report);
}
