"""The checker of summary certificates: QRR's Rulesets 2 and 3, C1, C2 and C3'.

Obligations, for R (pairs), the claims about local stores, the relations of each thread, and Ω:

    (1) everything listed is a state, a store or a frame of the program
    (2) R is closed, (3) movers follow from it, (4) C1 and C2 hold: see `transactions`; with one
        thread every step is a mover
    (5) INIT   every initial state is in Ω, all threads in N
    (6) START, STEP, PUSH, POP   if all u ≠ t are in N, every summary of t leads into Ω; where Ω
        has the top frames of stacks only, PUSH leads into Below, and POP to all that is below
    (7) the rules of level II, and C3': see `summary_paths`
    (8) no node in P is a failure of a claimed property, or at a limit of the model
    (9) a claimed invariant holds in all states of Ω; with one thread, at all nodes of P

QRR Theorem 2 then says that a thread that can fail fails in P. A failed thread does not finish a
transaction here, so no other thread has to go on after a failure, as in the program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from threadwise.ir.commands import Call
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, InvariantProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.proofs.transactions.certificate import SummaryCertificate
from threadwise.proofs.transactions.partition import Behind, Transactions
from threadwise.proofs.transactions.summary_paths import Node, ThreadPaths
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Frame, GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter

Phased = tuple[State, str]
"""A state, and a letter for each thread: the part it is in."""

Below = Sequence[Sequence[tuple[Frame, Frame | None]]]
"""Per thread, which frame may lie below which."""

TREATS = ALL - {Feature.ANY_NUMBER, Feature.HEAP, Feature.POINTERS}
"""The features of programs that this checker treats."""


def check_summaries(
    program: Program, certificate: SummaryCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted. `tick` is called once per state and path edge."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "summaries")
    return _Checker(program, certificate, tick).run()


class _Checker:
    def __init__(
        self, program: Program, certificate: SummaryCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.checker = PropertyChecker(self.interpreter)
        self.transactions = Transactions(self.interpreter, certificate.claims, tick)
        self.below = None if certificate.below is None else list(map(_by_frame, certificate.below))

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        certificate = self.certificate
        claimed = claimed_properties(self.program, certificate.properties)
        for checked in claimed:
            if not isinstance(checked, FailureProperty | InvariantProperty):
                raise Refuted(f"summaries do not preserve `{checked.name}`")
        invariants = [p for p in claimed if isinstance(p, InvariantProperty)]
        self._check_shapes()  # (1)
        proof = self._check_transactions(invariants)  # (2), (3), (4)
        stores = [tuple(cells) for cells in certificate.globals]
        self.paths = [
            ThreadPaths(self.transactions, t, tables, stores)
            for t, tables in enumerate(certificate.summaries)
        ]
        self.omega = set(zip(certificate.states, certificate.parts, strict=True))
        for state in self.interpreter.initial_states():  # (5)
            if (state, "N" * len(state.locals)) not in self.omega:
                raise Refuted("INIT: an initial state is missing")
        for phased in zip(certificate.states, certificate.parts, strict=True):
            self.tick()
            self._check_state(*phased)  # (6)
        for paths in self.paths:
            paths.check(self.tick)  # (7)
        self._check_failures({p.name for p in claimed if isinstance(p, FailureProperty)})  # (8)
        self._check_invariants(invariants)  # (9)
        return proof or self._alone()

    def _alone(self) -> CheckedProof:
        """What the proof reaches, if there is one thread."""
        (paths,) = self.paths
        visited = frozenset(int(b.l.pc) for _, b in paths.edges)
        return CheckedProof(self.certificate.properties, frozenset(paths.taken), visited)

    # -- (1) to (4) ------------------------------------------------------------------------------

    def _check_shapes(self) -> None:
        certificate = self.certificate
        shapes = ShapeChecker(self.interpreter)
        threads = len(self.interpreter.threads)
        if len(certificate.summaries) != threads:
            raise Refuted("the certificate is for another number of threads")
        if len(certificate.parts) != len(certificate.states):
            raise Refuted("states and parts do not correspond")
        if certificate.below is None:
            for state in certificate.states:
                shapes.check_state(state)
        else:
            self._check_short(certificate.below, shapes)
        if any(len(parts) != threads or set(parts) - set("NLR") for parts in certificate.parts):
            raise Refuted("a state does not say which part each thread is in")
        for cells in certificate.globals:
            shapes.check_global(tuple(cells))
        for t in range(threads):
            self._check_tables(t, shapes)

    def _check_short(self, below: Below, shapes: ShapeChecker) -> None:
        """States with the top frames of stacks only."""
        if len(below) != len(self.interpreter.threads):
            raise Refuted("what is below frames is told for another number of threads")
        for state in self.certificate.states:
            shapes.check_short_state(state)
        for rows in below:
            for frame in (frame for pair in rows for frame in pair if frame is not None):
                shapes.check_frame(frame, self._callee(frame))

    def _callee(self, frame: Frame) -> str:
        calls = range(len(self.program.edges))
        call = self.program.edges[frame.call].action if frame.call in calls else None
        if not isinstance(call, Call):
            raise Refuted("a frame returns to no call")
        return call.procedure

    def _check_tables(self, t: int, shapes: ShapeChecker) -> None:
        tables = self.certificate.summaries[t]
        stores = range(len(self.certificate.globals))
        for g, l, part in tables.nodes:
            if g not in stores or part not in ("N", "L", "R"):
                raise Refuted("a node names no global store, or no part")
            shapes.check_local(t, l)
        for frame in tables.frames:
            shapes.check_frame(frame, self._callee(frame))
        nodes, frames = range(len(tables.nodes)), range(len(tables.frames))
        named = [
            *(end for row in (*tables.path_edges, *tables.sums) for end in row),
            *(end for a, n, _ in tables.calls for end in (a, n)),
            *(end for a, _, c in tables.returns for end in (a, c)),
            *(end for a, b, _, _ in tables.ranks for end in (a, b)),
            *tables.marks,
        ]
        used = [
            *(f for _, _, f in tables.calls),
            *(f for _, f, _ in tables.returns),
            *(f for _, _, f, _ in tables.ranks if f is not None),
        ]
        if any(end not in nodes for end in named) or any(f not in frames for f in used):
            raise Refuted("a row names no node or no frame")
        if any(rank < 0 for _, _, _, rank in tables.ranks):
            raise Refuted("C3': a rank below 0")

    def _check_transactions(self, invariants: list[InvariantProperty]) -> CheckedProof | None:
        certificate = self.certificate
        if certificate.pairs is None:
            self.transactions.check_alone()
            return None
        formulas = [invariant.formula for invariant in invariants]
        behind = Behind(certificate.pairs, certificate.forgotten, certificate.alone)
        pairs = self.transactions.check(behind, formulas)
        properties = self.certificate.properties
        return CheckedProof(properties, pairs.taken_edges, pairs.visited_locations)

    # -- (6) -------------------------------------------------------------------------------------

    def _check_state(self, state: State, parts: str) -> None:
        inside = {t for t, part in enumerate(parts) if part != "N"}
        for t in self.interpreter.threads:
            if not inside <= {t}:
                continue
            stack = state.stacks[t]
            top = stack[-1] if stack else None
            a = Node(state.g.cells, state.locals[t], parts[t])
            self.paths[t].start(a, top)
            for after in self._successors(t, state, parts, a, stack):
                if after not in self.omega:
                    name = self.transactions.name(t)
                    raise Refuted(f"STEP, PUSH, POP: a transaction of {name} leaves the states")

    def _successors(
        self, t: int, state: State, parts: str, a: Node, stack: tuple[Frame, ...]
    ) -> Iterator[Phased]:
        """Where the summaries from a lead."""
        paths = self.paths[t]
        reached = [(b, stack) for b in paths.sums[a]]
        reached += [(n, self._pushed(t, stack, frame)) for n, frame in paths.calls[a]]
        if stack:
            back = self._popped(t, stack)
            reached += [(c, left) for c in paths.returns[a, stack[-1]] for left in back]
        for node, grown in reached:
            after = _placed(state, t, node, grown)
            yield after, f"{parts[:t]}{node.part}{parts[t + 1 :]}"

    def _pushed(self, t: int, stack: tuple[Frame, ...], frame: Frame) -> tuple[Frame, ...]:
        """The stack with one frame more."""
        if self.below is None:
            return (*stack, frame)
        if (stack[-1] if stack else None) not in self.below[t][frame]:
            raise Refuted("PUSH: what is below a frame is missing")
        return (frame,)

    def _popped(self, t: int, stack: tuple[Frame, ...]) -> list[tuple[Frame, ...]]:
        """What the stack may be with one frame less."""
        if self.below is None:
            return [stack[:-1]]
        return [() if under is None else (under,) for under in self.below[t][stack[-1]]]

    # -- (8), (9) --------------------------------------------------------------------------------

    def _check_failures(self, names: set[str]) -> None:
        for paths in self.paths:
            for _, b in paths.edges:
                failure = self.program.locations[b.l.pc].failure
                if failure is None:
                    continue
                if failure.property in names:
                    raise Refuted(f"a path edge violates `{failure.property}`")
                if failure.kind.is_limit and self.certificate.properties:
                    raise Refuted(f"a path edge is at a limit of the model: {failure.message}")

    def _check_invariants(self, invariants: list[InvariantProperty]) -> None:
        for invariant in invariants:
            for state in self._observable_states():
                self.tick()
                if not self.checker.holds(invariant, state):
                    raise Refuted(f"a state violates `{invariant.name}`")

    def _observable_states(self) -> Iterator[State]:
        """States that show everything an invariant can see."""
        yield from self.certificate.states
        if self.certificate.pairs is None:
            for _, b in self.paths[0].edges:
                if not self.transactions.has_failed(b.l):
                    yield State(GlobalStore(b.g), (b.l,), ((),))


def _by_frame(
    rows: Sequence[tuple[Frame, Frame | None]],
) -> defaultdict[Frame, set[Frame | None]]:
    found: defaultdict[Frame, set[Frame | None]] = defaultdict(set)
    for frame, under in rows:
        found[frame].add(under)
    return found


def _placed(state: State, t: int, node: Node, stack: tuple[Frame, ...]) -> State:
    """The state with a thread somewhere else."""
    locals_: tuple[LocalStore, ...] = (*state.locals[:t], node.l, *state.locals[t + 1 :])
    stacks = (*state.stacks[:t], stack, *state.stacks[t + 1 :])
    return State(GlobalStore(node.g), locals_, stacks)
