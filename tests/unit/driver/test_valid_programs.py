"""What a front end makes is looked at before anything is checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from threadwise.core.errors import InternalError
from threadwise.driver.loading import load_input
from threadwise.frontends import c as c_front_end
from threadwise.frontends import model as model_front_end
from threadwise.ir.program import Program


def _broken(program: Program) -> Program:
    """The first variable is not declared."""
    return replace(program, globals=program.globals[1:])


def test_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.tw"
    path.write_text("int[0..1] x;\nthread t { x = 1; }")
    load_input(str(path))
    sound = model_front_end.load_model

    def faulty(*given: Any) -> Program:
        return _broken(sound(*given))

    monkeypatch.setattr(model_front_end, "load_model", faulty)
    with pytest.raises(InternalError, match="a program that is none"):
        load_input(str(path))


def test_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.c"
    path.write_text("int x; int main(void) { x = 1; return x; }")
    load_input(str(path))
    sound = c_front_end.load_c

    def faulty(*given: Any) -> Any:
        loaded = sound(*given)
        lowered = replace(loaded.lowered, program=_broken(loaded.lowered.program))
        return replace(loaded, lowered=lowered)

    monkeypatch.setattr(c_front_end, "load_c", faulty)
    with pytest.raises(InternalError, match="a program that is none"):
        load_input(str(path))
