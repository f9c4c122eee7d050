"""What reading C costs, as it grows with the length of the file.

Each size is a separate process that reads a generated file: parsing, library models and lowering,
without any checking. The target is 3 s and 500 MB for 2,000 lines.

    python -m benchmarks.c_front_end
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = (250, 500, 1000, 2000, 4000)
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


def program(lines: int) -> str:
    """A program of about so many lines."""
    count = max(CALLED, (lines - HEAD.count("\n") - TAIL.count("\n")) // FUNCTION.count("\n"))
    calls = "".join(f"    r += work{n}(&first, {n});\n" for n in range(CALLED))
    thread = (
        f"void *thread(void *a)\n{{\n    int r = 0;\n{calls}    g[0] = r;\n    return 0;\n}}\n"
    )
    return HEAD + "".join(FUNCTION.format(n=n) for n in range(count)) + thread + TAIL


def read(path: str) -> None:
    """Read a file and say what it cost."""
    started = time.perf_counter()
    from threadwise.driver import load_program

    loaded = load_program(path)
    elapsed = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu = time.process_time()
    print(f"{elapsed:8.2f} s ({cpu:.2f} s CPU) {peak:8.0f} MB {len(loaded.edges):8} edges")


def main() -> None:
    """All sizes."""
    if len(sys.argv) > 1:
        read(sys.argv[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        for lines in SIZES:
            path = Path(folder) / "generated.c"
            text = program(lines)
            path.write_text(text)
            command = [sys.executable, "-m", "benchmarks.c_front_end", str(path)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            print(f"{text.count(chr(10)):6} lines {done.stdout.rstrip()}")


if __name__ == "__main__":
    main()
