"""How a program was loaded, in evidence files."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum

from threadwise.core.c_options import COptions
from threadwise.core.documents import Json, as_count, as_list, as_text, shown, well_formed
from threadwise.core.load_options import LoadOptions


def load_from_json(data: Json, path: str) -> LoadOptions:
    """How the program of a piece of evidence was loaded."""

    def read() -> LoadOptions:
        load = data["load"]
        if unknown := load.keys() - {"defines", "threads", "max_threads", "c"}:
            raise ValueError(f"unknown option {shown(min(unknown))}")
        return LoadOptions(
            {k: as_text(v) for k, v in load["defines"].items()},
            {k: as_count(v) for k, v in load["threads"].items()},
            as_count(load["max_threads"]),
            _c_from_json(load.get("c", {})),
        )

    return well_formed(read, path)


def load_to_json(load: LoadOptions) -> Json:
    """How the program was loaded."""
    return {
        "defines": dict(load.defines),
        "threads": dict(load.threads),
        "max_threads": load.max_threads,
        **({"c": _c_to_json(load.c)} if load.c != COptions() else {}),
    }


def _c_to_json(options: COptions) -> Json:
    """Those options for C that differ from their defaults."""
    result: Json = {}
    for field in fields(COptions):
        value = getattr(options, field.name)
        if value == field.default:
            continue
        if isinstance(value, Enum):
            value = value.value
        elif isinstance(value, tuple | frozenset):
            value = sorted(value) if isinstance(value, frozenset) else list(value)
        result[field.name] = value
    return result


def _c_from_json(data: Json) -> COptions:
    given: Json = dict(data)
    if unknown := given.keys() - {field.name for field in fields(COptions)}:
        raise ValueError(f"unknown option {shown(min(unknown))}")
    for field in fields(COptions):
        if field.name not in given:
            continue
        value, default = given[field.name], field.default
        if isinstance(default, tuple | frozenset):
            given[field.name] = type(default)(as_text(item) for item in as_list(value))
        elif isinstance(default, Enum):
            given[field.name] = type(default)(value)
        elif type(value) is not type(default):
            raise ValueError(f"option {field.name} has a wrong value")
    return COptions(**given)
