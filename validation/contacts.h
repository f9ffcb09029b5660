/* Forces of a packing that grow with depth, as one list: each in units of the mean of its layer. */
#ifndef RP_VALIDATION_CONTACTS_H
#define RP_VALIDATION_CONTACTS_H

#include "contact/contact.h"
#include "validation/validation.h"

/* Normal and shear forces of contacts between grains from `low` to `high`, m, in layers of about
 * `layer`. Release with rp_force_lists_release. */
rp_code rp_layered_forces(const rp_view *view, double low, double high, double layer,
                          rp_force_lists *out, rp_report *report);
/* The view's contacts with all points in which the same two grains touch made one: the sum of their
 * forces, at their mean place. Release with rp_release(*out, *count * sizeof **out). */
rp_code rp_merge_contacts(const rp_view *view, rp_contact **out, size_t *count, rp_report *report);
/* The share of all force that the stronger `part` of the contacts carries. */
double rp_strong_share(const double *forces, size_t count, double part);
/* Adds P(f) of the list to a figure, as points. */
void rp_case_draw_forces(rp_figure *figure, const char *name, const double *forces, size_t count);
/* The force, in units of the mean, at which P(f) is largest: the peak of the histogram smoothed
 * over three of its bins. */
double rp_force_peak(const double *forces, size_t count);

#endif
