"""All engines against each other, and forged proofs, on corpora of random programs.

    python -m benchmarks.corpora --results FILE [--models 3000] [--c 1000] [--heap 1000]
                                 [--carried 12000]
                                 [--families 1000] [--accepted 500]
                                 [--reduction 2000] [--summaries 2000] [--merged 2000]
                                 [--seconds 3600]

models      programs that loop, call, start and join threads: engines against each other and
            against brute force (`tests.property.engine_agreement`)
c           C with threads, a heap, and locks of all kinds: engines against each other
heap        C whose first thread sets up objects and lists: engines that resolve memory, and start
            behind these steps, against explicit search
carried     proofs of safe programs as proofs of variants that are not safe: none is accepted
            (`tests.property.carried_proofs`); counted are the proofs, not the programs
families    the same for pairs of programs about each kind of proof and each transformation
            (`tests.property.carried_families`)
accepted    proofs of safe programs, changed at random: what checkers accept holds in runs
            (`tests.property.accepted_mutants`); counted are those accepted
reduction   programs about transactions, recursion among them: the engine of that name against
summaries   explicit search, every answer of every property, and its proofs broken
            (`tests.property.transaction_engines`); not counted are programs too large for that
merged      summaries that search without stacks as soon as possible, likewise

Each program runs in a process of its own, engines have budgets of steps, and a program that takes
longer than `PATIENCE` is named, not counted. Results are kept, a line per program; what is there
is not run again. The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.property import (
    accepted_mutants,
    c_heap_setup,
    c_heap_threads,
    c_threads,
    carried_families,
    test_heap_setup,
    test_reduction,
    test_summaries,
)
from tests.property.carried_proofs import attempts
from tests.property.test_all_engines import compare
from tests.property.test_all_engines_c import compared
from tests.property.transaction_engines import Method
from threadwise.engines.registry import ENGINES

PATIENCE = 60
"""Seconds of processor time for a program."""
C_STEPS = 3_000
LARGE = 20
"""One program in so many is a large one."""
ROUNDS = 9
"""How often each carried proof is changed at random."""
BROKEN = 3
"""How often each proof by transactions is broken at random."""


def _models(seed: int) -> Counter[str]:
    return compare([seed])


def _c(seed: int) -> Counter[str]:
    large = seed % LARGE == 0
    text = c_threads.generate(seed) if large else c_heap_threads.generate(seed)
    return compared(text, C_STEPS, tuple(ENGINES))


def _heap(seed: int) -> Counter[str]:
    return compared(c_heap_setup.generate(seed), C_STEPS, test_heap_setup.ENGINES)


def _carried(seed: int) -> Counter[str]:
    return attempts(seed, rounds=ROUNDS)


def _families(seed: int) -> Counter[str]:
    return carried_families.attempts(seed, BROKEN)


def _transactions(
    method: Method[Any], program_of: Callable[[int], str], seed: int
) -> Counter[str]:
    """What an engine over transactions says, as explicit search does; nothing if it cannot."""
    found = method.compared(program_of(seed))
    if found is None:
        return Counter()
    method.break_certificates(found, random.Random(seed), BROKEN)
    return Counter({f"{kind} {said}": count for (kind, said), count in found.answers.items()})


CORPORA: dict[str, tuple[Callable[[int], Counter[str]], int]] = {
    "models": (_models, 0),
    "c": (_c, 1000),
    "heap": (_heap, 1000),
    "carried": (_carried, 100),
    "families": (_families, 0),
    "accepted": (accepted_mutants.attempts, 0),
    "reduction": (partial(_transactions, test_reduction.METHOD, test_reduction.program_of), 6),
    "merged": (partial(_transactions, test_summaries.MERGED, test_summaries.program_of), 6),
    "summaries": (partial(_transactions, test_summaries.METHOD, test_summaries.program_of), 6),
}
"""What is done with a seed, and the first one: those of the nightly tests."""


PROOFS = ("carried", "families", "accepted")
"""Corpora of proofs, of which one program has several."""


def prepare() -> None:
    """Load what all programs need, before processes are forked."""
    for corpus, (look, first) in CORPORA.items():
        if corpus not in PROOFS:
            look(first + 1)


def result(corpus: str, seed: int) -> dict[str, Any]:
    """What a program of a corpus gives, in a process of its own."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 5))
        try:
            told = _told(corpus, seed)
            with os.fdopen(there, "w", encoding="utf-8") as out:
                json.dump(told, out)
        finally:
            os._exit(0)
    os.close(there)
    with os.fdopen(here, encoding="utf-8") as lines:
        text = lines.read()
    os.waitpid(child, 0)
    found = json.loads(text) if text else {"unfinished": True}
    return {"corpus": corpus, "seed": seed, **found}


