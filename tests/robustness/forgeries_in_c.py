"""Forgeries about C, most of them lies about locks, threads and memory; see `forgeries`.

The sibling's own proof that locks are used as such is edited to be one that there is no race.
"""

from __future__ import annotations

from typing import Any

from tests.robustness.forgeries import Data, Edit, Forgery, both, setting

_HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n"
_LOCKS = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n"


def _lock(name: str) -> str:
    return f"pthread_mutex_lock(&{name});"


def _unlock(name: str) -> str:
    return f"pthread_mutex_unlock(&{name});"


def _main(body: str, globals_: str, thread: str, *, threads: str = "pthread_t t;") -> str:
    return (
        f"{_HEAD}{globals_}\nstatic void *f(void *p) {{ {thread} return p; }}\n"
        f"int main(void) {{ {threads} {body} return 0; }}\n"
    )


_CREATE, _JOIN = "pthread_create(&t, 0, f, 0);", "pthread_join(t, 0);"
SAFELY, OTHERWISE = (f"{_lock(name)} x = 2; {_unlock(name)} {_JOIN}" for name in "mn")
LOCKED = _main(f"{_CREATE} {SAFELY}", f"{_LOCKS}int x;", f"{_lock('m')} x = 1; {_unlock('m')}")
JOINED = _main(f"{_CREATE} {_JOIN} x = 2;", "int x;", "x = 1;")
PUBLISHED = _main(
    f"{_CREATE} int *k = __atomic_load_n(&last, __ATOMIC_SEQ_CST); if (k) *k = 3; {_JOIN}",
    "int *last;",
    "int *l = malloc(sizeof *l); if (!l) return p; *l = 1; *l = 2; "
    "__atomic_store_n(&last, l, __ATOMIC_SEQ_CST);",
)
PASSED = _main(
    "pthread_create(&t, 0, f, &x[0]); pthread_create(&u, 0, f, &x[1]); "
    "pthread_join(t, 0); pthread_join(u, 0);",
    "int x[2];",
    "*(int *)p = 1;",
    threads="pthread_t t, u;",
)
IN_TURN = _main(
    "pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_create(&u, 0, g, 0); "
    "pthread_join(u, 0);",
    "int x; void *g(void *p) { x = 2; return p; }",
    "x = 1;",
    threads="pthread_t t, u;",
)
GIVEN = _main(
    f"int *l = malloc(sizeof *l); if (!l) return 0; *l = 2; pthread_create(&t, 0, f, l); {_JOIN}",
    "",
    "*(int *)p = 1;",
)
ASSERTED = _main(
    f"{_CREATE} {_lock('m')} assert(x <= 1); {_unlock('m')} {_JOIN}",
    f"{_LOCKS}int x;",
    f"{_lock('m')} x = 1; {_unlock('m')}",
)
_IN_ORDER, _REVERSED = (
    f"{_lock(a)} {_lock(b)} x = 1; {_unlock(b)} {_unlock(a)}" for a, b in ("mn", "nm")
)
ORDERED = _main(f"{_CREATE} {_IN_ORDER} {_JOIN}", f"{_LOCKS}int x;", f"{_IN_ORDER} p = 0;")

ENDED: Data = {"running": [], "rosters": [], "handles": []}
NOWHERE: Data = {"sites": [], "slots": [], "tails": [], "taken": [], "owned": []}
UNREFINED: Data = {"flags": [], "left": [], "counts": [], "guarded": [], "limits": []}
ANYTHING: Data = {"locks": [[[["*", 0]], 2]], "late": [["*", 0]]}
FAILING = "everywhere but at the failure"
FAILURE = 10
"""Where the assertion of `ASSERTED` fails, after simplification."""


def _where(has: str, **more: Any) -> Edit:
    """What threads know besides, where they know something of a kind."""

    def edit(data: Data) -> None:
        for _, (case, *_) in data["knowledge"]:
            if has in case:
                case.update(more)

    return edit


def _not_where(has: str) -> Edit:
    """Nobody gets where something of a kind is known."""

    def edit(data: Data) -> None:
        data["knowledge"] = [row for row in data["knowledge"] if has not in row[1][0]]

    return edit


