/* Worlds are saved to files and loaded again. A room of its own, since worlds know no files and
 * records no worlds. */
#include "repose/save.h"
#include "base/report.h"
#include "record/checkpoint.h"
#include "world/world.h"

rp_code rp_world_save(const rp_world *world, const char *path, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(path, report);
    RP_ENTER();
    RP_TRY(rp_world_check_valid(world, report));
    rp_store store;
    rp_store_begin(&store);
    store.borrow = true; /* the world does not change while it is written */
    rp_code code = rp_world_write_state(world, &store, report);
    if (code == RP_OK) code = rp_checkpoint_write(path, &store, report);
    rp_store_end(&store);
    return code;
}

rp_code rp_world_load(rp_world *world, const char *path, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(path, report);
    RP_ENTER();
    rp_store store;
    rp_store_begin(&store);
    rp_code code = rp_checkpoint_read(path, &store, report);
    if (code == RP_OK) code = rp_world_read_state(world, &store, report);
    rp_store_end(&store);
    return code;
}
