"""Hand-made results, one for each thing a report can say."""

from collections.abc import Sequence

from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile, Span
from threadwise.ir.program import EdgeId, LocId
from threadwise.proofs.base.audit import Audit
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.results.result import Attempt, PropertyResult, Result, Unreached
from threadwise.results.verdict import Verdict
from threadwise.semantics.state import Choice, GlobalStore, LocalStore, Move, State
from threadwise.traces.trace import Change, DescribedTrace, Trace, TraceStep

PATH = "counter.tw"
HASH = "0123456789abcdef"
SOURCE = SourceFile(
    PATH,
    """\
mutex m;
int[0..3] x;

thread worker[2] {
    int[0..3] t;
    t = x;
    x = t + 1;
    acquire(m);
    assert(x == 2);
    release(m);
}
""",
)
SOURCES = {PATH: SOURCE}


def span(line: int, column: int = 5, length: int = 10) -> Span:
    return Span.at(PATH, line, column, length)


def step(number: int, thread: int, line: int, text: str, *changes: Change) -> TraceStep:
    return TraceStep(number, thread, f"worker[{thread}]", span(line), text, changes)


def shared(cell: str, before: str, after: str) -> Change:
    return Change(cell, before, after, shared=True)


def own(cell: str, before: str, after: str) -> Change:
    return Change(cell, before, after, shared=False)


def described(
    steps: Sequence[TraceStep], threads: int = 2, initial: Sequence[tuple[str, str]] = ()
) -> DescribedTrace:
    moves = tuple(Move(s.thread, (Choice(EdgeId(s.number)),)) for s in steps)
    return DescribedTrace(
        Trace(HASH, "assert:9", (-1, 0), moves),
        tuple(f"worker[{number}]" for number in range(threads)),
        tuple(initial or (("m", "none"), ("x", "0"))),
        tuple(steps),
        "assertion fails in worker[1]",
        span(9, 5, 15),
    )


LOST_UPDATE = described(
    [
        step(1, 0, 6, "t = x;"),
        step(2, 1, 6, "t = x;"),
        step(3, 0, 7, "x = t + 1;", shared("x", "0", "1")),
        step(4, 1, 7, "x = t + 1;", own("t", "0", "1"), own("n", "", "2")),
        step(5, 1, 8, "acquire(m);", shared("m", "none", "worker[1]")),
        step(6, 1, 9, "assert(x == 2);"),
    ]
)


def certificate(*properties: str, states: int = 3) -> StateSetCertificate:
    listed = [
        State(GlobalStore((-1, number)), (LocalStore(LocId(0), (), (0,)),), ((),))
        for number in range(states)
    ]
    return StateSetCertificate(HASH, properties, listed)


def safe(name: str, kind: str, proof: StateSetCertificate, line: int | None) -> PropertyResult:
    location = None if line is None else span(line)
    return PropertyResult(
        name,
        kind,
        Verdict.SAFE,
        "explicit",
        location=location,
        certificate=proof,
        check_time_s=0.25,
        audit=Audit(312, False, 14, 15, {"the set contains the state": 400}),
    )


def unknown(name: str, kind: str, reason: str) -> PropertyResult:
    return PropertyResult(name, kind, Verdict.UNKNOWN, reason=reason, location=span(9))


STATISTICS = {"time_s": 1.5, "peak_memory_bytes": 34_123_456, "states": 12345}
VIOLATED = PropertyResult(
    "assert:9",
    "assertion",
    Verdict.UNSAFE,
    "explicit",
    location=span(9),
    trace=LOST_UPDATE,
    check_time_s=0.01,
)
MUTEX = safe("mutex", "mutex", certificate("mutex", "range"), None)
RANGE = safe("range", "range", certificate("mutex", "range"), None)

UNSAFE = Result(
    PATH,
    (VIOLATED, MUTEX, RANGE),
    program_hash=HASH,
    load=LoadOptions({"N": "2"}, {"worker": 2}),
    tried=(Attempt("explicit", 1.25, "decided"),),
    statistics=STATISTICS,
)
SAFE = Result(
    PATH,
    (MUTEX, RANGE),
    program_hash=HASH,
    assumptions=("memory is sequentially consistent",),
    statistics={"time_s": 0.02, "states": 1},
)
VACUOUS = Result(
    PATH,
    (MUTEX,),
    program_hash=HASH,
    statistics={"time_s": 0.02, "states": 3},
    unreached=(
        Unreached(span(9), "assert(x == 2);", is_assertion=True),
        Unreached(span(10), "release(m);", is_assertion=False),
    ),
)
NOTHING_TO_CHECK = Result(PATH, (), program_hash=HASH, statistics={"time_s": 0.02})
TIMED_OUT = Result(
    PATH,
    (
        MUTEX,
        unknown("assert:9", "assertion", "time limit of 1 s reached"),
        unknown("races", "race", "time limit of 1 s reached"),
    ),
    "time limit of 1 s reached",
    program_hash=HASH,
    tried=(Attempt("explicit", 1.0, "stopped by a limit"),),
    statistics={"time_s": 1.0, "peak_memory_bytes": 999_999, "states": 12345},
)
CUT = Result(
    PATH,
    (
        unknown("assert:9", "assertion", "no violation with at most 5 calls on a stack"),
        unknown("races", "race", "no violation with up to 4 threads proves any number"),
    ),
    program_hash=HASH,
    bounds={"max-depth": 5},
    tried=(
        Attempt("thread-modular", 0.5, "undecided"),
        Attempt("explicit", 12.0, "undecided"),
    ),
    statistics={"time_s": 13.0, "summaries": 1, "path_edges": 7, "solver_time_s": 0.5},
)
UNLOADED = Result(PATH, (), "counter.tw:6:5: unsupported: `fork`")
CROWD = Result(
    PATH,
    (
        *(safe(f"assert:{n}", "assertion", certificate("a", "b"), n) for n in range(1, 12)),
        *(safe(f"inv{n}", "invariant", certificate("a", "b"), n) for n in range(1, 11)),
    ),
    program_hash=HASH,
    statistics={"states": 3},
)
