"""Sparse affine spaces, compared with the dense ones on random operations."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from threadwise.analyses.affine import AffineSpace, unit
from threadwise.engines.tallies.equations import Form, Space, variable

NAMES = ("a", "b", "c", "d")


def dense_form(form: Form) -> tuple[tuple[Fraction, ...], Fraction]:
    return tuple(Fraction(form.factors.get(n, 0)) for n in NAMES), Fraction(form.constant)


def some_form(random: Random) -> Form:
    factors = {n: random.choice((-2, -1, 1, 2)) for n in NAMES if random.random() < 0.5}
    return Form(factors, random.randint(-3, 3))


def whole() -> AffineSpace:
    zero = (Fraction(0),) * len(NAMES)
    return AffineSpace(zero).along([unit(k, len(NAMES)) for k in range(len(NAMES))])


def same(sparse: Space, dense: AffineSpace) -> bool:
    """Whether the spaces have the same equations."""
    mine = list(sparse.equations())
    fits = all(dense.value(dense_form(Form(factors, constant))) == 0 for factors, constant in mine)
    return fits and len(mine) == len(list(dense.equations()))


def some_space(random: Random) -> tuple[Space, AffineSpace]:
    sparse, dense = Space(), whole()
    for _ in range(random.randint(0, 3)):
        form = some_form(random)
        now, then = sparse.where(form), dense.where(dense_form(form))
        assert (now is None) == (then is None)
        if now is not None and then is not None:
            sparse, dense = now, then
    return sparse, dense


@pytest.mark.parametrize("seed", range(40))
def test_both_kinds_of_spaces_agree(seed: int) -> None:
    random = Random(seed)
    sparse, dense = some_space(random)
    assert same(sparse, dense)
    other, other_dense = some_space(random)
    assert same(sparse.joined(other), dense.joined(other_dense))
    name = random.choice(NAMES)
    assert same(sparse.freed([name]), dense.freed(NAMES.index(name)))
    given = {n: some_form(random) if random.random() < 0.7 else None for n in NAMES[:2]}
    maps = {NAMES.index(n): None if f is None else dense_form(f) for n, f in given.items()}
    assert same(sparse.assigned(given), dense.image(maps))


def test_what_is_solved_for_is_gone_elsewhere() -> None:
    space = Space().where(variable("a").plus(variable("b"), -1))
    assert space is not None
    both = space.where(variable("b").plus(variable("c"), -1))
    assert both is not None
    assert both.value(variable("a").plus(variable("c"), -1)) == 0
    assert both.value(variable("a")) is None
