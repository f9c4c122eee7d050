"""Proofs by formulas with ghosts, for people: what was exposed and why, and small formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.core.words import count
from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.types import NONE, EnumType, TidType, Value
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.inductive.certificate import CellTest, Conjunct, FormulaCertificate, Ghost


def explain_inductive(
    program: Program, certificate: FormulaCertificate
) -> Iterator[ThreadExplanation]:
    """What threads show each other, and the formulas."""
    explainer = FormulaExplainer(program, certificate)
    lines = (*explainer.exposed(), *explainer.formulas())
    yield ThreadExplanation("what threads show each other", (), (), (), notes=lines)


def summarise_inductive(certificate: FormulaCertificate) -> ProofSummary:
    """How many formulas and ghosts there are."""
    size = len(certificate.conjuncts)
    ghosts = sum(v is not None for g in certificate.ghosts for v in g.values)
    return ProofSummary(size, f"{count(size, 'inductive formula')} with {count(ghosts, 'ghost')}")


MOST_CASES = 24
"""Formulas with more cases than this are not written out."""
MOST_FORMULAS = 12


class FormulaExplainer:
    """Explains one certificate."""

    def __init__(self, program: Program, certificate: FormulaCertificate) -> None:
        self.program = program
        self.certificate = certificate
        self.layout = ProgramLayout.of(program)
        self.numbers = self.layout.numbers

    def exposed(self) -> list[str]:
        """What was exposed, and why."""
        if not self.certificate.ghosts:
            return ["nothing was exposed: what threads see of each other is enough"]
        claimed = ", ".join(f"`{name}`" for name in self.certificate.properties)
        lines: list[str] = []
        for template in dict.fromkeys(ghost.template for ghost in self.certificate.ghosts):
            mine = [g for g in self.certificate.ghosts if g.template == template]
            told = list(dict.fromkeys(self.predicate(ghost) for ghost in mine))
            count = sum(v is not None for g in mine for v in g.values)
            places = [self.predicate(g) for g in mine if g.cell is None]
            cells = [self.predicate(g) for g in mine if g.cell is not None]
            known = [
                f"{verb} {' or '.join(dict.fromkeys(of))}"
                for verb, of in (("is", places), ("has", cells))
                if of
            ]
            lines.append(
                f"thread-modular checking alone cannot prove {claimed}: threads need to know "
                f"whether another `{template}` {', and whether it '.join(known)}"
            )
            shown = ", ".join(f"`{text}`" for text in told)
            lines.append(f"exposed for each `{template}` thread, {count} in all: {shown}")
        return lines

    def predicate(self, ghost: Ghost) -> str:
        """A predicate as a person would write it."""
        values = list(dict.fromkeys(v for v in ghost.values if v is not None))
        if ghost.cell is None:
            return " or ".join(f"at {self._place(value)}" for value in values)
        cell = self._own_cells(ghost.template)[ghost.cell]
        return " or ".join(f"{cell.name} == {self._value(cell, value)}" for value in values)

    def formulas(self) -> Iterator[str]:
        """The conjuncts that are short enough, each as the cases in which it holds."""
        conjuncts = self.certificate.conjuncts
        for claimed in conjuncts[:MOST_FORMULAS]:
            cases = self._cases(claimed)
            about = ", ".join(self._name(t) for t in claimed.threads)
            if cases is not None:
                yield f"about {about}, one of:"
                yield from (f"    {case}" for case in cases)
        if len(conjuncts) > MOST_FORMULAS:
            yield f"… and {len(conjuncts) - MOST_FORMULAS} further formulas"

    def _name(self, t: int) -> str:
        name = self.numbers.name(t)
        if self.numbers.templates[t] in self.certificate.alike:
            return f"{name} (for any)"
        return name

    def _cases(self, claimed: Conjunct) -> list[str] | None:
        """The paths to true; None if there are too many."""
        found: list[str] = []
        pending: list[tuple[int, tuple[str, ...]]] = [(claimed.root, ())]
        while pending:
            node, known = pending.pop()
            if node == 1:
                found.append(" && ".join(dict.fromkeys(known)) or "true")
                if len(found) > MOST_CASES:
                    return None
            elif node > 1:
                decision = self.certificate.decisions[node - 2]
                test = self.certificate.tests[decision.test]
                pending.append((decision.otherwise, (*known, self._test(test, holds=False))))
                pending.append((decision.then, (*known, self._test(test, holds=True))))
        return found

    def _test(self, test: CellTest, *, holds: bool) -> str:
        match test.kind:
            case "ghost":
                ghost = self.certificate.ghosts[test.slot]
                told = f"{self.numbers.name(test.thread)} {self.predicate(ghost)}"
                return told if holds == bool(test.value) else f"!({told})"
            case "location":
                told = f"{self.numbers.name(test.thread)} at {self._place(test.value)}"
                return told if holds else f"!({told})"
            case "own":
                owner = f"{self.numbers.name(test.thread)}."
                cell = self._own_cells(self.numbers.templates[test.thread])[test.slot]
                return self._compared(cell, test.value, owner, holds)
            case _:
                cell = self.layout.globals.cells[test.slot]
                return self._compared(cell, test.value, "", holds)

    def _compared(self, cell: Cell, value: Value, prefix: str, holds: bool) -> str:
        if isinstance(value, bool):
            return f"{'' if holds == value else '!'}{prefix}{cell.name}"
        return f"{prefix}{cell.name} {'==' if holds else '!='} {self._value(cell, value)}"

    def _own_cells(self, template: str) -> Sequence[Cell]:
        body = self.program.template[template].body
        return (*self.layout.thread[template].cells, *self.layout.local[body].cells)

    def _value(self, cell: Cell, value: Value) -> str:
        if isinstance(cell.type, TidType) and isinstance(value, int):
            return "none" if value == NONE else self.numbers.name(value)
        if isinstance(cell.type, EnumType) and isinstance(value, int):
            return cell.type.members[value]
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _place(self, value: Value) -> str:
        assert isinstance(value, int)
        location = self.program.locations[value]
        if location.labels:
            return location.labels[0]
        return f"line {location.span.line}" if location.span is not None else str(value)
