"""Every engine against brute force, on one program at a time.

`Comparison.of(text)` loads a program and explores it; each method compares one thing with what
brute force found and fails with the program's text if the two differ. Programs with more states
than `STATE_LIMIT` are not worth the time: `of` gives None for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from tests.property.programs import Features, RandomChooser, generate
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.source import SourceFile
from threadwise.engines import cartesian
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.cartesian_engine import CartesianEngine, FrontierEngine
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.registry import ENGINES
from threadwise.engines.thread_modular.rules import (
    ThreadModularFixpoint,
    thread_modular_fixpoint,
)
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.frontends.model import load_model
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Call
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty
from threadwise.ir.text.printer import print_program
from threadwise.ir.text.reader import read_program
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.thread_modular.check import FoundStep, own_of
from threadwise.proofs.thread_modular.vector_steps import vector_steps
from threadwise.semantics.oracle import OracleAnswer, explore
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import GlobalStore
from threadwise.semantics.step import Interpreter
from threadwise.systems.api import JointState
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.reference import ReferenceSystem
from threadwise.traces.replay import replay

STATE_LIMIT = 3000
PRODUCT_LIMIT = 600
"""Cartesian products are enumerated up to this many states."""
STEP_LIMIT = 20_000
"""Engines without a comparison of their own are stopped after this many steps."""
COMPARED_BY_THEMSELVES = (
    "explicit",
    "thread-modular",
    "cartesian",
    "cartesian-frontier",
    "reduction",
    "summaries",
    "counting",
    "horn",
    "afr",
    "tmmc",
    "tmmc-printed",
    "tmmcir",
    "local-proof",
    "tar",
    "tar-a",
    "tar-b",
    "tar-havoc",
    "bounded",
)
MAX_DEPTH = 3
MAX_THREADS = 2

Joint = JointState[Any, Any, Any]
Fixpoint = ThreadModularFixpoint[Any, Any, Any]


def nothing() -> None:
    """A tick that never stops anything."""


def load(text: str) -> Program:
    """The program of a text."""
    return load_model(SourceFile("random.tw", text), max_threads=MAX_THREADS)


def features_of(seed: int) -> Features:
    """Half of the corpus has no calls, so that thread-modular engines take part."""
    return Features(calls=seed % 2 == 0, recursion=seed % 4 == 0)


def program_of(seed: int) -> str:
    """The text of one program of the corpus."""
    return generate(RandomChooser.of(seed), features_of(seed))


def reachable(system: ConcreteSystem, limit: int) -> dict[Joint, None] | None:
    """The states of the compiled program, as simply as possible; None if there are too many."""
    found = dict.fromkeys(system.joint_initial())
    pending = list(found)
    while pending:
        state = pending.pop()
        if any(map(system.is_stopped, state.locals)):
            continue
        for after in _successors(system, state):
            if after not in found:
                found[after] = None
                pending.append(after)
                if len(found) > limit:
                    return None
    return found


def _successors(system: ConcreteSystem, state: Joint) -> Iterator[Joint]:
    for t in system.roles:
        g, l, stack = state.g, state.locals[t], state.stacks[t]
        moves = [(step.g, step.l, stack) for step in system.step(t, g, l)]
        if len(stack) < MAX_DEPTH:
            moves += [(g, push.l, (*stack, push.frame)) for push in system.push(t, g, l)]
        if stack:
            moves += [(g, pop.l, stack[:-1]) for pop in system.pop(t, g, l, stack[-1])]
        for after, moved, grown in moves:
            yield JointState(
                after,
                (*state.locals[:t], moved, *state.locals[t + 1 :]),
                (*state.stacks[:t], grown, *state.stacks[t + 1 :]),
            )


@dataclass
class Comparison:
    """One program, and what brute force says about it."""

    text: str
    program: Program
    system: ConcreteSystem
    states: dict[Joint, None]
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Per kind of property, how often thread-modular checking and brute force gave an answer."""
    proved: set[str] = field(default_factory=set)
    """What thread-modular checking proves without symmetry."""

    @staticmethod
    def of(text: str, limit: int = STATE_LIMIT) -> Comparison | None:
        """Load and explore; None if the program is too large or outside the model."""
        program = load(text)
        return Comparison.explored(text, program, ConcreteSystem(program), limit)

    @staticmethod
    def explored(
        text: str, program: Program, system: ConcreteSystem, limit: int = STATE_LIMIT
    ) -> Comparison | None:
        """Explore; None if the program is too large or outside the model."""
        try:
            states = reachable(system, limit)
        except Unsupported:
            return None
        return None if states is None else Comparison(text, program, system, states)

    @cached_property
    def oracle(self) -> OracleAnswer:
        """What brute force finds."""
        return explore(self.program, self.program.properties, MAX_DEPTH)

    @property
    def has_calls(self) -> bool:
        """Whether thread-modular checking without stacks does not apply."""
        return any(isinstance(edge.action, Call) for edge in self.program.edges)

    @cached_property
    def fixpoint(self) -> Fixpoint:
        """R and G, one role per thread."""
        return thread_modular_fixpoint(self.system)

    def run_all(self) -> None:
        """Every comparison."""
        self.text_form()
        self.reachable_states()
        self.explicit_engine()
        self.compiled_steps()
        if not self.has_calls:
            self.projections()
            self.thread_modular_engine()
            self.symmetric_engine()
            self.cartesian_definitions()
        else:
            self.modular_engine_with_calls()
        for name in ENGINES:
            if name not in COMPARED_BY_THEMSELVES:
                self.any_engine(name)

    # -- front end and IR -------------------------------------------------------------------------

    def text_form(self) -> None:
        """The program is well formed, and reading is the inverse of printing."""
        assert validate(self.program) == [], self.text
        printed = print_program(self.program)
        again = read_program(printed)
        assert print_program(again) == printed, self.text
        assert again == self.program, self.text

    # -- standard model checking ------------------------------------------------------------------

    def reachable_states(self) -> None:
        """The compiled program and the reference semantics reach the same states."""
        mine = {self.system.reference_state(state) for state in self.states}
        assert mine == self.oracle.states, self.text

    def explicit_engine(self) -> None:
        """Same violations and same conclusion as brute force, all with good evidence."""
        task = Task(self.program, self.program.properties, EngineOptions(max_depth=MAX_DEPTH))
        findings = list(ExplicitEngine().run(task))
        violated = self._check_evidence(findings)
        assert violated == self.oracle.violated, self.text
        left = [f for f in findings if not isinstance(f, Violated)]
        assert len(left) == (len(violated) < len(self.program.properties)), self.text
        for finding in left:
            complete = not self.oracle.cut and not self.oracle.limits
            assert isinstance(finding, Proved) == complete, self.text
            assert task.statistics.as_dict()["states"] == len(self.states), self.text
            if isinstance(finding, Undecided):
                assert set(finding.reason.split("; ")) == self.oracle.limits or (
                    self.oracle.cut and not self.oracle.limits
                ), self.text

    def _check_evidence(self, findings: list[Finding]) -> set[str]:
        violated: set[str] = set()
        for finding in findings:
            if isinstance(finding, Violated):
                replay(self.program, finding.trace)
                violated.add(finding.trace.property)
            elif isinstance(finding, Proved):
                proof = check_certificate(self.program, finding.certificate, nothing)
                assert proof.properties == finding.properties, self.text
        return violated

    def compiled_steps(self) -> None:
        """From every reached pair both systems offer the same steps, calls and accesses."""
        reference = ReferenceSystem(self.program)
        checker = PropertyChecker(reference.interpreter)
        pairs = dict.fromkeys(
            (t, state.g, state.locals[t]) for state in self.states for t in self.system.roles
        )
        for t, g, l in pairs:
            store, local = GlobalStore(g), self.system.reference_local(t, l)
            steps = [
                (s.choices, GlobalStore(s.g), self.system.reference_local(t, s.l))
                for s in self.system.step(t, g, l)
            ]
            expected = list(reference.interpreter.step(t, store, local))
            assert steps == [(s.choices, s.g, s.l) for s in expected], self.text
            accesses = {
                (access.cell.slot, access.write, access.sync)
                for step in expected
                for access in step.accesses
            }
            assert set(self.system.accesses(t, g, l)) == accesses, self.text
            pushes = [
                (p.choice, self.system.reference_local(t, p.l), tuple(p.frame))
                for p in self.system.push(t, g, l)
            ]
            assert pushes == [
                (p.choice, p.l, tuple(p.frame)) for p in reference.interpreter.push(t, local)
            ], self.text
            can_step = checker.interpreter.can_step(t, store, local)
            assert self.system.can_step(t, g, l) == can_step, self.text

    # -- thread-modular checking ------------------------------------------------------------------

    def projections(self) -> None:
        """R contains every reachable state's projections."""
        for state in self.states:
            for t, l in zip(self.system.roles, state.locals, strict=True):
                assert (state.g, l) in self.fixpoint.reached[t], self.text

    def thread_modular_engine(self) -> None:
        """SAFE implies SAFE; every proof checks; nothing provable is missed."""
        options = EngineOptions(symmetry=False)
        task = Task(self.program, self.program.properties, options)
        proved = self.proved
        for finding in ThreadModularEngine().run(task):
            assert not isinstance(finding, Violated)
            if isinstance(finding, Proved):
                proved |= set(finding.properties)
                self._check_evidence([finding])
                self._vectorised_steps(finding.certificate)
        assert task.statistics.as_dict() == {
            "states": self.fixpoint.size,
            "guarantees": self.fixpoint.guarantee_count,
        }
        if proved:
            assert not self.oracle.limits, self.text
        assert not proved & self.oracle.violated, self.text
        at_stake = {
            location.failure.property for location in self.program.locations if location.failure
        }
        for checked in self.program.properties:
            if isinstance(checked, FailureProperty) and checked.name not in at_stake:
                continue
            answer = "UNSAFE" if checked.name in self.oracle.violated else "UNKNOWN"
            answer = "SAFE" if checked.name in proved else answer
            self.answers[checked.kind.value, answer] += 1
        self._error_patterns(proved)

    def symmetric_engine(self) -> None:
        """One representative for threads that are alike proves just as much, with evidence."""
        task = Task(self.program, self.program.properties, EngineOptions(symmetry=True))
        findings = list(ThreadModularEngine().run(task))
        self._check_evidence(findings)
        proved = {name for f in findings if isinstance(f, Proved) for name in f.properties}
        assert proved == self.proved, self.text

    def modular_engine_with_calls(self) -> None:
        """Where there are stacks: SAFE implies SAFE up to the oracle's bound, with evidence."""
        for symmetry in (False, True):
            options = EngineOptions(symmetry=symmetry)
            task = Task(self.program, self.program.properties, options)
            try:
                findings = list(ThreadModularEngine().run(task))
            except Unsupported:
                return
            assert not self._check_evidence(findings), self.text
            proved = {name for f in findings if isinstance(f, Proved) for name in f.properties}
            assert not proved & self.oracle.violated, self.text
            assert not (proved and self.oracle.limits), self.text

    def any_engine(self, name: str) -> None:
        """Whatever an engine says is true, as far as brute force sees, and has good evidence."""
        options = EngineOptions(max_depth=MAX_DEPTH)
        meter = Meter(Budget(steps=STEP_LIMIT))
        task = Task(self.program, self.program.properties, options, meter)
        findings: list[Finding] = []
        with suppress(Unsupported, BudgetExhausted):
            findings.extend(ENGINES[name].create().run(task))
        violated = self._check_evidence(findings)
        proved = {n for f in findings if isinstance(f, Proved) for n in f.properties}
        if not self.oracle.cut:
            assert violated <= self.oracle.violated, (name, self.text)
        assert not proved & self.oracle.violated, (name, self.text)
        assert not (proved and self.oracle.limits), (name, self.text)

    def _error_patterns(self, proved: set[str]) -> None:
        """What the search in R calls possible is what some state of gamma(R) violates."""
        if self._product_size() > STATE_LIMIT:
            return
        interpreter = Interpreter(self.program)
        checker = PropertyChecker(interpreter)
        sets = tuple(frozenset(reached) for reached in self.fixpoint.reached)
        states = [
            self.system.reference_state(JointState(g, ls, tuple(() for _ in ls)))
            for g, ls in cartesian.gamma(sets)
        ]
        if any(checker.limit(state) is not None for state in states):
            assert not proved, self.text
            return
        for checked in self.program.properties:
            looked_at = states
            if not isinstance(checked, FailureProperty):
                looked_at = [state for state in states if not interpreter.is_stopped(state)]
            possible = any(checker.violated(checked, state) for state in looked_at)
            assert (checked.name in proved) == (not possible), (checked.name, self.text)

    def _vectorised_steps(self, certificate: object) -> None:
        """The checker's table evaluator takes the same steps as the interpreter."""
        assert isinstance(certificate, ThreadModularCertificate)
        interpreter = Interpreter(self.program)
        vectorised = Counter(vector_steps(interpreter, certificate, nothing))
        expected = Counter(
            FoundStep(t, g, l, tuple(c.edge for c in step.choices), step.g.cells, own_of(step.l))
            for t, pairs in enumerate(certificate.reached)
            for g, l in pairs
            for step in interpreter.step(t, GlobalStore(certificate.globals[g]), l)
        )
        assert vectorised == expected, self.text

    def _product_size(self) -> int:
        total = 0
        for lists in self.fixpoint.pairs.by_global.values():
            size = 1
            for ls in lists:
                size *= len(ls)
            total += size
        return total

    def cartesian_definitions(self) -> None:
        """Theorems 3 and 6 and the frontier search of MPR, by their definitions."""
        if self._product_size() > PRODUCT_LIMIT:
            return
        self.answers["cartesian", "compared"] += 1
        sets = tuple(frozenset(reached) for reached in self.fixpoint.reached)
        assert cartesian.theorem_3(self.system) == sets, self.text
        assert cartesian.cartesian_fixpoint(self.system) == sets, self.text
        closed = cartesian.theorem_6(self.system)
        assert cartesian.alpha(self.system, closed) == sets, self.text
        assert cartesian.gamma(sets) == closed, self.text
        chain = list(cartesian.frontiers(self.system))
        for one, after in pairwise(chain):
            assert cartesian.post_sharp(self.system, one) == after, self.text
        for one in (sets, cartesian.union(chain)):
            exact = cartesian.alpha(self.system, cartesian.post(self.system, cartesian.gamma(one)))
            assert cartesian.post_sharp(self.system, one) == exact, self.text
        united = cartesian.union(chain)
        assert all(some <= more for some, more in zip(united, sets, strict=True)), self.text
        covered = frozenset[Any]().union(*map(cartesian.gamma, chain))
        assert covered <= closed, self.text
        assert all((state.g, state.locals) in covered for state in self.states), self.text
        self._cartesian_engines()

    def _cartesian_engines(self) -> None:
        """As precise as thread-modular checking, and more precise, both sound."""
        found: list[set[str]] = []
        for engine in (CartesianEngine(), FrontierEngine()):
            findings = list(engine.run(Task(self.program, self.program.properties)))
            assert not self._check_evidence(findings), self.text
            found.append({n for f in findings if isinstance(f, Proved) for n in f.properties})
        assert found[0] == self.proved, self.text
        assert found[0] <= found[1], self.text
        assert not found[1] & self.oracle.violated, self.text
        assert not (found[1] and self.oracle.limits), self.text
