/* Pair correlation of contact forces (M19): C(r) = <f f'> / <f>^2 over pairs of contacts at the
 * distance r, found through a cell list. */
#include "base/memory.h"
#include "base/report.h"
#include "contact/contact.h"

/* Reference contacts, which are compared with all contacts in range; of more, every n-th is taken.
 */
#define REFERENCES 20000
/* Groups of reference contacts; the error of a bin is the scatter between them. */
#define GROUPS 20
#define CELLS_MAX 4000000

/* A cell list of contacts: cells are at least as wide as the range, so that pairs are in
 * neighboring cells. */
typedef struct cell_list {
    const rp_contact_space *space;
    double range;       /* m */
    double mean;        /* N */
    uint32_t *selected; /* contacts, in the order of the view */
    uint32_t *ordered;  /* the same by cell */
    uint32_t *starts;   /* of each cell in `ordered`, and the end */
    size_t count, capacity;
    size_t cell_count;
    double low[3], size[3]; /* m */
    int cells[3];
} cell_list;

typedef struct pair_sums {
    double pairs[RP_CORRELATION_BINS], products[RP_CORRELATION_BINS];
} pair_sums;

static bool is_periodic(const cell_list *f, int axis)
{
    return f->space->periodic >> axis & 1;
}

/* Chooses the box and the cells: the domain on periodic axes, else the range of contact points. */
static void set_grid(const rp_view *view, cell_list *f)
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const rp_contact_space *s = f->space;
    const double from[] = {s->domain_low.x, s->domain_low.y, s->domain_low.z};
    const double to[] = {s->domain_high.x, s->domain_high.y, s->domain_high.z};
    for (int a = 0; a < 3; a++) {
        f->low[a] = INFINITY;
        for (size_t i = 0; i < f->count; i++) {
            double at = view->contacts[f->selected[i]].position[a];
            f->low[a] = fmin(f->low[a], at);
            high[a] = fmax(high[a], at);
        }
        if (is_periodic(f, a)) f->low[a] = from[a], high[a] = to[a];
        f->size[a] = fmax(high[a] - f->low[a], f->range);
    }
    double most = cbrt(CELLS_MAX);
    f->cell_count = 1;
    for (int a = 0; a < 3; a++) {
        f->cells[a] = (int)fmin(fmax(1, floor(f->size[a] / f->range)), most);
        f->cell_count *= (size_t)f->cells[a];
    }
}

static int cell_along(const cell_list *f, const rp_contact *c, int axis)
{
    int cell = (int)floor((c->position[axis] - f->low[axis]) / f->size[axis] * f->cells[axis]);
    return cell < 0 ? 0 : cell < f->cells[axis] ? cell : f->cells[axis] - 1;
}

static size_t cell_at(const cell_list *f, int x, int y, int z)
{
    return ((size_t)z * (size_t)f->cells[1] + (size_t)y) * (size_t)f->cells[0] + (size_t)x;
}

static size_t cell_of(const cell_list *f, const rp_contact *c)
{
    return cell_at(f, cell_along(f, c, 0), cell_along(f, c, 1), cell_along(f, c, 2));
}

static void sort_into_cells(const rp_view *view, cell_list *f)
{
    for (size_t i = 0; i < f->count; i++)
        f->starts[cell_of(f, &view->contacts[f->selected[i]]) + 1]++;
    for (size_t i = 0; i < f->cell_count; i++)
        f->starts[i + 1] += f->starts[i];
    /* Counting sort from the back: the end of each cell moves down to its start. */
    for (size_t i = f->count; i-- > 0;)
        f->ordered[--f->starts[cell_of(f, &view->contacts[f->selected[i]]) + 1]] = f->selected[i];
    for (size_t i = 0; i < f->cell_count; i++)
        f->starts[i] = f->starts[i + 1];
    f->starts[f->cell_count] = (uint32_t)f->count;
}

static void release_cells(cell_list *f)
{
    rp_release(f->selected, f->selected ? f->capacity * sizeof *f->selected : 0);
    rp_release(f->ordered, f->ordered ? f->capacity * sizeof *f->ordered : 0);
    rp_release(f->starts, f->starts ? (f->cell_count + 1) * sizeof *f->starts : 0);
}

