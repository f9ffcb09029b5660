/* What of a detail is saved and loaded, besides its chunks. */
#include "base/report.h"
#include "detail/inside.h"

#include <string.h>

#define BODY_NUMBERS (sizeof(rp_body_state) / sizeof(double))

/* The clumps of the last view, array by array. */
static const struct part {
    const char *name, *unit;
    rp_field_type type;
    size_t offset; /* of the array in rp_coarse_grains */
} parts[] = {
    {"clumps/id", "", RP_U32, offsetof(rp_coarse_grains, id)},
    {"clumps/x", "m", RP_F32, offsetof(rp_coarse_grains, x)},
    {"clumps/y", "m", RP_F32, offsetof(rp_coarse_grains, y)},
    {"clumps/z", "m", RP_F32, offsetof(rp_coarse_grains, z)},
    {"clumps/velocity_x", "m/s", RP_F32, offsetof(rp_coarse_grains, vx)},
    {"clumps/velocity_y", "m/s", RP_F32, offsetof(rp_coarse_grains, vy)},
    {"clumps/velocity_z", "m/s", RP_F32, offsetof(rp_coarse_grains, vz)},
    {"clumps/material", "", RP_U8, offsetof(rp_coarse_grains, material)},
};
#define PARTS (sizeof parts / sizeof *parts)

static void *part_data(const rp_coarse_grains *clumps, const struct part *part)
{
    return *(void *const *)((const char *)clumps + part->offset);
}

rp_code rp_detail_save(const rp_detail *detail, rp_store *store, rp_report *report)
{
    const rp_coarse_grains *clumps = &detail->last;
    rp_code code = rp_store_put_f64(store, "time", "s", detail->time, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "born", detail->born, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "left", atomic_load(&detail->left), report);
    if (code == RP_OK) code = rp_store_put_u64(store, "steps", detail->steps, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "clump_count", clumps->count, report);
    for (size_t i = 0; i < PARTS && code == RP_OK; i++)
        code = rp_store_put(store, parts[i].name, parts[i].unit, parts[i].type,
                            part_data(clumps, &parts[i]), clumps->count, report);
    if (code == RP_OK)
        code = rp_store_put(store, "bodies", "", RP_F64, detail->last_bodies,
                            (size_t)detail->body_count * BODY_NUMBERS, report);
    return code;
}

rp_code rp_detail_load_chunk(void *user, const rp_chunk *chunk, rp_report *report)
{
    rp_detail *detail = user;
    if (chunk->material >= detail->scene->materials.count)
        return rp_fail(report, RP_ERROR_DAMAGED, "fine grains of material %d, which is not there",
                       chunk->material);
    return rp_chunks_put(&detail->chunks, chunk, rp_detail_buffer(detail), report);
}

static rp_code load_clumps(rp_detail *detail, const rp_store *store, rp_report *report)
{
    uint64_t count = 0;
    rp_code code = rp_store_get_u64(store, "clump_count", &count, report);
    const rp_store_entry *ids = rp_store_find(store, "clumps/id");
    if (code == RP_OK && (!ids || ids->count != count))
        return rp_fail(report, RP_ERROR_DAMAGED, "the coarse grains of a checkpoint are not whole");
    rp_coarse_grains *clumps = &detail->last;
    if (code == RP_OK) code = rp_coarse_grains_reserve(clumps, (size_t)count, report);
    for (size_t i = 0; i < PARTS && code == RP_OK; i++)
        code = rp_store_get(store, parts[i].name, parts[i].type, part_data(clumps, &parts[i]),
                            (size_t)count, report);
    if (code == RP_OK) clumps->count = (size_t)count;
    return code;
}

/* What the chunks say must be what the rest says. */
static rp_code check_numbers(const rp_detail *detail, uint64_t left, rp_report *report)
{
    uint64_t born = 0, there = 0;
    for (size_t i = 0; i < detail->chunks.count; i++) {
        born += detail->chunks.items[i].chunk.born;
        there += detail->chunks.items[i].chunk.count;
    }
    if (born == detail->born && there + left == born) return RP_OK;
    return rp_fail(report, RP_ERROR_DAMAGED,
                   "a checkpoint says that %llu fine grains were born and %llu left, but it holds "
                   "%llu of %llu",
                   (unsigned long long)detail->born, (unsigned long long)left,
                   (unsigned long long)there, (unsigned long long)born);
}

rp_code rp_detail_load(rp_detail *detail, const rp_store *store, rp_report *report)
{
    uint64_t left = 0;
    RP_TRY(rp_store_get_f64(store, "time", &detail->time, report));
    RP_TRY(rp_store_get_u64(store, "born", &detail->born, report));
    RP_TRY(rp_store_get_u64(store, "left", &left, report));
    RP_TRY(rp_store_get_u64(store, "steps", &detail->steps, report));
    RP_TRY(load_clumps(detail, store, report));
    RP_TRY(rp_store_get(store, "bodies", RP_F64, detail->last_bodies,
                        (size_t)detail->body_count * BODY_NUMBERS, report));
    RP_TRY(check_numbers(detail, left, report));
    atomic_store(&detail->left, left);
    detail->begun = true;
    return rp_detail_count_again(detail, report);
}
