/* Holds every thread of a program until its turn in a given schedule.
 *
 * The program is compiled with -fsanitize=thread, so that it calls __tsan_readN, __tsan_writeN, …
 * before each access to memory; the linker sends these calls, and those of the thread library, to
 * the __wrap_ functions here (--wrap). Each is a *scheduling point*: the thread says where it is
 * and goes on when it may. The schedule is a list of events, in the order in which they shall
 * happen; each names a thread, a stretch of lines and what kind of point it is.
 *
 *   turn       the first event that has not happened
 *   a point    of a thread whose turn it is not: wait.
 *              of the thread whose turn it is: if it is the event, take it; if it is a later one of
 *              the same thread and only accesses lie between, these do not exist in the machine
 *              code, and the thread waits for that later one; if it is none, the schedule does not
 *              know the point (memory that no other thread can see): pass.
 *   an event   has happened when its thread comes to its next point.
 *
 * So at any time at most one thread runs. When all events have happened, the threads that are
 * *free* by the schedule run on without being stopped; all others stay where they are.
 *
 * This file is compiled without instrumentation and waits by looking at plain memory, so that
 * ThreadSanitizer sees no ordering that the program does not have. */
#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "controller.h"

extern const char __ehdr_start[];
extern const char __etext[];

enum status { PENDING, TAKEN, HAPPENED };

struct site {
    uint64_t pc;
    uint32_t kind, file, line;
};

struct event {
    int thread;
    uint32_t wants, flags, file, first, last, instance;
    uint64_t low, high; /* where the variable is; 0: not known */
    uint32_t size;      /* of the value; 0: not known */
    int64_t value;
    int32_t child;
    int next; /* the next event of the same thread, or -1 */
    volatile int status;
};

struct input {
    int thread;
    uint32_t file, first, last;
    int64_t value;
    int used;
};

static struct site *sites;
static struct event *events;
static struct input *inputs;
static uint32_t site_count, event_count, input_count;
static volatile uint32_t is_free[TW_THREADS];
static struct tw_control nowhere;
static struct tw_control *control = &nowhere;
static int active;
static int is_reversed; /* whether the last accesses come in the other order */

static __thread int self = -1; /* the number of this thread in the schedule */
static __thread int current = -1;

/* -- the schedule ------------------------------------------------------------------------------ */

static uint64_t number(char **at) { return strtoull(*at, at, 0); }
static int64_t signed_number(char **at) { return strtoll(*at, at, 0); }

static char *whole_file(const char *path)
{
    int file = open(path, O_RDONLY);
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    char *text = size < 0 ? NULL : calloc(1, (size_t)size + 1);
    if (!text || pread(file, text, (size_t)size, 0) != size)
        return NULL;
    close(file);
    return text;
}

static void read_schedule(char *at)
{
    site_count = (uint32_t)number(&at);
    event_count = (uint32_t)number(&at);
    input_count = (uint32_t)number(&at);
    sites = calloc(site_count + 1, sizeof *sites);
    events = calloc(event_count + 1, sizeof *events);
    inputs = calloc(input_count + 1, sizeof *inputs);
    for (uint32_t i = 0; i < site_count; i++) {
        sites[i].pc = number(&at);
        sites[i].kind = (uint32_t)number(&at);
        sites[i].file = (uint32_t)number(&at);
        sites[i].line = (uint32_t)number(&at);
    }
    int last[TW_THREADS];
    for (int i = 0; i < TW_THREADS; i++)
        last[i] = -1;
    for (uint32_t i = 0; i < event_count; i++) {
        struct event *e = &events[i];
        e->thread = (int)signed_number(&at);
        e->wants = (uint32_t)number(&at);
        e->flags = (uint32_t)number(&at);
        e->file = (uint32_t)number(&at);
        e->first = (uint32_t)number(&at);
        e->last = (uint32_t)number(&at);
        e->instance = (uint32_t)number(&at);
        e->low = number(&at);
        e->high = number(&at);
        e->size = (uint32_t)number(&at);
        e->value = signed_number(&at);
        e->child = (int32_t)signed_number(&at);
        e->next = -1;
        if (e->thread < 0 || e->thread >= TW_THREADS) {
            control->trouble = TW_BAD_SCHEDULE;
            _exit(120);
        }
        if (last[e->thread] >= 0)
            events[last[e->thread]].next = (int)i;
        last[e->thread] = (int)i;
    }
    for (uint32_t i = 0; i < input_count; i++) {
        inputs[i].thread = (int)signed_number(&at);
        inputs[i].file = (uint32_t)number(&at);
        inputs[i].first = (uint32_t)number(&at);
        inputs[i].last = (uint32_t)number(&at);
        inputs[i].value = signed_number(&at);
    }
    for (uint32_t left = (uint32_t)number(&at); left > 0; left--) {
        uint64_t thread = number(&at);
        if (thread < TW_THREADS)
            is_free[thread] = 1;
    }
}

