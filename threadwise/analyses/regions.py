"""The steps of a control-flow graph: single edges, and paths through atomic regions.

A step starts and ends outside atomic regions and is taken as a whole (docs/theory/semantics.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.analyses.components import components
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import Variable, VariablePlace
from threadwise.ir.fold import action_places, root
from threadwise.ir.program import Edge, LocId, Procedure, Program

MOST_PATHS = 10_000


@dataclass(frozen=True)
class Path:
    """A step in program order: the edges to take, one after the other."""

    edges: tuple[Edge, ...]

    @property
    def source(self) -> LocId:
        """Where it starts."""
        return self.edges[0].source

    @property
    def target(self) -> LocId:
        """Where it ends."""
        return self.edges[-1].target


def steps_from(program: Program, location: LocId) -> list[Path]:
    """All steps that leave a location, calls and returns left out, in order of their edges.

    Unsupported if an atomic region has a loop: its paths cannot be listed.
    """
    found: list[Path] = []
    for path in _paths(program, location, ()):
        found.append(Path(path))
        if len(found) > MOST_PATHS:
            span = program.locations[location].span
            raise Unsupported("an atomic block with too many paths to list", span)
    return found


def _paths(
    program: Program, location: LocId, before: tuple[Edge, ...]
) -> Iterator[tuple[Edge, ...]]:
    for edge in program.outgoing[location]:
        if isinstance(edge.action, Call | Return):
            continue
        path = (*before, edge)
        if not program.locations[edge.target].atomic:
            yield path
        elif any(passed.target == edge.target for passed in before):
            span = program.locations[edge.target].span
            raise Unsupported("a loop inside an atomic block, in SMT", span)
        else:
            yield from _paths(program, edge.target, path)


def has_calls(program: Program) -> bool:
    """Whether some edge is a call."""
    return any(isinstance(edge.action, Call) for edge in program.edges)


def called_procedures(program: Program, template: str) -> tuple[str, ...]:
    """The body of a template, and everything that is called from it."""
    found = [program.template[template].body]
    for name in found:
        for edge in program.procedure[name].edges:
            if isinstance(edge.action, Call) and edge.action.procedure not in found:
                found.append(edge.action.procedure)
    return tuple(found)


def thread_locations(program: Program, template: str) -> tuple[LocId, ...]:
    """The visible locations of threads of a template, in all procedures they may be in."""
    return tuple(
        location.id
        for name in called_procedures(program, template)
        for location in program.procedure[name].locations
        if not location.atomic
    )


def kept_parameters(program: Program, procedure: str) -> tuple[int, ...]:
    """The positions of parameters that a procedure never writes to, not even a part of them."""
    written: set[Variable] = set()
    for edge in program.procedure[procedure].edges:
        for place in action_places(edge.action):
            base = root(place)
            if not isinstance(base, VariablePlace):
                return ()  # a pointer may lead anywhere
            written.add(base.variable)
    parameters = program.procedure[procedure].parameters
    return tuple(i for i, variable in enumerate(parameters) if variable not in written)


def body_locations(program: Program, template: str) -> tuple[LocId, ...]:
    """The visible locations of threads of a template, in its body."""
    body = program.procedure[program.template[template].body]
    return tuple(location.id for location in body.locations if not location.atomic)


def longest_run(program: Program) -> int | None:
    """How many steps a thread takes at most, if there are no loops and no calls."""
    if has_calls(program):
        return None
    longest = 0
    for template in program.templates:
        found = _longest(program, program.procedure[template.body])
        if found is None:
            return None
        longest = max(longest, found)
    return longest


def _longest(program: Program, body: Procedure) -> int | None:
    after: dict[LocId, list[LocId]] = {location.id: [] for location in body.locations}
    for edge in body.edges:
        after[edge.source].append(edge.target)
    if components(after):
        return None
    steps: dict[LocId, int] = {}
    pending = [body.entry]
    while pending:
        here = pending[-1]
        waiting = [target for target in after[here] if target not in steps]
        if waiting:
            pending += waiting
            continue
        ways = [steps[t] + (not program.locations[t].atomic) for t in after[here]]
        steps[here] = max(ways, default=0)
        pending.pop()
    return steps[body.entry]
