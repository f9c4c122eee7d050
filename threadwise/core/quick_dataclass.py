"""Frozen data classes that are made and copied quickly.

A program is millions of small objects. Python makes those of a frozen data class four times as
slowly as others, for each field is set by a function call; and `dataclasses.replace` looks at
every field of every copy. To the type checker `dataclass` and `replace` are those of the standard
library: it refuses assignments to fields. At run time nothing does.

Making the classes takes time, too, each time the tool is started: there are hundreds, and each of
their methods is compiled. So all of them are made when they are first used.
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
            found = _with_slots(cls) if slots else cls
            _Pending(cls, found)
            wanted = {"__eq__": eq, "__hash__": eq and frozen, "__repr__": repr}
            for name, text_of in _METHODS.items():
                if wanted.get(name, order) and name not in own:
                    _make_later(found, name, text_of)
            if eq and not frozen and "__hash__" not in own:
                found.__hash__ = None
            if slots:
                found.__getstate__, found.__setstate__ = _state, _restore
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


class _Pending:
    """Stands for what the standard decorator adds to a class, until somebody asks for it.

    Many classes of a run never have an object. The fields of the others are found, and the
    function that makes objects is compiled, with the first.
    """

    ADDED = ("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__init__")

    def __init__(self, written: type, made: type) -> None:
        self.written, self.made = written, made
        self.values: dict[str, Any] = {}
        for name in self.ADDED[:-1]:
            setattr(made, name, _Later(self, name))
        made.__init__ = self._beginning()  # type: ignore[misc]

    def value(self, name: str) -> Any:
        """One of the things that are added."""
        if not self.values:
            self._complete()
        return self.values[name]

    def _complete(self) -> None:
        written = self.written
        if written is self.made:
            for name in self.ADDED:
                delattr(written, name)
        dataclasses.dataclass(repr=False, eq=False)(written)
        self.values = {name: getattr(written, name) for name in self.ADDED}
        for name, value in self.values.items():
            setattr(self.made, name, value)

    def _beginning(self) -> Callable[..., None]:
        def begin(item: Any, *given: Any, **named: Any) -> None:
            self.value("__init__")(item, *given, **named)

        begin.__name__, begin.__qualname__ = "__init__", f"{self.made.__qualname__}.__init__"
        return begin


class _Later:
    """An attribute of a class that is pending."""

    def __init__(self, pending: _Pending, name: str) -> None:
        self.pending, self.name = pending, name

    def __get__(self, item: object, owner: type) -> Any:
        self.pending.value(self.name)
        return getattr(owner, self.name)


def _with_slots(cls: type) -> type:
    """The same class with slots for its own fields."""
    annotations = vars(cls).get("__annotations__", {})
    names = [name for name, kind in annotations.items() if "ClassVar" not in str(kind)]
    known = {slot for base in cls.__mro__[1:-1] for slot in base.__dict__.get("__slots__", ())}
    inside = {name: value for name, value in vars(cls).items() if name not in names}
    for name in ("__dict__", "__weakref__"):
        inside.pop(name, None)
    inside["__slots__"] = tuple(name for name in names if name not in known)
    made = type(cls)(cls.__name__, cls.__bases__, inside)
    made.__qualname__ = cls.__qualname__
    return made


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
