"""Images of runs in the programs that engines make, by step (`proofs.transformed.images`).

    forgetting   the same edges; what is forgotten is 0
    merged       the same edges but idle ones, at which the image rests
    presumed     the same edges and values; where a run fails there is nothing more to see
    owners       the same edges and values; the image computes the ghosts itself
    reduced      the same edges and values; a step of the image is taken with its last edge
    split        the edges from the copy of a location where the thread is; values are the same
    tallies      the same edges and values; the image computes the tallies itself
    accounts     likewise; that all threads of a pool were joined is a condition in the image, so a
                 run that breaks it has none
    interrupted  the same edges and values, one by one
    parametric   the same edges, with constants that are each of a few
                 positions; the image computes itself which threads were created
    following    for every thread of a followed template in turn as κ, and for none of them: κ is
                 the only thread of its template, the others belong to another one, and of followed
                 arrays the cell of κ is left. The others choose their indices when they begin

The transformed program is computed by the code that is under test. That it has the images of the
runs is tested here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

from threadwise.core.errors import InternalError
from threadwise.core.quick_dataclass import replace
from threadwise.ir.layout import Layout, ProgramLayout
from threadwise.ir.program import AnyValue, LocId, Program
from threadwise.ir.types import ArrayType, PerThread, RangeType
from threadwise.proofs.base.audit import Monitor
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import monitor_of
from threadwise.proofs.transformed.certificate import (
    Account,
    Follow,
    Forget,
    Interrupt,
    Merge,
    Own,
    Parametrise,
    Presume,
    Reduce,
    Simplify,
    SplitLocations,
    Step,
    Tally,
)
from threadwise.proofs.transformed.images import (
    FREE,
    STEPS,
    Changed,
    Image,
    Source,
    sources,
    taken,
)
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter
from threadwise.transforms.accounts.accounts import with_accounts
from threadwise.transforms.follow import follow_all
from threadwise.transforms.follow.names import Following, followed_name, variable_key
from threadwise.transforms.forget import forget
from threadwise.transforms.forget import variable_key as forgotten_key
from threadwise.transforms.interrupt import interrupt
from threadwise.transforms.merge import merge
from threadwise.transforms.owners import with_owners
from threadwise.transforms.parametric import Most, parametrise
from threadwise.transforms.presume import presume
from threadwise.transforms.reduce import reduce
from threadwise.transforms.split import split
from threadwise.transforms.tally import tally

POSITIONS = 3
"""So many positions of arrays of handles are tried."""
AT_ONCE = 2
"""So many images of one run are watched; if there are more, those of the next run differ."""


class ImagesMonitor:
    """Computes images of runs, some of each run, for the monitor of the inner proof."""

    def __init__(self, program: Program, changes: Iterable[Changed], inner: Certificate) -> None:
        self.interpreter = Interpreter(program)
        self.inner = inner
        self._fresh = iter(changes)
        self._images: list[Image] = []
        """Those of this run come last."""
        self._monitors: dict[tuple[object, ...], Monitor | None] = {}
        """By numbers of threads and place among the images of a run."""

    @property
    def evaluated(self) -> Counter[str]:
        """What was evaluated in all images."""
        total = Counter({STEPS: sum(image.looks for image in self._images)})
        for monitor in self._monitors.values():
            if monitor is not None:
                for claim, times in monitor.evaluated.items():
                    total[claim] += times
        return total

    def start(self, state: State) -> None:
        """A run begins."""
        new = [Image(self.interpreter.program, c) for c in islice(self._fresh, AT_ONCE)]
        old, kept = self._images[: AT_ONCE - len(new)], self._images[AT_ONCE - len(new) :]
        self._images = [*kept, *old, *new]
        for place, image in enumerate(self._watched):
            image.start(state, self._monitor(image.program, place))

    def _monitor(self, program: Program, place: int) -> Monitor | None:
        key = (place, *(template.count for template in program.templates))
        if key not in self._monitors:
            self._monitors[key] = monitor_of(program, self.inner)
        return self._monitors[key]

    @property
    def _watched(self) -> Sequence[Image]:
        return self._images[-AT_ONCE:]

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step; where that ends the program, there is nothing more to see."""
        if self.interpreter.is_stopped(after):
            return
        edges = taken(self.interpreter, before, move, after)
        for image in self._watched:
            image.step(move.thread, edges, after.locals[move.thread].pc)


