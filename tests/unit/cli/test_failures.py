"""Exceptions become messages and exit codes."""

from pathlib import Path

import pytest
import typer

from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import explain, guarded
from threadwise.core.errors import BudgetExhausted, InputError, InternalError, Unsupported
from threadwise.core.source import Span


def test_input_errors_show_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.tw"
    path.write_text("int x\n")
    message, code = explain(InputError.of("expected `;`", Span.at(str(path), 1, 6)))
    assert code is ExitCode.REJECTED
    assert message == f"{path}:1:6: error: expected `;`\n    int x\n         ^\n"


def test_unsupported_shows_the_construct() -> None:
    message, code = explain(Unsupported("fork", Span.at("gone.tw", 3, 1), "use threads"))
    assert code is ExitCode.UNKNOWN
    assert message == "gone.tw:3:1: error: unsupported: fork\nhint: use threads\n"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (BudgetExhausted("time limit of 1 s reached"), "time limit of 1 s reached\n"),
        (KeyboardInterrupt(), "interrupted\n"),
        (MemoryError(), "memory ran out\n"),
    ],
)
def test_running_out_is_unknown(error: BaseException, message: str) -> None:
    assert explain(error) == (message, ExitCode.UNKNOWN)


def test_internal_errors_show_everything() -> None:
    message, code = explain(InternalError("proof refuted", {"program": "global x"}))
    assert code is ExitCode.INTERNAL
    assert "InternalError: proof refuted" in message
    assert "program:\nglobal x\n" in message
    assert "Please report it" in message


def test_unexpected_exceptions_are_internal_errors(capsys: pytest.CaptureFixture[str]) -> None:
    @guarded
    def command() -> ExitCode:
        raise ZeroDivisionError("oops")

    with pytest.raises(typer.Exit) as ended:
        command()
    assert ended.value.exit_code == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_guarded_command_exits_with_its_code() -> None:
    @guarded
    def command() -> ExitCode:
        return ExitCode.UNKNOWN

    with pytest.raises(typer.Exit) as ended:
        command()
    assert ended.value.exit_code == 3
