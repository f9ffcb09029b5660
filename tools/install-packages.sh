#!/bin/sh
# Installs what Repose needs on Debian 12, if anything is missing. The only list of packages.
#   tools/install-packages.sh          to build, run and test
#   tools/install-packages.sh clang    also what `make check-clang` needs
#   tools/install-packages.sh fuzz     also what `make fuzz` needs
set -eu

packages="build-essential cmake ninja-build pkg-config
libfyaml-dev libhdf5-dev zlib1g-dev libode-dev libpng-dev libcmocka-dev libembree-dev
gnuplot-nox ffmpeg"
case ${1:-} in
clang) packages="$packages clang" ;;
fuzz) packages="$packages clang libclang-rt-14-dev" ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian; Repose needs what these packages hold there: $packages" >&2
    exit 0
fi

missing=
for package in $packages; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "Repose needs packages that are not installed. As root:" >&2
    echo "    apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
