/* Included before every file. Operations of GCC that work on any type, as macros over atomic regions:
   arguments are evaluated once, before the step; the step is the access itself. A predefined macro
   shadows the compiler's builtin of the same name, so no header need be included. */
#ifndef THREADWISE_BUILTINS_H
#define THREADWISE_BUILTINS_H
#include "threadwise.h"

#define __tw_sequential 5                   /* memory_order_seq_cst */
#define __tw_order(order) \
    ((order) == __tw_sequential \
         ? (void)0 \
         : __tw_assumption("weaker memory orders behave like memory_order_seq_cst"))

/* The same for loads; what is weaker than acquire is allowed in proofs, or named (see below). */
#define __tw_load_order(order) ((order) < __ATOMIC_ACQUIRE ? (void)0 : __tw_order(order))
#define __tw_store_order(order) ((order) == __ATOMIC_RELAXED ? __tw_relaxed_store() : __tw_order(order))

/* The type of a value read through a pointer: neither const nor atomic. */
#define __tw_value_of(pointer) __typeof__((void)0, *(pointer))
#define __tw_pointer(pointer) __typeof__(&*(pointer)) __tw_p = (pointer)

/* GCC adds bytes to pointers here, C11 elements; only the latter is modelled. */
#define __tw_no_pointer(pointer) \
    _Static_assert(__builtin_classify_type(*(pointer)) != 5, \
                   "GCC's atomic arithmetic on pointers is not modelled; use stdatomic.h")

#define __tw_load(pointer) \
    __extension__({ \
        __tw_pointer(pointer); \
        __tw_strong_read(); \
        __tw_access(__ATOMIC_SEQ_CST); \
        __tw_atomic_begin(); \
        __tw_value_of(__tw_p) __tw_old = *__tw_p; \
        __tw_atomic_end(); \
        __tw_old; \
    })
/* Weaker than acquire, a load may return another value than the latest one: any, which bounds what
   C allows. The variable without a value is any value; it is there only if that may happen. */
#define __tw_ordered_load(pointer, order) \
    __extension__({ \
        __tw_pointer(pointer); \
        __tw_load_order(order); \
        (order) < __ATOMIC_ACQUIRE ? (void)0 : __tw_strong_read(); \
        __tw_access(order); \
        __tw_atomic_begin(); \
        __tw_value_of(__tw_p) __tw_loaded = *(__tw_value_of(__tw_p) *)__tw_p; \
        __tw_atomic_end(); \
        if ((order) < __ATOMIC_ACQUIRE \
            && __tw_doubtful("another value than the latest is loaded")) { \
            __tw_value_of(__tw_p) __tw_another; \
            __tw_loaded = __tw_another; \
        } \
        __tw_loaded; \
    })
/* The same for updates that decide something, such as who has a lock; the memory is updated as it
   should be. */
#define __tw_stale(result, order) \
    if ((order) < __ATOMIC_ACQUIRE && __tw_doubtful("another value than the latest is loaded")) { \
        __typeof__(result) __tw_another; \
        result = __tw_another; \
    }
#define __tw_store(pointer, value, order) \
    __extension__({ \
        __tw_pointer(pointer); \
        __tw_value_of(__tw_p) __tw_new = (value); \
        __tw_store_order(order); \
        __tw_access(order); \
        __tw_atomic_begin(); \
        *__tw_p = __tw_new; \
        __tw_atomic_end(); \
        (void)0; \
    })
#define __tw_exchange(pointer, value, order) \
    __extension__({ \
        __tw_pointer(pointer); \
        __tw_strong_read(); \
        __tw_value_of(__tw_p) __tw_new = (value); \
        __tw_order(order); \
        __tw_access(order); \
        __tw_atomic_begin(); \
        __tw_value_of(__tw_p) __tw_old = *__tw_p; \
        *__tw_p = __tw_new; \
        __tw_atomic_end(); \
        __tw_stale(__tw_old, order); \
        __tw_old; \
    })
/* `expected` is read before and written after the step: it is not part of it. */
#define __tw_compare_exchange(pointer, expected, value, weak, order, failing) \
    __extension__({ \
        __tw_pointer(pointer); \
        __tw_strong_read(); \
        __typeof__(&*(expected)) __tw_e = (expected); \
        __tw_value_of(__tw_p) __tw_new = (value); \
        __tw_value_of(__tw_p) __tw_expected = *__tw_e; \
        _Bool __tw_fails = (weak) && __tw_doubtful("a spurious failure of a weak compare-exchange"); \
        __tw_order(order); \
        __tw_access_or_fail(order, failing); \
        __tw_atomic_begin(); \
        __tw_value_of(__tw_p) __tw_old = *__tw_p; \
        _Bool __tw_same = __tw_old == __tw_expected && !__tw_fails; \
        if (__tw_same) \
            *__tw_p = __tw_new; \
        __tw_atomic_end(); \
        if (!__tw_same) \
            *__tw_e = __tw_old; \
        __tw_stale(__tw_same, order); \
        __tw_same; \
    })
