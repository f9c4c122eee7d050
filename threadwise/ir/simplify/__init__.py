"""Transformations of programs that keep their meaning and make them smaller.

    constants      known values are put in, branches nobody takes removed (with `folding`)
    intervals      branches that bounds of locals exclude are removed
    pointers       dereferences with known targets become accesses to variables (with `points_to`)
    opaque_pointers  pointers that are only copied and compared become an enumeration
    records        records become one variable per field
    dead_writes    choices and copies that matter to nobody are left out
    unused         variables that nobody looks at are removed
    privacy        which variables only one thread can ever touch
    dead_values    values that nobody will read are forgotten
    quiet_steps    steps that no other thread can notice join the step before them

A front end applies them before it hands over its program; they are not applied to models, where
every statement is a step.
"""

from threadwise.ir.program import Program


def simplified(program: Program) -> Program:
    """The program after all of these transformations."""
    from threadwise.ir.simplify.constants import put_in_constants
    from threadwise.ir.simplify.dead_values import forget_dead_values
    from threadwise.ir.simplify.intervals import remove_excluded_branches
    from threadwise.ir.simplify.opaque_pointers import name_pointers
    from threadwise.ir.simplify.pointers import resolve_pointers
    from threadwise.ir.simplify.quiet_steps import hide_quiet_steps
    from threadwise.ir.simplify.records import split_records
    from threadwise.ir.simplify.unused import remove_unmentioned, remove_unused

    program = put_in_constants(resolve_pointers(put_in_constants(program)))
    program = put_in_constants(remove_excluded_branches(program))
    program = split_records(name_pointers(program))
    program = remove_unmentioned(remove_unused(program))
    return hide_quiet_steps(forget_dead_values(program))
