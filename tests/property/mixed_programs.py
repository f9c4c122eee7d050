"""Random models in which threads loop, call, recurse, start each other and wait for each other.

Beside `programs`, whose threads are short: here loops close by returns, jumps and calls, threads
are started inside loops and procedures, there may be any number of them, and one thread in three
has nothing to do with the others. That is where engines that leave something out go wrong. The
programs are small all the same, and many of them are unsafe in some way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tests.property.programs import Chooser, RandomChooser

Item = TypeVar("Item")


@dataclass(frozen=True)
class _Scope:
    """What statements can name."""

    shared: tuple[str, ...] = ("x", "y")
    own: tuple[str, ...] = ("r",)
    procedures: tuple[str, ...] = ()
    handles: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    starts: bool = False
    """Whether threads may be started here."""
    atomic: bool = False
    looping: bool = False

    @property
    def ints(self) -> tuple[str, ...]:
        return self.shared + self.own


@dataclass
class _Generator:
    choose: Chooser
    any_number: bool
    labels: int = 0
    placed: list[str] = field(default_factory=list)
    """The templates with a label that invariants may name."""
    results: frozenset[str] = frozenset()
    """The procedures that have a result."""

    def flip(self, percent: int = 50) -> bool:
        return self.choose.integer(0, 99) >= 100 - percent

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.choose.integer(0, len(items) - 1)]

    # -- expressions ------------------------------------------------------------------------------

    def atom(self, scope: _Scope) -> str:
        if not scope.ints or self.flip(35):
            return str(self.choose.integer(0, 2))
        return self.pick(scope.ints)

    def number(self, scope: _Scope) -> str:
        left = self.atom(scope)
        return f"{left} {self.pick('+-')} 1" if self.flip(30) else left

    def condition(self, scope: _Scope) -> str:
        if scope.locks and self.flip(10):
            lock = self.pick(scope.locks)
            return self.pick([f"holds({lock})", f"{lock} == none", f"{lock} != none"])
        if scope.shared and self.flip(20):
            return self.pick(["b", "!b"])
        compared = f"{self.atom(scope)} {self.pick(['==', '!=', '<', '>='])} {self.atom(scope)}"
        if self.flip(15):
            return f"({compared}) {self.pick(['&&', '||'])} ({self.condition(scope)})"
        return compared

    # -- statements -------------------------------------------------------------------------------

    def block(self, scope: _Scope, depth: int, most: int = 3) -> str:
        count = self.choose.integer(1, most if depth else 2)
        return " ".join(self.statement(scope, depth) for _ in range(count))

    def statement(self, scope: _Scope, depth: int) -> str:
        if depth == 0 or self.flip(45):
            return self.simple(scope)
        forms = [self.branch, self.branch, self.choice]
        if not scope.atomic:
            forms += [self.loop, self.loop, self.jump, self.region]
            forms += [self.section] * (2 if scope.locks else 0)
        return self.pick(forms)(scope, depth - 1)

    def branch(self, scope: _Scope, depth: int) -> str:
        other = f" else {{ {self.block(scope, depth)} }}" if self.flip(40) else ""
        return f"if ({self.condition(scope)}) {{ {self.block(scope, depth)} }}{other}"

    def choice(self, scope: _Scope, depth: int) -> str:
        return f"either {{ {self.block(scope, depth)} }} or {{ {self.block(scope, depth)} }}"

    def loop(self, scope: _Scope, depth: int) -> str:
        condition = "true" if self.flip() else self.condition(scope)
        inside = replace(scope, looping=True)
        if scope.procedures and self.flip(40):
            return f"while ({condition}) {{ {self.call(inside)} }}"
        return f"while ({condition}) {{ {self.block(inside, depth, 2)} }}"

    def jump(self, scope: _Scope, depth: int) -> str:
        self.labels += 1
        label = f"l{self.labels}"
        back = f"goto {label};"
        if self.flip():
            back = f"if ({self.condition(scope)}) {{ {back} }}"
        return f"{label}: {self.block(replace(scope, looping=False), depth, 2)} {back}"

    def region(self, scope: _Scope, depth: int) -> str:
        head = "atomic" if self.flip() else f"await({self.condition(scope)})"
        inside = replace(scope, atomic=True, looping=False, procedures=(), starts=False)
        return f"{head} {{ {self.block(inside, min(depth, 1), 2)} }}"

    def section(self, scope: _Scope, depth: int) -> str:
        lock = self.pick(scope.locks)
        release = "" if self.flip(8) else f"release({lock});"
        return f"acquire({lock}); {self.block(scope, min(depth, 1), 2)} {release}"

    def simple(self, scope: _Scope) -> str:
        forms: list[Callable[[_Scope], str]] = [self.assign, self.assign, self.assign]
        forms += [self.check, self.wait, self.flag, lambda _: "skip;"]
        if scope.procedures:
            forms += [self.call, self.call]
        if scope.handles and not scope.atomic:
            forms += [self.join]
        if scope.starts:
            forms += [self.start]
        if scope.locks:
            forms += [self.lock]
        if scope.looping:
            forms += [lambda _: self.pick(["break;", "continue;"])]
        return self.pick(forms)(scope)

    def assign(self, scope: _Scope) -> str:
        target = self.pick(scope.ints)
        form = self.choose.integer(0, 9)
        if form == 0:
            return f"havoc {target};"
        if form == 1:
            return f"{target} = choose({self.atom(scope)}, {self.atom(scope)});"
        return f"{target} = {self.number(scope)};"

    def check(self, scope: _Scope) -> str:
        return f"assert({self.condition(scope)});"

    def wait(self, scope: _Scope) -> str:
        return f"assume({self.condition(scope)});" if scope.shared else "skip;"

    def flag(self, scope: _Scope) -> str:
        return f"b = {self.condition(scope)};" if scope.shared else "skip;"

    def lock(self, scope: _Scope) -> str:
        lock = self.pick(scope.locks)
        if self.flip(20) and scope.shared:
            return f"b = try_acquire({lock});"
        return f"{self.pick(['acquire', 'release'])}({lock});"

    def call(self, scope: _Scope) -> str:
        name = self.pick(scope.procedures)
        called = f"{name}({self.atom(scope)});"
        if name in self.results and self.flip():
            return f"{self.pick(scope.ints)} = {called}"
        return called

    def start(self, scope: _Scope) -> str:
        started = f"spawn w({self.choose.integer(0, 1)});"
        return f"{self.pick(scope.handles)} = {started}" if scope.handles else started

    def join(self, scope: _Scope) -> str:
        return f"join {self.pick(scope.handles)};"

    # -- programs ---------------------------------------------------------------------------------

    def program(self) -> str:
        lines = [
            f"int[0..2] {self.pick(['', 'wrap ', 'saturate '])}x;",
            f"int[0..1] {self.pick(['', 'wrap '])}y{self.pick(['', ' = 1', ' = *'])};",
            "bool b;",
        ]
        locks = self.pick([(), ("m",), ("m",), ("m", "n")])
        lines.extend(f"mutex {lock};" for lock in locks)
        starts = self.flip(30)
        scope = _Scope(locks=locks, starts=starts and self.flip(20))
        names, texts = self.procedures(scope)
        lines.extend(texts)
        if starts:
            within = replace(scope, own=("p",), procedures=names, starts=False)
            lines.append(f"thread w(int[0..1] p) {{ {self.block(within, 1, 2)} }}")
        threads = replace(scope, procedures=names, starts=starts)
        lines.extend(self.threads(threads))
        lines.extend(self.invariants())
        if self.flip(30):
            lines.append(f"race_free {self.pick(['x', 'y', 'b'])};")
        return "\n".join(lines) + "\n"

    def procedures(self, scope: _Scope) -> tuple[tuple[str, ...], list[str]]:
        """Some procedures; they may call themselves, each other, and touch nothing shared."""
        names = ("f", "h")[: self.pick([0, 0, 1, 1, 2])]
        texts: list[str] = []
        self.results = frozenset(name for name in names if self.flip(40))
        for name in names:
            called = names if self.flip(35) else names[: names.index(name)]
            shared = () if self.flip(40) else scope.shared
            locks = scope.locks if shared else ()
            inside = replace(scope, own=("p",), shared=shared, locks=locks, procedures=called)
            texts.append(self.procedure(name, inside))
        return names, texts

    def procedure(self, name: str, scope: _Scope) -> str:
        body = self.block(scope, 1, 2) if self.flip(70) else ""
        if name in scope.procedures and self.flip():
            body += f" if (p > 0) {{ {name}(p - 1); }}"
        has_result = name in self.results
        kind = "int[0..2]" if has_result else "void"
        back = f"return {self.atom(scope)};" if has_result else self.pick(["", "return;"])
        return f"{kind} {name}(int[0..2] p) {{ {body} {back} }}"

    def threads(self, scope: _Scope) -> list[str]:
        shapes = self.pick([["t", "u"], ["t", "u"], ["t[2]"], ["t[2]", "u"], ["t", "u", "v"]])
        if self.any_number:
            shapes = self.pick([["t[*]"], ["t[*]", "u"]])
        small = len(shapes) > 2 or shapes == ["t[2]", "u"]
        texts: list[str] = []
        for number, shape in enumerate(shapes):
            name = shape.split("[")[0]
            inside = scope
            if number and self.flip(35):
                inside = replace(scope, shared=(), locks=(), starts=False)
            if inside.starts:
                inside = replace(inside, handles=("c",))
            body = self.block(inside, 1 if small else 2)
            if self.flip(40):
                self.placed.append(name)
                body += f" here_{name}: {self.simple(inside)}"
            own = "int[0..2] r; tid c; " if inside.handles else "int[0..2] r; "
            texts.append(f"thread {shape} {{ {own}{body} }}")
        return texts

    def invariants(self) -> list[str]:
        found: list[str] = []
        if self.flip(30):
            claim = self.pick(["x != 2", "y == 0 || x == 0", "b ==> x != 1", "x < 2 || !b"])
            found.append(f"invariant about_globals: {claim};")
        for name in self.placed:
            if self.flip():
                here = f"at(i, here_{name})"
                claim = self.pick(
                    [
                        f"forall i: {name}. {here} ==> x == 0",
                        f"forall i, j: {name}. {here} && at(j, here_{name}) ==> i == j",
                        f"forall i: {name}. {here} ==> i.r != 1",
                    ]
                )
                found.append(f"invariant about_{name}: {claim};")
        return found


def mixed_program_of(seed: int) -> str:
    """The text of the program of a seed; one in five has any number of threads."""
    choose = RandomChooser.of(seed)
    return _Generator(choose, any_number=choose.integer(0, 4) == 4).program()
