"""UNKNOWN is an answer: it names what stands in the way, and what to do about it.

Each program has one line, marked `// blocker`, that keeps the tool from an answer. The verdict
line names it, and the option it proposes, applied, leads to the verdict of the table; `None` where
there is nothing to propose, or where what is proposed is not enough.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.driver import checking
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.report.summary import unknown_reason
from threadwise.results.verdict import Verdict

FOLDER = Path(__file__).parent / "programs"
NAMED = 20_000
"""So many steps are enough to find out what stands in the way."""
NAMED_LATER = {"formatted_text.c": 60_000}
"""Where that takes more, since many inputs are sampled first."""
DECIDED = 600_000
"""And so many to decide the program without it."""

SAFE, UNSAFE = Verdict.SAFE, Verdict.UNSAFE
TABLE = {
    "any_input.c": None,
    "argument_pointer.c": SAFE,
    "asynchronous_input.c": SAFE,
    "callback_registered.c": SAFE,
    "cancelled_anywhere.c": SAFE,
    "clients_without_end.c": None,
    "complex_numbers.c": SAFE,
    "constant_in_model.tw": SAFE,
    "copied_length.c": None,
    "device_register.c": SAFE,
    "external_variable.c": SAFE,
    "floating_control.c": UNSAFE,
    "foreign_parser.c": SAFE,
    "forked_process.c": SAFE,
    "formatted_text.c": UNSAFE,
    "function_pointer.c": SAFE,
    "inline_assembly.c": UNSAFE,
    "integer_as_pointer.c": SAFE,
    "loaded_symbol.c": SAFE,
    "long_jump.c": SAFE,
    "loop_unbounded.c": None,
    "many_threads.tw": SAFE,
    "many_workers.c": SAFE,
    "message_queue.c": SAFE,
    "named_semaphore.c": SAFE,
    "nonlinear.c": None,
    "pointer_returned.c": SAFE,
    "raw_system_call.c": SAFE,
    "recursion_model.tw": SAFE,
    "recursion_unbounded.c": None,
    "robust_lock.c": SAFE,
    "set_jump.c": SAFE,
    "shared_library.c": SAFE,
    "shared_mapping.c": None,
    "signal_waiting.c": SAFE,
    "state_explosion.c": SAFE,
    "stored_callback.c": SAFE,
    "struct_result.c": SAFE,
    "thread_function.c": SAFE,
    "union_members.c": UNSAFE,
    "user_contexts.c": SAFE,
    "variable_length_array.c": None,
    "vectors.c": SAFE,
}


def test_the_table_has_every_program() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == list(TABLE)


def test_most_steps_lead_to_an_answer() -> None:
    assert sum(verdict is not None for verdict in TABLE.values()) >= 0.75 * len(TABLE)


def with_step(options: CheckOptions, step: str) -> CheckOptions:
    """The options with those of a next step, as a user would add them."""
    words = step.split()
    load, depth = options.load, options.max_depth
    for option, value in zip(words[::2], words[1::2], strict=True):
        match option:
            case "--assume-pure":
                load = replace(load, c=replace(load.c, pure=load.c.pure | {value}))
            case "--assume-unreached":
                load = replace(load, c=replace(load.c, unreached=load.c.unreached | {value}))
            case "--assume-any-value":
                load = replace(load, c=replace(load.c, any_value=load.c.any_value | {value}))
            case "--max-threads":
                load = replace(load, max_threads=int(value))
            case "--max-depth":
                depth = int(value)
            case "--threads":
                name, _, number = value.partition("=")
                load = replace(load, threads={**load.threads, name: int(number)})
            case "-D":
                name, _, number = value.partition("=")
                load = replace(load, defines={**load.defines, name: number})
            case _:
                pytest.fail(f"a step that nobody knows: {option}")
    return replace(options, load=load, max_depth=depth)


@pytest.mark.parametrize("name", TABLE)
def test_the_blocker_is_named_and_the_next_step_helps(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "NEXT_STEP_S", 600.0)
    path = FOLDER / name
    lines = path.read_text().splitlines()
    (line,) = [number for number, text in enumerate(lines, 1) if "// blocker" in text]
    options = CheckOptions(load=LoadOptions(), budget=Budget(steps=NAMED_LATER.get(name, NAMED)))
    result = check_file(str(path), options)
    reason = unknown_reason(result)
    assert reason is not None
    assert reason.startswith(f"{path}:{line}: ")
    expected = TABLE[name]
    if expected is not None:
        assert result.next_step is not None
        again = replace(with_step(options, result.next_step), budget=Budget(steps=DECIDED))
        assert check_file(str(path), again).verdict is expected
