"""Everything a user can say about a check."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from threadwise.core.budget import UNLIMITED, Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.options import DEFAULT_MAX_DEPTH
from threadwise.core.quick_dataclass import dataclass
from threadwise.driver.loading import DEFAULT_LOAD
from threadwise.engines.auto import AUTO

if TYPE_CHECKING:
    from threadwise.driver.running.collector import Collector


@dataclass(frozen=True)
class CheckOptions:
    """Everything a user can say about a check."""

    properties: tuple[str, ...] = ()
    engine: str = AUTO
    load: LoadOptions = DEFAULT_LOAD
    budget: Budget = UNLIMITED
    max_depth: int = DEFAULT_MAX_DEPTH
    symmetry: bool = True
    k: int | None = None
    expose: bool | None = None
    """None: what is usual for the engine."""
    facts: bool | None = None
    """None: only `auto` takes them."""
    max_bdd_nodes: int | None = None
    """None: what the engines allow themselves."""
    max_solver_units: int | None = None
    """None: what the engines allow themselves."""
    second_solver: bool = False
    """Whether formulas are checked with a second solver, too."""
    audit: bool = True
    """Whether the claims of proofs are tested in runs."""
    jobs: int | None = None
    """How many engines of `auto` may be at work at a time; None: as many as there are cores."""
    first: bool = False
    """Whether to stop at the first violation."""
    cache: str | None = None
    """A folder with evidence of earlier runs, and for that of this one."""
    started: float | None = None
    """When the clock of the time limit began, by `time.monotonic`; None: when the work begins."""
    meanwhile: Callable[[], object] | None = None
    """What to do once while the worker has begun."""
    watch: Callable[[Collector], object] | None = None
    """Called with the results so far, many times a second."""


DEFAULT_OPTIONS = CheckOptions()
