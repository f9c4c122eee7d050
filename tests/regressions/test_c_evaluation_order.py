"""Where the result may depend on the order of operands it is said, or not answered."""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.results.result import Result

TEXT = """
#include <assert.h>
#include <stdatomic.h>
#include <pthread.h>
int x, y, list[4];
atomic_int count;
pthread_mutex_t m;
struct pair { int a, b; } pair;
int next(void) { return ++x; }
int reset(void) { x = 0; return 0; }
int get(void) { return x; }
int other(void) { return ++y; }
int pure(int n) { int k = n; k++; return k; }
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { x++; return n == 0 ? 0 : even(n - 1); }
int through(int *p) { return ++*p; }
int locked(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 1; }
int marked(struct pair *p) { p->a = 1; return 1; }
int sum(int a, int b) { return a + b; }
int (*chosen)(void) = next;
int main(void) {
    int i = 0, j = 0, *p = &j, *q = &y;
    long l = 0, *r = &l;
    BODY
    return i + j;
}
"""
ORDER = "t.c:25: operands are evaluated from left to right"

OPEN = {
    "two calls": "i = next() + next();",
    "call and call that reads": "i = get() - next();",
    "call and variable": "i = x + next();",
    "variable after call": "i = next() * x;",
    "arguments": "i = sum(next(), reset());",
    "argument and variable": "i = sum(x, next());",
    "index": "list[x & 1] = next();",
    "read and change": "list[i] = i++;",
    "read and change in a sum": "j = i + i++;",
    "initialiser": "int k[2] = { next(), next() }; i = k[0];",
    "locks": "i = locked() + locked();",
    "mutual recursion": "i = even(1) + x;",
    "pointer": "i = through(p) + *p;",
    "same type": "i = (*p)++ + *q;",
    "atomic": "i = atomic_fetch_add(&count, 1) + atomic_load(&count);",
    "through a pointer": "i = chosen() + x;",
    "compared": "assert(next() < next() || 1);",
    "pair": "i = pair.a + (pair.a = 1);",
    "condition": "j = (i ? 1 : 2) + (i = 3);",
    "branch": "j = (l ? i : 2) + (i = 3);",
    "other branch": "j = (l ? 2 : i) + (i = 3);",
    "before a comma": "j = (i, 1) + (i = 3);",
    "behind a comma": "j = (l, i) + (i = 3);",
    "left of and": "j = (i && l) + (i = 3);",
    "right of and": "j = (l && i) + (i = 3);",
    "index of what is read": "j = list[i] + (i = 3);",
    "pointer that is moved": "j = *p + (p = &i, 3);",
    "member by pointer": "struct pair *s = &pair; i = s->a + (s->a = 1);",
    "address": "j = (&list[i] == q) + (i = 3);",
    "statement expression": "j = ({ int t = i; t; }) + (i = 3);",
    "literal": "j = (int[]){ i, 2 }[0] + (i = 3);",
    "difference": "j = (int)(&list[i] - &list[i++]);",
    "offset": "int *a = (p = &j, list) + (p == &j);",
    "compound": "list[i] += (i = 1);",
}
CLOSED = {
    "different variables": "i = next() + other();",
    "reads": "i = get() + get() + x;",
    "pure": "i = pure(1) + pure(2);",
    "and": "i = next() && next();",
    "or": "i = next() || x;",
    "comma": "i = (next(), x);",
    "choice": "i = next() ? x : reset();",
    "nested": "i = pure(next());",
    "statements": "i = next(); j = next();",
    "assignment": "x = next();",
    "sum": "x = x + 1; i += i;",
    "both moved": "int *a = list, *b = list + 2; *a++ = *b++;",
    "step at index": "list[i++] = j;",
    "different types": "i = (*p)++ + (int)*r;",
    "different members": "i = pair.a + (pair.b = 1);",
    "own locals": "i = pure(i) + j;",
    "one atomic": "i = atomic_fetch_add(&count, 1) + x;",
    "member and element": "i = marked(&pair) + list[j];",
    "comma before": "i = (i++, 5);",
    "own statement": "j = ({ int t = 1; t++; t; }) + i;",
    "size only": "j = (int)sizeof i + (i = 3);",
    "elsewhere in a record": "pair.a = pair.b++;",
}
UNDEFINED = {
    "step": "i = i++ + 1;",
    "step first": "i = ++i;",
    "two steps": "j = i++ + i++;",
    "arguments": "j = sum(i++, i--);",
    "compound": "i += i++;",
    "global": "x = x++;",
    "member": "pair.a = pair.a++;",
    "chain": "i = (i = 1) + 1;",
    "behind a comma": "i = (j, i++);",
    "branch": "i = j ? i++ : 2;",
    "element": "list[i++] = i++;",
}


def checked(body: str) -> Result:
    load = LoadOptions()
    options = CheckOptions(("assertions",), "explicit", load, Budget(steps=100_000))
    source = [SourceFile("t.c", TEXT.replace("BODY", body))]
    return check_loaded("t.c", lambda: load_c_sources(source, load), options, in_process=True)


@pytest.mark.parametrize("name", OPEN)
def test_an_order_that_may_matter_is_assumed(name: str) -> None:
    result = checked(OPEN[name])
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert ORDER in result.assumptions


@pytest.mark.parametrize("name", CLOSED)
def test_an_order_that_does_not_matter_is_not(name: str) -> None:
    result = checked(CLOSED[name])
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert not any("operands" in each for each in result.assumptions)


@pytest.mark.parametrize("name", UNDEFINED)
def test_two_changes_in_no_order_have_no_meaning(name: str) -> None:
    result = checked(UNDEFINED[name])
    assert result.verdict.value == "UNKNOWN"
    reasons = [each.reason or "" for each in result.properties]
    assert any("two changes of one variable" in reason for reason in reasons)
