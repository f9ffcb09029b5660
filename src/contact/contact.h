/* What the contacts of a view tell: how many there are, which way they point, and the stress that
 * they carry. The forces' distribution is in contact/forces.h. Formulas: theory/measure.md, from
 * (M15) on.
 *
 * All of it wants a view with contacts; one without is RP_ERROR_UNSUPPORTED, with the setting that
 * records them. */
#ifndef RP_CONTACT_CONTACT_H
#define RP_CONTACT_CONTACT_H

#include "math/vec.h"
#include "repose/view.h"

/* Where to look, and how space is closed. */
typedef struct rp_contact_space {
    rp_box3 region;      /* m; sides may be infinite */
    unsigned periodic;   /* bits 1, 2, 4 for x, y, z */
    rp_vec3 domain_low;  /* m, of the domain; used along periodic axes */
    rp_vec3 domain_high; /* m */
} rp_contact_space;
rp_contact_space rp_contact_everywhere(void);

rp_code rp_contacts_check(const rp_view *view, rp_report *report);
/* A contact that pushes, with its point in the region; and, of these, one of two grains. */
bool rp_contact_is_in(const rp_contact *contact, const rp_contact_space *space);
bool rp_contact_is_meant(const rp_contact *contact, const rp_contact_space *space);

/* Where the grain of an id is. */
typedef struct rp_grain_ids {
    uint64_t *items; /* id and place, by rising id */
    size_t count;
} rp_grain_ids;
rp_code rp_grain_ids_make(const rp_view *view, rp_grain_ids *out, rp_report *report);
void rp_grain_ids_release(rp_grain_ids *ids);
/* The place in the view's arrays; SIZE_MAX when there is no such grain. */
size_t rp_grain_ids_find(const rp_grain_ids *ids, uint32_t id);

/* The middle of a contact's first grain, m; where that grain is gone, half of the branch before the
 * point. */
rp_vec3 rp_contact_start(const rp_view *view, const rp_grain_ids *ids, const rp_contact *contact);

/* (M15) */
typedef struct rp_contact_sums {
    double grains;            /* in the region */
    double contacts;          /* of grains, that push */
    double solid_contacts;    /* with bodies and walls, that push */
    double coordination;      /* contacts with grains that a grain has */
    double neighbors;         /* grains that a grain touches, in one point or several */
    double rattlers;          /* share of grains with less than two contacts of any kind */
    double held_coordination; /* coordination of the others */
    double mean_force;        /* N, along the normal */
    double force_deviation;   /* N, standard deviation */
    double largest_force;     /* N */
    double shear_ratio;       /* mean of shear force over normal force */
    double strong_share;      /* share of contacts above the mean force */
    double strong_force;      /* what part of all force these carry */
    double mean_overlap;      /* m */
    double largest_overlap;   /* m */
} rp_contact_sums;
rp_code rp_contact_sum(const rp_view *view, const rp_contact_space *space, rp_contact_sums *out,
                       rp_report *report);

/* (M16) The mean of n n over all contacts: which way they point. */
typedef struct rp_fabric {
    size_t count;
    rp_mat3 tensor;
    double values[3]; /* largest first; they sum up to 1 */
    rp_vec3 axes[3];  /* of these */
} rp_fabric;
rp_code rp_contact_fabric(const rp_view *view, const rp_contact_space *space, rp_fabric *out,
                          rp_report *report);

/* (M17) Contacts by the angle between their normal and the unit vector `up`, 0 to 90 degrees. */
#define RP_ANGLE_BINS 18
typedef struct rp_angle_bin {
    double count;
    double density; /* 1: as many as if contacts pointed everywhere alike */
    double error;   /* of the density, one standard error */
    double force;   /* mean normal force over that of all contacts */
} rp_angle_bin;
rp_code rp_contact_angles(const rp_view *view, const rp_contact_space *space, rp_vec3 up,
                          rp_angle_bin bins[RP_ANGLE_BINS], rp_report *report);

/* (M18) The mean stress in the region; compression is positive. */
typedef struct rp_stress {
    double volume;       /* m3 */
    rp_mat3 tensor;      /* Pa, of the contacts; its even part */
    double pressure;     /* Pa, a third of the trace */
    double deviator;     /* Pa */
    double principal[3]; /* Pa, largest first */
    double twist;        /* Pa, the largest of its odd part: what rotates grains */
    double kinetic;      /* Pa, pressure of the grains' own motion; not in the tensor */
} rp_stress;
rp_code rp_contact_stress(const rp_view *view, const rp_contact_space *space, rp_stress *out,
                          rp_report *report);

/* (M19) How far forces know of each other: the mean of f f' over pairs of contacts at a distance,
 * forces in units of their mean; 1 where they do not. */
#define RP_CORRELATION_BINS 40
typedef struct rp_correlation_bin {
    double distance; /* m, the middle of the bin */
    double pairs;    /* that were looked at */
    double value, error;
} rp_correlation_bin;
/* Up to `range`, m. */
rp_code rp_contact_correlation(const rp_view *view, const rp_contact_space *space, double range,
                               rp_correlation_bin bins[RP_CORRELATION_BINS], rp_report *report);

#endif
