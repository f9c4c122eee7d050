"""What formulas about k threads mean in a state.

Of any k different threads, listed by template, one of the formulas that fit their templates and
locations holds; a formula that has no value does not hold. In a program with calls a thread is in
a *context*, which it enters with a call and leaves with the return, and the formulas of other
contexts say nothing about it. A run does not show which one it is in: the monitor keeps all that
are possible, per frame, and it is wrong only if none is left.

Ghosts are computed along: they start as `none`, and the edges that write them are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import NamedTuple

from threadwise.core.identity import Same
from threadwise.ir.commands import Call
from threadwise.ir.expr import Expr, Scope, Variable
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import Declaration, LocId, Program
from threadwise.ir.text.thread_formulas import FormulaReader, representatives
from threadwise.ir.types import NONE, TID
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.by_store import ByStore
from threadwise.proofs.counting.audit import Equations
from threadwise.proofs.representatives.certificate import (
    ContextCall,
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.state import Frame, GlobalStore, LocalStore, Move, State

LEMMAS = "equations"
MOST_KNOWN = 50_000
"""So many evaluations are remembered."""


class _Claim(NamedTuple):
    """A formula that was read, and its name in the counter of evaluations."""

    claimed: RepresentativesFormula
    formula: Expr
    name: str


class _Listed(NamedTuple):
    """A listed call whose formula was read."""

    claimed: ContextCall
    formula: Expr


Layer = Mapping[int, frozenset[int]]
"""The contexts that a procedure may run in, each with those its caller may be in."""


class RepresentativesMonitor:
    """Evaluates the formulas in every state."""

    def __init__(self, program: Program, certificate: RepresentativesCertificate) -> None:
        self.certificate = certificate
        ghosts = [Variable(g.name, TID, Scope.GLOBAL, sync=True) for g in certificate.ghosts]
        self.program = replace(
            program, globals=(*program.globals, *(Declaration(ghost) for ghost in ghosts))
        )
        self.layout = ProgramLayout.of(self.program)
        self.has_calls = any(isinstance(edge.action, Call) for edge in program.edges)
        self.lemmas = Equations(self.program, certificate.lemmas)
        self.evaluated: Counter[str] = Counter()
        self._claims: dict[tuple[str, ...], list[_Claim]] = {}
        self._listed: list[_Listed] = []
        self._read()
        self._ghosts: list[int] = []
        self._layers: list[list[Layer]] = []
        self._fitting: dict[tuple[object, ...], list[_Claim]] = {}
        """By templates and locations of k threads, what is claimed of them."""
        self._known = ByStore[tuple[object, ...], bool]()
        """Formulas that were evaluated, with all that they read: most steps change little."""
        self._asked = 0
        self._looked: set[tuple[GlobalStore, tuple[LocalStore, ...]]] = set()

    def _read(self) -> None:
        readers: dict[str | None, FormulaReader] = {}

        def read(text: str, templates: Sequence[str], procedure: str | None) -> Expr:
            if procedure not in readers:
                readers[procedure] = FormulaReader(self.program, procedure)
            return readers[procedure].read(text, representatives(templates))

        procedure_of = self.program.procedure_of
        for claimed in self.certificate.formulas:
            place = claimed.locations[0]
            inside = procedure_of[place].name if self.has_calls and place is not None else None
            formula = read(claimed.formula, claimed.templates, inside)
            name = _name(claimed)
            self._claims.setdefault(claimed.templates, []).append(_Claim(claimed, formula, name))
            self.evaluated[name] = 0
        for call in self.certificate.calls:
            inside = procedure_of[self.program.edges[call.call].source].name
            formula = read(call.formula, (call.template,), inside)
            self._listed.append(_Listed(call, formula))

    # -- the run ----------------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """A run begins."""
        self._ghosts = [NONE for _ in self.certificate.ghosts]
        nobody: frozenset[int] = frozenset()
        everything = {claim.context: nobody for claim in self.certificate.formulas}
        self._layers = [[everything] for _ in state.locals]
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step."""
        thread = move.thread
        for choice in move.choices:
            for number, ghost in enumerate(self.certificate.ghosts):
                if choice.edge in ghost.mine:
                    self._ghosts[number] = thread
                if choice.edge in ghost.nobody:
                    self._ghosts[number] = NONE
        if len(after.stacks[thread]) > len(before.stacks[thread]):
            self._call(after, thread, after.stacks[thread][-1])
        elif len(after.stacks[thread]) < len(before.stacks[thread]):
            left = self._layers[thread].pop()
            callers = frozenset[int]().union(*left.values())
            waiting = self._layers[thread][-1]
            self._layers[thread][-1] = {c: waiting[c] for c in waiting if c in callers}
        self._look(after)

    def _call(self, state: State, thread: int, frame: Frame) -> None:
        """A thread has called: which contexts may it be in now, and from which did it come?"""
        template = self.layout.numbers.templates[thread]
        source = self.program.edges[frame.call].source
        waiting = LocalStore(source, state.locals[thread].thread, frame.locals)
        seen = (*state.locals[:thread], waiting, *state.locals[thread + 1 :])
        entered: dict[int, frozenset[int]] = {}
        for claimed, formula in self._listed:
            if (
                (claimed.template, claimed.call) == (template, frame.call)
                and claimed.caller in self._layers[thread][-1]
                and self._holds(formula, state.g, seen, (thread,))
            ):
                known = entered.get(claimed.callee, frozenset())
                entered[claimed.callee] = known | {claimed.caller}
        self._layers[thread].append(entered)

    # -- states -----------------------------------------------------------------------------------

    def _look(self, state: State) -> None:
        failures = [self.program.locations[l.pc].failure for l in state.locals]
        if any(failure is not None and failure.kind.is_limit for failure in failures):
            return
        g = state.g
        if self._ghosts:
            g = GlobalStore((*g.cells, *self._ghosts), g.heap)
        if not self.has_calls:  # then a state says all there is to say
            if (g, state.locals) in self._looked:
                return
            if len(self._looked) > MOST_KNOWN:
                self._looked.clear()
            self._looked.add((g, state.locals))
        if self.certificate.lemmas and not any(failures):
            self.evaluated[LEMMAS] += 1
            broken = self.lemmas.broken(state._replace(g=g))
            if broken is not None:
                raise Broken(f"equation {broken + 1} does not hold")
        order = {template.name: i for i, template in enumerate(self.program.templates)}
        names = self.layout.numbers.templates
        for threads in permutations(range(len(state.locals)), self.certificate.k):
            ranks = [order[names[t]] for t in threads]
            if ranks == sorted(ranks):
                self._look_at(g, state, threads)

    def _look_at(self, g: GlobalStore, state: State, threads: tuple[int, ...]) -> None:
        """Whether some formula holds of these threads; contexts that do not fit are dropped."""
        templates = tuple(self.layout.numbers.templates[t] for t in threads)
        places = tuple(state.locals[t].pc for t in threads)
        layers = self._layers[threads[0]]
        holding: set[int] = set()
        for claim in self._claimed(templates, places):
            context = claim.claimed.context
            if context in layers[-1] and context not in holding:
                self.evaluated[claim.name] += 1
                if self._is_known(claim, g, state.locals, threads):
                    holding.add(context)
        if not holding:
            told = ", ".join(f"`{t}` at {p}" for t, p in zip(templates, places, strict=True))
            raise Broken(f"no formula holds of {told}")
        if self.has_calls:
            layers[-1] = {c: callers for c, callers in layers[-1].items() if c in holding}

    def _claimed(self, templates: tuple[str, ...], places: tuple[LocId, ...]) -> list[_Claim]:
        """What is claimed of threads of these templates at these locations."""
        if (templates, places) not in self._fitting:
            self._fitting[templates, places] = [
                claim
                for claim in self._claims.get(templates, ())
                if all(
                    a in (None, b) for a, b in zip(claim.claimed.locations, places, strict=True)
                )
            ]
        return self._fitting[templates, places]

    def _is_known(
        self,
        claim: _Claim,
        g: GlobalStore,
        locals_: tuple[LocalStore, ...],
        threads: tuple[int, ...],
    ) -> bool:
        key = (Same(claim), *((t, locals_[t]) for t in threads))
        known = self._known.at(g)
        if key not in known:
            if self._asked > MOST_KNOWN:
                self._known, self._asked = ByStore(), 0
                known = self._known.at(g)
            self._asked += 1
            known[key] = self._holds(claim.formula, g, locals_, threads)
        return known[key]

    def _holds(
        self,
        formula: Expr,
        g: GlobalStore,
        locals_: tuple[LocalStore, ...],
        threads: Sequence[int],
    ) -> bool:
        bound = {f"t{i}": t for i, t in enumerate(threads, start=1)}
        view = View(self.program, self.layout, NONE, g, locals_[0], others=locals_, bound=bound)
        try:
            return view.holds(formula)
        except Undefined:
            return False


def _name(claimed: RepresentativesFormula) -> str:
    places = zip(claimed.templates, claimed.locations, strict=True)
    told = ", ".join(f"{t}@{'*' if p is None else p}" for t, p in places)
    return f"formula of {told}" + (f" in context {claimed.context}" if claimed.context else "")


def audit_representatives(
    program: Program, certificate: RepresentativesCertificate
) -> RepresentativesMonitor:
    """The monitor of a proof by formulas about k threads."""
    return RepresentativesMonitor(program, certificate)
