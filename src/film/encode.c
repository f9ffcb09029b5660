/* Films by ffmpeg, run as a separate program.
 *
 *     PNG bytes --socket--> ffmpeg --> temporary folder --rename--> film
 *                             |
 *                             +--> error messages and frame counts, in unnamed temporary files
 *
 * A socket, not a pipe: writing to it does not raise SIGPIPE in the host program when ffmpeg dies.
 * It is non-blocking, so that the host can interrupt while ffmpeg is busy. A film counts as made
 * only when ffmpeg has exited well and has reported as many frames as it was given. */
#include "base/memory.h"
#include "base/report.h"
#include "film/inside.h"
#include "system/atomic.h"
#include "system/program.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 64

struct rp_encoder {
    rp_atomic_folder folder; /* temporary, beside the film */
    FILE *errors, *counts;   /* what ffmpeg writes to stderr and stdout */
    long long added;         /* pictures */
    rp_program_poll_fn *keep_on;
    void *user;
    int socket; /* -1 when closed */
    int child;  /* 0 when there is none */
};

/* A container with its codec. */
typedef struct film_kind {
    const char *suffix;
    const char *format; /* ffmpeg's word for it */
    const char *arguments[12];
} film_kind;

static const film_kind kinds[] = {
    {".mp4",
     "mp4",
     {"-c:v", "libx264", "-crf", "18", "-preset", "medium", "-movflags", "+faststart"}},
    {".webm",
     "webm",
     {"-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-row-mt", "1", "-cpu-used", "4"}},
};

/* For all films: even sizes, which the chroma subsampling of yuv420p needs, and the colour space of
 * high-definition television (BT.709), which players assume and which ffmpeg does not choose by
 * itself. */
static const char *const common[] = {
    "-vf",
    "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
    "-pix_fmt",
    "yuv420p",
    "-colorspace",
    "bt709",
    "-color_primaries",
    "bt709",
    "-color_trc",
    "bt709",
    "-color_range",
    "tv",
    "-map_metadata",
    "-1"};

/* By the suffix; NULL for others, and for a suffix without a name. */
static const film_kind *kind_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t wanted = strlen(kinds[i].suffix);
        if (length > wanted && strcmp(path + length - wanted, kinds[i].suffix) == 0)
            return &kinds[i];
    }
    return NULL;
}

bool rp_encoder_accepts(const char *path)
{
    return kind_of(path) != NULL;
}

bool rp_encoder_available(void)
{
    char program[PATH_MAX];
    return rp_program_find("ffmpeg", program, sizeof program);
}

rp_code rp_encoder_check(rp_report *report)
{
    if (rp_encoder_available()) return RP_OK;
    return rp_fail(report, RP_ERROR_UNSUPPORTED,
                   "films need ffmpeg, which is not in PATH; on Debian: apt-get install ffmpeg");
}

/* As a fraction: the locale of the host program may print a decimal comma. */
static void print_rate(double rate, char *text, size_t size)
{
    if (rate == floor(rate))
        snprintf(text, size, "%.0f", rate);
    else
        snprintf(text, size, "%lld/1000000", llround(1e6 * rate));
}

/* Starts ffmpeg with the PNG stream as its input. It stops at the first error (-xerror, explode): a
 * damaged picture must not be skipped. */
static rp_code start_program(rp_encoder *encoder, const film_kind *kind, const char *rate,
                             int input, rp_report *report)
{
    char program[PATH_MAX], target[RP_PATH_MAX + 8];
    const char *arguments[ARGUMENTS_MAX] = {
        "ffmpeg",  "-hide_banner", "-loglevel", "error",      "-nostats",    "-progress", "pipe:1",
        "-xerror", "-y",           "-f",        "image2pipe", "-err_detect", "explode",   "-c:v",
        "png",     "-framerate",   rate,        "-i",         "pipe:0",      "-an"};
    int count = 20; /* of the arguments above */
    for (int i = 0; i < 12 && kind->arguments[i]; i++)
        arguments[count++] = kind->arguments[i];
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        arguments[count++] = common[i];
    arguments[count++] = "-f";
    arguments[count++] = kind->format;
    snprintf(target, sizeof target, "file:%s",
             encoder->folder.file); /* a file, whatever the name looks like */
    arguments[count] = target;
    RP_ASSERT(count + 1 < ARGUMENTS_MAX);
    if (!rp_program_find("ffmpeg", program, sizeof program)) return rp_encoder_check(report);
    /* Standard input, output and error of ffmpeg. */
    int files[3] = {input, fileno(encoder->counts), fileno(encoder->errors)};
    rp_code code =
        rp_program_start(program, (char *const *)arguments, files, &encoder->child, report);
    if (code != RP_OK) encoder->child = 0;
    return code;
}

