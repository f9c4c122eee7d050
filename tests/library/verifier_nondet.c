// Any value of each type.
//
// expect assertions: SAFE
// expect -D LOW assertions: UNSAFE
// expect -D HIGH assertions: UNSAFE
// expect -D TRUTH assertions: UNSAFE

#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern signed char __VERIFIER_nondet_schar(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned char __VERIFIER_nondet_unsigned_char(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern unsigned int __VERIFIER_nondet_unsigned(void);
extern unsigned int __VERIFIER_nondet_unsigned_int(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern unsigned long __VERIFIER_nondet_unsigned_long(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern signed char __VERIFIER_nondet_S8(void);
extern unsigned char __VERIFIER_nondet_u8(void);
extern unsigned short __VERIFIER_nondet_u16(void);
extern unsigned int __VERIFIER_nondet_u32(void);
extern unsigned int __VERIFIER_nondet_U32(void);
extern unsigned long __VERIFIER_nondet_size_t(void);
extern long __VERIFIER_nondet_loff_t(void);
extern unsigned long __VERIFIER_nondet_sector_t(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);

#define ignore(type, name) { type value = __VERIFIER_nondet_##name(); (void)value; }

int main(void)
{
    ignore(_Bool, bool)
    ignore(char, char)
    ignore(signed char, schar)
    ignore(unsigned char, uchar)
    ignore(unsigned char, unsigned_char)
    ignore(short, short)
    ignore(unsigned short, ushort)
    ignore(int, int)
    ignore(unsigned int, uint)
    ignore(unsigned int, unsigned)
    ignore(unsigned int, unsigned_int)
    ignore(long, long)
    ignore(unsigned long, ulong)
    ignore(unsigned long, unsigned_long)
    ignore(long long, longlong)
    ignore(unsigned long long, ulonglong)
    ignore(signed char, S8)
    ignore(unsigned char, u8)
    ignore(unsigned short, u16)
    ignore(unsigned int, u32)
    ignore(unsigned int, U32)
    ignore(unsigned long, size_t)
    ignore(long, loff_t)
    ignore(unsigned long, sector_t)
    ignore(float, float)
    ignore(double, double)
#ifdef LOW
    signed char low = __VERIFIER_nondet_schar();
    assert(low != -128);
#endif
#ifdef HIGH
    unsigned char high = __VERIFIER_nondet_u8();
    assert(high != 255);
#endif
#ifdef TRUTH
    assert(__VERIFIER_nondet_bool());
#endif
    char byte = __VERIFIER_nondet_char();
    assert(byte >= -128 && byte <= 127);
    return 0;
}
