"""Race proofs of C programs that were drawn or made wrong, against ThreadSanitizer and search.

    python -m benchmarks.mutated_c --results FILE [--programs 600] [--seconds 3600] [--jobs 2]
                                   [--random 300] [--oracles FILE]

The correct programs of `examples` are changed at random, one place each: a lock is not taken, or
another one is, or as a reader; it is given back a statement early; nobody joins or waits; an
atomic operation is a plain one. Others are drawn (`tests.property.c_idioms`): locks, ownership,
threads of threads, lists and tables, one of them wrong in half of the programs. Each is built
with `-fsanitize=thread` and run several times, with pauses at random before operations of the
thread library; `locksets` looks at it with its audit switched off. What it proves is searched.

Wrong is a proof of a program in which ThreadSanitizer or a search sees a race, or which was drawn
with one. "To be read" is one where ThreadSanitizer sees a race of two lines that no undecided pair
has, although another place is undecided: a location may be wrongly proved, or the run used a lock
that was freed before.
Results are kept, a line per program; what is there is not done again. With `--oracles` only
`locksets` is asked anew: what runs and searches showed about the same text is taken from the
results of an earlier version. The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import threadwise
from benchmarks.measuring import ROOT
from tests.property import c_idioms
from threadwise.proofs.base.locations import Side
from threadwise.results.verdict import Verdict

FOLDERS = ("c", "c_idioms", "c_races", "c_many", "c/programs", "c_servers")
RUNS = 6
PATIENCE_S = 10
CPU_S = 60
"""Seconds of processor time for a proof."""
SEARCH_S = 20
"""Seconds for a search of what is proved."""

NOISE = """
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static inline int noise(void)
{
    static __thread unsigned state;
    struct timespec pause = {0, 0};
    if (!state)
        state = (unsigned)(size_t)&state * 2654435761u + (unsigned)clock() + 1;
    state = state * 1664525u + 1013904223u;
    pause.tv_nsec = (state >> 16) % 400000;
    if (state >> 30)
        nanosleep(&pause, 0);
    return 0;
}
#define pthread_mutex_lock(m) (noise(), (pthread_mutex_lock)(m))
#define pthread_mutex_unlock(m) ((pthread_mutex_unlock)(m) | noise())
#define pthread_rwlock_rdlock(m) (noise(), (pthread_rwlock_rdlock)(m))
#define pthread_rwlock_wrlock(m) (noise(), (pthread_rwlock_wrlock)(m))
#define pthread_create(t, a, f, x) ((pthread_create)(t, a, f, x) | noise())
#define pthread_join(t, r) (noise(), (pthread_join)(t, r))
"""

Mutation = Callable[[list[str], random.Random], bool]
_TAKE = re.compile(r"^\s*pthread_(mutex|rwlock|spin)_(lock|rdlock|wrlock)\((.*)\);\s*$")
_GIVE = re.compile(r"^\s*pthread_(mutex|rwlock|spin)_unlock\((.*)\);\s*$")
_PLAIN = re.compile(r"^\s+[\w\->.\[\]*]+(\s*[-+|]?=[^=].*|\+\+|--);\s*$")
_JOIN = re.compile(r"^\s*pthread_join\(.*\);\s*$")
_WAIT = re.compile(r"^\s*(while\s*\(.*\)\s*)?(pthread_(cond|barrier)|sem)_wait\(.*\);\s*$")
_MUTEX = re.compile(r"pthread_mutex_(?:un)?lock\((&?[\w\->.]+)\)")
_ATOMIC = re.compile(r"\b_Atomic\b|\batomic_(?=int|bool|uint|long|size_t)")


def _drawn(lines: list[str], draw: random.Random, pattern: re.Pattern[str]) -> int | None:
    places = [number for number, line in enumerate(lines) if pattern.match(line)]
    return draw.choice(places) if places else None


def _not_taken(lines: list[str], draw: random.Random) -> bool:
    """A lock is neither taken nor given back."""
    at = _drawn(lines, draw, _TAKE)
    found = _TAKE.match(lines[at]) if at is not None else None
    if at is None or found is None:
        return False
    for later in range(at + 1, len(lines)):
        given = _GIVE.match(lines[later])
        if lines[later].startswith("}"):
            break
        if given and given[2] == found[3]:
            lines[at] = lines[later] = ";\n"
            return True
    return False


def _given_early(lines: list[str], draw: random.Random) -> bool:
    """A lock is given back one statement early."""
    at = _drawn(lines, draw, _GIVE)
    if at is None or at == 0 or not _PLAIN.match(lines[at - 1]):
        return False
    lines[at - 1], lines[at] = lines[at], lines[at - 1]
    return True


def _taken_late(lines: list[str], draw: random.Random) -> bool:
    """A lock is taken one statement late."""
    at = _drawn(lines, draw, _TAKE)
    if at is None or at + 1 == len(lines) or not _PLAIN.match(lines[at + 1]):
        return False
    lines[at + 1], lines[at] = lines[at], lines[at + 1]
    return True


def _as_reader(lines: list[str], draw: random.Random) -> bool:
    """A writer takes the lock as a reader."""
    places = [number for number, line in enumerate(lines) if "_wrlock(" in line]
    if not places:
        return False
    at = draw.choice(places)
    lines[at] = lines[at].replace("_wrlock(", "_rdlock(")
    return True


def _another_lock(lines: list[str], draw: random.Random) -> bool:
    """Another mutex is taken and given back."""
    names = sorted({name for line in lines for name in _MUTEX.findall(line)})
    at = _drawn(lines, draw, _TAKE)
    found = _MUTEX.search(lines[at]) if at is not None else None
    if at is None or found is None or len(names) < 2:
        return False
    other = draw.choice([name for name in names if name != found[1]])
    for later in range(at + 1, len(lines)):
        if lines[later].startswith("}"):
            return False
        if _GIVE.match(lines[later]) and f"({found[1]})" in lines[later]:
            for place in (at, later):
                lines[place] = lines[place].replace(f"({found[1]})", f"({other})")
            return True
    return False


def _left_out(pattern: re.Pattern[str]) -> Mutation:
    def change(lines: list[str], draw: random.Random) -> bool:
        at = _drawn(lines, draw, pattern)
        if at is None:
            return False
        lines[at] = ";\n"
        return True

    return change


def _plain(lines: list[str], draw: random.Random) -> bool:
    """What is atomic is plain."""
    places = [number for number, line in enumerate(lines) if _ATOMIC.search(line)]
    if not places:
        return False
    at = draw.choice(places)
    lines[at] = _ATOMIC.sub("", lines[at])
    return True


MUTATIONS: dict[str, Mutation] = {
    "not taken": _not_taken,
    "given early": _given_early,
    "taken late": _taken_late,
    "as reader": _as_reader,
    "another lock": _another_lock,
    "not joined": _left_out(_JOIN),
    "not waited": _left_out(_WAIT),
    "plain": _plain,
}


def mutant(path: Path, seed: int) -> tuple[str, str] | None:
    """A program made wrong, and how; None if no mutation applies."""
    draw = random.Random(f"{path.name} {seed}")
    text = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for name in draw.sample(list(MUTATIONS), len(MUTATIONS)):
        lines = list(text)
        if MUTATIONS[name](lines, draw):
            return name, "".join(lines)
    return None


# -- ThreadSanitizer ---------------------------------------------------------------------------


def races_seen(source: Path, folder: Path) -> set[tuple[int, int]] | None:
    """The lines of the races that runs show, smaller first; None if it does not compile."""
    (folder / "noise.h").write_text(NOISE, encoding="utf-8")
    program = folder / "program"
    command = ["gcc", "-O0", "-g", "-w", "-D_GNU_SOURCE", "-fsanitize=thread", "-include"]
    command += [str(folder / "noise.h"), str(source), "-o", str(program), "-pthread", "-lm"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return None
    seen: set[tuple[int, int]] = set()
    environment = {**os.environ, "TSAN_OPTIONS": "report_signal_unsafe=0 detect_deadlocks=0"}
    for _ in range(RUNS):
        seen |= set(_reported(_errors(program, folder, environment), source.name))
    return seen


def _errors(program: Path, folder: Path, environment: dict[str, str]) -> str:
    try:
        done = subprocess.run(
            [program],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return (late.stderr or b"").decode("utf-8", "replace")
    return done.stderr.decode("utf-8", "replace")


def _reported(errors: str, name: str) -> Iterator[tuple[int, int]]:
    own = re.compile(rf"#\d+ .*/{re.escape(name)}:(\d+)")
    for report in errors.split("=================="):
        if "data race" not in report.partition("\n\n")[0]:
            continue
        stacks = report.split("\n\n")[:2]
        lines = [int(match[1]) for stack in stacks if (match := own.search(stack))]
        if len(lines) == 2:
            yield min(lines), max(lines)


# -- ours --------------------------------------------------------------------------------------


def proved(path: Path, searched: str | None) -> dict[str, Any]:
    """What `locksets` proves, in a process of its own: the verdict, and lines that are open.

    What it proves is searched, unless it is known what a search says.
    """
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
        try:
            with os.fdopen(there, "w", encoding="utf-8") as out:
                json.dump(_looked_at(path, searched), out)
        finally:
            os._exit(0)
    os.close(there)
    with os.fdopen(here, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"verdict": "UNKNOWN", "why": "too long"}


def _looked_at(path: Path, searched: str | None) -> dict[str, Any]:
    result = threadwise.check(
        path, properties="races", engine="locksets", audit=False, in_process=True
    )
    told: dict[str, Any] = {"verdict": result.verdict.value, "defects": len(result.defects)}
    if result.verdict is Verdict.SAFE:
        told["searched"] = searched or _searched(path)
    for each in result.properties:
        part = each.part
        if part is not None and part.is_of_all_runs:
            told["proved"] = sum(location.is_proved for location in part.locations)
            pairs = [pair for location in part.locations for pair in location.undecided]
            told["open"] = sorted({(*_lines(pair.first), *_lines(pair.second)) for pair in pairs})
    return told


def _searched(path: Path) -> str:
    result = threadwise.check(
        path, properties="races", engine="explicit", time_limit=SEARCH_S, in_process=True
    )
    return result.verdict.value


def _lines(side: Side) -> tuple[int, int]:
    return (0, sys.maxsize) if side.span is None else (side.span.line, side.span.end_line)


def judged(row: dict[str, Any]) -> str:
    """What all say together."""
    seen = [tuple(lines) for lines in row["races"]]
    if row["verdict"] == "SAFE":
        racy = seen or row.get("racy") or row.get("searched") == "UNSAFE"
        return "WRONG" if racy else "proved"
    covered = (any(_is_of(lines, pair) for pair in row.get("open", ())) for lines in seen)
    if "open" in row and not all(covered):
        return "to be read"
    return "open with a race" if seen else "open"


def _is_of(lines: tuple[int, ...], pair: Sequence[int]) -> bool:
    first, first_end, second, second_end = pair
    return any(
        first <= one <= first_end and second <= other <= second_end
        for one, other in (lines, lines[::-1])
    )


@dataclass(frozen=True)
class Candidate:
    """A program to be looked at."""

    name: str
    kind: str
    """How it was made."""
    text: str
    racy: bool = False
    """It was drawn with a race."""

    @property
    def digest(self) -> str:
        """What tells its text from others."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def mutants(count: int) -> Iterator[Candidate]:
    """Examples that were made wrong; no text twice."""
    paths = [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / "examples" / folder).glob("*.c"))
        if not path.stem.endswith("_bug")
    ]
    known: set[tuple[str, str]] = set()
    for seed in range(count):
        for path in paths:
            made = mutant(path, seed)
            if made is not None and made not in known:
                known.add(made)
                yield Candidate(f"{path.relative_to(ROOT)} {seed}", *made)


