"""What surely lies behind what, in memory.

A pointer to a cell that does not lie at the start of its object cannot be freed. And if an object
is the first member of a record, no other member of such a record lies in it.
"""

from __future__ import annotations

from threadwise.ir.layout import tail_of
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


def is_first_member(held: Type, record: Type) -> bool:
    """Whether a record begins with one of some type, and its other members all lie behind that.

    Members of a struct do not overlap, and the padding of one holds no other, so those behind the
    first one begin where it has ended. Not so in a union, whose members all begin together. Of a
    type that ends with an array without length, objects may be larger than it says. Bits of one
    word are members that are no records.
    """
    if not isinstance(held, RecordType) or folded_size(held) == 0 or tail_of(held) is not None:
        return False
    while isinstance(record, RecordType) and record.fields:
        if any(name == UNION for name, _ in record.fields):
            return False
        record = record.fields[0][1]
        if record == held:
            return True
    return False