/* Unnamed files for messages and counts, the socket, the program. Our copy of ffmpeg's end of the
 * socket is closed, so that ffmpeg sees the end of the stream when we close ours. */
static rp_code start(rp_encoder *encoder, const film_kind *kind, const char *rate,
                     rp_report *report)
{
    int ends[2];
    encoder->errors = tmpfile();
    encoder->counts = tmpfile();
    if (!encoder->errors || !encoder->counts)
        return rp_fail_errno(report, errno, "a temporary file", "make");
    int error = rp_program_connect(ends);
    if (error) return rp_fail_errno(report, error, "ffmpeg", "connect to");
    rp_code code = start_program(encoder, kind, rate, ends[1], report);
    encoder->socket = ends[0];
    rp_program_disconnect(ends[1]);
    return code;
}

rp_code rp_encoder_start(const char *path, double frames_per_second, rp_encoder **out,
                         rp_report *report)
{
    *out = NULL;
    const film_kind *kind = kind_of(path);
    rp_place place = {.file = path};
    if (!kind)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "films are MP4 or WebM files; name it *.mp4 or *.webm");
    if (!(frames_per_second >= RP_FILM_FPS_MIN && frames_per_second <= RP_FILM_FPS_MAX))
        return rp_fail(report, RP_ERROR_INPUT, "%g pictures a second: %g to %g are allowed",
                       frames_per_second, RP_FILM_FPS_MIN, RP_FILM_FPS_MAX);
    RP_TRY(rp_encoder_check(report));
    rp_encoder *encoder = rp_allocate_zero(sizeof *encoder);
    if (!encoder) return rp_fail_memory(report, sizeof *encoder, "a film");
    encoder->socket = -1;
    char rate[64];
    print_rate(frames_per_second, rate, sizeof rate);
    encoder->folder.descriptor = -1;
    rp_code code = rp_atomic_folder_open(&encoder->folder, path, report);
    if (code == RP_OK) code = start(encoder, kind, rate, report);
    if (code == RP_OK)
        *out = encoder;
    else
        rp_encoder_abandon(encoder);
    return code;
}

void rp_encoder_watch(rp_encoder *encoder, rp_program_poll_fn *keep_on, void *user)
{
    encoder->keep_on = keep_on;
    encoder->user = user;
}

/* The last "frame=" of ffmpeg's progress report: how many pictures the film has; -1 without one. */
static long long frames_encoded(FILE *file)
{
    long long count = -1;
    rewind(file);
    for (char line[512]; fgets(line, sizeof line, file);)
        if (strncmp(line, "frame=", 6) == 0) count = atoll(line + 6);
    return count;
}

/* ffmpeg may leave pictures out and still exit well. */
static rp_code check_count(const rp_encoder *encoder, rp_report *report)
{
    long long count = frames_encoded(encoder->counts);
    rp_place place = {.file = encoder->folder.path};
    if (count < 0 || count == encoder->added) return RP_OK;
    return rp_fail_at(report, RP_ERROR_IO, &place, NULL,
                      "ffmpeg took %lld of %lld pictures into the film", count, encoder->added);
}

