"""Transformations of programs that keep their meaning and make them smaller.

    constants      known values are put in, branches nobody takes removed (with `folding`)
    intervals      branches that bounds of locals exclude are removed
    pointers       dereferences with known targets become accesses to variables (with `points_to`)
    integer_pointers  pointers that hold nothing but integers become integers
    opaque_pointers  pointers that are only copied and compared become an enumeration
    records        records become one variable per field
    temporaries    globals that carry nothing from step to step become locals
    dead_writes    choices and copies that matter to nobody are left out
    unused         variables that nobody looks at are removed
    privacy        which variables only one thread can ever touch
    dead_values    values that nobody will read are forgotten (with `liveness`)
    quiet_steps    steps that no other thread can notice join the step before them
    statements     hidden steps of one statement become one edge

A front end applies them before it hands over its program; they are not applied to models, where
every statement is a step.
"""

from threadwise.analyses.uses import Uses
from threadwise.ir.program import Program


def simplified(program: Program, uses: Uses | None = None) -> Program:
    """The program after all of these transformations."""
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

    uses = uses or Uses()
    program = resolve_pointers(put_in_constants(program, uses), uses)
    program = pointers_to_integers(put_in_constants(program, uses), uses)
    program = remove_excluded_branches(program, uses)
    program = name_pointers(put_in_constants(program, uses), uses)
    program = localise_temporaries(split_records(program, uses), uses)
    program = remove_unused(program, uses)
    program = hide_quiet_steps(remove_unmentioned(program, uses), uses)
    program = join_statements(program, uses)
    return forget_dead_values(remove_unmentioned(program, uses), uses)
