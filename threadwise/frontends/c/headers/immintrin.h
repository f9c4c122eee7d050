/* immintrin.h: the hints and fences that threads use; vectors are not modelled. */
#ifndef __TW_INTRINSICS_H
#define __TW_INTRINSICS_H
static inline void _mm_pause(void) {}
static inline void _mm_lfence(void) {}
static inline void _mm_sfence(void) {}
static inline void _mm_mfence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#define _MM_HINT_T0 3
#define _MM_HINT_T1 2
#define _MM_HINT_T2 1
#define _MM_HINT_NTA 0
#define _mm_prefetch(address, hint) ((void)(address), (void)(hint))
static inline unsigned long long __rdtsc(void) { return __tw_any_ulonglong(); }
#endif
