"""The order in which C programs are simplified.

A pass may rest on what earlier ones established: pointers are resolved before records are split,
and dead values are forgotten last, when it is known which steps others can see. Models are not
simplified: there every statement is a step.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.analyses.uses import Uses
from threadwise.ir.program import Program
from threadwise.transforms.simplify.constants import put_in_constants
from threadwise.transforms.simplify.dead_values import forget_dead_values
from threadwise.transforms.simplify.integer_pointers import pointers_to_integers
from threadwise.transforms.simplify.intervals import remove_excluded_branches
from threadwise.transforms.simplify.opaque_pointers import name_pointers
from threadwise.transforms.simplify.pointers import resolve_pointers
from threadwise.transforms.simplify.quiet_steps import hide_quiet_steps
from threadwise.transforms.simplify.records import split_records
from threadwise.transforms.simplify.statements import join_statements
from threadwise.transforms.simplify.temporaries import localise_temporaries
from threadwise.transforms.simplify.unused import remove_unmentioned, remove_unused

Pass = Callable[[Program, Uses], Program]

PIPELINE: tuple[Pass, ...] = (
    put_in_constants,
    resolve_pointers,
    put_in_constants,
    pointers_to_integers,
    remove_excluded_branches,
    put_in_constants,
    name_pointers,
    split_records,
    localise_temporaries,
    remove_unused,
    remove_unmentioned,
    hide_quiet_steps,
    join_statements,
    remove_unmentioned,
    forget_dead_values,
)


def simplified(program: Program, uses: Uses | None = None) -> Program:
    """The program after all passes, in their order."""
    uses = uses or Uses()
    for apply in PIPELINE:
        program = apply(program, uses)
    return program
