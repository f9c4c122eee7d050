"""Every expression and every library function counts as an access to what it reads and writes.

A thread evaluates a statement while another one writes, or does what the case says. The verdicts
are what C17 5.1.2.4 says; of library functions, what ThreadSanitizer counts.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

PROGRAM = """
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
struct in { int k[2]; };
struct s { int a; struct in b; char t[4]; } g;
struct bf { unsigned p : 3, q : 5; unsigned r; } bf;
union u { int i; char c[4]; float f; } un;
int x, y[4], *px = &x;
char buf[8] = "abc", buf2[8] = "xbc", *tok;
volatile int vol;
float fl;
double db;
unsigned seed;
size_t sz;
time_t tt;
struct timespec ts;
struct timeval tv;
struct tm tmv;
struct stat st;
struct pollfd pf[2];
fd_set fds;
struct s get(struct s v) { return v; }
void take(struct s v) {}
int one(int k) { return 1; }
int va(int n, ...) {
    va_list l;
    va_start(l, n);
    int r = n ? va_arg(l, int) : 0;
    va_end(l);
    return r;
}
void *work(void *unused) { STATEMENT; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    OTHER;
    return 0;
}
"""
WRITES = (
    "g.a = 1; g.b.k[1] = 2; g.t[1] = 1; x = 1; y[2] = 3; buf[2] = 'z'; buf2[2] = 'z'; "
    "vol = 1; fl = 1; db = 2; seed = 3; un.i = 4"
)
SAFE, UNSAFE = "SAFE", "UNSAFE"

EXPRESSIONS = [
    ("x", WRITES, UNSAFE),
    ("(void)x", WRITES, UNSAFE),
    ("x * 0", WRITES, UNSAFE),
    ("x - x", WRITES, UNSAFE),
    ("int l = x & 0", WRITES, UNSAFE),
    ("0 && x", WRITES, SAFE),
    ("1 || x", WRITES, SAFE),
    ("x, 1", WRITES, UNSAFE),
    ("sizeof x", WRITES, SAFE),
    ("int l = sizeof(y[x])", WRITES, SAFE),
    ("int v[x & 1 ? 2 : 3]; (void)sizeof v", WRITES, UNSAFE),
    ("&x", WRITES, SAFE),
    ("*&x", WRITES, UNSAFE),
    ("&*px", WRITES, SAFE),
    ("&px[2]", WRITES, SAFE),
    ("&y[x & 1]", WRITES, UNSAFE),
    ("x ? 1 : 1", WRITES, UNSAFE),
    ("int l = 1 ? 2 : x", WRITES, SAFE),
    ("if (x) {} else {}", WRITES, UNSAFE),
    ("while (x < -9) {}", WRITES, UNSAFE),
    ("for (; x < -9;) ;", WRITES, UNSAFE),
    ("do {} while (x < -9)", WRITES, UNSAFE),
    ("switch (x) {}", WRITES, UNSAFE),
    ("struct s l = g", WRITES, UNSAFE),
    ("take(g)", WRITES, UNSAFE),
    ("get(g)", WRITES, UNSAFE),
    ("get(g).a", WRITES, UNSAFE),
    ("(void)get(g).b.k[1]", WRITES, UNSAFE),
    ("struct s l = { .b = g.b }", WRITES, UNSAFE),
    ("(struct s){ x }", WRITES, UNSAFE),
    ("(int[]){ x, 2 }", WRITES, UNSAFE),
    ("(void)(struct s){ .t = { g.t[1] } }", WRITES, UNSAFE),
    ("vol", WRITES, UNSAFE),
    ("(void)vol", WRITES, UNSAFE),
    ("vol;", WRITES, UNSAFE),
    ("vol = vol", WRITES, UNSAFE),
    ("x++", WRITES, UNSAFE),
    ("x--", WRITES, UNSAFE),
    ("x += 0", WRITES, UNSAFE),
    ("x *= 1", WRITES, UNSAFE),
    ("x |= 0", WRITES, UNSAFE),
    ("x <<= 0", WRITES, UNSAFE),
    ("bf.p = 1", "bf.q = 1", UNSAFE),
    ("bf.p = 1", "bf.r = 1", SAFE),
    ("int l = bf.p", "bf.q = 1", UNSAFE),
    ("bf.p", "bf.p = 2", UNSAFE),
    ("bf.p = bf.p", "int l = bf.q", UNSAFE),
    ("(void)fl", WRITES, UNSAFE),
    ("fl * 0", WRITES, UNSAFE),
    ("db == db", WRITES, UNSAFE),
    ("fl = fl", WRITES, UNSAFE),
    ("(int)fl", WRITES, UNSAFE),
    ("!fl", WRITES, UNSAFE),
    ("va(1, x)", WRITES, UNSAFE),
    ("va(0, x)", WRITES, UNSAFE),
    ("one(x)", WRITES, UNSAFE),
    ("({ x; })", WRITES, UNSAFE),
    ("({ int q = x; q; })", WRITES, UNSAFE),
    ("__typeof__(x) l = 0", WRITES, SAFE),
    ("_Generic(x, int: 1)", WRITES, SAFE),
    ("int l = __alignof__(x)", WRITES, SAFE),
    ("(void)!x", WRITES, UNSAFE),
    ("(void)-x", WRITES, UNSAFE),
    ("(void)~x", WRITES, UNSAFE),
    ("+x", WRITES, UNSAFE),
    ("(char)x", WRITES, UNSAFE),
    ("(void)(x == x)", WRITES, UNSAFE),
    ("return px == 0 ? 0 : (void *)(long)x", WRITES, UNSAFE),
    ("int l[2] = { [1] = x }", WRITES, UNSAFE),
    ("static int *l = &x", WRITES, SAFE),
    ("goto a; a: x", WRITES, UNSAFE),
    ("for (int i = x; 0;) ;", WRITES, UNSAFE),
    ("int l = (1, x)", WRITES, UNSAFE),
    ("px[0]", WRITES, UNSAFE),
    ("0[px]", WRITES, UNSAFE),
    ("(*px)++", WRITES, UNSAFE),
    ("*px;", WRITES, UNSAFE),
    ("(&g)->b.k[1]", WRITES, UNSAFE),
    ("g.b", WRITES, UNSAFE),
    ("(void)g.b", WRITES, UNSAFE),
    ("(g)", WRITES, UNSAFE),
    ("g, 1", WRITES, UNSAFE),
    ("1 ? g : g", WRITES, UNSAFE),
    ("(x ? g : g).a", WRITES, UNSAFE),
    ("&g.b.k[x & 1]", WRITES, UNSAFE),
    ("y[2]", WRITES, UNSAFE),
    ("y[x & 1]", WRITES, UNSAFE),
    ("y", WRITES, SAFE),
    ("*y", "y[0] = 1", UNSAFE),
    ("*(y + 2)", WRITES, UNSAFE),
    ("&y[2] - y", WRITES, SAFE),
    ("int *q = malloc(4); if (q) { *q = x; free(q); }", WRITES, UNSAFE),
    ("socklen_t l = 4; accept(0, 0, &l)", WRITES, SAFE),
    ('asm volatile("" : : "r"(x))', WRITES, UNSAFE),
    ('asm volatile("" ::: "memory")', WRITES, SAFE),
]
LIBRARY = [
    ("memcmp(buf, buf2, 8)", WRITES, UNSAFE),
    ("memcmp(buf, buf2, 2)", WRITES, SAFE),
    ('memcmp(buf, "q", 2)', WRITES, SAFE),
    ("memcpy(buf, buf2, 3)", WRITES, UNSAFE),
    ("memcpy(buf, buf2, 0)", WRITES, SAFE),
    ("memset(buf, 'c', 3)", WRITES, UNSAFE),
    ("strlen(buf)", WRITES, UNSAFE),
    ('strcmp(buf, "abz")', WRITES, UNSAFE),
    ('strcpy(buf, "q")', WRITES, SAFE),
    ('strcpy(buf, "abc")', WRITES, UNSAFE),
    ('strncpy(buf, "", 4)', WRITES, UNSAFE),
    ('strncpy(buf, "", 2)', WRITES, SAFE),
    ('strcat(buf, "q")', WRITES, UNSAFE),
    ("strchr(buf, 'a')", WRITES, SAFE),
    ("strchr(buf, 'c')", WRITES, UNSAFE),
    ("memchr(buf, 'c', 3)", WRITES, UNSAFE),
    ("strdup(buf)", WRITES, UNSAFE),
    ('char *e; strtol("1", &e, 10)', WRITES, SAFE),
    ('strtol("1", &tok, 10)', "tok = 0", UNSAFE),
    ('strtok(buf, "c")', WRITES, UNSAFE),
    ('strtok_r(buf, "c", &tok)', WRITES, UNSAFE),
    ('sprintf(buf, "%d", 12)', WRITES, UNSAFE),
    ('snprintf(buf, 8, "%s", "abc")', WRITES, UNSAFE),
    ('snprintf(0, 0, "%d", x)', WRITES, UNSAFE),
    ('snprintf(0, 0, "%s", buf)', WRITES, UNSAFE),
    ('printf("%.1s", buf)', WRITES, SAFE),
    ('printf("%d", x)', WRITES, UNSAFE),
    ('printf("%f", fl)', WRITES, UNSAFE),
    ("puts(buf)", WRITES, UNSAFE),
    ('sscanf("1", "%d", &x)', WRITES, UNSAFE),
    ('sscanf(buf, "%*s")', WRITES, UNSAFE),
    ("time(&tt)", "tt = 1", UNSAFE),
    ("time(0)", "tt = 1", SAFE),
    ("clock_gettime(CLOCK_REALTIME, &ts)", "ts.tv_nsec = 1", UNSAFE),
    ("gettimeofday(&tv, 0)", "tv.tv_usec = 1", UNSAFE),
    ("localtime_r(&tt, &tmv)", "tmv.tm_year = 1", UNSAFE),
    ("localtime_r(&tt, &tmv)", "tt = 1", UNSAFE),
    ("mktime(&tmv)", "int l = tmv.tm_wday", UNSAFE),
    ("mktime(&tmv)", "tmv.tm_mon = 1", UNSAFE),
    ("gmtime(&tt)", "tt = 1", UNSAFE),
    ('char b[30]; strftime(b, 30, "%Y", &tmv)', "tmv.tm_year = 1", UNSAFE),
    ("rand_r(&seed)", WRITES, UNSAFE),
    ("poll(pf, 2, 0)", "pf[1].events = 1", UNSAFE),
    ("poll(pf, 2, 0)", "int l = pf[1].revents", UNSAFE),
    ("select(1, &fds, 0, 0, &tv)", "FD_ZERO(&fds)", UNSAFE),
    ("select(1, 0, 0, 0, &tv)", "tv.tv_sec = 1", UNSAFE),
    ('stat("x", &st)', "st.st_size = 1", UNSAFE),
    ("stat(buf, &st)", WRITES, UNSAFE),
    ("read(0, buf, 8)", WRITES, UNSAFE),
    ("write(1, buf, 8)", WRITES, UNSAFE),
    ("write(1, buf, 2)", WRITES, SAFE),
    ("send(1, buf, 8, 0)", WRITES, UNSAFE),
    ("recv(0, buf, 8, 0)", WRITES, UNSAFE),
    ("fwrite(buf, 1, 8, stdout)", WRITES, UNSAFE),
    ("fread(buf, 1, 8, stdin)", WRITES, UNSAFE),
    ("fgets(buf, 8, stdin)", WRITES, UNSAFE),
    ("gethostname(buf, 8)", WRITES, UNSAFE),
    ('readlink("a", buf, 8)', WRITES, UNSAFE),
    ("setlocale(0, buf)", WRITES, UNSAFE),
    ("getenv(buf)", WRITES, UNSAFE),
    ('setenv(buf, "a", 1)', WRITES, UNSAFE),
    ('setenv("a", buf, 1)', WRITES, UNSAFE),
    ("perror(buf)", WRITES, UNSAFE),
    ("system(buf)", WRITES, UNSAFE),
    ("abs(x)", WRITES, UNSAFE),
    ("div(x, 2)", WRITES, UNSAFE),
    ("isalpha(buf[2])", WRITES, UNSAFE),
    ("toupper(x)", WRITES, UNSAFE),
    ("frexp(db, &x)", WRITES, UNSAFE),
    ("modf(1.5, &db)", WRITES, UNSAFE),
    ("sem_t s_; sem_init(&s_, 0, 1); sem_getvalue(&s_, &x)", WRITES, UNSAFE),
    ("__builtin_expect(x, 0)", WRITES, UNSAFE),
    ("__builtin_add_overflow(1, 2, &x)", WRITES, UNSAFE),
    ("__atomic_load_n(&x, 0)", WRITES, UNSAFE),
    ("__atomic_store_n(&x, 1, 0)", "__atomic_load_n(&x, 0)", SAFE),
    ("__atomic_load(&x, &y[2], 0)", "y[2] = 1", UNSAFE),
    ("__atomic_store(&x, &y[2], 0)", "y[2] = 1", UNSAFE),
    ("__atomic_exchange(&x, &y[1], &y[2], 0)", "y[1] = 1", UNSAFE),
    ("__atomic_exchange(&x, &y[1], &y[2], 0)", "int l = y[2]", UNSAFE),
    ("int e = 0; __atomic_compare_exchange_n(&x, &e, 1, 0, 0, 0)", "x = 1", UNSAFE),
    ("__atomic_compare_exchange_n(&x, &y[2], 1, 0, 0, 0)", "y[2] = 1", UNSAFE),
    ("__sync_fetch_and_add(&x, 1)", WRITES, UNSAFE),
    ("__sync_lock_release(&x)", WRITES, UNSAFE),
    ('strncmp(buf, "abd", 3)', WRITES, UNSAFE),
    ('strstr(buf, "c")', WRITES, UNSAFE),
    ('strspn(buf, "abc")', WRITES, UNSAFE),
    ('strpbrk(buf, "c")', WRITES, UNSAFE),
    ("strrchr(buf, 'a')", WRITES, UNSAFE),
    ("strnlen(buf, 4)", WRITES, UNSAFE),
    ('strncat(buf, "d", 1)', WRITES, UNSAFE),
    ("strndup(buf, 3)", WRITES, UNSAFE),
    ("memmove(buf, buf2 + 1, 3)", WRITES, UNSAFE),
    ("bzero(buf, 4)", WRITES, UNSAFE),
    ("free(px == &x ? 0 : px)", WRITES, SAFE),
    ("fprintf(stderr, buf)", WRITES, UNSAFE),
    ("fputs(buf, stdout)", WRITES, UNSAFE),
    ("putchar(x)", WRITES, UNSAFE),
    ("fputc(buf[2], stdout)", WRITES, UNSAFE),
    ('scanf("%d", &x)', WRITES, UNSAFE),
    ('scanf("%*d")', WRITES, SAFE),
    ('fscanf(stdin, "%s", buf)', WRITES, UNSAFE),
    ('sscanf("a", "%c", &buf[2])', WRITES, UNSAFE),
    ('sscanf("1 2", "%d %d", &y[1], &y[2])', WRITES, UNSAFE),
    ('snprintf(g.t, 4, "%d", 1)', WRITES, UNSAFE),
    ('dprintf(1, "%d", x)', WRITES, UNSAFE),
    ('printf("%n", &x)', WRITES, UNSAFE),
    ('printf("%s %d", "a", y[2])', WRITES, UNSAFE),
    ('printf("%c", buf[2])', WRITES, UNSAFE),
    ('printf("%*d", x, 1)', WRITES, UNSAFE),
    ('printf("%p", (void *)&x)', WRITES, SAFE),
    ('printf("%p", (void *)px)', WRITES, SAFE),
    ("gettimeofday(&tv, 0)", "long l = tv.tv_sec", UNSAFE),
    ("clock_nanosleep(0, 0, &ts, 0)", "ts.tv_sec = 1", UNSAFE),
    ("nanosleep(&ts, 0)", "ts.tv_sec = 1", UNSAFE),
    ("ctime(&tt)", "tt = 1", UNSAFE),
    ("asctime(&tmv)", "tmv.tm_sec = 1", UNSAFE),
    ("difftime(tt, 0)", "tt = 1", UNSAFE),
    ("gmtime_r(&tt, &tmv)", "tmv.tm_sec = 1", UNSAFE),
    ("sigset_t q; sigemptyset(&q)", WRITES, SAFE),
    ("fstat(0, &st)", "st.st_mode = 1", UNSAFE),
    ('lstat("x", &st)', "st.st_mode = 1", UNSAFE),
    ("getsockopt(0, 0, 0, &x, (socklen_t *)&y[2])", WRITES, UNSAFE),
    ("setsockopt(0, 0, 0, &x, 4)", WRITES, UNSAFE),
    ("pipe(y + 1)", WRITES, UNSAFE),
    ("socketpair(1, 1, 0, y + 1)", WRITES, UNSAFE),
    ("waitpid(-1, &x, 0)", WRITES, UNSAFE),
    ("wait(&x)", WRITES, UNSAFE),
    ("pthread_setname_np(pthread_self(), buf)", WRITES, UNSAFE),
    (
        "pthread_attr_t a_; pthread_attr_init(&a_); pthread_attr_getstacksize(&a_, &sz)",
        "sz = 1",
        UNSAFE,
    ),
    ("pthread_setcancelstate(0, &x)", WRITES, UNSAFE),
    ("pthread_getspecific(x)", WRITES, UNSAFE),
    ("mkstemp(buf)", WRITES, UNSAFE),
    ("open(buf, 0)", WRITES, UNSAFE),
    ("unlink(buf)", WRITES, UNSAFE),
    ("chdir(buf)", WRITES, UNSAFE),
    ('rename("a", buf)', WRITES, UNSAFE),
    ('fopen(buf, "r")', WRITES, UNSAFE),
    ('fopen("x", buf)', WRITES, UNSAFE),
    ('execv("a", &tok)', "tok = 0", UNSAFE),
    ("lroundf(fl)", WRITES, UNSAFE),
    ("isnan(fl)", WRITES, UNSAFE),
    ("fabsf(fl)", WRITES, UNSAFE),
    ("sqrt(fl)", WRITES, UNSAFE),
    ("labs(x)", WRITES, UNSAFE),
    ('strtoul("12", &tok, 0)', "tok = 0", UNSAFE),
    ("ldiv(x, 2)", WRITES, UNSAFE),
    ("rand_r(&seed)", "seed = 1", UNSAFE),
    ("__builtin_memcpy(buf, buf2, 3)", WRITES, UNSAFE),
    ("__builtin_memset(buf, 0, 3)", WRITES, UNSAFE),
    ("__builtin_strlen(buf)", WRITES, UNSAFE),
    ("__builtin_popcount(x)", WRITES, UNSAFE),
    ("__builtin_bswap32(x)", WRITES, UNSAFE),
    ("__builtin_prefetch(&x)", WRITES, SAFE),
    ("__builtin_constant_p(x)", WRITES, SAFE),
    ("__builtin_object_size(&x, 0)", WRITES, SAFE),
    ("__builtin_choose_expr(1, x, 2)", WRITES, UNSAFE),
    ("__builtin_choose_expr(0, x, 2)", WRITES, SAFE),
    ("__builtin_offsetof(struct s, b)", WRITES, SAFE),
    ("__builtin_types_compatible_p(int, int)", WRITES, SAFE),
    ("__builtin_mul_overflow(x, 2, &y[1])", WRITES, UNSAFE),
    ("__builtin_ctz(x | 1)", WRITES, UNSAFE),
    ("__builtin_isnan(fl)", WRITES, UNSAFE),
]


def verdict(statement: str, other: str) -> str:
    """About races of a statement with others."""
    text = PROGRAM.replace("STATEMENT", statement).replace("OTHER", other)
    return checked(text, "races").verdict.value


@pytest.mark.parametrize(("statement", "other", "expected"), EXPRESSIONS)
def test_expressions(statement: str, other: str, expected: str) -> None:
    assert verdict(statement, other) == expected


@pytest.mark.parametrize(("statement", "other", "expected"), LIBRARY)
def test_library_functions(statement: str, other: str, expected: str) -> None:
    assert verdict(statement, other) == expected
