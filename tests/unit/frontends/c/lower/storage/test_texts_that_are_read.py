"""Which arguments of `printf` are texts, and how much of them is read: as formats say."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

TEXT = """
#include <pthread.h>
#include <stdio.h>
char text[4] = "abc"; int width = 3, count;
void *work(void *unused) {{ printf({call}); return 0; }}
int main(void) {{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    {written};
    return 0;
}}
"""
READ = [
    '"%s", text',
    '"%5s", text',
    '"%*s", 5, text',
    '"%-*s", 5, text',
    '"%.2s", text',
    '"%.*s", 2, text',
    '"%*.*s", 5, 2, text',
    '"%%%s", text',
    '"%d %s", width, text',
    '"%*d%s", 5, 1, text',
    '"%s%s", "x", text',
    '"%c%5.1f%ls%s", 65, 1.0, L"x", text',
]
NOT_READ = ['"%p", (void *)text', '"%d", 1', '"%%s"', '"%.0s", text', '"%*d", 5, 1']


@pytest.mark.parametrize("call", READ)
def test_texts_are_read(call: str) -> None:
    text = TEXT.format(call=call, written="text[0] = 'x'")
    assert checked(text, "races").verdict.value == "UNSAFE"


@pytest.mark.parametrize("call", NOT_READ)
def test_other_arguments_are_not(call: str) -> None:
    text = TEXT.format(call=call, written="text[0] = 'x'")
    assert checked(text, "races").verdict.value == "SAFE"


@pytest.mark.parametrize(("call", "race"), [('"%.2s", text', False), ('"%s", text', True)])
def test_no_more_is_read_than_the_precision_says(call: str, race: bool) -> None:
    text = TEXT.format(call=call, written="text[2] = 'x'")
    assert (checked(text, "races").verdict.value == "UNSAFE") == race
