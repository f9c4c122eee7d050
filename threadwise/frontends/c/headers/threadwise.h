/* The primitives from which the library models are made: what lowering has to know, and no more.
   Every file of a program includes this, through threadwise_builtins.h; users never call it. */
#ifndef THREADWISE_H
#define THREADWISE_H

typedef unsigned long __tw_tid;             /* a thread, or none; 0 is none */

/* One cell: its owner, or none. In fresh memory, even of undefined content, a lock is free: so it
   may be checked by the functions that initialise it. */
struct __tw_lock { __tw_tid owner; };

/* Everything between these two is one step: other threads see nothing in between, and a path that
   blocks inside does not exist, so the step waits until some path does not. Accesses inside are
   synchronisation and never race with each other. */
void __tw_atomic_begin(void);
void __tw_atomic_end(void);

void __tw_wait(_Bool condition);            /* go on only if the condition holds */

/* Locks. Acquire waits until the lock is free; releasing a lock that the thread does not own is a
   `mutex` failure. They are steps of their own, or parts of an atomic region. The operation is
   recorded for deadlock detection, movers and lock sets. */
void __tw_acquire(struct __tw_lock *lock);
void __tw_release(struct __tw_lock *lock);
_Bool __tw_try_acquire(struct __tw_lock *lock);
_Bool __tw_is_free(struct __tw_lock *lock);
_Bool __tw_holds(struct __tw_lock *lock);

/* Says what the rest of an atomic region is for: its steps that write shared memory or wait.
     take, wake, pass                    waits for what others give, and takes it: a semaphore's
                                         unit, a signal, leave to pass a barrier; ends nobody
                                         else's wait of this kind
     post, signal, broadcast, arrive     gives it
     initialise                          the object's life begins or ends: ends nobody's wait */
void __tw_purpose(const char *purpose);

/* Wait as __tw_wait: until a lock is free, without taking it; until nobody holds an object, who is
   known by its address in a thread-local variable whose name begins with __tw_held_. */
void __tw_wait_free(struct __tw_lock *lock);
void __tw_wait_held(_Bool condition, const void *object);

/* Says, first thing in an atomic region, that a thread that cannot go on there and finds the lock
   taken waits for its owner: for the detection of threads that wait for each other. */
void __tw_waits_for(struct __tw_lock *lock);

__tw_tid __tw_self(void);
__tw_tid __tw_no_thread(void);

/* Starts a thread that runs start(argument); its number is never used again. */
__tw_tid __tw_spawn(void *(*start)(void *), void *argument);
void *__tw_join(__tw_tid thread);           /* waits for it to end; what it returned */
_Bool __tw_has_ended(__tw_tid thread);
__attribute__((noreturn)) void __tw_exit_thread(void *result);
__attribute__((noreturn)) void __tw_exit_program(void);

/* Failures: a violated property, or the end of what the model covers (then nothing is SAFE). */
__attribute__((noreturn)) void __tw_fail_assertion(const char *text);
__attribute__((noreturn)) void __tw_fail_claim(const char *text);   /* a finding of its own */
__attribute__((noreturn)) void __tw_fail_mutex(const char *text);
__attribute__((noreturn)) void __tw_limit(const char *text);

void __tw_assumption(const char *text);     /* listed in the result of a run that reaches this code */

/* A relaxed store, and an atomic read that is not relaxed: only if a program has both it is assumed
   that the store is ordered, since relaxed loads may return any value anyway. */
void __tw_relaxed_store(void);
void __tw_strong_read(void);

/* The memory order of the atomic region that begins next, an atomic access, perhaps with another one
   if it fails; a fence that keeps what was written before it before what is stored later; and one
   that keeps what is read after it after what was loaded before. */
#define __TW_UNORDERED (-1)                 /* it orders nothing, whatever fences there are */
void __tw_access(int order);
void __tw_access_or_fail(int order, int failing);
void __tw_release_fence(void);
void __tw_acquire_fence(void);

