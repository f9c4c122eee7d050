"""Trees that are hashed once.

Terms are keys of dictionaries and members of sets everywhere; the hash of a dataclass walks
through the whole tree each time it is asked for. A node remembers its own.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T", bound="type[Hashed]")


class Listed(Enum):
    """An enumeration whose members are hashed as objects; others hash a name each time."""

    __hash__ = object.__hash__


class Hashed:
    """Has room for a hash. It is not copied or sent anywhere: hashes differ between processes."""

    __slots__ = ("_hash",)
    _hash: int | None


class Remembering(Hashed):
    """Has room for what analyses find out about a node alone, each under a name of its own.

    Most actions pass through all transformations: what is found about them is found once. It is
    copied no more than the hash is.
    """

    __slots__ = ("told",)
    told: dict[str, Any]
    """What was found out so far; it is there as soon as somebody asks for it."""

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """What an empty slot holds: only the first to ask for it comes here."""
            if name != "told":
                raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
            found = self.told = {}
            return found


def hashed_once(node: T) -> T:
    """Make a data class that compares all its fields remember its hash.

    Its methods are written out as those of data classes are: nodes are made and hashed more often
    than anything else is done. Nodes with different hashes differ.
    """
    parts = fields(node)  # type: ignore[arg-type]
    names = [part.name for part in parts]
    defaults = {f"_{part.name}": part.default for part in parts if part.default is not MISSING}
    given = [f"{name}=_{name}" if f"_{name}" in defaults else name for name in names]
    mine = "".join(f"self.{name}," for name in names)
    others = "".join(f"other.{name}," for name in names)
    lines = [
        f"def __init__({', '.join(('self', *given))}):",
        *(f" self.{name} = {name}" for name in names),
        " self._hash = None",
        "def __hash__(self):",
        " found = self._hash",
        " if found is None:",
        f"  found = self._hash = hash((kind, {', '.join(f'self.{name}' for name in names)}))",
        " return found",
        "def __eq__(self, other):",
        " if self is other:",
        "  return True",
        " if other.__class__ is not self.__class__:",
        "  return NotImplemented",
        " if self._hash != other._hash and hash(self) != hash(other):",
        "  return False",
        f" return ({mine}) == ({others})",
        "def __setstate__(self, state):",
        " self.__init__(*state)",
    ]
    made: dict[str, Any] = {"kind": hash(node.__qualname__), **defaults}
    exec("\n".join(lines), made)
    for name in ("__init__", "__hash__", "__eq__", "__setstate__"):
        made[name].__qualname__ = f"{node.__qualname__}.{name}"
        setattr(node, name, made[name])
    return node
