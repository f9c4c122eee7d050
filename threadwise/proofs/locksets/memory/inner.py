"""Which cells of an object surely do not lie at its start: a pointer to them cannot be freed."""

from __future__ import annotations

from threadwise.ir.types import ArrayType, MutexType, RecordType, Type, fields_of
from threadwise.proofs.locksets.memory.cells import folded_size

UNION = "active$"
"""The member that says which member of a union is in use."""


def is_inner(held: Type, cell: int) -> bool:
    """Whether a cell surely lies behind others; all members of a union begin together."""
    match held:
        case ArrayType(element):
            return is_inner(element, cell)
        case RecordType() | MutexType():
            fields = fields_of(held)
            union = any(name == UNION for name, _ in fields)
            behind = False
            for _, part in fields:
                size = folded_size(part)
                if cell < size:
                    return (behind and not union) or is_inner(part, cell)
                cell -= size
                behind = behind or size > 0
            return False
        case _:
            return False
