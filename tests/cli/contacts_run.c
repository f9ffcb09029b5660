/* Writes a run whose frames hold contacts, for contacts.sh: a block of grains that carries a load,
 * which doubles from frame to frame. With one more argument the last frame has no contacts, with
 * two more none has. */
#include "chains.h"
#include "record/fixture.h"

#define SCENE                                                                                      \
    "title: block under load\n"                                                                    \
    "time: {duration: 0.2 s, frame_rate: 10}\n"                                                    \
    "domain: {low: [0, 0, 0], high: [0.12, 0.12, 0.4], periodic: [x, y]}\n"                        \
    "particles: {spacing: 1 cm}\n"                                                                 \
    "bodies: {floor: {shape: plane}}\n"

int main(int count, char **arguments)
{
    if (count < 2) return 2;
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_record *record = NULL;
    check_ok(rp_scene_parse(SCENE, "block", &scene, report), report);
    check_ok(rp_record_create(arguments[1], scene, 1, &record, report), report);
    for (int i = 0; i < 3; i++) {
        chains *block = chains_make(12, 16, 36.0f * (float)(1 << i));
        block->view.time = 0.1 * i;
        if ((i == 2 && count > 2) || count > 3)
            block->view.contacts = NULL, block->view.contact_count = 0;
        check_ok(rp_record_write_frame(record, i, &block->view, report), report);
        chains_free(block);
    }
    rp_record_close(record);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return 0;
}
