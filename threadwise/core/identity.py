"""Objects as keys, by identity.

`id(x)` as a key is a trap: when nothing keeps `x`, its address is given to another object, and
that one finds what was remembered about `x`. A key `Same(x)` keeps `x`, so that cannot happen.
Nothing else in this package may call `id`; a test says so.
"""

from __future__ import annotations


class Same:
    """A key that is equal to those of the same object, and to no other; it keeps the object."""

    __slots__ = ("kept",)

    def __init__(self, kept: object) -> None:
        self.kept = kept

    def __hash__(self) -> int:
        return id(self.kept)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.kept is other.kept
