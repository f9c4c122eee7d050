"""Random well-formed programs of the IR, with every construct it has.

`programs()` gives programs without violations (a test insists). They need not make sense: guards
may be undefined, code unreachable. For programs worth running restrict what is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.property.ir_term_strategies import (
    Surroundings,
    exprs,
    names,
    places,
    same_kind,
    scalar_types,
    types,
    values,
)
from threadwise.core.source import Span
from threadwise.ir.commands import (
    Action,
    Allocate,
    Assignment,
    Call,
    Command,
    Free,
    Operation,
    OperationKind,
    Return,
)
from threadwise.ir.expr import (
    TRUE,
    Expr,
    FieldPlace,
    Read,
    Scope,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    Edge,
    EdgeId,
    Failure,
    FailureKind,
    FillValue,
    Initial,
    ListedValues,
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
from threadwise.ir.types import (
    BOOL,
    POINTER,
    ArrayType,
    EnumType,
    MutexType,
    RecordType,
    ScalarType,
    Type,
    is_scalar,
)

_FAILURES = {
    "assert:7": FailureKind.ASSERTION,
    "assert:12": FailureKind.ASSERTION,
    "range": FailureKind.RANGE,
    "mutex": FailureKind.MUTEX,
}
_LABELS = ("start", "use", "end.1", "default")


def spans() -> st.SearchStrategy[Span | None]:
    """A place in one of two files, or none."""
    numbers = st.integers(1, 99)
    paths = st.sampled_from(("a.tw", 'odd "name"\n.h'))
    return st.none() | st.builds(Span, paths, numbers, numbers, numbers, numbers)


@dataclass(frozen=True)
class _Declared:
    """Everything the procedures of a program may refer to."""

    around: Surroundings
    globals: tuple[Declaration, ...]
    templates: tuple[Template, ...]
    callable: tuple[Procedure, ...]
    """Signatures only."""


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any well-formed program."""
    enums = tuple(
        EnumType(f"enum.{name}", tuple(draw(names(3, at_least=1)))) for name in draw(names(2))
    )
    template_names = tuple(draw(names(2, at_least=1)))
    records = draw(_records(enums, template_names))
    held = types(enums, records, template_names)
    pointees = tuple(draw(st.lists(held, min_size=1, max_size=3)))
    global_variables = [
        Variable(name, draw(held), Scope.GLOBAL, draw(st.booleans())) for name in draw(names(4))
    ]
    globals_ = tuple(
        Declaration(variable, draw(_initials(variable.type, len(global_variables))))
        for variable in global_variables
    )
    templates = draw(_templates(template_names, held))
    around = Surroundings(
        tuple(global_variables),
        enums,
        pointees,
        template_names,
        index=all(template.count is not None for template in templates),
    )
    declared = _Declared(around, globals_, templates, draw(_signatures(enums)))
    procedures = draw(_procedures(declared))
    return Program(
        draw(st.text(max_size=5)),
        enums,
        globals_,
        procedures,
        templates,
        draw(_properties(declared, procedures)),
    )


@st.composite
def _records(
    draw: st.DrawFn, enums: tuple[EnumType, ...], templates: tuple[str, ...]
) -> tuple[RecordType, ...]:
    records: tuple[RecordType, ...] = ()
    for name in draw(names(2)):
        held = types(enums, records, templates)
        fields = tuple((field, draw(held)) for field in draw(names(3, at_least=1)))
        records += (RecordType(name, fields),)
    return records


@st.composite
def _initials(draw: st.DrawFn, held: Type, objects: int, *, local: bool = False) -> Initial:
    simple: list[Initial] = [DefaultValue()] if local else [DefaultValue(), AnyValue()]
    if is_scalar(held) and draw(st.booleans()):
        return FillValue(draw(values(held, objects)))  # type: ignore[arg-type]  # scalar
    if isinstance(held, ArrayType) and is_scalar(held.element) and isinstance(held.extent, int):
        element: ScalarType = held.element  # type: ignore[assignment]  # scalar
        size = held.extent
        listed = draw(st.lists(values(element, objects), min_size=size, max_size=size))
        return draw(st.sampled_from((ListedValues(tuple(listed)), FillValue(listed[0]))))
    return draw(st.sampled_from(simple))


@st.composite
def _templates(
    draw: st.DrawFn, template_names: tuple[str, ...], held: st.SearchStrategy[Type]
) -> tuple[Template, ...]:
    common = [Variable("common", draw(held), Scope.THREAD) for _ in range(draw(st.integers(0, 1)))]
    found: list[Template] = []
    for position, name in enumerate(template_names):
        own = [Variable(name, draw(held), Scope.THREAD) for name in draw(names(2))]
        body = position if draw(st.booleans()) else 0
        found.append(
            Template(
                name,
                draw(st.none() | st.integers(0, 3)),
                f"body.{body}",
                tuple(Declaration(v, draw(_initials(v.type, 0))) for v in [*common, *own]),
                draw(st.booleans()),
                draw(spans()),
            )
        )
    return tuple(found)


