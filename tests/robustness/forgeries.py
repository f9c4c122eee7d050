"""Certificates forged by hand: what each lie is, and how the file is edited.

A forgery begins with what an engine proves of a program that is safe. Its *sibling* differs in one
place (`right` for `wrong`), has the same locations, and violates the property. The proof is edited
so that it looks like one of the sibling: each edit is aimed at one obligation of the checker, as
somebody would write it who hopes that this one is not checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Data = Any
Edit = Callable[[Data], None]


@dataclass(frozen=True)
class Forgery:
    """A proof of a safe program, edited to be one of its sibling."""

    lie: str
    engine: str
    text: str
    right: str
    wrong: str
    claimed: str
    """The property that the sibling violates."""
    edit: Edit
    why: str
    """Words of the checker's answer."""
    symmetry: bool = True
    known: str = ""
    """If not empty: a property that the sibling has. Its proof is edited then."""

    @property
    def sibling(self) -> str:
        """The program that is not safe."""
        assert self.right in self.text
        return self.text.replace(self.right, self.wrong)


def setting(**parts: Any) -> Edit:
    """An edit that replaces some parts of the document."""
    return lambda data: data.update(parts)


def both(*edits: Edit) -> Edit:
    """Some edits, one after the other."""

    def edit(data: Data) -> None:
        for each in edits:
            each(data)

    return edit


# -- models --------------------------------------------------------------------------------------

HANDED = "int[0..3] x; thread t { x = 2; } thread u { int[0..3] r; r = x; assert(r <= 2); }"
SEVERAL = "int[0..3] x; thread t[*] { int[0..3] r; x = 2; r = x; assert(r <= 2); }"
CALLED = (
    "int[0..3] x; int[0..3] f(int[0..3] p) { return p; } "
    "thread t { int[0..3] r; r = f(2); x = r; assert(x <= 2); }"
)
HELD = (
    "mutex m; mutex n; int[0..3] x; "
    "thread t { acquire(m); x = 1; assert(x == 1); x = 0; release(m); } "
    "thread u { acquire(m); x = 2; x = 0; release(m); }"
)
UNHELD = ("acquire(m); x = 2; x = 0; release(m)", "acquire(n); x = 2; x = 0; release(n)")
USED = (
    "int[0..2] free = 1; thread t[2] { await(free > 0) { free = free - 1; } use: skip; "
    "atomic { free = free + 1; } } "
    "invariant alone: forall i, j: t. i != j ==> !(at(i, use) && at(j, use));"
)
RACED = (
    "mutex m; mutex n; int[0..3] x; thread t { acquire(m); x = 1; release(m); } "
    "thread u { acquire(m); x = 2; release(m); } race_free x;"
)
OTHER = ("acquire(m); x = 2; release(m)", "acquire(n); x = 2; release(n)")
FLAGGED = (
    "int[0..1] busy; int[0..3] x; "
    "thread t[2] { await(busy == 0) { busy = 1; } x = 1; busy = 0; } race_free x;"
)
ORDERED = (
    "mutex m; mutex n; mutex g; "
    "thread t { acquire(m); acquire(n); release(n); release(m); } "
    "thread u { acquire(m); acquire(n); skip; release(n); release(m); }"
)
BRANCH = (
    "mutex m; mutex n; "
    "thread t { int[0..9] i; havoc i; acquire(m); if (i > 4) { acquire(n); release(n); } "
    "release(m); } "
    "thread u { acquire(m); acquire(n); skip; release(n); release(m); }"
)
WEAKER = ("r <= 2", "r <= 1")
DEADLOCK = (
    "acquire(m); acquire(n); skip; release(n); release(m);",
    "acquire(n); acquire(m); skip; release(m); release(n);",
)
FALSE = {"constant": 1, "terms": []}
"""The equation 1 = 0."""


def of_handed(engine: str, lie: str, edit: Edit, why: str, *, symmetry: bool = True) -> Forgery:
    """A lie about a value that one thread hands to another."""
    return Forgery(lie, engine, HANDED, *WEAKER, "assert:1", edit, why, symmetry)


