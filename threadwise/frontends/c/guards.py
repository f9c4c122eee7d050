"""Claims about locks, put where they can be checked.

    x            ──▶  (claim(&lock), x)           where x is `guarded_by(lock)`, read or written
    *p           ──▶  (claim(&lock), *p)          where p is `pt_guarded_by(lock)`
    f() { … }    ──▶  f() { claim(&lock); … }     where f `requires_capability(lock)`

The claim is `__threadwise_guarded` of the library: it fails unless the thread holds the lock, as a
finding of its own, and ends nothing. What the program does stays as it was. Clang exempts nothing
but initialisers, and neither do we: use before threads are started needs the lock, too.

A lock is named by a variable, a parameter, or for members a member beside them, and members of
these. Other texts, and locks that are no mutexes, are not checked, which is a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.types import CFunction, CPointer, CRecord, CType, CVoid
from threadwise.frontends.c.walking import names_of_parts

CLAIM = "__threadwise_guarded"
_MUTEX = "struct __tw_mutex"
_TOKEN = re.compile(r"\s*(->|\.|[A-Za-z_]\w*)")
_ACCESSES = tree.Load | tree.Assign | tree.CompoundAssign | tree.Step

Warn = Callable[[str, Span], object]
Declare = Callable[[str, CFunction, Span], tree.Function]


def add_claims(program: tree.Program, declare: Declare, warn: Warn) -> None:
    """Put the claims of all attributes into the functions of the user."""
    fields = [field for record in program.records.values() for field in record.fields]
    guarded = any(v.guards for v in program.variables.values()) or any(f.guards for f in fields)
    for function in list(program.functions.values()):
        if function.body is not None and not function.library and (guarded or function.guards):
            claims = _Claims(program, function, declare, warn)
            function.body = claims.in_body(function.body)


class _Claims:
    """The claims of one function."""

    def __init__(
        self, program: tree.Program, function: tree.Function, declare: Declare, warn: Warn
    ) -> None:
        self.program = program
        self.function = function
        self.declare = declare
        self.warn = warn

    def in_body(self, body: tree.Compound) -> tree.Compound:
        changed: tree.Compound = self.of(body)
        begin: list[tree.Statement] = []
        for guard in self.function.guards:
            names = dict(zip(guard.parameters, self.function.parameters, strict=False))
            claim = self._claim(guard, body.span, None, names)
            if claim is not None:
                begin.append(tree.Evaluate(claim, body.span))
        statements = (*begin, *changed.statements)
        return replace(changed, statements=statements)

    def of(self, node: Any) -> Any:
        """A node with claims in front of what it uses."""
        changed = dict(self._changed(node))
        if isinstance(node, tuple):
            return tuple(changed.get(n, part) for n, part in enumerate(node))
        after = replace(node, **changed) if changed else node
        if not isinstance(node, _ACCESSES):
            return after
        for claim in self._claims(node.place, node.span):
            after = tree.Comma(claim, after, node.type, node.span)
        return after

    def _changed(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if isinstance(node, tuple):
            each: Any = enumerate(node)
        else:
            each = ((name, getattr(node, name)) for name in names_of_parts(node))
        for name, part in each:
            after = self.of(part)
            if after is not part:
                yield name, after

    # -- what is used --------------------------------------------------------------------------

    def _claims(self, place: Any, span: Span) -> Iterator[tree.Expr]:
        """The claims about the use of a place, and of what it is a part of."""
        match place:
            case tree.VariableRef(variable):
                yield from self._made(variable.guards, tree.GuardKind.USED, span, None)
            case tree.Member(base, path):
                held: CType | None = base.type
                for depth, name in enumerate(path):
                    field = self._field(held, name)
                    if field is None:
                        break
                    beside = (base, path[:depth], held)
                    yield from self._made(field.guards, tree.GuardKind.USED, span, beside)
                    held = field.type
                yield from self._claims(base, span)
            case tree.Deref(tree.Load(pointer)):
                yield from self._pointed(pointer, span)
            case _:
                return

    def _pointed(self, pointer: Any, span: Span) -> Iterator[tree.Expr]:
        match pointer:
            case tree.VariableRef(variable):
                yield from self._made(variable.guards, tree.GuardKind.POINTED, span, None)
            case tree.Member(base, path):
                held: CType | None = base.type
                for name in path[:-1]:
                    field = self._field(held, name)
                    held = None if field is None else field.type
                field = self._field(held, path[-1])
                if field is not None:
                    beside = (base, path[:-1], held)
                    yield from self._made(field.guards, tree.GuardKind.POINTED, span, beside)
            case _:
                return

    def _made(
        self, guards: tuple[tree.Guard, ...], kind: tree.GuardKind, span: Span, beside: Any
    ) -> Iterator[tree.Expr]:
        for guard in guards:
            if guard.kind is kind:
                claim = self._claim(guard, span, beside, {})
                if claim is not None:
                    yield claim

    def _field(self, held: CType | None, name: str) -> tree.Field | None:
        if not isinstance(held, CRecord):
            return None
        fields = self.program.records[held.key].fields
        return next((field for field in fields if field.name == name), None)

    # -- locks ---------------------------------------------------------------------------------

    def _claim(
        self, guard: tree.Guard, span: Span, beside: Any, names: dict[str, tree.Variable]
    ) -> tree.Expr | None:
        place = self._lock(guard, span, beside, names)
        if place is None:
            self.warn(
                f"not checked: the claim about `{guard.lock}`, which is no mutex", guard.span
            )
            return None
        pointer = CPointer(place.type)
        function = self.declare(CLAIM, CFunction(CVoid(), (pointer,)), guard.span)
        callee = tree.FunctionName(function, CPointer(function.type), span)
        argument: tree.Expr = tree.AddressOf(place, pointer, span)
        if isinstance(place, tree.Deref):
            argument = place.pointer
        return tree.Call(callee, (argument,), CVoid(), span)

    def _lock(
        self, guard: tree.Guard, span: Span, beside: Any, names: dict[str, tree.Variable]
    ) -> Any:
        """The mutex that a text names; None if it names none."""
        text = guard.lock.strip().lstrip("&*").strip()
        tokens = _TOKEN.findall(text)
        if "".join(tokens) != "".join(text.split()) or not tokens:
            return None
        place = self._first(tokens[0], span, beside, names)
        for operator, name in zip(tokens[1::2], tokens[2::2], strict=False):
            if place is None or operator not in (".", "->"):
                return None
            place = self._member(_followed(place, span), name, span)
        place = None if place is None else _followed(place, span)
        if place is None or len(tokens) % 2 == 0:
            return None
        is_mutex = isinstance(place.type, CRecord) and self._is_mutex(place.type)
        return place if is_mutex else None

    def _is_mutex(self, held: CRecord) -> bool:
        return self.program.records[held.key].shown == _MUTEX

    def _first(self, name: str, span: Span, beside: Any, names: dict[str, tree.Variable]) -> Any:
        if beside is not None:
            base, path, held = beside
            field = self._field(held, name)
            if field is not None:
                return tree.Member(base, (*path, name), field.type, span)
        variable = names.get(name)
        if variable is None:
            found = [v for v in self.program.variables.values() if v.shown == name]
            variable = found[0] if len(found) == 1 else None
        if variable is None:
            return None
        variable.address_taken = True
        return tree.VariableRef(variable, variable.type, span)

    def _member(self, place: Any, name: str, span: Span) -> Any:
        field = self._field(place.type, name)
        if field is None:
            return None
        if isinstance(place, tree.Member):
            return tree.Member(place.base, (*place.path, name), field.type, span)
        return tree.Member(place, (name,), field.type, span)


def _followed(place: Any, span: Span) -> Any:
    """What a pointer points to; other places are what they are."""
    if isinstance(place.type, CPointer):
        return tree.Deref(tree.Load(place, place.type, span), place.type.target, span)
    return place
