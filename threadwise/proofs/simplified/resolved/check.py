"""The obligations of a program without pointers that stands for one with pointers.

Every run of the program before has an image, step by step, with threads at locations that belong
together and states that do (`tables`); it may end in a limit. So what cannot happen in the program
after, limits included, cannot happen in the program before: no failure, and no race, since the
image makes all accesses that may be part of one. The program after may do more.

    (1) procedures, threads, properties and locations are the same; only limits are new, and
        nothing leads on from them
    (2) variables are those that the tables say, and start so; cells without a flag are never made
        unwritten, and pointers that are said to have no offset start without one
    (3) for every edge, and every case of where the pointers that it follows lead (to each offset
        of each object that fits, or nowhere): where it can be taken, there is an edge from the
        same location to the same location that can, and does the same
    (4) an allocation takes an object of its site that was not used before, whatever the states of
        these are, or ends in a limit; an object that ends is written as a whole
    (5) edges that say what may lie behind a limit are taken by no run

Deadlocks are not preserved: an operation whose subject is an address, or lies behind a pointer
that the edge itself does not follow, is not annotated any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import (
    conjuncts,
)
from threadwise.ir.program import (
    Edge,
    EdgeId,
    LocId,
    Program,
)
from threadwise.ir.types import (
    BOOL,
    INT,
    PointerType,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.normal import Normal
from threadwise.proofs.simplified.resolved.allocated import Allocated
from threadwise.proofs.simplified.resolved.followed import (
    NOT_ZERO,
    beyond_is_zero,
    followed,
    holds_integers,
    in_expr,
)
from threadwise.proofs.simplified.resolved.frame import Frame
from threadwise.proofs.simplified.resolved.image import (
    Known,
    Wanted,
    changes_nothing,
    guard_of,
    is_contradictory,
    reads,
    stores_of,
    told_of,
)
from threadwise.proofs.simplified.resolved.tables import Claims, Tables, Target
from threadwise.proofs.simplified.resolved.words import (
    Case,
    NoPart,
    Nowhere,
    Words,
    fitting,
    flag_variable,
)

MOST_CASES = 4_096
"""More cases of one edge are not looked at."""


def check_resolved(before: Program, after: Program, claims: Claims) -> None:
    """Raises Refuted unless every run of a program has an image in the one without pointers."""
    tables = Tables(before, claims)
    declared = {d.variable for d in after.globals}
    own = [d.variable for d in before.globals]
    known = {v.name: v for v in [*own, *(t.variable for t in tables.targets)]}
    flagged = frozenset(name for name, v in known.items() if flag_variable(v) in declared)
    Frame(before, after, tables, flagged).check()
    _Edges(before, after, tables, flagged).check()


class _Edges:
    def __init__(
        self, before: Program, after: Program, tables: Tables, flagged: frozenset[str]
    ) -> None:
        self.before = before
        self.after = after
        self.tables = tables
        self.flagged = flagged
        self.image: dict[LocId, LocId] = {
            here.origin: here.id for here in after.locations if here.origin is not None
        }
        self.made: dict[EdgeId, list[Edge]] = {}
        for edge in after.edges:
            for path in edge.origin:
                if len(path) == 1:
                    self.made.setdefault(path[0], []).append(edge)
        self.beyond = beyond_is_zero(before, tables)
        self.allocated = Allocated(before)
        self.integers = holds_integers(before, self.is_never_taken)
        self._fitting: dict[tuple[int, object], list[int]] = {}

    def is_never_taken(self, edge: Edge) -> bool:
        """(5): whether an edge says what may lie behind a limit."""
        return self.beyond and NOT_ZERO in conjuncts(edge.action.guard)

    def check(self) -> None:
        """Raises Refuted unless each edge has its images."""
        for edge in self.before.edges:
            if self.is_never_taken(edge):
                continue
            made = [
                other
                for other in self.made.get(edge.id, ())
                if other.source == self.image[edge.source]
                and (other.sync, other.mover) == (edge.sync, edge.mover)
            ]
            for case in self._cases(edge):
                self._check_case(edge, made, case)

    def _cases(self, edge: Edge) -> Iterator[Case]:
        pointers = list(dict.fromkeys(followed(edge)))
        choices: list[list[tuple[Target, int] | None]] = []
        total = 1
        for _, held in pointers:
            found: list[tuple[Target, int] | None] = [None]
            for target in self.tables.targets:
                key = target.position, held
                if key not in self._fitting:
                    self._fitting[key] = fitting(target, held)
                found += [(target, offset) for offset in self._fitting[key]]
            choices.append(found)
            total *= len(found)
        if total > MOST_CASES:
            raise Refuted(f"edge {edge.id} has too many cases")
        for chosen in product(*choices):
            yield dict(zip(pointers, chosen, strict=True))

    def _check_case(self, edge: Edge, made: Sequence[Edge], case: Case) -> None:
        procedure = self.before.procedure_of[edge.source].name
        words = Words(self.tables, self.flagged, self.integers, case, procedure)
        normal = Known({})
        try:
            known = self._known(words)
            if known is None:
                return  # the pointers cannot lead there at once
            normal = Known(known)
            guard = guard_of(words, edge.action.guard, normal)
            if FALSE in guard or is_contradictory(guard):
                return
            wanted = list(self._wanted(edge, words, normal, guard))
        except Nowhere:
            return  # what is evaluated has no value, so the edge is not taken
        except NoPart:
            if any(
                self._is_limit(other) and not normal.parts(other.action.guard) for other in made
            ):
                return
            raise Refuted(f"edge {edge.id} may see an object as another type") from None
        for told in wanted:
            if not any(told.is_done_by(other, self.image.get(edge.target)) for other in made):
                raise Refuted(f"edge {edge.id} is lost where its pointers lead to {told_of(case)}")

    def _is_limit(self, edge: Edge) -> bool:
        """Whether an edge leads to a new limit."""
        return self.after.locations[edge.target].origin is None

    def _known(self, words: Words) -> dict[Expr, Const] | None:
        """What pointers hold in a case; None if they cannot."""
        found: dict[Expr, Const] = {}
        for (pointer, _), leads in words.case.items():
            if leads is None:
                continue
            target, offset = leads
            values = Const(target.position, self.tables.kind), Const(offset, INT)
            for half, value in zip(words.pair(pointer), values, strict=True):
                term = Normal().of(half)
                if isinstance(term, Const):
                    if term.value != value.value:
                        return None
                elif found.setdefault(term, value) != value:
                    return None
        return found

    def _wanted(
        self, edge: Edge, words: Words, normal: Known, guard: frozenset[Expr]
    ) -> Iterator[Wanted]:
        """What the images of an edge have to do: one for each further case."""
        operation = edge.operation
        subject = None if operation is None else operation.subject
        if operation is not None and subject is not None:
            unknown = not words.case.keys() >= {*in_expr(subject)}
            if unknown or isinstance(subject.type, PointerType):
                operation = None
            else:
                operation = replace(operation, subject=normal.of(words.expr(subject)))
        looked = frozenset(map(normal.place, reads(words, edge)))
        told = Wanted(self.after, normal, guard, (), (), looked, operation)
        match edge.action:
            case Command(_, assignments, havocs):
                stores = [s for a in assignments for s in stores_of(words, a, normal)]
                flags = [words.flag(place) for place in havocs]
                stores += [(flag, Const(value=True, type=BOOL)) for flag in flags if flag]
                if any(isinstance(place.type, PointerType) for place in havocs):
                    raise Refuted("a pointer is an input")
                stores = [s for s in stores if not changes_nothing(s, stores, guard)]
                yield replace(
                    told,
                    stores=tuple((normal.place(p), normal.of(v)) for p, v in stores),
                    havocs=tuple(normal.place(words.place(place)) for place in havocs),
                )
            case Allocate():
                yield from self._allocations(edge.action, words, told)
            case Free(_, pointer):
                procedure = self.before.procedure_of[edge.source].name
                yield from self._ends(pointer, procedure, words, told)
            case Call(procedure, arguments, result, _):
                given = tuple(normal.of(words.expr(argument)) for argument in arguments)
                to = None if result is None else normal.place(words.place(result))
                yield replace(told, call=(procedure, given, to))
            case Return(value, _):
                handed = None if value is None else normal.of(words.expr(value))
                yield replace(told, returned=(handed,))

    def _allocations(self, action: Allocate, words: Words, told: Wanted) -> Iterator[Wanted]:
        """(4): for every object of the site the case that it is the first one not used, and the
        case that all are: one of these it always is."""
        target, flag = words.halves(action.target), words.flag(action.target)
        used: dict[Expr, Const] = {}
        for copy in (*self.tables.copies(action.site), None):
            known = dict(used)
            ways: list[tuple[tuple[Place, Expr], ...]] = []
            if copy is not None:
                state = Read(VariablePlace(copy.state))
                for op, value in ((BinaryOp.EQ, FALSE), (BinaryOp.NE, TRUE)):
                    used[Binary(op, state, Const(0, INT))] = value
                known[state] = Const(0, INT)
            normal = Known({**told.normal.known, **known})
            if copy is not None:
                values = Const(copy.position, self.tables.kind), Const(0, INT)
                stores: list[tuple[Place, Expr]] = [
                    (p, v) for p, v in zip(target, values, strict=True) if p is not None
                ]
                stores += [(flag, Const(value=True, type=BOOL))] if flag else []
                stores.append((VariablePlace(copy.state), Const(1, INT)))
                ways.append(tuple((normal.place(p), normal.of(v)) for p, v in stores))
            guard = frozenset(part for old in told.guard for part in normal.parts(old))
            if FALSE not in guard:
                yield replace(told, normal=normal, guard=guard, ways=tuple(ways), limit=True)

    def _ends(self, pointer: Expr, procedure: str, words: Words, told: Wanted) -> Iterator[Wanted]:
        """(4): for every object that may end."""
        item = Normal().of(words.pair(pointer)[0])
        sites = self.allocated.sites(pointer, procedure)
        for position in range(len(self.tables.targets) + 1):
            value = Const(position, self.tables.kind)
            if isinstance(item, Const) and item.value != position:
                continue
            known: dict[Expr, Const] = {} if isinstance(item, Const) else {item: value}
            if told.normal.known.get(item, value) != value:
                continue
            normal = Known({**told.normal.known, **known})
            guard = frozenset(part for old in told.guard for part in normal.parts(old))
            if FALSE in guard:
                continue
            target = self.tables.targets[position - 1] if position else None
            if target is not None and sites is not None and target.site not in sites:
                continue  # the pointer does not lead there
            if target is None or target.number is not None:
                raise Refuted("something ends that was not allocated")
            yield replace(told, normal=normal, guard=guard, ended=(target, words))
