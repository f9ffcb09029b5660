# Short ways to the CMake build. `make demo` and `make check` install what is missing first.
WERROR ?= OFF
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
ABUSE_SECONDS ?= 3600
ABUSE_SEED ?= 1
configure = cmake --preset $(1) -DRP_WERROR=$(WERROR) > /dev/null
export CTEST_OUTPUT_ON_FAILURE = 1

all: build/build.ninja
	@cmake --build build

build/build.ninja:
	@$(call configure,release)

packages:
	@tools/install-packages.sh

demo: packages
	@$(MAKE) --no-print-directory all
	@rm -rf demo/splash
	build/repose run splash -o demo/splash --set particles.spacing=25mm --set time.duration=0.5s --set time.frame_rate=50
	build/repose refine demo/splash --factor 60
	build/repose render demo/splash -o demo/splash.mp4 --size 854x480 --fps 25
	build/repose render demo/splash --sheet 3x2 -o demo/splash.png
	build/repose measure demo/splash body ball --only position --plot demo/ball.svg > demo/ball.txt
	@echo "look at demo/splash.mp4, demo/splash.png and demo/ball.svg"

check: packages
	@$(call configure,release)
	@cmake --build build
	@ctest --test-dir build -j2

# Every test but the slowest again under the sanitizers: addresses and undefined behaviour, then races.
check-sanitize: packages
	@for preset in asan tsan; do \
	    cmake --preset $$preset -DRP_WERROR=$(WERROR) > /dev/null && \
	    cmake --build build-$$preset && ctest --test-dir build-$$preset -j2 -LE 'slow|validation' || exit 1; done

# Without optimisation, but with cloned kernels: what is not inlined shows itself there.
check-debug: packages
	@$(call configure,debug)
	@cmake --build build-debug --target debug_tests
	@ctest --test-dir build-debug -j2 -R '^(math|grains|neighbor|solver)' -LE slow

# The other compiler: it builds all without a warning, the quick tests pass, and worlds have the same bits.
check-clang: all
	@tools/install-packages.sh clang
	@$(call configure,clang)
	@cmake --build build-clang
	@ctest --test-dir build-clang -j2 -LE 'slow|validation' -E '^(cli|run|record|film|mutants|abuse|scene.malformed|world)'
	@build/tests/core_of_all > build-clang/gcc.txt
	@build-clang/tests/core_of_all | diff build-clang/gcc.txt -

bench: all
	build/repose bench all

fuzz:
	@tools/install-packages.sh fuzz
	@$(call configure,fuzz)
	@cmake --build build-fuzz
	@tools/fuzz.sh build-fuzz $(FUZZ_SECONDS)

# Random scenes that no careful user would write, from ABUSE_SEED on; stops at the first failure.
abuse: all
	build/abuse $(ABUSE_SECONDS) $(ABUSE_SEED)

# Recorded files with something wrong in them and a right checksum, from ABUSE_SEED on; likewise.
mutants: all
	build/mutants $(ABUSE_SECONDS) $(ABUSE_SEED)

install: all
	@cmake --install build --prefix $(PREFIX)

# The pages that are made from the program's own tables.
docs: all
	@build/repose help scene --markdown > docs/guide/scene.md

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

tidy: all
	@git ls-files 'src/*.c' 'apps/*.c' | xargs clang-tidy -p build --quiet

clean:
	@rm -rf build build-debug build-clang build-asan build-tsan build-fuzz demo

.PHONY: all packages demo check check-debug check-clang check-sanitize bench fuzz abuse mutants install docs format tidy clean
