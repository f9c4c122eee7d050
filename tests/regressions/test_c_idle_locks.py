"""A read-write lock that nobody takes for writing: its owner never changes."""

from __future__ import annotations

from tests.unit.frontends.c.checking import INCLUDES, checked, lowered

TEXT = (
    INCLUDES
    + """
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
void *work(void *unused) {
    pthread_rwlock_rdlock(&lock);
    assert(x == 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    return 0;
}
"""
)


def test_the_program_stays_well_formed() -> None:
    """It waited for the owner `none` once, which is no mutex; `lowered` validates."""
    assert lowered(TEXT).edges
    assert checked(TEXT, "all").verdict.value == "SAFE"
