"""Random C programs of one thread that compute a checksum.

Every program is free of undefined behaviour but signed overflow (compiled with -fwrapv): shifts
are masked, divisors and indices brought into range, every variable is initialised, every loop
counts to a small bound, and side effects stand in statements of their own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

INTEGERS = (
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
)
_BINARY = ("+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||")
_UPDATES = ("=", "+=", "-=", "*=", "&=", "|=", "^=")


@dataclass
class Scope:
    """What an expression may mention."""

    scalars: list[str] = field(default_factory=list)
    """Things that can be assigned, as C text."""
    constants: list[str] = field(default_factory=list)
    """Things that can only be read: loop counters."""
    arrays: list[tuple[str, int]] = field(default_factory=list)
    pointers: list[str] = field(default_factory=list)


class Generator:
    """One random program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0
        self.functions: list[tuple[str, int]] = []
        self.shared = Scope()

    def program(self) -> str:
        """The text; `main` adds up and calls `report(checksum)`."""
        parts = ["struct pair { int a; unsigned char b : 5; short c; signed d : 3; long e[3]; };"]
        for _ in range(self.random.randint(2, 4)):
            parts.append(self._global())
        parts.append(
            f"struct pair sp = {{{self.number()}, 3, {self.random.randint(-99, 99)}, -2}};"
        )
        self.shared.scalars += ["sp.a", "sp.b", "sp.c", "sp.d", "sp.e[1]"]
        for _ in range(self.random.randint(1, 3)):
            parts.append(self._function())
        parts.append("unsigned long run(void) {")
        scope = self._locals(parts)
        for _ in range(self.random.randint(4, 9)):
            parts.append(self.statement(scope, 2))
        parts.append("unsigned long sum = 0;")
        for name in [*scope.scalars, *scope.pointers]:
            what = f"*{name}" if name in scope.pointers else name
            parts.append(f"sum = sum * 31 + (unsigned long)({what});")
        for name, size in scope.arrays:
            parts.append(f"for (int i = 0; i < {size}; i++) sum = sum * 31 + {name}[i];")
        parts.append("return sum; }")
        return "\n".join(parts) + "\n"

    # -- declarations --------------------------------------------------------------------------

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def _global(self) -> str:
        held, name = self.random.choice(INTEGERS), self.fresh("g")
        if self.random.random() < 0.4:
            size = self.random.randint(2, 4)
            self.shared.arrays.append((name, size))
            values = ", ".join(self.number() for _ in range(self.random.randint(1, size)))
            return f"{held} {name}[{size}] = {{{values}}};"
        self.shared.scalars.append(name)
        return f"{held} {name} = {self.number()};"

    def _locals(self, parts: list[str]) -> Scope:
        shared = self.shared
        scope = Scope(list(shared.scalars), [], list(shared.arrays), [])
        for _ in range(self.random.randint(2, 4)):
            name = self.fresh("v")
            parts.append(f"{self.random.choice(INTEGERS)} {name} = {self.expression(scope, 1)};")
            scope.scalars.append(name)
        name = self.fresh("a")
        held = self.random.choice(INTEGERS[:-1])
        parts.append(f"{held} {name}[3] = {{{self.expression(scope, 1)}, {self.number()}}};")
        scope.arrays.append((name, 3))
        pointer = self.fresh("p")
        parts.append(f"{held} *{pointer} = &{name}[{self.random.randint(0, 2)}];")
        scope.pointers.append(pointer)
        if self.random.random() < 0.5:
            local = self.fresh("s")
            parts.append(f"struct pair {local} = sp; struct pair *{local}p = &{local};")
            scope.scalars += [f"{local}.a", f"{local}p->c", f"{local}p->b", f"{local}.e[2]"]
        return scope

    def _function(self) -> str:
        name = self.fresh("f")
        count = self.random.randint(1, 3)
        parameters = [(self.random.choice(INTEGERS), self.fresh("q")) for _ in range(count)]
        scope = Scope(list(self.shared.scalars) + [p for _, p in parameters], [])
        scope.arrays = list(self.shared.arrays)
        listed = ", ".join(f"{held} {p}" for held, p in parameters)
        body = [self.statement(scope, 1) for _ in range(self.random.randint(1, 3))]
        if self.random.random() < 0.4:
            body.insert(0, f"if ({self.expression(scope, 1)}) return {self.expression(scope, 1)};")
        result = self.expression(scope, 2)
        held = self.random.choice(INTEGERS)
        text = "\n".join(body)
        self.functions.append((name, count))
        return f"{held} {name}({listed}) {{\n{text}\nreturn {result};\n}}"

    # -- statements ----------------------------------------------------------------------------

    def statement(self, scope: Scope, depth: int) -> str:
        kind = self.random.random()
        if depth <= 0 or kind < 0.45:
            return self._assignment(scope)
        if kind < 0.6:
            otherwise = f" else {{ {self.statement(scope, depth - 1)} }}"
            return (
                f"if ({self.expression(scope, 2)}) {{ {self.statement(scope, depth - 1)} }}"
                f"{otherwise if self.random.random() < 0.6 else ''}"
            )
        if kind < 0.75:
            return self._loop(scope, depth)
        if kind < 0.85:
            return self._switch(scope, depth)
        if self.functions:
            name, count = self.random.choice(self.functions)
            arguments = ", ".join(self.expression(scope, 1) for _ in range(count))
            return f"{self.random.choice(scope.scalars)} = {name}({arguments});"
        return self._assignment(scope)

    def _assignment(self, scope: Scope) -> str:
        place = self._place(scope)
        roll = self.random.random()
        if roll < 0.15:
            return f"{place}{self.random.choice(('++', '--'))};"
        if roll < 0.25:
            return f"{place} {self.random.choice(('<<=', '>>='))} {self._count(scope)};"
        if roll < 0.35:
            return f"{place} {self.random.choice(('/=', '%='))} {self._divisor(scope)};"
        if roll < 0.45 and scope.scalars:
            other = self.random.choice(scope.scalars)
            if other != place and not place.startswith("("):
                return f"{other} = {place}{self.random.choice(('++', '--'))};"
        return f"{place} {self.random.choice(_UPDATES)} {self.expression(scope, 2)};"

    def _place(self, scope: Scope) -> str:
        roll = self.random.random()
        if roll < 0.2 and scope.arrays:
            name, size = self.random.choice(scope.arrays)
            return f"{name}[{self._index(scope, size)}]"
        if roll < 0.3 and scope.pointers:
            return f"(*{self.random.choice(scope.pointers)})"
        return self.random.choice(scope.scalars)

    def _index(self, scope: Scope, size: int) -> str:
        if self.random.random() < 0.5:
            return str(self.random.randrange(size))
        return f"(unsigned)({self.expression(scope, 1)}) % {size}u"

    def _loop(self, scope: Scope, depth: int) -> str:
        counter, bound = self.fresh("i"), self.random.randint(1, 4)
        inner = Scope(scope.scalars, [*scope.constants, counter], scope.arrays, scope.pointers)
        body = self.statement(inner, depth - 1)
        if self.random.random() < 0.3:
            skip = self.random.choice(("continue", "break"))
            body = f"if ({self.expression(inner, 1)}) {skip}; {body}"
        if self.random.random() < 0.7:
            return f"for (int {counter} = 0; {counter} < {bound}; {counter}++) {{ {body} }}"
        return (
            f"{{ int {counter} = 0; do {{ {counter}++; {body} }} while ({counter} < {bound}); }}"
        )

    def _switch(self, scope: Scope, depth: int) -> str:
        cases = []
        for value in self.random.sample(range(-1, 5), 3):
            stop = "break;" if self.random.random() < 0.6 else ""
            cases.append(f"case {value}: {self.statement(scope, depth - 1)} {stop}")
        if self.random.random() < 0.6:
            default = f"default: {self.statement(scope, depth - 1)} break;"
            cases.insert(self.random.randint(0, 3), default)
        return f"switch (({self.expression(scope, 1)}) % 5) {{ {' '.join(cases)} }}"

    # -- expressions ---------------------------------------------------------------------------

    def number(self) -> str:
        roll = self.random.random()
        if roll < 0.5:
            return str(self.random.randint(-3, 9))
        if roll < 0.8:
            return str(self.random.randint(-200, 300))
        return self.random.choice(
            ("2147483647", "(-2147483647 - 1)", "4294967295u", "65535", "-32768", "1L << 40")
        )

    def expression(self, scope: Scope, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.25:
            return self._atom(scope)
        roll = self.random.random()
        if roll < 0.6:
            left, right = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
            return f"({left} {self.random.choice(_BINARY)} {right})"
        if roll < 0.68:
            shift = self.random.choice(("<<", ">>"))
            return f"({self.expression(scope, depth - 1)} {shift} {self._count(scope)})"
        if roll < 0.76:
            op = self.random.choice(("/", "%"))
            return f"({self.expression(scope, depth - 1)} {op} {self._divisor(scope)})"
        if roll < 0.84:
            operand = self.expression(scope, depth - 1)
            return f"({self.random.choice(('-', '~', '!'))}({operand}))"
        if roll < 0.92:
            return f"(({self.random.choice(INTEGERS)})({self.expression(scope, depth - 1)}))"
        parts = [self.expression(scope, depth - 1) for _ in range(3)]
        return f"({parts[0]} ? {parts[1]} : {parts[2]})"

    def _atom(self, scope: Scope) -> str:
        roll = self.random.random()
        if roll < 0.3 or not scope.scalars:
            return f"({self.number()})"
        if roll < 0.4 and scope.constants:
            return self.random.choice(scope.constants)
        if roll < 0.5 and scope.arrays:
            name, size = self.random.choice(scope.arrays)
            return f"{name}[{self.random.randrange(size)}]"
        if roll < 0.6 and scope.pointers:
            return f"(*{self.random.choice(scope.pointers)})"
        return self.random.choice(scope.scalars)

    def _count(self, scope: Scope) -> str:
        return f"(({self._atom(scope)}) & 15)"

    def _divisor(self, scope: Scope) -> str:
        if self.random.random() < 0.5:
            return str(self.random.randint(1, 9))
        return f"((({self._atom(scope)}) & 7) + 1)"


def generate(seed: int) -> str:
    """The program of a seed: defines `unsigned long run(void)`."""
    return Generator(seed).program()
