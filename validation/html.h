/* Pieces of the HTML page. */
#ifndef RP_VALIDATION_HTML_H
#define RP_VALIDATION_HTML_H

#include "system/atomic.h"

#include <stddef.h>

/* Text with <, >, & and quotes escaped; bytes that XML forbids become question marks. */
void rp_html_text(rp_atomic *page, const char *text, size_t length);
/* The small part of Markdown that the cases' texts use: headings, paragraphs, lists, tables, code,
 * `code` and **bold**. The first heading, the case's name, is left out. */
void rp_html_markdown(rp_atomic *page, const char *text);
/* An SVG document without its prolog; its ids get a prefix, since a page may hold many. */
void rp_html_svg(rp_atomic *page, const char *svg, int number);

#endif
