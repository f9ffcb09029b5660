/* Numbers as text, fast: exports in text hold tens of millions of them. Any locale, always a point.
 * No zero byte is put behind; the length is returned. */
#ifndef RP_EXPORT_DIGITS_H
#define RP_EXPORT_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* Room that every number fits in. */
#define RP_DIGITS_MAX 24

/* Reads back as the same bits; 7 digits where they are enough, 9 at most. Plain like 0.0125, or
 * like 1.25e-07 where that would be long; "inf", "-inf" and "nan" are words of their own. */
size_t rp_digits_f32(char *text, float value);
size_t rp_digits_u64(char *text, uint64_t value);

#endif
