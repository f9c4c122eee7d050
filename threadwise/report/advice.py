"""What to try next when the answer is UNKNOWN."""

from __future__ import annotations

from threadwise.report.summary import undecided
from threadwise.results.result import Result

_SMALLER = "or make the program smaller with -D or --threads"
_PURE = "--assume-pure "
_DESCRIBE = (
    "if they do more, describe it: `threadwise dump-ir FILE --format library > functions.toml` "
    "writes entries to correct, and --library functions.toml reads them"
)

# Which words in a reason call for which advice.
_ADVICE = (
    ("time limit", f"raise --time-limit, {_SMALLER}"),
    ("memory limit", f"raise --memory-limit, {_SMALLER}"),
    ("memory ran out", f"use a machine with more memory, {_SMALLER}"),
    ("ran out of memory", f"set --memory-limit, {_SMALLER}"),
    ("any number", "check a fixed number of threads: --threads NAME=3"),
    ("more threads", "raise --max-threads, the number of threads that `spawn` may start"),
    (
        "not inside one transaction",
        "let a lock protect what that statement touches, or use --engine thread-modular",
    ),
    ("not preserve", "use --engine auto: for races and deadlocks another engine is needed"),
    ("a wrong annotation", "correct it: `threadwise explain --movers` shows what is true"),
    ("unsupported", "rewrite the construct that the reason names, or leave it out of the program"),
)


def next_steps(result: Result) -> list[str]:
    """Suggestions, the most likely first; empty if there is nothing sensible to say."""
    steps = [] if result.next_step is None else [f"the same with {result.next_step}"]
    if result.next_step is not None and _PURE in result.next_step:
        steps.append(_DESCRIBE)
    steps += [
        f"raise --{name}, which cut the search at {value:,}"
        for name, value in result.bounds.items()
    ]
    reasons = [checked.reason or "" for checked in undecided(result)]
    told = "\n".join([result.reason or "", *reasons])
    steps.extend(advice for words, advice in _ADVICE if words in told)
    return steps
