/* Contacts in frames: a group of arrays, one a part, where the view holds contacts. */
#include "base/memory.h"
#include "base/report.h"
#include "record/frame.h"
#include "view/view.h"

/* The widest part of a contact. */
#define PART_BYTES (3 * sizeof(float))

void rp_frame_put_contacts(rp_sealed_writer *file, const rp_view *view)
{
    if (!view->contacts) return;
    size_t count = view->contact_count, bytes = count * PART_BYTES;
    rp_sealed_put_u64(file, "contact_count", count);
    void *table = rp_allocate(bytes);
    if (!table) rp_sealed_lack_memory(file, bytes, "contacts");
    for (int i = 0; i < RP_CONTACT_PARTS && table; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        rp_contact_part_gather(part, view->contacts, count, table);
        rp_sealed_put(file, part->path, part->unit, part->type, table, count, part->width);
    }
    rp_release(table, bytes);
}

static rp_code damaged(const char *path, const char *key, const char *what, rp_report *report)
{
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key, "%s", what);
}

/* What readers of a view use as an index must be one. */
static rp_code check_contacts(const char *path, const rp_frame_file *frame, rp_report *report)
{
    for (size_t i = 0; i < frame->view.contact_count; i++) {
        const rp_contact *contact = &frame->contacts[i];
        if (contact->with == RP_WITH_BODY && contact->second >= (uint32_t)frame->view.body_count)
            return damaged(path, "contacts/second", "a contact with a body that is not there",
                           report);
    }
    return RP_OK;
}

static rp_code get_parts(const rp_sealed_reader *file, rp_frame_file *frame, void *table,
                         rp_report *report)
{
    size_t count = frame->view.contact_count;
    for (int i = 0; i < RP_CONTACT_PARTS; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        rp_code code =
            rp_sealed_get(file, part->path, part->type, table, count, part->width, report);
        RP_TRY(code);
        rp_contact_part_scatter(part, frame->contacts, count, table);
    }
    return RP_OK;
}

/* Memory for as many contacts as the first array has; the number alone is not to be trusted. */
static rp_code make_room(const rp_sealed_reader *file, const char *path, uint64_t count,
                         rp_frame_file *frame, rp_report *report)
{
    size_t rows = rp_sealed_rows(file, rp_contact_parts[0].path);
    if (rows != count || rows > SIZE_MAX / sizeof *frame->contacts)
        return damaged(path, rp_contact_parts[0].path,
                       "the array's length is not the number of contacts", report);
    frame->contacts = rp_allocate_zero(rows * sizeof *frame->contacts);
    if (!frame->contacts) return rp_fail_memory(report, rows * sizeof *frame->contacts, path);
    frame->view.contacts = frame->contacts;
    frame->view.contact_count = rows;
    return RP_OK;
}

rp_code rp_frame_get_contacts(const rp_sealed_reader *file, const char *path, rp_frame_file *frame,
                              rp_report *report)
{
    uint64_t count = 0;
    if (!rp_sealed_has_fact(file, "contact_count")) return RP_OK;
    RP_TRY(rp_sealed_get_u64(file, "contact_count", &count, report));
    RP_TRY(make_room(file, path, count, frame, report));
    size_t bytes = frame->view.contact_count * PART_BYTES;
    void *table = rp_allocate(bytes);
    if (!table) return rp_fail_memory(report, bytes, path);
    rp_code code = get_parts(file, frame, table, report);
    rp_release(table, bytes);
    return code == RP_OK ? check_contacts(path, frame, report) : code;
}
