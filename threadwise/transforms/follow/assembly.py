"""Puts a program together that follows a thread: another procedure, edges split into cases."""

from __future__ import annotations

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import Scope, Variable, VariablePlace
from threadwise.ir.fold import action_expressions, action_places, subexpressions
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    Edge,
    EdgeId,
    Failure,
    FailureKind,
    Location,
    LocId,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.types import BOOL, INT
from threadwise.transforms.follow.discipline import check_discipline
from threadwise.transforms.follow.edges import EdgeView
from threadwise.transforms.follow.names import Following, followed_name
from threadwise.transforms.follow.setting import Role, Setting


class Assembly:
    """Makes the program, without properties."""

    def __init__(self, program: Program, following: Following) -> None:
        self.program = program
        self.setting = Setting.of(program, following)
        self.template = program.template[following.template]
        self.origins: list[EdgeId] = []
        """For each new edge, the edge that it is a case of."""
        self._locations = 0

    def run(self) -> Program:
        """The program that follows."""
        if self.template.pool:
            check_discipline(self.program, self.setting)
        elif self.setting.following.claims:
            raise Unsupported("claims about arguments of threads that are not created")
        procedures: list[Procedure] = []
        for procedure in self.program.procedures:
            if procedure.name == self.template.body:
                procedures.append(self._procedure(procedure, Role.FOLLOWED))
                procedures.append(self._procedure(procedure, Role.OTHER))
            elif any(t.body == procedure.name for t in self.program.templates):
                procedures.append(self._procedure(procedure, Role.STRANGER))
        kappa = Declaration(self.setting.kappa, AnyValue())
        shared = [self.setting.declaration(d, "") for d in self.program.globals]
        return replace(
            self.program,
            globals=(*shared, kappa),
            procedures=tuple(procedures),
            templates=tuple(t for old in self.program.templates for t in self._templates(old)),
            properties=(),
        )

    def _templates(self, old: Template) -> list[Template]:
        variables = tuple(self.setting.declaration(d, old.body) for d in old.variables)
        kept = replace(old, variables=variables)
        if old is not self.template:
            return [kept]
        others = replace(kept, name=self.setting.others, body=self._body(Role.OTHER))
        return [
            replace(kept, count=1, pool=False),
            replace(others, count=None, pool=False),
        ]

    def _body(self, role: Role) -> str:
        body = self.template.body
        return followed_name(body, "others") if role is Role.OTHER else body

    def _procedure(self, old: Procedure, role: Role) -> Procedure:
        template = self.setting.template
        extra: list[Declaration] = []
        index = elsewhere = None
        if role is Role.OTHER:
            index = Variable(followed_name(template, "index"), INT, Scope.LOCAL)
            extra.append(Declaration(index))
        elif role is Role.STRANGER and any(p.failure is not None for p in old.locations):
            elsewhere = Variable(followed_name(template, "elsewhere"), BOOL, Scope.LOCAL)
            extra.append(Declaration(elsewhere))
        view = EdgeView(self.setting, role, old, index, elsewhere)
        made = _Graph(self._locations, len(self.origins), old, index)
        for edge in old.edges:
            silent = role is Role.OTHER and not self._touches_followed(edge, old.name)
            for command in view.commands(edge):
                made.edge(edge, command, sync=edge.sync or silent)
            for command in view.broken_claims(edge):
                made.broken(edge, command)
        self._locations += len(made.locations)
        self.origins += made.origins
        return replace(
            old,
            name=self._body(role) if role is not Role.STRANGER else old.name,
            locals=(*(self.setting.declaration(d, old.name) for d in old.locals), *extra),
            entry=made.entry,
            locations=tuple(made.locations),
            edges=tuple(made.edges),
        )

    def _touches_followed(self, edge: Edge, procedure: str) -> bool:
        """Whether an edge may access a shared cell of a followed array."""
        places = [*action_places(edge.action)]
        for whole in action_expressions(edge.action):
            places += [p.place for p in subexpressions(whole) if hasattr(p, "place")]
        for place in places:
            held = self.setting.cell(place, procedure)
            if held is not None and held[0].scope is Scope.GLOBAL and not held[0].sync:
                return True
        return False


class _Graph:
    """Locations and edges of a procedure, numbered from where the last one ended."""

    def __init__(
        self, first_location: int, first_edge: int, old: Procedure, chosen: Variable | None
    ) -> None:
        self.first_edge = first_edge
        self.locations: list[Location] = []
        self.edges: list[Edge] = []
        self.origins: list[EdgeId] = []
        self._first = first_location
        self._limit: LocId | None = None
        self.numbers: dict[LocId, LocId] = {}
        before = None if chosen is None else self._location(Location(LocId(0), final=True))
        for location in old.locations:
            self.numbers[location.id] = self._location(location)
        self.entry = self.numbers[old.entry]
        if before is not None and chosen is not None:
            first = next(edge for edge in old.edges if edge.source == old.entry)
            choice = Command(havocs=(VariablePlace(chosen),))
            self._add(first, before, self.entry, choice, sync=True)
            self.entry = before

    def _location(self, location: Location) -> LocId:
        number = LocId(self._first + len(self.locations))
        self.locations.append(replace(location, id=number))
        return number

    def edge(self, old: Edge, command: Command, *, sync: bool) -> None:
        """A case of an edge."""
        source, target = self.numbers[old.source], self.numbers[old.target]
        self._add(old, source, target, command, sync=sync)

    def broken(self, old: Edge, command: Command) -> None:
        """An edge to a limit: a claim does not hold."""
        if self._limit is None:
            told = "what is passed to a new thread is not its creation index"
            failure = Failure(FailureKind.LIMIT, "", told)
            self._limit = self._location(Location(LocId(0), failure=failure))
        self._add(old, self.numbers[old.source], self._limit, command, sync=True)

    def _add(
        self, old: Edge, source: LocId, target: LocId, command: Command, *, sync: bool
    ) -> None:
        number = EdgeId(self.first_edge + len(self.edges))
        self.edges.append(Edge(number, source, target, command, old.span, None, sync, old.text))
        self.origins.append(old.id)
