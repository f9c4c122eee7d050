"""Entries of the library table."""

from __future__ import annotations

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import Span

OPAQUE_TYPES = {
    "pthread_t": "__tw_tid",
    "thrd_t": "__tw_tid",
    "pthread_mutex_t": "struct __tw_mutex",
    "mtx_t": "struct __tw_mutex",
    "pthread_cond_t": "struct __tw_cond",
    "cnd_t": "struct __tw_cond",
    "pthread_rwlock_t": "struct __tw_rwlock",
    "pthread_spinlock_t": "struct __tw_spin",
    "pthread_barrier_t": "struct __tw_barrier",
    "sem_t": "struct __tw_semaphore",
    "once_flag": "int",
    "pthread_attr_t": "struct __tw_attr",
    "pthread_mutexattr_t": "struct __tw_mutexattr",
    "pthread_condattr_t": "struct __tw_condattr",
    "pthread_rwlockattr_t": "struct __tw_rwlockattr",
    "pthread_barrierattr_t": "struct __tw_barrierattr",
    "sigset_t": "struct __tw_sigset",
}
"""Types whose representation is ours, by their typedef, whatever a preprocessed file says.

A file that was preprocessed with the headers of another system defines these names as unions or
integers of its own. The models know our representation only, so the typedef stands for it there
too. Its initialisers are zero, except one field of a mutex: a number different from zero anywhere
in one is the `kind`, which is numbered as in the GNU library.
"""


@dataclass(frozen=True)
class Entry:
    """A function or variable of the table."""

    name: str
    span: Span
    """The header of the entry in its file."""
    headers: tuple[str, ...]
    text: str
    """C: the definition up to its body for a function, the whole of it for a variable."""
    effect: str = ""
    """C: the body, without braces, of a function."""
    effect_line: int = 1
    """Where in the file the effect begins."""
    description: str = ""
    assumes: tuple[str, ...] = ()
    """Listed in the result of every run whose program refers to the function."""
    limit: bool = False
    """Whether calling it ends what we model."""
    no_return: bool = False
    override: bool = False
    """Whether our effect replaces a body that the program has."""
    variable: bool = False
    test: str | None = None
    same_as: str | None = None
    """Another entry, whose effect it has, on parameters with the same names."""
    source: Span | None = None
    """The header of the entry that the effect belongs to, if it is that of another one."""


@dataclass(frozen=True)
class Table:
    """All entries, by name."""

    entries: dict[str, Entry] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    """Types that a user's file replaces by ours, like `OPAQUE_TYPES`."""

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def merged(self, other: Table) -> Table:
        """Both tables; where both have an entry, that of `other`."""
        entries = {**self.entries, **other.entries}
        return Table(entries, {**self.types, **other.types})

    @property
    def opaque_types(self) -> dict[str, str]:
        """All types whose representation is ours."""
        return {**OPAQUE_TYPES, **self.types}

    @property
    def overrides(self) -> frozenset[str]:
        """The functions whose effect replaces a body that the program has."""
        return frozenset(name for name, entry in self.entries.items() if entry.override)
