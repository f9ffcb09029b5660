/* Texts from files, from other programs and from the command line, as a terminal or a page may show
 * them. A title can hold escapes that move the cursor, change colours or the window's name, and
 * marks that turn the direction of text, so that one reads what is not there. */
#ifndef REPOSE_TEXT_H
#define REPOSE_TEXT_H

#include "repose/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the UTF-8 character at `text`, 0 when they are none. */
RP_API size_t rp_character_length(const char *text);
/* The character's number in Unicode; its bytes are sound. */
RP_API unsigned rp_character_code(const char *text);
/* False for control characters and for marks that turn the direction of text. */
RP_API bool rp_character_shows(unsigned code);

/* Copies a text with what does not show made visible: an escape becomes \x1b, a mark \u202e, a byte
 * that is no UTF-8 \xff. With `lines`, line ends and tabs stay. What does not fit is left out.
 * Gives `plain`. */
RP_API const char *rp_text_plain(const char *text, bool lines, char *plain, size_t size);

#ifdef __cplusplus
}
#endif
#endif
