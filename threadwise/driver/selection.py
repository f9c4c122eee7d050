"""Which properties the user asked for: the meaning of `--property`."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.errors import InputError
from threadwise.core.suggestions import did_you_mean
from threadwise.driver.loading import is_c
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, Property, PropertyKind

ALL = "all"
ALIASES = {"unreach-call": "assertions", "no-data-race": "races"}
"""The names SV-COMP uses."""

_BY_KIND = {"assertions": PropertyKind.ASSERTION}


def select_properties(program: Program, selectors: Sequence[str]) -> tuple[Property, ...]:
    """The properties that the selectors name, in program order; without selectors the defaults.

    A selector is `all`, `assertions`, or the name of a property: `range`, `mutex`, `races`,
    `deadlocks`, an invariant's name, `race_free x`, `assert:17`.
    """
    if not selectors:
        return tuple(checked for checked in program.properties if checked.default)
    chosen: set[str] = set()
    for given in selectors:
        selector = ALIASES.get(given, given)
        if selector == ALL:
            matching = [checked.name for checked in program.properties]
        elif selector in _BY_KIND:
            kind = _BY_KIND[selector]
            matching = [checked.name for checked in program.properties if checked.kind is kind]
        else:
            matching = [c.name for c in program.properties if c.name == selector]
            if not matching:
                named = (c.name for c in program.properties)
                known = list(dict.fromkeys([ALL, *_BY_KIND, *named, *ALIASES]))
                hint = _several(given, known) or did_you_mean(given, known)
                hint = hint or f"known properties: {', '.join(known[:12])}"
                raise InputError.of(f"unknown property `{given}`", hint=hint)
        chosen.update(matching)
    return tuple(checked for checked in program.properties if checked.name in chosen)


def _several(given: str, known: Sequence[str]) -> str | None:
    """How to ask for several properties, if that is what a selector is meant to do."""
    names = [part.strip() for part in given.split(",")]
    if len(names) < 2 or not all(name in known for name in names):
        return None
    return "one option for each: " + " ".join(f"--property {name}" for name in names)


def are_one_question(selectors: Sequence[str]) -> bool:
    """Whether somebody asks whether any assertion fails, and for nothing else."""
    return {ALIASES.get(given, given) for given in selectors} == {"assertions"}


def spare_properties(program: Program, selectors: Sequence[str]) -> tuple[Property, ...]:
    """What is checked on the time that is left: deadlocks of C, if nothing was asked for."""
    if selectors or not is_c(program.name):
        return ()
    return tuple(p for p in program.properties if isinstance(p, DeadlockProperty))
