"""Programs in which one arbitrary thread of a template is distinguished, by its creation index κ.

`follow(program, Following(T, arrays, claims))` gives a program P_κ in which

    T               is a single thread, the one with index κ: the κ-th that was created, or the
                    κ-th of its template if all threads are there from the start
    T.others[*]     are all other threads of T; each chooses an index of its own, other than κ
    T.kappa         is κ: a shared variable with any value that nobody writes
    a[…]            for an array with a cell per thread of T, and for the followed arrays, only the
                    cell of κ is kept, as a plain variable `a`
    handles         of κ are the id of T's thread; the handle of another thread may be any id

So join loops and slots become predicates over plain variables: "all were joined" is the loop
invariant `j <= T.kappa || T.status == finished`, "each has its own slot" is `mine == T.kappa`.
There is no bound on how many threads are created: starting one always succeeds.

`edges` transforms single edges, `assembly` puts the procedures together.

Soundness. Let P be the program without a bound on its pools (whose limits it reaches nowhere).
Every run of P is, for every κ, a run of P_κ: cells other than κ's are never read, a value that
depended on them becomes any value, and a guard that depended on them is left out; indices count
creations and are never used twice, so that others have other indices. A violation of P is a
violation of P_κ for *some* κ, which is why P_κ need not contain all of them:

    a failure of a T     κ is its index: failures of `T.others` are left out
    any other failure    κ is the index at which the failing thread last read a followed array:
                         its variable `T.elsewhere` says that it last read another element, and
                         then it does not fail. An id of another template's thread is no index: a
                         read with it is a read of no element
    a race for a cell    of a followed array: κ is its index. Other races between two threads of
                         T: κ is the one whose access is plain; the accesses of `T.others` then
                         count as synchronisation, so that two of them do not race
    an invariant         about threads of T: κ is one of them

A *claim* says of a parameter that what is passed for it is the creation index. Where κ is created
this is checked (to pass something else is a limit of the model, which every certificate has to
exclude), so others may rely on it: the first creation that breaks a claim would be one of κ.

Deadlocks are not preserved. Programs with procedure calls or pointers are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.analyses.regions import has_calls
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.expr import SelfIndex, Variable
from threadwise.ir.fold import action_expressions, subexpressions, uses_memory
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.types import ArrayType, IntType, MachineType, PerThread, RangeType, is_scalar
from threadwise.transforms.follow.assembly import Assembly
from threadwise.transforms.follow.names import Following, followed_name, variable_key
from threadwise.transforms.follow.properties import kept_properties
from threadwise.transforms.simplify.silent_steps import hide_silent_steps

__all__ = ["Followed", "Following", "follow", "follow_all", "followable", "suggested"]


@dataclass(frozen=True)
class Followed:
    """A program that follows a thread, and which edge of the original each of its edges is of."""

    program: Program
    origins: tuple[EdgeId, ...]
    stages: tuple[tuple[Program, tuple[EdgeId, ...]], ...] = ()
    """The programs after one template more was followed, and which edge of the one before each of
    their edges is of; steps are not hidden yet."""


def follow_all(program: Program, followings: Sequence[Following]) -> Followed:
    """Follow a thread of each of some templates, one after the other; raises Unsupported.

    Steps that no other thread can notice are hidden afterwards, as front ends do for C.
    """
    found = Followed(program, tuple(edge.id for edge in program.edges))
    for following in followings:
        after = follow(found.program, following)
        origins = tuple(found.origins[edge] for edge in after.origins)
        stages = (*found.stages, (after.program, after.origins))
        found = Followed(after.program, origins, stages)
    return replace(found, program=hide_silent_steps(found.program))


def follow(program: Program, following: Following) -> Followed:
    """The program that follows a thread of a template; raises Unsupported."""
    if uses_memory(program):
        raise Unsupported("following a thread beside pointers")
    if has_calls(program):
        raise Unsupported("following a thread through procedure calls")
    template = program.template.get(following.template)
    if template is None:
        raise Unsupported(f"following a thread of `{following.template}`, which is no template")
    if any(t.body == template.body for t in program.templates if t is not template):
        raise Unsupported("following a thread whose body is shared with another template")
    if followed_name(following.template, "kappa") in {d.variable.name for d in program.globals}:
        raise Unsupported("following two threads of one template")
    assembly = Assembly(program, following)
    made = replace(assembly.run(), properties=kept_properties(program, following))
    return Followed(made, tuple(assembly.origins))


# -- what could be followed --------------------------------------------------------------------


def followable(program: Program) -> list[str]:
    """The templates whose threads have indices that matter: pools, and users of `self.index`."""
    found: list[str] = []
    for template in program.templates:
        body = program.procedure[template.body]
        parts = (
            part
            for edge in body.edges
            for whole in action_expressions(edge.action)
            for part in subexpressions(whole)
        )
        if template.pool or (
            template.count != 1 and any(isinstance(part, SelfIndex) for part in parts)
        ):
            found.append(template.name)
    return found


def suggested(program: Program, template: str, *, claiming: bool) -> Following:
    """What to follow: arrays of scalars that some index selects from, and what to claim."""
    arrays = tuple(
        key
        for key, variable in _variables(program)
        if isinstance(variable.type, ArrayType)
        and isinstance(variable.type.extent, int)
        and is_scalar(variable.type.element)
    )
    claims: tuple[str, ...] = ()
    if claiming:
        cells = PoolCells(template)
        claims = tuple(
            variable.name
            for _, variable in _variables(program)
            if cells.is_argument(variable.name)
            and isinstance(variable.type, ArrayType)
            and variable.type.extent == PerThread(template)
            and isinstance(variable.type.element, IntType | RangeType | MachineType)
        )
    return Following(template, arrays, claims)


def _variables(program: Program) -> Iterator[tuple[str, Variable]]:
    for declaration in program.globals:
        yield declaration.variable.name, declaration.variable
    for procedure in program.procedures:
        for declaration in procedure.locals:
            yield variable_key(declaration.variable, procedure.name), declaration.variable
