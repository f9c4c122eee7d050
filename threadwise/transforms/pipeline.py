"""The order in which C programs are simplified.

A pass may rely on what earlier ones established: pointers are resolved before records are split,
and dead values are removed last, when it is known which steps other threads can observe. Models
are not simplified: there every statement is a step.

The program before the first pass is the program of record. Each pass is a named step from it to
the program that engines work on; edges and locations of the program after a pass say which ones of
the program before they were made from (`Edge.origin`), so traces find their way back and proofs
can be checked step by step (docs/adr/031-program-of-record.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import cast

from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.program import Edge, EdgeId, Location, Procedure, Program
from threadwise.transforms.memory import resolve_memory
from threadwise.transforms.simplify.constants import put_in_constants
from threadwise.transforms.simplify.dead_values import forget_dead_values
from threadwise.transforms.simplify.element_pointers import pointers_to_indices
from threadwise.transforms.simplify.few_inputs import list_counted_inputs, list_inputs
from threadwise.transforms.simplify.integer_pointers import pointers_to_integers
from threadwise.transforms.simplify.intervals import remove_excluded_branches
from threadwise.transforms.simplify.jumps import thread_jumps
from threadwise.transforms.simplify.opaque_pointers import name_pointers
from threadwise.transforms.simplify.pointers import resolve_pointers
from threadwise.transforms.simplify.records import split_records
from threadwise.transforms.simplify.silent_steps import hide_silent_steps
from threadwise.transforms.simplify.skips import leave_out_skips
from threadwise.transforms.simplify.statements import join_statements
from threadwise.transforms.simplify.temporaries import localise_temporaries
from threadwise.transforms.simplify.unused import remove_unmentioned, remove_unused

Pass = Callable[[Program, Uses], Program]
Accepts = Callable[[str, Program, Program], bool]
"""Whether the program after a pass may replace the one before."""

FIRST_STEPS = "first steps"


def _first_steps(program: Program, uses: Uses) -> Program:
    from threadwise.transforms.simplify.first_steps import take_first_steps  # runs the program

    return take_first_steps(program, uses)


PASSES: dict[str, Pass] = {
    "few inputs": list_inputs,
    "few inputs of counted threads": list_counted_inputs,
    "constants": put_in_constants,
    "pointers": resolve_pointers,
    "integer pointers": pointers_to_integers,
    "element pointers": pointers_to_indices,
    "bounds": remove_excluded_branches,
    "named pointers": name_pointers,
    "records": split_records,
    "temporaries": localise_temporaries,
    "unused": remove_unused,
    "unmentioned": remove_unmentioned,
    "silent steps": hide_silent_steps,
    "joined statements": join_statements,
    "threaded jumps": thread_jumps,
    "dead values": forget_dead_values,
    "skips": leave_out_skips,
    "memory as variables": resolve_memory,
    FIRST_STEPS: _first_steps,
}
"""The passes by the names that certificates have for them."""

PIPELINE: tuple[str, ...] = (
    "few inputs",
    "few inputs of counted threads",
    "constants",
    "pointers",
    "constants",
    "integer pointers",
    "bounds",
    "constants",
    "named pointers",
    "records",
    "temporaries",
    "unused",
    "unmentioned",
    "silent steps",
    "joined statements",
    "threaded jumps",
    "unmentioned",
    "dead values",
)


LARGE = 2_000
"""Programs with more edges than this are simplified in fewer passes."""

_AGAIN = PIPELINE.index("bounds") + 1
FEWER_PASSES: tuple[str, ...] = (*PIPELINE[:_AGAIN], *PIPELINE[_AGAIN + 1 :])
"""Constants are not put in a third time, behind `bounds`: in large programs there are next to none
left, and every pass costs as much as the first."""


STAMPED = "origins"
"""The name of a program with its own numbers as origins, beside those of passes."""


@dataclass(frozen=True)
class Simplified:
    """A program, and what the passes made of it one after the other."""

    record: Program
    names: tuple[str, ...] = ()
    """The passes that changed something."""
    programs: tuple[Program, ...] = ()
    """The program after each of them, with origins in the one before."""
    refused: tuple[str, ...] = ()
    """Passes whose result was not accepted: they were left out."""

    @property
    def program(self) -> Program:
        """The program after all passes."""
        return self.programs[-1] if self.programs else self.record

    @property
    def begun(self) -> list[tuple[int, EdgeId]]:
        """Edges that are taken before the program after all passes begins: how many passes made
        the program that has the edge, and its number there."""
        programs = (self.record, *self.programs)
        return [
            (level, edge)
            for level, name in enumerate(self.names)
            if name == FIRST_STEPS
            for edge in cast("tuple[EdgeId, ...]", programs[level].found[FIRST_STEPS])
        ]


def simplified(program: Program, uses: Uses | None = None) -> Program:
    """The program after all passes, in their order."""
    return simplify(program, uses).program


def simplify(
    program: Program,
    uses: Uses | None = None,
    accepts: Accepts | None = None,
    passes: Sequence[str] | None = None,
) -> Simplified:
    """The program after all passes, or some, in their order; refused results are dropped."""
    uses = uses or Uses()
    if passes is None:
        passes = PIPELINE if len(program.edges) <= LARGE else FEWER_PASSES
    names: list[str] = []
    refused: list[str] = []
    programs: list[Program] = []
    before = program
    for name in passes:
        after = applied(before, name, uses)
        if after is before:
            continue
        if accepts is not None and not accepts(name, before, after):
            refused.append(name)
        else:
            names.append(name)
            programs.append(after)
            before.made.pop(STAMPED, None)
            before = after
    return Simplified(program, tuple(names), tuple(programs), tuple(refused))


def applied(program: Program, name: str, uses: Uses) -> Program:
    """The program after a pass, or itself if that changes nothing; it is remembered there."""
    known = program.made
    if name not in known:
        if STAMPED not in known:
            known[STAMPED] = _stamped(program)
        stamped = known[STAMPED]
        after = PASSES[name](stamped, uses)
        program.found.update(stamped.found)
        known[name] = program if after == stamped else after
    return known[name]


def _stamped(program: Program) -> Program:
    """The program with its own numbers as origins."""
    procedures = tuple(map(_own_procedure, program.procedures))
    if all(map(is_, procedures, program.procedures)):
        return program
    return replace(program, procedures=procedures)


def _own_procedure(procedure: Procedure) -> Procedure:
    locations = tuple(map(_own_location, procedure.locations))
    edges = tuple(map(_own_edge, procedure.edges))
    if all(map(is_, locations, procedure.locations)) and all(map(is_, edges, procedure.edges)):
        return procedure
    return replace(procedure, locations=locations, edges=edges)


def _own_location(location: Location) -> Location:
    return location if location.origin == location.id else replace(location, origin=location.id)


def _own_edge(edge: Edge) -> Edge:
    number = edge.id
    if edge.origin == ((number,),):
        return edge
    return Edge(
        number,
        edge.source,
        edge.target,
        edge.action,
        edge.span,
        edge.operation,
        edge.sync,
        edge.text,
        edge.mover,
        ((number,),),
    )
