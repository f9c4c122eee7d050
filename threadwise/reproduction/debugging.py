"""A script for gdb that walks the same interleaving: a stop per event, in the user's own line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from threadwise.reproduction.forcing import ForcedEvent
from threadwise.reproduction.watching import environment
from threadwise.traces.events import Action

_FRAMES = 3
"""From where the debugger stops to the program's own line: the hook, the point, the wrapper."""
_VERBS = {action: action.value for action in Action} | {
    Action.ACQUIRE: "acquires a lock",
    Action.RELEASE: "releases a lock",
    Action.SPAWN: "starts",
    Action.JOIN: "joins",
}
_WITHOUT_LINE = (Action.BEGIN, Action.FINISH)


def gdb_script(
    program: Path,
    folder: Path,
    events: Sequence[ForcedEvent],
    threads: Sequence[str],
    arguments: Sequence[bytes] = (),
) -> str:
    """The script, for `gdb -x`; program and schedule must stay where they are."""
    lines = list(_lines(program, folder, events, threads))
    if arguments:
        told = " ".join(_argument(each) for each in arguments)
        lines.insert(lines.index("run"), f"set args {told}")
    return "\n".join([*lines, ""])


def _argument(text: bytes) -> str:
    """An argument as the shell, which gdb asks, reads it: bytes that are no letters as numbers."""
    told = "".join(chr(b) if chr(b).isalnum() and b < 128 else f"\\{b:03o}" for b in text)
    return f"\"$(printf '{told}')\""


def _lines(
    program: Path, folder: Path, events: Sequence[ForcedEvent], threads: Sequence[str]
) -> Iterator[str]:
    yield "# Walks the interleaving of a trace: `gdb -x` this file, then `turn` for each step."
    yield "set pagination off"
    yield "set confirm off"
    yield "set disable-randomization on"
    yield "set print thread-events off"
    yield f"file {program}"
    for name, value in environment(folder).items():
        yield f"set environment {name}={value}"
    yield "define threadwise_tell"
    for number, forced in enumerate(events):
        event = forced.event
        child = "" if event.child is None else threads[event.child]
        what = f"{_VERBS[event.action]} {child or event.variable or ''}".strip()
        verb = "is about to race: " if event.holds else ""
        place = f"{event.span.path}:{event.span.line}"
        told = f"step {event.step}: {threads[event.thread]} {verb}{what} at {place}"
        yield f"  if $arg0 == {number}"
        yield f"    echo {_plain(told)}\\n"
        yield f"    set $frames = {0 if event.action in _WITHOUT_LINE else _FRAMES}"
        yield "  end"
    yield "end"
    yield "define threadwise_here"
    yield "  threadwise_tell number"
    yield "  if $frames"
    yield "    up-silently $frames"
    yield "    frame"
    yield "  end"
    yield "end"
    yield "define turn"
    yield "  continue"
    yield "  threadwise_here"
    yield "end"
    yield "document turn"
    yield "Go on to the next step of the interleaving."
    yield "end"
    yield "break threadwise_step"
    yield "commands"
    yield "  silent"
    yield "end"
    yield "run"
    yield "threadwise_here"


def _plain(text: str) -> str:
    """Text that gdb's `echo` takes as it is."""
    kept = "".join(c if c.isprintable() else "?" for c in text)
    return kept.replace("\\", "\\\\").replace("#", "\\#")