def changes_by(program: Program, step: Step) -> Iterable[Changed]:
    """The ways in which a step changes a program."""
    match step:
        case Simplify():
            raise InternalError("images of runs by a pass")
        case Forget(forgotten):
            return [_forgetting(program, forgotten)]
        case Presume():
            return [_with_ghosts(program, _of_any_size(program, presume))]
        case Merge():
            return [_merging(program)]
        case Own(owned):
            signed = _of_any_size(program, lambda whole: with_owners(whole, owned))
            return [_with_ghosts(program, signed)]
        case Reduce():
            return [_reducing(program)]
        case Follow(followings):
            followed = follow_all(program, followings)
            view = _Following(program, followings, followed.program, followed.origins)
            return map(view.changed, view.kappas())
        case Parametrise(most):
            return [_parametric(program, most, position) for position in range(POSITIONS)]
        case SplitLocations():
            return [_divided(program)]
        case Tally():
            return [_with_ghosts(program, tally(program))]
        case Account():
            return [_with_ghosts(program, with_accounts(program))]
        case Interrupt():
            return [_with_ghosts(program, interrupt(program))]


# -- forget, split and tally ---------------------------------------------------------------------


def _of_any_size(program: Program, make: Callable[[Program], Program]) -> Program:
    """What a step makes of a program; if that is an instance, an instance of what it makes.

    Passes may follow the step, and what they hide depends on how many threads there may be.
    """
    whole = program.instance_of
    if whole is None:
        return make(program)
    counts = {t.name: t.count for t in program.templates if t.count is not None}
    return make(whole).with_counts(counts)


def _forgetting(program: Program, forgotten: Collection[str]) -> Changed:
    """How a program without some variables is related to the program."""
    after = _of_any_size(program, lambda whole: forget(whole, forgotten))
    old, new = ProgramLayout.of(program), ProgramLayout.of(after)

    def related(before: Layout, now: Layout, procedure: str) -> tuple[Source, ...]:
        nothing = {
            cell.variable.name: Source(constant=0)
            for cell in now.cells
            if forgotten_key(cell.variable, procedure) in forgotten
        }
        return sources(before, now, nothing)

    return Changed(
        after,
        tuple(edge.id for edge in program.edges),
        range(len(old.numbers.templates)),
        related(old.globals, new.globals, ""),
        {name: related(old.thread[name], layout, "") for name, layout in new.thread.items()},
        {name: related(old.local[name], layout, name) for name, layout in new.local.items()},
    )


def _divided(program: Program) -> Changed:
    """How a program with split locations is related to the program."""
    divided = split(program)
    old, new = ProgramLayout.of(program), ProgramLayout.of(divided.program)
    return Changed(
        divided.program,
        divided.origins,
        range(len(old.numbers.templates)),
        sources(old.globals, new.globals, {}),
        {name: sources(old.thread[name], layout, {}) for name, layout in new.thread.items()},
        {name: sources(old.local[name], layout, {}) for name, layout in new.local.items()},
    )


def _merging(program: Program) -> Changed:
    """How a program with merged locations is related to the program."""
    merged = merge(program.instance_of or program)
    same = _with_ghosts(program, _of_any_size(program, lambda _: merged.program))
    idle = frozenset(edge.id for edge in program.edges).difference(merged.edges)
    return replace(same, edges=tuple(merged.edges), idle=idle)


def _reducing(program: Program) -> Changed:
    """How a program whose critical sections are single steps is related to the program."""
    after = _of_any_size(program, lambda whole: reduce(whole).program)
    bodies = [program.template[name].body for name in ProgramLayout.of(program).numbers.templates]
    hidden = frozenset(
        (thread, here.id)
        for here, before in zip(after.locations, program.locations, strict=True)
        if here.atomic and not before.atomic
        for thread, body in enumerate(bodies)
        if body == program.procedure_of[here.id].name
    )
    return replace(_with_ghosts(program, after), hidden=hidden, late=True)


def _with_ghosts(program: Program, after: Program) -> Changed:
    """How a program with ghosts is related to the program: the image computes the ghosts."""
    old, new = ProgramLayout.of(program), ProgramLayout.of(after)
    return Changed(
        after,
        tuple(edge.id for edge in program.edges),
        range(len(old.numbers.templates)),
        sources(old.globals, new.globals, {}),
        {name: sources(old.thread[name], layout, {}) for name, layout in new.thread.items()},
        {name: sources(old.local[name], layout, {}) for name, layout in new.local.items()},
    )


def _parametric(program: Program, most: Most, position: int) -> Changed:
    """How a parametric program is related to the program, with handles at a position."""
    after = parametrise(program, most)
    counts = {t.name: t.count for t in program.templates if t.pool and t.count is not None}
    instance = after.with_counts(counts)
    old, new = ProgramLayout.of(program), ProgramLayout.of(instance)
    kappas = {
        declaration.variable.name: Source(constant=min(position, declaration.variable.type.high))
        for declaration in after.globals
        if declaration.initial == AnyValue() and isinstance(declaration.variable.type, RangeType)
    }
    threads = old.numbers.templates
    hidden = frozenset(
        (thread, here.id)
        for here, before in zip(after.locations, program.locations, strict=True)
        if here.atomic and not before.atomic
        for thread, name in enumerate(threads)
        if program.template[name].body == program.procedure_of[here.id].name
    )
    return Changed(
        instance,
        tuple(edge.id for edge in program.edges),
        range(len(threads)),
        sources(old.globals, new.globals, kappas),
        {name: sources(old.thread[name], layout, {}) for name, layout in new.thread.items()},
        {name: sources(old.local[name], layout, {}) for name, layout in new.local.items()},
        hidden,
    )


