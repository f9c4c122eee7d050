"""The `cartesian` and `cartesian-frontier` engines: MPR's fixpoint and MPR's frontier search.

They are executable definitions, for comparison. The fixpoint is computed factor by factor;
frontier search enumerates the states of each frontier, so that its cost grows with the number of
states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.core.errors import Unsupported
from threadwise.core.interning import Interned
from threadwise.core.statistics import Name
from threadwise.engines import cartesian
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.ir.commands import Call
from threadwise.ir.fold import uses_memory
from threadwise.ir.properties import FailureProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.state import LocalStore
from threadwise.systems.api import ReachedPairs
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Global, Local

ARTEFACT = "the Cartesian abstraction has such a state, though perhaps the program does not"


class CartesianEngine:
    """The least fixpoint of Theorem 3."""

    name = "cartesian"

    def run(self, task: Task) -> Iterator[Finding]:
        """Iterate alpha(init ∪ post(gamma T)), then look for errors in it."""
        system = _system(task)
        sets = cartesian.cartesian_fixpoint(system, task.meter.check)
        task.statistics.set(Name.STATES, sum(map(len, sets)))
        open_names, proved = _divide(system, [sets], task.properties)
        yield from _undecided(open_names)
        if proved:
            yield Proved(proved, _fixpoint_certificate(task, system, sets, proved))


class FrontierEngine:
    """Frontier search: the chain of Cartesian abstractions, step by step."""

    name = "cartesian-frontier"

    def run(self, task: Task) -> Iterator[Finding]:
        """Compute T⁰ … Tᵏ until nothing new, then look for errors in each."""
        system = _system(task)
        chain = list(cartesian.frontiers(system, task.meter.check))
        task.statistics.set(Name.STATES, sum(len(part) for sets in chain for part in sets))
        task.statistics.set("frontiers", len(chain))
        open_names, proved = _divide(system, chain, task.properties)
        yield from _undecided(open_names)
        if proved:
            yield Proved(proved, _chain_certificate(task, system, chain, proved))


def _system(task: Task) -> ConcreteSystem:
    program = task.program
    if program.has_any_number:
        raise Unsupported("any number of threads in an engine that enumerates products")
    if uses_memory(program) or any(isinstance(edge.action, Call) for edge in program.edges):
        raise Unsupported("procedure calls or a heap in an engine without stacks")
    system = ConcreteSystem(program)
    if not system.roles:
        raise Unsupported("thread-modular checking without a thread")
    return system


def _divide(
    system: ConcreteSystem, chain: Sequence[cartesian.Product], properties: Sequence[Property]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the properties that some element of the chain violates, and of the others."""
    limited = any(
        system.limit(l) is not None for sets in chain for members in sets for _, l in members
    )
    if limited:
        return tuple(checked.name for checked in properties), ()
    violated: dict[str, None] = {}
    patterns = {checked: system.errors([checked]) for checked in properties}
    for sets in chain:
        reached = {True: _pairs(system, sets, with_failed=True)}
        reached[False] = _pairs(system, sets, with_failed=False)
        for checked in properties:
            pairs = reached[isinstance(checked, FailureProperty)]
            if any(pattern.search(pairs) is not None for pattern in patterns[checked]):
                violated[checked.name] = None
    return tuple(violated), tuple(p.name for p in properties if p.name not in violated)


def _pairs(
    system: ConcreteSystem, sets: cartesian.Product, *, with_failed: bool
) -> ReachedPairs[Global, Local]:
    return ReachedPairs(
        [[p for p in members if with_failed or not system.is_stopped(p[1])] for members in sets]
    )


def _undecided(names: tuple[str, ...]) -> Iterator[Finding]:
    if names:
        yield Undecided(names, ARTEFACT)


def _rows(
    system: ConcreteSystem, sets: cartesian.Product, stores: Interned[Global]
) -> list[list[tuple[int, LocalStore]]]:
    return [
        sorted((stores.position(g), system.reference_local(t, l)) for g, l in members)
        for t, members in zip(system.roles, sets, strict=True)
    ]


def _fixpoint_certificate(
    task: Task, system: ConcreteSystem, sets: cartesian.Product, names: tuple[str, ...]
) -> Certificate:
    stores: Interned[Global] = Interned()
    guarantees = [
        sorted(
            {
                (stores.position(g), stores.position(step.g))
                for g, l in members
                for step in system.step(t, g, l)
            }
        )
        for t, members in zip(system.roles, sets, strict=True)
    ]
    rows = _rows(system, sets, stores)
    return ThreadModularCertificate(
        program_hash(task.program), names, stores.items, rows, guarantees
    )


def _chain_certificate(
    task: Task,
    system: ConcreteSystem,
    chain: Sequence[cartesian.Product],
    names: tuple[str, ...],
) -> Certificate:
    stores: Interned[Global] = Interned()
    rows = [_rows(system, sets, stores) for sets in chain]
    return FrontierCertificate(program_hash(task.program), names, stores.items, rows)
