/* Texts from files, from other programs and from the command line, as a terminal or a page may show
 * them. A title can hold escapes that move the cursor, change colours or the window's name, and
 * marks that turn the direction of text, so that one reads what is not there. */
#ifndef RP_BASE_PLAIN_H
#define RP_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at `text`, 0 when they are none. */
size_t rp_character_length(const char *text);
/* The character's number in Unicode; its bytes are sound. */
unsigned rp_character_code(const char *text);
/* False for control characters and for marks that turn the direction of text. */
bool rp_character_shows(unsigned code);

/* Copies a text with what does not show made visible: an escape becomes \x1b, a mark \u202e, a byte
 * that is no UTF-8 \xff. With `lines`, line ends and tabs stay. What does not fit is left out. */
const char *rp_text_plain(const char *text, bool lines, char *plain, size_t size);

/* Whether two texts are equal, or one begins with the other, whatever the case of ASCII letters. */
bool rp_text_matches(const char *a, const char *b);
bool rp_text_begins(const char *text, size_t size, const char *word);

#endif