def _without_rows(table: str, *rows: int) -> Edit:
    def edit(data: Data) -> None:
        data[table] = [row for n, row in enumerate(data[table]) if n not in rows]

    return edit


def _rest_at(table: str, wrong: int, location: int) -> Edit:
    """Threads in some local state are said to be elsewhere."""

    def edit(data: Data) -> None:
        for row in data[table]:
            if row[0] == wrong:
                row[0] = location

    return edit


def _truths(data: Data) -> None:
    """Numbers written as truth values, which are equal in many languages."""
    data["globals"] = [
        [bool(cell) if cell < 2 else cell for cell in row] for row in data["globals"]
    ]


def _never_moves(data: Data) -> None:
    data["chosen"] = [0 for _ in data["chosen"]]


def _no_guarantee(data: Data) -> None:
    data["guarantees"][0] = []


def _own_views_only(data: Data) -> None:
    """Of the other thread's steps nothing is seen: its views keep the first shared store."""
    data["reached"][1] = [[g, l] for g, l in data["reached"][1] if g == 0]


def _second_knows(**more: Any) -> Edit:
    """What the second thread knows besides where it holds its lock."""

    def edit(data: Data) -> None:
        for _, (case, *_) in data["knowledge"]:
            if case.get("held") == ["n.owner"]:
                case.update(more)

    return edit


def _second_ends(data: Data) -> None:
    """The second thread never takes its lock."""
    rows = data["knowledge"]
    data["knowledge"] = [row for row in rows if row[1][0].get("held") != ["n.owner"]]


def _flag(data: Data) -> None:
    """Whoever has taken the first step has the flag."""
    data["numbers"] = [["busy", 0, "flag"]]
    for _, (case, *_) in data["knowledge"][1:]:
        case["held"] = ["busy"]


def _swapped(data: Data) -> None:
    """The second thread takes the locks in the other order."""
    other = {"m": "n", "n": "m"}
    for row in data["procedures"][1]["changes"]:
        row[1:] = [[other[name] for name in names] for names in row[1:]]


def _order(*groups: tuple[str, str | None]) -> Edit:
    return setting(order=[{"nodes": list(nodes), "gate": gate} for nodes, gate in groups])


def _nothing_changes(data: Data) -> None:
    for row in data["procedures"]:
        row["changes"] = [[at, [], [], [], []] for at, *_ in row["changes"]]


def _said_to_lose(data: Data) -> None:
    """What was taken was given back already."""
    for row in data["procedures"]:
        row["changes"] = [[at, g, ["m", "n"], [], ["m", "n"]] for at, g, *_ in row["changes"]]


def _enters_with(data: Data) -> None:
    for row in data["entries"]:
        row["surely"] = ["g"]
    data["order"] = [{"nodes": ["m", "n"], "gate": "g"}]


def _bounds(name: str, low: int | None, high: int | None) -> Edit:
    """Bounds of a local at every location of the first thread."""

    def edit(data: Data) -> None:
        row = data["procedures"][0]
        known = [[at, [[name, low, high]]] for at, *_ in row["changes"]]
        data["bounds"] = [{"procedure": row["procedure"], "locations": known}]

    return edit


LEAVING = {0: [0], 1: [1], 2: [2, 3], 3: [4], 5: [5, 6], 8: [7], 9: [8], 10: [9], 11: [10, 11]}
"""The edges that leave the locations of `HELD`."""


def _all_movers(data: Data) -> None:
    """Every edge commutes in both directions."""
    for row in (row for claims in data["claims"] for row in claims):
        row["right"] = row["left"] = LEAVING.get(row["store"][0], [])


def _formulas(text: str) -> Edit:
    def edit(data: Data) -> None:
        data["formulas"] = [[who, where, text] for who, where, _ in data["formulas"]]

    return edit


def of_movers(engine: str, lie: str, edit: Edit, why: str) -> Forgery:
    """A lie about steps that do not commute."""
    return Forgery(lie, engine, HELD, *UNHELD, "assert:1", edit, why, known="mutex")


