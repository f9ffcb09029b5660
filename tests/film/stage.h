/* A work folder, programs called ffmpeg, and what ffprobe says of a film. */
#ifndef RP_TESTS_FILM_STAGE_H
#define RP_TESTS_FILM_STAGE_H

#include "run/files.h"

#include "base/report.h"
#include "film/inside.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char work[] = "/tmp/repose-film-XXXXXX";
static char *usual_path;

static inline int enter_work(void **state)
{
    (void)state;
    usual_path = strdup(getenv("PATH") ? getenv("PATH") : "");
    return mkdtemp(work) && chdir(work) == 0 ? 0 : -1;
}

static inline int leave_work(void **state)
{
    (void)state;
    setenv("PATH", usual_path, 1);
    free(usual_path);
    if (chdir("/") != 0) return -1;
    remove_tree(work);
    return 0;
}

static inline void skip_without_ffmpeg(void)
{
    if (rp_encoder_available()) return;
    print_message("no ffmpeg: films are not tested\n");
    skip();
}

/* A shell script is ffmpeg from now on; NULL: nothing is. */
static inline void replace_ffmpeg(const char *script)
{
    char path[64 + sizeof work];
    remove_tree("bin");
    assert_int_equal(mkdir("bin", 0755), 0);
    snprintf(path, sizeof path, "%s/bin", work);
    setenv("PATH", path, 1);
    if (!script) return;
    FILE *file = fopen("bin/ffmpeg", "w");
    fprintf(file, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", script);
    fclose(file);
    assert_int_equal(chmod("bin/ffmpeg", 0755), 0);
}

static inline void restore_ffmpeg(void)
{
    setenv("PATH", usual_path, 1);
}

/* What ffprobe says: "h264,320,182,yuv420p,…". False where there is none. */
static inline bool probe(const char *film, char *text, size_t size)
{
    char command[512];
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,pix_fmt,"
             "color_space,r_frame_rate,nb_read_frames -of csv=p=0 'file:%s' 2>/dev/null",
             film);
    FILE *pipe = popen(command, "r");
    bool well = pipe && fgets(text, (int)size, pipe);
    if (pipe) pclose(pipe);
    if (well) text[strcspn(text, "\n")] = 0;
    if (!well) print_message("no ffprobe: the film is not looked into\n");
    return well;
}

static inline int count_files(const char *folder, const char *end)
{
    int count = 0;
    DIR *dir = opendir(folder);
    if (!dir) return -1;
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name), wanted = strlen(end);
        if (length >= wanted && strcmp(entry->d_name + length - wanted, end) == 0) count++;
    }
    closedir(dir);
    return count;
}

static inline void says(const rp_report *report, const char *words)
{
    assert_true(rp_report_count(report) > 0);
    char text[2048];
    rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    if (!strstr(text, words)) fail_msg("'%s' lacks '%s'", text, words);
}

#endif
