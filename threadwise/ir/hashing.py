"""Trees that are hashed once.

Terms are keys of dictionaries and members of sets everywhere; the hash of a dataclass walks
through the whole tree each time it is asked for. A node remembers its own.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T", bound="type[Hashed]")


class Hashed:
    """Has room for a hash. It is not copied or sent anywhere: hashes differ between processes."""

    __slots__ = ("_hash",)
    _hash: int


def hashed_once(node: T) -> T:
    """Make a frozen dataclass that compares all its fields remember its hash."""
    names = [each.name for each in fields(node)]  # type: ignore[arg-type]
    parts = attrgetter(*names) if names else None
    kind = hash(node.__qualname__)

    def hash_of(self: Any) -> int:
        try:
            return self._hash  # type: ignore[no-any-return]
        except AttributeError:
            found = hash((kind, parts(self) if parts is not None else ()))
            object.__setattr__(self, "_hash", found)
            return found

    node.__hash__ = hash_of  # type: ignore[method-assign]
    return node
