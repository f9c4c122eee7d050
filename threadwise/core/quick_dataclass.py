"""Frozen data classes that are made and copied quickly.

A program is millions of small objects. Python makes those of a frozen data class four times as
slowly as others, for each field is set by a function call; and `dataclasses.replace` looks at
every field of every copy. To the type checker `dataclass` and `replace` are those of the standard
library: it refuses assignments to fields. At run time nothing does.

Making the classes takes time, too, each time the tool is started: there are hundreds, and each of
their methods is compiled. So those that compare, hash and show are made when they are first used.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import field
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, repr=True, order=False):
        """A class decorator; these data classes are frozen to the type checker only."""

        def made(cls: type) -> type:
            own = [name for name in _METHODS if cls.__dict__.get(name)]
            found = dataclasses.dataclass(slots=slots, repr=False, eq=False)(cls)
            wanted = {"__eq__": eq, "__hash__": eq and frozen, "__repr__": repr}
            for name, text_of in _METHODS.items():
                if wanted.get(name, order) and name not in own:
                    _make_later(found, name, text_of)
            if eq and not frozen and "__hash__" not in own:
                found.__hash__ = None
            if not slots:
                return found
            found.__getstate__ = _state
            found.__setstate__ = _restore
            return found

        return made if cls is None else made(cls)

    def replace(item, /, **changes):
        """A copy with other values in some fields."""
        kind = item.__class__
        values_of, position = _fields(kind)
        values = list(values_of(item))
        for name, value in changes.items():
            values[position[name]] = value
        return kind(*values)


def _make_later(kind: type, name: str, text_of: Callable[[type], str]) -> None:
    """Give a class a method that is compiled when it is first called."""

    def method(item: Any, *given: Any) -> Any:
        made: dict[str, Any] = {}
        exec(text_of(kind), made)
        made[name].__qualname__ = method.__qualname__
        setattr(kind, name, made[name])
        return made[name](item, *given)

    method.__name__, method.__qualname__ = name, f"{kind.__qualname__}.{name}"
    setattr(kind, name, method)


def _values(item: str, names: list[str]) -> str:
    return f"({''.join(f'{item}.{name}, ' for name in names)})"


def _comparison(name: str, operator: str) -> Callable[[type], str]:
    """The text of a method that compares all fields with those of an item of the same class."""

    def text_of(kind: type) -> str:
        names = [each.name for each in dataclasses.fields(kind) if each.compare]
        return (
            f"def {name}(self, other):\n"
            " if other.__class__ is self.__class__:\n"
            f"  return {_values('self', names)} {operator} {_values('other', names)}\n"
            " return NotImplemented"
        )

    return text_of


def _hash(kind: type) -> str:
    fields = dataclasses.fields(kind)
    names = [e.name for e in fields if (e.compare if e.hash is None else e.hash)]
    return f"def __hash__(self):\n return hash({_values('self', names)})"


def _shown(kind: type) -> str:
    names = [each.name for each in dataclasses.fields(kind) if each.repr]
    inside = ", ".join(f"{name}={{self.{name}!r}}" for name in names)
    return f"def __repr__(self):\n return f'{{self.__class__.__qualname__}}({inside})'"


_METHODS = {
    "__eq__": _comparison("__eq__", "=="),
    "__hash__": _hash,
    "__repr__": _shown,
    "__lt__": _comparison("__lt__", "<"),
    "__le__": _comparison("__le__", "<="),
    "__gt__": _comparison("__gt__", ">"),
    "__ge__": _comparison("__ge__", ">="),
}


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
    for each, value in zip(dataclasses.fields(item), state, strict=True):
        setattr(item, each.name, value)


__all__ = ["dataclass", "replace"]
