"""Values: integer types, conversions, operators, aggregates, pointers — as C says."""

import pytest

from tests.unit.frontends.c.checking import checked, holds, main_verdict

ARITHMETIC = [
    "unsigned char c = 200; c += 100; assert(c == 44);",
    "signed char c = 127; c++; assert(c == -128);",
    "unsigned u = 0; u--; assert(u == 4294967295u);",
    "int i = -7; assert(i / 2 == -3 && i % 2 == -1);",
    "int i = -1; unsigned u = 1; assert(i > u);",
    "long l = -1; unsigned u = 1; assert(l < u);",
    "int i = 2147483647; i = i + 1; assert(i < 0);",
    "short s = (short)70000; assert(s == 4464);",
    "unsigned char c = 255; assert((c << 1) == 510); assert((unsigned char)(c << 1) == 254);",
    "int i = -8; assert(i >> 1 == -4); assert((unsigned)i >> 28 == 15);",
    "_Bool b = 4; assert(b == 1); b = 0.0; assert(!b);",
    "int i = 5; assert(~i == -6 && -i == -5 && !i == 0);",
    "unsigned i = 5; assert(~i == 4294967290u && -i == 4294967291u);",
    "int i = 6; assert((i & 3) == 2 && (i | 9) == 15 && (i ^ 5) == 3);",
    "int i = 3; int j = i++ + 2; assert(i == 4 && j == 5); j = --i; assert(j == 3);",
    "int a = 1, b = 2; int c = (a = 5, b + a); assert(c == 7);",
    "int a = 1; int r = a ? 10 : 20; assert(r == 10); r = !a ? 1 : 2; assert(r == 2);",
    "int a = 0; int r = a ?: 7; assert(r == 7);",
    "int n = 0; (void)(n && n++); assert(n == 0); (void)(!n && ++n); assert(n == 1);",
    "int x = 1; x <<= 3; x |= 1; x %= 5; x ^= 6; assert(x == 2);",
    "char c = 'a'; c -= 32; assert(c == 'A');",
    "long long m = 1LL << 40; assert(m == 1099511627776LL); assert((int)m == 0);",
    "double d = 1.5; double e = d; assert(e == d && e > 1.0 && !(e < 1.0));",
    "float f = 0.0f; assert(f == -0.0f); assert(!f);",
]


@pytest.mark.parametrize("claim", ARITHMETIC)
def test_arithmetic(claim: str) -> None:
    assert holds(claim)


OBJECTS = [
    "int a[3] = {1, 2}; assert(a[0] + a[1] + a[2] == 3);",
    "int a[2][3] = {{1}, {4, 5}}; assert(a[1][1] == 5 && a[0][2] == 0);",
    "int a[] = {[2] = 7, 8}; assert(sizeof a == 16 && a[3] == 8 && a[2] == 7);",
    "int a[4]; for (int i = 0; i < 4; i++) a[i] = i * i; int *p = a + 1;"
    "assert(*p == 1 && p[2] == 9 && &a[3] - p == 2 && p < &a[3]);",
    "int x = 1, *p = &x, **q = &p; **q = 5; assert(x == 5);",
    "struct { int a; struct { char b; long c; } d; } s = {1, {2, 3}}, t = s;"
    "t.d.c++; assert(s.d.c == 3 && t.d.c == 4 && t.a == 1);",
    "struct p { int x, y; } a = {.y = 2}, *q = &a; q->x = q->y + 1; assert(a.x == 3);",
    "struct b { unsigned a : 3; int s : 2; } f = {9, 1}; f.s++;assert(f.a == 1 && f.s == -2);",
    "union u { int i; char c; } u; u.i = 7; assert(u.i == 7); u.c = 2; assert(u.c == 2);",
    'char s[] = "abc"; const char *p = s; int n = 0; while (*p++) n++; assert(n == 3);',
    'const char *s = "hi"; assert(s[1] == 105 && s[2] == 0);',
    "int *p = malloc(3 * sizeof(int)); p[0] = 1; p[2] = 3; assert(p[0] + p[2] == 4); free(p);",
    "struct n { int v; struct n *next; } *h = 0; for (int i = 0; i < 3; i++) {"
    "struct n *m = malloc(sizeof *m); m->v = i; m->next = h; h = m; }"
    "assert(h->v == 2 && h->next->next->v == 0 && !h->next->next->next);",
    "struct s { int a[3]; } x = {{1, 2, 3}}, y; memcpy(&y, &x, sizeof y); assert(y.a[2] == 3);"
    "memset(&x, 0, sizeof x); assert(x.a[1] == 0);",
    "void *p = (void *)5; assert((long)p == 5); assert(p != 0);",
    "int a[5] = {5, 4, 3, 2, 1}; int *lo = a, *hi = a + 5; while (lo < hi) *lo++ = 0;"
    "assert(a[4] == 0);",
    "int (*f)(int) = abs; assert(f(-3) == 3);",
    "int v = ({ int t = 2; t * 3; }); assert(v == 6);",
    "struct q { int x; } z = (struct q){4}; assert(z.x == 4); assert((struct q){7}.x == 7);",
]