def of_raced(lie: str, edit: Edit, why: str) -> Forgery:
    """A lie about two threads that take different locks."""
    return Forgery(lie, "locksets", RACED, *OTHER, "race_free x", edit, why, known="mutex")


def of_order(lie: str, edit: Edit, why: str) -> Forgery:
    """A lie about two threads that take locks in different orders."""
    return Forgery(lie, "lock-order", ORDERED, *DEADLOCK, "deadlocks", edit, why)


def of_branch(lie: str, edit: Edit, why: str) -> Forgery:
    """The same if one of them takes the second lock in a branch."""
    order = both(_swapped, _order(("n", None), ("m", None)))
    return Forgery(lie, "lock-order", BRANCH, *DEADLOCK, "deadlocks", both(order, edit), why)


MODELS = [
    # sets of states
    of_handed("explicit", "no state follows the last ones", lambda _: None, "leaves the set"),
    of_handed(
        "explicit",
        "the states in which the value has arrived do not exist",
        lambda d: d.update(states=[s for s in d["states"] if d["threads"][s[2]][2] == [0]]),
        "leaves the set",
    ),
    of_handed("explicit", "only the end is a state", _without_rows("states", 0), "initial state"),
    of_handed(
        "explicit",
        "the thread that would fail is at its end",
        _rest_at("threads", 3, 5),
        "leaves the set",
    ),
    of_handed(
        "explicit", "a location from the end", _rest_at("threads", 3, -1), "nowhere in the program"
    ),
    of_handed("explicit", "numbers are truth values", _truths, "is no value of"),
    of_handed("explicit", "there are no threads", setting(states=[[0]]), "number of threads"),
    of_handed(
        "explicit",
        "another property holds",
        setting(properties=["assert:1", "assert:7"]),
        "no property",
    ),
    # some threads only
    of_handed(
        "persistent",
        "the first thread alone is explored",
        _never_moves,
        "no step of the chosen thread",
    ),
    of_handed(
        "persistent",
        "nobody will access anything",
        setting(futures=[[], []]),
        "not every location",
    ),
    # R and G
    of_handed(
        "thread-modular",
        "a thread changes nothing",
        _no_guarantee,
        "not guaranteed",
        symmetry=False,
    ),
    of_handed("thread-modular", "no thread sees another", _own_views_only, "ENV", symmetry=False),
    Forgery(
        "one thread speaks for any number",
        "thread-modular",
        SEVERAL,
        *WEAKER,
        "assert:1",
        both(setting(counts={"t": 1}, reached=[[[0, 0]]], guarantees=[[]])),
        "too few",
    ),
    Forgery(
        "an equation that never holds excludes all views",
        "thread-modular",
        SEVERAL,
        *WEAKER,
        "assert:1",
        setting(linear=[FALSE]),
        "does not hold initially",
    ),
    Forgery(
        "an equation counts the threads of another program",
        "thread-modular",
        SEVERAL,
        *WEAKER,
        "assert:1",
        setting(linear=[{"constant": 0, "terms": [{"threads": "zzz", "factor": 1}]}]),
        "quantity that the program does not have",
    ),
    Forgery(
        "nobody called the procedure",
        "thread-modular",
        CALLED,
        "x <= 2",
        "x <= 1",
        "assert:1",
        setting(callers=[[]]),
        "PUSH",
        False,
    ),
    of_handed(
        "cartesian-frontier", "the search ended early", _without_rows("chain", 2, 3), "not closed"
    ),
    # transactions
    of_movers("reduction", "all steps commute", _all_movers, "does not move as claimed"),
    of_movers("summaries", "all steps commute", _all_movers, "does not move as claimed"),
    of_movers("reduction", "no state is between", setting(states=[]), "do not correspond"),
    of_movers(
        "reduction", "the variable is forgotten", setting(forgotten=["x", "m"]), "forgetting m"
    ),
    # formulas
    of_handed(
        "tmmc", "nothing is known, and that suffices", setting(conjuncts=[]), "may be violated"
    ),
    of_handed(
        "tmmc",
        "no state is left",
        setting(decisions=[], conjuncts=[[[0], 0], [[1], 0]]),
        "does not hold initially",
    ),
    Forgery(
        "no thread is anywhere", "horn", SEVERAL, *WEAKER, "assert:1", _formulas("false"), "INIT"
    ),
    Forgery(
        "the value never arrives",
        "horn",
        SEVERAL,
        *WEAKER,
        "assert:1",
        _formulas("x <= 1"),
        "STEP",
    ),
    Forgery(
        "formulas with an equation that never holds",
        "horn",
        SEVERAL,
        *WEAKER,
        "assert:1",
        setting(linear=[FALSE]),
        "does not hold initially",
    ),
    Forgery(
        "the equation 1 = 0",
        "counting",
        USED,
        "free = 1;",
        "free = 2;",
        "alone",
        setting(linear=[FALSE]),
        "does not hold initially",
    ),
    Forgery(
        "the equations of another number",
        "counting",
        USED,
        "free = 1;",
        "free = 2;",
        "alone",
        lambda d: d["linear"][0].update(constant=-2),
        "do not exclude",
    ),
    of_handed("bounded", "threads end earlier", setting(lengths=[0, 2]), "longer than"),
    of_handed("bounded", "there is one thread", setting(lengths=[2]), "number of threads"),
    # locksets
    of_raced("the other lock is this one", _second_knows(held=["m.owner"]), "knowing less"),
    of_raced("both locks are held", _second_knows(held=["m.owner", "n.owner"]), "knowing less"),
    of_raced("nobody gets to the access", _second_ends, "knowing less"),
    of_raced("no lock is needed", lambda _: None, "may race"),
    of_raced(
        "a variable is never written",
        setting(frozen=[["x", 0]]),
        "is written while others may see it",
    ),
    of_raced(
        "a variable is a lock itself",
        both(_second_knows(held=["n.owner", "x"]), setting(numbers=[["x", 0, "flag"]])),
        "knowing less",
    ),
    of_raced(
        "the first thread is gone",
        both(_second_knows(absent=["t"]), setting(absent={"u": ["t"]})),
        "knowing less",
    ),
    of_raced("threads that nobody starts have numbers", setting(numbered=["t"]), "no template"),
    of_raced("one thread is ever started", setting(alone=["u"]), "no template"),
    of_raced(
        "an edge that starts nobody has started threads",
        _second_knows(running=[[0, 0]]),
        "no edge starts",
    ),
    of_raced("a claim that has no type", _second_knows(facts=["x[0]"]), "cannot be read"),
    Forgery(
        "a number that may be taken twice is a lock",
        "locksets",
        FLAGGED,
        "await(busy == 0)",
        "await(busy <= 1)",
        "race_free x",
        _flag,
        "knowing less",
        known="range",
    ),
    # orders of locks
    of_order("the order of the first thread", _swapped, "n does not come before m"),
    of_order("the order of the second one", both(_swapped, _order(("n", None), ("m", None))), "m"),
    of_order("locks are in no order", both(_swapped, _order()), "does not come before"),
    of_order("nothing is taken", _nothing_changes, "more may change"),
    of_order("what is taken is given back at once", _said_to_lose, "more may change"),
    of_order(
        "any order behind a gate lock that nobody takes",
        both(_swapped, _order(("mn", "g"))),
        "does not come before",
    ),
    of_order(
        "a lock is its own gate lock", both(_swapped, _order(("mn", "m"))), "does not come before"
    ),
    of_order(
        "a lock is in two groups",
        both(_swapped, _order(("m", None), ("n", None), ("m", None))),
        "does not come before",
    ),
    of_order(
        "all threads begin with the gate lock",
        both(_swapped, _enters_with),
        "may be entered with more",
    ),
    of_branch("bounds of a local exclude the branch", _bounds("i", 0, 3), "leave its bounds"),
    of_branch("bounds that no value has", _bounds("i", 9, 0), "does not start within"),
    of_branch("bounds of a local that does not exist", _bounds("zzz", 0, 0), "no local `zzz`"),
]
