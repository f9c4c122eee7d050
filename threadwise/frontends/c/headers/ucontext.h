#ifndef __TW_UCONTEXT_H
#define __TW_UCONTEXT_H
#include <sys/ucontext.h>
int getcontext(ucontext_t *);
int setcontext(const ucontext_t *);
int swapcontext(ucontext_t *restrict, const ucontext_t *restrict);
void makecontext(ucontext_t *, void (*)(void), int, ...);
#endif