/* The last line that says something; "Conversion failed!" only follows the reason. */
static void read_error(FILE *file, char *text, size_t size)
{
    text[0] = 0;
    rewind(file);
    for (char line[512]; fgets(line, sizeof line, file);) {
        line[strcspn(line, "\r\n")] = 0;
        const char *words = line + strspn(line, " \t");
        if (*words && strcmp(words, "Conversion failed!") != 0) snprintf(text, size, "%s", words);
    }
}

static void close_socket(rp_encoder *encoder)
{
    rp_program_disconnect(encoder->socket);
    encoder->socket = -1;
}

/* Waits for ffmpeg to exit, and reports its error. `whole`: all pictures were sent. */
static rp_code wait_for(rp_encoder *encoder, bool whole, rp_report *report)
{
    int status = 0;
    char text[512], how[64];
    rp_place place = {.file = encoder->folder.path};
    rp_code code = rp_program_wait_while("ffmpeg", encoder->child, encoder->keep_on, encoder->user,
                                         &status, report);
    if (code == RP_INTERRUPTED) return code; /* rp_encoder_abandon ends it */
    encoder->child = 0;
    RP_TRY(code);
    bool well = rp_program_succeeded(status);
    if (well && whole) return RP_OK;
    read_error(encoder->errors, text, sizeof text);
    if (rp_program_signal(status))
        snprintf(how, sizeof how, "it was ended by signal %d", rp_program_signal(status));
    else
        snprintf(how, sizeof how, "it ended %s and said nothing", well ? "too early" : "badly");
    /* A full disk is a fault of its own kind: callers may wait for space. */
    bool full = strstr(text, "No space left on device") != NULL;
    return rp_fail_at(report, full ? RP_ERROR_SPACE : RP_ERROR_IO, &place, NULL,
                      "ffmpeg failed: %s", text[0] ? text : how);
}

/* Waits until ffmpeg has read something, or for a short while. False when the host wants to stop.
 */
static bool wait_until_writable(const rp_encoder *encoder)
{
    bool writable = rp_program_wait_writable(encoder->socket, RP_PROGRAM_POLL);
    return writable || !encoder->keep_on || encoder->keep_on(encoder->user);
}

rp_code rp_encoder_add(rp_encoder *encoder, const void *bytes, size_t size, rp_report *report)
{
    const char *next = bytes;
    encoder->added++;
    while (size > 0 && encoder->socket >= 0) {
        size_t sent;
        int error = rp_program_send(encoder->socket, next, size, &sent);
        /* A full buffer is no error. Others mean that ffmpeg has ended: its message says why. */
        if (error == EAGAIN && !wait_until_writable(encoder)) return RP_INTERRUPTED;
        if (error && error != EAGAIN) {
            close_socket(encoder);
            return wait_for(encoder, false, report);
        }
        next += sent;
        size -= sent;
    }
    if (encoder->socket >= 0) return RP_OK;
    return rp_fail(report, RP_ERROR_IO, "ffmpeg has ended already");
}

rp_code rp_encoder_finish(rp_encoder *encoder, rp_report *report)
{
    rp_code code;
    /* The end of the stream: ffmpeg writes the rest and exits. */
    close_socket(encoder);
    if (encoder->child)
        code = wait_for(encoder, true, report);
    else
        code = rp_fail(report, RP_ERROR_IO, "ffmpeg has ended already");
    if (code == RP_OK) code = check_count(encoder, report);
    if (code == RP_OK) code = rp_atomic_folder_finish(&encoder->folder, "ffmpeg", report);
    rp_encoder_abandon(encoder);
    return code;
}

void rp_encoder_abandon(rp_encoder *encoder)
{
    int status;
    if (!encoder) return;
    close_socket(encoder);
    /* Killed and waited for, so that no zombie stays; its files go with the folder. */
    if (encoder->child) {
        rp_program_kill(encoder->child);
        rp_program_wait("ffmpeg", encoder->child, &status, NULL);
    }
    if (encoder->errors) fclose(encoder->errors);
    if (encoder->counts) fclose(encoder->counts);
    rp_atomic_folder_abandon(&encoder->folder);
    rp_release(encoder, sizeof *encoder);
}
