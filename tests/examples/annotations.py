"""What the examples say about themselves.

// expect assertions: SAFE          the verdict for a value of --property
// states: 20                       the number of reachable states
// states -D N=8: 4352              the same with other constants
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from threadwise.evidence.verdict import Verdict

FOLDER = Path(__file__).parents[2] / "examples"
DATA = FOLDER / "data"
"""Programs with data without bound and any number of threads: not for explicit search."""
FILES = sorted(path for path in FOLDER.rglob("*.tw") if path.parent != DATA)
NAMES = [str(path.relative_to(FOLDER)) for path in FILES]

_EXPECT = re.compile(r"// expect (?P<selector>[^:]+): (?P<verdict>\w+)")
_STATES = re.compile(r"// states(?P<defines>(?: -D \w+=\w+)*): (?P<count>\d+)")


@dataclass(frozen=True)
class Annotations:
    """The annotations of one file."""

    verdicts: dict[str, Verdict]
    states: dict[tuple[tuple[str, str], ...], int]
    """Numbers of states, by the constants they hold for."""


def read_annotations(path: Path) -> Annotations:
    """The annotations of a file; a comment that looks like one but is none is an error."""
    verdicts: dict[str, Verdict] = {}
    states: dict[tuple[tuple[str, str], ...], int] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if expect := _EXPECT.fullmatch(line.strip()):
            verdicts[expect["selector"]] = Verdict(expect["verdict"])
        elif counted := _STATES.fullmatch(line.strip()):
            defines = re.findall(r"-D (\w+)=(\w+)", counted["defines"])
            states[tuple(defines)] = int(counted["count"])
        elif line.startswith("// expect"):
            raise ValueError(f"{path}: not an annotation: {line}")
    return Annotations(verdicts, states)
