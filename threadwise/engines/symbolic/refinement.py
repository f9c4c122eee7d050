"""Thread-modular model checking, and with refinement (MHWL Algorithms 1 to 3), on sets of states.

Algorithm 1, `thread_modular_model_checking`:

            compute R̄_j, R̄ = join of the R̄_j
            R̄ ∩ error = ∅                             ⟹ PASS, else UNKNOWN

Algorithm 2, `thread_modular_model_checking_with_refinement`:

    repeat  compute R̄_j, R̄ = join of the R̄_j
            R̄ ∩ error = ∅                             ⟹ PASS
            error contains a state known as reachable  ⟹ FAILURE
            Refine; not refinable                      ⟹ PASS

Algorithm 3, `Checking.refine`:

            S = R̄ ∩ error; Ψ = new essential predicates of S, for all s ∈ S at once
            expose Ψ; add to error the predecessors of the s ∈ S without a new predicate
            neither a new predicate nor a new predecessor: not refinable

PASS and Ψ are done twice, with two meanings of S. *By tuples*: for each tuple of
threads that a property relates, the join of their R̄_j with its error states; no set over all
threads is built, and for threads that can be exchanged one tuple stands for all. It is larger than
the projection of R̄ ∩ error, so that PASS is sound, and exposing more than needed does no harm.
*Jointly*, as printed, when the tuples give no new predicate: here FAILURE and the second PASS come
from. Here a predicate is new at s if changing l leads out of `error`, not only out of R̄ ∩ error:
what R̄ alone makes essential says how the ghosts are linked, and nothing about the error. And the
predecessors are those of the whole last layer of `error` if its diagram is small. So fewer
predicates are exposed: two per philosopher, as MHWL's Table 5 has it.
Predicates are exposed for all threads of a class at once. MHWL asks for an initial state in
error; states that exact search reaches with a small diagram will do as well, and sooner: a step
from one of them into error continues the layers backwards to an initial state.

Sound: R̄ contains what is reachable and is closed under steps. If no s ∈ S has a predecessor
outside error, R̄ ∧ ¬S is inductive: a step from it into S would start in error and in R̄. Ends:
every round adds one of finitely many predicates or states. Complete: both ways to end are answers.
`error` is a set of states of the program without ghosts: ghosts are functions of the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.symbolic.components import MOST_START_NODES, Components, Method
from threadwise.engines.symbolic.errors import Atom, Errors, respected
from threadwise.engines.symbolic.essential import Predicate, Predicates
from threadwise.engines.symbolic.interchange import Classes
from threadwise.engines.symbolic.layers import Layers
from threadwise.engines.symbolic.proofs import (
    UNCONFIRMED,
    component_certificate,
    is_accepted,
    small_certificate,
)
from threadwise.engines.symbolic.reachability import Reachability
from threadwise.engines.symbolic.run import Session, limit_message
from threadwise.engines.symbolic.views import (
    exchanged_views,
    is_proof,
    local_certificate,
    meanings,
    thread_views,
    written_claims,
)
from threadwise.ir.properties import Property
from threadwise.ir.types import NONE
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.transforms.expose import describe, expose

LIMIT = None
"""Instead of a property: no thread gets to a limit of the model."""


@dataclass
class Question:
    """A property that is open, or the limits of the model."""

    checked: Property | None
    classes: Classes
    """Of the tuples of threads, one up to these symmetries is checked."""
    layers: Layers | None = None
    holds: bool = False
    """Whether R̄ of this round excludes it."""
    excluded: Node | None = None
    """If more than R̄ was needed: the states that the proof excludes besides."""
    atoms: list[Atom] = field(default_factory=list)
    """Where R̄_j of the threads of a tuple meet the error states."""


def thread_modular_model_checking(
    session: Session, task: Task, method: Method, model: Model | None = None
) -> Iterator[Finding]:
    """Algorithm 1: PASS if R̄ excludes the errors, else UNKNOWN."""
    checking = Checking(session, task, method, model)
    try:
        checking.compare()
        yield from checking.passed()
        yield from checking.unknown()
    finally:
        checking.count()


def thread_modular_model_checking_with_refinement(
    session: Session, task: Task, method: Method
) -> Iterator[Finding]:
    """Algorithm 2: rounds until every property is decided."""
    checking = Checking(session, task, method)
    try:
        while checking.open:
            checking.compare()
            yield from checking.passed()
            if checking.open and not checking.refine_by_tuples():
                yield from checking.failures()
                yield from checking.refine()
    finally:
        checking.count()


class Checking:
    """What is open, R̄ and the errors, round by round."""

    def __init__(
        self, session: Session, task: Task, method: Method, model: Model | None = None
    ) -> None:
        self.session = session
        self.task = task
        self.program = task.program
        self.method = method
        self.base = model or session.model(task.program)
        self.model = self.base
        self.classes = Classes.of(self.base, symmetry=task.options.symmetry)
        self.predicates = Predicates(task.program, self.classes)
        self.components = method(self.model, self.classes)
        self.open = {
            p.name: Question(p, respected(self.base, p, self.classes)) for p in task.properties
        }
        self.limit = Question(LIMIT, self.classes)
        self.rounds = 0

    def count(self) -> None:
        """Write down how much was refined."""
        self.task.statistics.set(Name.REFINEMENTS, self.rounds)
        self.task.statistics.set(Name.PREDICATES, len(self.predicates))

    # -- by tuples --------------------------------------------------------------------------------

    def _questions(self) -> Iterator[Question]:
        yield self.limit
        yield from self.open.values()

    def compare(self) -> None:
        """Where R̄_j of the threads of a tuple meet the errors."""
        manager = self.model.manager
        for question in self._questions():
            question.atoms = []
            for atom in Errors(self.model, question.checked).atoms(question.classes):
                states = atom.states
                for t in atom.threads:
                    states = states & self.components.of(t)
                manager.account(states)
                if states != manager.false:
                    question.atoms.append(Atom(atom.threads, states))
            question.holds = not question.atoms
            question.excluded = None

    def refine_by_tuples(self) -> bool:
        """Expose the essential predicates of all tuples; False if none is new."""
        found: dict[Predicate, None] = {}
        for question in self._questions():
            for atom in question.atoms:
                new = self.predicates.essential(self.model, atom.states, atom.threads)
                found.update((predicate, None) for predicate, _ in new)
        return self._expose(list(found))

    def _expose(self, found: list[Predicate]) -> bool:
        """Make new predicates ghosts, if there are any."""
        if any(self._names_thread(predicate) for predicate in found):
            self._forget_symmetry()
        if not self.predicates.add(found):
            return False
        self.rounds += 1
        exposed = expose(self.program, self.predicates.exposures)
        self.model = self.session.model(exposed.program, self.base)
        self.components = self.method(self.model, self.classes)
        return True

    def _names_thread(self, predicate: Predicate) -> bool:
        """Whether a predicate compares a cell with the id of a thread."""
        cell = predicate.subject.cell
        own = self.base.space.threads[predicate.thread].own
        return (
            cell is not None
            and own[cell].name in self.base.space.id_fields
            and predicate.value != NONE
        )

    def _forget_symmetry(self) -> None:
        """Treat every thread separately from now on."""
        self.classes = self.predicates.classes = Classes.single(self.base)
        for question in self._questions():
            question.classes = self.classes

    # -- jointly ----------------------------------------------------------------------------------

    @cached_property
    def search(self) -> Reachability:
        """Some of the states that are reachable for certain."""
        return Reachability(self.base)

    def failures(self) -> Iterator[Finding]:
        """FAILURE of what is violated, as far as exact search finds it soon."""
        for question in (*self.open.values(), self.limit):
            if self.open and not question.holds:
                yield from self._violated(question)

    def refine(self) -> Iterator[Finding]:
        """Algorithm 3 on R̄ ∩ error; PASS for what turns out not to be refinable."""
        if not self.open:
            return
        joined = self.components.joined
        found: dict[Predicate, None] = {}
        grown = False
        for question in self._questions():
            if question.holds:
                continue
            if question.layers is None:
                exact = Errors(self.base, question.checked).exact()
                question.layers = Layers(self.base, exact)
            layers = question.layers
            states = joined & self.base.manager.copy_to(layers.all, self.model.manager)
            if states == self.model.manager.false:
                question.holds = True
                continue
            more, new = self._new_at(layers, states)
            found.update((predicate, None) for predicate in new)
            grown |= more
            if not more and not new:
                question.holds, question.excluded = True, states
        yield from self.passed()
        if not self._expose(list(found)) and grown:
            self.rounds += 1

    def _new_at(self, layers: Layers, states: Node) -> tuple[bool, list[Predicate]]:
        """New predecessors, new predicates."""
        manager = self.model.manager
        everybody = [t.thread for t in self.model.threads]
        error = self.base.manager.copy_to(layers.all, manager)
        rest, new = states, []
        for predicate, needing in self.predicates.essential(self.model, error, everybody):
            if needing & states != manager.false:
                new.append(predicate)
                rest = rest & ~needing
        if rest == manager.false:
            return False, new
        ghosts = [
            bit for f in self.model.space.shared[len(self.base.space.shared) :] for bit in f.bits
        ]
        last = layers.layers[-1]
        if len(last) > MOST_START_NODES:
            last = manager.copy_to(manager.exists(ghosts, rest), self.base.manager)
        return layers.add_predecessors(last), new

    def _violated(self, question: Question) -> Iterator[Finding]:
        """FAILURE, if exact search meets an error state before its diagram becomes large."""
        base, search = self.base, self.search
        layers = question.layers or Layers(base, self._met(question))
        more = True
        while layers.all & search.reached == base.manager.false:
            if not more:
                return
            more = search.sweep(MOST_START_NODES)
            if question.layers is None:
                layers = Layers(base, self._met(question))
        if question.checked is None:
            yield Undecided(tuple(self.open), limit_message(self.program))
            self.open.clear()
            return
        start = layers.all & search.reached
        while layers.all & base.initial == base.manager.false:
            layers.add_predecessors(start, search.reached)
            start = layers.layers[-1]
        name = question.checked.name
        del self.open[name]
        yield Violated(layers.trace(self.program, layers.all & base.initial, name))

    def _met(self, question: Question) -> Node:
        return Errors(self.base, question.checked).exact(self.search.reached)

    # -- answers ----------------------------------------------------------------------------------

    def passed(self) -> Iterator[Finding]:
        """PASS: claim what R̄ excludes, once it also excludes the limits of the model."""
        done = [name for name, question in self.open.items() if question.holds]
        if not done or not self.limit.holds:
            return
        excluded = [
            question.excluded
            for question in (self.limit, *(self.open[name] for name in done))
            if question.excluded is not None
        ]
        for name in done:
            del self.open[name]
        certificate = self._certificate(done, excluded)
        if certificate is None:
            yield Undecided(tuple(done), UNCONFIRMED)
        else:
            yield Proved(tuple(done), certificate)

    def _certificate(self, names: list[str], excluded: list[Node]) -> FormulaCertificate | None:
        exposures = self.predicates.exposures
        if next(self._atoms(names), None) is None:
            return local_certificate(self.program, self.base, names)
        if not excluded:
            small = small_certificate(self.program, self._shared(), exposures, names)
            if small is not None and is_accepted(self.program, small, self.session.tick):
                return small
            ghosts = meanings(self.model, exposures)
            known = [ghost.claim(self.model) for ghost in ghosts]
            for views in (exchanged_views, thread_views):
                claims = views(self.components, ghosts)
                if claims is not None and is_proof(
                    self.model, [*claims, *known], self._atoms(names)
                ):
                    return written_claims(self.program, self.model, exposures, claims, names)
        whole = component_certificate(self.program, self.components, exposures, names, excluded)
        return whole if is_accepted(self.program, whole, self.session.tick) else None

    def _shared(self) -> Components:
        """The components, those of threads that can be exchanged named once.

        Evidence may be shorter than the search: this is done without `symmetry` too. Whether it is
        a proof is up to the checker.
        """
        if self.task.options.symmetry:
            return self.components
        classes = Classes.of(self.base, symmetry=True)
        computed = {j: self.components.of(j) for j in classes.representatives}
        return Components(self.model, classes, computed)

    def _atoms(self, names: list[str]) -> Iterator[Atom]:
        """The error states that a proof of some properties excludes."""
        for checked in (None, *(p for p in self.task.properties if p.name in names)):
            yield from Errors(self.model, checked).atoms(Classes.single(self.model))

    def unknown(self) -> Iterator[Finding]:
        """UNKNOWN for what is left: say what would have to be exposed."""
        for name, question in self.open.items():
            atoms = question.atoms or self.limit.atoms
            found: dict[str, None] = {}
            for atom in atoms:
                probe = Predicates(self.program, self.classes)
                new = self.predicates.essential(self.model, atom.states, atom.threads)
                probe.add([predicate for predicate, _ in new])
                found.update((describe(self.program, e), None) for e in probe.exposures)
            reason = "thread by thread it could happen, though perhaps not all at once"
            told = ", ".join(f"`{text}`" for text in list(found)[:8])
            explanation = (f"it would help to know of another thread: {told}",) if found else ()
            yield Undecided((name,), reason, explanation=explanation)
        self.open.clear()
