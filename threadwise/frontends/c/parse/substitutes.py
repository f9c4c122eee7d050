"""Types whose representation is ours, whatever the text says.

A preprocessed file brings the declarations of another system's headers: there `pthread_mutex_t` is
some union. The models of the library know our representation only, so a type that is known by its
name (a typedef, or `struct x`) is replaced by ours wherever it is declared elsewhere than in our
headers. Its initialisers are zero, up to the `kind` of a mutex; its members are out of reach, but
for assignments of what initialisers may say.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from threadwise.core.diagnostics import DiagnosticBag
from threadwise.core.source import SourceFile, Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.options import COptions
from threadwise.frontends.c.parse.convert_types import Records, TypeConverter
from threadwise.frontends.c.parse.native import Kind, Node, children, evaluate_integer
from threadwise.frontends.c.parse.units import headers, read_units
from threadwise.frontends.c.types import INT, CType

_HEADERS = ("pthread.h", "semaphore.h", "signal.h", "stdio.h", "threads.h")
_SAME_NAME = (
    "FILE",
    "cpu_set_t",
    "pthread_attr_t",
    "pthread_barrierattr_t",
    "pthread_condattr_t",
    "pthread_mutexattr_t",
    "pthread_rwlockattr_t",
)
"""Types that our headers declare under the same names."""
_TAGS = {"struct _IO_FILE": "FILE"}
"""Types behind a typedef that preprocessed texts name by their tags."""
_TRANSPARENT = (Kind.UNEXPOSED_EXPR, Kind.CSTYLE_CAST_EXPR, Kind.PAREN_EXPR)
_PATH = "<types>"
_PREFIX = "__tw_type_"
_KIND = "kind"
_MEMBERS = {"__kind": _KIND, "__count": "depth"}
"""Members of the GNU library's types that have a counterpart."""


class Substitutes:
    """Replaces types by their names."""

    def __init__(self, names: Mapping[str, str], options: COptions, records: Records) -> None:
        self._texts = {**{name: name for name in _SAME_NAME}, **_TAGS, **names}
        self._options = options
        self._records = records
        self._folder = str(headers())
        self.used: set[CType] = set()
        """The types that stand for others."""

    def find(self, name: str, declaration: Node) -> CType | None:
        """Our type for a name that is declared elsewhere; None: the declaration counts."""
        if name not in self._texts:
            return None
        file = declaration.location.file
        if file is not None and file.name.startswith(self._folder):
            return None
        found = self._types[name]
        self.used.add(found)
        return found

    @cached_property
    def _types(self) -> dict[str, CType]:
        lines = [f"#include <{header}>" for header in _HEADERS]
        names = list(self._texts)
        lines += [
            f"typedef {self._texts[name]} {_PREFIX}{number};" for number, name in enumerate(names)
        ]
        source = SourceFile(_PATH, "\n".join(lines) + "\n")
        (unit,) = read_units([source], {_PATH: self._options}, DiagnosticBag())
        converter = TypeConverter(self._records)
        found = {
            node.spelling: converter.convert(node.underlying_typedef_type)
            for node in unit.declarations
            if node.kind == Kind.TYPEDEF_DECL and node.spelling.startswith(_PREFIX)
        }
        return {name: found[f"{_PREFIX}{number}"] for number, name in enumerate(names)}


def substituted_initial(
    node: Node, record: tree.Record | None, span: Span
) -> tree.AggregateInitial | None:
    """What the initialiser of another representation means in ours; None: nothing we know.

    Zeros mean zero; one number among them is the kind of a mutex.
    """
    numbers = list(_numbers(node))
    if None in numbers:
        return None
    others = [number for number in numbers if number]
    if not others:
        return tree.AggregateInitial(())
    fields = record.fields if record is not None else ()
    places = [index for index, field in enumerate(fields) if field.name == _KIND]
    if len(others) > 1 or not places:
        return None
    kind = fields[places[0]].type
    constant = tree.IntegerConstant(others[0], kind, span)
    return tree.AggregateInitial(((places[0], tree.ScalarInitial(constant)),))


def substituted_member(
    base: tree.LValue, name: str, number: int, record: tree.Record | None, span: Span
) -> tree.Expr | None:
    """What it means to give a member of another representation a number, as if in a list."""
    fields = () if record is None else record.fields
    for field in fields:
        if field.name == _MEMBERS.get(name):
            constant = tree.IntegerConstant(number, field.type, span)
            place = tree.Member(base, (field.name,), field.type, span)
            return tree.Assign(place, constant, field.type, span)
    return None if number else tree.IntegerConstant(0, INT, span)


def _numbers(node: Node) -> list[int | None]:
    """All values in a list, with lists in it; casts and designators do not matter."""
    if node.kind == Kind.INIT_LIST_EXPR:
        return [number for child in children(node) for number in _numbers(child)]
    number = evaluate_integer(node)
    parts = [child for child in children(node) if child.kind.is_expression()]
    if number is None and node.kind in _TRANSPARENT and parts:
        return _numbers(parts[-1])
    return [number]
