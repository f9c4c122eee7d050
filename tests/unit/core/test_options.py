"""The table of options, and that whatever is not made from it agrees with it."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

import pytest

from threadwise import api
from threadwise.cli.option_page import page
from threadwise.core.budget import parse_time
from threadwise.core.c_options import COptions, DataModel
from threadwise.core.doubts import SWITCHED
from threadwise.core.load_options import LoadOptions
from threadwise.core.options import Group, Option, Settings, options, options_of
from threadwise.driver.check_options import CheckOptions

PAGE = Path(__file__).parents[3] / "docs" / "user" / "options.md"
NOT_IN_THE_TABLE = {"source", "c", "in_process", "listener"}
"""Parameters of `api.check` that are no options of the command: the program, what is said about
C, and how Python runs it."""


@pytest.fixture(params=options())
def option(request: pytest.FixtureRequest) -> Option:
    return options()[request.param]


def test_check_takes_every_option() -> None:
    assert options_of("check") == options()


def test_defaults_are_loaded_as_by_default() -> None:
    assert Settings().load() == LoadOptions()


def test_python_has_the_same_options_with_the_same_defaults() -> None:
    parameters = inspect.signature(api.check).parameters
    named = {option.python: option for option in options().values() if option.python}
    assert parameters.keys() - NOT_IN_THE_TABLE == named.keys()
    for name, option in named.items():
        default = parameters[name].default
        if name == "time_limit":
            default = parse_time(default)
        assert (default or None) == (getattr(Settings(), option.name) or None), name


def test_options_are_offered_in_python_unless_they_are_about_the_report(option: Option) -> None:
    about_c = option.recorded.startswith("c.")
    assert bool(option.python) == (not about_c and option.group is not Group.REPORT)


def test_what_the_driver_takes_has_the_same_default(option: Option) -> None:
    member = {field.name: field for field in fields(CheckOptions)}.get(option.name)
    if member is not None:
        assert member.default == getattr(Settings(), option.name)


def test_evidence_records_every_option_about_reading() -> None:
    recorded = {option.recorded for option in options().values() if option.recorded}
    whole = {field.name for field in fields(LoadOptions)} - {"c"}
    # Macros and bounds are those of the program; the other files are arguments, not options.
    of_c = {field.name for field in fields(COptions)} - {"define", "max_threads", "beside"}
    assert recorded == whole | {f"c.{name}" for name in of_c}
    reading = {o.recorded for o in options().values() if o.group in (Group.LOADING, Group.C)}
    assert reading == recorded


def test_values_are_recorded_under_their_names() -> None:
    settings = Settings(
        define={"N": "2"},
        include=("a",),
        isystem=("b",),
        data_model=DataModel.ILP32,
        assume_pure=frozenset({"log"}),
        malloc_may_fail=True,
        trylock_may_fail=True,
    )
    c = COptions(
        include=("a", "b"),
        data_model=DataModel.ILP32,
        pure=frozenset({"log"}),
        doubts=frozenset({"malloc-may-fail", "trylock-may-fail"}),
        beside=("b.c",),
    )
    assert settings.load(["b.c"]) == LoadOptions({"N": "2"}, c=c)


def test_switches_about_doubts_have_the_names_of_doubts() -> None:
    switches = {o.key for o in options().values() if o.recorded == "c.doubts"}
    assert switches == SWITCHED


def test_the_page_is_up_to_date() -> None:
    told = "python -m threadwise.cli.option_page > docs/user/options.md"
    assert PAGE.read_text(encoding="utf-8") == page(), told
