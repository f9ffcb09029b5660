/* What measure.c's table is made of; for this room and `figures`. */
#ifndef RP_MEASURE_KINDS_H
#define RP_MEASURE_KINDS_H

#include "measure/measure.h"

rp_code rp_measure_take_energy(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_take_momentum(const rp_measure_input *in, rp_measured *out, int *count,
                                 rp_report *report);
rp_code rp_measure_take_count(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report);
rp_code rp_measure_take_bounds(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_take_angle(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report);
rp_code rp_measure_take_density_error(const rp_measure_input *in, rp_measured *out, int *count,
                                      rp_report *report);
rp_code rp_measure_take_flow(const rp_measure_input *in, rp_measured *out, int *count,
                             rp_report *report);
rp_code rp_measure_take_body(const rp_measure_input *in, rp_measured *out, int *count,
                             rp_report *report);
rp_code rp_measure_fill_profile(const rp_measure_input *in, rp_table *out, rp_report *report);
rp_code rp_measure_take_front(const rp_measure_input *in, rp_measured *out, int *count,
                              rp_report *report);
rp_code rp_measure_fill_volume_profile(const rp_measure_input *in, rp_table *out,
                                       rp_report *report);
rp_code rp_measure_fill_velocity_profile(const rp_measure_input *in, rp_table *out,
                                         rp_report *report);

rp_code rp_measure_take_contacts(const rp_measure_input *in, rp_measured *out, int *count,
                                 rp_report *report);
rp_code rp_measure_take_fabric(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_take_stress(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_take_forces(const rp_measure_input *in, rp_measured *out, int *count,
                               rp_report *report);
rp_code rp_measure_fill_forces(const rp_measure_input *in, rp_table *out, rp_report *report);
rp_code rp_measure_fill_contact_angles(const rp_measure_input *in, rp_table *out,
                                       rp_report *report);
rp_code rp_measure_fill_correlation(const rp_measure_input *in, rp_table *out, rp_report *report);

#endif
