"""Which functions become procedures of the IR, decided from the text before anything is lowered.

A function is *inlined* where it is called, or lowered once as a *procedure* that is called. What
inlining costs is estimated: `size(f)` counts what the text of f becomes (edges, roughly), and for
each call in it the size of what is inlined there. If the whole program inlined stays within a
budget, everything is; recursion is found while lowering. Otherwise functions larger than a limit
become procedures, and the limit is lowered until the program fits (or is as small as it gets).

Some functions are inlined up to a larger size, because as procedures they would say less:

    regions     what begins or ends an atomic region, and what is called from there: calls inside
                regions are not modelled
    own memory  what takes the address of a variable that each thread has for itself
    threads     what starts, joins or ends threads: proofs follow these in the first thread's body
    texts       what allocates or copies memory by a parameter: what it is for is in the text of
                the argument
    locks       what acquires and does not release, or the other way round
    once        what is called at one place: nothing is saved
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from threadwise.analyses.components import components
from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.frontends.c import tree
from threadwise.frontends.c.types import CFunction, CPointer, CType, CVoid, unqualified
from threadwise.frontends.c.walking import nodes

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.origins import Origins

UNBOUNDED = 1 << 60
_WEIGHTS: Mapping[type, int] = {
    tree.Assign: 1,
    tree.CompoundAssign: 2,
    tree.Step: 2,
    tree.Deref: 2,
    tree.If: 2,
    tree.While: 2,
    tree.DoWhile: 2,
    tree.For: 2,
    tree.Case: 2,
    tree.Logical: 2,
    tree.Conditional: 3,
    tree.Declare: 1,
    tree.Call: 1,
    tree.Assembly: 1,
}
_PRIMITIVES = {"allocate": 4, "reallocate": 12, "copy": 12, "move": 12, "set": 8, "compare": 12}
_REGIONS = frozenset({"__tw_atomic_begin", "__tw_atomic_end"})
_THREADS = frozenset({"__tw_spawn", "__tw_join", "__tw_exit_thread"})
_ACQUIRE, _RELEASE = frozenset({"__tw_acquire", "__tw_try_acquire"}), frozenset({"__tw_release"})


@dataclass(frozen=True)
class Policy:
    """How much is inlined."""

    budget: int = 8_000
    """Programs of this estimated size are inlined as a whole."""
    growth: int = 2
    """So are those that inlining makes so many times as large as their text."""
    limits: tuple[int, ...] = (2_000, 500, 150, 50, 20)
    """The sizes above which functions become procedures, tried in this order."""
    threads: int = 4_000
    texts: int = 500
    locks: int = 200
    once: bool = True
    """Whether what is called at one place is always inlined."""


POLICY = Policy()
EVERYTHING = Policy(budget=-1, growth=0, limits=(-1,), threads=-1, locks=-1, once=False)
"""Procedures wherever that is possible: for tests."""


@dataclass
class Outline:
    """What the text of one function shows."""

    function: tree.Function
    size: int = 0
    calls: list[tree.Call] = field(default_factory=list)
    """Its calls, primitives left out."""
    primitives: Counter[str] = field(default_factory=Counter)
    pointed: dict[tree.Function, None] = field(default_factory=dict)
    """Functions whose address is a value."""
    own_memory: bool = False

    @staticmethod
    def of(function: tree.Function) -> Outline:
        """Analyse a function."""
        found = Outline(function, 1)
        callees: set[Same] = set()
        for node in nodes(function.body):
            found.size += _WEIGHTS.get(type(node), 0)
            match node:
                case tree.Call():
                    known = callee(node)
                    callees.add(Same(named_callee(node)))
                    if known is not None and known.name.startswith("__tw_"):
                        found.primitives[known.name] += 1
                        found.size += _PRIMITIVES.get(known.name.removeprefix("__tw_"), 0)
                    else:
                        found.calls.append(node)
                case tree.FunctionName(named) if Same(node) not in callees:
                    found.pointed[named] = None
                case tree.VariableRef(variable):
                    own = variable.storage is tree.Storage.THREAD and variable.address_taken
                    found.own_memory |= own
                case _:
                    pass
        return found


def named_callee(call: tree.Call) -> tree.Expr:
    """What is called, without conversions of the pointer to it."""
    found = call.callee
    while isinstance(found, tree.Convert) and isinstance(found.operand.type, CPointer):
        found = found.operand
    return found


def callee(call: tree.Call) -> tree.Function | None:
    """The function that a call names; None: what a pointer means."""
    found = named_callee(call)
    return found.function if isinstance(found, tree.FunctionName) else None


def may_mean(function: tree.Function, call: tree.Call, origins: Origins) -> bool:
    """Whether a pointer that is called may mean a function, by the arguments and the result."""
    given, taken = call.arguments, function.parameters
    disguised = _is_disguised(function, [argument.type for argument in given], origins)
    if disguised:
        given = given[: len(taken)]
    return (
        len(taken) == len(given)
        and all(_alike(p.type, argument.type) for p, argument in zip(taken, given, strict=True))
        and (
            _alike(function.type.result, call.type) or (disguised and isinstance(call.type, CVoid))
        )
    )


def may_start(function: tree.Function, origins: Origins) -> bool:
    """Whether a pointer that a thread is started with may mean a function, by its type."""
    taken = [parameter.type for parameter in function.parameters]
    if function.body is None or len(taken) > 1:
        return False
    if taken and all(isinstance(unqualified(t), CPointer) for t in (*taken, function.type.result)):
        return True
    return _is_disguised(function, [CPointer(CVoid())], origins)


def _is_disguised(function: tree.Function, given: Sequence[CType], origins: Origins) -> bool:
    """Whether a pointer to another type, by which this is passed, may mean a function."""
    seen = origins.seen_as(function)
    if seen is None or function.type.variadic:
        return not function.type.variadic
    return any(
        other.parameters is None
        or (len(other.parameters) == len(given) and all(map(_alike, other.parameters, given)))
        for other in seen
    )


def is_overdone(function: tree.Function, call: tree.Call) -> bool:
    """Whether a call passes more than a function takes, or drops a result it does not expect."""
    if function.type.variadic:
        return False
    dropped = isinstance(call.type, CVoid) and not isinstance(function.type.result, CVoid)
    return dropped or len(call.arguments) > len(function.parameters)


def _alike(left: CType, right: CType) -> bool:
    """Whether calling with one type for the other is what programs get away with."""
    one, other = unqualified(left), unqualified(right)
    pointers = (CPointer, CFunction)
    if isinstance(one, pointers) and isinstance(other, pointers):
        return True
    return one == other


def procedures(
    program: tree.Program,
    roots: Iterable[tree.Function],
    origins: Origins,
    policy: Policy | None = None,
) -> dict[tree.Function, None]:
    """The functions that become procedures whatever lowering finds."""
    return _Choice(program, list(roots), origins, policy or POLICY).procedures()


class _Choice:
    def __init__(
        self,
        program: tree.Program,
        roots: list[tree.Function],
        origins: Origins,
        policy: Policy,
    ) -> None:
        self.program = program
        self.origins = origins
        self.policy = policy
        self.roots = roots
        self.outlines: dict[tree.Function, Outline] = {}
        self.pointed: dict[tree.Function, None] = {}
        self._look(roots)

    def _look(self, roots: list[tree.Function]) -> None:
        """Outlines of everything that may be called."""
        for variable in self.program.variables.values():
            for node in nodes(variable.initial):
                if isinstance(node, tree.FunctionName):
                    self.pointed[node.function] = None
        pending = [*roots, *self.pointed]
        while pending:
            function = pending.pop()
            if function in self.outlines or function.body is None:
                continue
            found = self.outlines[function] = Outline.of(function)
            self.pointed.update(found.pointed)
            pending.extend(found.pointed)
            pending.extend(f for f in map(callee, found.calls) if f is not None)

    # -- the call graph --------------------------------------------------------------------------

    @cached_property
    def called(self) -> dict[tree.Function, list[tree.Function]]:
        """What each function calls, once for each call; pointers mean any that they may mean."""
        known: dict[tuple[object, ...], list[tree.Function]] = {}
        found: dict[tree.Function, list[tree.Function]] = {}
        for function, outline in self.outlines.items():
            found[function] = []
            for call in outline.calls:
                named = callee(call)
                if named is None:
                    key = (call.type, *(argument.type for argument in call.arguments))
                    if key not in known:
                        known[key] = [f for f in self.pointed if may_mean(f, call, self.origins)]
                    meant = self.origins.functions(call.callee, known[key])
                    found[function] += (f for f in meant if may_mean(f, call, self.origins))
                elif named.body is not None:
                    found[function].append(named)
        return found

    @cached_property
    def recursive(self) -> dict[tree.Function, None]:
        """The functions that may call themselves, the user's own."""
        return {f: None for part in components(self.called) for f in part if not f.library}

    @cached_property
    def sites(self) -> Counter[tree.Function]:
        """At how many places each function is called."""
        found = Counter(f for called in self.called.values() for f in called)
        found.update(root for root in self.roots)
        return found

    def _reaching(self, names: frozenset[str], *, library: bool = False) -> set[tree.Function]:
        """The functions that use a primitive, or call (in the library only) one that does."""
        callers: dict[tree.Function, list[tree.Function]] = {}
        for function, called in self.called.items():
            for each in called:
                if each.library or not library:
                    callers.setdefault(each, []).append(function)
        pending = [f for f, o in self.outlines.items() if o.primitives.keys() & names]
        found = set(pending)
        while pending:
            for function in callers.get(pending.pop(), ()):
                if function not in found:
                    found.add(function)
                    pending.append(function)
        return found

    # -- what is better inlined ------------------------------------------------------------------

    @cached_property
    def bounds(self) -> dict[tree.Function, int]:
        """The sizes up to which functions are inlined for another reason than their size."""
        found: dict[tree.Function, int] = {}
        for function in self._inside_regions():
            found[function] = UNBOUNDED
        for function, outline in self.outlines.items():
            if outline.own_memory:
                found[function] = UNBOUNDED
        for function in self._by_texts():
            found.setdefault(function, self.policy.texts)
        for function in self._reaching(_THREADS):
            found[function] = max(found.get(function, 0), self.policy.threads)
        acquiring = self._reaching(_ACQUIRE, library=True)
        releasing = self._reaching(_RELEASE, library=True)
        for function in acquiring | releasing:
            called = self.called[function]
            taken, given = (sum(f in s for f in called) for s in (acquiring, releasing))
            if taken != given:
                found[function] = max(found.get(function, 0), self.policy.locks)
        return found

    def _inside_regions(self) -> Iterator[tree.Function]:
        pending = [f for f in self._reaching(_REGIONS, library=True) if not f.library]
        pending = [f for f in pending if self._begins(f)]
        seen = set(pending)
        while pending:
            function = pending.pop()
            yield function
            for each in self.called.get(function, ()):
                if each not in seen:
                    seen.add(each)
                    pending.append(each)

    def _begins(self, function: tree.Function) -> bool:
        """Whether a function of the user's leaves a region open, or ends one, in its own text."""
        for each in self.called[function]:
            if each.library and (found := self.outlines.get(each)) is not None:
                used = [found.primitives[name] for name in _REGIONS]
                if used[0] != used[1]:
                    return True
        return any(self.outlines[function].primitives[name] for name in _REGIONS)

    def _by_texts(self) -> set[tree.Function]:
        """The functions whose memory is for what the text of an argument says."""
        found: dict[tree.Function, set[tree.Variable]] = {}
        for function in self.outlines:
            if function.library:
                found[function] = set(function.parameters)
        changed = True
        while changed:
            changed = False
            for function, outline in self.outlines.items():
                if function.library:
                    continue
                known = found.setdefault(function, set())
                for parameter in self._handed_on(outline, found):
                    if parameter not in known:
                        known.add(parameter)
                        changed = True
        return {f for f, parameters in found.items() if parameters and not f.library}

    def _handed_on(
        self, outline: Outline, found: Mapping[tree.Function, set[tree.Variable]]
    ) -> Iterator[tree.Variable]:
        own = {p for p in outline.function.parameters if _tells_little(p.type)}
        if not own:
            return
        for call in outline.calls:
            named = callee(call)
            wanted = found.get(named, set()) if named is not None else set()
            for parameter, argument in zip(
                () if named is None else named.parameters, call.arguments, strict=False
            ):
                if parameter in wanted and (used := _passed(argument)) in own:
                    assert used is not None
                    if _is_void_pointer(used.type) or self._allocates(named):
                        yield used

    def _allocates(self, function: tree.Function | None) -> bool:
        return function in self._allocating

    @cached_property
    def _allocating(self) -> set[tree.Function]:
        return self._reaching(frozenset({"__tw_allocate", "__tw_reallocate"}), library=False)

    # -- choosing --------------------------------------------------------------------------------

    def procedures(self) -> dict[tree.Function, None]:
        """The choice."""
        policy = self.policy
        text = sum(
            outline.size for outline in self.outlines.values() if not outline.function.library
        )
        budget = max(policy.budget, policy.growth * text)
        if self._total(self._sizes({}, self.recursive), self.recursive) <= budget:
            return {}
        chosen: dict[tree.Function, None] = {}
        for limit in policy.limits:
            chosen = dict(self.recursive)
            sizes = self._sizes(chosen, self.recursive, limit)
            if self._total(sizes, chosen) <= budget:
                break
        return {f: None for f in chosen if not self._must_be_inlined(f)}

    def _must_be_inlined(self, function: tree.Function) -> bool:
        return function.library or self.bounds.get(function) == UNBOUNDED

    def _is_large(self, function: tree.Function, size: int, limit: int) -> bool:
        if function.library or function in self.roots:
            return False
        if self.policy.once and self.sites[function] <= 1:
            return False
        return size > max(limit, self.bounds.get(function, limit))

    def _sizes(
        self,
        chosen: dict[tree.Function, None],
        recursive: Mapping[tree.Function, None],
        limit: int | None = None,
    ) -> dict[tree.Function, int]:
        """The size of every function, callees first; those that are large are chosen."""
        sizes: dict[tree.Function, int] = {}
        for function in self._callees_first:
            total = self.outlines[function].size
            for each in self.called[function]:
                if each in chosen or each not in sizes:
                    total += 1 + len(each.parameters)
                else:
                    total += sizes[each]
            sizes[function] = total
            if limit is None or function in recursive:
                continue
            if self._is_large(function, total, limit):
                chosen[function] = None
        return sizes

    def _total(
        self, sizes: Mapping[tree.Function, int], chosen: Mapping[tree.Function, None]
    ) -> int:
        """The size of the program: of what threads run, and of the procedures."""
        started = [f for f in self.pointed if may_start(f, self.origins) and not f.library]
        lowered = dict.fromkeys([*self.roots, *started, *chosen])
        return sum(sizes.get(function, 0) for function in lowered)

    @cached_property
    def _callees_first(self) -> list[tree.Function]:
        ordered: list[tree.Function] = []
        seen: set[tree.Function] = set()
        for start in self.outlines:
            if start in seen:
                continue
            seen.add(start)
            work = [(start, iter(self.called[start]))]
            while work:
                function, rest = work[-1]
                following = next((f for f in rest if f not in seen and f in self.outlines), None)
                if following is None:
                    ordered.append(function)
                    work.pop()
                else:
                    seen.add(following)
                    work.append((following, iter(self.called[following])))
        return ordered


def _tells_little(held: CType) -> bool:
    """Whether the type of a parameter does not say what memory it points to."""
    return _is_void_pointer(held) or not isinstance(unqualified(held), CPointer)


def _is_void_pointer(held: CType) -> bool:
    found = unqualified(held)
    return isinstance(found, CPointer) and isinstance(unqualified(found.target), CVoid)


def _passed(argument: tree.Expr) -> tree.Variable | None:
    """The variable whose value an argument is made of, if no `sizeof` says more."""
    found: tree.Variable | None = None
    for node in nodes(argument):
        if isinstance(node, tree.IntegerConstant) and node.sizeof is not None:
            return None
        if isinstance(node, tree.VariableRef) and found is None:
            found = node.variable
    return found
