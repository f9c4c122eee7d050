"""Sums that do not wrap, since a condition bounds them; threads joined by such numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.ir.expr import Binary, BinaryOp, Expr, Read, Scope, Variable, VariablePlace, Wrap
from threadwise.ir.fold import number
from threadwise.ir.types import MachineType
from threadwise.proofs.locksets.order import without_wrap
from threadwise.results.verdict import Verdict

INT, LONG = MachineType(32, signed=True), MachineType(64, signed=True)


def local(name: str, held: MachineType = INT) -> Expr:
    return Read(VariablePlace(Variable(name, held, Scope.LOCAL)))


I, N = local("i"), local("n")


def plus(by: int) -> Wrap:
    return Wrap(-(2**31), 2**31 - 1, Binary(BinaryOp.ADD, I, number(by)))


def test_what_is_bounded_does_not_wrap() -> None:
    assert without_wrap(plus(1), {}, frozenset({Binary(BinaryOp.LT, I, N)})) == plus(1).operand
    assert without_wrap(plus(1), {}, frozenset({Binary(BinaryOp.GT, N, I)})) == plus(1).operand


@pytest.mark.parametrize(
    ("by", "fact"),
    [
        (1, Binary(BinaryOp.LE, I, N)),  # n may be the largest number
        (2, Binary(BinaryOp.LT, I, N)),
        (1, Binary(BinaryOp.LT, I, local("n", LONG))),  # n may be larger than i can be
        (1, Binary(BinaryOp.GT, I, N)),
        (1, Binary(BinaryOp.LT, local("j"), N)),
        (-1, Binary(BinaryOp.LT, I, N)),  # i may be the smallest number
    ],
)
def test_what_may_wrap_stays(by: int, fact: Expr) -> None:
    assert without_wrap(plus(by), {}, frozenset({fact})) == plus(by)


READERS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct reader {{ pthread_t thread; const char *path; int error; }};
static void *work(void *argument)
{{
    struct reader *reader = argument;
    if (reader->path)
        reader->error = 1;
    return NULL;
}}
int main(void)
{{
    int files = __VERIFIER_nondet_int();
    if (files <= 0)
        return 1;
    struct reader *readers = calloc(files, sizeof *readers);
    for (int i = 0; i < files; i++) {{
        readers[i].path = "x";
        pthread_create(&readers[i].thread, NULL, work, &readers[i]);
    }}
    for (int i = 0; i < files; i++) {{
        {body}
    }}
    free(readers);
    return 0;
}}
"""
JOIN = "pthread_join(readers[i].thread, NULL);"
LOOK = 'if (readers[i].error != 0) fprintf(stderr, "%s\\n", readers[i].path);'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        (JOIN + LOOK, Verdict.SAFE),
        (LOOK + JOIN, Verdict.UNKNOWN),  # looks before it joins
        ("if (i > 0) " + JOIN + LOOK, Verdict.UNKNOWN),  # forgets the first one
        ("pthread_join(readers[0].thread, NULL);" + LOOK, Verdict.UNKNOWN),
    ],
)
def test_readers(tmp_path: Path, body: str, verdict: Verdict) -> None:
    path = tmp_path / "readers.c"
    path.write_text(READERS.format(body=body), encoding="utf-8")
    options = CheckOptions(properties=("races",), engine="locksets")
    assert check_file(str(path), options, in_process=True).verdict is verdict