/* `result` is an expression over __tw_old and __tw_operand; `wanted` the value of the whole. */
#define __tw_update(pointer, operand, result, wanted, order) \
    __extension__({ \
        __tw_pointer(pointer); \
        __tw_strong_read(); \
        __typeof__((void)0, (operand)) __tw_operand = (operand); \
        __tw_order(order); \
        __tw_access(order); \
        __tw_atomic_begin(); \
        __tw_value_of(__tw_p) __tw_old = *__tw_p; \
        __tw_value_of(__tw_p) __tw_new = (__tw_value_of(__tw_p))(result); \
        *__tw_p = __tw_new; \
        __tw_atomic_end(); \
        (void)__tw_old; \
        wanted; \
    })
/* The same for GCC's operations, which take no pointers. */
#define __tw_arithmetic(pointer, operand, result, wanted, order) \
    __extension__({ \
        __tw_no_pointer(pointer); \
        __tw_update(pointer, operand, result, wanted, order); \
    })
#define __tw_compare_and_swap(pointer, expected, value, wanted) \
    __extension__({ \
        __tw_pointer(pointer); \
        __tw_strong_read(); \
        __tw_value_of(__tw_p) __tw_expected = (expected); \
        __tw_value_of(__tw_p) __tw_new = (value); \
        __tw_access(__ATOMIC_SEQ_CST); \
        __tw_atomic_begin(); \
        __tw_value_of(__tw_p) __tw_old = *__tw_p; \
        _Bool __tw_same = __tw_old == __tw_expected; \
        if (__tw_same) \
            *__tw_p = __tw_new; \
        __tw_atomic_end(); \
        (void)__tw_old; \
        wanted; \
    })

/* GCC: __atomic_… */
#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5

#define __atomic_load_n(p, order) __tw_ordered_load(p, order)
#define __atomic_load(p, result, order) ((void)(*(result) = __tw_ordered_load(p, order)))
#define __atomic_store_n(p, value, order) __tw_store(p, value, order)
#define __atomic_store(p, value, order) __tw_store(p, *(value), order)
#define __atomic_exchange_n(p, value, order) __tw_exchange(p, value, order)
#define __atomic_exchange(p, value, result, order) \
    ((void)(*(result) = __tw_exchange(p, *(value), order)))
#define __atomic_compare_exchange_n(p, expected, value, weak, success, failure) \
    (__tw_order(failure), __tw_compare_exchange(p, expected, value, weak, success, failure))
#define __atomic_compare_exchange(p, expected, value, weak, success, failure) \
    (__tw_order(failure), __tw_compare_exchange(p, expected, *(value), weak, success, failure))
#define __atomic_fetch_add(p, value, order) \
    __tw_arithmetic(p, value, __tw_old + __tw_operand, __tw_old, order)
#define __atomic_fetch_sub(p, value, order) \
    __tw_arithmetic(p, value, __tw_old - __tw_operand, __tw_old, order)
#define __atomic_fetch_and(p, value, order) \
    __tw_arithmetic(p, value, __tw_old & __tw_operand, __tw_old, order)
#define __atomic_fetch_or(p, value, order) \
    __tw_arithmetic(p, value, __tw_old | __tw_operand, __tw_old, order)
#define __atomic_fetch_xor(p, value, order) \
    __tw_arithmetic(p, value, __tw_old ^ __tw_operand, __tw_old, order)
#define __atomic_fetch_nand(p, value, order) \
    __tw_arithmetic(p, value, ~(__tw_old & __tw_operand), __tw_old, order)
#define __atomic_add_fetch(p, value, order) \
    __tw_arithmetic(p, value, __tw_old + __tw_operand, __tw_new, order)
#define __atomic_sub_fetch(p, value, order) \
    __tw_arithmetic(p, value, __tw_old - __tw_operand, __tw_new, order)
#define __atomic_and_fetch(p, value, order) \
    __tw_arithmetic(p, value, __tw_old & __tw_operand, __tw_new, order)
#define __atomic_or_fetch(p, value, order) \
    __tw_arithmetic(p, value, __tw_old | __tw_operand, __tw_new, order)
#define __atomic_xor_fetch(p, value, order) \
    __tw_arithmetic(p, value, __tw_old ^ __tw_operand, __tw_new, order)
#define __atomic_nand_fetch(p, value, order) \
    __tw_arithmetic(p, value, ~(__tw_old & __tw_operand), __tw_new, order)
#define __atomic_test_and_set(p, order) \
    ((_Bool)__tw_exchange((volatile _Bool *)(p), 1, order))
