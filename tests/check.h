/* cmocka, and comparisons of doubles that cmocka 1.1 cannot make. */
#ifndef RP_TESTS_CHECK_H
#define RP_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* |a - b| <= tolerance; prints both when not. */
#define check_near(a, b, tolerance) check_near_at(a, b, tolerance, __FILE__, __LINE__)

static inline void check_near_at(double a, double b, double tolerance, const char *file, int line)
{
    if (fabs(a - b) <= tolerance) return;
    print_error("%.17g is not within %g of %.17g\n", a, tolerance, b);
    _fail(file, line);
}

/* RP_OK, or the faults of the report are printed. Needs base/report.h. */
#define check_ok(code, report) check_ok_at(code, report, __FILE__, __LINE__)
#define check_ok_at(code, report, file, line)                                                      \
    do {                                                                                           \
        if ((code) != RP_OK) {                                                                     \
            for (int fault_ = 0; fault_ < rp_report_count(report); fault_++) {                     \
                char text_[2048];                                                                  \
                rp_fault_text(rp_report_fault(report, fault_), text_, sizeof text_);               \
                print_error("%s\n", text_);                                                        \
            }                                                                                      \
            _fail(file, line);                                                                     \
        }                                                                                          \
    } while (0)

#endif
