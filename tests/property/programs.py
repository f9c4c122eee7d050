"""Random small programs in the model language, for comparing engines with the oracle.

`generate(choose, features)` writes the text of a program; all randomness comes from a `Chooser`,
so the same generator runs on a seeded `random.Random` (a corpus, fast) and under hypothesis
(shrinking). The programs are small on purpose: two or three threads, a handful of statements,
ranges of two or three values, so that brute force visits every state.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from hypothesis import strategies as st

Item = TypeVar("Item")


class Chooser(Protocol):
    """A source of choices."""

    def integer(self, low: int, high: int) -> int:
        """A number in low..high."""


@dataclass
class RandomChooser:
    """Choices from a seed."""

    rng: random.Random

    @staticmethod
    def of(seed: int) -> RandomChooser:
        """The choices of a seed."""
        return RandomChooser(random.Random(seed))

    def integer(self, low: int, high: int) -> int:
        """A number in low..high."""
        return self.rng.randint(low, high)


@dataclass
class DrawnChooser:
    """Choices drawn by hypothesis."""

    draw: Callable[[st.SearchStrategy[int]], int]

    def integer(self, low: int, high: int) -> int:
        """A number in low..high."""
        return self.draw(st.integers(low, high))


@dataclass(frozen=True)
class Features:
    """What the programs may contain."""

    calls: bool = True
    recursion: bool = False
    spawn: bool = True
    mutexes: bool = True
    atomics: bool = True
    invariants: bool = True
    arrays: bool = True
    tids: bool = True
    protocols: bool = True
    """Half of the programs protect x by a lock that does not say who holds it: mostly correct,
    and mostly beyond what can be proved one thread at a time."""
    any_number: bool = False
    """One template of the program has `[*]` threads; nothing then depends on an index."""


ALL = Features()


@dataclass
class _Scope:
    """What a statement can name."""

    ints: list[str]
    bools: list[str]
    local_ints: list[str]
    callable: list[str]
    tids: list[str] = field(default_factory=list)
    own_cells: str | None = None
    """An array with a cell for each thread of the template at hand."""
    atomic: bool = False
    in_loop: bool = False


@dataclass
class _Generator:
    choose: Chooser
    features: Features
    mutexes: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    places: dict[str, list[str]] = field(default_factory=dict)
    """The labels of each template."""
    shared_tids: list[str] = field(default_factory=list)
    remembers: bool = False
    """Whether threads have a variable `w` for an id."""
    uses_cells: bool = False
    """Whether there is an array with a cell for each thread of template `t`."""
    guarded: bool = False
    """Whether this program has such a lock."""
    indexed: bool = False
    """Whether the statements at hand may use `self.index`."""

    def flip(self, percent: int = 50) -> bool:
        return self.choose.integer(0, 99) >= 100 - percent

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.choose.integer(0, len(items) - 1)]

    # -- expressions ------------------------------------------------------------------------------

    def int_atom(self, scope: _Scope) -> str:
        if self.flip(35):
            if self.indexed and self.flip(15):
                return "self.index"
            return str(self.choose.integer(0, 2))
        names = scope.ints + scope.local_ints
        name = self.pick(names)
        if name == "a":
            return (
                f"a[{self.choose.integer(0, 1)}]" if self.flip(70) else f"a[{self.index(scope)}]"
            )
        return name

    def index(self, scope: _Scope) -> str:
        return self.pick(scope.local_ints) if scope.local_ints else "0"

    def int_expr(self, scope: _Scope) -> str:
        form = self.choose.integer(0, 9)
        if form < 6:
            return self.int_atom(scope)
        if form < 9:
            op = self.pick(["+", "-", "*", "%", "/"]) if form == 8 else self.pick(["+", "-"])
            left, right = self.int_atom(scope), self.int_atom(scope)
            if op in ("%", "/") and right == "0":
                right = "2"  # division by the constant 0 is refused when the program is read
            return f"{left} {op} {right}"
        return f"({self.bool_atom(scope)} ? {self.int_atom(scope)} : {self.int_atom(scope)})"

    def bool_atom(self, scope: _Scope) -> str:
        form = self.choose.integer(0, 9)
        if form < 5 or not scope.bools:
            op = self.pick(["==", "!=", "<", ">="])
            return f"{self.int_atom(scope)} {op} {self.int_atom(scope)}"
        if form < 8:
            return self.pick(scope.bools)
        if self.mutexes and form == 8:
            mutex = self.pick(self.mutexes)
            return self.pick([f"holds({mutex})", f"{mutex} == none", f"{mutex} != self"])
        if scope.own_cells and self.flip(40):
            return f"{scope.own_cells}[{self.own_index(scope)}]"
        if scope.tids:
            name = self.pick(scope.tids)
            other = self.pick(["self", "none", *scope.tids])
            return f"{name} {self.pick(['==', '!='])} {other}"
        return "true"

    def own_index(self, scope: _Scope) -> str:
        """Mostly `self`; any other id may be out of bounds, and is not allowed for any number."""
        if self.features.any_number or not scope.tids or self.flip(80):
            return "self"
        return self.pick(scope.tids)

    def tid_statement(self, scope: _Scope) -> str:
        target = self.pick(scope.tids)
        if self.flip(15):
            return f"havoc {target};"
        sources = ["self", "self", "none", *scope.tids, *self.mutexes]
        return f"{target} = {self.pick(sources)};"

    def bool_expr(self, scope: _Scope) -> str:
        form = self.choose.integer(0, 5)
        if form < 3:
            return self.bool_atom(scope)
        if form == 3:
            return f"!({self.bool_atom(scope)})"
        op = self.pick(["&&", "||", "==>"])
        return f"({self.bool_atom(scope)}) {op} ({self.bool_atom(scope)})"

    # -- statements -------------------------------------------------------------------------------

    def target(self, scope: _Scope) -> str:
        name = self.pick(scope.ints + scope.local_ints)
        return f"a[{self.choose.integer(0, 1)}]" if name == "a" else name

    def simple(self, scope: _Scope) -> str:
        if self.remembers and scope.tids and self.flip(25):
            return self.tid_statement(scope)
        form = self.choose.integer(0, 13)
        if form == 3 and scope.own_cells:
            index = self.own_index(scope)
            return f"{scope.own_cells}[{index}] = {self.bool_expr(scope)};"
        if form < 4:
            return f"{self.target(scope)} = {self.int_expr(scope)};"
        if form == 4 and scope.bools:
            return f"{self.pick(scope.bools)} = {self.bool_expr(scope)};"
        if form == 5:
            return f"assert({self.bool_expr(scope)});"
        if form == 6:
            return f"assume({self.bool_atom(scope)});"
        if form == 7:
            return (
                f"{self.target(scope)} = choose({self.int_atom(scope)}, {self.int_atom(scope)});"
            )
        if form == 8:
            return f"havoc {self.pick(['x', *scope.local_ints])};"
        if form == 9 and self.mutexes:
            mutex = self.pick(self.mutexes)
            if self.flip(20) and scope.bools:
                return f"{self.pick(scope.bools)} = try_acquire({mutex});"
            return f"{self.pick(['acquire', 'release'])}({mutex});"
        if form == 10 and scope.tids:
            return self.tid_statement(scope)
        if form == 11 and scope.callable:
            name = self.pick(scope.callable)
            call = f"{name}({self.int_atom(scope)})"
            return f"{self.target(scope)} = {call};" if self.flip() else f"{call};"
        if form == 12 and len(scope.ints) > 1:
            first, second = self.target(scope), self.pick([*scope.local_ints, "y"])
            if first != second:
                return f"{first}, {second} = {self.int_atom(scope)}, {self.int_atom(scope)};"
        return "skip;"

    def statement(self, scope: _Scope, depth: int) -> str:
        form = self.choose.integer(0, 15)
        if depth == 0 or form < 8:
            return self.simple(scope)
        inner = depth - 1
        if form == 8:
            other = f" else {{ {self.block(scope, inner)} }}" if self.flip() else ""
            return f"if ({self.bool_expr(scope)}) {{ {self.block(scope, inner)} }}{other}"
        if form == 9 and not scope.atomic:
            condition = "true" if self.flip(20) else self.bool_expr(scope)
            looped = _Scope(**{**vars(scope), "in_loop": True})
            return f"while ({condition}) {{ {self.block(looped, inner)} }}"
        if form == 10:
            return f"either {{ {self.block(scope, inner)} }} or {{ {self.block(scope, inner)} }}"
        if form == 11 and self.features.atomics:
            inside = _Scope(**{**vars(scope), "atomic": True, "in_loop": False})
            head = "atomic" if self.flip() else f"await({self.bool_atom(scope)})"
            return f"{head} {{ {self.block(inside, inner)} }}"
        if form == 12 and self.mutexes and not scope.atomic:
            mutex = self.pick(self.mutexes)
            return f"acquire({mutex}); {self.block(scope, inner)} release({mutex});"
        if form == 13 and scope.in_loop:
            return self.pick(["break;", "continue;"])
        if form == 14 and not scope.atomic and not scope.in_loop and len(self.labels) < 2:
            label = f"{'end' if self.flip(20) else 'lab'}{len(self.labels)}"
            self.labels.append(label)
            return f"{label}: {self.simple(scope)}"
        return self.simple(scope)

    def block(self, scope: _Scope, depth: int) -> str:
        count = self.choose.integer(1, 3 if depth else 2)
        return " ".join(self.statement(scope, depth) for _ in range(count))

    # -- programs ---------------------------------------------------------------------------------

    def program(self) -> str:
        features = self.features
        lines = [
            "int[0..2] x;",
            self.pick(
                [
                    "int[0..2] y = 1;",
                    "int[0..2] saturate y;",
                    "int[0..2] wrap y;",
                    "int[0..1] y = *;",
                ]
            ),
        ]
        shared = ["x", "y"]
        bools = ["b"]
        lines.append("bool b;")
        if features.arrays and self.flip(40):
            lines.append("int[0..1] a[2];")
            shared.append("a")
        self.shared_tids = ["o"] if features.tids else []
        lines.extend(f"tid {name};" for name in self.shared_tids)
        self.guarded = features.protocols and self.flip()
        if self.guarded:
            lines.append("bool busy;")
        if features.mutexes and not (self.guarded and self.flip(70)):
            self.mutexes = ["m"] if self.flip(70) else ["m", "n"]
            lines.extend(f"mutex {name};" for name in self.mutexes)
        procedures = self.procedures(shared, bools) if features.calls and self.flip(40) else []
        names = [name for name, _ in procedures]
        lines.extend(text for _, text in procedures)
        spawned = features.spawn and self.flip(20)
        if spawned:
            scope = _Scope(shared, bools, ["p"], [], self.shared_tids)
            lines.append(f"thread worker(int[0..2] p) {{ {self.block(scope, 1)} }}")
        templates = self.templates(shared, bools, names, spawned=spawned)
        if self.uses_cells:
            lines.append("bool seen[t];")
        lines.extend(text for _, text in templates)
        if features.invariants:
            lines.extend(self.invariants(shared, bools, [name for name, _ in templates]))
        if self.flip():
            lines.append(f"race_free {self.pick(shared)};")
        return "\n".join(lines) + "\n"

    def procedures(self, shared: list[str], bools: list[str]) -> list[tuple[str, str]]:
        result: list[tuple[str, str]] = []
        for name in ["f", "h"][: self.choose.integer(1, 2)]:
            callable_ = [done for done, _ in result]
            if self.features.recursion and self.flip(40):
                callable_.append(name)
            scope = _Scope(shared, bools, ["p"], callable_, self.shared_tids)
            body = self.block(scope, 1)
            value = self.int_atom(_Scope([], bools, ["p"], []))
            text = f"int[0..2] {name}(int[0..2] p) {{ {body} return {value}; }}"
            result.append((name, text))
        return result

    def templates(
        self, shared: list[str], bools: list[str], procedures: list[str], *, spawned: bool
    ) -> list[tuple[str, str]]:
        result: list[tuple[str, str]] = []
        shapes = self.pick([["t", "u"], ["t[2]"], ["t", "u"], ["t[2]", "u"]])
        if self.features.any_number:
            shapes = self.pick([["t[*]"], ["t[*]", "u"]])
        self.uses_cells = self.features.tids and self.flip(30)
        self.remembers = self.features.tids and self.flip(40)
        for number, shape in enumerate(shapes):
            self.labels = []
            tids = [*self.shared_tids, "w"] if self.remembers else self.shared_tids
            cells = "seen" if self.uses_cells and shape.startswith("t") else None
            scope = _Scope(shared, bools, ["r"], procedures, tids, cells)
            depth = 1 if len(shapes) * (2 if "2" in shape else 1) > 2 else 2
            self.indexed = not self.features.any_number
            body = self.critical(scope) if self.guarded else self.block(scope, depth)
            self.indexed = False
            self.places[shape.split("[")[0]] = list(self.labels)
            if spawned and number == 0:
                join = " join c;" if self.flip() else ""
                body = f"tid c; c = spawn worker({self.choose.integer(0, 2)}); {body}{join}"
            own = "int[0..2] r; tid w;" if self.remembers else "int[0..2] r;"
            result.append((shape.split("[")[0], f"thread {shape} {{ {own} {body} }}"))
        return result

    def critical(self, scope: _Scope) -> str:
        """The use of x under the lock, now and then with a mistake."""
        enter = "assume(!busy); busy = true;" if self.flip(12) else "await(!busy) { busy = true; }"
        leave = "" if self.flip(12) else "atomic { busy = false; }"
        own = _Scope([], [], scope.local_ints, [])
        value = self.choose.integer(0, 1)
        use = self.pick(
            [
                f"x = {value}; {self.simple(own)} assert(x == {value});",
                "x = x + 1; x = x - 1;",
                f"x = {value}; x = x + 1; assert(x == {value + 1}); x = 0;",
                "r = x; x = r + 1; assert(x > r); x = r;",
                f"assert(x == 0); x = 1; {self.simple(scope)} x = 0;",
            ]
        )
        self.labels.append("use")
        before = self.simple(own) if self.flip(30) else ""
        after = self.simple(scope) if self.flip(30) else ""
        whole = f"{before} {enter} use: {use} {leave} {after}"
        return f"while (true) {{ {whole} }}" if self.flip(30) else whole

    def invariants(self, shared: list[str], bools: list[str], templates: list[str]) -> list[str]:
        result: list[str] = []
        scope = _Scope(shared, bools, [], [])
        if self.flip(40):
            plain = self.features.tids, self.mutexes
            self.features, self.mutexes = _without_tids(self.features), []
            result.append(f"invariant about_globals: {self.bool_expr(scope)};")
            self.features, self.mutexes = _with_tids(self.features, tids=plain[0]), plain[1]
        if self.flip(40):
            name = self.pick(templates)
            value = self.choose.integer(0, 2)
            result.append(
                f"invariant about_locals: forall i, j: {name}. "
                f"i != j && i.r == {value} ==> j.r != {value};"
            )
        if self.remembers and self.flip(60):
            name = self.pick(templates)
            claim = self.pick(
                [
                    "i.w == i ==> o == i",
                    "i.w != none ==> o != none",
                    "i.w == j ==> j.r == 0",
                    "i != j ==> i.w != j.w || i.w == none",
                    "i != j && i.w == i ==> j.w != j",
                ]
            )
            result.append(f"invariant about_ids: forall i, j: {name}. {claim};")
        if self.uses_cells and self.flip():
            claim = self.pick(["seen[i] ==> x != 2", "i != j ==> !(seen[i] && seen[j])"])
            result.append(f"invariant about_cells: forall i, j: t. {claim};")
        for name, labels in self.places.items():
            if "use" in labels and self.flip():
                both = f"i, j: {name}. i != j ==> !(at(i, use) && at(j, use))"
                result.append(f"invariant alone_{name}: forall {both};")
        placed = [(name, label) for name, labels in self.places.items() for label in labels]
        if placed and self.flip(60):
            name, label = self.pick(placed)
            claim = self.pick(["x == 0", "y != 2", "!b", f"i.r != {self.choose.integer(0, 2)}"])
            result.append(f"invariant about_places: forall i: {name}. at(i, {label}) ==> {claim};")
        if not self.features.any_number and self.flip(15):
            name = self.pick(templates)
            result.append(f"invariant about_some: exists i: {name}. i.r == x || i.r == 0;")
        return result


def _without_tids(features: Features) -> Features:
    return _with_tids(features, tids=False)


def _with_tids(features: Features, *, tids: bool) -> Features:
    return Features(**{**vars(features), "tids": tids})


def generate(choose: Chooser, features: Features = ALL) -> str:
    """The text of a random program."""
    return _Generator(choose, features).program()


def programs(features: Features = ALL) -> st.SearchStrategy[str]:
    """Random programs for hypothesis."""

    @st.composite
    def drawn(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
        return generate(DrawnChooser(draw), features)

    return drawn()
