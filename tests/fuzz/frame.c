/* Frames made of anything: read or refused, never a crash. See fuzz/checksummed.h. */
#include "checksummed.h"

#include "record/frame.h"
#include "view/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A height field of 2 x 3 nodes. */
static void put_odd_grid(hid_t file, fuzz_bytes *bytes)
{
    static const char *const names[3][3] = {{"size_x", "spacing_x", "origin_x"},
                                            {"size_y", "spacing_y", "origin_y"},
                                            {"size_z", "spacing_z", "origin_z"}};
    static const uint64_t sizes[3] = {2, 3, 1}, zero = 0;
    const double number = 1;
    put_array(file, "grids/height/values", H5T_IEEE_F32LE, 6, 1, 0, bytes);
    hid_t array = H5Dopen2(file, "grids/height/values", H5P_DEFAULT);
    if (array < 0) return;
    put_text(array, "kind", "height", bytes);
    put_fact(array, "material", H5T_STD_U64LE, &zero, bytes);
    for (int a = 0; a < 3; a++) {
        put_fact(array, names[a][0], H5T_STD_U64LE, &sizes[a], bytes);
        put_fact(array, names[a][1], H5T_IEEE_F64LE, &number, bytes);
        put_fact(array, names[a][2], H5T_IEEE_F64LE, &number, bytes);
    }
    H5Dclose(array);
}

static int odd_frame(fuzz_bytes *bytes, char *path, size_t path_size)
{
    static const char *const fields[] = {"x",          "y",          "z",        "velocity_x",
                                         "velocity_y", "velocity_z", "mass",     "density",
                                         "pressure",   "id",         "material", "asleep",
                                         "moisture",   "own",        "own/inner"};
    static const char *const parts[] = {"position",         "orientation",   "velocity",
                                        "angular_velocity", "force",         "torque",
                                        "contact_force",    "contact_torque"};
    const double number = 1;
    const uint64_t one = 1, grains = 1u + next_byte(bytes) % 16, zero = 0;
    hid_t file = begin_file();
    char name[64];
    for (int i = 0; i < 14 + next_byte(bytes) % 2; i++) {
        snprintf(name, sizeof name, "grains/%s", fields[i]);
        hid_t type = i == 9 ? H5T_STD_U32LE : i > 9 && i != 12 ? H5T_STD_U8LE : H5T_IEEE_F32LE;
        put_array(file, name, type, grains, 1, (uint64_t)i, bytes);
    }
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "bodies/%s", parts[i]);
        put_array(file, name, H5T_IEEE_F64LE, 1, i == 1 ? 4 : 3, 0, bytes);
    }
    for (int i = 0; i < RP_CONTACT_PARTS; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        hid_t type = part->type == RP_U32  ? H5T_STD_U32LE
                     : part->type == RP_U8 ? H5T_STD_U8LE
                                           : H5T_IEEE_F32LE;
        put_array(file, part->path, type, 1, part->width, 0, bytes);
    }
    put_odd_grid(file, bytes);
    put_text(file, "kind", "frame", bytes);
    put_fact(file, "format_version", H5T_STD_U64LE, &one, bytes);
    put_fact(file, "frame", H5T_STD_U64LE, &zero, bytes);
    put_fact(file, "step", H5T_STD_U64LE, &one, bytes);
    put_fact(file, "count", H5T_STD_U64LE, &grains, bytes);
    put_fact(file, "body_count", H5T_STD_U64LE, &one, bytes);
    put_fact(file, "contact_count", H5T_STD_U64LE, &one, bytes);
    put_fact(file, "grid_count", H5T_STD_U64LE, &one, bytes);
    put_fact(file, "time", H5T_IEEE_F64LE, &number, bytes);
    put_fact(file, "dt", H5T_IEEE_F64LE, &number, bytes);
    put_fact(file, "spacing", H5T_IEEE_F64LE, &number, bytes);
    return checksummed_file(file, path, path_size);
}

/* Touches all that a view promises. */
static unsigned sum_of(const rp_view *view)
{
    unsigned sum = 0;
    for (int i = 0; i < view->field_count; i++) {
        size_t bytes = view->count * rp_field_type_size(view->fields[i].type);
        for (size_t k = 0; k < bytes; k++)
            sum += ((const uint8_t *)view->fields[i].data)[k];
    }
    for (size_t i = 0; i < view->count; i++)
        sum += view->id[i] + view->material[i] + (view->x[i] > 0) +
               (view->moisture && view->moisture[i] > 0);
    for (int i = 0; i < view->grid_count; i++)
        for (size_t k = 0; k < rp_grid_count(&view->grids[i]); k++)
            sum += view->grids[i].values[k] > 0;
    for (int i = 0; i < view->body_count; i++)
        sum += view->bodies[i].torque[2] > 0;
    for (size_t i = 0; i < view->contact_count; i++)
        sum += view->contacts[i].with == RP_WITH_BODY
                   ? view->bodies[view->contacts[i].second].force[0] > 0
                   : view->contacts[i].overlap > 0;
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    char path[64];
    int descriptor = next_byte(&bytes) % 2
                         ? odd_frame(&bytes, path, sizeof path)
                         : file_with_checksum(bytes.data, bytes.size, path, sizeof path);
    rp_report *report = rp_report_create();
    rp_frame_file *frame;
    rp_code code = rp_frame_read(path, 0, &frame, report);
    if ((code == RP_OK) != (rp_report_count(report) == 0)) abort();
    static volatile unsigned sink;
    if (code == RP_OK) sink = sum_of(rp_frame_view(frame));
    (void)sink;
    rp_frame_close(frame);
    rp_report_destroy(report);
    close(descriptor);
    return 0;
}
