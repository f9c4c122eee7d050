"""Random C programs of one thread with recursion, unions and, if asked for, floating point.

Recursion is bounded by a parameter that becomes smaller. Of unions the member is read that was
written last, so that values are those of C everywhere. With `opaque`, other members of the same
size and floating point come in: what our meaning leaves open. Floating-point numbers are
converted to integers where these can hold them.
"""

from __future__ import annotations

from tests.property.c_programs import Generator, Scope

_UNION = "union mix { int i; unsigned u; long l; short h; struct { signed char lo, hi; } c; };"
_MEMBERS = ("i", "u", "l", "h", "c.lo", "c.hi")


class WideGenerator(Generator):
    """One random program."""

    def __init__(self, seed: int, *, opaque: bool) -> None:
        super().__init__(seed)
        self.opaque = opaque
        self.recursive: list[str] = []
        self.unions: list[str] = []
        self.floats: list[str] = []

    def program(self) -> str:
        """The text, with what is new in front."""
        parts = [_UNION]
        for _ in range(self.random.randint(1, 2)):
            name = self.fresh("u")
            parts.append(f"union mix {name};")
            self.unions.append(name)
        if self.opaque:
            for held in ("double", "float"):
                name = self.fresh("d")
                parts.append(f"{held} {name} = {self.random.randint(-9, 9)}.5;")
                self.floats.append(name)
        parts.append("int depth;")
        self.shared.scalars.append("depth")
        for _ in range(self.random.randint(1, 2)):
            parts.append(self._recursion())
        return "\n".join([*parts, super().program()])

    def _recursion(self) -> str:
        """A function that calls itself once or twice, and what it does on the way."""
        name = self.fresh("r")
        scope = Scope([*self.shared.scalars, "acc"], ["n"], list(self.shared.arrays))
        before, after = self.statement(scope, 1), self.statement(scope, 1)
        again = f"{name}(n - 1, acc + {self.random.randint(1, 9)})"
        if self.random.random() < 0.5:
            again = f"{again} * 3 - {name}(n - 2, {self.expression(scope, 1)})"
        self.recursive.append(name)
        return (
            f"long {name}(int n, long acc) {{ if (n <= 0) return acc ^ {self.number()};\n"
            f"{before}\nlong below = {again};\n{after}\nreturn below + acc; }}"
        )

    def statement(self, scope: Scope, depth: int) -> str:
        """A statement, of the new kinds now and then."""
        roll = self.random.random()
        if roll < 0.12 and self.recursive:
            name, place = self.random.choice(self.recursive), self.random.choice(scope.scalars)
            bound = f"(({self.expression(scope, 1)}) & 3)"
            return f"{place} = {name}({bound}, {self.expression(scope, 1)});"
        if roll < 0.27 and self.unions:
            return self._union(scope)
        if roll < 0.42 and self.floats:
            return self._float(scope)
        return super().statement(scope, depth)

    def _union(self, scope: Scope) -> str:
        name, member = self.random.choice(self.unions), self.random.choice(_MEMBERS)
        place = self.random.choice(scope.scalars)
        read = member
        if self.opaque and self.random.random() < 0.5:
            read = {"i": "u", "u": "i"}.get(member, member)
        other = f" {name}.{member} += {self.number()};" if self.random.random() < 0.4 else ""
        written = f"{name}.{member} = {self.expression(scope, 2)};{other}"
        return f"{{ {written} {place} = {name}.{read}; }}"

    def _float(self, scope: Scope) -> str:
        name, place = self.random.choice(self.floats), self.random.choice(scope.scalars)
        operator = self.random.choice(("+", "-", "*"))
        factor = self.random.choice(("0.5", "1.25f", "0.1", "-3.0"))
        changed = (
            f"{name} = {name} {operator} ((int)({self.expression(scope, 1)}) % 99) * {factor};"
        )
        back = f"{place} = {name} > -1e6 && {name} < 1e6 ? (long)({name} * 8) : 7;"
        return f"{{ {changed} {back} }}"


def generate_wide(seed: int, *, opaque: bool = False) -> str:
    """The program of a seed: defines `unsigned long run(void)`."""
    return WideGenerator(seed, opaque=opaque).program()