@st.composite
def _signatures(draw: st.DrawFn, enums: tuple[EnumType, ...]) -> tuple[Procedure, ...]:
    scalar = scalar_types(enums)
    return tuple(
        Procedure(
            f"call {name}",
            tuple(Variable(p, draw(scalar), Scope.LOCAL) for p in draw(names(2))),
            draw(st.none() | scalar),
            (),
            LocId(0),
            (),
            (),
        )
        for name in draw(names(2))
    )


@st.composite
def _procedures(draw: st.DrawFn, declared: _Declared) -> tuple[Procedure, ...]:
    signatures = [
        Procedure(f"body.{number}", (), None, (), LocId(0), (), ())
        for number in range(len(declared.templates))
    ]
    signatures += declared.callable
    finished: list[Procedure] = []
    locations = edges = 0
    for signature in signatures:
        finished.append(draw(_bodies(signature, declared, locations, edges)))
        locations += len(finished[-1].locations)
        edges += len(finished[-1].edges)
    return tuple(finished)


@st.composite
def _bodies(
    draw: st.DrawFn, signature: Procedure, declared: _Declared, first: int, first_edge: int
) -> Procedure:
    around = declared.around
    taken = {parameter.name for parameter in signature.parameters}
    held = types(around.enums, tuple(t for t in around.types if isinstance(t, RecordType)), ())
    locals_ = tuple(
        Declaration(variable, draw(_initials(variable.type, 0, local=True)))
        for name in draw(names(3))
        if name not in taken
        for variable in [Variable(name, draw(held), Scope.LOCAL)]
    )
    private = (
        *signature.parameters,
        *(declaration.variable for declaration in locals_),
        *_thread_variables(signature, declared.templates),
    )
    is_body = signature not in declared.callable
    entry = draw(_locations(first, entry=True))
    locations = [entry]
    for position in range(1, draw(st.integers(1, 4))):
        locations.append(draw(_locations(first + position, entry=False)))
    sources = [location for location in locations if location.failure is None]
    maker = _EdgeMaker(declared, signature, private, is_body)
    edges = [
        draw(maker.edge(first_edge + position, draw(st.sampled_from(sources)), locations))
        for position in range(draw(st.integers(0, 4)) if sources else 0)
    ]
    return Procedure(
        signature.name,
        signature.parameters,
        signature.result,
        locals_,
        entry.id,
        tuple(locations),
        tuple(edges),
        draw(spans()),
    )


def _thread_variables(
    signature: Procedure, templates: tuple[Template, ...]
) -> tuple[Variable, ...]:
    """Those that all templates have which may run the procedure."""
    is_body = signature.name.startswith("body.")
    runners = [t for t in templates if not is_body or t.body == signature.name]
    owned = [[d.variable for d in template.variables] for template in runners]
    return tuple(v for v in owned[0] if all(v in own for own in owned)) if owned else ()


@st.composite
def _locations(draw: st.DrawFn, number: int, *, entry: bool) -> Location:
    labels = tuple(draw(st.lists(st.sampled_from(_LABELS), max_size=2, unique=True)))
    kind = draw(st.integers(0, 4))
    failure = None
    if kind == 0:
        name = draw(st.sampled_from((*_FAILURES, "bound")))
        failure = Failure(_FAILURES.get(name, FailureKind.LIMIT), name, draw(st.text(max_size=5)))
    return Location(
        LocId(number), labels, draw(spans()), kind == 1 and not entry, kind == 2, failure
    )