def drawn(count: int) -> Iterator[Candidate]:
    """Random programs, right and wrong."""
    for seed in range(count):
        made = c_idioms.generate(seed)
        kind = "drawn right" if made.broken is None else "drawn wrong"
        yield Candidate(f"drawn {seed}", kind, made.text, made.broken is not None)


def tried(candidate: Candidate, known: dict[str, Any]) -> dict[str, Any]:
    """What becomes of one program, with an earlier row about the same text, if there is one."""
    told = {"name": candidate.name, "mutation": candidate.kind, "digest": candidate.digest}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        source = folder / "mutant.c"
        source.write_text(candidate.text, encoding="utf-8")
        seen = known["races"] if "races" in known else races_seen(source, folder)
        if seen is None:
            return {**told, "outcome": "not compiled"}
        found = proved(source, known.get("searched"))
        row = {**told, "races": sorted(seen), "racy": candidate.racy, **found}
    return {**row, "outcome": judged(row)}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The outcomes counted, by mutation, and what is wrong."""
    counted = Counter((row.get("mutation", ""), row["outcome"]) for row in rows)
    lines = [
        f"{count:5}  {mutation}: {what}" for (mutation, what), count in sorted(counted.items())
    ]
    read = ("WRONG", "to be read")
    lines += [f"{row['outcome']}: {row['name']}" for row in rows if row["outcome"] in read]
    return "\n".join(lines)


def looked_at(
    programs: Iterable[Candidate],
    oracles: dict[str, dict[str, Any]],
    jobs: int,
    seconds: float,
) -> Iterator[dict[str, Any]]:
    """What becomes of programs, several at a time, until the time is over."""
    started = time.monotonic()
    running: set[Future[dict[str, Any]]] = set()
    with ProcessPoolExecutor(jobs) as pool:
        for program in programs:
            running.add(pool.submit(tried, program, oracles.get(program.digest, {})))
            if len(running) == jobs:
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ended)
            if time.monotonic() - started > seconds:
                break
        yield from (future.result() for future in wait(running).done)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []


def main() -> int:
    """Look at programs that were not looked at, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=600)
    parser.add_argument("--random", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--oracles", type=Path, help="results of an earlier version")
    asked = parser.parse_args()
    rows = {row["name"]: row for row in _rows(asked.results)}
    earlier = _rows(asked.oracles) if asked.oracles else []
    oracles = {row["digest"]: row for row in earlier if "races" in row}
    programs = chain(drawn(asked.random), mutants(asked.programs))
    new = (each for each in programs if each.name not in rows)
    with asked.results.open("a", encoding="utf-8") as out:
        for row in looked_at(new, oracles, asked.jobs, asked.seconds):
            rows[row["name"]] = row
            print(json.dumps(row), file=out, flush=True)
            if sum("races" in row for row in rows.values()) >= asked.programs:
                break
    print(table(list(rows.values())))
    return int(any(row["outcome"] == "WRONG" for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
