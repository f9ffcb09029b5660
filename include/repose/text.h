/* Safe display of texts from files, other programs and the command line. A title may contain escape
 * sequences that move the cursor or change colours, and bidirectional control characters that make
 * a text read differently from what it is. */
#ifndef REPOSE_TEXT_H
#define REPOSE_TEXT_H

#include "repose/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the length of the UTF-8 character at `text` in bytes, 0 when it is not valid UTF-8. */
RP_API size_t rp_character_length(const char *text);
/* Returns the Unicode code point of the character at `text`, which must be valid. */
RP_API unsigned rp_character_code(const char *text);
/* Returns false for control characters and for bidirectional controls. */
RP_API bool rp_character_shows(unsigned code);

/* Copies a text and escapes invisible characters: the escape character becomes \x1b, a
 * bidirectional control \u202e, a byte that is not UTF-8 \xff. With `lines`, line ends and tabs are
 * kept. The copy is truncated to `size`. Returns `plain`. */
RP_API const char *rp_text_plain(const char *text, bool lines, char *plain, size_t size);

#ifdef __cplusplus
}
#endif
#endif
