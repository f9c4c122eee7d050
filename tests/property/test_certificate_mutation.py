"""Certificates of every engine, changed at random places: never accepted for what is violated.

One generic mutation serves all kinds of certificates: somewhere inside, an item is dropped,
doubled or swapped with another, or a number is changed. Whatever the checker makes of it must be
an answer, not a crash; and whatever it accepts must be true. Rows keep their shape: files with
rows of another shape are refused when they are read.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import pytest

from tests.property.comparison import nothing
from tests.property.evidence_samples import TEXTS
from tests.sampling import SAMPLED
from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.oracle import explore

ROUNDS = 8 if os.environ.get(SAMPLED) else 20
STEPS = 20_000
SOLVING = ("afr", "bounded", "counting", "horn", "local-proof", "tar", "tmmc")
"""Engines that ask solvers, or whose checkers do: by the beginnings of their names."""
ANY_NUMBER = {
    "any_owner": """
mutex m; int[0..1] x;
thread t[*] { acquire(m); use: x = 1; assert(x == 1); x = 0; release(m); }
invariant alone: forall i, j: t. i != j ==> !(at(i, use) && at(j, use));
invariant zero: x == 0;
race_free x;
""",
    "any_tids": """
tid o; int[0..2] saturate x; bool seen[t];
thread t[*] { tid mine; atomic { if (o == none) o = self; } mine = o; seen[self] = true;
  assert(mine != none); if (mine == self) { x = x + 1; } }
thread u { assume(x > 0); assert(x == 1); }
invariant owned: forall i: t. i.mine == i ==> o == i;
""",
}
PROGRAMS = {**TEXTS, **ANY_NUMBER}
OPTIONS = (EngineOptions(max_depth=5, symmetry=False), EngineOptions(max_depth=5))


@cache
def program_of(name: str) -> Program:
    return model(PROGRAMS[name])


@cache
def violated_of(name: str) -> frozenset[str]:
    """What brute force violates; with any number of threads, what some small number does."""
    program = program_of(name)
    if not program.has_any_number:
        return explore(program, program.properties, 5).violated
    found: frozenset[str] = frozenset()
    for count in range(4):
        found |= explore(program.with_counts({"t": count}), program.properties, 5).violated
    return found


@cache
def certificates(name: str, engine: str) -> tuple[Certificate, ...]:
    """What an engine leaves behind, with and without symmetry."""
    program = program_of(name)
    found: list[Certificate] = []
    for options in OPTIONS:
        task = Task(program, program.properties, options, Meter(Budget(steps=STEPS)))
        try:
            for finding in ENGINES[engine].create().run(task):
                if isinstance(finding, Proved) and finding.certificate not in found:
                    found.append(finding.certificate)
        except (Unsupported, BudgetExhausted):
            continue
    return tuple(found)


def _marks(engine: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if engine.startswith(SOLVING) else []


CASES = [
    pytest.param(name, engine, marks=_marks(engine), id=f"{name}-{engine}")
    for name in PROGRAMS
    for engine in ENGINES
]


def mutated(value: Any, rng: random.Random) -> Any:
    """The value with one change somewhere inside."""
    match value:
        case bool():
            return not value
        case int():
            return rng.choice([value + 1, value - 1, 0, 1, 2, -1, 99])
        case str():
            return value + "x"
        case None:
            return 0
        case Mapping():
            keys = list(value)
            if not keys:
                return value
            key = rng.choice(keys)
            if rng.random() < 0.3:
                return {k: v for k, v in value.items() if k != key}
            return {**value, key: mutated(value[key], rng)}
        case tuple() if _is_row(value):
            items = list(value)
            k = rng.choice([k for k, item in enumerate(items) if item != ()])
            items[k] = mutated(items[k], rng)
            make: Any = getattr(type(value), "_make", tuple)
            return make(items)
        case tuple() | list():
            return type(value)(_mutated_items(list(value), rng))
        case _ if is_dataclass(value) and not isinstance(value, type) and fields(value):
            name = rng.choice([f.name for f in fields(value)])
            return replace(value, **{name: mutated(getattr(value, name), rng)})
        case _:
            return value


def _is_row(value: tuple[Any, ...]) -> bool:
    """Whether the number of items of a tuple means something, as in (store, local store)."""
    return hasattr(value, "_fields") or any(not isinstance(item, tuple | list) for item in value)


def _mutated_items(items: list[Any], rng: random.Random) -> list[Any]:
    if not items:
        return items
    k, other = rng.randrange(len(items)), rng.randrange(len(items))
    match rng.randrange(5):
        case 0:
            return [*items[:k], *items[k + 1 :]]
        case 1:
            return [*items, items[k]]
        case 2:
            items[k], items[other] = items[other], items[k]
            return items
        case _:
            return [*items[:k], mutated(items[k], rng), *items[k + 1 :]]


def mutant(certificate: Certificate, rng: random.Random) -> Certificate:
    """A certificate with one or two changes in its tables."""
    names = [f.name for f in fields(certificate) if f.name not in ("program_hash", "properties")]
    filled = [name for name in names if not isinstance(getattr(certificate, name), frozenset)]
    tables = [name for name in filled if getattr(certificate, name)] or filled
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice(tables)
        certificate = replace(certificate, **{name: mutated(getattr(certificate, name), rng)})
    return certificate


def is_accepted(program: Program, certificate: Certificate) -> bool:
    try:
        check_certificate(program, certificate, nothing)
    except (Refuted, Unsupported):
        return False
    return True


def test_every_engine_leaves_certificates() -> None:
    proving = [name for name, info in ENGINES.items() if info.answers.startswith("SAFE")]
    engines = [engine for engine in proving if not engine.startswith(SOLVING)]
    for engine in engines:
        assert any(certificates(name, engine) for name in PROGRAMS), engine
    for name in PROGRAMS:
        assert any(certificates(name, engine) for engine in engines), name


@pytest.mark.parametrize(("name", "engine"), CASES)
def test_mutants(name: str, engine: str) -> None:
    program, violated = program_of(name), violated_of(name)
    rng = random.Random(f"{name} {engine}")
    for certificate in certificates(name, engine):
        assert is_accepted(program, certificate)
        assert violated.isdisjoint(certificate.properties)
        refused = 0
        for _ in range(ROUNDS):
            changed = mutant(certificate, rng)
            refused += not is_accepted(program, changed)
            for claim in sorted(violated):
                assert not is_accepted(program, replace(changed, properties=(claim,)))
        # of what an order of locks says is surely held, most is not needed
        assert refused > ROUNDS // (5 if certificate.kind == "lock-order" else 3)
