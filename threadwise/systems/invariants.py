"""Invariants of the concrete system, as error patterns.

`forall i, j: t. e` relates one distinct thread per variable; variables that mean the same thread
make patterns of their own. Any other shape of quantifiers relates all threads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from threadwise.ir.expr import (
    AtLabel,
    Binary,
    Expr,
    Quantified,
    Quantifier,
    ThreadRead,
    ThreadVariable,
)
from threadwise.ir.fold import children, subexpressions
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.systems.api import Role
from threadwise.systems.patterns import FewThreads, MayHold
from threadwise.systems.python_code import ExpressionCompiler, Global, Local, compile_function

Few = FewThreads[Global, Local]
_UNDEFINED = "undefined"


def invariant_patterns(
    checked: InvariantProperty, program: Program, layout: ProgramLayout
) -> Iterator[Few]:
    """The ways in which the formula of an invariant can be false."""
    return _Patterns(checked, program, layout).all()


class _Patterns:
    def __init__(
        self, checked: InvariantProperty, program: Program, layout: ProgramLayout
    ) -> None:
        self.checked = checked
        self.program = program
        self.layout = layout

    def all(self) -> Iterator[Few]:
        """One pattern per way in which quantified variables mean the same thread."""
        checked = self.checked
        variables, body = universal_prefix(checked.formula)
        if any(isinstance(part, Quantified) for part in subexpressions(body)):
            code = _FormulaCompiler(self.program, self.layout, {})
            positions: tuple[tuple[Role, ...], ...] = tuple(
                (Role(t),) for t in range(len(self.layout.numbers.templates))
            )
            text = f"return not {code.expr(checked.formula)}"
            may_hold: MayHold[Global, Local] = compile_function("g, roles, ls", [text])
            yield Few(checked, positions, may_hold, lambda _k, t, _g, l: (t, l))
            return
        for blocks in partitions(variables):
            names = [{variable.name for variable in block} for block in blocks]
            bindings = {
                name: (f"roles[{k}]", f"ls[{k}]")
                for k, block in enumerate(names)
                for name in block
            }
            code = _FormulaCompiler(self.program, self.layout, bindings)
            positions = tuple(
                tuple(map(Role, self.layout.numbers.ranges[block[0].template])) for block in blocks
            )
            text = f"return not {code.expr(body)}"
            may_hold = compile_function("g, roles, ls", [text])
            yield Few(checked, positions, may_hold, self._projection(body, names))

    def _projection(
        self, formula: Expr, names: Sequence[set[str]]
    ) -> Callable[[int, Role, Global, Local], Hashable]:
        """What a formula can see of the thread at each position.

        These are the values of its largest parts that are about that thread alone; the whole
        local store if what is read of one thread depends on another.
        """
        if any(
            isinstance(p, ThreadRead) and len(_mentioned(p)) > 1 for p in subexpressions(formula)
        ):
            return lambda _k, t, _g, l: (t, l)
        visible = [
            [
                compile_function(
                    "t, g, l",
                    [
                        "try:",
                        f"    return {code.expr(part)}",
                        "except (IndexError, ZeroDivisionError):",
                        "    return undefined",
                    ],
                    {"undefined": _UNDEFINED},
                )
                for part in _parts_about(formula, chosen)
            ]
            for chosen in names
            for code in [
                _FormulaCompiler(self.program, self.layout, dict.fromkeys(chosen, ("t", "l")))
            ]
        ]

        def project(k: int, t: Role, g: Global, l: Local) -> Hashable:
            return tuple(value(t, g, l) for value in visible[k])

        return project


class _FormulaCompiler(ExpressionCompiler):
    """Invariants over several threads; `bindings` says how to read each thread variable."""

    def __init__(
        self, program: Program, layout: ProgramLayout, bindings: Mapping[str, tuple[str, str]]
    ) -> None:
        super().__init__(program, layout, "", "", "g[{0}]")
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
            self.program,
            self.layout,
            {**self.bindings, **{n: (t, f"ls[{t}]") for n, t in names.items()}},
        )
        loops = " ".join(
            f"for {names[v.name]} in {self.layout.numbers.ranges[v.template]!r}" for v in variables
        )
        test = "all" if quantifier is Quantifier.FORALL else "any"
        return f"{test}({inner.expr(body)} {loops})"


def _mentioned(expr: Expr) -> set[str]:
    """The thread variables a formula mentions."""
    found: set[str] = set()
    for part in subexpressions(expr):
        if isinstance(part, ThreadVariable):
            found.add(part.name)
        elif isinstance(part, AtLabel | ThreadRead):
            found.add(part.thread.name)
    return found


def _parts_about(expr: Expr, names: set[str]) -> Iterator[Expr]:
    """The largest parts of a formula whose thread variables are all among `names`.

    Whether two variables are the same thread is left out: positions hold distinct threads.
    """
    mentioned = _mentioned(expr)
    if not mentioned & names:
        return
    if mentioned <= names:
        yield expr
    elif not (
        isinstance(expr, Binary)
        and isinstance(expr.left, ThreadVariable)
        and isinstance(expr.right, ThreadVariable)
    ):
        for child in children(expr):
            yield from _parts_about(child, names)


def universal_prefix(formula: Expr) -> tuple[tuple[ThreadVariable, ...], Expr]:
    """The leading universal quantifiers of a formula, and the rest."""
    variables: tuple[ThreadVariable, ...] = ()
    while isinstance(formula, Quantified) and formula.quantifier is Quantifier.FORALL:
        variables += formula.variables
        formula = formula.body
    return variables, formula


def partitions(
    variables: Sequence[ThreadVariable],
) -> Iterator[list[list[ThreadVariable]]]:
    """All ways for variables of equal template to mean the same thread."""
    if not variables:
        yield []
        return
    first, rest = variables[0], variables[1:]
    for blocks in partitions(rest):
        yield [[first], *blocks]
        for k, block in enumerate(blocks):
            if block[0].template == first.template:
                yield [*blocks[:k], [first, *block], *blocks[k + 1 :]]
