"""One line per output of the tool, with its hash: what a change that should change nothing leaves
equal.

    python -m benchmarks.frozen --write before.txt
    python -m benchmarks.frozen --compare before.txt
    python -m benchmarks.frozen --write before.txt --one-in 13

The whole takes about an hour on one core. Lines are written as they come, and a file that is there
already is continued; `--one-in` draws some of the runs, always the same ones.

For every example and every C file of the library's tests: the printed program, the report without
times, certificates and traces. Runs end at a number of steps, never at a time, so that the lines
are the same on every machine. `auto` runs on all files, every engine on the models of the papers.
A run that fails gives a line, too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import threadwise
from threadwise.core.budget import Budget
from threadwise.core.errors import ThreadwiseError
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.engines.auto import AUTO
from threadwise.engines.registry import ENGINES

ROOT = Path(__file__).parent.parent
AUTO_STEPS = 40_000
ENGINE_STEPS = 8_000
VARIES = ("time_s", "check_time_s", "peak_memory_bytes")
"""What differs from run to run."""


def tasks(patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The runs: a file and an engine each."""
    models = sorted(ROOT.glob("examples/**/*.tw"))
    programs = sorted([*ROOT.glob("examples/**/*.c"), *ROOT.glob("tests/library/*.c")])
    chosen = tuple(patterns)
    for path in [*models, *programs]:
        name = str(path.relative_to(ROOT))
        if chosen and not any(pattern in name for pattern in chosen):
            continue
        yield name, AUTO
        if path.suffix == ".tw" and path.parent.name.count("_") >= 1:
            for engine in ENGINES:
                yield name, engine


def drawn(every: Iterable[tuple[str, str]], one_in: int) -> list[tuple[str, str]]:
    """Some of the runs, by a hash of their names."""
    return [task for task in every if zlib.crc32(" ".join(task).encode()) % one_in == 0]


def left(every: Iterable[tuple[str, str]], known: Iterable[str]) -> list[tuple[str, str]]:
    """The runs that no line is about so far."""
    done = {tuple(line.split(" ")[:2]) for line in known}
    return [task for task in every if task not in done]


def lines(task: tuple[str, str]) -> list[str]:
    """The outputs of a run: which file, engine and output, and the hash."""
    name, engine = task
    found: dict[str, str] = {}
    try:
        if engine == AUTO:
            found["program"] = _program(name)
        found |= _outputs(name, engine)
    except ThreadwiseError as error:
        found["failure"] = f"{type(error).__name__}: {error}"
    return [f"{name} {engine} {output} {_hash(text)}" for output, text in found.items()]


def _program(name: str) -> str:
    from threadwise.ir.text.printer import print_program

    return print_program(threadwise.load(ROOT / name))


def _outputs(name: str, engine: str) -> dict[str, str]:
    steps = AUTO_STEPS if engine == AUTO else ENGINE_STEPS
    options = CheckOptions(engine=engine, budget=Budget(steps=steps))
    result = check_file(str(ROOT / name), options, in_process=True)
    found = {"report": json.dumps(_constant(threadwise.to_json(result)), sort_keys=True)}
    for checked in result.properties:
        if checked.trace is not None:
            found[f"trace:{checked.name}"] = repr(checked.trace.trace)
        if checked.certificate is not None:
            found[f"certificate:{checked.name}"] = _certificate(result, checked.name)
    return found


def _certificate(result: threadwise.Result, name: str) -> str:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        threadwise.write_certificate(result, path, name)
        return path.read_text()


def _constant(data: Any) -> Any:
    """A report without what differs from run to run, and without where this folder is."""
    if isinstance(data, dict):
        return {key: _constant(value) for key, value in data.items() if key not in VARIES}
    if isinstance(data, list):
        return [_constant(value) for value in data]
    return data.replace(f"{ROOT}/", "") if isinstance(data, str) else data


def _hash(text: str) -> str:
    return hashlib.sha256(text.replace(f"{ROOT}/", "").encode()).hexdigest()[:16]


def compare(before: list[str], after: list[str]) -> list[str]:
    """The lines that are not in both, by what they are about."""
    old, new = (dict(line.rsplit(" ", 1) for line in part) for part in (before, after))
    return [
        f"{key}: {old.get(key, 'missing')} -> {new.get(key, 'missing')}"
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    ]


def main() -> int:
    """Write the lines, or compare them with those of a file."""
    parser = argparse.ArgumentParser(description="Hashes of all outputs on all examples.")
    parser.add_argument("--write", type=Path, metavar="FILE")
    parser.add_argument("--compare", type=Path, metavar="FILE")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="a sample of the runs")
    parser.add_argument("pattern", nargs="*", help="only files whose names contain one of these")
    arguments = parser.parse_args()
    context = multiprocessing.get_context("fork")
    every = drawn(tasks(arguments.pattern), arguments.one_in)
    found: list[str] = []
    if arguments.write is not None and arguments.write.exists():
        found = arguments.write.read_text(encoding="utf-8").splitlines()
    with context.Pool(arguments.jobs, maxtasksperchild=20) as pool:
        for part in pool.imap(lines, left(every, found), chunksize=1):
            found += part
            if arguments.write is not None:
                with arguments.write.open("a", encoding="utf-8") as file:
                    file.writelines(f"{line}\n" for line in part)
    if arguments.compare is None:
        print(f"{len(found)} outputs")
        return 0
    differences = compare(arguments.compare.read_text().splitlines(), found)
    for difference in differences:
        print(difference)
    print(f"{len(found)} outputs, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