/* At the end of a failed run: which calls are on the stack. Looks at every word of it. */
static void on_fatal(int signal_number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &stack, &size);
        pthread_attr_destroy(&attributes);
    }
    uintptr_t end = (uintptr_t)stack + size;
    uint32_t count = 0;
    for (uintptr_t at = here & ~(uintptr_t)7; at + 8 <= end && count < TW_FRAMES; at += 8) {
        uintptr_t word = *(uintptr_t *)at;
        if (word > (uintptr_t)__ehdr_start && word < (uintptr_t)__etext)
            control->frames[count++] = word - (uintptr_t)__ehdr_start;
    }
    control->frame_count = count;
    signal(signal_number, SIG_DFL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal_number);
}

__attribute__((constructor)) static void begin(void)
{
    const char *schedule = getenv("THREADWISE_SCHEDULE");
    const char *shared = getenv("THREADWISE_CONTROL");
    if (!schedule || !shared)
        return;
    int file = open(shared, O_RDWR);
    if (file >= 0) {
        void *page =
            mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) {
            control = page;
            *control = nowhere; /* of an earlier run, in a debugger */
        }
        close(file);
    }
    char *text = whole_file(schedule);
    if (!text) {
        control->trouble = TW_BAD_SCHEDULE;
        _exit(120);
    }
    read_schedule(text);
    free(text);
    control->base = (uint64_t)(uintptr_t)__ehdr_start;
    control->total = event_count;
    struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO};
    sigaction(SIGABRT, &action, NULL);
    is_reversed = getenv("THREADWISE_REVERSED") != NULL;
    self = 0;
    control->threads[0].tid = (uint32_t)syscall(SYS_gettid);
    control->threads[0].state = TW_RUNNING;
    __atomic_store_n(&control->magic, TW_MAGIC, __ATOMIC_SEQ_CST);
    active = 1;
}

