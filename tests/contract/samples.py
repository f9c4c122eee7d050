"""A small program for each part of the contracts: what each kind of proof proves, and no variant
that is not safe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tests.unit.proofs.base.audited import prove
from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.divided.certificate import DividedCertificate, Part, part_of

LOCKED = """
mutex m; int[0..3] x;
thread t[2] { acquire(m); x = VALUE; assert(x <= 1); x = 0; release(m); }
"""
ATOMIC = """
int[0..3] x;
thread t[*] { atomic { x = VALUE; assert(x <= 1); x = 0; } }
"""
CALLING = """
mutex m; int[0..3] x;
int[0..3] f(int[0..3] p) { return p; }
thread t[2] { int[0..3] r; acquire(m); r = f(VALUE); x = r; assert(x <= 1); release(m); }
"""
COUNTED = """
int[0..2] free = COUNT;
thread t[2] { await(free > 0) { free = free - 1; } use: skip; atomic { free = free + 1; } }
invariant alone: forall i, j: t. i != j ==> !(at(i, use) && at(j, use));
"""
GUARDED = """
mutex m; int[0..3] wrap x;
thread t[2] { acquire(m); x = x + 1; release(m); LATER; }
"""
ORDERED = """
mutex m; mutex n;
thread t { acquire(m); acquire(n); release(n); release(m); }
thread u { acquire(FIRST); acquire(SECOND); release(n); release(m); }
"""


@dataclass(frozen=True)
class Claim:
    """A program that an engine proves safe, a variant that is not, and what the engine is told."""

    engine: str
    text: str
    safe: dict[str, str]
    unsafe: dict[str, str]
    properties: tuple[str, ...]
    symmetry: bool = True

    @property
    def program(self) -> Program:
        """The safe program."""
        return _filled(self.text, tuple(self.safe.items()))

    @property
    def variant(self) -> Program:
        """The unsafe one."""
        return _filled(self.text, tuple(self.unsafe.items()))

    @property
    def certificate(self) -> Certificate:
        """The proof."""
        return _proof(self.engine, self.program, self.properties, self.symmetry)


class DividedClaim(Claim):
    """One whose proof is put together from two."""

    @property
    def certificate(self) -> Certificate:
        """A proof for each of the variables."""
        (name,) = self.properties
        shared = (("x",), "locksets"), (("m",), "explicit")
        parts = tuple(
            Part(variables, _proof(engine, part_of(self.program, name, variables), (name,), True))
            for variables, engine in shared
        )
        return DividedCertificate(program_hash(self.program), (name,), parts)


@cache
def _filled(text: str, words: tuple[tuple[str, str], ...]) -> Program:
    for word, value in words:
        text = text.replace(word, value)
    return model(text)


@cache
def _proof(engine: str, program: Program, names: tuple[str, ...], symmetry: bool) -> Certificate:
    return prove(program, engine, *names, symmetry=symmetry)


def _value(engine: str, text: str = LOCKED, *, symmetry: bool = True) -> Claim:
    line = 3 if text is LOCKED else 4
    names = (f"assert:{line}",)
    return Claim(engine, text, {"VALUE": "1"}, {"VALUE": "2"}, names, symmetry)


CLAIMS = {
    "state-set": _value("explicit"),
    "persistent": _value("persistent"),
    "thread-modular": _value("thread-modular", symmetry=False),
    "pushdown": _value("thread-modular", CALLING, symmetry=False),
    "frontier": _value("cartesian-frontier"),
    "symmetric": _value("thread-modular"),
    "reduction": _value("reduction"),
    "summaries": _value("summaries"),
    "formulas": _value("tmmc"),
    "representatives": Claim("horn", ATOMIC, {"VALUE": "1"}, {"VALUE": "2"}, ("assert:3",)),
    "counting": Claim("counting", COUNTED, {"COUNT": "1"}, {"COUNT": "2"}, ("alone",)),
    "interleavings": _value("bounded"),
    "locksets": _value("locksets"),
    "lock-order": Claim(
        "lock-order",
        ORDERED,
        {"FIRST": "m", "SECOND": "n"},
        {"FIRST": "n", "SECOND": "m"},
        ("deadlocks",),
    ),
    "divided": DividedClaim("", GUARDED, {"LATER": "skip"}, {"LATER": "x = 0"}, ("races",)),
    "transformed": Claim("digest", GUARDED, {"LATER": "skip"}, {"LATER": "x = 0"}, ("races",)),
}
"""For each kind of proof."""
