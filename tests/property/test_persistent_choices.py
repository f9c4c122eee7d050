"""Whatever thread the checker of persistent sets lets one choose, no violation is lost.

Engines choose in one way. Here threads are drawn wherever obligation (5) of
`threadwise.proofs.persistent.check` allows it, and what is found is compared with all states.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress

import pytest

from tests.every_engine import loaded
from threadwise.analyses.touches import Touches
from threadwise.engines.persistent.futures import futures
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.persistent.check import PersistentChecker
from threadwise.proofs.toolbox.thread_moves import successors_by, thread_moves
from threadwise.semantics.memory import canonical
from threadwise.semantics.oracle import explore
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter

HEAD = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n"
MAIN = (
    "int main(void) {{ {first} pthread_t t, u; pthread_create(&t, 0, f, {t}); "
    "pthread_create(&u, 0, g, {u}); pthread_join(t, 0); pthread_join(u, 0); {last} return 0; }}"
)


def program(code: str, first: str = "", last: str = "", t: str = "0", u: str = "0") -> str:
    """Two threads."""
    return HEAD + code + MAIN.format(first=first, last=last, t=t, u=u)


PROGRAMS = {
    "last reference": program(
        "struct o { atomic_int users; int v; };"
        "void *f(void *p) { struct o *o = p; o->v; o->users--; if (!o->users) o->v = 0;"
        " return 0; }"
        "void *g(void *p) { return f(p); }",
        "struct o *o = malloc(sizeof *o); o->users = 2; o->v = 3;",
        t="o",
        u="o",
    ),
    "published too early": program(
        "struct o { int a, b; }; struct o *_Atomic shared;"
        "void *f(void *p) { struct o *n = malloc(sizeof *n); n->a = 1; shared = n; n->b = 1;"
        " return 0; }"
        "void *g(void *p) { struct o *n = shared; if (n) n->b = n->a; return 0; }"
    ),
    "ranges that meet": program(
        "int a[4]; void *f(void *p) { for (int i = 0; i < 3; i++) a[i] = 1; return 0; }"
        "void *g(void *p) { for (int i = 2; i < 4; i++) a[i] = 2; return 0; }"
    ),
    "lists of their own": program(
        "struct n { int v; struct n *next; };"
        "void *f(void *p) { struct n *h = 0; for (int i = 0; i < 2; i++) {"
        " struct n *x = malloc(sizeof *x); x->v = i; x->next = h; h = x; }"
        " assert(h->v + h->next->v == 1); return 0; }"
        "void *g(void *p) { return f(p); }"
    ),
    "freed while used": program(
        "int *_Atomic shared; void *f(void *p) { int *x = atomic_exchange(&shared, (int *)0);"
        " free(x); return 0; }"
        "void *g(void *p) { int *x = shared; if (x) *x = 2; return 0; }",
        "int *x = malloc(4); *x = 1; shared = x;",
    ),
    "two locks": program(
        "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER; int x;"
        "void *f(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); x++;"
        " pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return 0; }"
        "void *g(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); x++;"
        " pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }",
        last="assert(x == 2);",
    ),
}
LOST = {"last reference", "published too early", "ranges that meet", "freed while used"}


class Drawn:
    """The states that are left where threads are chosen by chance."""

    def __init__(self, text: Program, claimed: Sequence[Property], seed: int) -> None:
        interpreter = Interpreter(text)
        touches = Touches.regions(text, interpreter.layout.numbers)
        later = [
            [(masks.read, masks.written) for masks in futures(text, touches, thread)]
            for thread in interpreter.threads
        ]
        certificate = PersistentCertificate(program_hash(text), (), [], [], later)
        self.program = text
        self.claimed = claimed
        self.checker = PersistentChecker(text, certificate, lambda: None)
        self.checker.cycles = any(isinstance(p, DeadlockProperty) for p in claimed)
        self.numbers = random.Random(seed)
        self.after: dict[State, list[State]] = {}
        self.chosen: set[State] = set()

    def violated(self) -> frozenset[str]:
        """What they violate."""
        pending = [self._named(state) for state in self.checker.interpreter.initial_states()]
        while True:
            while pending:
                state = pending.pop()
                if state not in self.after:
                    pending += self._expand(state, freely=True)
            postponed = self.after.keys() - self._leading_on()
            if not postponed:
                break
            state = min(postponed, key=str)
            pending = self._expand(state, freely=False)
        checker = self.checker.checker
        return frozenset(
            p.name for p in self.claimed for state in self.after if checker.violated(p, state)
        )

    def _expand(self, state: State, *, freely: bool) -> list[State]:
        interpreter = self.checker.interpreter
        moves = {t: list(thread_moves(interpreter, state, t)) for t in interpreter.threads}
        threads = [t for t in moves if moves[t]]
        self.numbers.shuffle(threads)
        self.chosen.discard(state)
        if freely and not interpreter.is_stopped(state):
            for thread in threads:
                with suppress(Refuted):
                    self.checker.check_choice(state, thread)
                    threads = [thread]
                    self.chosen.add(state)
                    break
        stopped = interpreter.is_stopped(state)
        found = [a for t in threads for a in successors_by(state, t, moves[t])]
        self.after[state] = [] if stopped else [self._named(after) for after in found]
        return self.after[state]

    def _leading_on(self) -> set[State]:
        """The states from where choices lead to one at which all threads count."""
        before: dict[State, list[State]] = {}
        for state in self.chosen:
            for after in self.after[state]:
                before.setdefault(after, []).append(state)
        pending = [state for state in self.after if state not in self.chosen]
        found = set(pending)
        for state in pending:  # which grows
            more = [each for each in before.get(state, ()) if each not in found]
            found.update(more)
            pending += more
        return found

    def _named(self, state: State) -> State:
        return canonical(state, len(self.program.globals))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cycles", [False, True], ids=["races and failures", "deadlocks"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_choice_loses_a_violation(name: str, cycles: bool, seed: int) -> None:
    text = loaded(PROGRAMS[name]).worked_on
    claimed = [p for p in text.properties if isinstance(p, DeadlockProperty) == cycles]
    whole = explore(text, claimed)
    drawn = Drawn(text, claimed, seed)
    assert drawn.violated() == whole.violated
    assert len(drawn.after) < len(whole.states)
    assert cycles or ("races" in whole.violated) == (name in LOST)