@pytest.mark.parametrize("claim", OBJECTS)
def test_objects(claim: str) -> None:
    assert holds(claim)


CONTROL = [
    "int r = 0; switch (3) { case 1: r = 1; case 3: r += 2; case 4: r += 4; break;"
    "default: r = 100; } assert(r == 6);",
    "int r = 0; for (int i = 0; i < 5; i++) { if (i == 1) continue; if (i == 4) break;"
    "r += i; } assert(r == 5);",
    "int i = 0; again: if (i < 3) { i++; goto again; } assert(i == 3);",
    "int i = 0; do i++; while (i < 3); assert(i == 3);",
    "int n = 0; switch (2) { case 0 ... 3: n = 1; } assert(n == 1);",
    "int n = 7, r = 0; switch (n % 4) { case 0: do { r++; case 3: r++; case 2: r++;"
    "case 1: r++; } while ((n -= 4) > 0); } assert(r == 7);",
]


@pytest.mark.parametrize("claim", CONTROL)
def test_control(claim: str) -> None:
    assert holds(claim)


FUNCTIONS = [
    ("int f(int n) { return n <= 1 ? 1 : n * f(n - 1); }", "assert(f(5) == 120);"),
    ("int g; int f(void) { return ++g; }", "assert(f() + f() == 3 && g == 2);"),
    ("int c(void) { static int n = 3; return n++; }", "c(); assert(c() == 4);"),
    (
        "void s(int *a, int *b) { int t = *a; *a = *b; *b = t; }",
        "int x = 1, y = 2; s(&x, &y); assert(x == 2 && y == 1);",
    ),
    (
        "int odd(int); int even(int n) { return n == 0 || odd(n - 1); }"
        "int odd(int n) { return n != 0 && even(n - 1); }",
        "assert(even(6) && !even(3));",
    ),
    (
        "struct p { int x, y; }; struct p m(int x) { struct p r = {x, x + 1}; return r; }"
        "int d(struct p q) { q.x = 9; return q.y; }",
        "struct p a = m(3); assert(d(a) == 4);assert(a.x == 3 && m(5).y == 6);",
    ),
    (
        "int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; }"
        "int (*ops[])(int, int) = {add, sub};",
        "assert(ops[1](5, 3) == 2 && ops[0](5, 3) == 8);",
    ),
    (
        "int twice(int (*f)(int), int x) { return f(f(x)); } int inc(int x) { return x + 1; }",
        "assert(twice(inc, 3) == 5);",
    ),
    (
        "int sum(int *p, int n) { int s = 0; while (n--) s += *p++; return s; }",
        "int a[] = {1, 2, 3}; assert(sum(a, 3) == 6);",
    ),
    ("_Thread_local int t = 4;", "t++; assert(t == 5); int *p = &t; *p = 1; assert(t == 1);"),
    (
        "const int N = 3; int tab[3] = {7, 8, 9}; int *at = &tab[1];",
        "assert(at[1] == 9 && N == 3);",
    ),
]


@pytest.mark.parametrize(("before", "claim"), FUNCTIONS)
def test_functions_and_globals(before: str, claim: str) -> None:
    assert holds(claim, before)