def _unknown(*objects: str) -> Edit:
    """Nothing is said of the contents of some objects."""

    def edit(data: Data) -> None:
        data["memory"] = [row for row in data["memory"] if row[0] not in objects]

    return edit


def _empty(name: str) -> Edit:
    """A pointer leads nowhere."""

    def edit(data: Data) -> None:
        for row in data["memory"]:
            if row[0] == name:
                row[2] = {"targets": [], "constants": [None]}

    return edit


def _nobody(data: Data) -> None:
    """By separation logic, nobody is anywhere."""
    data["resources"] = {**NOWHERE, "unreached": [[at, 0] for at, _ in data["knowledge"]]}


def _lists_a_node(data: Data) -> None:
    """The variable is an object that its lock hands from thread to thread."""
    key = ["name", "x", [], "m.lock", []]
    data["resources"] = {**NOWHERE, "sites": ["x"], "slots": [["x", 0, *key]], "unreached": []}


def _second_look(states: list[Data] | str, **claims: Any) -> Edit:
    """Other claims of the more precise pass, and where it gets; nothing is known there."""

    def edit(data: Data) -> None:
        found = states
        if states == FAILING:
            found = [[at, ANYTHING] for at, _ in data["knowledge"] if at != FAILURE]
        data["refinement"] = {**UNREFINED, **claims, "states": found}

    return edit


def _swapped(data: Data) -> None:
    """The first thread takes the locks in the other order."""
    other = {"m.lock": "n.lock", "n.lock": "m.lock"}
    for row in data["procedures"][0]["changes"]:
        row[1:] = [[other[name] for name in names] for names in row[1:]]


def _order(*groups: tuple[list[str], str | None]) -> Edit:
    rows = [{"nodes": nodes, "gate": gate} for nodes, gate in groups]
    return both(_swapped, setting(order=rows))


def _steps(change: Any) -> Edit:
    def edit(data: Data) -> None:
        data["steps"] = change(data["steps"])

    return edit


def _locked(lie: str, edit: Edit, why: str) -> Forgery:
    """The threads hold different locks."""
    return _races(LOCKED, SAFELY, OTHERWISE, lie, edit, why)


def _races(
    text: str, right: str, wrong: str, lie: str, edit: Edit, why: str, claimed: str = "races"
) -> Forgery:
    return Forgery(lie, "locksets", text, right, wrong, claimed, edit, why, known="mutex")


def _joined(lie: str, edit: Edit, why: str) -> Forgery:
    """The other thread is joined too late."""
    return _races(JOINED, f"{_JOIN} x = 2;", f"x = 2; {_JOIN}", lie, edit, why)


def _published(lie: str, edit: Edit, why: str) -> Forgery:
    """An object is written when others know it."""
    store = "__atomic_store_n(&last, l, __ATOMIC_SEQ_CST);"
    return _races(PUBLISHED, f"*l = 2; {store}", f"{store} *l = 2;", lie, edit, why)


def _passed(lie: str, edit: Edit, why: str) -> Forgery:
    """Two threads get the same argument."""
    return _races(PASSED, "f, &x[1])", "f, &x[0])", lie, edit, why)


def _in_turn(lie: str, edit: Edit, why: str) -> Forgery:
    """A thread is started before another one was joined."""
    join, create = "pthread_join(t, 0);", "pthread_create(&u, 0, g, 0);"
    return _races(IN_TURN, f"{join} {create}", f"{create} {join}", lie, edit, why)


def _given(lie: str, edit: Edit, why: str) -> Forgery:
    """An object is written when a thread has got it."""
    create = "pthread_create(&t, 0, f, l);"
    return _races(GIVEN, f"*l = 2; {create}", f"{create} *l = 2;", lie, edit, why)


def _asserted(lie: str, edit: Edit, why: str) -> Forgery:
    """An assertion fails."""
    return _races(ASSERTED, "x <= 1", "x <= 0", lie, edit, why, "assert:7")


