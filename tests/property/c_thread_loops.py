"""Random C programs that start and join threads in loops of unknown length, right or wrong."""

from __future__ import annotations

import random

HEAD = """#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct job { int in, out; pthread_t id; };
int shared, cells[8];
"""

BODIES = {
    "own": "struct job *j = p; j->out = j->in;",
    "next": "struct job *j = p; j[%s].out = j->in;",
    "cell": "int i = (int)(long)p; cells[i] = i;",
    "near": "int i = (int)(long)p; cells[i %s] = i;",
    "shared": "shared = 1;",
    "none": "",
}


def generate(seed: int) -> str:
    """A program; the same for the same seed."""
    chosen = random.Random(seed)
    body = chosen.choice(list(BODIES))
    text = BODIES[body]
    if body == "next":
        text %= chosen.choice(("0", "1"))
    if body == "near":
        text %= chosen.choice(("+ 1", "/ 2", "& 7"))
    length = "3" if chosen.random() < 0.3 else "n"
    where, job = _arrays(chosen, length)
    first = chosen.choice(("0", "0", "0", "1"))
    ids = chosen.choice((where, where, where, where.replace("[i]", "[0]")))
    passed = _argument(chosen, body)
    step = chosen.choice(("i++", "i++", "i++", "i += 2"))
    before = chosen.choice(("", "jobs[i].in = i;", "cells[i] = 0;", "jobs[0].in = i;"))
    return "\n".join(
        (
            HEAD,
            f"void *work(void *p) {{ {text} return 0; }}",
            "int main(void) {",
            "  int n = __VERIFIER_nondet_int();",
            "  if (n < 0 || n > 3) return 0;",
            f"  {job}",
            f"  for (int i = 0; i < {length}; {step}) {{ {before}",
            f"    pthread_create(&{ids}, 0, work, {passed}); }}",
            f"  {_between(chosen)}",
            f"  for (int i = {first}; i < {length}; i++) {{ {_join(chosen, where)} }}",
            f"  {chosen.choice(('shared = 2;', 'cells[1] = 3;', 'jobs[0].out = 4;'))}",
            "  return 0;",
            "}",
        )
    )


def _arrays(chosen: random.Random, length: str) -> tuple[str, str]:
    job = chosen.choice(("struct job *jobs = calloc(5, sizeof *jobs);", "struct job jobs[5];"))
    if job.endswith("[5];"):
        job += " for (int i = 0; i < 5; i++) { jobs[i].in = 0; jobs[i].out = 0; }"
    kind = chosen.choice(("malloc", "array", "member"))
    if kind == "member":
        return "jobs[i].id", job
    if kind == "array":
        return "t[i]", f"{job} pthread_t t[5];"
    return "t[i]", f"{job} pthread_t *t = malloc({length} * sizeof(pthread_t));"


def _argument(chosen: random.Random, body: str) -> str:
    if body in ("cell", "near"):
        return chosen.choice(("(void *)(long)i", "(void *)(long)i", "(void *)(long)(i / 2)"))
    if body in ("own", "next"):
        return chosen.choice(("&jobs[i]", "jobs + i", "&jobs[i]", "&jobs[0]", "&jobs[i / 2]"))
    return "0"


def _between(chosen: random.Random) -> str:
    return chosen.choice(("", "", "shared = 3;", "jobs[1].out = 1;", "cells[0] = 1;"))


def _join(chosen: random.Random, where: str) -> str:
    join = f"pthread_join({where}, 0);"
    after = chosen.choice(("", "shared = jobs[i].out;", "shared = cells[i];", "jobs[i].in = 7;"))
    return chosen.choice(
        (
            f"{join} {after}",
            f"{join} {after}",
            f"{join} {after}",
            f"{after} {join}",
            f"if (i != 1) {join}",
            "",
        )
    )
