"""Pointers by purpose and procedures by threads: what is proved with them, and what is not.

Each program is proved, and not proved where the text between `/*` and `*/` is part of it: there
it races.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded
from tests.unit.proofs.locksets.test_audit import watched
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import INT, ArrayType, RecordType
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.kernel_first import check_locksets
from threadwise.proofs.locksets.memory.inner import is_inner
from threadwise.proofs.locksets.translated import translated

START = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct conf { char name[8]; int n; struct conf *next; } conf, *list, *others;
char mine_one[8], mine_two[8];
void add(struct conf **to) {
  struct conf *made = calloc(1, sizeof *made);
  if (made) { made->next = *to; *to = made; }
}
void add_other(struct conf **to) {
  struct conf *made = calloc(1, sizeof *made);
  if (made) { made->next = *to; *to = made; }
}
"""
MAIN = """
int main(void) {
  pthread_t s, t;
  add(&list); add(&list);
  add_other(&others); add_other(&others);
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
"""
EACH = "void *%s(void *u) { BODY return 0; }\n"

WEBS = {
    "own array, then shared": """
  char *p;
  for (p = MINE; p < MINE + 8; p++) *p = 1;
  pthread_mutex_lock(&m);
  for (p = conf.name; p < conf.name + 8; p++) *p = 2;
  pthread_mutex_unlock(&m);
  /* for (p = conf.name; p < conf.name + 8; p++) *p = 3; */
""",
    "shared, then own array": """
  char *p;
  pthread_mutex_lock(&m);
  for (p = conf.name; p < conf.name + 7; p++) *p = 2;
  pthread_mutex_unlock(&m);
  /* if (u) */ p = MINE;
  while (p < MINE + 8) *p++ = 1;
""",
    "again and again": """
  char *p;
  for (int i = 0; i < 2; i++) {
    for (p = MINE; p < MINE + 8; p++) *p = 1;
    pthread_mutex_lock(&m);
    for (p = conf.name; p < conf.name + 7; p++) *p = 2;
    pthread_mutex_unlock(&m);
    /* *p = 1; */
  }
""",
    "own record, then a list": """
  struct conf *p = malloc(sizeof *p);
  if (!p) return 0;
  p->n = 1; p->next = 0;
  free(p);
  pthread_mutex_lock(&m);
  for (p = list; p; p = p->next) p->n++;
  pthread_mutex_unlock(&m);
  p = malloc(sizeof *p);
  if (!p) return 0;
  p->n = 1;
  free(p);
  /* for (p = list; p; p = p->next) p->n++; */
""",
    "a list, then own record": """
  struct conf *p;
  pthread_mutex_lock(&m);
  for (p = list; p; p = p->next) if (p->n++ > 3) break;
  pthread_mutex_unlock(&m);
  /* if (!p) */ p = malloc(sizeof *p);
  if (!p) return 0;
  p->n = 1;
""",
}
BUMP = """
void bump(struct conf *c, int n) { if (n > 0) { c->n++; bump(c, n - 1); } }
void again(struct conf *c) { bump(c, 2); bump(c, 3); }
"""
ALL = """
void all(struct conf *c) { for (; c; c = c->next) again(c); }
"""
CONTEXTS = {
    "each its own": BUMP
    + ALL
    + "void *one(void *u) { all(list); return 0; }"
    + "void *two(void *u) { all(others); /* all(list); */ return 0; }",
    "under a lock": BUMP
    + ALL
    + "void *one(void *u) { pthread_mutex_lock(&m); all(list); pthread_mutex_unlock(&m);"
    + " return 0; }"
    + "void *two(void *u) { all(others); pthread_mutex_lock(&m); conf.n++;"
    + " /* pthread_mutex_unlock(&m); all(list); pthread_mutex_lock(&m); */"
    + " pthread_mutex_unlock(&m); return 0; }",
    "called with nothing by one": BUMP
    + ALL
    + "void *one(void *u) { all(list); return 0; }"
    + "void *two(void *u) { if (conf.n) all(0); /* all(list); */ return 0; }",
}
FILLED = """
struct box { int *to; int n; } *box;
int x;
void *one(void *u) {
  struct box *b = malloc(4 * sizeof *b);
  if (!b) return 0;
  memset(b, 0, u ? 7 : sizeof *b);
  b->to = &x;
  memset(b + 1, 0, u ? 7 : sizeof *b);
  /* *b->to = 1; */
  free(b);
  return 0;
}
void *two(void *u) { x++; return 0; }
"""


