"""From a trace and sources to an answer: build, force, run, observe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from threadwise.reproduction.arguments import arguments_of
from threadwise.reproduction.building import Build, Sources
from threadwise.reproduction.control import Snapshot, ThreadState, Trouble
from threadwise.reproduction.forcing import (
    Forcing,
    NotForcedError,
    forcing_of,
    library_inputs,
    of_several_values,
    without_library,
)
from threadwise.reproduction.machine_code import MachineCode, read_machine_code
from threadwise.reproduction.observing import Observer, ending
from threadwise.reproduction.outcome import Outcome, OutcomeKind
from threadwise.reproduction.watching import Running, started
from threadwise.traces.events import EndKind, Schedule
from threadwise.traces.schedule import MAIN

_SANITIZED = (EndKind.RACE, EndKind.MISUSE, EndKind.MEMORY)


@dataclass
class Reproduction:
    """A program that was built for one schedule; it can be run any number of times."""

    schedule: Schedule
    build: Build
    code: MachineCode
    forcing: Forcing

    def run(self) -> Outcome:
        """Run the program once under its schedule.

        ThreadSanitizer reports one race for an access, maybe one with a third access that came
        before. So if a race is not reported, its two accesses come in the other order once more.
        What is not seen although all events happened is missed at the last step.
        """
        outcome = self._run_once(is_reversed=False)
        race = self.schedule.end.kind is EndKind.RACE
        if race and outcome.kind is not OutcomeKind.REPRODUCED and outcome.step is None:
            outcome = self._run_once(is_reversed=True)
        if outcome.kind is not OutcomeKind.REPRODUCED and outcome.step is None:
            outcome = replace(outcome, step=self.schedule.last_step)
        diverged = outcome.kind is OutcomeKind.DIVERGED
        return self._with_stubs(outcome) if diverged and self.build.supplied else outcome

    def _run_once(self, *, is_reversed: bool) -> Outcome:
        folder = self.build.folder
        program, told = self.build.program, self.forcing.text
        arguments = arguments_of(self.schedule)
        run = started(program, told, folder, arguments, is_reversed=is_reversed)
        with run as running:
            last = running.until_over()
            if last.trouble is Trouble.FINE and (last.is_over or self._is_last(running, last)):
                observer = Observer(self.schedule.end, self.code, self.schedule.threads)
                return observer.observe(running)
            return self._stopped(running, last)

    def run_often(self, runs: int) -> Outcome:
        """Run it several times; the first run that does not reproduce counts."""
        outcome = self.run()
        for number in range(1, runs):
            if outcome.kind is not OutcomeKind.REPRODUCED:
                return replace(outcome, reason=f"run {number} of {runs}: {outcome.reason}")
            outcome = self.run()
        return outcome

    def _is_last(self, running: Running, last: Snapshot) -> bool:
        """Whether the process ended in the events of the thread that is to fail.

        An event has happened when its thread comes to its next point: after the last ones there
        is none.
        """
        failing = self.schedule.end.threads
        left = self.forcing.events[last.turn :]
        return (
            last.is_alive
            and running.has_ended()
            and all(forced.event.thread in failing for forced in left)
        )

    def _stopped(self, running: Running, last: Snapshot) -> Outcome:
        """Why not all events happened."""
        if not last.is_alive:
            reason = f"the program does not start: {running.errors[-300:]}"
            return Outcome(OutcomeKind.NOT_FORCED, reason, 1)
        if last.trouble is Trouble.OTHER_VALUE:
            event = self.forcing.events[last.trouble_event].event
            verb = event.action.value
            told = f"{verb} {event.variable}: {last.trouble_value}, in the model {event.value}"
            return self._at(last.trouble_event, told)
        thread = last.threads[self.forcing.events[last.turn].event.thread]
        code = running.process.poll()
        if code is not None:
            return self._at(last.turn, ending(code), running.errors[-300:])
        match thread.state:
            case ThreadState.ABSENT:
                reason = "it was never started"
            case ThreadState.ENDED:
                reason = "it has already ended"
            case _:
                reason = "it does not come to it"
        here = list(running.calls(thread.tid, self.code, last.base))[:1]
        place = self.code.at.get(thread.address)
        if here:
            reason += f"; it is at line {here[0].line}"
        elif place is not None:
            reason += f"; it was last seen at line {place.line}"
        return self._at(last.turn, reason)

    def _with_stubs(self, outcome: Outcome) -> Outcome:
        """Library functions returned what the trace says and did nothing else that they do."""
        names = ", ".join(self.build.supplied)
        reason = f"{outcome.reason}: {names} only returned what the trace says"
        return replace(outcome, kind=OutcomeKind.NOT_FORCED, reason=reason)

    def _at(self, number: int, reason: str, *seen: str) -> Outcome:
        event = self.forcing.events[number].event
        name = self.schedule.threads[event.thread]
        what = f"{event.action.value} {event.variable or ''}".strip()
        told = f"{name} {what} at {event.span}: {reason}"
        return Outcome(OutcomeKind.DIVERGED, told, event.step, seen)


def prepare(
    schedule: Schedule, sources: Sources, folder: Path, *, may_refuse: bool = False
) -> Reproduction:
    """Build a program for a schedule; raises NotForcedError, InputError if it does not build.

    Library functions return what the trace says, which is possible if they only return something.
    """
    build, code = _built(schedule, sources, folder)
    for callee, step in of_several_values(schedule, code).items():
        raise NotForcedError(step, f"{callee} takes several values from outside")
    supplied = list(library_inputs(schedule, code))
    if supplied:
        build.supplied = supplied
        build.link()
        code = read_machine_code(build.program)
    forcing = forcing_of(schedule, code, may_refuse=may_refuse)
    return Reproduction(schedule, build, code, forcing)


def prepare_with_library(
    schedule: Schedule, sources: Sources, folder: Path, *, may_refuse: bool = False
) -> Reproduction | None:
    """The same where library functions do what they do here; None: they are asked for nothing.

    Their results need not be those of the trace: only a run that ends as the trace does says
    something.
    """
    build, code = _built(schedule, sources, folder)
    if not library_inputs(schedule, code):
        return None
    own = without_library(schedule, code)
    forcing = forcing_of(own, code, may_refuse=may_refuse, compares=False)
    return Reproduction(own, build, code, forcing)


def _built(schedule: Schedule, sources: Sources, folder: Path) -> tuple[Build, MachineCode]:
    if schedule.threads[0] != MAIN:
        reason = "the program has no `main`: its functions are called by --entry"
        raise NotForcedError(1, reason)
    build = Build(sources, folder, schedule.end.kind in _SANITIZED)
    build.make()
    return build, read_machine_code(build.program)
