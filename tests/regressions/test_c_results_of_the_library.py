"""Results of library functions: no value that they cannot have, and what they leave in errno."""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

HEAD = """
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) { char b[4] = "abc"; int n; errno = 0; BODY return 0; }
"""


def verdict(body: str) -> str:
    found = verdicts(HEAD.replace("BODY", body), "assertions", engines=("explicit",))["explicit"]
    return "UNSAFE" if "UNSAFE" in found else max(found)


@pytest.mark.parametrize(
    "body",
    [
        'n = printf("hi"); assert(n == 2 || n < 0);',
        'n = fprintf(stderr, "%d", 5); assert(n == 1 || n < 0);',
        'n = write(1, "ab", 2); assert(n >= -1 && n <= 2);',
        'n = send(3, "ab", 2, 0); assert(n >= -1 && n <= 2);',
        "n = fwrite(b, 1, 4, stdout); assert(n <= 4);",
        "n = fputc('x', stdout); assert(n == 'x' || n == EOF);",
        'n = puts("x"); assert(n >= -1);',
        "n = fflush(stdout); assert(n == 0 || n == EOF);",
        "n = fclose(stdout); assert(n == 0 || n == EOF);",
        'n = open("x", 0); assert(n >= -1);',
        'n = rename("a", "b"); assert(n == 0 || n == -1);',
        "n = accept(3, 0, 0); assert(n >= -1);",
        "struct pollfd p = {0, POLLIN, 0}; n = poll(&p, 1, 0); assert(n >= -1 && n <= 1);",
        "n = fileno(stdout); assert(n == 1);",
        "n = sysconf(_SC_PAGESIZE); assert(n == sysconf(_SC_PAGESIZE));",
        "n = ftell(stdin); assert(n == ftell(stdin));",
        "srand(1); n = rand(); srand(1); assert(n == rand());",
        "n = rand(); srand(1); assert(n == rand());",
        "unsigned s = 1, t = 1; n = rand_r(&s); assert(n == rand_r(&t));",
        'n = scanf("%3s", b); if (n == 1) assert(b[0] != 0);',
        'int x; n = scanf("%1d", &x); if (n == 1) assert(x < 10);',
        "if (fgets(b, 4, stdin) && b[0] == '\\n') assert(b[1] == 0);",
    ],
)
def test_impossible_results(body: str) -> None:
    """Wrong UNSAFE once: any number was a result."""
    assert verdict(body) != "UNSAFE"


@pytest.mark.parametrize(
    "body",
    [
        "if (read(0, b, 4) < 0) assert(errno == 0);",
        'if (open("x", 0) < 0) assert(errno != ENOENT);',
        'if (!fopen("x", "r")) assert(errno == 0);',
        'if (write(1, "x", 1) < 0) assert(errno != EAGAIN);',
        'if (mkdir("x", 0) < 0) assert(errno != EEXIST);',
        "if (recv(3, b, 4, 0) < 0) assert(errno != EINTR);",
        "if (accept(3, 0, 0) < 0) assert(errno == 0);",
        "if (fflush(stdout)) assert(errno == 0);",
        "if (!fgets(b, 4, stdin)) assert(errno == 0);",
        "int p[2]; if (pipe(p)) assert(errno == 0);",
    ],
)
def test_errors_set_errno(body: str) -> None:
    """Wrong SAFE once: errno stayed what it was."""
    assert verdict(body) == "UNSAFE"


def test_success_may_change_errno() -> None:
    """A wrong SAFE once; nobody says that it happens, either."""
    assert verdict('printf("x"); assert(errno == 0);') == "UNKNOWN"


@pytest.mark.parametrize(
    "body",
    [
        'n = write(1, "ab", 2); assert(n != 1);',
        "n = fputc('x', stdout); assert(n == 'x');",
        "srand(1); n = rand(); assert(n != 5);",
        "n = sysconf(_SC_NPROCESSORS_ONLN); assert(n < 4);",
        'int x; if (scanf("%d", &x) == 1) assert(x != 7);',
    ],
)
def test_possible_results(body: str) -> None:
    assert verdict(body) == "UNSAFE"
