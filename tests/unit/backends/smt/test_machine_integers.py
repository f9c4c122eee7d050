"""Machine integers compute what a C compiler's do, or Python's arithmetic without a compiler."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

from tests.tools import needs
from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Environments
from threadwise.backends.smt.logic import Logic
from threadwise.backends.smt.values import Symbolic
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number
from threadwise.ir.program import Declaration, Program
from threadwise.ir.types import MachineType

COMPILER = shutil.which("gcc")
TYPES = {
    f"{'' if signed else 'u'}int{width}_t": MachineType(width, signed)
    for width in (8, 16, 32, 64)
    for signed in (False, True)
}
OPERATORS = [op for op in BinaryOp if op.value in ("+", "-", "*", "/", "%", "&", "|", "^")]
SHIFTS = [BinaryOp.SHL, BinaryOp.SHR]


def draw_expression(rng: random.Random, name: str, depth: int) -> tuple[Expr, str]:
    """An expression over x, y and z, and the same in C: each operation wraps to the type."""
    held = TYPES[name]
    variables = {v: Variable(v, held, Scope.GLOBAL) for v in "xyz"}
    if depth == 0 or rng.random() < 0.1:
        v = rng.choice("xyz")
        return Read(VariablePlace(variables[v])), v
    choice = rng.random()
    left, left_text = draw_expression(rng, name, depth - 1)
    if choice < 0.15:
        op = rng.choice([UnaryOp.NEG, UnaryOp.BIT_NOT])
        made: Expr = Unary(op, left)
        text = f"{op.value}{left_text}"
    elif choice < 0.35:
        shift = rng.choice(SHIFTS)
        right, right_text = draw_expression(rng, name, depth - 1)
        distance = Binary(BinaryOp.BIT_AND, right, number(held.width - 1))
        made = Binary(shift, left, distance)
        text = f"{left_text} {shift.value} ({right_text} & {held.width - 1})"
    else:
        op_ = rng.choice(OPERATORS)
        right, right_text = draw_expression(rng, name, depth - 1)
        if op_ in (BinaryOp.DIV, BinaryOp.MOD):
            # never zero, and never -1: the quotient of the least number would not fit in C
            right = Binary(BinaryOp.BIT_OR, Binary(BinaryOp.BIT_AND, right, number(63)), number(2))
            right_text = f"(({right_text} & 63) | 2)"
        made = Binary(op_, left, right)
        text = f"{left_text} {op_.value} {right_text}"
    return Wrap(held.low, held.high, made), f"(({name})({text}))"


def compiled(cases: list[tuple[str, str, tuple[int, ...]]], folder: Path) -> list[int]:
    """What C says."""
    assert COMPILER is not None
    lines = ["#include <stdint.h>", "#include <stdio.h>", "int main(void) {"]
    for name, text, values in cases:
        fixed = ", ".join(
            f"{v} = ({name}){value % (1 << 64)}ULL" for v, value in zip("xyz", values, strict=True)
        )
        shown = "%lld" if not name.startswith("u") else "%llu"
        cast = "long long" if not name.startswith("u") else "unsigned long long"
        lines.append(f"{{ {name} {fixed}; (void)x; (void)y; (void)z;")
        lines.append(f'printf("{shown}\\n", ({cast}){text}); }}')
    lines += ["return 0; }"]
    source, binary = folder / "cases.c", folder / "cases"
    source.write_text("\n".join(lines))
    subprocess.run([COMPILER, "-fwrapv", "-w", "-O0", "-o", binary, source], check=True)
    out = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    return [int(line) for line in out.split()]


def encoded(expr: Expr, name: str, values: tuple[int, ...]) -> int:
    """What the solver's logic says."""
    variables = [Variable(v, TYPES[name], Scope.GLOBAL) for v in "xyz"]
    program = Program("p", (), tuple(map(Declaration, variables)), (), (), ())
    logic = Logic()
    environments = Environments(program, logic)
    store: dict[Variable, Symbolic] = dict(environments.shared())
    env = Environment(store, {}, logic.integer(0), "")
    term = Encoder(environments).term(expr, env)
    pairs = [(store[v], logic.integer(n)) for v, n in zip(variables, values, strict=True)]
    return int(str(logic.simplify(logic.substitute(term, pairs))))


@needs("gcc")
def test_equal_to_a_compiler(tmp_path: Path) -> None:
    rng = random.Random(6)
    cases, expressions = [], []
    for number_ in range(200):
        name = list(TYPES)[number_ % len(TYPES)]
        held = TYPES[name]
        expr, text = draw_expression(rng, name, 3)
        edges = [held.low, held.high, 0, 1, held.high - 1]
        values = tuple(
            rng.choice(edges) if rng.random() < 0.4 else rng.randint(held.low, held.high)
            for _ in "xyz"
        )
        cases.append((name, text, values))
        expressions.append(expr)
    said = compiled(cases, tmp_path)
    found = [
        encoded(expr, name, values)
        for expr, (name, _, values) in zip(expressions, cases, strict=True)
    ]
    assert found == said
