"""What small C programs are lowered to, compared with golden files character by character.

Whatever the front end makes of a construct is in some of them: every step, its text and span, and
what is assumed. `UPDATE_GOLDEN=1` rewrites the files; each line that differs is a change of the
meaning of programs, to be argued for.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.golden.comparison import FOLDER, assert_golden
from threadwise.core.c_options import UnknownFunctions
from threadwise.core.doubts import SWITCHES, DoubtKind
from threadwise.core.source import SourceFile
from threadwise.frontends.c import load_c
from threadwise.frontends.c.lower import inlining
from threadwise.frontends.c.options import COptions
from threadwise.ir.check.validate import validate
from threadwise.ir.text.printer import print_program

ENTRIES = COptions(entry=("push", "look", "release"))
DOUBTS = frozenset({switch.value for switch in SWITCHES} | {DoubtKind.WEAK_ORDER.value})
STRICT = UnknownFunctions.STRICT
OPTIONS = {
    **{path.stem: COptions() for path in sorted((FOLDER / "lowered").glob("*.c"))},
    "early": COptions(doubts=DOUBTS),
    "ending-followed": COptions(lifetimes=True, doubts=DOUBTS),
    "entered": replace(ENTRIES, entry_init=("prepare",)),
    "entered-at_once": replace(ENTRIES, lifetimes=True),
    "memory-doubtful": COptions(doubts=DOUBTS),
    "procedures-all": COptions(),
    "reading-followed": COptions(lifetimes=True),
    "threads-failing": COptions(create_may_fail=True, lifetimes=True),
    "threads-doubtful": COptions(doubts=DOUBTS),
    "unknown-pure": COptions(pure=frozenset({"measure", "note", "find_device", "ratio"})),
    "unknown-strict": COptions(unknown_functions=STRICT),
}
"""By the name of the file, with what comes behind a dash: how it is read."""


def shown(name: str) -> str:
    """A program, with what its user is told."""
    path = f"{name.partition('-')[0]}.c"
    source = SourceFile(path, (FOLDER / "lowered" / path).read_text(encoding="utf-8"))
    found = load_c([source], OPTIONS[name])
    program = found.lowered.program
    assert validate(program) == []
    told = [f"assuming: {each}" for each in found.assumptions]
    told += [f"warning: {each.message}" for each in found.warnings]
    told += [f"doubt: {each.told}" for each in found.lowered.doubts]
    told += [f"any value: {span}" for span in sorted(map(str, found.lowered.approximated))]
    return "\n".join([*told, print_program(program), ""])


def test_programs_mean_what_they_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in OPTIONS:
        policy = inlining.EVERYTHING if name == "procedures-all" else inlining.Policy()
        monkeypatch.setattr(inlining, "POLICY", policy)
        assert_golden(f"lowered/{name}.ir", shown(name))
