"""The interpreter that a trace is followed with: inputs have the values that the trace names."""

from __future__ import annotations

from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, Property
from threadwise.semantics.step import Interpreter
from threadwise.traces.trace import Trace


def interpreter_of(program: Program, trace: Trace, checked: Property) -> Interpreter:
    """For a trace and the property it violates; the numbers of threads are fixed.

    With the values of the trace alone it is a run of the program. A deadlock means that something
    is not possible at all, whatever the inputs are: there they have all values.
    """
    return Interpreter(program, None if isinstance(checked, DeadlockProperty) else _given(trace))


def _given(trace: Trace) -> list[int]:
    found = {0, *trace.inputs}
    for move in trace.moves:
        for choice in move.choices:
            found.update(value for value in choice.values if type(value) is int)
    return sorted(found)
