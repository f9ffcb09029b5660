#!/bin/sh
# The C code in docs/guide/library.md compiles and runs, one after another in one program, against
# the public headers and the shared library.
#   tests/guide.sh SOURCE BUILD
set -eu
source=$1
build=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/repose-guide-XXXXXX")
trap 'rm -rf "$folder"' EXIT

{
    cat <<'EOF'
#include <repose/repose.h>
#include <stdio.h>
int main(void)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    rp_view view;
    rp_code code = rp_scene_parse("particles: {spacing: 5 cm}\n"
                                  "sources: {heap: {shape: box, size: [0.2, 0.2, 0.2]}}\n"
                                  "bodies: {floor: {shape: plane, position: [0, 0, -1]}}\n",
                                  "guide", &scene, report);
    if (code == RP_OK) code = rp_world_create(scene, NULL, &world, report);
    if (code != RP_OK) return 1;
    rp_world_view(world, &view);
EOF
    awk '/^```c$/ {inside = 1; print "    {"; next}
         /^```$/ {if (inside) print "    if (code != RP_OK && code != RP_ERROR_UNSUPPORTED) return 2;\n    }"; inside = 0}
         inside' "$source/docs/guide/library.md"
    cat <<'EOF'
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return 0;
}
EOF
} >"$folder/guide.c"
cc -std=c17 -Wall -Wextra -Werror -Wno-misleading-indentation -I"$source/include" "$folder/guide.c" -o "$folder/guide" -L"$build" -lrepose -Wl,-rpath,"$build"
cd "$folder" && "$folder/guide" | grep -q '^kinetic'
