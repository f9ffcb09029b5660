# What every target is compiled with. Contraction is off and no flag changes the value of a sum, so
# results have the same bits on every machine, as long as they come from +, -, *, / and sqrt. The C
# library's sin, exp, hypot and so on vary with the processor: math/elementary.h stands in for them.
add_library(rp_flags INTERFACE)
target_compile_definitions(rp_flags INTERFACE _GNU_SOURCE)
target_compile_options(rp_flags INTERFACE
  -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wconversion
  -Wno-psabi -fno-math-errno -fno-trapping-math -ffp-contract=off)
if(CMAKE_C_COMPILER_ID MATCHES "Clang") # it also warns of enumerations and of messages in assertions
  target_compile_options(rp_flags INTERFACE -Wno-sign-conversion -Wno-string-conversion)
endif()
target_link_libraries(rp_flags INTERFACE Threads::Threads m)
if(RP_WERROR)
  target_compile_options(rp_flags INTERFACE -Werror)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(rp_flags INTERFACE -O3)
endif()
include(CheckCSourceCompiles)
# Clang 14 has clones, but refuses to pass wide values to inlined functions in the default one.
check_c_source_compiles("
  typedef float wide __attribute__((vector_size(32)));
  static inline __attribute__((always_inline)) wide twice(wide a) { return a + a; }
  __attribute__((target_clones(\"arch=x86-64-v3\", \"default\"))) void f(wide *a) { *a = twice(*a); }
  int main(void) { wide a = {0}; f(&a); return a[0] != 0; }" RP_CAN_CLONE)
if(RP_SANITIZE)
  target_compile_options(rp_flags INTERFACE
    -fsanitize=${RP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
  target_link_options(rp_flags INTERFACE -fsanitize=${RP_SANITIZE})
elseif(RP_CLONES AND RP_CAN_CLONE)
  # Clones are picked by ifunc resolvers, which run before the sanitizers are ready.
  target_compile_definitions(rp_flags INTERFACE RP_WIDE_CLONES)
endif()
if(RP_FUZZ)
  target_compile_options(rp_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_compile_options(rp_flags INTERFACE -Wno-missing-prototypes)
endif()
