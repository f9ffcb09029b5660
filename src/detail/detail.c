/* A detail from creation to destruction: its lengths, memory and steps, and its saved state. */
#include "detail/detail.h"
#include "base/report.h"
#include "detail/inside.h"
#include "math/elementary.h"

#include <string.h>

/* A cell of packed material should hold at least this many fine grains, so that counts mean
 * something; its edge is a quarter, a half or the whole of the search cell's. */
#define CELL_GRAINS 2

static double cube(double a)
{
    return a * a * a;
}

static double cell_edge(const rp_detail *detail)
{
    double volume = cube(detail->scene->particles.spacing);
    for (double parts = 4; parts > 1; parts /= 2) {
        double edge = rp_point_search_edge(detail->support) / parts;
        if ((double)detail->spec->factor * cube(edge) / volume >= CELL_GRAINS) return edge;
    }
    return rp_point_search_edge(detail->support);
}

/* Sets the lengths of (D1). */
static void set_lengths(rp_detail *detail)
{
    double spacing = detail->scene->particles.spacing, factor = (double)detail->spec->factor;
    detail->radius = 0.5 * spacing;
    detail->support = 3 * detail->radius;
    detail->spacing = spacing / rp_cube_root(factor);
    detail->clearance = 0.5 * detail->spacing;
    detail->cell = cell_edge(detail);
    detail->packed_count = factor * cube(detail->cell / spacing);
}

static rp_code create_workspace(const rp_detail *detail, rp_detail_workspace *workspace,
                                rp_report *report)
{
    size_t list = (size_t)detail->field.surface_capacity * sizeof(int);
    rp_code code = rp_point_search_walk_create(&workspace->walk, report);
    if (code == RP_OK) code = rp_chunk_create(&workspace->chunk, RP_CHUNK_MAX, report);
    workspace->near_chunk.index = rp_allocate(list);
    workspace->near_packet.index = rp_allocate(list);
    if (code == RP_OK && !(workspace->near_chunk.index && workspace->near_packet.index))
        code = rp_fail_memory(report, list, "fine grains");
    return code;
}

static rp_code create_workspaces(rp_detail *detail, rp_report *report)
{
    int count = rp_threads_count(detail->threads);
    rp_code code = rp_scratch_begin(&detail->workspaces, count, sizeof(rp_detail_workspace),
                                    "fine grains", report);
    if (code == RP_OK) code = rp_chunk_create(&detail->new_chunk, RP_CHUNK_MAX, report);
    for (int i = 0; i < count && code == RP_OK; i++)
        code = create_workspace(detail, rp_scratch_of(&detail->workspaces, i), report);
    return code;
}

static void release_workspaces(rp_detail *detail)
{
    size_t list = (size_t)detail->field.surface_capacity * sizeof(int);
    for (int i = 0; i < detail->workspaces.count && detail->workspaces.memory; i++) {
        rp_detail_workspace *workspace = rp_scratch_of(&detail->workspaces, i);
        rp_point_search_walk_destroy(workspace->walk);
        rp_chunk_release(&workspace->chunk, RP_CHUNK_MAX);
        rp_release(workspace->near_chunk.index, list);
        rp_release(workspace->near_packet.index, list);
    }
    rp_scratch_end(&detail->workspaces);
    rp_chunk_release(&detail->new_chunk, RP_CHUNK_MAX);
}

void rp_detail_note_failure(rp_detail *detail, rp_code code)
{
    int none = RP_OK;
    atomic_compare_exchange_strong(&detail->failure, &none, (int)code);
}

rp_code rp_detail_for_chunks(rp_detail *detail, rp_range_fn *body, rp_report *report)
{
    atomic_store(&detail->failure, RP_OK);
    rp_parallel_for(detail->threads, detail->chunks.count, 1, body, detail);
    rp_code code = (rp_code)atomic_load(&detail->failure);
    if (code == RP_OK) return RP_OK;
    return rp_fail(report, code, "fine grains cannot be swapped from and to a file in %s%s",
                   detail->chunks.folder, code == RP_ERROR_SPACE ? ": the disk is full" : "");
}

static rp_code make_bodies(rp_detail *detail, rp_report *report)
{
    detail->body_count = detail->scene->bodies.count;
    size_t bytes = (size_t)detail->body_count * sizeof(rp_body_state);
    detail->last_bodies = rp_allocate_zero(bytes);
    detail->next_bodies = rp_allocate_zero(bytes);
    detail->bodies = rp_allocate_zero(bytes);
    if (detail->last_bodies && detail->next_bodies && detail->bodies) return RP_OK;
    return rp_fail_memory(report, 3 * bytes, "bodies");
}

