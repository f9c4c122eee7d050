"""Witnesses from YAML; whatever is not as the format says is an InputError.

Files come from other tools, and may be anything: they are read without aliases, tags and deep
nesting, and nothing in them is taken for granted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

import yaml

from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.report.witnesses.model import (
    CorrectnessWitness,
    GhostUpdate,
    GhostVariable,
    Invariant,
    Location,
    Segment,
    Task,
    ViolationWitness,
    Waypoint,
    WaypointKind,
    Witness,
)

VERSIONS = ("2.0", "2.1", "2.2")
LARGEST = 50_000_000
"""Larger files are not read."""
_ACTIONS = ("follow", "avoid", "cycle")
_DEEPEST = 30

Json = Any


_TOKENS = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>\d\w*)|(?P<operator>"
    r"->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^?:.()\[\]]))"
)
_TYPE = re.compile(r"(?:(?:unsigned|signed|long|short|int|char|_Bool)\b ?)+")
_SEVERAL = ("+", "-")
"""Operators that stand twice in a row only to change something."""


def is_plain(text: str) -> bool:
    """Whether a text is made of what expressions without effects are made of, and balanced."""
    position, open_, before = 0, [], ""
    stripped = text.strip()
    while position < len(stripped):
        match = _TOKENS.match(stripped, position)
        if match is None:
            return False
        token = match[match.lastgroup or 0]
        if token in _SEVERAL and stripped[match.end() : match.end() + 1] == token:
            return False
        if token == "(" and before.isidentifier() and before != "sizeof":
            return False
        if token in "([":
            open_.append(token)
        elif token in ")]" and (not open_ or open_.pop() != "(["[")]".index(token)]):
            return False
        position, before = match.end(), token
    return bool(stripped) and not open_


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENING = (yaml.events.SequenceStartEvent, yaml.events.MappingStartEvent)
_CLOSING = (yaml.events.SequenceEndEvent, yaml.events.MappingEndEvent)


def _document(text: str) -> Json:
    """What YAML says, without aliases, which can make small files large, and not too deep."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        depth += isinstance(event, _OPENING) - isinstance(event, _CLOSING)
        if depth > _DEEPEST:
            raise yaml.YAMLError("nested too deeply")
    return yaml.load(text, Loader=_Loader)


def read_witness(source: SourceFile) -> Witness:
    """The witness in a file; raises InputError."""
    if len(source.text) > LARGEST:
        raise InputError.of(f"{source.path}: too large for a witness")
    try:
        document = _document(source.text)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark is not None else ""
        told = getattr(error, "problem", None) or str(error)
        raise InputError.of(f"{source.path}{where}: not a witness: {told}") from None
    return _Reading(source.path).witness(document)


