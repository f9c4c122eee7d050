"""Time of a race proof against lines: `locksets` on generated programs of four styles.

    python benchmarks/locksets_scaling.py [--lines 500 1500 5000 20000] [--style flat heap]
    python benchmarks/locksets_scaling.py --print heap --lines 500

    flat        global variables, in groups with a lock each, and functions that update one group
    heap        objects with their locks, allocated before the threads start, and their methods
    lists       lists and tables of nodes, one lock each, with insertion, search and removal
    callbacks   handlers behind function pointers in a table, called by one dispatcher per module

Every style grows by modules of about 40 lines, which two threads go through. Times are CPU
seconds, from the text to the checked certificate; the exponent is that of the power law that fits
them best, and the plot has logarithmic scales. Each program is measured in a process of its own.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

SIZES = (500, 1_500, 5_000, 20_000)
HEAD = "#include <pthread.h>\n#include <stdlib.h>\n"


def flat(number: int) -> Iterator[str]:
    """Global variables under a lock."""
    names = [f"g{number}_{k}" for k in range(6)]
    yield f"static pthread_mutex_t m{number} = PTHREAD_MUTEX_INITIALIZER;"
    yield f"static int {', '.join(names)};"
    for k, name in enumerate(names[:-1]):
        yield f"static void set{number}_{k}(int v)\n{{"
        yield f"    pthread_mutex_lock(&m{number});"
        yield f"    if ({name} < v)\n        {name} = v;\n    else"
        yield f"        {names[k + 1]} += {name};"
        yield f"    pthread_mutex_unlock(&m{number});\n}}"
    yield f"static void run{number}(int v)\n{{"
    yield from (f"    set{number}_{k}(v + {k});" for k in range(5))
    yield "}"


def heap(number: int) -> Iterator[str]:
    """An object with a lock of its own."""
    yield f"struct o{number} {{ pthread_mutex_t m; int a; int b; int c; }};"
    yield f"static struct o{number} *p{number};"
    yield f"static void make{number}(void)\n{{"
    yield f"    p{number} = malloc(sizeof *p{number});\n    if (!p{number})\n        exit(1);"
    yield f"    pthread_mutex_init(&p{number}->m, 0);"
    yield f"    p{number}->a = p{number}->b = p{number}->c = 0;\n}}"
    for k, (one, other) in enumerate((("a", "b"), ("b", "c"), ("c", "a"))):
        yield f"static void step{number}_{k}(struct o{number} *o, int v)\n{{"
        yield "    pthread_mutex_lock(&o->m);"
        yield f"    o->{one} += v;\n    if (o->{one} > 9)\n        o->{other} = o->{one};"
        yield "    pthread_mutex_unlock(&o->m);\n}"
    yield f"static void run{number}(int v)\n{{"
    yield from (f"    step{number}_{k}(p{number}, v + {k});" for k in range(3))
    yield "}"


def lists(number: int) -> Iterator[str]:
    """A table of lists under a lock."""
    yield f"struct n{number} {{ int key; int value; struct n{number} *next; }};"
    yield f"static pthread_mutex_t m{number} = PTHREAD_MUTEX_INITIALIZER;"
    yield f"static struct n{number} *t{number}[16];\nstatic int size{number};"
    yield f"static void put{number}(int key, int value)\n{{"
    yield f"    struct n{number} *n = malloc(sizeof *n);\n    if (!n)\n        return;"
    yield "    n->key = key;\n    n->value = value;"
    yield f"    pthread_mutex_lock(&m{number});\n    n->next = t{number}[key & 15];"
    yield f"    t{number}[key & 15] = n;\n    size{number}++;"
    yield f"    pthread_mutex_unlock(&m{number});\n}}"
    yield f"static int get{number}(int key)\n{{\n    int found = 0;"
    yield f"    pthread_mutex_lock(&m{number});"
    yield f"    for (struct n{number} *n = t{number}[key & 15]; n; n = n->next)"
    yield "        if (n->key == key)\n            found = n->value;"
    yield f"    pthread_mutex_unlock(&m{number});\n    return found;\n}}"
    yield f"static void drop{number}(int key)\n{{\n    pthread_mutex_lock(&m{number});"
    yield f"    if (t{number}[key & 15])\n        size{number}--;"
    yield f"    t{number}[key & 15] = 0;\n    pthread_mutex_unlock(&m{number});\n}}"
    yield f"static void run{number}(int v)\n{{\n    put{number}(v, v + 1);"
    yield f"    if (get{number}(v) > 3)\n        drop{number}(v);\n}}"


def callbacks(number: int) -> Iterator[str]:
    """Handlers behind pointers."""
    yield f"static pthread_mutex_t m{number} = PTHREAD_MUTEX_INITIALIZER;"
    yield f"static int s{number}, e{number};"
    for k in range(4):
        yield f"static void on{number}_{k}(int v)\n{{\n    if (v > {k})"
        yield f"        s{number} += v;\n    else\n        e{number}++;\n}}"
    handlers = ", ".join(f"on{number}_{k}" for k in range(4))
    yield f"static void (*table{number}[4])(int) = {{ {handlers} }};"
    yield f"static void run{number}(int v)\n{{\n    pthread_mutex_lock(&m{number});"
    yield f"    table{number}[v & 3](v);\n    pthread_mutex_unlock(&m{number});\n}}"


STYLES: Mapping[str, Callable[[int], Iterator[str]]] = {
    "flat": flat,
    "heap": heap,
    "lists": lists,
    "callbacks": callbacks,
}


def program(style: str, lines: int) -> str:
    """A program of a style, with about so many lines."""
    module = STYLES[style]
    per_module = "\n".join(module(0)).count("\n") + 1 + 2
    count = max(1, lines // per_module)
    text = [line for number in range(count) for line in module(number)]
    runs = [f"    run{number}(v);" for number in range(count)]
    made = [f"    make{number}();" for number in range(count)] if style == "heap" else []
    text += ["static void all(int v)\n{", *runs, "}"]
    text += ["static void *work(void *p)\n{\n    all(1);\n    return p;\n}"]
    text += ["int main(void)\n{\n    pthread_t t;", *made]
    text += ["    pthread_create(&t, 0, work, 0);\n    all(2);"]
    text += ["    pthread_join(t, 0);\n    return 0;\n}"]
    return HEAD + "\n".join(text) + "\n"


def measure(text: str) -> tuple[float, float, float, int, str]:
    """CPU seconds of the front end, the engine and the checker, megabytes, and what came out."""
    from threadwise.core.processes.garbage import collect_seldom
    from threadwise.core.source import SourceFile
    from threadwise.driver.loading import load_c
    from threadwise.engines.api import Proved, Task, Undecided
    from threadwise.engines.registry import ENGINES
    from threadwise.frontends.c.options import COptions
    from threadwise.proofs.base.registry import check_certificate

    collect_seldom()  # as the command does
    begin = time.process_time()
    loaded = load_c([SourceFile("scaling.c", text)], COptions()).program
    read = time.process_time()
    races = tuple(p for p in loaded.properties if p.name == "races")
    told = "nothing"
    found = checked = read
    for finding in ENGINES["locksets"].create().run(Task(loaded, races)):
        found = time.process_time()
        if isinstance(finding, Proved | Undecided) and finding.certificate is not None:
            proof = check_certificate(loaded, finding.certificate, lambda: None)
            shown = [each for part in proof.locations.values() for each in part]
            told = f"{sum(not each.undecided for each in shown)} of {len(shown)} locations"
        checked = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return read - begin, found - read, checked - found, memory, told


def _measured(text: str) -> tuple[float, float, float, int, str]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (text,))


def exponent(points: Sequence[tuple[int, float]]) -> float:
    """The exponent of the power law that fits points best, in the least squares of logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    middle_x = sum(x for x, _ in logs) / len(logs)
    middle_y = sum(y for _, y in logs) / len(logs)
    above = sum((x - middle_x) * (y - middle_y) for x, y in logs)
    below = sum((x - middle_x) ** 2 for x, _ in logs)
    return above / below


