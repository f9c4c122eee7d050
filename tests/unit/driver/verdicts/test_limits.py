"""Limits in front, what they hide, and where the report names them."""

from __future__ import annotations

from threadwise.analyses.limits import front_limits
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions
from threadwise.report.json_report import to_json
from threadwise.report.text import to_text

FIRST = """
#include <pthread.h>
int ask(int *p); int tell(int *p); int x, y;
void *worker(void *p) { x++; return p; }
int main(void)
{
    pthread_t t;
    if (x)
        tell(&x);
    ask(&x);
    pthread_create(&t, 0, worker, 0);
    tell(&y);
    x++;
    return 0;
}
"""


def test_limits_in_front_of_others_are_listed_by_what_they_hide() -> None:
    found = front_limits(load_c([SourceFile("t.c", FIRST)], COptions()).program)
    shown = [(limit.message, (limit.hidden or 0) > 0) for limit in found]
    assert shown[0] == ("t.c:10: unknown function ask", True)
    assert all("t.c:12" not in message for message, _ in shown)


def test_what_bounds_nothing_comes_first() -> None:
    text = """
    void my_lock(int *p); int f(int *p); int x;
    int main(void) { if (x++) f(&x); my_lock(&x); }
    """
    found = front_limits(load_c([SourceFile("t.c", text)], COptions()).program)
    assert [limit.hidden is None for limit in found] == [True, False]
    assert "my_lock" in found[0].message


def test_the_report_names_them_first() -> None:
    program = load_c([SourceFile("t.c", FIRST)], COptions()).program
    options = CheckOptions(properties=("races",), engine="explicit")
    result = check_loaded("t.c", lambda: program, options, in_process=True)
    text = to_text(result, {})
    assert text.index("limits that may be reached") < text.index("t.c:10: unknown function ask")
    assert text.splitlines()[-1].startswith("UNKNOWN (t.c:10: unknown function ask")
    assert to_json(result)["limits"][0]["message"] == "t.c:10: unknown function ask"