class _Reading:
    """One file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def refuse(self, place: str, reason: str) -> NoReturn:
        raise InputError.of(f"{self.path}: {place}: {reason}")

    def witness(self, document: Json) -> Witness:
        if not isinstance(document, list) or not document:
            raise InputError.of(f"{self.path}: not a witness: a list of entries is expected")
        entries = [self._object(each, f"entry {n}") for n, each in enumerate(document, start=1)]
        kinds = [self._text(each, "entry_type", f"entry {n}") for n, each in _numbered(entries)]
        tasks = [self._task(each, f"entry {n}") for n, each in _numbered(entries)]
        if any(task != tasks[0] for task in tasks):
            self.refuse("metadata", "the entries are about different tasks")
        if kinds == ["violation_sequence"]:
            return ViolationWitness(tasks[0], tuple(self._segments(entries[0])))
        if "violation_sequence" in kinds:
            self.refuse("entry_type", "a violation sequence stands alone")
        return self._correctness(tasks[0], list(zip(kinds, entries, strict=True)))

    def _correctness(self, task: Task, entries: list[tuple[str, Json]]) -> CorrectnessWitness:
        invariants: list[Invariant] = []
        ghosts: list[GhostVariable] = []
        updates: list[GhostUpdate] = []
        for kind, entry in entries:
            if kind == "invariant_set":
                for n, each in self._list(entry, "content", kind):
                    invariants.append(self._invariant(each, f"invariant {n}"))
            elif kind == "ghost_instrumentation":
                content = self._object(entry.get("content"), kind)
                for n, each in self._list(content, "ghost_variables", kind):
                    ghosts.append(self._ghost(each, f"ghost variable {n}"))
                for n, each in self._list(content, "ghost_updates", kind):
                    updates.append(self._update(each, f"ghost update {n}"))
            else:
                self.refuse("entry_type", f"`{kind}` is not known")
        known = {ghost.name for ghost in ghosts}
        for name in (name for update in updates for name, _ in update.changes):
            if name not in known:
                self.refuse("ghost update", f"there is no ghost variable `{name}`")
        return CorrectnessWitness(task, tuple(invariants), tuple(ghosts), tuple(updates))

    # -- parts ---------------------------------------------------------------------------------

    def _task(self, entry: Json, place: str) -> Task:
        metadata = self._object(entry.get("metadata"), f"{place}: metadata")
        version = metadata.get("format_version")
        if str(version) not in VERSIONS:
            self.refuse(place, f"format_version {version!r} is not one of {', '.join(VERSIONS)}")
        for name in ("uuid", "creation_time", "producer"):
            if name not in metadata:
                self.refuse(f"{place}: metadata", f"no {name}")
        task = self._object(metadata.get("task"), f"{place}: task")
        files = [self._string(each, place) for _, each in self._list(task, "input_files", place)]
        hashes = self._object(task.get("input_file_hashes"), f"{place}: input_file_hashes")
        model = self._text(task, "data_model", place)
        if model not in ("LP64", "ILP32"):
            self.refuse(place, f"the data model {model!r} is not known")
        if task.get("language") != "C":
            self.refuse(place, "only C is read")
        return Task(
            tuple(files),
            tuple((self._string(k, place), self._string(v, place)) for k, v in hashes.items()),
            self._text(task, "specification", place),
            model,
        )

    def _segments(self, entry: Json) -> Iterator[Segment]:
        found = self._list(entry, "content", "violation_sequence")
        if not found:
            self.refuse("content", "there are no segments")
        for n, each in found:
            place = f"segment {n}"
            held = self._object(each, place)
            waypoints = tuple(
                self._waypoint(point, f"{place}, waypoint {m}")
                for m, point in self._list(held, "segment", place)
            )
            self._check_segment(waypoints, place, last=n == len(found))
            yield Segment(waypoints)

    def _check_segment(self, waypoints: tuple[Waypoint, ...], place: str, *, last: bool) -> None:
        followed = [each for each in waypoints if each.follow]
        if not followed or waypoints[-len(followed) :] != tuple(followed):
            self.refuse(place, "what is to be followed comes last, and something has to")
        targets = sum(each.kind is WaypointKind.TARGET for each in waypoints)
        if last and targets != len(followed):
            self.refuse(place, "the last segment ends with the target")
        if not last and targets:
            self.refuse(place, "only the last segment has a target")

    def _waypoint(self, given: Json, place: str) -> Waypoint:
        held = self._object(self._object(given, place).get("waypoint"), place)
        kind = self._text(held, "type", place)
        if kind not in {each.value for each in WaypointKind}:
            self.refuse(place, f"the type {kind!r} is not known")
        action = self._text(held, "action", place)
        if action not in _ACTIONS:
            self.refuse(place, f"the action {action!r} is not known")
        if action == "cycle":
            self.refuse(place, "executions without end are not followed")
        thread = held.get("thread_id")
        if thread is not None and (type(thread) is not int or thread < 0):
            self.refuse(place, "thread_id is not a number")
        waypoint = Waypoint(
            WaypointKind(kind),
            self._location(held, place),
            action == "follow",
            self._constraint(held, place),
            thread,
        )
        if waypoint.kind is WaypointKind.TARGET and not waypoint.follow:
            self.refuse(place, "a target is followed")
        needs = (WaypointKind.ASSUMPTION, WaypointKind.BRANCHING)
        if waypoint.kind in needs and waypoint.constraint is None:
            self.refuse(place, "no constraint")
        return waypoint

    def _constraint(self, held: Json, place: str) -> str | None:
        if held.get("constraint") is None:
            return None
        value = self._object(held["constraint"], place).get("value")
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str | int):
            self.refuse(place, "the value of a constraint is a text")
        return str(value)

    def _invariant(self, given: Json, place: str) -> Invariant:
        held = self._object(self._object(given, place).get("invariant"), place)
        kind = self._text(held, "type", place)
        if kind not in ("loop_invariant", "location_invariant"):
            self.refuse(place, f"the type {kind!r} is not known")
        value = self._expression(held.get("value"), place)
        return Invariant(self._location(held, place), value, kind == "loop_invariant")

    def _ghost(self, given: Json, place: str) -> GhostVariable:
        held = self._object(given, place)
        if held.get("scope") != "global":
            self.refuse(place, "only global ghosts are read")
        initial = self._expression(self._object(held.get("initial"), place).get("value"), place)
        held_type = self._text(held, "type", place)
        if not _TYPE.fullmatch(held_type):
            self.refuse(place, f"the type {held_type!r} is not one of numbers")
        return GhostVariable(self._name(held.get("name"), place), held_type, initial)

    def _update(self, given: Json, place: str) -> GhostUpdate:
        held = self._object(given, place)
        changes = []
        for _, each in self._list(held, "updates", place):
            change = self._object(each, place)
            name = self._name(change.get("variable"), place)
            changes.append((name, self._expression(change.get("value"), place)))
        return GhostUpdate(self._location(held, place), tuple(changes))

    def _location(self, held: Json, place: str) -> Location:
        given = self._object(held.get("location"), f"{place}: location")
        line, column = given.get("line"), given.get("column")
        if type(line) is not int or line < 1:
            self.refuse(place, "line is not a number from 1")
        if column is not None and (type(column) is not int or column < 1):
            self.refuse(place, "column is not a number from 1")
        function = given.get("function")
        if function is not None and not isinstance(function, str):
            self.refuse(place, "function is not a text")
        return Location(self._text(given, "file_name", place), line, column, function)

    # -- values --------------------------------------------------------------------------------

    def _object(self, value: Json, place: str) -> Json:
        if not isinstance(value, dict):
            self.refuse(place, "an object is expected")
        return value

    def _list(self, held: Json, name: str, place: str) -> list[tuple[int, Json]]:
        value = held.get(name)
        if not isinstance(value, list):
            self.refuse(place, f"{name} is not a list")
        return list(enumerate(value, start=1))

    def _text(self, held: Json, name: str, place: str) -> str:
        return self._string(held.get(name), f"{place}: {name}")

    def _string(self, value: Json, place: str) -> str:
        if not isinstance(value, str):
            self.refuse(place, "a text is expected")
        return value

    def _expression(self, value: Json, place: str) -> str:
        """An expression of one line; numbers may stand without quotes."""
        if type(value) is int:
            return str(value)
        text = " ".join(self._string(value, place).split())
        if not is_plain(text):
            self.refuse(place, "not an expression without effects")
        return text

    def _name(self, value: Json, place: str) -> str:
        text = self._string(value, place)
        if not text.isidentifier() or not text.isascii():
            self.refuse(place, f"{text!r} is not a name")
        return text


def _numbered(entries: list[Json]) -> Iterator[tuple[int, Json]]:
    return enumerate(entries, start=1)
