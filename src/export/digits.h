/* Numbers as text, fast: text exports hold tens of millions of them. Always with a decimal point,
 * whatever the locale. The functions return the length; no zero byte is appended. */
#ifndef RP_EXPORT_DIGITS_H
#define RP_EXPORT_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that hold every number. */
#define RP_DIGITS_MAX 24

/* The decimal text of a float that reads back as the same bits: 7 significant digits where they are
 * enough, else 8 or 9, without trailing zeros. In plain notation like 0.0125, or like 1.25e-07
 * where that would be long; "inf", "-inf" and "nan" otherwise. */
size_t rp_digits_f32(char *text, float value);
size_t rp_digits_u64(char *text, uint64_t value);

#endif