#define __atomic_clear(p, order) __tw_store((volatile _Bool *)(p), 0, order)
#define __atomic_thread_fence(order) \
    ((order) < __ATOMIC_RELEASE ? (void)0 : __tw_release_fence(), \
     (order) == __ATOMIC_RELAXED   ? (void)0 \
     : (order) == __ATOMIC_RELEASE ? (void)0 \
                                   : __tw_acquire_fence())
#define __atomic_signal_fence(order) ((void)(order))
#define __atomic_always_lock_free(size, p) ((size) <= 8)
#define __atomic_is_lock_free(size, p) ((size) <= 8)

/* GCC: __sync_…; further arguments name what is protected, and mean nothing. */
#define __sync_fetch_and_add(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old + __tw_operand, __tw_old, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_sub(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old - __tw_operand, __tw_old, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_and(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old & __tw_operand, __tw_old, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_or(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old | __tw_operand, __tw_old, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_xor(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old ^ __tw_operand, __tw_old, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_nand(p, value, ...) \
    __tw_arithmetic(p, value, ~(__tw_old & __tw_operand), __tw_old, __ATOMIC_SEQ_CST)
#define __sync_add_and_fetch(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old + __tw_operand, __tw_new, __ATOMIC_SEQ_CST)
#define __sync_sub_and_fetch(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old - __tw_operand, __tw_new, __ATOMIC_SEQ_CST)
#define __sync_and_and_fetch(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old & __tw_operand, __tw_new, __ATOMIC_SEQ_CST)
#define __sync_or_and_fetch(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old | __tw_operand, __tw_new, __ATOMIC_SEQ_CST)
#define __sync_xor_and_fetch(p, value, ...) \
    __tw_arithmetic(p, value, __tw_old ^ __tw_operand, __tw_new, __ATOMIC_SEQ_CST)
#define __sync_nand_and_fetch(p, value, ...) \
    __tw_arithmetic(p, value, ~(__tw_old & __tw_operand), __tw_new, __ATOMIC_SEQ_CST)
#define __sync_bool_compare_and_swap(p, expected, value, ...) \
    __tw_compare_and_swap(p, expected, value, __tw_same)
#define __sync_val_compare_and_swap(p, expected, value, ...) \
    __tw_compare_and_swap(p, expected, value, __tw_old)
#define __sync_lock_test_and_set(p, value, ...) __tw_exchange(p, value, __ATOMIC_SEQ_CST)
#define __sync_lock_release(p, ...) __tw_store(p, 0, __ATOMIC_SEQ_CST)
#define __sync_synchronize(...) (__tw_release_fence(), __tw_acquire_fence())

/* Builtins that are functions of the library by another name, or hints. */
#define __builtin_expect(value, expected) ((long)(value))
#define __builtin_expect_with_probability(value, expected, probability) ((long)(value))
#define __builtin_prefetch(...) ((void)0)
#define __builtin_ia32_pause() ((void)0)
#define __builtin_ia32_rdtsc() __tw_any_ulonglong()
#define __builtin_assume_aligned(pointer, ...) ((void *)(pointer))
#define __builtin_alloca(size) __tw_allocate_local(size)
#define __builtin_malloc malloc
#define __builtin_calloc calloc
#define __builtin_realloc realloc
#define __builtin_free free
#define __builtin_abort abort
#define __builtin_exit exit
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset
#define __builtin_memcmp memcmp
#define __builtin_strlen strlen
#define __builtin_strcpy strcpy
#define __builtin_strncpy strncpy
#define __builtin_strcat strcat
#define __builtin_strcmp strcmp
#define __builtin_strncmp strncmp
#define __builtin_strchr strchr
#define __builtin_printf printf
#define __builtin_fprintf fprintf
#define __builtin_puts puts
#define __builtin_putchar putchar
#define __builtin_sprintf sprintf
#define __builtin_snprintf snprintf
#define __builtin_abs abs
#define __builtin_labs labs
#define __builtin_llabs llabs

/* Bits. Where the compiler leaves the result open, because no bit is set, it is a limit. */
#define __tw_ones(type, bits) \
    __extension__({ \
        type __tw_b = (bits); \
        const type __tw_all = ~(type)0; \
        __tw_b = __tw_b - ((__tw_b >> 1) & __tw_all / 3); \
        __tw_b = (__tw_b & __tw_all / 5) + ((__tw_b >> 2) & __tw_all / 5); \
        __tw_b = (__tw_b + (__tw_b >> 4)) & __tw_all / 17; \
        (int)((__tw_b * (__tw_all / 255)) >> (8 * sizeof(type) - 8)); \
    })
#define __tw_some_bit(bits) \
    ((bits) ? (void)0 : __tw_limit("counting zeros of 0, which is undefined"))
