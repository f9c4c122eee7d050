/* What the compiler's calls do where ThreadSanitizer is not linked: accesses do nothing besides,
 * atomic operations are the machine's. */

#define ACCESS(name) \
    void name(void *address) { (void)address; }
#define RANGE(name)                                \
    void name(void *address, unsigned long size)   \
    {                                              \
        (void)address;                             \
        (void)size;                                \
    }

ACCESS(__tsan_read1)
ACCESS(__tsan_read2)
ACCESS(__tsan_read4)
ACCESS(__tsan_read8)
ACCESS(__tsan_read16)
ACCESS(__tsan_write1)
ACCESS(__tsan_write2)
ACCESS(__tsan_write4)
ACCESS(__tsan_write8)
ACCESS(__tsan_write16)
ACCESS(__tsan_unaligned_read2)
ACCESS(__tsan_unaligned_read4)
ACCESS(__tsan_unaligned_read8)
ACCESS(__tsan_unaligned_read16)
ACCESS(__tsan_unaligned_write2)
ACCESS(__tsan_unaligned_write4)
ACCESS(__tsan_unaligned_write8)
ACCESS(__tsan_unaligned_write16)
RANGE(__tsan_read_range)
RANGE(__tsan_write_range)
ACCESS(__tsan_func_entry)
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

#define UPDATE(bits, type, operation, builtin)                                                  \
    type __tsan_atomic##bits##_##operation(volatile type *address, type value, int order)       \
    {                                                                                           \
        (void)order;                                                                            \
        return builtin(address, value, __ATOMIC_SEQ_CST);                                       \
    }
#define COMPARE(bits, type, strength)                                                           \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *address,               \
                                                          type *expected, type desired,         \
                                                          int success, int failure)             \
    {                                                                                           \
        (void)success;                                                                          \
        (void)failure;                                                                          \
        return __atomic_compare_exchange_n(address, expected, desired, 0, __ATOMIC_SEQ_CST,     \
                                           __ATOMIC_SEQ_CST);                                   \
    }
#define ATOMICS(bits, type)                                                                     \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)                    \
    {                                                                                           \
        (void)order;                                                                            \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                      \
    }                                                                                           \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)             \
    {                                                                                           \
        (void)order;                                                                            \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                     \
    }                                                                                           \
    UPDATE(bits, type, exchange, __atomic_exchange_n)                                           \
    UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                           \
    UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                           \
    UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                           \
    UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                             \
    UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                           \
    UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                         \
    COMPARE(bits, type, strong)                                                                 \
    COMPARE(bits, type, weak)                                                                   \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected,      \
                                                    type desired, int success, int failure)     \
    {                                                                                           \
        (void)success;                                                                          \
        (void)failure;                                                                          \
        __atomic_compare_exchange_n(address, &expected, desired, 0, __ATOMIC_SEQ_CST,           \
                                    __ATOMIC_SEQ_CST);                                          \
        return expected;                                                                        \
    }

ATOMICS(8, char)
ATOMICS(16, short)
ATOMICS(32, int)
ATOMICS(64, long)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order) { (void)order; }
