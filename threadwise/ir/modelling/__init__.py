"""Programs written in Python: a thin layer over `threadwise.ir.builder` for people.

    model = Model("counter")
    x = model.integer("x", 0, 2)
    m = model.mutex("m")
    with model.thread("worker", 2) as worker:
        own = worker.integer("own", 0, 2)
        with worker.holding(m):
            worker.assign(own, x)
            worker.assign(x, own + 1)
    model.race_free(x)
    program = model.build()

Each call of a statement method is one statement, hence one step, with the meaning that the model
language gives it; `x + 1 <= y` builds a formula instead of computing a value. Statements remember
the Python line that made them, so that traces point at it.

`python_formulas` has variables and formulas, `thread` the statements, `model` declarations and
properties. Procedures, dynamic threads and pointers need `threadwise.ir.builder` itself.
"""

from threadwise.ir.modelling.model import ANY, Model
from threadwise.ir.modelling.python_formulas import (
    NOBODY,
    SELF,
    Cell,
    Formula,
    Lock,
    ThreadChoice,
    forall,
)
from threadwise.ir.modelling.thread import Branches, Thread

__all__ = [
    "ANY",
    "NOBODY",
    "SELF",
    "Branches",
    "Cell",
    "Formula",
    "Lock",
    "Model",
    "Thread",
    "ThreadChoice",
    "forall",
]
