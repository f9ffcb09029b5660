/* Texts: UTF-8, control characters made visible, comparison, and numbers in the C locale. */
#include "base/text.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

/* A UTF-8 sequence of three or four bytes is valid when it is not overlong, no surrogate, not
 * beyond U+10FFFF, and neither U+FFFE nor U+FFFF, which XML forbids. */
static bool is_valid_sequence(const unsigned char *text)
{
    unsigned char a = text[0], b = text[1];
    if (a == 0xef && b == 0xbf && text[2] >= 0xbe) return false;
    return !((a == 0xe0 && b < 0xa0) || (a == 0xed && b >= 0xa0) || (a == 0xf0 && b < 0x90) ||
             (a == 0xf4 && b >= 0x90));
}

size_t rp_character_length(const char *text)
{
    if (!text) return 0;
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80   ? 1
                    : bytes[0] < 0xc2 ? 0
                    : bytes[0] < 0xe0 ? 2
                    : bytes[0] < 0xf0 ? 3
                    : bytes[0] < 0xf5 ? 4
                                      : 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80) return 0;
    return length < 3 || is_valid_sequence(bytes) ? length : 0;
}

unsigned rp_character_code(const char *text)
{
    if (!text) return 0;
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = rp_character_length(text);
    if (length < 2) return bytes[0];
    unsigned code = bytes[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (bytes[i] & 0x3fu);
    return code;
}

bool rp_character_shows(unsigned code)
{
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool bidirectional = code == 0x61c || code == 0x200e || code == 0x200f ||
                         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    bool ends_line = code == 0x2028 || code == 0x2029;
    return !control && !bidirectional && !ends_line;
}

/* Writes a character, or its escape sequence, at most ten bytes; `*length` is its length in `text`.
 */
static void show(const char *text, bool lines, char shown[12], size_t *length)
{
    *length = rp_character_length(text);
    unsigned code = rp_character_code(text);
    bool stays = *length && (rp_character_shows(code) || (lines && (code == '\n' || code == '\t')));
    if (!*length) *length = 1;
    if (stays)
        snprintf(shown, 12, "%.*s", (int)*length, text);
    else
        snprintf(shown, 12, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
}

const char *rp_text_plain(const char *text, bool lines, char *plain, size_t size)
{
    size_t used = 0, length;
    char shown[12];
    if (!plain) return NULL;
    for (; text && *text; text += length) {
        show(text, lines, shown, &length);
        size_t more = strlen(shown);
        if (used + more >= size) break;
        memcpy(plain + used, shown, more);
        used += more;
    }
    if (size) plain[used] = 0;
    return plain;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool rp_text_begins(const char *text, size_t size, const char *word)
{
    size_t i = 0;
    while (word[i] && i < size && lower(text[i]) == lower(word[i]))
        i++;
    return !word[i];
}

bool rp_text_matches(const char *a, const char *b)
{
    size_t length = strlen(a);
    return length == strlen(b) && rp_text_begins(a, length, b);
}

/* --- numbers in the C locale ------------------------------------------------------------------ */

/* Created once and used by all threads until the process ends. */
static locale_t c_locale;
static pthread_once_t locale_once = PTHREAD_ONCE_INIT;

static void create_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Returns zero when memory runs out; uselocale(0) then leaves the locale of the host as it is. */
static locale_t get_locale(void)
{
    pthread_once(&locale_once, create_locale);
    return c_locale;
}

void *rp_locale_enter(void)
{
    return (void *)uselocale(get_locale());
}

void rp_locale_leave(void *before)
{
    uselocale((locale_t)before);
}

int rp_locale_print(char *text, size_t size, const char *format, va_list arguments)
{
    void *before = rp_locale_enter();
    int length = vsnprintf(text, size, format, arguments);
    rp_locale_leave(before);
    return length;
}

double rp_locale_number(const char *text, char **end)
{
    locale_t locale = get_locale();
    return locale ? strtod_l(text, end, locale) : strtod(text, end);
}
