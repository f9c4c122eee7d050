"""Formulas about threads: nested as little as possible, in the words of a thread."""

from __future__ import annotations

import pytest

from threadwise.core.errors import InputError, Unsupported
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    Read,
    Scope,
    SelfId,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.text.reader import read_program
from threadwise.ir.text.thread_formulas import (
    FormulaReader,
    about,
    balanced,
    formula_text,
    rebalanced,
    representatives,
)
from threadwise.ir.types import BOOL


def read(name: str, scope: Scope = Scope.GLOBAL) -> Read:
    return Read(VariablePlace(Variable(name, BOOL, scope)))


def depth(expr: Expr) -> int:
    return 1 + max(map(depth, (expr.left, expr.right))) if isinstance(expr, Binary) else 0


def leaves(expr: Expr) -> list[Expr]:
    return [*leaves(expr.left), *leaves(expr.right)] if isinstance(expr, Binary) else [expr]


def chained(op: BinaryOp, parts: list[Expr]) -> Expr:
    found = parts[0]
    for part in parts[1:]:
        found = Binary(op, found, part)
    return found


PARTS: list[Expr] = [read(f"b{i}") for i in range(64)]


def test_long_chains_are_nested_as_little_as_possible() -> None:
    for op in (BinaryOp.AND, BinaryOp.OR):
        chain = chained(op, PARTS)
        assert depth(chain) == 63
        flat = rebalanced(chain)
        assert depth(flat) == 6
        assert leaves(flat) == PARTS
        assert balanced(op, PARTS) == flat
        assert rebalanced(Unary(UnaryOp.NOT, chain)) == Unary(UnaryOp.NOT, flat)
    assert balanced(BinaryOp.AND, PARTS[:1]) == PARTS[0]


def test_chains_inside_of_others_keep_their_operator() -> None:
    inner = chained(BinaryOp.OR, PARTS[:4])
    mixed = rebalanced(Binary(BinaryOp.AND, PARTS[9], inner))
    assert mixed == Binary(BinaryOp.AND, PARTS[9], balanced(BinaryOp.OR, PARTS[:4]))


def test_what_is_a_threads_own_is_said_about_the_thread() -> None:
    one, _ = representatives(["client", "server"])
    assert representatives(["client", "server"])[1] == ThreadVariable("t2", "server")
    own, shared = read("own", Scope.LOCAL), read("shared")
    expr = Binary(BinaryOp.AND, own, Binary(BinaryOp.EQ, shared, SelfId()))
    said = about(one, expr)
    assert said == Binary(
        BinaryOp.AND, ThreadRead(one, own.place), Binary(BinaryOp.EQ, shared, one)
    )


TWICE = """
program "twice"
thread client[2] runs client
  variable v: bool
thread server[1] runs server
procedure client() {
  local v: bool
  entry 0
  location 0 final
}
procedure server() {
  local v: bool
  entry 1
  location 1 final
}
"""


def test_formulas_about_two_variables_of_one_name_are_refused() -> None:
    program = read_program(TWICE)
    client, server = representatives(["client", "server"])
    own = ThreadRead(server, VariablePlace(Variable("v", BOOL, Scope.LOCAL)))
    text = formula_text(program, own, [server])
    assert FormulaReader(program).read(text, [server]) == own
    with pytest.raises(Unsupported, match="two variables of one name in `client`"):
        formula_text(program, own, [server, client])


SEVERAL = """
program "several"

global x: bool
global y: int[0..3]

thread t[*] runs t

procedure t() {
  local r: int[0..3]
  entry 0
  location 0
}
"""


def test_formulas_are_read_once_for_all_numbers_of_threads() -> None:
    program = read_program(SEVERAL)
    threads = representatives(("t",))
    two, three = (program.with_counts({"t": count}) for count in (2, 3))
    formula = FormulaReader(two).read("x", threads)
    assert FormulaReader(three).read("x", threads) is formula
    assert FormulaReader(program).read("x", threads) == formula


def test_formulas_are_read_again_where_names_mean_something_else() -> None:
    program = read_program(SEVERAL)
    threads = representatives(("t",))
    formula = FormulaReader(program).read("x", threads)
    same = read_program(SEVERAL)
    assert FormulaReader(same).read("x", threads) == formula
    other = read_program(SEVERAL.replace("global x: bool", "global x: int[0..3]"))
    with pytest.raises(InputError):
        FormulaReader(other).read("x", threads)
    without = read_program(SEVERAL.replace("global x: bool\n", ""))
    with pytest.raises(InputError):
        FormulaReader(without).read("x", threads)