static const struct site *site_at(uint64_t pc)
{
    uint32_t low = 0, high = site_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sites[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < site_count && sites[low].pc == pc ? &sites[low] : NULL;
}

/* -- turns ------------------------------------------------------------------------------------- */

static uint32_t turn(void) { return __atomic_load_n(&control->turn, __ATOMIC_SEQ_CST); }

static void advance(void)
{
    uint32_t now = turn();
    while (now < event_count && events[now].status == HAPPENED)
        now++;
    __atomic_store_n(&control->turn, now, __ATOMIC_SEQ_CST);
}

static void pause_shortly(unsigned round)
{
    struct timespec time = {0, round < 200 ? 20000 : 300000};
    if (round < 30)
        syscall(SYS_sched_yield);
    else
        syscall(SYS_nanosleep, &time, NULL);
}

/* For people who walk through a run with a debugger: called when an event is taken. */
__attribute__((noinline)) void threadwise_step(uint32_t number)
{
    __asm__ volatile("" : : "r"(number) : "memory");
}

static int is_inside(const struct event *event, const struct site *site)
{
    return site && site->file == event->file && site->line >= event->first
        && site->line <= event->last;
}

static int is_of(const struct event *event, const struct site *site, uint32_t kind, uint64_t at)
{
    if (kind & (TW_BEGIN | TW_FINISH))
        return (event->wants & kind) != 0;
    if (!(event->wants & kind) || !is_inside(event, site))
        return 0;
    return !event->low || (kind & TW_ANY_CALL) || (at >= event->low && at < event->high);
}

/* The event of this thread that a point is, from some event on; -1: none. */
static int matching(int first, const struct site *site, uint32_t kind, uint64_t at)
{
    for (int i = first; i >= 0; i = events[i].next) {
        if (is_of(&events[i], site, kind, at))
            return i;
        if (events[i].flags & TW_HARD)
            return -1;
    }
    return -1;
}

static int64_t value_at(const struct event *event, uint64_t address)
{
    switch (event->size) {
    case 1: return *(int8_t *)address;
    case 2: return *(int16_t *)address;
    case 4: return *(int32_t *)address;
    default: return *(int64_t *)address;
    }
}

static int is_value(const struct event *event, int64_t found)
{
    uint64_t mask = event->size >= 8 ? ~0ull : (1ull << (8 * event->size)) - 1;
    return ((uint64_t)found & mask) == ((uint64_t)event->value & mask);
}

static void set_value(const struct event *event, uint64_t address)
{
    for (uint32_t i = 0; i < event->size; i++)
        ((volatile char *)address)[i] = ((const char *)&event->value)[i];
}

static void compare(const struct event *event, uint64_t address)
{
    int64_t found = value_at(event, address);
    if (!is_value(event, found) && !control->trouble) {
        control->trouble_value = found;
        control->trouble_event = (uint32_t)(event - events);
        control->trouble = TW_OTHER_VALUE;
    }
}

static __thread uint64_t written_at; /* where the event that is going on writes */

/* The event that this thread was let through for has happened. */
static void finished(void)
{
    if (current < 0)
        return;
    struct event *event = &events[current];
    if (written_at)
        compare(event, written_at);
    written_at = 0;
    current = -1;
    event->status = HAPPENED;
    advance();
}

static void hold_for_ever(void)
{
    for (unsigned round = 0;; round++)
        pause_shortly(1000 + round);
}

static int is_over(void) { return turn() >= event_count; }

/* Accesses behind the one that happened last, in the same lines, that the machine code does not
 * have: the thread has left these lines. */
static int is_left(int last, int next, const struct site *site)
{
    return last >= 0 && site && !(events[next].flags & (TW_HARD | TW_HOLD))
        && events[next].instance == events[last].instance && !is_inside(&events[next], site);
}

static __thread int latest = -1;

/* Threads that were held before their last accesses are let go together, and then wait for each
 * other once more: no access of one comes between those of the two. */
static uint32_t held_count, settled_count;
static __thread uint32_t was_held; /* as which one, from 1 */

/* ThreadSanitizer may miss accesses that happen at the very same moment: one goes right after the
 * other, in the order of the schedule or in reverse. */
static void follow(void)
{
    uint32_t ahead = is_reversed ? held_count - was_held : was_held - 1;
    for (unsigned round = 0;
         round < 1000 && __atomic_load_n(&settled_count, __ATOMIC_SEQ_CST) < ahead; round++)
        pause_shortly(100);
}

static void settle(void)
{
    if (!was_held || !is_over())
        return;
    was_held = 0;
    __atomic_add_fetch(&settled_count, 1, __ATOMIC_SEQ_CST);
    for (unsigned round = 0;
         round < 5000 && __atomic_load_n(&settled_count, __ATOMIC_SEQ_CST) < held_count; round++)
        pause_shortly(1000);
}

/* A scheduling point: waits until this thread may go on. */
__attribute__((noinline)) static void point(const void *caller, uint32_t kind,
                                            const void *address)
{
    if (!active)
        return;
    finished();
    uint64_t pc = (uint64_t)((uintptr_t)caller - (uintptr_t)__ehdr_start);
    uint64_t at = (uint64_t)((uintptr_t)address - (uintptr_t)__ehdr_start);
    const struct site *site = site_at(pc);
    if (self < 0)
        hold_for_ever();
    struct tw_thread *me = &control->threads[self];
    if (is_over() && is_free[self]) {
        settle();
        return;
    }
    me->pc = pc;
    me->state = TW_HELD;
    for (unsigned round = 0;; round++) {
        uint32_t now = turn();
        if (now >= event_count) {
            if (is_free[self])
                break;
        } else if (events[now].thread == self) {
            if (is_left(latest, (int)now, site)) {
                events[now].status = HAPPENED;
                advance();
                continue;
            }
            int found = matching((int)now, site, kind, at);
            if (found < 0)
                break;
            for (int i = (int)now; i != found; i = events[i].next)
                events[i].status = HAPPENED;
            advance();
            if (turn() == (uint32_t)found) {
                struct event *event = &events[found];
                latest = found;
                threadwise_step((uint32_t)found);
                if (event->flags & TW_HOLD) {
                    was_held = ++held_count;
                    event->status = HAPPENED;
                    advance();
                    round = 0;
                    continue;
                }
                event->status = TAKEN;
                current = found;
                if (event->flags & TW_SUPPLIES)
                    set_value(event, (uint64_t)(uintptr_t)address);
                else if (event->size && (kind & TW_READ))
                    compare(event, (uint64_t)(uintptr_t)address);
                else if (event->size && (kind & TW_WRITE))
                    written_at = (uint64_t)(uintptr_t)address;
                break;
            }
            round = 0;
        }
        pause_shortly(round);
    }
    me->passed++;
    me->state = TW_RUNNING;
    if (was_held)
        follow();
}

/* The next event of the same call, if there is one that is not optional; -1: none. */
static int later_event(int from)
{
    if (from < 0)
        return -1;
    for (int i = events[from].next; i >= 0 && events[i].instance == events[from].instance;
         i = events[i].next)
        if (events[i].flags & TW_HARD)
            return i;
    return -1;
}

/* Wait for the turn of a later event of the call that this thread is in. */
static void await_event(int wanted)
{
    struct tw_thread *me = &control->threads[self];
    finished();
    me->state = TW_HELD;
    for (unsigned round = 0; !is_over(); round++) {
        uint32_t now = turn();
        if (now == (uint32_t)wanted) {
            events[wanted].status = TAKEN;
            current = latest = wanted;
            threadwise_step(now);
            break;
        }
        if (events[now].thread == self && now < (uint32_t)wanted) {
            events[now].status = HAPPENED;
            advance();
            continue;
        }
        pause_shortly(round);
    }
    while (is_over() && !is_free[self])
        pause_shortly(1000);
    me->state = TW_RUNNING;
}

/* -- events that happen in the sleep of their threads ------------------------------------------ */

struct sleeper {
    int event;
    uint32_t tid;
};

static int is_asleep(uint32_t tid)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%u/stat", tid);
    int file = open(path, O_RDONLY);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (size <= 0)
        return 0;
    text[size] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] && name_end[2] == 'S';
}

static void *watch_sleeper(void *argument)
{
    struct sleeper *sleeper = argument;
    for (int looks = 0; looks < 10; looks = is_asleep(sleeper->tid) ? looks + 1 : 0)
        pause_shortly(1000);
    events[sleeper->event].status = HAPPENED;
    advance();
    return NULL;
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* The event of this thread has happened when the thread sleeps, in the call that comes next. */
static void happens_asleep(void)
{
    static __thread struct sleeper sleeper;
    pthread_t watcher;
    sleeper = (struct sleeper){current, control->threads[self].tid};
    current = -1;
    if (__real_pthread_create(&watcher, NULL, watch_sleeper, &sleeper) == 0)
        pthread_detach(watcher);
}

static int is_running_freely(void) { return !active || (is_over() && is_free[self]); }

#define HERE __builtin_return_address(0)

#include "accesses.inc"
#include "calls.inc"
#include "inputs.inc"