def test_all_of_these_in_one_program() -> None:
    claims = [*ARITHMETIC, *OBJECTS, *CONTROL]
    parts = [f"static void claim{i}(void) {{ {claim} }}" for i, claim in enumerate(claims)]
    assert holds(" ".join(f"claim{i}();" for i in range(len(claims))), "\n".join(parts))


def test_constants_without_initialiser_and_with_braces() -> None:
    before = "const int zero; static const char *const none; static const int braced = { 8 };"
    assert holds("assert(zero == 0 && !none && braced == 8);", before)


@pytest.mark.parametrize(
    "claim",
    [
        "unsigned char c = 200; c += 100; assert(c != 44);",
        "int *p = malloc(4); *p = 1; assert(!*p);",
    ],
)
def test_wrong_claims_fail(claim: str) -> None:
    assert main_verdict(claim) == "UNSAFE"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("int z = 0; int x = 1 / z; assert(x);", "division by zero"),
        ("int n = 40; int x = 1 << n; assert(x);", "a shift by"),
        ("int a[2] = {0}; int i = 2; assert(a[i] == 0);", "index out of bounds"),
        ("int *p = 0; assert(*p);", "invalid pointer"),
        ("int *p = malloc(4); free(p); assert(*p);", "invalid pointer"),
        ("int *p = malloc(4); assert(*p);", "never written"),
        ("int *p = malloc(4); free(p); free(p); assert(p);", "free of"),
        ("union { long n; int *p; } u; u.n = 7; assert(u.p);", "never written"),
        ("int x = 1; char *p = (char *)&x; assert(p[1]);", "does not point into an array"),
        ("int x = 1; long n = (long)&x; assert(n);", "address of an object"),
        ("int a, b; int *p = &a, *q = &b; assert(q - p);", "two objects"),
        ("int (*f)(void) = 0; assert(f());", "a call through a null pointer"),
        ("unsigned n = 0; assert(__builtin_ctz(n) >= 0);", "counting zeros of 0"),
        ("unsigned long n = 0; assert(__builtin_clzl(n) >= 0);", "counting zeros of 0"),
    ],
)
def test_undefined_behaviour_is_a_limit(body: str, reason: str) -> None:
    text = f"#include <assert.h>\n#include <stdlib.h>\nint main(void) {{ {body} return 0; }}"
    result = checked(text, "assertions")
    assert result.verdict.value == "UNKNOWN"
    told = f"{result.reason} {[p.reason for p in result.properties]}"
    assert reason in told
    assert "t.c:3" in told


@pytest.mark.parametrize(
    "claim",
    [
        "__builtin_popcount(one) == 7 && __builtin_popcount(0) == 0",
        "__builtin_popcount(-1) == 32",
        "__builtin_popcountl(two) == 3 && __builtin_popcountll(~0ull) == 64",
        "__builtin_parity(one) == 1 && __builtin_parityl(two) == 1 && !__builtin_parityll(3)",
        "__builtin_ctz(one) == 1 && __builtin_ctzl(two) == 8 && __builtin_ctzll(1ull << 63) == 63",
        "__builtin_clz(one) == 8 && __builtin_clzl(two) == 0 && __builtin_clzll(1) == 63",
        "__builtin_ffs(0) == 0 && __builtin_ffs((int)one) == 2 && __builtin_ffsll(0) == 0",
        "__builtin_ffsl((long)two) == 9 && __builtin_ffs(-2147483647 - 1) == 32",
    ],
)
def test_functions_of_the_compiler_on_bits(claim: str) -> None:
    values = "unsigned one = 0x00f0010au; unsigned long two = 0x8000000100000100ul;"
    assert holds(f"{values} assert({claim});")


def test_not_a_number_is_one() -> None:
    body = "double d = NAN; float f = NAN; assert(d != d && !(f < 1) && !(f >= 1));"
    assert holds(f'{body} d = __builtin_nan(""); assert(!(d == d));', "#include <math.h>")


def test_not_a_number_with_a_text_is_a_limit() -> None:
    assert main_verdict('double d = __builtin_nan("3"); assert(d == d);') == "UNKNOWN"
