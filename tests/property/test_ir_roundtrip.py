"""The text form of random programs: reading is the inverse of printing."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from tests.property.ir_strategies import programs
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.text.printer import print_action, print_expr, print_program, program_hash
from threadwise.ir.text.reader import read_program
from threadwise.report.graphviz import to_dot


@given(programs())
def test_generated_programs_are_well_formed(program: Program) -> None:
    assert validate(program) == []


@given(programs())
def test_reading_is_the_inverse_of_printing(program: Program) -> None:
    text = print_program(program)
    assert text.isascii()
    again = read_program(text)
    assert print_program(again) == text
    assert again == program


@given(programs())
def test_text_without_spans_is_stable(program: Program) -> None:
    text = print_program(program, spans=False)
    again = read_program(text)
    assert print_program(again, spans=False) == text
    assert program_hash(again) == program_hash(program)
    assert validate(again) == []


@given(programs())
def test_hash_ignores_where_the_program_came_from(program: Program) -> None:
    procedures = tuple(
        replace(
            procedure,
            span=None,
            edges=tuple(replace(edge, span=None, text="") for edge in procedure.edges),
            locations=tuple(replace(location, span=None) for location in procedure.locations),
        )
        for procedure in program.procedures
    )
    moved = replace(program, name="other", procedures=procedures)
    assert program_hash(moved) == program_hash(program)


@given(programs())
def test_printing_for_people_never_fails(program: Program) -> None:
    assert to_dot(program) == to_dot(program)
    for edge in program.edges:
        assert print_action(edge.action)
    for checked in program.properties:
        if isinstance(checked, InvariantProperty):
            assert print_expr(checked.formula)
