"""Random programs about transactions: locks that mostly protect what they should.

`tests.property.programs` writes arbitrary statements; few of its threads hold a lock for long. The
threads here are made of critical sections, right and wrong, one inside the other, with what makes
reduction difficult in between: waiting for shared data, reading mutexes, lock orders that can
deadlock, loops that never end, calls and recursion, failures in several threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.property.programs import Chooser

GUARDED = {"m": "x", "n": "y"}
"""Which variable each lock is for."""


@dataclass
class _Threads:
    choose: Chooser
    recursion: bool
    annotate: bool = False
    """Whether some statements are said to be movers, rightly or wrongly."""
    labels: list[str] = field(default_factory=list)

    def flip(self, percent: int) -> bool:
        return self.choose.integer(0, 99) >= 100 - percent

    def pick(self, items: list[str]) -> str:
        return items[self.choose.integer(0, len(items) - 1)]

    def value(self) -> str:
        return str(self.choose.integer(0, 2))

    def variable(self, held: list[str]) -> str:
        """A variable whose lock is held, now and then another one."""
        if held and self.flip(85):
            return GUARDED[self.pick(held)]
        return self.pick(["x", "y", "r", "r", "z", "a[r % 2]"] if self.flip(40) else ["r"])

    def condition(self, held: list[str]) -> str:
        if self.flip(6):
            mutex = self.pick(["m", "n"])
            return self.pick([f"holds({mutex})", f"{mutex} == none", f"{mutex} != self"])
        return f"{self.variable(held)} {self.pick(['==', '!=', '<'])} {self.value()}"

    def simple(self, held: list[str]) -> str:
        match self.choose.integer(0, 9):
            case 0 | 1:
                return f"{self.variable(held)} = {self.value()};"
            case 2:
                name = self.variable(held)
                return f"{name} = {name} + 1;"
            case 3:
                return f"r = {self.variable(held)};"
            case 4:
                return f"assert({self.condition(held)});"
            case 5:
                return f"assume({self.condition(held)});"
            case 6:
                return f"{self.pick(['f', 'h'])}();"
            case 7 if self.flip(30):
                return f"b = try_acquire({self.pick(['m', 'n'])});"
            case 7 if self.flip(20):
                return f"{self.pick(['acquire', 'release'])}({self.pick(['m', 'n'])});"
            case 8 if len(self.labels) < 2:
                self.labels.append(f"lab{len(self.labels)}")
                return f"{self.labels[-1]}: skip;"
            case _:
                return "skip;"

    def block(self, held: list[str], depth: int, *, in_atomic: bool = False) -> str:
        count = self.choose.integer(1, 3)
        return " ".join(self.statement(held, depth, in_atomic) for _ in range(count))

    def statement(self, held: list[str], depth: int, in_atomic: bool) -> str:
        form = self.choose.integer(0, 11) if depth else 11
        free = [mutex for mutex in GUARDED if mutex not in held]
        if form < 5 and free and not in_atomic:
            mutex = self.pick(free)
            inside = self.block([*held, mutex], depth - 1)
            return f"acquire({mutex}); {inside} release({mutex});"
        if form == 5:
            one, other = self.block(held, depth - 1), self.simple(held)
            return f"if ({self.condition(held)}) {{ {one} }} else {{ {other} }}"
        if form == 6:
            one, other = self.simple(held), self.block(held, depth - 1)
            return f"either {{ {one} }} or {{ {other} }}"
        if form == 7 and not in_atomic:
            condition = "true" if self.flip(50) else self.condition(held)
            return f"while ({condition}) {{ {self.block(held, depth - 1)} }}"
        if form == 8 and not in_atomic:
            return f"atomic {{ {self.quiet(held)} {self.quiet(held)} }}"
        return self.quiet(held) if in_atomic else self.annotated(self.simple(held))

    def annotated(self, text: str) -> str:
        """A statement, perhaps with a claim about it."""
        one_step = not any(part in text for part in (": ", "f();", "h();"))
        if self.annotate and one_step and self.flip(40):
            return f"mover {self.pick(['right', 'left', 'both'])} {text}"
        return text

    def quiet(self, held: list[str]) -> str:
        """A statement that may stand in an atomic block: without label, call or loop."""
        labels = list(self.labels)
        text = self.simple(held)
        self.labels = labels
        return "skip;" if ":" in text or "f()" in text or "h()" in text else text

    def procedure(self, name: str, callable_: str) -> str:
        mutex = self.pick(["m", "n"])
        plain = f"{GUARDED[mutex]} = {self.value()};"
        again = ""
        if self.recursion:
            again = self.pick(
                [f"if ({GUARDED[mutex]} == {self.value()}) {{ {callable_}(); }}", ""]
            )
        body = self.pick(
            [
                f"acquire({mutex}); {plain} release({mutex}); {again}",
                f"acquire({mutex}); {again} {plain} release({mutex});",
                f"{plain} {again}",
                f"assert({GUARDED[mutex]} != {self.value()}); {again}",
                f"skip; {again}",
            ]
        )
        return f"void {name}() {{ {body} }}"


def generate(
    choose: Chooser, *, recursion: bool = False, alone: bool = False, annotate: bool = False
) -> str:
    """The text of a random program; `alone`: with one thread."""
    threads = _Threads(choose, recursion, annotate)
    lines = ["int[0..2] wrap x; int[0..2] wrap y; int[0..2] saturate z; int[0..1] wrap a[2];"]
    lines.append("mutex m; mutex n; bool b;")
    lines.append(threads.procedure("f", "f"))
    lines.append(threads.procedure("h", threads.pick(["f", "h"])))
    shapes = [["t", "u"], ["t[2]"], ["t", "u"], ["t[2]", "u"]][choose.integer(0, 3)]
    for shape in ["t"] if alone else shapes:
        threads.labels = []
        depth = 1 if len(shapes) == 2 and "[2]" in shapes[0] else 2
        body = threads.block([], depth)
        if threads.flip(20):
            body = f"while (true) {{ {body} }}"
        lines.append(f"thread {shape} {{ int[0..2] wrap r; {body} }}")
        name = shape.split("[")[0]
        for label in threads.labels:
            claim = threads.pick(["x == 0", "y != 2", "m == none", f"i.r != {threads.value()}"])
            lines.append(
                f"invariant at_{label}_{name}: forall i: {name}. at(i, {label}) ==> {claim};"
            )
    if threads.flip(30):
        lines.append(f"invariant shared: x == {threads.value()} ==> y != {threads.value()};")
    return "\n".join(lines) + "\n"
