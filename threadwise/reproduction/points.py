"""Kinds of scheduling points: the numbers that the runtime uses (`runtime/controller.h`)."""

from __future__ import annotations

from enum import IntFlag


class PointKind(IntFlag):
    """What a thread is about to do at a scheduling point."""

    NOTHING = 0
    READ = 1
    WRITE = 2
    ATOMIC = 4
    MEMORY = 8
    """A call that reads or writes memory, such as memcpy."""
    LOCK = 16
    UNLOCK = 32
    WAIT = 64
    CREATE = 128
    JOIN = 256
    OTHER_CALL = 512
    BEGIN = 1024
    FINISH = 2048
    ATOMIC_ENTRY = 4096
    """The entry of a function that is atomic by its name."""
    ATOMIC_EXIT = 8192
    FAILURE = 16384
    """The entry of a function that is a failure by its name."""


SYNCHRONISATION = (
    PointKind.ATOMIC
    | PointKind.LOCK
    | PointKind.UNLOCK
    | PointKind.WAIT
    | PointKind.CREATE
    | PointKind.JOIN
    | PointKind.OTHER_CALL
)


class EventFlag(IntFlag):
    """What else the runtime has to know about an event."""

    NONE = 0
    HARD = 1
    """It exists in the machine code, too, whatever the compiler does."""
    HOLD = 2
    """The thread stops before it."""
    SUPPLIES = 4
    """The value is put there before it is read."""
    RESULT = 8
    """The value is what the call returns."""


_PREFIXES = (
    ("__tsan_read", PointKind.READ),
    ("__tsan_unaligned_read", PointKind.READ),
    ("__tsan_write", PointKind.WRITE),
    ("__tsan_unaligned_write", PointKind.WRITE),
    ("__tsan_atomic", PointKind.ATOMIC),
    ("__tsan_", PointKind.NOTHING),
)
_CALLS = {
    PointKind.LOCK: """
        pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_spin_lock
        pthread_spin_trylock pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock
        pthread_rwlock_trywrlock sem_wait sem_trywait sem_timedwait mtx_lock mtx_trylock""",
    PointKind.UNLOCK: """
        pthread_mutex_unlock pthread_spin_unlock pthread_rwlock_unlock sem_post mtx_unlock""",
    PointKind.WAIT: "pthread_cond_wait pthread_cond_timedwait cnd_wait",
    PointKind.CREATE | PointKind.MEMORY: "pthread_create",
    PointKind.CREATE: "thrd_create",
    PointKind.OTHER_CALL | PointKind.MEMORY: "pthread_key_create",
    PointKind.JOIN: "pthread_join thrd_join",
    PointKind.MEMORY: "memcpy memmove memset free",
    PointKind.NOTHING: """
        main abort __assert_fail sleep usleep nanosleep malloc calloc pthread_exit thrd_exit""",
}
_KINDS = {name: kind for kind, names in _CALLS.items() for name in names.split()}

BARRIER = "pthread_barrier_wait"
"""The only call with two events that are neither a lock taken nor one given back."""


SPIN = "pthread_spin_lock"
"""The call that waits without sleeping."""


def kind_of_call(function: str) -> PointKind:
    """The kind of point that a call to a wrapped function is."""
    for prefix, kind in _PREFIXES:
        if function.startswith(prefix):
            return kind
    return _KINDS.get(function, PointKind.OTHER_CALL)
