"""`afr`: asynchronous forward reachability, exact, in BDDs (MHWL §5).

Errors are checked after every sweep of `reachability`; a trace comes from the layers of states
before the error, inside R. If there is none, R is the inductive invariant. Exact, and ends: the
state space is finite.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.symbolic.errors import Errors, respected
from threadwise.engines.symbolic.interchange import Classes
from threadwise.engines.symbolic.layers import Layers
from threadwise.engines.symbolic.proofs import (
    UNCONFIRMED,
    is_accepted,
    joint_certificate,
    small_joint_certificate,
)
from threadwise.engines.symbolic.reachability import Reachability
from threadwise.engines.symbolic.run import Session, answered, limit_message, limited
from threadwise.engines.symbolic.views import is_proof, pair_views, written_claims
from threadwise.ir.properties import Property
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.traces.trace import Trace


class AfrEngine:
    """Exact forward reachability."""

    name = "afr"

    def run(self, task: Task) -> Iterator[Finding]:
        """Search."""
        session = Session(task, self.name)
        yield from limited(task, _work(answered(task), session), session)


def _work(task: Task, session: Session) -> Iterator[Finding]:
    model = session.model(task.program)
    classes = Classes.of(model, symmetry=task.options.symmetry)
    open_ = {p.name: p for p in task.properties}
    respecting = {p.name: respected(model, p, classes) for p in task.properties}
    search = Reachability(model)
    more = True
    while open_ and more:
        for checked in list(open_.values()):
            if _meets(model, checked, respecting[checked.name], search.reached):
                del open_[checked.name]
                yield Violated(_trace(task, model, checked, search.reached))
        more = search.sweep()
    if not open_:
        return
    names = tuple(open_)
    if _meets(model, None, classes, search.reached):
        yield Undecided(names, limit_message(task.program))
    else:
        certificate = _certificate(task, model, classes, search.reached, names)
        yield Undecided(names, UNCONFIRMED) if certificate is None else Proved(names, certificate)


def _certificate(
    task: Task, model: Model, classes: Classes, reached: Node, names: tuple[str, ...]
) -> FormulaCertificate | None:
    """R by its projections on pairs of threads if they prove it too, else as it is."""
    alike = classes if task.options.symmetry else Classes.of(model, symmetry=True)
    small = small_joint_certificate(task.program, model, alike, reached, names)
    if small is not None and is_accepted(task.program, small, task.meter.check):
        return small
    claims = pair_views(model, reached)
    if claims is not None:
        everybody = Classes.single(model)
        checked = [None, *(p for p in task.properties if p.name in names)]
        atoms = (atom for p in checked for atom in Errors(model, p).atoms(everybody))
        if is_proof(model, claims, atoms):
            return written_claims(task.program, model, (), claims, names)
    whole = joint_certificate(task.program, model, reached, names)
    return whole if is_accepted(task.program, whole, task.meter.check) else None


def _meets(model: Model, checked: Property | None, classes: Classes, reached: Node) -> bool:
    """Whether a set of states, closed under exchanging threads or exact, has an error state."""
    errors = Errors(model, checked)
    everybody = tuple(t.thread for t in model.threads)
    going = model.manager.true if errors.is_failure else errors.going(everybody)
    return any(
        atom.states & reached & going != model.manager.false for atom in errors.atoms(classes)
    )


def _trace(task: Task, model: Model, checked: Property, reached: Node) -> Trace:
    layers = Layers(model, Errors(model, checked).exact(reached))
    while layers.all & model.initial == model.manager.false:
        layers.add_predecessors(layers.layers[-1], reached)
    return layers.trace(task.program, layers.all & model.initial, checked.name)
