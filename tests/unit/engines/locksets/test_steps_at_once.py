"""A step that stores a pointer and copies it: what is published is nobody's own under any name.

Threads copy a pointer to a variable of their own, and then store it where others find it. Here
both happen in one step, as passes may join them; nothing more may be proved than step by step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.unit.engines.locksets.test_handover import proof
from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import TRUE, Const, Expr, Place, Read, Scope, VariablePlace
from threadwise.ir.fold import rebuild, rebuild_place, root
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import PointerType

TEXT = (
    INCLUDES
    + """
struct node { int v; struct node *next; } *head, *box;
struct holder { struct node *kept; } *holder;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#define FRESH n = malloc(sizeof *n); n->v = 1; n->next = 0;
#define TAKE LOCK; p = box; box = 0; UNLOCK; if (p) p->v++;
#define SEE LOCK; p = box; UNLOCK; if (p) p->v++;
void *g(void *arg) { struct node *p = arg; p->v++; return 0; }
void *f(void *arg) { struct node *n, *p, *q; pthread_t w; BODY return 0; }
int main(void)
{
    pthread_t t, u;
    struct node *n, *q;
    FIRST
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)


def _program(body: str, first: str = "") -> Program:
    return loaded(TEXT.replace("BODY", body).replace("FIRST", first)).program


def _copies(edge: Edge) -> dict[Place, Expr]:
    """The variables of a thread that get pointers, if an edge does nothing else."""
    match edge.action:
        case Command(guard, assignments, ()) if guard == TRUE:
            plain = all(
                isinstance(a.target, VariablePlace)
                and a.target.variable.scope is Scope.LOCAL
                and isinstance(a.value.type, PointerType)
                and isinstance(a.value, Read | Const)
                for a in assignments
            )
            return {a.target: a.value for a in assignments} if plain else {}
    return {}


def _instead(expr: Expr, copies: Mapping[Place, Expr]) -> Expr:
    if isinstance(expr, Read) and expr.place in copies:
        return copies[expr.place]
    return rebuild(expr, lambda inner: _instead(inner, copies))


def _joined(edge: Edge, last: Edge, copies: Mapping[Place, Expr]) -> Edge:
    """One edge that does what two do."""
    assert isinstance(last.action, Command)
    later = tuple(
        Assignment(
            rebuild_place(a.target, lambda inner: _instead(inner, copies)),
            _instead(a.value, copies),
        )
        for a in last.action.assignments
    )
    kept = tuple(Assignment(place, value) for place, value in copies.items())
    command = Command(_instead(last.action.guard, copies), (*kept, *later), last.action.havocs)
    return replace(last, id=edge.id, source=edge.source, action=command)


def _at_once(program: Program) -> Program:
    """Copies of pointers become part of the stores behind them, if nothing is between the two."""
    edges = {edge.id: edge for edge in program.edges}
    found = 0
    for edge in program.edges:
        copies, out = _copies(edge), program.outgoing[edge.target]
        if not copies or len(out) != 1 or not isinstance(out[0].action, Command):
            continue
        stores = [a for a in out[0].action.assignments if root(a.target) not in copies]
        if any(a.value in [Read(p) for p in copies] for a in stores):
            edges[edge.id] = _joined(edge, out[0], copies)
            found += 1
    assert found
    return replace(
        program,
        procedures=tuple(
            replace(p, edges=tuple(edges[edge.id] for edge in p.edges)) for p in program.procedures
        ),
    )


RACY = {
    "copied and published": "FRESH LOCK; q = n; box = q; UNLOCK; q->v++; SEE",
    "the copy of a copy": "FRESH LOCK; p = n; q = p; box = q; UNLOCK; q->v++; SEE",
    "used by the old name": "FRESH LOCK; q = n; box = q; UNLOCK; n->v++; SEE",
    "put into a list": "FRESH LOCK; n->next = head; q = n; head = q; UNLOCK; q->v++; "
    "LOCK; for (p = head; p; p = p->next) p->v++; UNLOCK;",
    "taken from the list": "FRESH LOCK; n->next = head; q = n; head = q; UNLOCK; q->v++; "
    "LOCK; p = head; if (p) head = p->next; UNLOCK; if (p) p->v++;",
    "a mailbox": "FRESH LOCK; q = n; box = q; UNLOCK; q->v++; TAKE",
    "all of a list": "FRESH LOCK; n->next = head; q = n; head = q; UNLOCK; q->v++; LOCK; "
    "p = head; head = 0; UNLOCK; while (p) { p->v++; p = p->next; }",
    "looked at": "FRESH LOCK; n->next = head; q = n; head = q; UNLOCK; LOCK; if (head) head->v++; "
    "UNLOCK; q->next = 0;",
    "in an object": "FRESH LOCK; q = n; holder->kept = q; UNLOCK; q->v++; LOCK; p = holder->kept; "
    "UNLOCK; if (p) p->v++;",
    "freed": "FRESH LOCK; q = n; box = q; UNLOCK; SEE free(q);",
    "only read": "FRESH LOCK; q = n; box = q; UNLOCK; if (q->v) { SEE }",
}
SAFE = {
    "pop": "FRESH LOCK; n->next = head; q = n; head = q; UNLOCK; "
    "LOCK; p = head; if (p) head = p->next; UNLOCK; if (p) p->v++;",
    "under the lock": "FRESH LOCK; n->next = head; q = n; head = q; q->v++; UNLOCK; "
    "LOCK; for (p = head; p; p = p->next) p->v++; UNLOCK;",
}
FIRST = "holder = malloc(sizeof *holder); holder->kept = 0;"


@pytest.mark.parametrize("name", RACY)
def test_published_and_copied_at_once(name: str) -> None:
    program = _program(RACY[name], FIRST)
    assert proof(program) is None
    assert proof(_at_once(program)) is None


@pytest.mark.parametrize("name", SAFE)
def test_still_proved(name: str) -> None:
    assert proof(_at_once(_program(SAFE[name], FIRST))) is not None
