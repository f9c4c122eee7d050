#ifndef __TW_SETJMP_H
#define __TW_SETJMP_H
typedef struct { long __tw_saved; } jmp_buf[1];
typedef jmp_buf sigjmp_buf;
int setjmp(jmp_buf environment);
int sigsetjmp(sigjmp_buf environment, int mask);
__attribute__((noreturn)) void longjmp(jmp_buf environment, int value);
__attribute__((noreturn)) void siglongjmp(sigjmp_buf environment, int value);
#endif
