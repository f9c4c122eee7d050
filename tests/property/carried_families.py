"""Families of programs for carried proofs: one for each kind of proof and each transformation.

Random programs seldom need what a transformation is for, so most random proofs are about few
kinds. These are pairs of a program that some engine proves in a way that matters here, and one
with a bug of the same shape; what the engine leaves behind is carried, as for random programs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from benchmarks.faults import pairs
from tests.every_engine import loaded
from tests.property.carried_proofs import label, proofs, refuse, refuted, variants
from tests.property.comparison import load, nothing
from threadwise.core.errors import InputError, Unsupported
from threadwise.driver.selection import select_properties
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import Simplify, behind

HORN, TAR, COUNTING = "horn", "tar", "counting"
STEPS = 20_000
"""How long an engine looks for a proof of an original."""


class Family(NamedTuple):
    """A program, what is replaced in it, by what, and who proves the original."""

    text: str
    right: str
    wrong: str
    engines: tuple[str, ...]
    properties: tuple[str, ...] = ()
    """What is asked; nothing: all."""
    is_slow: bool = False
    """Whether checking a proof takes seconds; then no other variants are tried."""

    @property
    def is_c(self) -> bool:
        """Whether it is C; a model otherwise."""
        return "#include" in self.text

    @property
    def variant(self) -> str:
        """The program with the bug."""
        return self.text.replace(self.right, self.wrong)


_SPAWNED = "thread main { while (true) { spawn w(); } }"
_HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n"
_M = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
_TWO = (
    "int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); "
    "pthread_join(a, 0); pthread_join(b, 0); return 0; }\n"
)

MODELS = {
    "follow": Family(
        "bool slot[w] = false; int[0..9] count; thread w(int[0..9] mine) { slot[mine] = true; "
        "count = 1; assert(slot[mine]); } thread main { tid h; int[0..2] n; h = spawn w(n); "
        "n = n + 1; spawn w(n); join h; assert(slot[0] && count > 0); }",
        "count > 0",
        "count > 1",
        (HORN, TAR),
    ),
    "follow_joined": Family(
        "int[0..3] x; thread w() { x = 1; } thread main { tid h; h = spawn w(); join h; "
        "assert(x == 1); }",
        "join h;",
        "skip;",
        (HORN, TAR),
    ),
    "parametric": Family(
        "bool busy; int[0..2] inside; thread w() { await(!busy) { busy = true; } inside = 1; "
        "assert(inside == 1); inside = 0; busy = false; } " + _SPAWNED,
        "await(!busy)",
        "await(true)",
        (HORN, COUNTING),
    ),
    "parametric_mutex": Family(
        "mutex m; int[0..3] x; thread w() { acquire(m); x = 1; x = 0; assert(x == 0); release(m); "
        "} " + _SPAWNED,
        "acquire(m); x = 1;",
        "x = 1; acquire(m);",
        (HORN, COUNTING),
    ),
    "follow_slots": Family(
        "bool slot[worker] = false; tid handle[worker]; "
        "thread worker(int mine) { slot[mine] = true; } thread parent { int n = 0; int i = 0; "
        "bool more = true; while (more) { handle[n] = spawn worker(n); n = n + 1; "
        "more = choose(true, false); if (n == 2) { more = false; } } "
        "while (i < n) { join handle[i]; i = i + 1; } i = 0; "
        "while (i < n) { assert(slot[i]); i = i + 1; } }",
        "join handle[i];",
        "skip;",
        (HORN,),
        is_slow=True,
    ),
    "split": Family(
        "int n; thread t[*] { bool mine; bool first; first = n == 0; await(n == 0) { "
        "havoc mine; if (mine) { n = n + 1; } } if (mine) { assert(n == 1); "
        "atomic { n = n - 1; } } if (first) { skip; } }",
        "await(n == 0)",
        "await(n < 2)",
        (HORN, COUNTING),
    ),
    "tally": Family(
        "int x; bool d, e; thread t { atomic { x = x + 1; } atomic { x = x + 1; } d = true; } "
        "thread u { atomic { x = x + 1; } e = true; } "
        "thread v { await(d && e) { skip; } assert(x == 3); }",
        "x == 3",
        "x == 2",
        (HORN,),
        ("assertions",),
    ),
    "interrupt": Family(
        "int[0..9] x; thread t[2] { int[0..3] i; atomic { i = 0; while (i < 3) { i = i + 1; "
        "x = i; } } assert(x >= 0); }",
        "x >= 0",
        "x >= 1 && x < 3",
        (HORN,),
    ),
    "forget": Family(
        "mutex m; int x; int junk; thread t[2] { acquire(m); x = x + 1; junk = junk + 2; "
        "release(m); } race_free x;",
        "acquire(m); x = x + 1;",
        "x = x + 1; acquire(m);",
        ("digest",),
    ),
    "symmetric": Family(
        "mutex m; int[0..3] x; thread t[*] { acquire(m); x = 1; assert(x <= 1); x = 0; "
        "release(m); }",
        "x = 1;",
        "x = 2;",
        ("thread-modular", HORN, TAR, "locksets"),
    ),
    "frontier": Family(
        "mutex m; int[0..3] x; thread t[2] { acquire(m); x = 1; assert(x <= 1); x = 0; "
        "release(m); }",
        "x = 1;",
        "x = 2;",
        ("cartesian-frontier", "tmmc", "bounded"),
    ),
    "pushdown": Family(
        "mutex m; int[0..3] x; int[0..3] f(int[0..3] p) { return p; } thread t[2] { "
        "int[0..3] r; acquire(m); r = f(1); x = r; assert(x <= 1); release(m); }",
        "f(1)",
        "f(2)",
        ("thread-modular", HORN, TAR, "summaries", "reduction"),
    ),
    "lock_order": Family(
        "mutex m, k; thread a { acquire(m); acquire(k); release(k); release(m); } "
        "thread b { acquire(m); acquire(k); skip; release(k); release(m); }",
        "acquire(m); acquire(k); skip;",
        "acquire(k); acquire(m); skip;",
        ("lock-order",),
        ("deadlocks",),
    ),
    "lock_order_any": Family(
        "mutex m, k; thread t[*] { while (true) { either { acquire(m); acquire(k); release(k); "
        "release(m); } or { acquire(m); acquire(k); skip; release(m); release(k); } } }",
        "acquire(m); acquire(k); skip;",
        "acquire(k); acquire(m); skip;",
        ("lock-order",),
        ("deadlocks",),
    ),
}

_SUMMED = (
    _HEAD + _M + "unsigned n; int c;\n"
    "void *w(void *v) { pthread_mutex_lock(&m); c = c + 1; pthread_mutex_unlock(&m); return 0; }\n"
    "int main(void) { pthread_t t[300]; for (int i = 0; i < 300; i++) "
    "pthread_create(&t[i], 0, w, 0);\n for (int i = 0; i < 300; i++) pthread_join(t[i], 0);\n"
    " assert(c == 300); return 0; }\n"
)
C = {
    "assertions": Family(
        _HEAD + _M + "int x;\nvoid *f(void *v) { pthread_mutex_lock(&m); x = 1; assert(x == 1); "
        "x = 0; pthread_mutex_unlock(&m); return 0; }\n" + _TWO,
        "pthread_mutex_lock(&m); x = 1;",
        "x = 1; pthread_mutex_lock(&m);",
        (HORN, TAR, COUNTING, "explicit", "persistent", "bounded"),
        ("assertions",),
    ),
    "parametric": Family(
        _HEAD + "static int flag;\nstatic void *w(void *a) { (void)a; flag = 3; "
        "assert(flag < 4); return 0; }\nint main(void) { pthread_t t; for (int i = 0; i < 999; "
        "i++) pthread_create(&t, 0, w, 0); return 0; }\n",
        "flag = 3",
        "flag = 4",
        (HORN, COUNTING),
        ("assertions",),
    ),
    "accounts": Family(_SUMMED, "c = c + 1", "c = c + 2", (HORN,), ("assertions",)),
    "forget": Family(
        _HEAD + _M + "int x, sum;\nvoid *f(void *v) { pthread_mutex_lock(&m); x = x + 1; "
        "sum = sum * 3 + x; pthread_mutex_unlock(&m); return 0; }\n" + _TWO,
        "pthread_mutex_lock(&m); x = x + 1;",
        "x = x + 1; pthread_mutex_lock(&m);",
        ("digest", "locksets"),
        ("races",),
    ),
    "lock_order": Family(
        _HEAD + "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;\n"
        "void both(pthread_mutex_t *a, pthread_mutex_t *b) { pthread_mutex_lock(a); "
        "pthread_mutex_lock(b); pthread_mutex_unlock(b); pthread_mutex_unlock(a); }\n"
        "void *f(void *v) { both(&m, &k); return 0; }\n"
        "int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); both(&m, &k); "
        "pthread_join(a, 0); return 0; }\n",
        "both(&m, &k); pthread_join",
        "both(&k, &m); pthread_join",
        ("lock-order",),
        ("deadlocks",),
    ),
}


UNPROVED = {"own_object", "own_slot"}
"""Pairs about what each of two threads gets for itself, in statements of their own: `locksets`
proves that only for threads that one statement starts."""


def families() -> Mapping[str, Family]:
    """All of them, by name: those above, and the pairs of the fault matrix about locks in C."""
    return dict(_named())


def _named() -> Iterator[tuple[str, Family]]:
    yield from ((f"{name}.tw", family) for name, family in MODELS.items())
    yield from ((f"{name}.c", family) for name, family in C.items())
    for name, (text, right, wrong) in pairs.C.items():
        if name not in UNPROVED:
            yield f"pairs/{name}.c", Family(text, right, wrong, ("locksets",), ("races",))


@cache
def given(name: str) -> tuple[tuple[str, Certificate], ...]:
    """The proofs of the original of a family, by what they are called."""
    family = families()[name]
    if not family.is_c:
        program = load(family.text)
        asked = select_properties(program, family.properties)
        found = proofs(program, family.engines, asked, STEPS)
        return tuple((label(each), each) for each in found)
    source = loaded(family.text)
    assert source.simpler is not None
    asked = select_properties(source.worked_on, family.properties)
    steps = tuple(map(Simplify, source.simpler.names))
    inner = proofs(source.worked_on, family.engines, asked, STEPS)
    made = [behind(steps, program_hash(source.program), each) for each in inner]
    return tuple((_rules(source.program, each), each) for each in made)


def _rules(program: Program, certificate: Certificate) -> str:
    """What a proof is called; of locksets, whether the kernel is enough for it."""
    kind = label(certificate)
    if not kind.endswith("locksets"):
        return kind
    alone = rests_on_the_kernel(check_certificate(program, certificate, nothing))
    return f"{kind}, {'the kernel' if alone else 'other rules'}"


def rests_on_the_kernel(proof: CheckedProof) -> bool:
    """Whether a proof by locksets needs no other rules."""
    told = [each for locations in proof.locations.values() for each in locations]
    return proof.found is not None and all(each.kernel for each in told)


def attempts(seed: int, rounds: int = 3) -> Counter[str]:
    """How many carried proofs of a family, and changes of them, were refused; fails at others."""
    names = sorted(families())
    name, rng = names[seed % len(names)], random.Random(seed)
    family = families()[name]
    counts: Counter[str] = Counter()
    for text in (family.variant, *variants(family.text, rng, 0 if family.is_slow else 3)):
        try:
            program = loaded(text).program if family.is_c else load(text)
        except (InputError, Unsupported):
            continue
        wrong = refuted(program) or refuted(program, "walks")
        for kind, certificate in given(name):
            for claim in sorted(wrong & set(certificate.properties)):
                counts += refuse(program, certificate, claim, rng, rounds, text, kind)
    return counts
