"""A program of many calls: how long until a proof by locksets, or a walk, takes its first step.

    python benchmarks/many_calls.py [--lines 4000] [--print]

The program has about so many lines, in functions of a few statements that call others below them,
the lowest under the lock of what they are given; two threads run it. On the paths of each there
are five times as many call sites as lines.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

LINES_OF_A_FUNCTION = 12
DEPTH = 4
CALLS = 6


def program(lines: int) -> str:
    """The text of the program."""
    width = max(1, lines // (LINES_OF_A_FUNCTION * DEPTH))
    return "\n".join(_text(width)) + "\n"


def _text(width: int) -> Iterator[str]:
    yield "#include <pthread.h>"
    yield "struct cell { pthread_mutex_t m; int n; int k; };"
    yield f"struct cell cells[{width}];"
    for level in range(DEPTH):
        for number in range(width):
            yield from _function(level, number, width)
    tops = [f"    f{DEPTH - 1}_{number}(&cells[{number}], {number});" for number in range(width)]
    yield "void *work(void *p)\n{"
    yield from tops
    yield "    return 0;\n}"
    yield "int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, work, 0);"
    yield from tops
    yield "    pthread_join(t, 0);\n    return 0;\n}"


def _function(level: int, number: int, width: int) -> Iterator[str]:
    yield f"static void f{level}_{number}(struct cell *p, int n)\n{{"
    yield "    int own = n + 1;"
    if level == 0:
        yield "    pthread_mutex_lock(&p->m);"
        yield "    p->n += own;"
        yield "    if (p->n > 100)"
        yield "        p->k = 0;"
        yield "    pthread_mutex_unlock(&p->m);"
    else:
        for by in range(CALLS - 1):
            yield f"    f{level - 1}_{(number * 3 + by) % width}(p, own + {by});"
        yield "    if (own > 7)"
        yield f"        f{level - 1}_{(number + 11) % width}(p, own);"
    yield "    own = own * 2;\n}"


def first_step(text: str, engine: str) -> tuple[float, int]:
    """The CPU seconds from the text to the first step of an engine, and the program's size."""
    from threadwise.core.budget import UNLIMITED, Meter
    from threadwise.core.source import SourceFile
    from threadwise.driver.loading import load_c
    from threadwise.engines.api import Task
    from threadwise.engines.registry import ENGINES
    from threadwise.frontends.c.options import COptions

    class Begun(Exception):  # noqa: N818 - the end of the measurement
        pass

    class Stopping(Meter):
        def check(self) -> None:
            raise Begun

    begin = time.process_time()
    loaded = load_c([SourceFile("calls.c", text)], COptions()).program
    races = tuple(p for p in loaded.properties if p.name == "races")
    task = Task(loaded, races, meter=Stopping(UNLIMITED))
    with suppress(Begun):
        next(iter(ENGINES[engine].create().run(task)), None)
    return time.process_time() - begin, len(loaded.edges)


def main() -> None:
    """Measure, or print the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=4_000)
    parser.add_argument("--print", action="store_true")
    chosen = parser.parse_args()
    text = program(chosen.lines)
    if chosen.print:
        sys.stdout.write(text)
        return
    lines = len(text.splitlines())
    width = max(1, chosen.lines // (LINES_OF_A_FUNCTION * DEPTH))
    sites = width * sum(CALLS**level for level in range(DEPTH))
    print(f"{lines} lines, {sites} call sites on the paths of each of two threads")
    for engine in ("locksets", "walks"):
        seconds, edges = first_step(text, engine)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{engine}: {seconds:.1f} s to the first step, {edges} edges, {memory} MB")


if __name__ == "__main__":
    main()
