"""The system's own headers, instead of ours."""

from __future__ import annotations

import pytest

from tests.tools import needs
from tests.unit.frontends.c.checking import verdicts
from threadwise.frontends.c.options import COptions

pytestmark = needs("gcc")

TEXT = """
#include <pthread.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t done;
static atomic_int finished;
static int count;
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  count = isdigit(count) ? toupper(count) : errno;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  finished++;
  sem_post(&done);
  return argument;
}
int main(void) {
  pthread_t t;
  sem_init(&done, 0, 0);
  pthread_create(&t, NULL, work, NULL);
  BEFORE
  pthread_join(t, NULL);
  return finished;
}
"""


@pytest.mark.parametrize("folders", [(), ("/usr/include",)])
@pytest.mark.parametrize(
    ("before", "verdict"),
    [("sem_wait(&done); count = abs(count);", "SAFE"), ("count = abs(count);", "UNSAFE")],
)
def test_verdicts_are_the_same(folders: tuple[str, ...], before: str, verdict: str) -> None:
    text = TEXT.replace("BEFORE", before)
    assert verdicts(text, "races", options=COptions(include=folders)) == {"races": verdict}