ELEMENTS = """
struct node { struct node *prev, *next; int n; };
struct list { MEMBERS } *all_of_them;
void *one(void *u) {
  pthread_mutex_lock(&all_of_them->lock);
  struct node *e = all_of_them->head.prev;
  e->prev->next = e->next;
  e->next->prev = e->prev;
  all_of_them->size--;
  pthread_mutex_unlock(&all_of_them->lock);
  free(e);
  return 0;
}
void *two(void *u) {
  struct node *e = calloc(1, sizeof *e);
  if (!e) return 0;
  pthread_mutex_lock(&all_of_them->lock);
  e->prev = &all_of_them->head;
  e->next = all_of_them->head.next;
  all_of_them->head.next->prev = e;
  all_of_them->head.next = e;
  all_of_them->size++;
  pthread_mutex_unlock(&all_of_them->lock);
  return 0;
}
void prepare(void) {
  all_of_them = calloc(1, sizeof *all_of_them);
  if (!all_of_them) exit(1);
  pthread_mutex_init(&all_of_them->lock, 0);
  all_of_them->head.prev = all_of_them->head.next = &all_of_them->head;
}
"""
LISTS = {
    "behind a lock": ("pthread_mutex_t lock; struct node head; int size;", True),
    "behind a member": ("int first; struct node head; int size; pthread_mutex_t lock;", True),
    "at the start": ("struct node head; int size; pthread_mutex_t lock;", False),
}


def chosen_text(text: str, *, racy: bool) -> str:
    """The program, or the one that races."""
    return text.replace("/*", "").replace("*/", "") if racy else text


def program_of(text: str) -> Program:
    """What engines work on."""
    return loaded(START + text + MAIN).program


def finding_of(program: Program) -> Finding:
    """What `locksets` says of races."""
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    try:
        *_, found = LocksetEngine().run(Task(program, races))
    except Unsupported as error:
        return Undecided(("races",), str(error))
    return found


def checked(program: Program) -> tuple[CheckedProof, LocksetCertificate]:
    """The proof of a program that is proved."""
    found = finding_of(program)
    assert isinstance(found, Proved)
    assert isinstance(found.certificate, LocksetCertificate)
    return check_locksets(program, found.certificate, lambda: None), found.certificate


def both(text: str) -> str:
    """Two threads that do the same, each with its own array."""
    names = "one", "two"
    return "".join(
        (EACH % name).replace("BODY", text).replace("MINE", f"mine_{name}") for name in names
    )


PROGRAMS = {
    **{name: both(text) for name, text in WEBS.items()},
    **CONTEXTS,
    "filled": FILLED,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_used_for_one_purpose_is_proved(name: str) -> None:
    program = program_of(chosen_text(PROGRAMS[name], racy=False))
    proof, certificate = checked(program)
    assert proof.properties == ("races",)
    assert all(0 <= edge < len(program.edges) for edge in proof.taken_edges)
    assert all(0 <= at < len(program.locations) for at in proof.visited_locations)
    assert watched(program, certificate, 12).evaluated["memory"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_races_is_not(name: str) -> None:
    program = program_of(chosen_text(PROGRAMS[name], racy=True))
    found = finding_of(program)
    assert not isinstance(found, Proved)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_that_is_analysed_is_analysed_itself(name: str) -> None:
    program = translated(program_of(chosen_text(PROGRAMS[name], racy=False))).program
    assert translated(program).program == program


def test_a_pointer_becomes_one_for_each_purpose() -> None:
    webs = translated(
        program_of(chosen_text(PROGRAMS["own array, then shared"], racy=False))
    ).split.webs
    assert {
        name: [len(set(web.values())) for web in found.values()] for name, found in webs.items()
    } == {
        "one": [2],
        "two": [2],
    }


@pytest.mark.parametrize("name", LISTS)
def test_what_is_freed_is_found_by_its_start(name: str) -> None:
    """The head of the list may not end with an element, unless it is where its record begins."""
    members, proved = LISTS[name]
    text = (
        START + ELEMENTS.replace("MEMBERS", members) + MAIN.replace("add(&list);", "prepare();", 1)
    )
    found = finding_of(loaded(text).program)
    assert isinstance(found, Undecided)
    certificate = found.certificate
    assert isinstance(certificate, LocksetCertificate)
    [locations] = check_locksets(
        loaded(text).program, certificate, lambda: None
    ).locations.values()
    left = {each.name.split(",")[0]: each for each in locations if each.undecided}
    assert ("struct list.lock" not in left) == proved, sorted(left)


def test_members_of_a_union_begin_together() -> None:
    both = (("first", INT), ("second", INT))
    union = RecordType("u", (("active$", INT), *both))
    plain = RecordType("r", both)
    assert [is_inner(plain, cell) for cell in (0, 1)] == [False, True]
    assert not any(is_inner(union, cell) for cell in (0, 1, 2))
    behind = RecordType("o", (("head", union), ("last", INT)))
    assert [is_inner(ArrayType(behind, 4), cell) for cell in range(4)] == [False] * 3 + [True]
    empty = RecordType("e", (("none", RecordType("n", ())), ("head", plain)))
    assert [is_inner(empty, cell) for cell in (0, 1)] == [False, True]


def test_procedures_are_those_of_threads() -> None:
    found = translated(program_of(chosen_text(CONTEXTS["each its own"], racy=False)))
    names = [procedure.name for procedure in found.program.procedures]
    assert {"bump", "bump$two"} <= set(names)
    for edge in found.program.edges:
        old = found.contexts.before.edges[found.contexts.edges[edge.id]]
        assert found.contexts.locations[edge.source] == old.source
        assert found.contexts.locations[edge.target] == old.target
        assert edge.span == old.span