@dataclass(frozen=True)
class _EdgeMaker:
    """Draws the edges of one procedure."""

    declared: _Declared
    signature: Procedure
    private: tuple[Variable, ...]
    is_body: bool

    def edge(
        self, number: int, source: Location, locations: list[Location]
    ) -> st.SearchStrategy[Edge]:
        """An edge from a location."""

        @st.composite
        def draw_edge(draw: st.DrawFn) -> Edge:
            target = draw(st.sampled_from(locations))
            action = draw(self._actions(calls=not (source.atomic or target.atomic)))
            return Edge(
                EdgeId(number),
                source.id,
                source.id if isinstance(action, Return) else target.id,
                action,
                draw(spans()),
                draw(self._operations()),
                draw(st.booleans()),
                draw(st.text(max_size=6)),
            )

        return draw_edge()

    @property
    def _around(self) -> Surroundings:
        around = self.declared.around
        return around.reading((*around.variables, *self.private))

    @property
    def _own(self) -> Surroundings:
        around = self.declared.around
        return Surroundings(
            self.private, around.enums, around.types, around.templates, False, around.index
        )

    def _actions(self, *, calls: bool) -> st.SearchStrategy[Action]:
        @st.composite
        def draw_action(draw: st.DrawFn) -> Action:
            choice = draw(st.integers(0, 7))
            if calls and choice == 0 and self.declared.callable:
                return draw(self._calls())
            if calls and choice == 1 and not self.is_body:
                result = self.signature.result
                value = None if result is None else draw(exprs(_scalar(result), self._own, 2))
                return Return(value, draw(self._guards(self._own)))
            guard = draw(self._guards(self._around))
            if choice == 2:
                target = draw(places(self._around, 2))
                if target is not None and target.type == POINTER:
                    held = draw(st.sampled_from(self.declared.around.types))
                    return Allocate(guard, target, held, draw(st.sampled_from(("a:3", "b"))))
            if choice == 3:
                return Free(guard, draw(exprs(POINTER, self._around, 2)))
            return draw(self._commands(guard))

        return draw_action()

    def _commands(self, guard: Expr) -> st.SearchStrategy[Command]:
        @st.composite
        def draw_command(draw: st.DrawFn) -> Command:
            assignments: list[Assignment] = []
            havocs = []
            for _ in range(draw(st.integers(0, 3))):
                place = draw(places(self._around, 2))
                if place is None or not is_scalar(place.type):
                    continue
                if draw(st.booleans()):
                    value = draw(exprs(_scalar(place.type), self._around, 3))
                    assignments.append(Assignment(place, value))
                else:
                    havocs.append(place)
            return Command(guard, tuple(assignments), tuple(havocs))

        return draw_command()

    def _calls(self) -> st.SearchStrategy[Call]:
        @st.composite
        def draw_call(draw: st.DrawFn) -> Call:
            callee = draw(st.sampled_from(self.declared.callable))
            arguments = tuple(
                draw(exprs(_scalar(parameter.type), self._own, 2))
                for parameter in callee.parameters
            )
            result = draw(places(self._own, 1))
            fits = (
                result is not None
                and callee.result is not None
                and same_kind(result.type, callee.result)
            )
            guard = draw(self._guards(self._own))
            return Call(callee.name, arguments, result if fits else None, guard)

        return draw_call()

    def _guards(self, around: Surroundings) -> st.SearchStrategy[Expr]:
        return st.just(TRUE) | exprs(BOOL, around, 3)

    def _operations(self) -> st.SearchStrategy[Operation | None]:
        bare = (OperationKind.ASSERT, OperationKind.BEGIN, OperationKind.FINISH)
        choices: list[Operation | None] = [None, None, *map(Operation, bare)]
        choices += [
            Operation(kind, SelfId()) for kind in (OperationKind.SPAWN, OperationKind.JOIN)
        ]
        for variable in self.declared.around.variables:
            if isinstance(variable.type, MutexType):
                owner = Read(FieldPlace(VariablePlace(variable), "owner"))
                locks = (OperationKind.ACQUIRE, OperationKind.RELEASE, OperationKind.TRY_ACQUIRE)
                choices += [Operation(kind, owner) for kind in locks]
        return st.sampled_from(choices)


@st.composite
def _properties(
    draw: st.DrawFn, declared: _Declared, procedures: tuple[Procedure, ...]
) -> tuple[Property, ...]:
    found: list[Property] = [
        FailureProperty(name, PropertyKind(kind.value), draw(spans()), draw(st.booleans()))
        for name, kind in _FAILURES.items()
    ]
    names_of_globals = [declaration.variable.name for declaration in declared.globals]
    raced = st.none() | st.just(()) | st.just(tuple(names_of_globals))
    found.append(RaceProperty("race", draw(raced), draw(spans()), draw(st.booleans())))
    found.append(DeadlockProperty("deadlock", draw(spans()), draw(st.booleans())))
    around = Surroundings(
        declared.around.variables,
        declared.around.enums,
        declared.around.types,
        declared.around.templates,
        own={t.name: tuple(d.variable for d in t.variables) for t in declared.templates},
        labels=tuple(
            (procedure.name, label)
            for procedure in procedures
            for location in procedure.locations
            for label in location.labels
        ),
        invariant=True,
        exists=declared.around.index,
    )
    for name in ("excl", "all of them"):
        formula = draw(exprs(BOOL, around, 4))
        found.append(InvariantProperty(name, formula, draw(spans()), draw(st.booleans())))
    return tuple(found)


def _scalar(held: Type) -> ScalarType:
    assert not isinstance(held, ArrayType | RecordType | MutexType)
    return held
