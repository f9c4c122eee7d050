"""Terms remember their hashes, and nothing else about them changes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass

from threadwise.ir.expr import AddressOf, Binary, BinaryOp, Const, Read, Scope, Variable
from threadwise.ir.expr import VariablePlace as Place
from threadwise.ir.hashing import Hashed, hashed_once
from threadwise.ir.types import INT, RecordType

X = Place(Variable("x", INT, Scope.LOCAL))


def _sum() -> Binary:
    return Binary(BinaryOp.ADD, Read(Place(Variable("x", INT, Scope.LOCAL))), Const(1, INT))


def test_equal_terms_have_one_hash_before_and_after_it_is_remembered() -> None:
    one, other = _sum(), _sum()
    first = hash(one)
    assert one == other
    assert hash(one) == first == hash(other)


def test_the_hash_is_not_part_of_what_is_sent() -> None:
    term = _sum()
    fresh = pickle.dumps(term)
    hash(term)
    assert pickle.dumps(term) == fresh
    assert pickle.loads(fresh) == copy.deepcopy(term) == term


def test_kinds_of_terms_and_types_differ() -> None:
    assert hash(Read(X)) != hash(AddressOf(X))
    assert RecordType("r", (("a", INT),)) != RecordType("r", (("b", INT),))
    assert len({Read(X), AddressOf(X), Read(X)}) == 2


@dataclass(slots=True)
class Made(Hashed):
    one: int
    two: tuple[int, ...] = ()


hashed_once(Made)


def test_classes_get_methods_of_their_own() -> None:
    again = hashed_once(Made)
    for name in ("__init__", "__hash__", "__eq__", "__setstate__"):
        assert getattr(again, name).__qualname__ == f"Made.{name}"
        assert getattr(again, name).__globals__["kind"] == hash("Made")
    node, same = Made(1), Made(1, ())
    assert node == same
    assert hash(node) == hash(same) == node._hash
    assert node != Made(1, (2,))