def plot(curves: Mapping[str, Sequence[tuple[int, float]]]) -> Iterator[str]:
    """Seconds against lines, both on logarithmic scales; a point is the first letter of its style,
    and `*` is that of several."""
    height, width = 16, 64
    points = [point for each in curves.values() for point in each]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    low_y, high_y = min(y for _, y in points), max(y for _, y in points)
    drawn: dict[tuple[int, int], str] = {}
    for style, each in curves.items():
        for x, y in each:
            right = round((width - 1) * math.log(x / low_x) / max(math.log(high_x / low_x), 1))
            up = round((height - 1) * math.log(y / low_y) / max(math.log(high_y / low_y), 1))
            drawn[up, right] = style[0] if (up, right) not in drawn else "*"
    for up in reversed(range(height)):
        shown = {height - 1: f"{high_y:.1f} s", 0: f"{low_y:.1f} s"}.get(up, "")
        yield f"{shown:>8} |" + "".join(drawn.get((up, right), " ") for right in range(width))
    yield " " * 9 + "+" + "-" * width
    yield " " * 10 + f"{low_x} lines".ljust(width - 12) + f"{high_x} lines".rjust(12)


def main() -> None:
    """Measure, or print a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--style", nargs="+", choices=list(STYLES), default=list(STYLES))
    parser.add_argument("--print", choices=list(STYLES))
    chosen = parser.parse_args()
    if chosen.print:
        sys.stdout.write(program(chosen.print, chosen.lines[0]))
        return
    curves: dict[str, list[tuple[int, float]]] = {}
    print("style      lines  front end  engine  checker  total s   MB  proved")
    for style in chosen.style:
        points = curves.setdefault(style, [])
        for lines in chosen.lines:
            text = program(style, lines)
            front, engine, checker, memory, told = _measured(text)
            total = front + engine + checker
            points.append((text.count("\n"), total))
            print(
                f"{style:9} {points[-1][0]:6} {front:10.1f} {engine:7.1f} {checker:8.1f} "
                f"{total:8.1f} {memory:4}  {told}",
                flush=True,
            )
        if len(points) > 1:
            print(f"{style:9} exponent {exponent(points):.2f}", flush=True)
    print("\n".join(plot(curves)))


if __name__ == "__main__":
    main()
