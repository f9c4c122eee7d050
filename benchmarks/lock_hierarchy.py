"""Deadlocks of large programs: locks in a hierarchy, proved absent, and with one inversion found.

    python -m benchmarks.lock_hierarchy [--lines 2000 10000] [--locks 200]
    python -m benchmarks.lock_hierarchy --print --lines 10000 [--inverted]

A program has `--locks` mutexes in levels of one hierarchy, and functions that take one, work, and
go on to functions of higher levels while they hold it. Eight threads begin at functions of their
own. `--inverted` adds one function that takes two locks of the hierarchy the other way round.
Each program is given to `threadwise check --property deadlocks` as it is; times are those of the
whole command.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SEED = 22
THREADS = 8
LINES_OF_FUNCTION = 20
SAFE, UNSAFE = 0, 1


def function(number: int, lock: int, calls: list[int]) -> Iterator[str]:
    """A function that takes a lock and calls others while it has it."""
    yield f"static int work{number}(int v)\n{{\n    int sum = {number % 7}, i;"
    yield f"    if (v < 0)\n        return {number % 3};"
    yield f"    pthread_mutex_lock(&m{lock});"
    yield f"    for (i = 0; i < {2 + number % 3}; i++)\n        total{lock} += v + i;"
    yield f"    if (total{lock} > {100 + number}) {{\n        total{lock} = 0;"
    yield f"        pthread_mutex_unlock(&m{lock});\n        return sum;\n    }}"
    for other in calls:
        yield f"    sum += work{other}(v - {1 + other % 3});"
    yield f"    pthread_mutex_unlock(&m{lock});\n    return sum;\n}}"


def program(lines: int, locks: int, inverted: bool) -> str:
    """A program of about so many lines."""
    draw = random.Random(SEED)
    count = max(locks, lines // LINES_OF_FUNCTION)
    level = sorted(number % locks for number in range(count))
    text = ["#include <pthread.h>"]
    for lock in range(locks):
        text.append(f"static pthread_mutex_t m{lock} = PTHREAD_MUTEX_INITIALIZER;")
        text.append(f"static int total{lock};")
    calls: dict[int, list[int]] = {}
    for number in reversed(range(count)):
        later = [other for other in range(number + 1, count) if level[other] > level[number]]
        near = later[: 4 * count // locks]
        calls[number] = draw.sample(near, min(2, len(near)))
        text += function(number, level[number], calls[number])
    if inverted:
        first, last = level[0], level[calls[0][0]]
        text.append(f"static int inverted(int v)\n{{\n    pthread_mutex_lock(&m{last});")
        text.append(f"    pthread_mutex_lock(&m{first});\n    total{first} += total{last} + v;")
        text.append(f"    pthread_mutex_unlock(&m{first});\n    pthread_mutex_unlock(&m{last});")
        text.append("    return v;\n}")
    for thread in range(THREADS):
        begin = thread * count // THREADS
        called = range(begin, min(count, begin + count // THREADS))
        text.append(f"static void *thread{thread}(void *argument)\n{{\n    int v = {thread + 3};")
        text += [f"    v += work{number}(v);" for number in called]
        text += ["    v += inverted(v);"] if inverted and thread == THREADS - 1 else []
        text.append("    return argument;\n}")
    text.append(f"int main(void)\n{{\n    pthread_t t[{THREADS}];")
    text += [f"    pthread_create(&t[{k}], 0, thread{k}, 0);" for k in range(THREADS)]
    text += [f"    pthread_join(t[{k}], 0);" for k in range(THREADS)]
    text.append("    return 0;\n}")
    return "\n".join(text) + "\n"


def measure(text: str, limit: int) -> tuple[float, float, int, str]:
    """Wall and CPU seconds, exit code, and the first line of the answer."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "hierarchy.c")
        file.write_text(text)
        command = [sys.executable, "-m", "threadwise", "check", "--property", "deadlocks"]
        begin, used = time.monotonic(), _cpu()
        ended = subprocess.run(
            [*command, "--time-limit", str(limit), str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        lines = ended.stdout.splitlines()
    said = next((line for line in lines if "deadlocks" in line), "nothing")
    return time.monotonic() - begin, _cpu() - used, ended.returncode, said


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Measure, or print a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, nargs="+", default=[2_000, 10_000])
    parser.add_argument("--locks", type=int, default=200)
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--inverted", action="store_true")
    parser.add_argument("--print", action="store_true")
    chosen = parser.parse_args()
    if chosen.print:
        sys.stdout.write(program(chosen.lines[0], chosen.locks, chosen.inverted))
        return 0
    wrong = 0
    print(" lines  inverted  wall s  CPU s  answer")
    for lines in chosen.lines:
        for inverted in (False, True):
            text = program(lines, chosen.locks, inverted)
            wall, cpu, code, said = measure(text, chosen.limit)
            wrong += code != (UNSAFE if inverted else SAFE)
            told = f"{text.count(chr(10)):6}  {'yes' if inverted else 'no':8}"
            print(f"{told}  {wall:6.1f}  {cpu:5.1f}  {said}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
