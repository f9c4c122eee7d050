"""Formula certificates as JSON."""

from __future__ import annotations

from threadwise.core.documents import Json, as_integer, as_position, as_text
from threadwise.proofs.inductive.certificate import (
    CellTest,
    Conjunct,
    Decision,
    FormulaCertificate,
    Ghost,
)
from threadwise.semantics.json import value_from_json, value_to_json


def write_inductive(certificate: FormulaCertificate) -> dict[str, Json]:
    """Ghosts, tests, decisions and conjuncts."""
    return {
        "ghosts": [
            [ghost.template, ghost.cell, [value_to_json(value) for value in ghost.values]]
            for ghost in certificate.ghosts
        ],
        "alike": list(certificate.alike),
        "tests": [
            [test.kind, test.thread, test.slot, value_to_json(test.value)]
            for test in certificate.tests
        ],
        "decisions": [list(decision) for decision in certificate.decisions],
        "conjuncts": [[list(claimed.threads), claimed.root] for claimed in certificate.conjuncts],
    }


def read_inductive(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> FormulaCertificate:
    """A formula certificate."""
    return FormulaCertificate(
        program_hash,
        properties,
        tuple(
            Ghost(
                as_text(template),
                None if cell is None else as_position(cell),
                tuple(value_from_json(value) for value in values),
            )
            for template, cell, values in data["ghosts"]
        ),
        tuple(map(as_text, data["alike"])),
        [
            CellTest(as_text(kind), as_integer(thread), as_position(slot), value_from_json(value))
            for kind, thread, slot, value in data["tests"]
        ],
        [Decision(*map(as_position, row)) for row in data["decisions"]],
        [
            Conjunct(tuple(as_position(t) for t in threads), as_position(root))
            for threads, root in data["conjuncts"]
        ],
    )
