/* Any bytes as a scene: nothing breaks, a refusal has a message, and a scene that is accepted reads
 * back from its own text. Scenes from memory include no files; meshes are left out here, since they
 * would be read from wherever the bytes say. */
#include "scene/schema.h"

#include "base/report.h"

#include <stdlib.h>

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_again(const char *text)
{
    rp_scene *again = NULL;
    require(read_text(text, &again, NULL) == RP_OK);
    require(strcmp(rp_scene_text(again), text) == 0);
    rp_scene_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memmem(data, size, "file", 4)) return 0;
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    /* the first byte chooses between a whole text and a setting */
    bool setting = size > 0 && data[0] == '=';
    char *value = malloc(size + 1);
    memcpy(value, data, size);
    value[size] = 0;
    rp_setting one = {"bodies.paddle.colour", value + (setting ? 1 : 0)};
    rp_code code = setting
                       ? rp_scene_read_text(full_scene, sizeof full_scene - 1, "full", &one, 1,
                                            &schema, &scene, report)
                       : rp_scene_read_text(value, size, "fuzz", NULL, 0, &schema, &scene, report);
    free(value);
    require((code == RP_OK) == (scene != NULL));
    require((code == RP_OK) == (rp_report_count(report) == 0));
    for (int i = 0; i < rp_report_count(report); i++)
        require(rp_report_fault(report, i)->message[0] != 0);
    if (scene) check_again(rp_scene_text(scene));
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    require(rp_memory_now().bytes == 0);
    return 0;
}
