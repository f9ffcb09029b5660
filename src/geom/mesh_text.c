/* Words and numbers of mesh files. Decimal numbers of up to 15 digits or so are read here, exactly;
 * others by the C library, in a locale that has points. */
#include "base/text.h"
#include "geom/mesh_file.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_LONGEST 400

void rp_mesh_text_begin(rp_mesh_text *text, const rp_mesh_bytes *bytes)
{
    *text = (rp_mesh_text){
        .bytes = bytes, .at = bytes->data, .end = bytes->data + bytes->size, .line = 1};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Over blanks, and over line ends behind a backslash. */
static void skip_blanks(rp_mesh_text *text)
{
    for (;;) {
        const char *at = text->at;
        while (at < text->end && is_blank(*at))
            at++;
        text->at = at;
        if (!text->continued || at == text->end || *at != '\\') return;
        for (at++; at < text->end && is_blank(*at);)
            at++;
        if (at == text->end || *at != '\n') return;
        text->at = at + 1;
        text->line++;
    }
}

bool rp_mesh_text_line_ends(rp_mesh_text *text)
{
    skip_blanks(text);
    return text->at == text->end || *text->at == '\n';
}

bool rp_mesh_text_next_line(rp_mesh_text *text)
{
    while (!rp_mesh_text_line_ends(text))
        text->at++;
    if (text->at == text->end) return false;
    text->at++;
    text->line++;
    return text->at < text->end;
}

static bool word_ends(const rp_mesh_text *text, const char *at)
{
    return at == text->end || is_blank(*at) || *at == '\n';
}

bool rp_mesh_text_word(rp_mesh_text *text, char word[RP_MESH_WORD])
{
    if (rp_mesh_text_line_ends(text)) return false;
    size_t length = 0;
    for (; !word_ends(text, text->at); text->at++)
        if (length < RP_MESH_WORD - 1) word[length++] = *text->at;
    word[length] = 0;
    return true;
}

static bool slow_number(rp_mesh_text *text, double *value)
{
    char copy[NUMBER_LONGEST + 1], *stopped;
    size_t length = 0;
    while (!word_ends(text, text->at + length)) {
        if (length == NUMBER_LONGEST) return false;
        copy[length] = text->at[length];
        length++;
    }
    copy[length] = 0;
    if (length == 0) return false;
    *value = rp_locale_number(copy, &stopped);
    if (*stopped) return false;
    text->at += length;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits with a point and an exponent whose value is one exact operation on two exact doubles:
 * digits below 2^53, and a power of ten up to 22. False for all else. */
static bool quick_number(rp_mesh_text *text, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = text->at, *end = text->end;
    bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    uint64_t digits = 0;
    int count = 0, power = 0, exponent = 0;
    for (; at < end && is_digit(*at); at++, count++)
        if (count < 18) digits = 10 * digits + (uint64_t)(*at - '0');
    if (at < end && *at == '.')
        for (at++; at < end && is_digit(*at); at++, count++, power--)
            if (count < 18) digits = 10 * digits + (uint64_t)(*at - '0');
    if (count == 0 || count > 18 || digits > (uint64_t)1 << 53) return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool down = ++at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) at++;
        if (at == end || !is_digit(*at)) return false;
        for (; at < end && is_digit(*at) && exponent < 1000; at++)
            exponent = 10 * exponent + (*at - '0');
        power += down ? -exponent : exponent;
    }
    if (power < -22 || power > 22 || !word_ends(text, at)) return false;
    double size = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    *value = minus ? -size : size;
    text->at = at;
    return true;
}

bool rp_mesh_text_number(rp_mesh_text *text, double *value)
{
    skip_blanks(text);
    return quick_number(text, value) || slow_number(text, value);
}

bool rp_mesh_text_integer(rp_mesh_text *text, const char *stops, int64_t *value)
{
    skip_blanks(text);
    const char *at = text->at;
    bool minus = at < text->end && *at == '-';
    if (at < text->end && (*at == '-' || *at == '+')) at++;
    int64_t found = 0;
    int count = 0;
    for (; at < text->end && is_digit(*at) && count < 18; at++, count++)
        found = 10 * found + (*at - '0');
    if (count == 0) return false;
    if (!word_ends(text, at) && !strchr(stops, *at)) return false;
    *value = minus ? -found : found;
    text->at = at;
    return true;
}

/* What is no plain letter is shown as a question mark: messages go to terminals. */
rp_code rp_mesh_text_fail(rp_mesh_text *text, rp_report *report, const char *wanted)
{
    rp_place place = {.file = text->bytes->name, .line = text->line};
    char word[RP_MESH_WORD];
    if (!rp_mesh_text_word(text, word))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "%s expected, but the %s ends here",
                          wanted, text->at == text->end ? "file" : "line");
    for (char *c = word; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "%s expected, found '%s'", wanted,
                      word);
}
