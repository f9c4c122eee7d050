"""Everything but edges: variables, threads, procedures and locations (1), (2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.core.quick_dataclass import replace
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    FailureKind,
    ListedValues,
    Procedure,
    Program,
    stated_values,
)
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import (
    NULL,
    UNSET,
    PointerType,
    parts_of,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.resolved.tables import Tables, cells
from threadwise.proofs.simplified.resolved.words import (
    flag_variable,
)


class Frame:
    """Compares everything but edges."""

    def __init__(
        self, before: Program, after: Program, tables: Tables, flagged: frozenset[str]
    ) -> None:
        self.before = before
        self.after = after
        self.tables = tables
        self.flagged = flagged

    def check(self) -> None:
        """Raises Refuted unless the programs are alike."""
        old, new = self.before, self.after
        if new.properties != old.properties or new.name != old.name:
            raise Refuted("other properties")
        for checked in old.properties:
            if isinstance(checked, RaceProperty) and checked.variables is not None:
                raise Refuted("races of single variables, which may be two afterwards")
        if new.enums != (*old.enums, self.tables.kind):
            raise Refuted("other enumerations")
        if tuple(new.globals) != tuple(self._globals()):
            raise Refuted("other global variables")
        _no_twins(new.globals)
        templates = tuple(
            replace(t, variables=tuple(self._own(t.variables, ""))) for t in old.templates
        )
        if new.templates != templates:
            raise Refuted("other threads")
        for template in new.templates:
            _no_twins(template.variables)
        if len(new.procedures) != len(old.procedures):
            raise Refuted("other procedures")
        for one, other in zip(old.procedures, new.procedures, strict=True):
            self._check_procedure(one, other)

    def _declared(
        self, declarations: Sequence[Declaration], procedure: str
    ) -> Iterator[Declaration]:
        for declaration in declarations:
            pointers = any(isinstance(p, PointerType) for p in parts_of(declaration.variable.type))
            if not pointers and UNSET not in stated_values(declaration.initial):
                yield declaration
                continue
            for variable, values in self.tables.starts(declaration, procedure):
                initial = DEFAULT if values is None else ListedValues(tuple(values))
                yield Declaration(variable, initial)

    def _own(self, declarations: Sequence[Declaration], procedure: str) -> Iterator[Declaration]:
        """The variables of a thread or a procedure: these have no flags."""
        for declaration in declarations:
            if UNSET in stated_values(declaration.initial):
                name = declaration.variable.name
                raise Refuted(f"`{name}` holds nothing at first, and has no flags")
        yield from self._declared(declarations, procedure)

    def _globals(self) -> Iterator[Declaration]:
        """The variables that there have to be."""
        yield from self._declared(self.before.globals, "")
        fresh = [target for target in self.tables.targets if target.number is None]
        for target in fresh:
            yield from self._declared([Declaration(target.variable)], "")
            yield Declaration(target.state)
        for declaration in self.before.globals:
            name, values = declaration.variable.name, stated_values(declaration.initial)
            if name in self.flagged:
                count = len(cells(declaration.variable.type))
                whole = values * count if len(values) == 1 else values or (NULL,) * count
                flags = tuple(value != UNSET for value in whole)
                yield Declaration(flag_variable(declaration.variable), ListedValues(flags))
            elif UNSET in values:
                raise Refuted(f"`{name}` holds nothing at first, and has no flags")
        for target in fresh:
            cleared = self.tables.is_cleared(target)
            if target.variable.name in self.flagged:
                flags = (cleared,) * len(cells(target.variable.type))
                yield Declaration(flag_variable(target.variable), ListedValues(flags))
            elif not cleared:
                raise Refuted(f"`{target.variable.name}` holds nothing at first")

    def _check_procedure(self, old: Procedure, new: Procedure) -> None:
        handed = [parameter.type for parameter in old.parameters]
        handed += [] if old.result is None else [old.result]
        if any(isinstance(part, PointerType) for held in handed for part in parts_of(held)):
            raise Refuted("a pointer is handed over by a call")
        same = (
            (new.name, new.parameters, new.result) == (old.name, old.parameters, old.result)
            and self.after.locations[new.entry].origin == old.entry
            and new.locals == tuple(self._own(old.locals, old.name))
        )
        if not same:
            raise Refuted(f"procedure `{old.name}` is another one")
        _no_twins([*map(Declaration, new.parameters), *new.locals])
        images = [here for here in new.locations if here.origin is not None]
        if [here.origin for here in images] != [here.id for here in old.locations]:
            raise Refuted(f"procedure `{old.name}` has other locations")
        for here, there in zip(images, old.locations, strict=True):
            if (here.atomic, here.final, here.failure, here.labels) != (
                there.atomic,
                there.final,
                there.failure,
                there.labels,
            ):
                raise Refuted(f"location {here.id} is another one")
        for here in new.locations:
            if here.origin is None:
                failure = here.failure
                if failure is None or failure.kind is not FailureKind.LIMIT or here.final:
                    raise Refuted(f"location {here.id} is new, and no limit")
                if self.after.outgoing[here.id]:
                    raise Refuted("a limit leads on")


def _no_twins(declarations: Sequence[Declaration]) -> None:
    names = [declaration.variable.name for declaration in declarations]
    if len({*names}) != len(names):
        raise Refuted("two variables have one name")
