"""Frozen data classes that are made and copied quickly.

A program is millions of small objects. Python makes those of a frozen data class four times as
slowly as others, for each field is set by a function call; and `dataclasses.replace` looks at
every field of every copy. To the type checker `dataclass` and `replace` are those of the standard
library: it refuses assignments to fields. At run time nothing does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(*, frozen: bool, slots: bool = False):
        """A class decorator; these data classes are frozen to the type checker only."""
        if not frozen:
            return dataclasses.dataclass(slots=slots)

        def made(cls: type) -> type:
            found = dataclasses.dataclass(slots=slots, unsafe_hash=True)(cls)
            if not slots:
                return found
            found.__getstate__ = _state
            found.__setstate__ = _restore
            return found

        return made

    def replace(item, /, **changes):
        """A copy with other values in some fields."""
        kind = item.__class__
        values_of, position = _fields(kind)
        values = list(values_of(item))
        for name, value in changes.items():
            values[position[name]] = value
        return kind(*values)


@cache
def _fields(kind: type) -> tuple[Callable[[Any], tuple[Any, ...]], dict[str, int]]:
    """The values of all fields of an item, and where each field stands in them."""
    names = [field.name for field in dataclasses.fields(kind)]
    values = attrgetter(*names)
    if len(names) == 1:
        return lambda item: (values(item),), {names[0]: 0}
    return values, {name: place for place, name in enumerate(names)}


def _state(item: Any) -> list[Any]:
    """What is copied and sent to other processes: the fields, and nothing that is remembered."""
    return [getattr(item, field.name) for field in dataclasses.fields(item)]


def _restore(item: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(item), state, strict=True):
        setattr(item, field.name, value)


__all__ = ["dataclass", "replace"]
