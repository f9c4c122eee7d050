"""Addresses count global variables, also in programs that dereference none of them."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.frontends.c.checking import verdicts
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    AddressOf,
    FieldPlace,
    IndexPlace,
    Read,
    SameObject,
    VariablePlace,
)
from threadwise.ir.program import Program, Template
from threadwise.ir.types import ArrayType, MachineType, RecordType
from threadwise.transforms.simplify.records import split_records

TEXT = """
#include <assert.h>
void work(void) {}
int is_second(const char *q, int n)
{
    return n ? is_second(q, n - 1) : q + 1 == &"ab"[1];
}
int main(void)
{
    void (*f)(void) = work;
    assert(f == work);
    assert(is_second("ab", 1));
    assert(!is_second("cd", 1));
    return 0;
}
"""
BYTE = MachineType(8, signed=False)
ROW = ArrayType(BYTE, 2)


def test_an_object_that_nobody_reads_keeps_the_numbers_of_those_behind_it() -> None:
    """Without `&work`, the constant address of "ab" was that of "cd"."""
    found = verdicts(TEXT)
    assert {found[name] for name in found if name.startswith("assert:")} == {"SAFE"}


def _two_rows() -> Program:
    """`when same_object(&pair.a[i], &pair.b[i]): skip`"""
    builder = ProgramBuilder("rows")
    pair = builder.shared("pair", RecordType("pair", (("a", ROW), ("b", ROW))))
    body = builder.procedure("main")
    i = Read(VariablePlace(body.local("i", BYTE)))
    a, b = (AddressOf(IndexPlace(FieldPlace(VariablePlace(pair), f), i)) for f in "ab")
    body.edge(body.node(), body.node(final=True), Command(SameObject(a, b)))
    builder.template(Template("main", 1, "main"))
    return builder.build()


def test_a_record_that_an_address_leads_into_is_one_object() -> None:
    program = _two_rows()
    assert split_records(program) == program
    without = replace(program, procedures=())
    assert split_records(without) != without
