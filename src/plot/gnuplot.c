/* gnuplot as a program of its own: found in PATH, started without a shell and without the user's
 * settings. Script, picture and complaints travel in files that have no name: pipes would need both
 * ends served at once, and would hand the host program a SIGPIPE when gnuplot dies. */
#include "base/memory.h"
#include "base/report.h"
#include "plot/figure.h"
#include "system/atomic.h"
#include "system/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

bool rp_plot_can(void)
{
    char path[PATH_MAX];
    return rp_program_find("gnuplot", path, sizeof path);
}

/* The first line that gnuplot complained with. */
static void read_complaint(FILE *file, char *text, size_t size)
{
    text[0] = 0;
    rewind(file);
    for (char line[512]; fgets(line, sizeof line, file);) {
        size_t blank = strspn(line, " \t^\n");
        snprintf(text, size, "%s", line + blank);
        text[strcspn(text, "\n")] = 0;
        if (strstr(text, "line ")) return;
    }
}

static rp_code wait_for(int child, FILE *complaints, rp_report *report)
{
    int status = 0;
    char text[512];
    RP_TRY(rp_program_wait("gnuplot", child, &status, report));
    if (rp_program_succeeded(status)) return RP_OK;
    read_complaint(complaints, text, sizeof text);
    return rp_fail(report, RP_ERROR_IO, "gnuplot failed: %s", text[0] ? text : "it said nothing");
}

static rp_code read_all(FILE *file, char **text, size_t *size, rp_report *report)
{
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (length <= 0) return rp_fail(report, RP_ERROR_IO, "gnuplot drew nothing");
    rewind(file);
    *size = (size_t)length;
    *text = rp_allocate(*size + 1);
    if (!*text) return rp_fail_memory(report, *size, "a figure");
    (*text)[*size] = 0;
    if (fread(*text, 1, *size, file) == *size) return RP_OK;
    rp_release(*text, *size + 1);
    *text = NULL;
    return rp_fail(report, RP_ERROR_IO, "what gnuplot drew cannot be read back");
}

/* files: script, picture, complaints. */
static rp_code draw(FILE *const files[3], const char *script, size_t length, char **out,
                    size_t *size, rp_report *report)
{
    char program[PATH_MAX];
    int child;
    if (!rp_program_find("gnuplot", program, sizeof program))
        return rp_fail(report, RP_ERROR_UNSUPPORTED,
                       "plots need gnuplot, which is not in PATH; on Debian: apt-get install "
                       "gnuplot-nox");
    if (!files[0] || !files[1] || !files[2])
        return rp_fail_errno(report, errno, "a temporary file", "make");
    if (fwrite(script, 1, length, files[0]) != length)
        return rp_fail_errno(report, errno, "a temporary file", "write");
    int error = rp_program_rewind(files[0]);
    if (error) return rp_fail_errno(report, error, "a temporary file", "write");
    int descriptors[3];
    for (int i = 0; i < 3; i++)
        descriptors[i] = fileno(files[i]);
    char *arguments[] = {"gnuplot", "-d", NULL}; /* -d: no start-up files */
    rp_code code = rp_program_start(program, arguments, descriptors, &child, report);
    if (code == RP_OK) code = wait_for(child, files[2], report);
    return code == RP_OK ? read_all(files[1], out, size, report) : code;
}

static rp_code render(const rp_figure *figure, bool png, char **out, size_t *size,
                      rp_report *report)
{
    char *script;
    size_t length;
    *out = NULL;
    RP_TRY(rp_figure_script(figure, png, &script, &length, report));
    FILE *files[3] = {tmpfile(), tmpfile(), tmpfile()};
    rp_code code = draw(files, script, length, out, size, report);
    for (int i = 0; i < 3; i++)
        if (files[i]) fclose(files[i]);
    rp_release(script, length + 1);
    return code;
}

rp_code rp_figure_svg(const rp_figure *figure, char **text, size_t *size, rp_report *report)
{
    return render(figure, false, text, size, report);
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    return length > wanted && strcmp(path + length - wanted, end) == 0;
}

rp_code rp_plot_check_name(const char *path, rp_report *report)
{
    RP_NEED(path, report);
    if (ends_in(path, ".svg") || ends_in(path, ".png")) return RP_OK;
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "plots are SVG or PNG files; name it *.svg or *.png");
}

rp_code rp_figure_write(const rp_figure *figure, const char *path, rp_report *report)
{
    RP_NEED(path, report);
    char *data = NULL;
    size_t size = 0;
    RP_TRY(rp_plot_check_name(path, report));
    RP_TRY(render(figure, ends_in(path, ".png"), &data, &size, report));
    rp_atomic file;
    rp_code code = rp_atomic_open(&file, path, report);
    if (code == RP_OK) {
        rp_atomic_write(&file, data, size);
        code = rp_atomic_finish(&file, report);
    }
    rp_release(data, size + 1);
    return code;
}
