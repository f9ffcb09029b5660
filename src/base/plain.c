#include "base/plain.h"

#include <stdio.h>
#include <string.h>

/* Of three or four bytes: neither longer than needed, nor a surrogate, nor beyond Unicode, nor one
 * of the two that XML forbids. */
static bool is_sound(const unsigned char *text)
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
    return length < 3 || is_sound(bytes) ? length : 0;
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
    bool turns = code == 0x61c || code == 0x200e || code == 0x200f ||
                 (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    bool ends_line = code == 0x2028 || code == 0x2029;
    return !control && !turns && !ends_line;
}

/* What stands for the character, at most ten bytes; `*length` are those of the text. */
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