void rp_detail_destroy(rp_detail *detail)
{
    if (!detail) return;
    size_t bytes = (size_t)detail->body_count * sizeof(rp_body_state);
    release_workspaces(detail);
    rp_release(detail->last_bodies, bytes);
    rp_release(detail->next_bodies, bytes);
    rp_release(detail->bodies, bytes);
    rp_coarse_field_end(&detail->field);
    rp_fraction_grid_end(&detail->fraction);
    rp_fraction_grid_end(&detail->fraction_next);
    rp_chunks_end(&detail->chunks);
    rp_coarse_grains_end(&detail->last);
    rp_coarse_grains_end(&detail->next);
    rp_release(detail, sizeof *detail);
}

rp_code rp_detail_create(const rp_scene *scene, const rp_detail_options *options, rp_detail **out,
                         rp_report *report)
{
    *out = NULL;
    if (scene->detail.factor < 1)
        return rp_fail(report, RP_ERROR_INPUT,
                       "the scene has no detail.factor; give one, such as 100");
    rp_detail *detail = rp_allocate_zero(sizeof *detail);
    if (!detail) return rp_fail_memory(report, sizeof *detail, "fine grains");
    detail->scene = scene;
    detail->spec = &scene->detail;
    detail->threads = options->threads;
    detail->chunks = (rp_chunks){.limit = options->memory, .file = -1};
    set_lengths(detail);
    rp_code code = RP_OK;
    if (options->scratch && !(detail->chunks.folder = rp_text_copy(options->scratch)))
        code = rp_fail_memory(report, strlen(options->scratch), "fine grains");
    if (code == RP_OK) code = rp_coarse_field_begin(detail, report);
    if (code == RP_OK) code = make_bodies(detail, report);
    if (code == RP_OK) code = create_workspaces(detail, report);
    if (code == RP_OK)
        *out = detail;
    else
        rp_detail_destroy(detail);
    return code;
}

/* Copies what is needed of the next view, after a check that it fits the scene and the time. */
static rp_code take_view(rp_detail *detail, const rp_view *view, rp_report *report)
{
    if (view->body_count != detail->body_count)
        return rp_fail(report, RP_ERROR_INPUT, "the view has %d bodies, the scene has %d",
                       view->body_count, detail->body_count);
    if (detail->begun && !(view->time > detail->time))
        return rp_fail(report, RP_ERROR_INPUT, "the view is of %g s, the one before it of %g s",
                       view->time, detail->time);
    if (view->body_count)
        memcpy(detail->next_bodies, view->bodies,
               (size_t)view->body_count * sizeof *detail->next_bodies);
    return rp_coarse_grains_take(&detail->next, view, detail->scene->materials.count, report);
}

/* One step of all fine grains, number `step` of `steps` between the two views. */
static rp_code step(rp_detail *detail, double interval, int step, int steps, rp_report *report)
{
    /* The last step need not count: rp_detail_advance counts again at the view. */
    bool counted = detail->spec->keep_apart && step + 1 < steps;
    rp_code code = rp_coarse_field_set(detail, interval, (double)step / steps,
                                       (double)(step + 1) / steps, report);
    if (code == RP_OK && counted)
        code = rp_fraction_grid_prepare(&detail->fraction_next, detail, detail->field.dt, report);
    detail->fraction_next.counting = counted;
    if (code == RP_OK) code = rp_detail_for_chunks(detail, rp_advect_range, report);
    RP_TRY(code);
    detail->steps++;
    if (!counted) return RP_OK;
    /* The grid at the end of this step is the one at the start of the next. */
    rp_fraction_grid_smooth(&detail->fraction_next, detail);
    rp_fraction_grid swap = detail->fraction;
    detail->fraction = detail->fraction_next;
    detail->fraction_next = swap;
    return RP_OK;
}

/* Advects all fine grains to the next view, in equal steps no longer than the scene's. */
static rp_code advect_to_view(rp_detail *detail, double interval, rp_report *report)
{
    rp_coarse_grains_filter_jitter(detail, &detail->last, &detail->next);
    int steps = (int)fmin(fmax(ceil(interval / detail->spec->step - 1e-6), 1), 1e6);
    rp_code code = RP_OK;
    for (int i = 0; i < steps && code == RP_OK; i++)
        code = step(detail, interval, i, steps, report);
    return code;
}

/* Sets surfaces to the next view, at rest. */
static void freeze_surfaces(rp_detail *detail)
{
    rp_coarse_field *field = &detail->field;
    rp_surfaces_refresh(field->surfaces, field->surface_count, detail->next_bodies);
    for (int i = 0; i < field->surface_count; i++)
        field->ends[i] = field->surfaces[i].pose;
    field->dt = 0;
}

