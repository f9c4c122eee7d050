"""The part of JSON Schema that our schemas use, checked."""

import re
from collections.abc import Iterator
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def faults(root: Any, value: Any) -> Iterator[str]:
    """Where a value is not what a schema says."""
    yield from _faults(root, root, value, "report")


def _faults(root: Any, schema: Any, value: Any, place: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        if all(list(_faults(root, option, value, place)) for option in schema["anyOf"]):
            yield f"{place}: none of the choices"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{place}: is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: is not one of {schema['enum']}"
    named = schema.get("type")
    if named is not None:
        fits = isinstance(value, _TYPES[named])
        if isinstance(value, bool) and named in {"integer", "number"}:
            fits = False
        if not fits:
            yield f"{place}: is no {named}"
            return
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{place}: is not like {schema['pattern']}"
    if named == "integer" and value < schema.get("minimum", value):
        yield f"{place}: is less than {schema['minimum']}"
    yield from _inner_faults(root, schema, value, place)


def _inner_faults(root: Any, schema: Any, value: Any, place: str) -> Iterator[str]:
    """Where the parts of a list or an object are not what a schema says."""
    if isinstance(value, list) and "items" in schema:
        if len(value) < schema.get("minItems", 0):
            yield f"{place}: has too few parts"
        for number, item in enumerate(value):
            yield from _faults(root, schema["items"], item, f"{place}[{number}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        yield from (
            f"{place}: no {name}" for name in schema.get("required", ()) if name not in value
        )
        for name, item in value.items():
            if name in known:
                yield from _faults(root, known[name], item, f"{place}.{name}")
            elif rest is False:
                yield f"{place}: {name} is not known"
            elif isinstance(rest, dict):
                yield from _faults(root, rest, item, f"{place}.{name}")
