// No guard: each module that includes it has these functions of its own.
#include <stddef.h>
#include <string.h>

// Overwrites the registers that calls don't keep, and the stack below the caller. A vector register
// holds what memcpy moved last. It is saved on a stack when a library's function is called for the
// first time (_dl_runtime_resolve in ld.so), and a new thread begins with a copy of it (clone(2)).
static __attribute__((noinline, unused, zero_call_used_regs("all")))
void daybook_wipe_traces(void) {
    char below[32768];
    explicit_bzero(below, sizeof below);
#ifdef __x86_64__
    // Those that the compiler does not know of: XRSTOR puts each state with a bit in the mask, from
    // SSE to AVX-512, to its beginning where the area says nothing of it.
    if (__builtin_cpu_supports("avx")) {
        struct { char states[1024]; } __attribute__((aligned(64))) area = {{0}};
        __asm__ volatile("stmxcsr 24(%0)\n\txrstor (%0)"
                         : : "r"(&area), "a"(0xe6), "d"(0) : "memory");
    }
#endif
}

// Overwrites bytes and their traces, also where a compiler sees that nobody reads them again.
static inline void daybook_wipe(void *bytes, size_t count) {
    if (bytes) explicit_bzero(bytes, count);
    daybook_wipe_traces();
}
