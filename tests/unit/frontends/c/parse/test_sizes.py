"""What `sizeof` was applied to, and what allocations are therefore for."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.frontends.c.lower.values.operators import LOWER_BITS
from threadwise.frontends.c.parse.sizes import measured_type
from threadwise.frontends.c.types import VOID, CFloat, CInteger, CPointer, CRecord, CType
from threadwise.ir.commands import Allocate
from threadwise.ir.expr import PointerToInt
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.types import POINTER, MachineType, RecordType

JOB = CRecord("struct job")


@pytest.mark.parametrize(
    ("text", "named", "size", "expected"),
    [
        ("sizeof ( struct job * )", JOB, 8, CPointer(JOB)),
        ("sizeof ( struct job * * )", JOB, 8, CPointer(CPointer(JOB))),
        ("sizeof ( const job * const )", JOB, 8, CPointer(JOB)),
        ("sizeof ( unsigned long )", None, 8, CInteger(64, signed=False)),
        ("sizeof ( int )", None, 4, CInteger(32, signed=True)),
        ("sizeof ( double )", None, 8, CFloat(64)),
        ("sizeof ( void * )", None, 8, CPointer(VOID)),
        ("sizeof ( int ( * ) ( void ) )", None, 8, None),
        ("sizeof ( int [ 3 ] )", None, 12, None),
        ("sizeof ( struct job * , int )", JOB, 8, None),
        ("MACRO", None, 8, None),
        ("sizeof x", None, 8, None),
    ],
)
def test_words(text: str, named: CType | None, size: int, expected: CType | None) -> None:
    """The words of a type."""
    assert measured_type(text.split(), named, size) == expected


@pytest.mark.parametrize(
    ("size", "kind", "element"),
    [
        ("(unsigned long)n * sizeof(struct job *)", "void *", POINTER),
        ("(unsigned long)n * sizeof(int)", "void *", MachineType(32, signed=True)),
        ("sizeof(char) * sizeof(struct job)", "void *", RecordType),
        ("sizeof(char) * 2 * sizeof(struct job)", "struct job *", RecordType),
        ("n * sizeof(short)", "short *", MachineType(16, signed=True)),
        ("n", "void *", MachineType(8, signed=True)),
    ],
)
def test_allocations(size: str, kind: str, element: object) -> None:
    """The type of the cells that are allocated."""
    text = "#include <stdlib.h>\nstruct job { int x; };\n"
    program = loaded(f"{text}int main(int n, char **v) {{ {kind}p = malloc({size}); }}").program
    (action,) = (e.action for e in program.edges if isinstance(e.action, Allocate))
    assert element in (action.object_type, type(action.object_type))


@pytest.mark.parametrize(
    ("test", "numbers"),
    [
        ("(unsigned long)p == (unsigned long)q", 0),
        ("(unsigned long)p != (unsigned long)((void *)0)", 0),
        ("(unsigned long)p == 0", 0),
        ("0 != (unsigned long)p", 0),
        ("(unsigned long)p < (unsigned long)q", 0),
        ("(unsigned long)p == 16", 1),
        ("(unsigned int)p == (unsigned int)q", 0),
        ("(unsigned int)p != (unsigned int)((void *)0)", 0),
        ("(unsigned short)p == (unsigned short)q", 1),
        ("(unsigned int)p < (unsigned int)q", 1),
        ("(long)p < (long)q", 1),
    ],
)
def test_comparisons_of_addresses(test: str, numbers: int) -> None:
    """Pointers that are numbers for a comparison only stay pointers."""
    text = f"char *p, *q; int r; int main(void) {{ if ({test}) r = 1; }}"
    found = any(
        isinstance(part, PointerToInt)
        for edge in loaded(text).program.edges
        for whole in action_expressions(edge.action)
        for part in subexpressions(whole)
    )
    assert found == bool(numbers)


@pytest.mark.parametrize(("width", "assumed"), [("long", False), ("int", True)])
def test_bits_that_are_not_compared(width: str, assumed: bool) -> None:
    """Whether lower bits tell all is listed."""
    text = f"char *p, *q; int main(void) {{ return (unsigned {width})p == (unsigned {width})q; }}"
    assert (LOWER_BITS in loaded(text).assumptions) == assumed
