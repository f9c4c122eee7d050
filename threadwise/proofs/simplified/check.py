"""The obligations that what a pass made of a program has to meet, pass by pass.

All of them together say: every run of the program before is one of the program after, step by
step, with threads at locations that belong together; where one of them fails, races or is stuck,
so does the other.

    (1) both have the same procedures, threads and properties; locations that belong together are
        alike: final, failures, atomic except by `silent steps`
    (2) global variables that are left out are reached by no pointer, and no access to them races;
        constant addresses name the same variables as before
    (3) what is claimed to hold at locations holds (`facts`, `targets`)
    (4) edges belong together (`compare`)
    (5) locations that are hidden may be (`silent`); variables that move may move (`translations`)
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import replace
from threadwise.ir.program import Declaration, Procedure, Program, Template
from threadwise.ir.properties import InvariantProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.compare import Comparison
from threadwise.proofs.simplified.elements import element_pointers
from threadwise.proofs.simplified.facts import Facts
from threadwise.proofs.simplified.flow import overwrites, reads
from threadwise.proofs.simplified.inputs import check_inputs
from threadwise.proofs.simplified.memory import Memory
from threadwise.proofs.simplified.normal import Normal
from threadwise.proofs.simplified.shared import Shared
from threadwise.proofs.simplified.silent import check_silent
from threadwise.proofs.simplified.targets import Pointers
from threadwise.proofs.simplified.translations import (
    Translation,
    integer_pointers,
    named_pointers,
    records,
    temporaries,
)

Claims = Any
"""The facts that a pass claims; used after they are verified."""


MOST_REMEMBERED = 512
"""Of so many pairs of programs it is remembered that they were compared."""

_passed: OrderedDict[tuple[str, Same, Same], None] = OrderedDict()
"""Programs that were compared."""


def check_pass(name: str, before: Program, after: Program) -> None:
    """Raises Refuted unless a program after a pass is one that may stand for the one before."""
    key = name, Same(before), Same(after)
    if key in _passed:
        return
    compare_programs(name, before, after, before.found.get(name))
    _passed[key] = None
    if len(_passed) > MOST_REMEMBERED:
        _passed.popitem(last=False)


def is_verified(name: str, before: Program, after: Program) -> bool:
    """Whether a program after a pass may stand for the one before."""
    try:
        check_pass(name, before, after)
    except Refuted:
        return False
    return True


def compare_programs(name: str, before: Program, after: Program, claims: Claims) -> None:
    """Raises Refuted unless a program after a pass is one that may stand for the one before."""
    if any(isinstance(checked, InvariantProperty) for checked in before.properties):
        raise Refuted("an invariant may look at anything")
    check = _CHECKS.get(name, _check_alone)
    check(before, after, Shared(before), claims)


def _check_values(before: Program, after: Program, shared: Shared, claims: Claims) -> None:
    facts = Facts(before, shared, values=claims)
    facts.check()
    _compare(before, after, shared, facts)


def _check_bounds(before: Program, after: Program, shared: Shared, claims: Claims) -> None:
    facts = Facts(before, shared, bounds=claims)
    facts.check()
    _compare(before, after, shared, facts)


def _check_targets(before: Program, after: Program, shared: Shared, claims: Claims) -> None:
    pointers = Pointers(before, claims)
    pointers.check()
    _check_frame(before, after, shared, Translation())
    normal = Normal(memory=Memory(before))
    facts = Facts(before, shared)
    Comparison(before, after, facts, cases=pointers.cases, normal=normal).check()


def _check_alone(before: Program, after: Program, shared: Shared, _: Claims) -> None:
    _compare(before, after, shared, Facts(before, shared))


def _check_silent(before: Program, after: Program, shared: Shared, _: Claims) -> None:
    check_silent(before, after, shared)
    seen = [replace(here, atomic=before.locations[here.id].atomic) for here in after.locations]
    procedures = tuple(
        replace(procedure, locations=tuple(seen[here.id] for here in procedure.locations))
        for procedure in after.procedures
    )
    shown = replace(after, procedures=procedures)
    _compare(before, shown, shared, Facts(before, shared))


def _translating(
    translation: Callable[[Program, Program, Shared], Translation],
) -> Callable[[Program, Program, Shared, Claims], None]:
    def check(before: Program, after: Program, shared: Shared, _: Claims) -> None:
        _compare(before, after, shared, Facts(before, shared), translation(before, after, shared))

    return check


def _check_resolved(before: Program, after: Program, _: Shared, claims: Claims) -> None:
    from threadwise.proofs.simplified.resolved.check import check_resolved

    check_resolved(before, after, claims)


def _check_first(before: Program, after: Program, _: Shared, __: Claims) -> None:
    from threadwise.proofs.simplified.first_steps import check_first_steps

    check_first_steps(before, after)


_CHECKS: Mapping[str, Callable[[Program, Program, Shared, Claims], None]] = {
    "few inputs": check_inputs,
    "few inputs of counted threads": check_inputs,
    "constants": _check_values,
    "bounds": _check_bounds,
    "pointers": _check_targets,
    "silent steps": _check_silent,
    "records": _translating(records),
    "temporaries": _translating(temporaries),
    "named pointers": _translating(named_pointers),
    "integer pointers": _translating(integer_pointers),
    "element pointers": _translating(element_pointers),
    "memory as variables": _check_resolved,
    "first steps": _check_first,
}


def _compare(
    before: Program,
    after: Program,
    shared: Shared,
    facts: Facts,
    translation: Translation | None = None,
) -> None:
    words = translation or Translation()
    _check_frame(before, after, shared, words)
    if translation is None:
        Comparison(before, after, facts).check()
    else:
        Comparison(before, after, facts, words.edge).check()


# -- (1) and (2) ---------------------------------------------------------------------------------


def _check_frame(before: Program, after: Program, shared: Shared, words: Translation) -> None:
    """Everything but edges."""
    if after.properties != before.properties or after.name != before.name:
        raise Refuted("other properties")
    if after.enums[: len(before.enums)] != before.enums:
        raise Refuted("other enumerations")
    if after.templates != tuple(_template(each, words) for each in before.templates):
        raise Refuted("other threads")
    if len(before.procedures) != len(after.procedures):
        raise Refuted("other procedures")
    for old, new in zip(before.procedures, after.procedures, strict=True):
        _check_procedure(before, after, old, new, words)
    _check_globals(before, after, shared, words)


def _template(template: Template, words: Translation) -> Template:
    return replace(template, variables=tuple(_own(d, words) for d in template.variables))


def _own(declaration: Declaration, words: Translation) -> Declaration:
    """What becomes of a variable of a thread or procedure."""
    (found,) = Translation.declaration(words, declaration)
    if words.type(found.variable.type) != found.variable.type:
        (found,) = words.declaration(declaration)
    return found


def _check_procedure(
    before: Program, after: Program, old: Procedure, new: Procedure, words: Translation
) -> None:
    same = (
        new.name == old.name
        and new.parameters == tuple(map(words.variable, old.parameters))
        and new.result == (None if old.result is None else words.type(old.result))
        and after.locations[new.entry].origin == old.entry
    )
    if not same:
        raise Refuted(f"procedure `{old.name}` is another one")
    known = {d.variable.name: _own(d, words) for d in old.locals}
    for declaration in new.locals:
        name = declaration.variable.name
        if name in known and declaration != known[name]:
            raise Refuted(f"`{name}` starts otherwise")
    declared = {d.variable.name for d in new.locals}
    if len(declared) != len(new.locals):
        raise Refuted("a variable is declared twice")
    if declared != known.keys():
        declared |= {parameter.name for parameter in new.parameters}
        for edge in new.edges:
            if not reads(edge) | overwrites(edge) <= declared:
                raise Refuted(f"edge {edge.id} uses what is not declared")
    for here in new.locations:
        if here.origin is None or before.procedure_of[here.origin] is not old:
            raise Refuted(f"location {here.id} comes from nowhere")
        there = before.locations[here.origin]
        if (here.atomic, here.final, here.failure, here.labels) != (
            there.atomic,
            there.final,
            there.failure,
            there.labels,
        ):
            raise Refuted(f"location {here.id} is another one")


def _check_globals(before: Program, after: Program, shared: Shared, words: Translation) -> None:
    wanted = [(n, new) for n, d in enumerate(before.globals) for new in words.declaration(d)]
    kept = iter(after.globals)
    following = next(kept, None)
    first: int | None = None
    for number, declaration in wanted:
        if declaration == following:
            following = next(kept, None)
            continue
        first = number if first is None else first
        name = declaration.variable.name
        if name in shared.taken or name not in shared.harmless:
            raise Refuted(f"`{name}` is left out")
    if following is not None:
        raise Refuted(f"`{following.variable.name}` is new")
    if first is None:
        return
    if any(address.number >= first for address in shared.addresses):
        raise Refuted("an address names another variable now")
    used = Shared(after)
    if not {*used.read, *used.written, *used.taken} <= {d.variable.name for d in after.globals}:
        raise Refuted("a variable is used that is not declared")
