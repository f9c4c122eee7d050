"""Properties as error patterns of the concrete system.

assertion, range, mutex   one thread, in a failure location of the property
race                      two threads with conflicting enabled accesses
invariant                 `forall i, j: t. e`: one distinct thread per variable; variables that
                          mean the same thread make patterns of their own. Any other shape of
                          quantifiers relates all threads.
deadlock                  all threads
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from threadwise.ir.commands import OperationKind
from threadwise.ir.expr import (
    AtLabel,
    Expr,
    Quantified,
    Quantifier,
    ThreadRead,
    ThreadVariable,
)
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.types import NONE
from threadwise.systems.api import ErrorPattern, Role
from threadwise.systems.python_code import (
    Evaluate,
    ExpressionCompiler,
    Global,
    Local,
    compile_function,
)

if TYPE_CHECKING:
    from threadwise.systems.concrete import ConcreteSystem

Pattern = ErrorPattern[Global, Local]
_WAITING = (OperationKind.ACQUIRE, OperationKind.JOIN)


class ErrorCompiler:
    """The patterns of one concrete system."""

    def __init__(self, system: ConcreteSystem) -> None:
        self.system = system
        self.program = system.program
        self.layout = system.layout
        self.everyone = tuple(system.roles)
        self._subjects: dict[tuple[Edge, str], Evaluate] = {}

    def patterns(self, checked: Property) -> Iterator[Pattern]:
        """All ways to violate a property."""
        match checked:
            case FailureProperty():
                yield self.failure(checked)
            case RaceProperty():
                yield self.race(checked)
            case DeadlockProperty():
                yield ErrorPattern(checked, None, self.is_deadlock)
            case InvariantProperty():
                yield from self.invariant(checked)

    def failure(self, checked: FailureProperty) -> Pattern:
        """A thread in a failure location."""
        bad = frozenset(
            location.id
            for location in self.program.locations
            if location.failure is not None and location.failure.property == checked.name
        )

        def may_hold(_g: Global, _roles: Sequence[Role], ls: Sequence[Local]) -> bool:
            return ls[0][0] in bad

        return ErrorPattern(checked, (self.everyone,), may_hold)

    # -- races -----------------------------------------------------------------------------------

    def race(self, checked: RaceProperty) -> Pattern:
        """Two threads with conflicting enabled accesses to a cell."""
        concerned = [
            checked.variables is None or cell.variable.name in checked.variables
            for cell in self.layout.globals.cells
        ]

        def may_hold(g: Global, roles: Sequence[Role], ls: Sequence[Local]) -> bool:
            mine = self.system.accesses(roles[0], g, ls[0])
            if not any(concerned[slot] for slot, _, _ in mine):
                return False
            theirs = self.system.accesses(roles[1], g, ls[1])
            return any(
                slot == other and concerned[slot] and (write or writes) and not (sync and syncs)
                for slot, write, sync in mine
                for other, writes, syncs in theirs
            )

        return ErrorPattern(checked, (self.everyone, self.everyone), may_hold, unordered=True)

    # -- deadlocks -------------------------------------------------------------------------------

    def is_deadlock(self, g: Global, roles: Sequence[Role], ls: Sequence[Local]) -> bool:
        """Nobody can go on although somebody is not at its end, or some wait for each other."""
        blocked = [t for t in roles if not self.system.can_step(t, g, ls[t])]
        if len(blocked) == len(roles) and not all(self._may_rest(ls[t]) for t in roles):
            return True
        waits = {t: self._awaited(t, g, ls[t]) for t in blocked}
        waiting = {t for t in blocked if waits[t]}
        while True:
            hopeless = {
                t for t in waiting if all(u in waiting or self._is_final(ls[u]) for u in waits[t])
            }
            if hopeless == waiting:
                return bool(hopeless)
            waiting = hopeless

    def _is_final(self, l: Local) -> bool:
        return self.program.locations[self.system.location(l)].final

    def _may_rest(self, l: Local) -> bool:
        location = self.program.locations[self.system.location(l)]
        return location.final or any(label.startswith("end") for label in location.labels)

    def _awaited(self, t: Role, g: Global, l: Local) -> frozenset[int]:
        """The threads that a blocked thread waits for in acquire or join; empty if in neither."""
        awaited: set[int] = set()
        for edge in self.program.outgoing[self.system.location(l)]:
            if edge.operation is None or edge.operation.kind not in _WAITING:
                return frozenset()
            holder = self._subject(t, edge)(t, g, l)
            if not isinstance(holder, int) or holder == NONE:
                return frozenset()
            awaited.add(holder)
        return frozenset(awaited)

    def _subject(self, t: Role, edge: Edge) -> Evaluate:
        template = self.layout.numbers.templates[t]
        key = (edge, template)
        if key not in self._subjects:
            assert edge.operation is not None
            assert edge.operation.subject is not None
            procedure = self.program.procedure_of[edge.source].name
            compiler = self.system.code[t].compiler
            self._subjects[key] = compiler.formula(procedure, edge.operation.subject)
        return self._subjects[key]

    # -- invariants ------------------------------------------------------------------------------

    def invariant(self, checked: InvariantProperty) -> Iterator[Pattern]:
        """The negation of a formula."""
        variables, body = _prefix(checked.formula)
        if any(isinstance(part, Quantified) for part in subexpressions(body)):
            code = _FormulaCompiler(self, {})
            text = f"return not {code.expr(checked.formula)}"
            yield ErrorPattern(checked, None, compile_function("g, roles, ls", [text]))
            return
        for blocks in _partitions(variables):
            bindings = {
                variable.name: (f"roles[{k}]", f"ls[{k}]")
                for k, block in enumerate(blocks)
                for variable in block
            }
            code = _FormulaCompiler(self, bindings)
            positions = tuple(
                tuple(map(Role, self.layout.numbers.ranges[block[0].template])) for block in blocks
            )
            text = f"return not {code.expr(body)}"
            yield ErrorPattern(checked, positions, compile_function("g, roles, ls", [text]))


class _FormulaCompiler(ExpressionCompiler):
    """Invariants over several threads; `bindings` says how to read each thread variable."""

    def __init__(self, owner: ErrorCompiler, bindings: Mapping[str, tuple[str, str]]) -> None:
        super().__init__(owner.program, owner.layout, "", "", "g[{0}]")
        self.owner = owner
        self.bindings = bindings

    def expr(self, expr: Expr) -> str:
        match expr:
            case ThreadVariable(name, _):
                return self.bindings[name][0]
            case AtLabel(ThreadVariable(name, _), procedure, label):
                places = {
                    int(location.id)
                    for location in self.program.procedure[procedure].locations
                    if label in location.labels
                }
                return f"({self.bindings[name][1]}[0] in {sorted(places)!r})"
            case ThreadRead(ThreadVariable(name, template), place):
                self.template = template
                _, slot = self.slot(place)
                return f"{self.bindings[name][1]}[{slot}]"
            case Quantified(quantifier, variables, body):
                return self._loop(quantifier, variables, body)
            case _:
                return super().expr(expr)

    def _loop(
        self, quantifier: Quantifier, variables: Sequence[ThreadVariable], body: Expr
    ) -> str:
        names = {v.name: f"t_{depth}" for depth, v in enumerate(variables, len(self.bindings))}
        inner = _FormulaCompiler(
            self.owner, {**self.bindings, **{n: (t, f"ls[{t}]") for n, t in names.items()}}
        )
        loops = " ".join(
            f"for {names[v.name]} in {self.layout.numbers.ranges[v.template]!r}" for v in variables
        )
        test = "all" if quantifier is Quantifier.FORALL else "any"
        return f"{test}({inner.expr(body)} {loops})"


def _prefix(formula: Expr) -> tuple[tuple[ThreadVariable, ...], Expr]:
    """The leading universal quantifiers of a formula, and the rest."""
    variables: tuple[ThreadVariable, ...] = ()
    while isinstance(formula, Quantified) and formula.quantifier is Quantifier.FORALL:
        variables += formula.variables
        formula = formula.body
    return variables, formula


def _partitions(
    variables: Sequence[ThreadVariable],
) -> Iterator[list[list[ThreadVariable]]]:
    """All ways for variables of equal template to mean the same thread."""
    if not variables:
        yield []
        return
    first, rest = variables[0], variables[1:]
    for blocks in _partitions(rest):
        yield [[first], *blocks]
        for k, block in enumerate(blocks):
            if block[0].template == first.template:
                yield [*blocks[:k], [first, *block], *blocks[k + 1 :]]
