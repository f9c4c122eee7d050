"""What must be known about all bodies before any of them is translated.

labels       where each label stands, and in which atomic region
calls        the call graph, and whether a call is inlined because it lies in a region
assertions   in the order of the file, to name their properties
executors    which templates may run a procedure
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from threadwise.analyses.worklist import reached
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import SourceFile
from threadwise.frontends.model.reporter import Reporter
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.symbols import Symbols, TemplateSymbol

Region = ast.Atomic | ast.Await


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """A label; `region` is the outermost atomic region around it.

    `visible`: other threads can see a thread rest there, because the label is outside of any
    region or names the place before one.
    """

    name: ast.Name
    region: Region | None
    visible: bool


@dataclass
class BodySurvey:
    """What one body contains."""

    labels: dict[str, LabelPlace] = field(default_factory=dict)
    repeated: list[tuple[ast.Name, ast.Name]] = field(default_factory=list)
    """Labels declared twice, with their first declaration."""
    gotos: list[tuple[ast.Goto, Region | None]] = field(default_factory=list)
    calls: dict[str, None] = field(default_factory=dict)
    inlined_calls: dict[str, None] = field(default_factory=dict)
    assertions: list[ast.Assert] = field(default_factory=list)


def survey_body(body: ast.Block) -> BodySurvey:
    """Visit the statements of a body."""
    found = BodySurvey()
    _survey(body, None, first=False, found=found)
    return found


def _survey(
    statement: ast.Statement, region: Region | None, *, first: bool, found: BodySurvey
) -> None:
    """Survey a statement; `first` says that nothing precedes it in its region."""
    match statement:
        case ast.Label(name):
            place = LabelPlace(name, region, visible=region is None or first)
            known = found.labels.setdefault(name.name, place)
            if known is not place:
                found.repeated.append((name, known.name))
        case ast.Block(statements):
            for part in statements:
                _survey(part, region, first=first, found=found)
                first = first and isinstance(part, ast.Label)
        case ast.Atomic(body):
            _survey(body, region or statement, first=region is None or first, found=found)
        case ast.Await(_, body):
            _survey(body, region or statement, first=False, found=found)
        case ast.Annotated(_, inner):
            _survey(inner, region, first=first, found=found)
        case ast.Assert():
            found.assertions.append(statement)
        case ast.Goto():
            found.gotos.append((statement, region))
        case ast.If():
            _survey_if(statement, region, found)
        case _:
            for callee in _called(statement):
                (found.calls if region is None else found.inlined_calls)[callee] = None
            for part in _parts(statement):
                _survey(part, region, first=False, found=found)


def report_labels(body: BodySurvey, reporter: Reporter) -> None:
    """Report labels that are ambiguous, unknown or out of reach."""
    for name, first in body.repeated:
        note = ("first declared here", first)
        reporter.error(name, f"label `{name.name}` is declared twice", notes=[note])
    for goto, region in body.gotos:
        name = goto.label
        if name.name not in body.labels:
            reporter.unknown(name, "label", name.name, body.labels)
            continue
        target = body.labels[name.name].region
        if target is not None and target is not region:
            reporter.error(goto, f"`goto {name.name}` jumps into an atomic block")


def _survey_if(statement: ast.If, region: Region | None, found: BodySurvey) -> None:
    """Survey a chain of `else if` without recursion: it may be as long as the file."""
    current: ast.Statement | None = statement
    while isinstance(current, ast.If):
        _survey(current.then, region, first=False, found=found)
        current = current.otherwise
    if current is not None:
        _survey(current, region, first=False, found=found)


def _parts(statement: ast.Statement) -> Iterator[ast.Statement]:
    match statement:
        case ast.While(_, body):
            yield body
        case ast.For(first, _, step, body):
            yield from first
            yield body
            if step is not None:
                yield step
        case ast.Either(branches):
            yield from branches
        case _:
            pass


def _called(statement: ast.Statement) -> Iterator[str]:
    """The procedures a simple statement calls; calls stand nowhere else."""
    values: tuple[object, ...] = ()
    match statement:
        case ast.Assign(_, right_sides):
            values = right_sides
        case ast.Perform(action):
            values = (action,)
        case ast.Return(value):
            values = (value,)
        case ast.Declaration(_, _, _, initialiser):
            values = (initialiser,)
        case _:
            pass
    for called in values:
        if isinstance(called, ast.Call):
            yield called.name.name


@dataclass(frozen=True)
class Survey:
    """What all bodies contain, by name."""

    bodies: Mapping[str, BodySurvey]
    executors: Mapping[str, tuple[TemplateSymbol, ...]]
    only_inlined: frozenset[str]
    """Procedures that run as parts of atomic regions and never as calls."""
    assertion_names: Mapping[int, str]
    """The property of each assertion, by its offset."""


def survey_bodies(symbols: Symbols, source: SourceFile) -> Survey:
    """Visit all bodies."""
    bodies = {body.name: survey_body(body.syntax.body) for body in symbols.bodies()}
    executors: dict[str, list[TemplateSymbol]] = {name: [] for name in bodies}
    called: set[str] = set()
    inlined: set[str] = set()
    for template in symbols.templates.values():
        plain = _reachable([template.name], bodies, through_regions=False)
        entered = [callee for name in plain for callee in bodies[name].inlined_calls]
        parts = _reachable(entered, bodies, through_regions=True)
        called.update(plain)
        inlined.update(parts)
        for name in plain | parts:
            executors[name].append(template)
    unused = [name for name in bodies if name not in called | inlined]
    called.update(_reachable(unused, bodies, through_regions=False))
    return Survey(
        bodies,
        {name: tuple(templates) for name, templates in executors.items()},
        frozenset(inlined - called),
        _assertion_names(bodies, source),
    )


def _reachable(
    start: Iterable[str], bodies: Mapping[str, BodySurvey], *, through_regions: bool
) -> set[str]:
    """The bodies reached by calls, with the start."""

    def callees(name: str) -> list[str]:
        body = bodies[name]
        called = [*body.calls, *body.inlined_calls] if through_regions else body.calls
        return [callee for callee in called if callee in bodies]

    return set(reached((name for name in start if name in bodies), callees))


def _assertion_names(bodies: Mapping[str, BodySurvey], source: SourceFile) -> dict[int, str]:
    """`assert:LINE`, or `assert:LINE:COLUMN` where a line has several."""
    offsets = sorted(a.start_pos for body in bodies.values() for a in body.assertions)
    places = {offset: source.position(offset) for offset in offsets}
    per_line = Counter(place.line for place in places.values())
    return {
        offset: f"assert:{place.line}"
        if per_line[place.line] == 1
        else f"assert:{place.line}:{place.column}"
        for offset, place in places.items()
    }