/* Whether something happens that the standard allows but users doubt: a spurious wake-up, no memory.
   Proofs consider both answers, or list as an assumption that it is always false; a trace in which
   it is true is no verdict unless the user says so. The texts are listed in core/doubts.py. */
_Bool __tw_doubtful(const char *text);

/* Memory: a fresh object, its content undefined (or zero). The type is found from the pointer's use.
   A copied or moved object keeps its content, cell by cell; each cell is accessed in a plain step of
   its own. `set` fills every byte, `compare` answers as memcmp does. */
void *__tw_allocate(unsigned long size, _Bool zero);
void *__tw_reallocate(void *pointer, unsigned long size);
void *__tw_allocate_local(unsigned long size);      /* lives as long as the calling function */
void __tw_free(void *pointer);
void __tw_copy(void *to, const void *from, unsigned long size);     /* from the first cell on */
void __tw_move(void *to, const void *from, unsigned long size);     /* they may overlap */
void __tw_set(void *to, unsigned char byte, unsigned long size);

/* The first bytes, any number up to a size, become any bytes; how many they are. The second one: as
   C determines, see below. */
long __tw_any_memory(void *to, unsigned long size);
long __tw_opaque_memory(void *to, unsigned long size);

/* Of a library function with a variable number of arguments: what the first of those that are
   pointers point to, any number of them, becomes any value; how many they are, or -1. The second one:
   what some of them point to, as C determines. */
int __tw_any_arguments(const char *format);
void __tw_opaque_arguments(void);

/* Of such a function that makes a text: whether it is computed what it makes; then, by two functions
   that put texts and numbers behind what there is, as far as it fits: how long it is. */
_Bool __tw_can_format(const char *format);
unsigned long __tw_format(
    char *text, unsigned long size, const char *format,
    unsigned long (*put_text)(char *, unsigned long, unsigned long, const char *),
    unsigned long (*put_number)(char *, unsigned long, unsigned long, long, int, int));

/* Reads that have no consequence but races: any one cell of the first so many bytes; a text, up to
   its end; what the unnamed arguments of a library function lead to, as far as a format says. */
void __tw_read(const void *from, unsigned long size);
void __tw_read_text(const char *text);
void __tw_read_arguments(const char *format);

/* Elements of an array, by the type that it has for the caller of a library function: the address of
   one, and the exchange of two. */
void *__tw_element(const void *base, unsigned long size, unsigned long index);
void __tw_swap(void *base, unsigned long size, unsigned long one, unsigned long other);

/* The object that a pointer points to, by its type for the caller of a library function, becomes any
   value. The second one: as C determines, see below. */
void __tw_any_object(void *object);
void __tw_opaque_object(void *object);

/* What is not modelled, but bounded: a limit for runs; proofs of races may go on behind it. The second
   one: whether something happens that no run has. The third one: the object that a pointer points into
   is read and written, any part of it. Behind those with `end`, threads may end anywhere or are gone. */
void __tw_open(const char *text);
void __tw_open_end(const char *text);
_Bool __tw_beyond(const char *text);
_Bool __tw_beyond_end(const char *text);
void __tw_touch(const char *text, const void *object);
void __tw_handlers(void);                   /* any function that can handle a signal runs, or none */

int __tw_compare(const void *left, const void *right, unsigned long size);

/* Any value of a type. */
_Bool __tw_any_bool(void);
signed char __tw_any_schar(void);
unsigned char __tw_any_uchar(void);
short __tw_any_short(void);
unsigned short __tw_any_ushort(void);
int __tw_any_int(void);
unsigned int __tw_any_uint(void);
long __tw_any_long(void);
unsigned long __tw_any_ulong(void);
long long __tw_any_longlong(void);
unsigned long long __tw_any_ulonglong(void);
float __tw_any_float(void);
double __tw_any_double(void);

/* A value that C determines and that is not computed here: stands for any value of its type. What
   is SAFE whatever it is, is SAFE; a violation that needed it is none. */
_Bool __tw_opaque_bool(void);
int __tw_opaque_int(void);
long __tw_opaque_long(void);
long long __tw_opaque_longlong(void);
double __tw_opaque_double(void);

#endif
