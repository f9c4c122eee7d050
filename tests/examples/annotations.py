"""What the examples say about themselves.

// expect assertions: SAFE          the verdict for a value of --property
// expect -D X races: UNSAFE        the same with a macro defined (programs in C)
// beside main.c pool.c            the other files of the program (read by benchmarks.native_bugs)
// states: 20                       the number of reachable states
// states -D N=8: 4352              the same with other constants
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from threadwise.results.verdict import Verdict

FOLDER = Path(__file__).parents[2] / "examples"
DATA = FOLDER / "data"
"""Programs with data without bound and any number of threads: not for explicit search."""
FILES = sorted(path for path in FOLDER.rglob("*.tw") if path.parent != DATA)
NAMES = [str(path.relative_to(FOLDER)) for path in FILES]
C_FILES = sorted((FOLDER / "c").glob("*.c"))
MANY_FILES = sorted((FOLDER / "c_many").glob("*.c"))
HEAP_FILES = sorted((FOLDER / "c_heap").glob("*.c"))
NUMBER_FILES = sorted((FOLDER / "c_numbers").glob("*.c"))
RACE_FILES = sorted((FOLDER / "c_races").glob("*.c"))
IDIOM_FILES = sorted((FOLDER / "c_idioms").glob("*.c"))
CHECK_FILES = sorted((FOLDER / "c_checks").glob("*.c"))
CLASSIC_FILES = sorted((FOLDER / "c_classics").glob("*.c"))

_EXPECT = re.compile(r"// expect (?P<selector>[^:]+): (?P<verdict>\w+)")
_CASE = re.compile(r"// expect(?P<defines>(?: -D \S+)*) (?P<selector>[a-z]+): (?P<verdict>[A-Z]+)")
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


@dataclass(frozen=True)
class Case:
    """A program in C with some macros defined, and the verdicts it should have."""

    path: Path
    defines: tuple[str, ...]
    verdicts: dict[str, Verdict]

    def __str__(self) -> str:
        return " ".join((self.path.name, *(f"-D {define}" for define in self.defines)))


def read_cases(path: Path) -> list[Case]:
    """The cases of a program in C, the one without macros first; a wrong comment is an error."""
    cases: dict[tuple[str, ...], Case] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if expect := _CASE.fullmatch(line):
            defines = tuple(expect["defines"].split(" -D ")[1:])
            case = cases.setdefault(defines, Case(path, defines, {}))
            case.verdicts[expect["selector"]] = Verdict(expect["verdict"])
        elif line.startswith("// expect"):
            raise ValueError(f"{path}: not an annotation: {line}")
    return sorted(cases.values(), key=lambda case: bool(case.defines))
