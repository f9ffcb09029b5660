#include "validation/html.h"
#include "repose/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static void put(rp_atomic *page, const char *text)
{
    rp_atomic_write(page, text, strlen(text));
}

void rp_html_text(rp_atomic *page, const char *text, size_t length)
{
    size_t bytes;
    for (size_t i = 0; i < length; i += bytes) {
        char c = text[i];
        bytes = rp_character_length(text + i);
        bool shows =
            bytes && (rp_character_shows(rp_character_code(text + i)) || c == '\n' || c == '\t');
        const char *escaped = c == '<'   ? "&lt;"
                              : c == '>' ? "&gt;"
                              : c == '&' ? "&amp;"
                              : c == '"' ? "&quot;"
                              : !shows   ? "?"
                                         : NULL;
        if (!bytes) bytes = 1;
        if (escaped)
            put(page, escaped);
        else
            rp_atomic_write(page, text + i, bytes);
    }
}

/* A run of text with `code` and **bold**; marks that are not closed stay as they are. */
static void put_inline(rp_atomic *page, const char *text, size_t length)
{
    while (length) {
        const char *mark = text[0] == '`' ? "`" : strncmp(text, "**", 2) == 0 ? "**" : NULL;
        size_t width = mark ? strlen(mark) : 0;
        const char *end =
            mark && length > width ? memmem(text + width, length - width, mark, width) : NULL;
        if (end) {
            bool code = width == 1;
            put(page, code ? "<code>" : "<strong>");
            rp_html_text(page, text + width, (size_t)(end - text) - width);
            put(page, code ? "</code>" : "</strong>");
            length -= (size_t)(end - text) + width;
            text = end + width;
        } else {
            rp_html_text(page, text, 1);
            text++, length--;
        }
    }
}

typedef enum block { NONE, PARAGRAPH, LIST, CODE, TABLE } block;

/* Ends the open block and begins another. */
static void turn(rp_atomic *page, block *open, block next)
{
    static const char *const begin[] = {"", "<p>", "<ul>\n<li>", "<pre>", "<table>\n"};
    static const char *const end[] = {"", "</p>\n", "</li>\n</ul>\n", "</pre>\n", "</table>\n"};
    put(page, end[*open]);
    put(page, begin[next]);
    *open = next;
}

static void put_row(rp_atomic *page, const char *line, size_t length)
{
    if (strspn(line, "|-: ") >= length) return; /* the rule below the head */
    put(page, "<tr>");
    for (size_t i = 1; i < length;) {
        const char *bar = memchr(line + i, '|', length - i);
        size_t size = bar ? (size_t)(bar - line) - i : length - i;
        put(page, "<td>");
        put_inline(page, line + i, size);
        put(page, "</td>");
        i += size + 1;
    }
    put(page, "</tr>\n");
}

static void put_heading(rp_atomic *page, block *open, const char *line, size_t length)
{
    size_t level = strspn(line, "#"), skip = level + strspn(line + level, " ");
    turn(page, open, NONE);
    if (level < 2 || skip > length) return;
    put(page, "<h3>");
    put_inline(page, line + skip, length - skip);
    put(page, "</h3>\n");
}

static void put_line(rp_atomic *page, block *open, const char *line, size_t length)
{
    size_t indent = strspn(line, " \t");
    if (indent >= length) {
        turn(page, open, NONE);
    } else if (line[0] == '#') {
        put_heading(page, open, line, length);
    } else if (line[0] == '|') {
        if (*open != TABLE) turn(page, open, TABLE);
        put_row(page, line, length);
    } else if (length > 2 && (line[0] == '-' || line[0] == '*') && line[1] == ' ') {
        if (*open == LIST)
            put(page, "</li>\n<li>");
        else
            turn(page, open, LIST);
        put_inline(page, line + 2, length - 2);
    } else {
        if (*open != PARAGRAPH && !(*open == LIST && indent)) turn(page, open, PARAGRAPH);
        put_inline(page, line + indent, length - indent);
        put(page, "\n");
    }
}

void rp_html_markdown(rp_atomic *page, const char *text)
{
    block open = NONE;
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (strncmp(text, "```", 3) == 0) {
            turn(page, &open, open == CODE ? NONE : CODE);
        } else if (open == CODE) {
            rp_html_text(page, text, length);
            put(page, "\n");
        } else {
            /* A line that goes on with the last: a blank between them. */
            if (open == LIST && text[0] == ' ') put(page, " ");
            put_line(page, &open, text, length);
        }
        text += length + (text[length] == '\n');
    }
    turn(page, &open, NONE);
}

/* How many characters of an attribute stand before the id that it defines or names; 0: it does
 * neither. */
static size_t before_id(const char *text)
{
    static const char *const ways[] = {"id='", "id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strncmp(text, ways[i], strlen(ways[i])) == 0) return strlen(ways[i]);
    return 0;
}

void rp_html_svg(rp_atomic *page, const char *svg, int number)
{
    const char *start = strstr(svg, "<svg");
    bool tag = false;
    for (const char *c = start ? start : ""; *c;) {
        if (*c == '<') tag = true;
        if (*c == '>') tag = false;
        bool word = c > start && (isalnum((unsigned char)c[-1]) || c[-1] == '-');
        size_t length = tag && !word ? before_id(c) : 0;
        rp_atomic_write(page, c, length ? length : 1);
        if (length) rp_atomic_print(page, "figure%d-", number);
        c += length ? length : 1;
    }
}
