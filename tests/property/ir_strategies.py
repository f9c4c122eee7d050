"""Random well-formed programs of the IR, with every construct it has.

`programs()` gives programs without violations (a test insists). They need not make sense: guards
may be undefined, code unreachable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tests.property.drawing import Draw
from tests.property.ir_edge_strategies import EdgeMaker, draw_span
from tests.property.ir_term_strategies import Surroundings, draw_expr
from tests.property.ir_type_strategies import (
    TypeNames,
    draw_initial,
    draw_names,
    draw_records,
    draw_scalar_type,
    draw_type,
)
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.program import (
    Declaration,
    Failure,
    FailureKind,
    Location,
    LocId,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    PropertyKind,
    RaceProperty,
)
from threadwise.ir.types import BOOL, EnumType

_FAILURES = {
    "assert:7": FailureKind.ASSERTION,
    "assert:12": FailureKind.ASSERTION,
    "range": FailureKind.RANGE,
    "mutex": FailureKind.MUTEX,
}
_LABELS = ("start", "use", "end.1", "default")


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any well-formed program."""
    return _Generator(Draw(draw)).program()


@dataclass
class _Generator:
    """Draws one program."""

    draw: Draw

    def program(self) -> Program:
        """The program, declarations first."""
        draw = self.draw
        enums = tuple(
            EnumType(f"enum.{name}", tuple(draw_names(draw, 3, 1))) for name in draw_names(draw, 2)
        )
        template_names = tuple(draw_names(draw, 2, 1))
        records = draw_records(draw, enums, template_names)
        self.known = TypeNames(enums, records, template_names)
        variables = [
            Variable(name, draw_type(draw, self.known), Scope.GLOBAL, draw.flag())
            for name in draw_names(draw, 4)
        ]
        self.globals = tuple(
            Declaration(variable, draw_initial(draw, variable.type, len(variables)))
            for variable in variables
        )
        self.templates = self._templates()
        fixed = all(template.count is not None for template in self.templates)
        pointees = tuple(draw.many(lambda: draw_type(draw, self.known), 3, 1))
        self.around = Surroundings(tuple(variables), enums, pointees, template_names, index=fixed)
        procedures = self._procedures()
        properties = self._properties(procedures)
        name = draw.text()
        return Program(name, enums, self.globals, procedures, self.templates, properties)

    def _templates(self) -> tuple[Template, ...]:
        """Templates that may share a body, and a variable."""
        draw = self.draw
        common = draw.many(
            lambda: Variable("common", draw_type(draw, self.known), Scope.THREAD), 1
        )
        found: list[Template] = []
        for position, name in enumerate(self.known.templates):
            own = [
                Variable(name, draw_type(draw, self.known), Scope.THREAD)
                for name in draw_names(draw, 2)
            ]
            body = position if draw.flag() else 0
            count = draw.number(-1, 3)
            declarations = tuple(
                Declaration(variable, draw_initial(draw, variable.type, 0))
                for variable in (*common, *own)
            )
            found.append(
                Template(
                    name,
                    None if count < 0 else count,
                    f"body.{body}",
                    declarations,
                    draw.flag(),
                    draw_span(draw),
                )
            )
        return tuple(found)

    def _procedures(self) -> tuple[Procedure, ...]:
        draw = self.draw
        bodies = [_signature(f"body.{number}") for number in range(len(self.templates))]
        callable_ = [
            replace(
                _signature(f"call {name}"),
                parameters=tuple(
                    Variable(p, draw_scalar_type(draw, self.known.enums), Scope.LOCAL)
                    for p in draw_names(draw, 2)
                ),
                result=draw_scalar_type(draw, self.known.enums) if draw.flag() else None,
            )
            for name in draw_names(draw, 2)
        ]
        finished: list[Procedure] = []
        locations = edges = 0
        for signature in (*bodies, *callable_):
            finished.append(self._procedure(signature, callable_, locations, edges))
            locations += len(finished[-1].locations)
            edges += len(finished[-1].edges)
        return tuple(finished)

    def _procedure(
        self, signature: Procedure, callable_: list[Procedure], first: int, first_edge: int
    ) -> Procedure:
        draw = self.draw
        taken = {parameter.name for parameter in signature.parameters}
        variables = [
            Variable(name, draw_type(draw, self.known), Scope.LOCAL)
            for name in draw_names(draw, 3)
            if name not in taken
        ]
        locals_ = tuple(
            Declaration(v, draw_initial(draw, v.type, 0, local=True)) for v in variables
        )
        private = (*signature.parameters, *variables, *self._thread_variables(signature))
        locations = [
            self._location(first + position, entry=position == 0)
            for position in range(draw.number(1, 4))
        ]
        sources = [location for location in locations if location.failure is None]
        maker = EdgeMaker(draw, self.around, private, signature, tuple(callable_))
        edges = [
            maker.edge(first_edge + position, draw.pick(sources), locations)
            for position in range(draw.number(0, 4) if sources else 0)
        ]
        return replace(
            signature,
            locals=locals_,
            entry=LocId(first),
            locations=tuple(locations),
            edges=tuple(edges),
            span=draw_span(draw),
        )

    def _thread_variables(self, signature: Procedure) -> tuple[Variable, ...]:
        """Those that all templates have which may run the procedure."""
        is_body = signature.name.startswith("body.")
        runners = [t for t in self.templates if not is_body or t.body == signature.name]
        owned = [[d.variable for d in template.variables] for template in runners]
        return tuple(v for v in owned[0] if all(v in own for own in owned)) if owned else ()

    def _location(self, number: int, *, entry: bool) -> Location:
        draw = self.draw
        kind = draw.number(0, 6)
        failure = None
        if kind == 0 and not entry:
            name = draw.pick((*_FAILURES, "bound"))
            failure = Failure(_FAILURES.get(name, FailureKind.LIMIT), name, draw.text())
        return Location(
            LocId(number),
            tuple(draw.some(_LABELS, 2)),
            draw_span(draw),
            kind == 1 and not entry,
            kind == 2,
            failure,
        )

    def _properties(self, procedures: tuple[Procedure, ...]) -> tuple[Property, ...]:
        draw = self.draw
        found: list[Property] = [
            FailureProperty(name, PropertyKind(kind.value), draw_span(draw), draw.flag())
            for name, kind in _FAILURES.items()
        ]
        raced = draw.pick((None, (), tuple(d.variable.name for d in self.globals)))
        found.append(RaceProperty("race", raced, draw_span(draw), draw.flag()))
        found.append(DeadlockProperty("deadlock", draw_span(draw), draw.flag()))
        around = replace(
            self.around,
            index=False,
            own={t.name: tuple(d.variable for d in t.variables) for t in self.templates},
            labels=tuple(
                (procedure.name, label)
                for procedure in procedures
                for location in procedure.locations
                for label in location.labels
            ),
            invariant=True,
            exists=self.around.index,
        )
        for name in ("excl", "all of them"):
            formula = draw_expr(draw, BOOL, around, 4)
            found.append(InvariantProperty(name, formula, draw_span(draw), draw.flag()))
        return tuple(found)


def _signature(name: str) -> Procedure:
    return Procedure(name, (), None, (), LocId(0), (), ())