def _told(corpus: str, seed: int) -> dict[str, Any]:
    started = time.process_time()
    try:
        told: dict[str, Any] = {"answers": CORPORA[corpus][0](seed)}
    except Exception as error:
        told = {"wrong": f"{type(error).__name__}: {error}"}
    return {**told, "seconds": round(time.process_time() - started, 2)}


def done(rows: list[dict[str, Any]], corpus: str) -> int:
    """How much of a corpus has been looked at."""
    ours = [row for row in rows if row["corpus"] == corpus and "unfinished" not in row]
    if corpus in PROOFS:
        return sum(sum(row.get("answers", {}).values()) for row in ours)
    if corpus in ("reduction", "summaries", "merged"):
        return sum(bool(row.get("answers")) for row in ours)
    return len(ours)


def _turns(rows: list[dict[str, Any]], wanted: dict[str, int]) -> Iterator[tuple[str, int]]:
    """What to do next: the corpus of which the smallest share is done."""
    known = {(row["corpus"], row["seed"]) for row in rows}
    seeds = {corpus: first for corpus, (_, first) in CORPORA.items()}
    while True:
        left = [(done(rows, name) / count, name) for name, count in wanted.items() if count]
        if not left or min(left)[0] >= 1:
            return
        corpus = min(left)[1]
        while (corpus, seeds[corpus]) in known:
            seeds[corpus] += 1
        yield corpus, seeds[corpus]
        known.add((corpus, seeds[corpus]))


def summary(rows: list[dict[str, Any]]) -> str:
    """How much was done, and what is wrong."""
    lines = []
    for corpus in CORPORA:
        ours = [row for row in rows if row["corpus"] == corpus]
        wrong = sum("wrong" in row for row in ours)
        over = sum("unfinished" in row for row in ours)
        seconds = sum(row.get("seconds", 0) for row in ours)
        lines.append(
            f"{corpus}: {done(rows, corpus)} done from {len(ours)} programs in {seconds:.0f} s, "
            f"{wrong} wrong, {over} not finished"
        )
        total: Counter[str] = Counter()
        for row in ours:
            total.update(row.get("answers", {}))
        lines.append("  " + ", ".join(f"{name} {count}" for name, count in sorted(total.items())))
    lines += [f"{r['corpus']} {r['seed']}: {r['wrong']}" for r in rows if "wrong" in r]
    return "\n".join(lines)


def main() -> int:
    """Go on with the corpora."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--models", type=int, default=3_000)
    parser.add_argument("--c", type=int, default=1_000)
    parser.add_argument("--heap", type=int, default=1_000)
    parser.add_argument("--carried", type=int, default=12_000)
    parser.add_argument("--families", type=int, default=1_000)
    parser.add_argument("--accepted", type=int, default=500)
    parser.add_argument("--reduction", type=int, default=2_000)
    parser.add_argument("--summaries", type=int, default=2_000)
    parser.add_argument("--merged", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=3600.0)
    options = parser.parse_args()
    path = options.results
    rows = [json.loads(line) for line in path.open()] if path.exists() else []
    wanted = {name: getattr(options, name) for name in CORPORA}
    started = time.monotonic()
    prepare()
    with path.open("a", encoding="utf-8") as out:
        for corpus, seed in _turns(rows, wanted):
            if time.monotonic() - started > options.seconds:
                break
            rows.append(result(corpus, seed))
            print(json.dumps(rows[-1]), file=out, flush=True)
    print(summary(rows))
    return int(any("wrong" in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
