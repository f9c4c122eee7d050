"""Positions and paths of the members of records."""

from __future__ import annotations

from threadwise.frontends.c.parse.native import ClangType, Node

Path = tuple[str, ...]


class Layout:
    """Where the members of records are, by their declarations."""

    def __init__(self) -> None:
        self._positions: dict[int, dict[int, int]] = {}
        self._paths: dict[tuple[int, int], Path | None] = {}

    def position(self, field: Node) -> int | None:
        """The position of a member among those of its record that have one."""
        return self._members(field.semantic_parent).get(field.hash)

    def _members(self, record: Node) -> dict[int, int]:
        """Positions as in `tree.Record.fields`: bit-fields without a name have none."""
        known = self._positions.get(record.hash)
        if known is None:
            nodes = [
                node
                for node in record.type.get_fields()
                if node.spelling or not node.is_bitfield()
            ]
            known = {node.hash: position for position, node in enumerate(nodes)}
            self._positions[record.hash] = known
        return known

    def path(self, record_type: ClangType, field: Node | None) -> Path | None:
        """The names that lead from a record to a member, through anonymous records."""
        record = record_type.get_canonical().get_declaration()
        if field is None or record is None:
            return None
        key = (record.hash, field.hash)
        if key not in self._paths:
            self._paths[key] = self._search(record, field.canonical.hash, field)
        return self._paths[key]

    def _search(self, record: Node, wanted: int, field: Node) -> Path | None:
        for node in record.type.get_fields():
            anonymous = not node.spelling or "(" in node.spelling
            if node.hash == wanted or node == field:
                return (str(self._members(record)[node.hash]) if anonymous else node.spelling,)
            if anonymous:
                inner = node.type.get_canonical().get_declaration()
                below = None if node.is_bitfield() else self._search(inner, wanted, field)
                if below is not None:
                    position = self._members(record)[node.hash]
                    return (str(position), *below)
        return None
