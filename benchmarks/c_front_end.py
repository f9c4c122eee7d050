"""What reading C costs, as it grows with the length of the file.

Each size is a separate process that reads a generated file: parsing, library models, lowering and
simplification, without any checking. The target is 3 s and 500 MB for 2,000 lines. In the *sparse*
files few of the functions are called; in the *dense* ones small functions call each other, every
one is reached from a thread and inlined once.

    python -m benchmarks.c_front_end [sparse | dense]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = (250, 500, 1000, 2000, 5000)
CALLED = 4
"""So many of the functions are called, by two threads."""

HEAD = """#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct node { int v; struct node *next; pthread_mutex_t m; };
int g[16];
struct node first;
"""
FUNCTION = """static int work{n}(struct node *p, int k)
{{
    int sum = 0;
    for (int i = 0; i < 4; i++) {{
        if (p->v > i && k != {n})
            sum += p->v * i - (k >> 2);
        else
            sum ^= g[(i + k) & 15];
    }}
    pthread_mutex_lock(&p->m);
    p->v = sum + {n};
    pthread_mutex_unlock(&p->m);
    switch (sum & 3) {{
    case 0: sum++; break;
    case 1: sum -= 2; /* fall through */
    default: sum = -sum;
    }}
    return sum;
}}

"""
TAIL = """int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(g[0] >= 0);
    return 0;
}
"""

DENSE_HEAD = """#include <pthread.h>
#include <assert.h>
struct item { int key; int count; int marks[4]; pthread_mutex_t lock; };
struct item items[4];
int totals[8];
int limit = 5;
pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
"""
LEAVES = (
    """static int step{n}(struct item *p, int k)
{{
    pthread_mutex_lock(&p->lock);
    p->count += k;
    int seen = p->key;
    pthread_mutex_unlock(&p->lock);
{calls}    return seen + {n} % 7;
}}

""",
    """static int step{n}(struct item *p, int k)
{{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += p->marks[i] * k;
{calls}    return sum > limit ? limit : sum;
}}

""",
    """static int step{n}(struct item *p, int k)
{{
    if (k < 0 || p == 0)
        return {n};
    pthread_mutex_lock(&all);
    totals[k & 7] = p->key + {n};
    pthread_mutex_unlock(&all);
{calls}    return k;
}}

""",
)
DENSE_TAIL = """static void *thread(void *a)
{
    totals[0] = step1(a, 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&items[i].lock, 0);
    pthread_create(&t, 0, thread, &items[1]);
    int got = step0(&items[0], 2);
    pthread_join(t, 0);
    assert(got <= totals[0] + 1000);
    return 0;
}
"""


def dense(lines: int) -> str:
    """A program of about so many lines: two trees of calls, of depth log n."""
    length = sum(text.count("\n") for text in LEAVES) / len(LEAVES) + 1
    count = max(2, int((lines - DENSE_HEAD.count("\n") - DENSE_TAIL.count("\n")) / length))
    functions = []
    for n in reversed(range(count)):
        called = [c for c in (2 * n + 2, 2 * n + 3) if c < count]
        calls = "".join(f"    k += step{c}(p, k + {c % 3});\n" for c in called)
        functions.append(LEAVES[n % len(LEAVES)].format(n=n, calls=calls))
    return DENSE_HEAD + "".join(functions) + DENSE_TAIL


def sparse(lines: int) -> str:
    """A program of about so many lines; only a few functions are called."""
    count = max(CALLED, (lines - HEAD.count("\n") - TAIL.count("\n")) // FUNCTION.count("\n"))
    calls = "".join(f"    r += work{n}(&first, {n});\n" for n in range(CALLED))
    thread = (
        f"void *thread(void *a)\n{{\n    int r = 0;\n{calls}    g[0] = r;\n    return 0;\n}}\n"
    )
    return HEAD + "".join(FUNCTION.format(n=n) for n in range(count)) + thread + TAIL


def read(path: str) -> None:
    """Read a file and say what it cost."""
    started = time.perf_counter()
    from threadwise.core.processes.garbage import collect_seldom
    from threadwise.driver.loading import load_simplified

    collect_seldom()  # as the command line does
    loaded = load_simplified(path)
    elapsed = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu = time.process_time()
    print(f"{elapsed:8.2f} s ({cpu:.2f} s CPU) {peak:8.0f} MB {len(loaded.edges):8} edges")


KINDS = {"sparse": sparse, "dense": dense}


def main() -> None:
    """All sizes."""
    chosen = sys.argv[1] if len(sys.argv) > 1 else None
    if chosen is not None and chosen not in KINDS:
        read(chosen)
        return
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS if chosen is None else (chosen,):
            for lines in SIZES:
                path = Path(folder) / f"{kind}.c"
                text = KINDS[kind](lines)
                path.write_text(text)
                command = [sys.executable, "-m", "benchmarks.c_front_end", str(path)]
                done = subprocess.run(
                    command, cwd=ROOT, capture_output=True, text=True, check=True
                )
                print(f"{kind} {text.count(chr(10)):6} lines {done.stdout.rstrip()}")


if __name__ == "__main__":
    main()
