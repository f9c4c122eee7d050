"""Forgeries about which thread is chosen at a state, and about steps that were added since."""

from __future__ import annotations

from tests.robustness.forgeries import HANDED, WEAKER, Data, Edit, Forgery, setting
from tests.robustness.forgeries_of_steps import ANY_NUMBER

STARTED = "thread main { spawn w(0); spawn w(1); }"
OWN = (
    "int[0..7] a[2]; thread w(int[0..1] i) { "
    f"if (i == 0) {{ assert(a[0] == 7); }} else {{ a[i] = 1; }} }} {STARTED}"
)
APART = (
    "int[0..7] a[2]; thread w(int[0..1] i) { if (i == 1) { a[i] = 1; } } "
    f"thread s {{ assert(a[0] == 7); }} {STARTED}"
)


def _choosing(thread: int) -> Edit:
    """The same thread is chosen everywhere."""

    def edit(data: Data) -> None:
        data["chosen"] = [thread] * len(data["states"])

    return edit


def _reversed(data: Data) -> None:
    data["states"].reverse()
    data["chosen"].reverse()


def _without_last(part: str) -> Edit:
    """A table is one row too short."""

    def edit(data: Data) -> None:
        data[part] = data[part][:-1]

    return edit


def _quiet(data: Data) -> None:
    """No thread touches anything from any location."""
    data["futures"] = [[[0, 0] for _ in rows] for rows in data["futures"]]


def _reading(data: Data) -> None:
    """No thread writes anything."""
    data["futures"] = [[[read, 0] for read, _ in rows] for rows in data["futures"]]


def _doubled(data: Data) -> None:
    """All states are listed twice, and steps lead on to the second copies."""
    data["states"] += data["states"]
    data["chosen"] += [0] * len(data["chosen"])


def _chosen(lie: str, edit: Edit, why: str) -> Forgery:
    return Forgery(lie, "persistent", HANDED, *WEAKER, "assert:1", edit, why)


def _behind(*names: str) -> Edit:
    """A proof by states, behind steps that only formulas may be behind."""
    return lambda data: data.update(
        kind="transformed", inner_kind=data["kind"], steps=[{"step": name} for name in names]
    )


def _of_many(lie: str, why: str, *steps: Data) -> Forgery:
    edit = setting(steps=list(steps))
    return Forgery(lie, "horn", ANY_NUMBER, "await(!busy)", "await(true)", "assert:1", edit, why)


def _followed(data: Data) -> None:
    """One thread stands for all, with the elements of its index."""
    inner = data.get("inner_kind", data["kind"])
    one = {"template": "w", "arrays": ["a"], "claims": ["w.argument.i"]}
    steps = [{"step": "follow", "followings": [one]}]
    data.update(kind="transformed", inner_kind=inner, steps=steps)


def _raced(lie: str, text: str, right: str, wrong: str) -> Forgery:
    """A proof of races by following one thread, for a sibling with a race at a failure."""
    return Forgery(lie, "horn", text, right, wrong, "races", _followed, "is lost")


def _gather(most: int, *assumed: str) -> Data:
    return {
        "step": "gather",
        "most": [{"template": "w", "most": most}],
        "assumed": list(assumed),
    }


CHOICES = [
    _chosen("the second thread goes first everywhere", _choosing(1), "no step|leaves the set"),
    _chosen("nobody is chosen, and nothing is missing", _choosing(-1), "leaves the set"),
    _chosen("a thread is chosen that there is none of", _choosing(2), "does not exist"),
    _chosen("a thread before the first is chosen", _choosing(-2), "does not exist"),
    _chosen("the last states come first", _reversed, "leads on in the list|leaves the set"),
    _chosen("a state is missing that nobody chose", _without_last("states"), "one chosen thread"),
    _chosen("a choice is missing", _without_last("chosen"), "one chosen thread"),
    _chosen("the second thread has no future", _without_last("futures"), "has a future"),
    _chosen("nobody touches anything", _quiet, "more than its future"),
    _chosen("nobody writes anything", _reading, "more than its future"),
    _chosen("states are there twice", _doubled, "no step of the chosen|leaves the set|twice"),
    _chosen("accounts of threads by states", _behind("settle"), "no parametric abstraction"),
    _chosen("an interrupted proof by states", _behind("interrupt"), "not by formulas"),
    _chosen(
        "an interrupted proof, twice", _behind("interrupt", "interrupt"), "of a changed program"
    ),
    _of_many("accounts alone", "no parametric abstraction", {"step": "settle"}),
    _of_many(
        "accounts in front of any step", "no parametric", {"step": "settle"}, {"step": "tally"}
    ),
    _of_many("accounts behind the abstraction", "no parametric", _gather(1), {"step": "settle"}),
    _of_many("interrupted first", "of a changed program", {"step": "interrupt"}, _gather(1)),
    _of_many("one thread is assumed to be created", "another number", _gather(1, "w")),
    _of_many(
        "something is assumed of no pool", "there are none of|not verified", _gather(1, "zzz")
    ),
    _raced("a neighbour's element is read where it fails", OWN, "a[0] == 7", "a[1] == 7"),
    _raced("another template reads where it fails", APART, "a[0] == 7", "a[1] == 7"),
]
