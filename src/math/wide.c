/* The name of the instruction set that wide kernels use on this processor. */
#include "math/wide.h"
#include "repose/base.h"

const char *rp_instructions_text(void)
{
#if defined(RP_WIDE_CLONES) && defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl")) return "AVX-512";
    if (__builtin_cpu_supports("avx2")) return "AVX2";
    return "SSE2";
#elif defined(__AVX512VL__)
    return "AVX-512";
#elif defined(__AVX2__)
    return "AVX2";
#elif defined(__SSE2__)
    return "SSE2";
#elif defined(__wasm_simd128__)
    return "WebAssembly SIMD";
#elif defined(__ARM_NEON)
    return "NEON";
#else
    return "scalar";
#endif
}