# -- follow --------------------------------------------------------------------------------------

Kappas = Mapping[str, int]
"""For each followed template, the index that is followed; there may be no such thread."""


class _Following:
    def __init__(
        self,
        program: Program,
        followings: Sequence[Following],
        after: Program,
        origins: Sequence[int],
    ) -> None:
        self.program = program
        self.followings = followings
        self.after = after
        self.origins = origins
        self.old = ProgramLayout.of(program)
        bodies = {f.template: program.template[f.template].body for f in followings}
        self.template_of = {followed_name(t, "others"): t for t in bodies}
        self.procedure_of = {followed_name(b, "others"): b for b in bodies.values()}

    def kappas(self) -> Iterator[Kappas]:
        """Every index of a thread in turn, and two that no thread has."""
        names = [following.template for following in self.followings]
        ranges = [range(-1, len(self.old.numbers.ranges[name]) + 1) for name in names]
        for chosen in product(*ranges):
            yield dict(zip(names, chosen, strict=True))

    def changed(self, kappas: Kappas) -> Changed:
        """How the program that follows these threads is related to the program."""
        after = self.after.with_counts(
            {
                followed_name(name, "others"): len(members) - (kappas[name] in range(len(members)))
                for name, members in self.old.numbers.ranges.items()
                if name in kappas
            }
        )
        new = ProgramLayout.of(after)
        threads, indices = self._threads(kappas, new)
        edges = tuple(self.program.edges[origin].id for origin in self.origins)
        shared = self._sources(self.old.globals, new.globals, "", "", kappas)
        thread = {}
        for name, layout in new.thread.items():
            old = self.template_of.get(name, name)
            body = self.program.template[old].body
            now = after.template[name].body
            thread[name] = self._sources(self.old.thread[old], layout, body, now, kappas)
        local = {}
        for name, layout in new.local.items():
            old = self.procedure_of.get(name, name)
            local[name] = self._sources(self.old.local[old], layout, old, name, kappas)
        hidden = self._hidden(after, new, threads)
        return Changed(after, edges, threads, shared, thread, local, hidden, indices)

    def _threads(self, kappas: Kappas, new: ProgramLayout) -> tuple[list[int], dict[int, int]]:
        """Which thread is which, and the indices that others choose."""
        threads: list[int] = []
        indices: dict[int, int] = {}
        for name, members in self.old.numbers.ranges.items():
            if name not in kappas:
                threads.extend(new.numbers.ranges[name])
                continue
            others = iter(new.numbers.ranges[followed_name(name, "others")])
            for index in range(len(members)):
                if index == kappas[name]:
                    threads.extend(new.numbers.ranges[name])
                else:
                    threads.append(next(others))
                    indices[threads[-1]] = index
        return threads, indices

    def _sources(
        self, old: Layout, new: Layout, procedure: str, now: str, kappas: Kappas
    ) -> tuple[Source, ...]:
        variables = {cell.variable.name: cell.variable for cell in old.cells}
        extents = Counter(cell.variable.name for cell in old.cells)
        special: dict[str, Source] = {}
        for following in self.followings:
            kappa = kappas[following.template]
            special[followed_name(following.template, "kappa")] = Source(constant=kappa)
            for name, variable in variables.items():
                held = variable.type
                keys = {variable_key(variable, procedure), variable_key(variable, now)}
                if isinstance(held, ArrayType) and (
                    held.extent == PerThread(following.template)
                    or not keys.isdisjoint(following.arrays)
                ):
                    slot = old.offset[name] + kappa
                    special[name] = Source(slot) if 0 <= kappa < extents[name] else FREE
        return sources(old, new, special)

    def _hidden(
        self, after: Program, new: ProgramLayout, threads: Sequence[int]
    ) -> frozenset[tuple[int, LocId]]:
        """Which threads are inside an atomic region of the image, and where."""
        hidden: dict[str, set[LocId]] = {}
        for edge, origin in zip(after.edges, self.origins, strict=True):
            procedure = after.procedure_of[edge.source]
            chooses = procedure.name in self.procedure_of and edge.source == procedure.entry
            if after.locations[edge.source].atomic and not chooses:
                place = self.program.edges[origin].source
                if not self.program.locations[place].atomic:
                    hidden.setdefault(procedure.name, set()).add(place)
        return frozenset(
            (thread, place)
            for thread, image in enumerate(threads)
            for place in hidden.get(after.template[new.numbers.templates[image]].body, ())
        )
