"""Task definitions of SV-COMP (`.yml`, format 2.x): programs, properties, expected verdicts.

format_version: '2.0'
input_files: 'queue.i'
properties:
  - property_file: ../properties/no-data-race.prp
    expected_verdict: true
options:
  language: C
  data_model: ILP32
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from threadwise.batch.tasks import Task
from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.results.verdict import Verdict

PROPERTIES = {"unreach-call": "assertions", "no-data-race": "races"}
"""The properties of definitions that we answer, and what we call them."""


@dataclass(frozen=True)
class Skipped:
    """What a definition asks and we do not answer."""

    name: str
    why: str


def is_definition(path: str) -> bool:
    """Whether a file describes tasks: other YAML files lie in the same folders."""
    if PurePath(path).suffix not in {".yml", ".yaml"}:
        return False
    data = _parse(path)
    return isinstance(data, dict) and "input_files" in data


def read_definition(path: str) -> Iterator[Task | Skipped]:
    """One task for each property; raises InputError."""
    data = _parse(path)
    if not isinstance(data, dict) or "input_files" not in data:
        raise InputError.of(f"{path}: not a task definition: it names no `input_files`")
    folder = Path(path).parent
    files = tuple(str(folder / name) for name in _names(path, data["input_files"]))
    options = _options(path, data.get("options") or {})
    for entry in _entries(path, data.get("properties")):
        prop = PurePath(str(entry["property_file"])).stem
        name = f"{path} [{prop}]"
        if prop not in PROPERTIES:
            yield Skipped(name, f"the property {prop} is not checked")
        else:
            expected = _expected(path, entry.get("expected_verdict"))
            yield Task(name, files, (PROPERTIES[prop],), options, expected)


def _parse(path: str) -> Any:
    import yaml

    text = read_source(path).text
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError.of(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


def _names(path: str, given: object) -> list[str]:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise InputError.of(f"{path}: `input_files` must be a file or a list of files")
    return names


def _entries(path: str, given: object) -> list[Mapping[str, Any]]:
    entries = given or []
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and "property_file" in entry for entry in entries
    ):
        raise InputError.of(f"{path}: `properties` must be a list of `property_file` entries")
    return entries


def _expected(path: str, given: object) -> Verdict | None:
    match given:
        case None:
            return None
        case bool():
            return Verdict.SAFE if given else Verdict.UNSAFE
        case _:
            raise InputError.of(f"{path}: `expected_verdict` must be true or false")


def _options(path: str, given: object) -> tuple[str, ...]:
    if not isinstance(given, dict):
        raise InputError.of(f"{path}: `options` must be a table")
    if given.get("language", "C") != "C":
        raise InputError.of(f"{path}: language {given['language']}; only C is checked")
    model = given.get("data_model")
    return () if model is None else ("--data-model", str(model))
