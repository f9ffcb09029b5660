#include "detail/detail.h"
#include "base/report.h"
#include "detail/inside.h"
#include "math/elementary.h"

#include <string.h>

/* Grains that a cell of the counts should hold at least when packed, so that chance does not blur
 * them; cells are a quarter, a half or the whole of the reach. */
#define CELL_GRAINS 2

static double cube(double a)
{
    return a * a * a;
}

static double cell_edge(const rp_detail *detail)
{
    double volume = cube(detail->scene->particles.spacing);
    for (double parts = 4; parts > 1; parts /= 2) {
        double edge = rp_near_edge(detail->reach) / parts;
        if ((double)detail->spec->factor * cube(edge) / volume >= CELL_GRAINS) return edge;
    }
    return rp_near_edge(detail->reach);
}

static void set_lengths(rp_detail *detail)
{
    double spacing = detail->scene->particles.spacing, factor = (double)detail->spec->factor;
    detail->radius = 0.5 * spacing;
    detail->reach = 3 * detail->radius;
    detail->spacing = spacing / rp_cube_root(factor);
    detail->clear = 0.5 * detail->spacing;
    detail->cell = cell_edge(detail);
    detail->packed = factor * cube(detail->cell / spacing);
}

static rp_code make_work(const rp_detail *detail, rp_work *work, rp_report *report)
{
    size_t list = (size_t)detail->field.surface_room * sizeof(int);
    rp_code code = rp_near_walk_create(&work->walk, report);
    if (code == RP_OK) code = rp_chunk_create(&work->chunk, RP_CHUNK_MAX, report);
    work->near_chunk.index = rp_allocate(list);
    work->near_packet.index = rp_allocate(list);
    if (code == RP_OK && !(work->near_chunk.index && work->near_packet.index))
        code = rp_fail_memory(report, list, "fine grains");
    return code;
}

static rp_code make_works(rp_detail *detail, rp_report *report)
{
    int count = rp_threads_count(detail->threads);
    rp_code code = rp_scratch_begin(&detail->works, count, sizeof(rp_work), "fine grains", report);
    if (code == RP_OK) code = rp_chunk_create(&detail->newborn, RP_CHUNK_MAX, report);
    for (int i = 0; i < count && code == RP_OK; i++)
        code = make_work(detail, rp_scratch_of(&detail->works, i), report);
    return code;
}

static void release_works(rp_detail *detail)
{
    size_t list = (size_t)detail->field.surface_room * sizeof(int);
    for (int i = 0; i < detail->works.count && detail->works.memory; i++) {
        rp_work *work = rp_scratch_of(&detail->works, i);
        rp_near_walk_destroy(work->walk);
        rp_chunk_release(&work->chunk, RP_CHUNK_MAX);
        rp_release(work->near_chunk.index, list);
        rp_release(work->near_packet.index, list);
    }
    rp_scratch_end(&detail->works);
    rp_chunk_release(&detail->newborn, RP_CHUNK_MAX);
}

void rp_detail_note(rp_detail *detail, rp_code code)
{
    int none = RP_OK;
    atomic_compare_exchange_strong(&detail->trouble, &none, (int)code);
}

rp_code rp_detail_for_chunks(rp_detail *detail, rp_range_fn *body, rp_report *report)
{
    atomic_store(&detail->trouble, RP_OK);
    rp_parallel_for(detail->threads, detail->chunks.count, 1, body, detail);
    rp_code code = (rp_code)atomic_load(&detail->trouble);
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
    release_works(detail);
    rp_release(detail->last_bodies, bytes);
    rp_release(detail->next_bodies, bytes);
    rp_release(detail->bodies, bytes);
    rp_field_end(&detail->field);
    rp_counts_end(&detail->counts);
    rp_counts_end(&detail->counts_next);
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
    if (code == RP_OK) code = rp_field_begin(detail, report);
    if (code == RP_OK) code = make_bodies(detail, report);
    if (code == RP_OK) code = make_works(detail, report);
    if (code == RP_OK)
        *out = detail;
    else
        rp_detail_destroy(detail);
    return code;
}

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

static rp_code step(rp_detail *detail, double interval, int step, int steps, rp_report *report)
{
    bool counted = detail->spec->keep_apart && step + 1 < steps; /* at the view: see advance */
    rp_code code =
        rp_field_set(detail, interval, (double)step / steps, (double)(step + 1) / steps, report);
    if (code == RP_OK && counted)
        code = rp_counts_prepare(&detail->counts_next, detail, detail->field.dt, report);
    detail->counts_next.counting = counted;
    if (code == RP_OK) code = rp_detail_for_chunks(detail, rp_carry_range, report);
    RP_TRY(code);
    detail->steps++;
    if (!counted) return RP_OK;
    rp_counts_smooth(&detail->counts_next, detail);
    rp_counts swap = detail->counts;
    detail->counts = detail->counts_next;
    detail->counts_next = swap;
    return RP_OK;
}

