"""C with atomic regions, before and after hidden steps are joined: the same violations."""

from __future__ import annotations

import random

import pytest

from tests.property.test_simplify import violated
from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.frontends.c import read_c
from threadwise.frontends.c.lower import lower
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.transforms.pipeline import simplified
from threadwise.transforms.simplify.constants import put_in_constants
from threadwise.transforms.simplify.silent_steps import hide_silent_steps

SHARED = ("x", "y", "z")
SCRATCH = ("p", "q")
POSITIVE = "1 + __VERIFIER_nondet_bool()"
"""A condition that always holds, which nobody can tell from the text: branches never taken."""
HEAD = """
#include <pthread.h>
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
unsigned char x, y, z, b[2]; _Bool p, q;
"""


class Draw:
    """A random program of two threads with atomic regions and a few accesses outside."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.shared = SHARED if seed % 3 else (*SHARED, *SCRATCH)
        self.outside = 0.5 if seed % 4 == 1 else 0.15
        """How often accesses are no synchronisation."""
        self.effects = seed % 2 == 0
        """Whether values are assigned in the middle of statements, and arrays are used."""

    def program(self) -> str:
        bodies = [self.body() for _ in range(2)]
        functions = "".join(
            f"void *f{i}(void *a) {{ unsigned char l = 0, c = {POSITIVE};\n{body}  return 0; }}\n"
            for i, body in enumerate(bodies)
        )
        start = "".join(f"pthread_t t{i}; pthread_create(&t{i}, 0, f{i}, 0); " for i in range(2))
        wait = "".join(f"pthread_join(t{i}, 0); " for i in range(2))
        checked = f"assert(!({self.condition(2)}));"
        main = f"unsigned char l = 0, c = {POSITIVE}; {start}{wait}{checked} return 0;"
        return f"{HEAD}{functions}int main(void) {{ {main} }}\n"

    def body(self) -> str:
        parts = [self.part() for _ in range(self.random.choice((1, 2)))]
        return "".join(parts)

    def part(self) -> str:
        inside = "".join(f"  {self.statement(2)}\n" for _ in range(self.random.choice((1, 2, 3))))
        if self.random.random() < self.outside:
            return inside
        return f"  __VERIFIER_atomic_begin();\n{inside}  __VERIFIER_atomic_end();\n"

    def statement(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.15 and depth:
            other = f" else {{ {self.statement(0)} }}" if self.random.random() < 0.5 else ""
            return f"if ({self.condition(1)}) {{ {self.statement(0)} }}{other}"
        if kind < 0.4:
            scratch = self.random.choice(SCRATCH)
            return f"{scratch} = __VERIFIER_nondet_bool();"
        if kind < 0.5:
            return f"{self.random.choice(SCRATCH)} = {self.condition(1)};"
        target = self.random.choice((*self.shared, "l"))
        if kind < 0.65:
            again = f"{self.condition(1)} ? (l = {self.value(1)}) : 0"
            return f"l = {self.value(1)}, ({again}); {target} = l;"
        return f"{target} = {self.value(2)};"

    def effect(self, depth: int) -> str:
        """A value that is assigned on the way; what it overwrites may have been read before."""
        target = self.random.choice((*self.shared, "l", "l", f"b[{self.value(0)} & 1]"))
        kind = self.random.randrange(5)
        if kind == 0:
            return f"{target}++"
        if kind == 1:
            return f"({target} += {self.value(depth)})"
        if kind == 2:
            return f"({self.value(depth)}, {self.value(depth)})"
        if kind == 3:
            return f"({target} = {self.value(depth)}, {self.value(depth)})"
        return f"({target} = {self.value(depth)})"

    def value(self, depth: int) -> str:
        if self.effects and depth and self.random.random() < 0.35:
            return self.effect(depth - 1)
        kind = self.random.random()
        if self.effects and kind < 0.1:
            return f"b[{self.value(0)} & 1]"
        if not depth or kind < 0.3:
            return str(self.random.choice((*self.shared, "l", "0", "1", "2")))
        if kind < 0.6:
            chosen = self.value(depth - 1), self.value(depth - 1)
            return f"({self.condition(depth - 1)} ? {chosen[0]} : {chosen[1]})"
        return f"(({self.value(depth - 1)} + {self.value(depth - 1)}) % 3)"

    def condition(self, depth: int) -> str:
        if self.effects and depth and self.random.random() < 0.2:
            return f"({self.value(depth)} == {self.value(0)})"
        kind = self.random.random()
        if depth and kind < 0.35:
            op = self.random.choice(("&&", "||"))
            return f"({self.condition(depth - 1)} {op} {self.condition(depth - 1)})"
        if depth and kind < 0.45:
            return f"!({self.condition(depth - 1)})"
        if kind < 0.55:
            return str(self.random.choice(("c", "!c")))
        if kind < 0.7:
            return str(self.random.choice(SCRATCH))
        compared = self.random.choice(("==", "<", "!="))
        return f"{self.random.choice(self.shared)} {compared} 1"


def forms(text: str) -> tuple[Program, Program]:
    """The program with nothing joined, and with everything."""
    source, options = SourceFile("random.c", text), COptions()
    lowered = lower(read_c([source], options).program, options, {source.path: source}, "random.c")
    plain = hide_silent_steps(put_in_constants(lowered.program))
    return plain, simplified(lowered.program, lowered.uses)


def compare(seed: int) -> bool:
    """Whether the program was small enough to compare; asserts that both forms agree."""
    text = Draw(seed).program()
    plain, joined = forms(text)
    assert validate(joined) == []
    assert len(joined.edges) <= len(plain.edges)
    before = violated(plain)
    if before is None:
        return False
    after = violated(joined)
    assert after is not None, text
    assert after[0] == before[0], text
    return True


def test_a_sample() -> None:
    assert sum(compare(seed) for seed in range(6)) > 3


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_many(block: int) -> None:
    assert sum(compare(seed) for seed in range(100 + 50 * block, 150 + 50 * block)) > 25
