"""Types of libclang as `CType`s, and the layout of records."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from threadwise.core.recursion import ensure_headroom
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.guards import guards_of
from threadwise.frontends.c.parse.native import (
    ClangType,
    Kind,
    Node,
    TypeKind,
    modified_type,
    value_type,
)
from threadwise.frontends.c.parse.spans import Places
from threadwise.frontends.c.types import (
    C_BOOL,
    INT,
    VOID,
    CArray,
    CAtomic,
    CFloat,
    CFunction,
    CInteger,
    CLock,
    CPointer,
    CRecord,
    CThreadId,
    CType,
)

THREAD_ID = "__tw_tid"
LOCK = "__tw_lock"

_SIGNED = (
    TypeKind.CHAR_S,
    TypeKind.SCHAR,
    TypeKind.SHORT,
    TypeKind.INT,
    TypeKind.LONG,
    TypeKind.LONGLONG,
    TypeKind.INT128,
)
_UNSIGNED = (
    TypeKind.CHAR_U,
    TypeKind.UCHAR,
    TypeKind.USHORT,
    TypeKind.UINT,
    TypeKind.ULONG,
    TypeKind.ULONGLONG,
    TypeKind.UINT128,
    TypeKind.CHAR16,
    TypeKind.CHAR32,
)
_ARRAYS = (
    TypeKind.CONSTANTARRAY,
    TypeKind.INCOMPLETEARRAY,
    TypeKind.VARIABLEARRAY,
    TypeKind.DEPENDENTSIZEDARRAY,
)
_ATTRIBUTED = 163
"""`CXType_Attributed`, which the binding does not know."""


class Substitutes(Protocol):
    """Types that stand for others, by name."""

    used: set[CType]

    def find(self, name: str, declaration: Node) -> CType | None:
        """What stands for a named type, if something does."""


Signature: TypeAlias = tuple[object, ...]
"""What must agree for two declarations to mean the same record."""


class Records:
    """The structs and unions of all files, each with a key of its own."""

    def __init__(self) -> None:
        self.known: dict[str, tree.Record] = {}
        self._signatures: dict[str, Signature | None] = {}

    def key(self, shown: str, signature: Signature | None) -> tuple[str, bool]:
        """The key of a record, and whether its fields are still to be entered.

        An incomplete record (no signature) is any of its name; records of one name that differ
        get different keys.
        """
        key, number = shown, 1
        while key in self._signatures:
            known = self._signatures[key]
            if known is None or signature is None or known == signature:
                break
            number += 1
            key = f"{shown}.{number}"
        new = key not in self._signatures or (
            self._signatures[key] is None and signature is not None
        )
        if new:
            self._signatures[key] = signature
        return key, new


class TypeConverter:
    """Converts the types of one translation unit; `substitutes` replaces types by their names."""

    def __init__(
        self,
        records: Records,
        substitutes: Substitutes | None = None,
        places: Places | None = None,
    ) -> None:
        self._records = records
        self.places = places
        """Offsets of members, for claims about them; None: not needed."""
        self.substitutes = substitutes
        self._known: dict[int, CType] = {}
        self._keys: dict[str, str] = {}

    def convert(self, clang_type: ClangType) -> CType:
        """The type that values and objects of this type have for us."""
        identity = clang_type.data[0]
        known = self._known.get(identity)
        if known is None:
            known = self._known[identity] = self._convert(clang_type)
        return known

    def _convert(self, clang_type: ClangType) -> CType:
        ensure_headroom()
        try:
            kind = clang_type.kind
        except ValueError:
            return self._of_unknown_kind(clang_type)
        if kind == TypeKind.TYPEDEF:
            return self._typedef(clang_type)
        if kind == TypeKind.ELABORATED:
            return self.convert(clang_type.get_named_type())
        if kind == TypeKind.POINTER:
            return CPointer(self.convert(clang_type.get_pointee()))
        if kind in _ARRAYS:
            return self._array(clang_type, kind)
        if kind == TypeKind.RECORD:
            return self.record(clang_type.get_declaration())
        if kind == TypeKind.ATOMIC:
            return CAtomic(self.convert(value_type(clang_type)))
        if kind in {TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO}:
            return self._function(clang_type, kind)
        return self._simple(clang_type, kind)

    def _of_unknown_kind(self, clang_type: ClangType) -> CType:
        if clang_type._kind_id == _ATTRIBUTED:
            return self.convert(modified_type(clang_type))
        return CFloat(max(8, clang_type.get_size() * 8))

    def _simple(self, clang_type: ClangType, kind: object) -> CType:
        if kind == TypeKind.VOID:
            return VOID
        if kind == TypeKind.BOOL:
            return C_BOOL
        if kind in _SIGNED:
            return CInteger(clang_type.get_size() * 8, signed=True)
        if kind in _UNSIGNED:
            return CInteger(clang_type.get_size() * 8, signed=False)
        if kind == TypeKind.ENUM:
            return self._enumeration(clang_type)
        if kind == TypeKind.WCHAR:
            return INT
        canonical = clang_type.get_canonical()
        if canonical.data[0] != clang_type.data[0]:
            return self.convert(canonical)
        return CFloat(max(8, clang_type.get_size() * 8))

    def _enumeration(self, clang_type: ClangType) -> CType:
        declaration = clang_type.get_declaration()
        if declaration.spelling == THREAD_ID:
            return CThreadId()
        underlying = declaration.enum_type
        return INT if underlying.kind == TypeKind.INVALID else self.convert(underlying)

    def _typedef(self, clang_type: ClangType) -> CType:
        declaration = clang_type.get_declaration()
        name = declaration.spelling
        if name == THREAD_ID:
            return CThreadId()
        found = self.substitutes and self.substitutes.find(name, declaration)
        return found or self.convert(declaration.underlying_typedef_type)

    def _array(self, clang_type: ClangType, kind: object) -> CArray:
        element = self.convert(clang_type.get_array_element_type())
        size = clang_type.get_array_size() if kind == TypeKind.CONSTANTARRAY else None
        return CArray(element, size)

    def _function(self, clang_type: ClangType, kind: object) -> CFunction:
        result = self.convert(clang_type.get_result())
        if kind == TypeKind.FUNCTIONNOPROTO:
            return CFunction(result, None)
        parameters = tuple(adjusted(self.convert(each)) for each in clang_type.argument_types())
        return CFunction(result, parameters, clang_type.is_function_variadic())

    def record(self, declaration: Node) -> CType:
        """The type of a struct or union, whose layout becomes known with it."""
        if declaration.spelling == LOCK:
            return CLock()
        if self.substitutes is not None:
            word = "union" if declaration.kind == Kind.UNION_DECL else "struct"
            for name in (declaration.spelling, f"{word} {declaration.spelling}"):
                found = self.substitutes.find(name, declaration)
                if found is not None:
                    return found
        identity = declaration.get_usr() or declaration.type.spelling
        if declaration.is_anonymous():  # those beside each other are one to libclang
            identity = f"{identity} {declaration.type.spelling}"
        if identity not in self._keys:
            self._enter(identity, declaration)
        return CRecord(self._keys[identity])

    def _enter(self, identity: str, declaration: Node) -> None:
        word = "union" if declaration.kind == Kind.UNION_DECL else "struct"
        name = declaration.spelling
        if declaration.is_anonymous() or not name or "(" in name:
            name = f"at {declaration.location.line}"
        shown = f"{word} {name}"
        size = declaration.type.get_size()
        nodes = list(declaration.type.get_fields()) if size >= 0 else []
        signature = (
            (
                size,
                *(
                    (n.spelling, n.type.get_canonical().spelling, n.get_field_offsetof())
                    for n in nodes
                ),
            )
            if size >= 0
            else None
        )
        key, new = self._records.key(shown, signature)
        self._keys[identity] = key
        if new:
            before = (None, *nodes[:-1])
            fields = tuple(
                field
                for node, previous in zip(nodes, before, strict=False)
                for field in self._field(node, previous)
            )
            self._records.known[key] = tree.Record(
                key, shown, word == "union", fields, max(size, 0)
            )

    def _field(self, node: Node, previous: Node | None) -> tuple[tree.Field, ...]:
        """A member; bit-fields without a name are only room between others."""
        width = node.get_bitfield_width() if node.is_bitfield() else None
        if width is not None and not node.spelling:
            return ()
        name = "" if "(" in node.spelling else node.spelling
        held, offset = self.convert(node.type), node.get_field_offsetof()
        adjacent = width is not None and previous is not None and _has_width(previous)
        guards = guards_of(node, self.places) if self.places is not None else ()
        return (tree.Field(name, held, offset, width, adjacent, guards),)


def _has_width(node: Node) -> bool:
    return bool(node.is_bitfield() and node.get_bitfield_width() > 0)


def adjusted(declared: CType) -> CType:
    """Parameters of array and function type are pointers (C17 6.7.6.3)."""
    if isinstance(declared, CArray):
        return CPointer(declared.element)
    return CPointer(declared) if isinstance(declared, CFunction) else declared