static rp_code make_cells(const rp_view *view, cell_list *f, rp_report *report)
{
    f->capacity = view->contact_count;
    f->selected = rp_allocate(f->capacity * sizeof *f->selected);
    f->ordered = rp_allocate(f->capacity * sizeof *f->ordered);
    if (!f->selected || !f->ordered)
        return rp_fail_memory(report, f->capacity * sizeof *f->selected, "contacts");
    for (size_t i = 0; i < view->contact_count; i++) {
        if (!rp_contact_is_selected(&view->contacts[i], f->space)) continue;
        f->selected[f->count++] = (uint32_t)i;
        f->mean += view->contacts[i].normal_force;
    }
    if (f->count < 2) return rp_fail(report, RP_ERROR_INPUT, "there are less than two contacts");
    f->mean /= (double)f->count;
    set_grid(view, f);
    f->starts = rp_allocate_zero((f->cell_count + 1) * sizeof *f->starts);
    if (!f->starts) return rp_fail_memory(report, f->cell_count * sizeof *f->starts, "contacts");
    sort_into_cells(view, f);
    return RP_OK;
}

/* Returns the distance of two contact points, m, by the minimum image on periodic axes. */
static double distance(const cell_list *f, const rp_contact *a, const rp_contact *b)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double shift = (double)a->position[axis] - b->position[axis];
        if (is_periodic(f, axis)) shift -= f->size[axis] * floor(shift / f->size[axis] + 0.5);
        square += shift * shift;
    }
    return sqrt(square);
}

/* Adds all pairs of the reference contact with contacts of one cell. */
static void add_cell(const rp_view *view, const cell_list *f, uint32_t reference, size_t cell,
                     pair_sums *out)
{
    const rp_contact *a = &view->contacts[reference];
    for (uint32_t i = f->starts[cell]; i < f->starts[cell + 1]; i++) {
        const rp_contact *b = &view->contacts[f->ordered[i]];
        double r = f->ordered[i] == reference ? INFINITY : distance(f, a, b);
        if (!(r < f->range)) continue;
        int bin = (int)(r / f->range * RP_CORRELATION_BINS);
        if (bin >= RP_CORRELATION_BINS) continue;
        out->pairs[bin]++;
        out->products[bin] += a->normal_force / f->mean * (b->normal_force / f->mean);
    }
}

/* Lists the neighboring cells along one axis, each once, across periodic sides. */
static int cells_around(const cell_list *f, int axis, int cell, int out[3])
{
    int count = 0, cells = f->cells[axis];
    if (cells < 3)
        for (; count < cells; count++)
            out[count] = count;
    else
        for (int i = cell - 1; i <= cell + 1; i++) {
            if (!is_periodic(f, axis) && (i < 0 || i >= cells)) continue;
            out[count++] = (i + cells) % cells;
        }
    return count;
}

static void add_neighborhood(const rp_view *view, const cell_list *f, uint32_t reference,
                             pair_sums *out)
{
    const rp_contact *c = &view->contacts[reference];
    int x[3], y[3], z[3];
    int nx = cells_around(f, 0, cell_along(f, c, 0), x);
    int ny = cells_around(f, 1, cell_along(f, c, 1), y);
    int nz = cells_around(f, 2, cell_along(f, c, 2), z);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                add_cell(view, f, reference, cell_at(f, x[i], y[j], z[k]), out);
}

/* Computes means and errors of the bins. The error is the scatter between groups: neighboring
 * contacts are mostly in the same group and share pairs, so pairs are not independent. */
static void finish_bins(const pair_sums *groups, double range, rp_correlation_bin *bins)
{
    for (int b = 0; b < RP_CORRELATION_BINS; b++) {
        double pairs = 0, products = 0, spread = 0, there = 0;
        for (int g = 0; g < GROUPS; g++) {
            pairs += groups[g].pairs[b];
            products += groups[g].products[b];
            there += groups[g].pairs[b] > 0;
        }
        double value = pairs > 0 ? products / pairs : NAN;
        for (int g = 0; g < GROUPS; g++) {
            double off = groups[g].products[b] - value * groups[g].pairs[b];
            spread += off * off;
        }
        double error = there > 1 ? sqrt(spread * there / (there - 1)) / pairs : NAN;
        bins[b] =
            (rp_correlation_bin){(b + 0.5) * range / RP_CORRELATION_BINS, pairs, value, error};
    }
}

rp_code rp_contact_correlation(const rp_view *view, const rp_contact_space *space, double range,
                               rp_correlation_bin bins[RP_CORRELATION_BINS], rp_report *report)
{
    pair_sums groups[GROUPS] = {0};
    RP_TRY(rp_contacts_check(view, report));
    if (!(range > 0)) return rp_fail(report, RP_ERROR_INPUT, "a range of %g m", range);
    cell_list f = {.space = space, .range = range};
    rp_code code = make_cells(view, &f, report);
    size_t stride = f.count / REFERENCES + 1;
    for (size_t i = 0; code == RP_OK && i < f.count; i += stride)
        add_neighborhood(view, &f, f.selected[i], &groups[i * GROUPS / f.count]);
    if (code == RP_OK) finish_bins(groups, range, bins);
    release_cells(&f);
    return code;
}
