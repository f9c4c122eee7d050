"""Entries of folders: each folder has memory of its own, which all who read it share."""

from __future__ import annotations

import pytest

from tests.unit.engines.walks.test_walks import findings, violated
from tests.unit.frontends.c.checking import loaded
from threadwise.engines.walks import walks_engine as engine

HEAD = """
#include <dirent.h>
#include <pthread.h>
#include <stddef.h>
static DIR *shared;
static void *count(void *path)
{
    struct dirent *entry;
    long files = 0;
    DIR *folder = OPENED;
    if (folder == NULL)
        return NULL;
    while ((entry = readdir(folder)) != NULL)
        files += entry->d_name[0] != '.';
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    shared = opendir("c");
    pthread_create(&t, NULL, count, "a");
    pthread_create(&u, NULL, count, "b");
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
"""


def races(opened: str) -> bool:
    """Whether some run shows a race; its trace is replayed."""
    program = loaded(HEAD.replace("OPENED", opened)).program
    return bool(violated(program, findings(program, "races")))


@pytest.mark.slow
def test_threads_that_read_folders_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """UNSAFE once: entries of all folders were in the same memory."""
    monkeypatch.setattr(engine, "WALKS", 12)
    assert not races("opendir(path)")


def test_threads_that_read_the_same_folder() -> None:
    assert races("shared")
