"""The pages of `threadwise table --html` in a real browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sampling import SAMPLED
from tests.tools import needs
from threadwise.batch.table.html import write_pages
from threadwise.batch.table.rows import Row
from threadwise.batch.tasks import Ending
from threadwise.results.verdict import Verdict

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
COUNT = 500 if os.environ.get(SAMPLED) else 5_000
ENDINGS = (Ending.SAFE, Ending.UNSAFE, Ending.UNKNOWN)

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    needs("chromium", "chromedriver"),
]


def row(number: int) -> Row:
    """One of many rows."""
    return Row(
        f"suite/task{number:04}<b>.c",
        ("a.c",),
        ("races",),
        (),
        Verdict.SAFE,
        ENDINGS[number % 3],
        wall_s=float((number * 7919) % COUNT),
        engine="locksets",
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver

    folder = tmp_path_factory.mktemp("pages")
    write_pages([row(number) for number in range(COUNT)], "results.db", folder)
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(str(DRIVER)))
    try:
        driver.get(Path(folder / "index.html").as_uri())
        yield driver
    finally:
        driver.quit()


def shown(page: Any) -> list[list[str]]:
    """The texts of the rows that can be seen."""
    script = """return Array.from(document.querySelectorAll("tbody tr:not([hidden])"))
        .map(row => Array.from(row.cells).map(cell => cell.textContent.trim()));"""
    found: list[list[str]] = page.execute_script(script)
    return found


def test_all_rows_are_there_as_text(page: Any) -> None:
    rows = shown(page)
    assert len(rows) == COUNT
    assert rows[0][0] == "suite/task0000<b>.c"


def test_names_and_filters_can_be_seen(page: Any) -> None:
    from selenium.webdriver.common.by import By

    assert page.find_element(By.CSS_SELECTOR, "tbody td a").size["width"] > 100
    for name in ("task", "verdict", "reason"):
        assert page.find_element(By.CSS_SELECTOR, f"[aria-label={name}]").size["height"] > 10


def test_filters(page: Any) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select

    name = page.find_element(By.CSS_SELECTOR, "input[aria-label=task]")
    verdict = Select(page.find_element(By.CSS_SELECTOR, "select[aria-label=verdict]"))
    name.send_keys("TASK004")
    verdict.select_by_visible_text("UNSAFE")
    assert [each[0] for each in shown(page)] == [
        f"suite/task{number:04}<b>.c" for number in range(40, 50) if number % 3 == 1
    ]
    assert page.find_element(By.ID, "count").text == f"4 of {COUNT} tasks"
    name.clear()
    name.send_keys(" ")
    verdict.select_by_visible_text("all")
    name.clear()
    page.execute_script("arguments[0].dispatchEvent(new Event('input'))", name)
    assert len(shown(page)) == COUNT


def test_sorting_both_ways(page: Any) -> None:
    from selenium.webdriver.common.by import By

    button = page.find_element(By.XPATH, "//button[text()='wall_s']")
    column = 4
    button.click()
    times = [float(each[column]) for each in shown(page)]
    assert times == sorted(times)
    button.click()
    times = [float(each[column]) for each in shown(page)]
    assert times == sorted(times, reverse=True)


def test_the_console_has_nothing_to_say(page: Any) -> None:
    assert page.get_log("browser") == []
