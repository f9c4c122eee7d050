"""Random C programs of one thread, put together from constructs: one of each kind, some at a time.

A construct is a piece of C with random numbers, types and operators in it that folds what it
computes into `sum`. Programs are free of undefined behaviour but signed overflow, as those of
`c_programs`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

NARROW = ("signed char", "unsigned char", "short", "unsigned short")
WIDE = ("int", "unsigned", "long", "unsigned long")
ALL = (*NARROW, *WIDE)

_HEAD = """#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
static unsigned long sum = 17;
static long noise(void) { static unsigned state = SEED; state = state * 1103515245u + 12345u;
  return (long)(state >> 16 & 255) - 128; }
static void mix(unsigned long value) { sum = sum * 31 + value; }
"""
_NOISE = "long " + ", ".join(f"r{i} = noise()" for i in range(6)) + ";"


@dataclass
class Draw:
    """Random parts of constructs, and the declarations that they need outside of functions."""

    random: random.Random
    outside: list[str] = field(default_factory=list)

    def number(self, low: int = -300, high: int = 300) -> str:
        return str(self.random.randint(low, high))

    def type(self, *among: str) -> str:
        return self.random.choice(among or ALL)

    def op(self, *among: str) -> str:
        return self.random.choice(among or ("+", "-", "*", "&", "|", "^"))

    def pick(self, *among: str) -> str:
        return self.random.choice(among)

    def value(self) -> str:
        """An operand that is another one in each program."""
        some = f"r{self.random.randint(0, 5)}"
        return self.random.choice((some, f"({some} {self.op()} {self.number()})"))


Construct = Callable[[Draw, str], str]
"""The statements of a construct; names of its own begin with the given one."""


def narrow_updates(d: Draw, n: str) -> str:
    held = d.type(*NARROW)
    lines = [f"{held} {n} = {d.value()};"]
    for _ in range(3):
        lines.append(
            d.pick(
                f"{n} {d.op()}= {d.value()};",
                f"mix({n}++);",
                f"mix(--{n});",
                f"mix({n} <<= {d.number(0, 9)});",
                f"mix({n} >>= {d.number(0, 9)});",
                f"mix({n} /= {d.number(1, 9)});",
                f"mix({n} %= {d.number(1, 99)});",
                f"mix(({n} {d.op()}= {d.value()}) < {d.number()});",
            )
        )
    return " ".join([*lines, f"mix({n});"])


def mixed_comparisons(d: Draw, n: str) -> str:
    a, b = d.type(), d.type()
    compared = " + 2 * ".join(f"({n}a {op} {n}b)" for op in ("<", "<=", "==", ">", ">=", "!="))
    return (
        f"{a} {n}a = {d.value()}; {b} {n}b = {d.value()}; mix({compared}); mix({n}a"
        f" {d.op()} {n}b);"
    )


def bit_fields(d: Draw, n: str) -> str:
    widths = [d.random.randint(1, 9) for _ in range(3)]
    d.outside.append(
        f"struct {n} {{ unsigned a : {widths[0]}; signed b : {widths[1] + 1};"
        f" {d.pick('unsigned : 0;', '')} unsigned char c : {min(widths[2], 8)}; _Bool d : 1;"
        f" {d.type(*NARROW)} e; }};"
    )
    return (
        f"struct {n} {n} = {{ .c = {d.number(0, 1)}, .e = {d.number(-9, 9)} }};"
        f" {n}.a = {d.value()}; {n}.b = {d.value()}; {n}.c += {d.value()}; {n}.d = {d.value()}"
        f" & 1;"
        f" struct {n} *{n}p = &{n}; mix({n}p->a++); mix(--{n}p->b); mix({n}p->c <<= 1);"
        f" mix({n}.a {d.op()} {n}.b); mix({n}.c); mix({n}.d ? {n}.e : -1); mix({n}.a);"
    )


def unions(d: Draw, n: str) -> str:
    d.outside.append(
        f"union {n} {{ int i; unsigned u; short h; struct {{ signed char x; short y; }} s;"
        f" long l; }};"
    )
    member = d.pick("i", "u", "h", "l", "s.x", "s.y")
    return (
        f"union {n} {n} = {{ .{member} = {d.number(-9, 9)} }}; mix({n}.{member});"
        f" {n}.{member} += {d.value()}; union {n} {n}o = {n}; mix({n}o.{member});"
        f" {n}.s.x = {d.number(-9, 9)}; {n}.s.y = {d.value()}; mix({n}.s.x + {n}.s.y);"
    )


def nested_records(d: Draw, n: str) -> str:
    d.outside.append(
        f"struct {n}i {{ {d.type()} a; {d.type()} b[2]; }};"
        f" struct {n} {{ struct {n}i one; {d.type()} x; struct {n}i more[2]; }};"
        f" static struct {n} {n}_made(int a) {{ struct {n} r = {{ {{ a, {{ a + 1, 2 }} }}, -a,"
        f" {{ [1] = {{ .b = {{ [1] = a }} }} }} }}; return r; }}"
        f" static long {n}_of(struct {n} s) {{ s.x += 1; return s.one.a * 3 + s.x +"
        f" s.more[1].b[1]; }}"
    )
    return (
        f"struct {n} {n} = {n}_made({d.value()}); mix({n}_of({n})); mix({n}.x);"
        f" {n}.more[0] = {n}.one; {n}.more[0].b[r1 & 1] {d.op()}= {d.value()};"
        f" struct {n} {n}c = {n}; {n}c.one.a--; mix({n}c.one.a - {n}.one.a);"
        f" mix({n}c.more[0].b[0]); mix({n}c.more[0].b[1]); mix({n}_made({d.value()}).one.b[0]);"
    )


def designated(d: Draw, n: str) -> str:
    held, first, second = d.type(), d.random.randint(0, 3), d.random.randint(2, 6)
    scope = d.pick("static ", "")
    given = f"[{first}] = {d.number()}, {d.number()}, [{second}] = {d.number(0, 9)}, {d.number()}"
    return (
        f"{scope}{held} {n}[9] = {{ {given} }};"
        f" for (int i = 0; i < 9; i++) mix({n}[i]); mix(sizeof {n} / sizeof *{n});"
        f" static const {held} {n}u[] = {{ {d.number()}, [{second}] = 1 }};"
        f" mix(sizeof {n}u); mix({n}u[{second}] + {n}u[0]);"
    )


def members(d: Draw, n: str) -> str:
    held = d.type()
    d.outside.append(f"struct {n} {{ {held} a, b; {held} c[3]; struct {n} *next; }};")
    return (
        f"struct {n} {n}x = {{ 1, {d.number()}, {{ 3, 4, 5 }}, 0 }}, {n}y = {{ .next = &{n}x }};"
        f" {held} *{n}p = {d.pick(f'&{n}x.b', f'&{n}y.next->b', f'&{n}x.c[1]')};"
        f" *{n}p {d.op()}= {d.value()}; {n}y.next->c[r1 & 1]++; ++*{n}p;"
        f" struct {n} **{n}q = &{n}y.next; (*{n}q)->a = {d.value()};"
        f" mix({n}x.a); mix({n}x.b); for (int i = 0; i < 3; i++) mix({n}x.c[i]);"
        f" mix({n}y.next == &{n}x); mix({n}y.next->next == 0);"
    )


def fallthrough(d: Draw, n: str) -> str:
    labels = d.random.sample(range(-2, 6), 4)
    cases = [
        f"case {label}: {n} {d.op()}= {d.number()}; {d.pick('break;', '', '')}" for label in labels
    ]
    extra = d.pick(
        f"default: {n} += 7; {d.pick('break;', '')}", "case 40 ... 99: mix(4); break;", ""
    )
    cases.insert(d.random.randint(0, 4), extra)
    return (
        f"int {n} = {d.number()}; for (int i = -3; i < 6; i++) {{ if (i == {d.number(-3, 5)})"
        f" continue;"
        f" switch ({d.pick('i', '(char)i', f'i + ({n} & 1)')}) {{ {' '.join(cases)} }}"
        f" mix({n}); }}"
    )


def switch_in_loops(d: Draw, n: str) -> str:
    return (
        f"unsigned char {n} = {d.value()}; int {n}k = 0; while ({n}k < 8) {{ {n}k++;"
        f" switch ({n} & 3) {{ case 0: {n} += 5; continue; case 1: {{ int {n}; {n} = 3;"
        f" mix({n}); }}"
        f" {d.pick('break;', '')} case 3: if ({n}k > {d.number(2, 6)}) goto {n}_done; }}"
        f" {n} = {n} * 7 + {n}k; }} {n}_done: mix({n}); mix({n}k);"
    )


def jumps(d: Draw, n: str) -> str:
    return (
        f"int {n} = {d.number(0, 5)}, {n}s = 0; goto {d.pick(f'{n}_in', f'{n}_top')};"
        f" {n}_top: {n}s += {n}; if ({n} > {d.number(6, 9)}) goto {n}_out;"
        f" for (; {n} < 12; {n}++) {{ {n}s {d.op()}= 2; {n}_in: {n}s++;"
        f" if ({n}s % 5 == 3) {{ {n} += 2; goto {n}_top; }} }} {n}_out: mix({n}); mix({n}s);"
    )


def loops(d: Draw, n: str) -> str:
    skip = d.pick("continue", "break")
    return (
        f"{d.type()} {n} = 0; do {{ int i = {d.number(1, 3)}; do if (i == 2) {{ i--; {skip}; }}"
        f" else {n} += i; while (i-- > 0); {n}++; }} while ({n} < {d.number(3, 20)});"
        f" for (int i = 0, j = 9; i < j; i += 2, j--) {{ if ((i + j) % 3 == 0) {skip}; mix(i *"
        f" j); }}"
        f" while (1) {{ if ({n} & 1) break; {n} = {n} + 3; }} mix({n});"
    )


def commas_and_choices(d: Draw, n: str) -> str:
    return (
        f"int {n}a = {d.value()}, {n}b = {d.value()}, {n}c;"
        f" {n}c = ({n}a++, {n}b -= 2, {n}a {d.op()} {n}b); mix({n}c);"
        f" *({n}a > {n}b ? &{n}a : &{n}b) {d.op()}= {d.number()}; mix({n}a); mix({n}b);"
        f" mix({n}a > 0 && ++{n}b > 0 || --{n}a); mix({n}a); mix({n}b);"
        f" mix({n}a ? {n}b ? 1 : {n}c++ : ({n}c--, 3)); mix({n}c); mix({n}a ?: {n}b);"
        f" mix(({{ int {n}z = {n}c; {n}z * 2; }})); mix(!!{n}a + !{n}b);"
    )


def function_pointers(d: Draw, n: str) -> str:
    held = d.type()
    d.outside.append(
        f"static long {n}_f({held} a) {{ return a {d.op()} {d.number()}; }}"
        f" static long {n}_g({held} a) {{ return a - {d.number()}; }}"
        f" static long (*const {n}_table[])({held}) = {{ {n}_f, &{n}_g, {n}_f }};"
        f" static long {n}_apply(long (*f)({held}), {held} a) {{ return f(a) + 1; }}"
        f" struct {n} {{ int key; long (*run)({held}); }};"
    )
    return (
        f"struct {n} {n}[2] = {{ {{ 1, {n}_g }}, {{ .run = {n}_f }} }};"
        f" for (int i = 0; i < 3; i++) mix({n}_apply({n}_table[i], {d.value()}));"
        f" long (*{n}h)({held}) = r1 & 1 ? {n}_f : {n}_g; mix({n}h({d.value()}));"
        f" mix({n}[r1 & 1].run({d.value()})); mix({n}h == {n}_f); mix((*{n}_table[1])(3));"
    )


def static_locals(d: Draw, n: str) -> str:
    held = d.type()
    d.outside.append(
        f"static long {n}_next({held} by) {{ static {held} count = {d.number(0, 9)}; static"
        f" int calls;"
        f" if (by > 100) {{ static int calls; return ++calls; }} calls++;"
        f" return (count {d.op('+', '-', '^')}= by) * 10 + calls; }}"
    )
    return f"for (int i = 0; i < 4; i++) mix({n}_next({d.value()})); mix({n}_next(120));"


def recursion(d: Draw, n: str) -> str:
    held = d.type(*WIDE)
    d.outside.append(
        f"static {held} {n}_rec(int depth, {held} acc) {{ {held} own[2] = {{ acc, depth }};"
        f" if (depth <= 0) return acc {d.op()} {d.number()};"
        f" {held} below = {n}_rec(depth - 1, acc + own[1]); own[0] {d.op()}= below;"
        f" return own[0] - own[1] * below; }}"
        f" static int {n}_odd(int); static int {n}_even(int k) {{ return k ? {n}_odd(k - 1) :"
        f" 1; }}"
        f" static int {n}_odd(int k) {{ return k ? {n}_even(k - 1) : 0; }}"
    )
    return f"mix({n}_rec({d.number(0, 5)}, {d.value()})); mix({n}_even(r1 & 7));"


def arrays_of_arrays(d: Draw, n: str) -> str:
    held = d.type()
    d.outside.append(
        f"static long {n}_trace({held} (*rows)[3], int count) {{ long all = 0;"
        f" for (int i = 0; i < count; i++) all = all * 5 + rows[i][i] - rows[i][2]; return all; }}"
    )
    return (
        f"{held} {n}[2][3] = {{ {{ {d.number()}, {d.number()} }}, {{ [2] = {d.number()} }} }};"
        f" {n}[r1 & 1][1] {d.op()}= {d.value()}; mix({n}_trace({n}, 2));"
        f" {held} *{n}p = {n}[1]; mix({n}p[0]); mix({n}p - &{n}[0][0]); {n}p[1] = {d.value()};"
        f" mix(*({n}[1] + 1)); mix(sizeof {n}[0]); for (int i = 0; i < 6; i++) mix({n}[i /"
        f" 3][i % 3]);"
    )


def pointers(d: Draw, n: str) -> str:
    held = d.type()
    return (
        f"{held} {n}[5] = {{ {d.number()}, {d.number()}, {d.number()} }}, *{n}p = {n} + 1,"
        f" *{n}q = &{n}[4];"
        f" mix({n}q - {n}p); mix({n}p < {n}q); mix(*{n}p++); mix(*++{n}p); (*{n}p--)--; {n}p"
        f" += r1 & 1;"
        f" *{n}p {d.op()}= {d.value()}; {n}q -= 2; mix({n}p == {n}q); mix(2[{n}]);"
        f" mix({n}q[{d.number(-2, 1)}]);"
        f" for ({held} *p = {n}; p != {n} + 5; p++) mix(*p); mix({n}p >= {n}); mix(!{n}p);"
        f" void *{n}v = {n}q; mix(*({held} *){n}v);"
    )


def texts(d: Draw, n: str) -> str:
    word = d.pick("thread", "wise", "a", "")
    return (
        f'char {n}[24] = "{word}", {n}o[] = "wi\\x41\\101\\0z"; const char *{n}t ='
        f' "tail{d.number(0, 9)}" + 1;'
        f" mix(strlen({n})); strcat({n}, {n}t); mix(strlen({n})); mix(strcmp({n}, {n}t) > 0);"
        f" mix(sizeof {n}o); mix({n}o[{d.number(0, 6)}]); strncpy({n}o, {n}, 3); mix({n}o[2]);"
        f" char *{n}f = strchr({n}, 'i'); mix({n}f ? {n}f - {n} : 99); mix(memcmp({n},"
        f' "{word}t", 3) == 0);'
        f" memset({n}, {d.number(0, 99)}, 5); memmove({n} + 2, {n}, 4); mix({n}[3] * {n}[5]);"
        f' mix("abc"[{d.number(0, 3)}]); mix(sizeof "four"); mix(*{n}t);'
    )


def copies(d: Draw, n: str) -> str:
    held = d.type(*WIDE)
    d.outside.append(f"struct {n} {{ {held} a; {held} b; }};")
    return (
        f"struct {n} {n}a[3] = {{ {{ 1, {d.number()} }}, {{ {d.number()} }} }}, {n}b[3];"
        f" memcpy({n}b, {n}a, sizeof {n}a); {n}b[1].a {d.op()}= {d.value()}; mix({n}b[0].b);"
        f" mix({n}b[1].a); mix({n}a[1].a); memset(&{n}b[2], 0, sizeof {n}b[2]); mix({n}b[2].b);"
        f" struct {n} *{n}p = {n}a; *{n}p++ = {n}b[1]; mix({n}a[0].a); mix({n}p - {n}a);"
        f" mix({n}p->a);"
    )


def heap(d: Draw, n: str) -> str:
    held = d.type()
    d.outside.append(f"struct {n} {{ {held} key; struct {n} *next; }};")
    return (
        f"struct {n} *{n} = 0; for (int i = 0; i < {d.number(1, 4)}; i++) {{ struct {n} *made"
        f" = malloc(sizeof *made);"
        f" made->key = {d.value()}; made->next = {n}; {n} = made; }}"
        f" {held} *{n}c = calloc(3, sizeof *{n}c); {n}c[1] = {d.value()}; mix({n}c[0]);"
        f" mix({n}c[1]); free({n}c);"
        f" while ({n}) {{ struct {n} *gone = {n}; mix(gone->key); {n} = gone->next; free(gone); }}"
    )


def enumerations(d: Draw, n: str) -> str:
    d.outside.append(
        f"enum {n} {{ {n}_A = {d.number(-9, 9)}, {n}_B, {n}_C = {n}_B * 2 + 25, {n}_D }};"
        f" typedef enum {n} {n}_t; static int {n}_of({n}_t e) {{ switch (e) {{ case {n}_A:"
        f" return 1;"
        f" case {n}_C: return {n}_D; default: return e == {n}_B; }} }}"
    )
    return (
        f"{n}_t {n} = r1 & 1 ? {n}_B : {n}_C; mix({n}_of({n})); mix({n}_of({n}_A)); mix({n}"
        f" + {n}_D);"
    )


def literals(d: Draw, n: str) -> str:
    d.outside.append(
        f"struct {n} {{ {d.type()} a; {d.type()} b; }};"
        f" static long {n}_of(const struct {n} *s, {d.type()} *v) {{ return s->a - s->b + v[1]; }}"
    )
    held = d.outside[-1].rpartition(", ")[2].partition(" *v")[0]
    return (
        f"mix({n}_of(&(struct {n}) {{ {d.value()}, .b = {d.number()} }}, ({held}[]) {{ 1,"
        f" {d.value()} }}));"
        f" struct {n} {n} = (struct {n}) {{ .b = {d.value()} }}; mix({n}.a + {n}.b);"
        f" mix((struct {n}) {{ 4 }}.a);"
        f" int *{n}p = (int[3]) {{ [1] = {d.number()} }}; mix({n}p[1] + {n}p[2]);"
    )


def conversions(d: Draw, n: str) -> str:
    casts = "".join(f"({d.type()})" for _ in range(3))
    return (
        f"{d.type()} {n} = {d.value()} * {d.number(1, 99999)}; mix({casts}{n});"
        f" mix((_Bool)({n} & 6));"
        f" mix(({d.type()}){n} {d.op('/', '%')} (({d.type()}){d.number(1, 9)}));"
        f" mix(-({d.type()}){n});"
        f" mix(~({d.type()}){n}); mix(({d.type()}){n} >> {d.number(0, 7)}); mix(sizeof"
        f" (({d.type()}){n} + 0));"
        f" mix('a' + {n}); mix({n} == ({d.type()}){n}); mix(({d.type()}){n} <"
        f" ({d.type()}){d.number()});"
    )


def lengths(d: Draw, n: str) -> str:
    held = d.type()
    d.outside.append(
        f"static long {n}_of(int size) {{ {held} own[size]; long all = 0;"
        f" for (int i = 0; i < size; i++) own[i] = i {d.op()} {d.number()};"
        f" for (int i = size; i-- > 0;) all = all * 3 + own[i]; return all; }}"
    )
    return f"mix({n}_of((r1 & 3) + 1));"


CONSTRUCTS: tuple[Construct, ...] = (
    narrow_updates,
    mixed_comparisons,
    bit_fields,
    unions,
    nested_records,
    designated,
    members,
    fallthrough,
    switch_in_loops,
    jumps,
    loops,
    commas_and_choices,
    function_pointers,
    static_locals,
    recursion,
    arrays_of_arrays,
    pointers,
    texts,
    copies,
    heap,
    enumerations,
    literals,
    conversions,
    lengths,
)


def program_of(seed: int, constructs: tuple[Construct, ...]) -> str:
    """A program with these constructs: defines `unsigned long run(void)`."""
    drawn = Draw(random.Random(seed))
    bodies = [
        f"static void part{i}(void) {{\n{_NOISE}\n{construct(drawn, f'v{i}')}\n}}"
        for i, construct in enumerate(constructs)
    ]
    calls = " ".join(f"part{i}();" for i in range(len(constructs)))
    head = _HEAD.replace("SEED", f"{seed}u")
    return "\n".join(
        [head, *drawn.outside, *bodies, f"unsigned long run(void) {{ {calls} return sum; }}", ""]
    )


def generate_constructs(seed: int) -> str:
    """The program of a seed: one of each construct, in any order."""
    chosen = random.Random(f"{seed} constructs").sample(CONSTRUCTS, len(CONSTRUCTS))
    return program_of(seed, tuple(chosen))