static rp_code carry_on(rp_detail *detail, double interval, rp_report *report)
{
    rp_coarse_grains_settle(detail, &detail->last, &detail->next);
    int steps = (int)fmin(fmax(ceil(interval / detail->spec->step - 1e-6), 1), 1e6);
    rp_code code = RP_OK;
    for (int i = 0; i < steps && code == RP_OK; i++)
        code = step(detail, interval, i, steps, report);
    return code;
}

/* Surfaces as they are in the next view, and standing still. */
static void stand(rp_detail *detail)
{
    rp_detail_field *field = &detail->field;
    rp_surfaces_refresh(field->surfaces, field->surface_count, detail->next_bodies);
    for (int i = 0; i < field->surface_count; i++)
        field->ends[i] = field->surfaces[i].pose;
    field->dt = 0;
}

static void swap_views(rp_detail *detail, double time)
{
    rp_coarse_grains clumps = detail->last;
    detail->last = detail->next;
    detail->next = clumps;
    rp_body_state *bodies = detail->last_bodies;
    detail->last_bodies = detail->next_bodies;
    detail->next_bodies = bodies;
    detail->time = time;
    detail->begun = true;
}

/* The field as it is at the last view: all stand still. */
static rp_code set_standing(rp_detail *detail, rp_report *report)
{
    memcpy(detail->next_bodies, detail->last_bodies,
           (size_t)detail->body_count * sizeof *detail->next_bodies);
    detail->next.count = 0;
    stand(detail);
    return rp_field_stand(detail, report);
}

static void count_range(void *context, rp_range range)
{
    rp_detail *detail = context;
    rp_work *work = rp_scratch_of(&detail->works, range.worker);
    for (size_t i = range.begin; i < range.end; i++) {
        rp_chunk chunk;
        rp_code code = rp_chunks_borrow(&detail->chunks, i, &work->chunk, &chunk, NULL);
        if (code == RP_OK) rp_counts_add(&detail->counts, &chunk);
        rp_detail_note(detail, code);
    }
}

rp_code rp_detail_count_again(rp_detail *detail, rp_report *report)
{
    if (!detail->spec->keep_apart) return RP_OK;
    rp_code code = set_standing(detail, report);
    if (code == RP_OK) code = rp_counts_prepare(&detail->counts, detail, 0, report);
    if (code == RP_OK) code = rp_detail_for_chunks(detail, count_range, report);
    if (code == RP_OK) rp_counts_smooth(&detail->counts, detail);
    return code;
}

rp_code rp_detail_advance(rp_detail *detail, const rp_view *view, rp_report *report)
{
    RP_TRY(take_view(detail, view, report));
    if (detail->begun) RP_TRY(carry_on(detail, view->time - detail->time, report));
    stand(detail);
    RP_TRY(rp_sample_new(detail, report));
    swap_views(detail, view->time);
    /* Anew, also where none were born: what is loaded later has to count the same. */
    return rp_detail_count_again(detail, report);
}

static size_t counts_bytes(const rp_counts *counts)
{
    return counts->cell_capacity * 4 * sizeof(float) +
           counts->block_capacity * sizeof *counts->blocks +
           counts->slot_count * sizeof *counts->slots;
}

/* All that grows with the grains, coarse or fine, and what threads work with. */
static size_t all_bytes(const rp_detail *detail)
{
    const rp_detail_field *field = &detail->field;
    size_t clumps = (detail->last.capacity + detail->next.capacity) * (7 * sizeof(float) + 1);
    size_t rows = field->capacity * (3 * sizeof(float) + 2 * sizeof(rp_row) + RP_NEAR_BYTES);
    size_t buffers = RP_CHUNK_MAX * (6 * sizeof(float) + sizeof(uint16_t));
    size_t works = (size_t)detail->works.count * (sizeof(rp_work) + buffers) + buffers;
    return detail->chunks.bytes + detail->chunks.capacity * sizeof *detail->chunks.items + clumps +
           rows + counts_bytes(&detail->counts) + counts_bytes(&detail->counts_next) + works;
}

rp_detail_counts rp_detail_count(const rp_detail *detail)
{
    rp_detail_counts counts = {.born = detail->born,
                               .left = atomic_load(&detail->left),
                               .steps = detail->steps,
                               .bytes = all_bytes(detail)};
    counts.there = counts.born - counts.left;
    for (size_t i = 0; i < detail->chunks.count; i++)
        if (detail->chunks.items[i].place >= 0)
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