/* The next view becomes the last one; arrays are swapped, not copied. */
static void swap_views(rp_detail *detail, double time)
{
    rp_coarse_grains coarse = detail->last;
    detail->last = detail->next;
    detail->next = coarse;
    rp_body_state *bodies = detail->last_bodies;
    detail->last_bodies = detail->next_bodies;
    detail->next_bodies = bodies;
    detail->time = time;
    detail->begun = true;
}

/* Sets the field to the last view, with surfaces at rest. */
static rp_code set_field_at_rest(rp_detail *detail, rp_report *report)
{
    memcpy(detail->next_bodies, detail->last_bodies,
           (size_t)detail->body_count * sizeof *detail->next_bodies);
    detail->next.count = 0;
    freeze_surfaces(detail);
    return rp_coarse_field_at_last_view(detail, report);
}

static void count_range(void *context, rp_range range)
{
    rp_detail *detail = context;
    rp_detail_workspace *workspace = rp_scratch_of(&detail->workspaces, range.worker);
    for (size_t i = range.begin; i < range.end; i++) {
        rp_chunk chunk;
        rp_code code = rp_chunks_borrow(&detail->chunks, i, &workspace->chunk, &chunk, NULL);
        if (code == RP_OK) rp_fraction_grid_add(&detail->fraction, &chunk);
        rp_detail_note_failure(detail, code);
    }
}

rp_code rp_detail_recount(rp_detail *detail, rp_report *report)
{
    if (!detail->spec->keep_apart) return RP_OK;
    rp_code code = set_field_at_rest(detail, report);
    if (code == RP_OK) code = rp_fraction_grid_prepare(&detail->fraction, detail, 0, report);
    if (code == RP_OK) code = rp_detail_for_chunks(detail, count_range, report);
    if (code == RP_OK) rp_fraction_grid_smooth(&detail->fraction, detail);
    return code;
}

rp_code rp_detail_advance(rp_detail *detail, const rp_view *view, rp_report *report)
{
    /* Old grains move to the new view before new ones are created at it. */
    RP_TRY(take_view(detail, view, report));
    if (detail->begun) RP_TRY(advect_to_view(detail, view->time - detail->time, report));
    freeze_surfaces(detail);
    RP_TRY(rp_seeding_new(detail, report));
    swap_views(detail, view->time);
    /* Also where no grains are new: a detail that is loaded from a checkpoint counts the same. */
    return rp_detail_recount(detail, report);
}

static size_t grid_bytes(const rp_fraction_grid *counts)
{
    return counts->cell_capacity * 4 * sizeof(float) +
           counts->block_capacity * sizeof *counts->blocks +
           counts->slot_count * sizeof *counts->slots;
}

/* Returns the bytes of all arrays that grow with grains, and of the workspaces. */
static size_t all_bytes(const rp_detail *detail)
{
    const rp_coarse_field *field = &detail->field;
    size_t coarse = (detail->last.capacity + detail->next.capacity) * (7 * sizeof(float) + 1);
    size_t rows =
        field->capacity * (3 * sizeof(float) + 2 * sizeof(rp_coarse_row) + RP_POINT_SEARCH_BYTES);
    size_t buffers = RP_CHUNK_MAX * (6 * sizeof(float) + sizeof(uint16_t));
    size_t workspaces =
        (size_t)detail->workspaces.count * (sizeof(rp_detail_workspace) + buffers) + buffers;
    return detail->chunks.bytes + detail->chunks.capacity * sizeof *detail->chunks.items + coarse +
           rows + grid_bytes(&detail->fraction) + grid_bytes(&detail->fraction_next) + workspaces;
}

rp_detail_counts rp_detail_count(const rp_detail *detail)
{
    rp_detail_counts counts = {.born = detail->born,
                               .left = atomic_load(&detail->left),
                               .steps = detail->steps,
                               .bytes = all_bytes(detail)};
    counts.there = counts.born - counts.left;
    for (size_t i = 0; i < detail->chunks.count; i++)
        if (detail->chunks.items[i].offset >= 0)
            counts.swapped += detail->chunks.items[i].chunk.count;
    return counts;
}

double rp_detail_spacing(const rp_detail *detail)
{
    return detail->spacing;
}

double rp_detail_time(const rp_detail *detail)
{
    return detail->time;
}

const rp_body_state *rp_detail_bodies(const rp_detail *detail, int *count)
{
    *count = detail->body_count;
    return detail->last_bodies;
}

