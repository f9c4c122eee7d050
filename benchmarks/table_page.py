"""How soon the page of `threadwise table --html` with 5,000 rows can be seen in a browser.

    python -m benchmarks.table_page [--rows 5000] [--times 5]

Debian's chromium, driven by Selenium. The figure is the browser's own: from the start of loading
to the first contents on the screen. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.batches import Bar
from threadwise.batch.table.html import write_pages
from threadwise.batch.table.rows import Row
from threadwise.batch.tasks import Ending
from threadwise.results.verdict import Verdict

MOST_S = 1.0
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900")
PAINT = "return performance.getEntriesByName('first-contentful-paint').map(each => each.startTime)"
ENDINGS = (Ending.SAFE, Ending.UNSAFE, Ending.UNKNOWN)


def row(number: int) -> Row:
    """One of many rows."""
    name, ending = f"suite/task{number:04}.c", ENDINGS[number % 3]
    time = float(number % 97)
    return Row(name, ("a.c",), ("races",), (), Verdict.SAFE, ending, wall_s=time, engine="auto")


def browser() -> Any:
    """A browser that nobody sees."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in ARGUMENTS:
        options.add_argument(argument)
    return webdriver.Chrome(options, webdriver.ChromeService(str(shutil.which("chromedriver"))))


def first_paints(page: Path, times: int) -> list[float]:
    """Seconds until something is seen, each in a browser that has just started."""
    from selenium.webdriver.support.wait import WebDriverWait

    found: list[float] = []
    for _ in range(times):
        driver = browser()
        try:
            driver.get(page.as_uri())
            WebDriverWait(driver, 30).until(lambda each: each.execute_script(PAINT))
            found.append(driver.execute_script(PAINT)[0] / 1000)
        finally:
            driver.quit()
    return found


def main() -> None:
    """Measure, and print the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_pages([row(number) for number in range(arguments.rows)], "results.db", Path(folder))
        paints = first_paints(Path(folder) / "index.html", arguments.times)
    told = f"median {statistics.median(paints):.2f} s, all {[round(each, 2) for each in paints]}"
    holds = statistics.median(paints) < MOST_S
    print(Bar(f"first paint of {arguments.rows} rows under {MOST_S:.0f} s", told, holds))
    sys.exit(not holds)


if __name__ == "__main__":
    main()
