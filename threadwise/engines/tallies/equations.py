"""Linear equations between named quantities: affine spaces, by the equations that hold in them.

Karr's analysis with sparse rows. A space has rows `x = Σ factor·y + constant` in reduced echelon
form: no x of a row occurs in another one. Names that come last in the order are solved for first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

Number = int | Fraction
Factors = Mapping[str, Number]


@dataclass(frozen=True)
class Form:
    """A linear expression."""

    factors: Factors
    constant: Number = 0

    def plus(self, other: Form, factor: Number = 1) -> Form:
        """`self + factor * other`."""
        found = dict(self.factors)
        for name, value in other.factors.items():
            _add(found, name, factor * value)
        return Form(found, _whole(self.constant + factor * other.constant))

    def times(self, factor: Number) -> Form:
        """A multiple."""
        if not factor:
            return Form({})
        scaled = {name: _whole(value * factor) for name, value in self.factors.items()}
        return Form(scaled, _whole(self.constant * factor))

    def replaced(self, forms: Mapping[str, Form]) -> Form:
        """With other expressions for some names."""
        found = Form({n: v for n, v in self.factors.items() if n not in forms}, self.constant)
        for name, value in self.factors.items():
            if name in forms:
                found = found.plus(forms[name], value)
        return found


def variable(name: str) -> Form:
    """A single quantity."""
    return Form({name: 1})


@dataclass(frozen=True)
class Space:
    """An affine space."""

    rows: Mapping[str, Form] = field(default_factory=dict)

    def reduced(self, form: Form) -> Form:
        """A linear expression without what rows determine."""
        return form.replaced(self.rows) if self.rows.keys() & form.factors.keys() else form

    def where(self, form: Form) -> Space | None:
        """The points where an expression is 0; None if there are none."""
        left = self.reduced(form)
        if not left.factors:
            return None if left.constant else self
        name, factor = max(left.factors.items(), key=lambda item: item[0])
        return self._with(name, _solved(left, name, factor))

    def _with(self, name: str, value: Form) -> Space:
        rows = {
            known: row.replaced({name: value}) if name in row.factors else row
            for known, row in self.rows.items()
        }
        rows[name] = value
        return Space(rows)

    def freed(self, names: Iterable[str]) -> Space:
        """The space with any values of some quantities."""
        rows = dict(self.rows)
        for name in names:
            if name in rows:
                del rows[name]
                continue
            holder = next((known for known, row in rows.items() if name in row.factors), None)
            if holder is None:
                continue
            row = rows.pop(holder)
            equation = row.plus(variable(holder), -1)
            value = _solved(equation, name, equation.factors[name])
            for known, other in rows.items():
                if name in other.factors:
                    rows[known] = other.replaced({name: value})
        return Space(rows)

    def assigned(self, values: Mapping[str, Form | None]) -> Space:
        """The space after quantities are given expressions, at once; None: any value."""
        old = {name: variable(f"old {name}") for name in values}
        rows: dict[str, Form] = {}
        for name, row in self.rows.items():
            renamed = row.replaced(old)
            rows[f"old {name}" if name in values else name] = renamed
        space: Space | None = Space(rows)
        for name, value in values.items():
            if value is not None and space is not None:
                space = space.where(variable(name).plus(value.replaced(old), -1))
        assert space is not None
        return space.freed([f"old {name}" for name in values])

    def joined(self, other: Space) -> Space:
        """The least space with both: the equations that both have."""
        kept: dict[str, Form] = {}
        left: list[tuple[Form, Form]] = []
        for name, row in self.rows.items():
            equation = row.plus(variable(name), -1)
            residue = other.reduced(equation)
            if not residue.factors and not residue.constant:
                kept[name] = row
            else:
                left.append((residue, equation))
        space = Space(kept)
        for equation in _vanishing(left):
            found = space.where(equation)
            assert found is not None
            space = found
        return space

    def value(self, form: Form) -> Number | None:
        """What an expression is at all points, if it is the same."""
        left = self.reduced(form)
        return None if left.factors else left.constant

    def equations(self) -> Iterator[tuple[dict[str, int], int]]:
        """Integers: factors and a constant whose sum is 0; of a row the last name is its own."""
        ordered: Space | None = Space()
        for name in sorted(self.rows):
            assert ordered is not None
            ordered = ordered.where(self.rows[name].plus(variable(name), -1))
        assert ordered is not None
        for name in sorted(ordered.rows):
            equation = ordered.rows[name].plus(variable(name), -1)
            values = (*equation.factors.values(), equation.constant)
            scale = lcm(*(Fraction(value).denominator for value in values))
            factors = {n: int(v * scale) for n, v in sorted(equation.factors.items())}
            yield factors, int(equation.constant * scale)


def _vanishing(pairs: list[tuple[Form, Form]]) -> Iterator[Form]:
    """The combinations of second parts whose first parts cancel out."""
    pivots: list[tuple[str, Form, Form]] = []
    for residue, told in pairs:
        equation = told
        left = Form(dict(residue.factors))
        if residue.constant:
            left = left.plus(Form({"": residue.constant}))
        for name, known, behind in pivots:
            if name in left.factors:
                factor = -left.factors[name]
                left, equation = left.plus(known, factor), equation.plus(behind, factor)
        if left.factors:
            name = next(iter(left.factors))
            scale = Fraction(1) / left.factors[name]
            pivots.append((name, left.times(scale), equation.times(scale)))
        else:
            yield equation


def _solved(equation: Form, name: str, factor: Number) -> Form:
    """What a quantity is where an expression is 0."""
    rest = Form({n: v for n, v in equation.factors.items() if n != name}, equation.constant)
    return rest.times(Fraction(-1) / factor)


def _add(found: dict[str, Number], name: str, value: Number) -> None:
    total = _whole(found.get(name, 0) + value)
    if total:
        found[name] = total
    else:
        found.pop(name, None)


def _whole(value: Number) -> Number:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value
