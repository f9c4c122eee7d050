"""Forgeries about steps to another program: the steps lie, and the proof behind them is right."""

from __future__ import annotations

from tests.robustness.forgeries import HANDED, ORDERED, USED, WEAKER, Data, Edit, Forgery, setting

DATA = (
    "mutex m; int[0..3] wrap x; bool ready; "
    "thread t[2] { acquire(m); x = x + 1; release(m); if (false) { ready = true; } }"
)
HIDDEN = (
    "int[0..3] x; thread t { int[0..3] r; r = 1; r = r + 1; x = r; r = 0; x = r; } "
    "invariant low: x <= 2;"
)
ANY_NUMBER = (
    "bool busy; int[0..2] inside; thread w() { await(!busy) { busy = true; } inside = 1; "
    "assert(inside == 1); inside = 0; busy = false; } thread main { while (true) { spawn w(); } }"
)


def _behind(*steps: Data) -> Edit:
    """The proof is one of the program after some steps."""

    def edit(data: Data) -> None:
        data.update(kind="transformed", inner_kind=data["kind"], steps=list(steps))

    return edit


def _instead(*steps: Data) -> Edit:
    """Other steps than those of the proof."""
    return setting(steps=list(steps))


def _simplify(name: str) -> Data:
    return {"step": "simplify", "pass": name}


def _forget(*names: str) -> Data:
    return {"step": "forget", "forgotten": list(names)}


def _follow(template: str, *claims: str) -> Data:
    following = {"template": template, "arrays": [], "claims": list(claims)}
    return {"step": "follow", "followings": [following]}


def _gather(template: str, most: int) -> Data:
    return {"step": "gather", "most": [{"template": template, "most": most}]}


def _handed(lie: str, edit: Edit, why: str) -> Forgery:
    return Forgery(lie, "explicit", HANDED, *WEAKER, "assert:1", edit, why)


def _alone(lie: str, edit: Edit, why: str) -> Forgery:
    return Forgery(lie, "counting", USED, "free = 1;", "free = 2;", "alone", edit, why)


def _of_many(lie: str, edit: Edit, why: str) -> Forgery:
    return Forgery(lie, "horn", ANY_NUMBER, "await(!busy)", "await(true)", "assert:1", edit, why)


STEPS = [
    _handed("the variable is forgotten", _behind(_forget("x")), "number of cells|no value|leaves"),
    _handed(
        "what the assertion reads is forgotten",
        _behind(_forget("u.r@")),
        "is missing|leaves|no value",
    ),
    _handed("nothing is forgotten that there is", _behind(_forget("zzz")), "zzz|leaves"),
    _handed("a step that does not exist", _behind({"step": "jump"}), "unknown step"),
    _handed(
        "a proof by states of split locations", _behind({"step": "tell apart"}), "by formulas"
    ),
    _handed("a proof by states of tallies", _behind({"step": "tally"}), "by formulas"),
    _handed(
        "a proof by states of a parametric program",
        _behind(_gather("t", 1)),
        "formulas or equations",
    ),
    _handed("a proof by states of a followed thread", _behind(_follow("t")), "by formulas"),
    _handed(
        "a changed program is changed again",
        _behind(_forget("x"), _forget("x")),
        "a change of a changed program",
    ),
    _handed(
        "a pass behind a change",
        _behind(_forget("x"), _simplify("constants")),
        "a change of a changed program",
    ),
    _handed(
        "steps in front of steps",
        setting(kind="transformed", inner_kind="transformed", steps=[]),
        "a change of a changed program",
    ),
    Forgery(
        "constants are put in behind an invariant",
        "explicit",
        HIDDEN,
        "x <= 2",
        "x <= 1",
        "low",
        _behind(_simplify("constants")),
        "an invariant may look",
    ),
    _alone(
        "an invariant of a parametric program", _behind(_gather("t", 1)), "races and failures only"
    ),
    _alone(
        "an invariant after data is forgotten", _behind(_forget("free")), "races and failures only"
    ),
    Forgery(
        "deadlocks after data is forgotten",
        "lock-order",
        ORDERED,
        "acquire(m); acquire(n); skip; release(n); release(m);",
        "acquire(n); acquire(m); skip; release(m); release(n);",
        "deadlocks",
        _behind(_forget("g")),
        "races and failures only",
    ),
    Forgery(
        "deadlocks of a followed thread",
        "lock-order",
        ORDERED,
        "acquire(m); acquire(n); skip; release(n); release(m);",
        "acquire(n); acquire(m); skip; release(m); release(n);",
        "deadlocks",
        _behind(_follow("t")),
        "does not keep deadlocks",
    ),
    Forgery(
        "a guard that is data",
        "digest",
        DATA,
        "if (false)",
        "if (x == 1)",
        "races",
        _instead(_forget("x", "ready")),
        "no value of ready",
    ),
    _of_many("one thread is created at most", _instead(_gather("w", 1)), "the number of threads"),
    _of_many("no thread is created", _instead(_gather("w", 0)), "the number of threads"),
    _of_many("threads of another pool", _instead(_gather("zzz", 1)), "breaks an invariant"),
    _of_many("threads are not created", _instead({"step": "tally"}), "breaks an invariant"),
    _of_many("one thread is followed", _instead(_follow("w")), "no `main` can be"),
    _of_many("a thread that does not exist is followed", _instead(_follow("zzz")), "no template"),
]