rp_code rp_detail_visit(rp_detail *detail, rp_chunk_fn *visit, void *user, rp_report *report)
{
    rp_code code = RP_OK;
    for (size_t i = 0; i < detail->chunks.count && code == RP_OK; i++) {
        rp_chunk chunk;
        code = rp_chunks_borrow(&detail->chunks, i, rp_detail_buffer(detail), &chunk, report);
        if (code == RP_OK) code = visit(user, &chunk, report);
    }
    return code;
}

/* --- saving and loading --------------------------------------------------------------------- */

/* The state besides the chunks. Names in the store are part of the file format. */

#define BODY_NUMBERS (sizeof(rp_body_state) / sizeof(double))
_Static_assert(sizeof(rp_body_state) % sizeof(double) == 0, "states are saved as rows of doubles");

/* The coarse grains of the last view, array by array. */
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

static void *part_data(const rp_coarse_grains *coarse, const struct part *part)
{
    return *(void *const *)((const char *)coarse + part->offset);
}

rp_code rp_detail_save(const rp_detail *detail, rp_store *store, rp_report *report)
{
    const rp_coarse_grains *coarse = &detail->last;
    rp_code code = rp_store_put_f64(store, "time", "s", detail->time, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "born", detail->born, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "left", atomic_load(&detail->left), report);
    if (code == RP_OK) code = rp_store_put_u64(store, "steps", detail->steps, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "clump_count", coarse->count, report);
    for (size_t i = 0; i < PARTS && code == RP_OK; i++)
        code = rp_store_put(store, parts[i].name, parts[i].unit, parts[i].type,
                            part_data(coarse, &parts[i]), coarse->count, report);
    if (code == RP_OK)
        code = rp_store_put(store, "bodies", "", RP_F64, detail->last_bodies,
                            (size_t)detail->body_count * BODY_NUMBERS, report);
    return code;
}

rp_code rp_detail_load_chunk(void *user, const rp_chunk *chunk, rp_report *report)
{
    rp_detail *detail = user;
    if (chunk->material >= detail->scene->materials.count)
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "fine grains have material %d, which the scene does not have",
                       chunk->material);
    return rp_chunks_put(&detail->chunks, chunk, rp_detail_buffer(detail), report);
}

static rp_code load_coarse(rp_detail *detail, const rp_store *store, rp_report *report)
{
    uint64_t count = 0;
    rp_code code = rp_store_get_u64(store, "clump_count", &count, report);
    const rp_store_entry *ids = rp_store_find(store, "clumps/id");
    if (code == RP_OK && (!ids || ids->count != count))
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the coarse grains of a checkpoint are incomplete");
    rp_coarse_grains *coarse = &detail->last;
    if (code == RP_OK) code = rp_coarse_grains_reserve(coarse, (size_t)count, report);
    for (size_t i = 0; i < PARTS && code == RP_OK; i++)
        code = rp_store_get(store, parts[i].name, parts[i].type, part_data(coarse, &parts[i]),
                            (size_t)count, report);
    if (code == RP_OK) coarse->count = (size_t)count;
    return code;
}

/* Checks that the numbers of the store agree with those of the chunks. */
static rp_code check_numbers(const rp_detail *detail, uint64_t left, rp_report *report)
{
    uint64_t born = 0, there = 0;
    for (size_t i = 0; i < detail->chunks.count; i++) {
        born += detail->chunks.items[i].chunk.born;
        there += detail->chunks.items[i].chunk.count;
    }
    if (born == detail->born && there + left == born) return RP_OK;
    return rp_fail(
        report, RP_ERROR_DAMAGED,
        "a checkpoint says that %llu fine grains were created and %llu left, but it holds "
        "%llu of %llu",
        (unsigned long long)detail->born, (unsigned long long)left, (unsigned long long)there,
        (unsigned long long)born);
}

rp_code rp_detail_load(rp_detail *detail, const rp_store *store, rp_report *report)
{
    uint64_t left = 0;
    RP_TRY(rp_store_get_f64(store, "time", &detail->time, report));
    RP_TRY(rp_store_get_u64(store, "born", &detail->born, report));
    RP_TRY(rp_store_get_u64(store, "left", &left, report));
    RP_TRY(rp_store_get_u64(store, "steps", &detail->steps, report));
    RP_TRY(load_coarse(detail, store, report));
    RP_TRY(rp_store_get(store, "bodies", RP_F64, detail->last_bodies,
                        (size_t)detail->body_count * BODY_NUMBERS, report));
    RP_TRY(check_numbers(detail, left, report));
    atomic_store(&detail->left, left);
    detail->begun = true;
    return rp_detail_recount(detail, report);
}