#define __tw_trailing(type, bits) \
    __extension__({ \
        type __tw_z = (bits); \
        __tw_some_bit(__tw_z); \
        __tw_ones(type, (__tw_z & -__tw_z) - 1); \
    })
#define __tw_leading(type, bits) \
    __extension__({ \
        type __tw_z = (bits); \
        __tw_some_bit(__tw_z); \
        __tw_z |= __tw_z >> 1; \
        __tw_z |= __tw_z >> 2; \
        __tw_z |= __tw_z >> 4; \
        __tw_z |= __tw_z >> 8; \
        __tw_z |= __tw_z >> 16; \
        __tw_z |= (__tw_z >> 16) >> (8 * sizeof(type) - 32); \
        __tw_ones(type, ~__tw_z); \
    })
#define __tw_first(type, value) \
    __extension__({ \
        type __tw_f = (type)(value); \
        __tw_f ? __tw_ones(type, __tw_f ^ (__tw_f - 1)) : 0; \
    })
#define __builtin_popcount(bits) __tw_ones(unsigned int, bits)
#define __builtin_popcountl(bits) __tw_ones(unsigned long, bits)
#define __builtin_popcountll(bits) __tw_ones(unsigned long long, bits)
#define __builtin_parity(bits) (__tw_ones(unsigned int, bits) & 1)
#define __builtin_parityl(bits) (__tw_ones(unsigned long, bits) & 1)
#define __builtin_parityll(bits) (__tw_ones(unsigned long long, bits) & 1)
#define __builtin_ctz(bits) __tw_trailing(unsigned int, bits)
#define __builtin_ctzl(bits) __tw_trailing(unsigned long, bits)
#define __builtin_ctzll(bits) __tw_trailing(unsigned long long, bits)
#define __builtin_clz(bits) __tw_leading(unsigned int, bits)
#define __builtin_clzl(bits) __tw_leading(unsigned long, bits)
#define __builtin_clzll(bits) __tw_leading(unsigned long long, bits)
#define __builtin_ffs(value) __tw_first(unsigned int, value)
#define __builtin_ffsl(value) __tw_first(unsigned long, value)
#define __builtin_ffsll(value) __tw_first(unsigned long long, value)

#define __builtin_bswap16(value) \
    __extension__({ \
        unsigned short __tw_s = (value); \
        (unsigned short)(__tw_s << 8 | __tw_s >> 8); \
    })
#define __builtin_bswap32(value) \
    __extension__({ \
        unsigned int __tw_s = (value); \
        __tw_s = (__tw_s & 0xff00ff00u) >> 8 | (__tw_s & 0x00ff00ffu) << 8; \
        __tw_s >> 16 | __tw_s << 16; \
    })
#define __builtin_bswap64(value) \
    __extension__({ \
        unsigned long long __tw_w = (value); \
        (unsigned long long)__builtin_bswap32((unsigned int)__tw_w) << 32 \
            | __builtin_bswap32((unsigned int)(__tw_w >> 32)); \
    })

/* Floating constants, and arithmetic that says whether the result fits. */
#define __builtin_inf() 1e999
#define __builtin_inff() 1e999f
#define __builtin_huge_val() 1e999
#define __builtin_huge_valf() 1e999f
#define __tw_of_number(x, holds) \
    __extension__({ \
        __typeof__(x) __tw_x = (x); \
        (int)(holds); \
    })
#define __builtin_isnan(x) __tw_of_number(x, __tw_x != __tw_x)
#define __builtin_isfinite(x) __tw_of_number(x, __tw_x - __tw_x == 0)
#define __builtin_isinf_sign(x) __tw_of_number(x, (__tw_x == 1e999) - (__tw_x == -1e999))
#define __builtin_isinf(x) __tw_of_number(x, __tw_x == 1e999 || __tw_x == -1e999)
#define __tw_fits(result, exact) \
    __extension__({ \
        __int128 __tw_exact = (exact); \
        *(result) = (__typeof__(*(result)))__tw_exact; \
        (_Bool)((__int128)*(result) != __tw_exact); \
    })
#define __builtin_add_overflow(a, b, result) __tw_fits(result, (__int128)(a) + (__int128)(b))
#define __builtin_sub_overflow(a, b, result) __tw_fits(result, (__int128)(a) - (__int128)(b))
#define __builtin_mul_overflow(a, b, result) __tw_fits(result, (__int128)(a) * (__int128)(b))

/* Atomic regions by the names that verification tasks use. */
#define __VERIFIER_atomic_begin __tw_atomic_begin
#define __VERIFIER_atomic_end __tw_atomic_end
#define __CPROVER_atomic_begin __VERIFIER_atomic_begin
#define __CPROVER_atomic_end __VERIFIER_atomic_end
#define __ESBMC_atomic_begin __VERIFIER_atomic_begin
#define __ESBMC_atomic_end __VERIFIER_atomic_end

#endif