def _deadlock(lie: str, edit: Edit, why: str) -> Forgery:
    """Locks are taken in different orders."""
    reversed_ = f"{_REVERSED} {_JOIN}"
    return Forgery(
        lie, "lock-order", ORDERED, f"{_IN_ORDER} {_JOIN}", reversed_, "deadlocks", edit, why
    )


C = [
    _locked("no lock is needed", lambda _: None, "may race"),
    _locked(
        "the other lock is held, too",
        _where("held", held=["m.lock.owner", "n.lock.owner"]),
        "knowing less",
    ),
    _locked("the other thread has ended", _where("held", **ENDED), "knowing less"),
    _locked("the other thread does not run", _where("held", absent=["f"]), "knowing less"),
    _locked("no thread was started", _where("started", started=[], **ENDED), "knowing less"),
    _locked("the thread does nothing", _not_where("identity"), "knowing less"),
    _locked("nobody holds the other lock", _not_where("held"), "knowing less"),
    _locked(
        "the variable is written before threads begin",
        lambda d: d["frozen"].append(["x", 0]),
        "is written while others may see it",
    ),
    _locked("the variable holds nothing", _unknown("x"), "another value"),
    _locked("the variable is a lock", setting(numbers=[["x", 0, "flag"]]), "may race"),
    _locked("nobody is anywhere", _nobody, "may race"),
    _locked("a lock hands the variable over", _lists_a_node, "resources"),
    _locked("the passes are left out", setting(steps=[]), "cannot be read"),
    _locked(
        "a pass that does not exist",
        _steps(lambda s: [*s, {"step": "simplify", "pass": "x"}]),
        "no pass",
    ),
    _locked("a pass once more", _steps(lambda s: [s[0], *s]), "changes nothing"),
    _locked("passes in the reverse order", _steps(lambda s: s[::-1]), "changes nothing"),
    _joined("the thread was joined", _where("running", **ENDED), "knowing less"),
    _joined("another thread was started", _where("running", running=[[99, 0]]), "no edge starts"),
    _published(
        "the object is still owned", _where("identity", owned=[["l", "new 0"]]), "knowing less"
    ),
    _published("the pointer leads nowhere", _empty("main.k@"), "knowing less"),
    _published("nothing is stored there", _unknown("last"), "another value"),
    _published(
        "a lock hands the object over",
        lambda d: d.update(handed=["new 0"], slots=[["last", 0, "name", "last", [], "last", []]]),
        "mishandles",
    ),
    _passed("arguments differ", setting(identified=["f"]), "the same argument"),
    _in_turn("never at once", setting(exclusive=[["f", "g"]]), "may run at the same time"),
    _in_turn("nor with others", setting(exclusive=[["f", "main"]]), "no template whose threads"),
    _passed("there is one thread", setting(alone=["f"]), "may run at the same time"),
    _passed("threads have numbers", setting(numbered=["f"]), "the same number"),
    _given("the thread owns what it gets", setting(given={"f": "new 0"}), "knowing less"),
    _given("the object is still owned", _where("running", owned=[["l", "new 0"]]), "knowing less"),
    _asserted("failures do not count", lambda _: None, "reaches a failure"),
    _asserted("a second look reaches nothing", _second_look([]), "location 0 is reached"),
    _asserted("a second look does not get there", _second_look(FAILING), "is reached otherwise"),
    _asserted(
        "the variable keeps its value while there are threads",
        _second_look(FAILING, flags=[["x", 0, [0]]]),
        "breaks flags",
    ),
    _asserted(
        "the variable has limits",
        _second_look(FAILING, limits=[["x", 0, 0, 0]]),
        "is reached otherwise",
    ),
    _asserted(
        "the variable counts threads",
        _second_look(FAILING, counts=[["x", 0]]),
        "is reached otherwise",
    ),
    _deadlock("the order of the other thread", _swapped, "does not come before"),
    _deadlock(
        "any order behind a lock that nobody takes",
        _order((["end f"], None), (["m.lock", "n.lock"], "g.lock")),
        "does not come before",
    ),
    _deadlock(
        "a lock is its own gate lock",
        _order((["end f"], None), (["m.lock", "n.lock"], "m.lock")),
        "does not come before",
    ),
    _deadlock("nothing is in order", _order(), "does not come before"),
]
