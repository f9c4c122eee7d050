"""`dirname` and the two functions `basename` compute what they compute in glibc.

`dirname("abc")` is `.`, and was `abc`; of `/a` it was the empty text: assertions about such
results had a wrong verdict.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.frontends.c.checking import checked

PATHS = ["", "a", "abc", "/", "//", "///", "/a", "//a", "///a", "a/", "a//", "a/b", "a//b", "/a/b"]
PATHS += ["a/b/", "a/b//", "//a/b", ".", "..", "./a"]
FUNCTIONS = ("dirname", "__xpg_basename", "basename")
PROGRAM = """
#include <assert.h>
#include <string.h>
char *dirname(char *), *__xpg_basename(char *), *basename(char *);
int main(void) {{
    char path[] = "{path}";
    assert(strcmp({function}(path), "{result}") == 0);
    assert(strcmp(path, "{left}") == 0);
    return 0;
}}
"""
TELLING = """
#include <stdio.h>
char *dirname(char *), *__xpg_basename(char *), *basename(char *);
int main(int count, char **given) {
    for (int i = 1; i < count; i++)
        for (int f = 0; f < 3; f++) {
            char path[16];
            sprintf(path, "%s", given[i]);
            char *(*functions[])(char *) = {dirname, __xpg_basename, basename};
            char *result = functions[f](path);
            printf("%s %s\\n", result, path);
        }
    return 0;
}
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[str, str]]:
    """What each function returns for each path, and what is left of the path."""
    if shutil.which("gcc") is None:
        pytest.skip("no compiler")
    folder: Path = tmp_path_factory.mktemp("paths")
    (folder / "t.c").write_text(TELLING)
    subprocess.run(["gcc", "-w", "-o", "t", "t.c"], cwd=folder, check=True)
    run = subprocess.run([folder / "t", *PATHS], capture_output=True, text=True, check=True)
    asked = [(function, path) for path in PATHS for function in FUNCTIONS]
    told = [line.split(" ") for line in run.stdout.split("\n")[:-1]]
    return {each: (result, left) for each, (result, left) in zip(asked, told, strict=True)}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_results(function: str, path: str, native: dict[tuple[str, str], tuple[str, str]]) -> None:
    result, left = native[function, path]
    text = PROGRAM.format(function=function, path=path, result=result, left=left)
    assert checked(text, "assertions").verdict.value == "SAFE"
    text = PROGRAM.format(function=function, path=path, result=result + "x", left=left)
    assert checked(text, "assertions").verdict.value == "UNSAFE"


@pytest.mark.parametrize(
    ("call", "path", "verdict"),
    [
        ("dirname", "a/b", "UNSAFE"),
        ("dirname", "ab", "SAFE"),
        ("__xpg_basename", "a/", "UNSAFE"),
        ("__xpg_basename", "a/b", "SAFE"),
        ("basename", "a/", "SAFE"),
    ],
)
def test_what_is_cut_off_is_written(call: str, path: str, verdict: str) -> None:
    text = f"""
    #include <pthread.h>
    char *dirname(char *), *__xpg_basename(char *), *basename(char *);
    char path[] = "{path}";
    void *work(void *unused) {{ {call}(path); return 0; }}
    int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); {call}(path); return 0; }}
    """
    assert checked(text, "races").verdict.value == verdict
