"""The faults of `benchmarks.mutations`."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A line of an engine, what becomes of it, and the tests of its paper."""

    what: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]


FQ = ("test_flanagan_qadeer",)
MPR = ("test_malkis_podelski_rybalchenko",)
MHWL = ("test_meng_he_wang_liu",)
HJMQ = ("test_henzinger_jhala_majumdar_qadeer",)
MOVERS = ("test_qadeer_rajamani_rehof_movers", "test_corrections")
REDUCTION = ("test_corrections", "test_qadeer_rajamani_rehof_reduction")
SUMMARIES = ("test_corrections", "test_qadeer_rajamani_rehof_summaries")
CORRECTIONS = ("test_corrections",)
RULES = "thread_modular/rules.py"
PUSHDOWN = "thread_modular/pushdown.py"
CLASSIFY = "movers/classify.py"
SEARCH = "reduction/search.py"
PARTITION = "reduction/partition.py"
SUMMARY_RULES = "summaries/rules.py"
FINISH = "summaries/finish.py"
COMPONENTS = "symbolic/components.py"
ESSENTIAL = "symbolic/essential.py"
REFINEMENT = "symbolic/refinement.py"

FAULTS = (
    Fault(
        "STEP guarantees nothing",
        RULES,
        "            for u, h, m in self.interference.guarantee(t, step.action, (g, l)):\n",
        "            for u, h, m in ():\n",
        FQ,
    ),
    Fault(
        "ENV is not applied to later actions",
        RULES,
        "                self.disturb(u, h, m, t, step.action)\n",
        "                pass\n",
        FQ,
    ),
    Fault(
        "ENV is not applied to later pairs",
        RULES,
        "            self.disturb(t, g, l, e, action)\n",
        "            pass\n",
        FQ,
    ),
    Fault(
        "ENV of two guarantors is that of none",
        "thread_modular/interference.py",
        "        guarantors[action] = (*before, t)\n",
        "        guarantors[action] = (t, t)\n",
        FQ,
    ),
    Fault(
        "POP returns to nobody who called before",
        PUSHDOWN,
        "        for caller in list(self.callers[t].get(a, ())):  # STEP2 and POP",
        "        for caller in ():  # STEP2 and POP",
        SUMMARIES,
    ),
    Fault(
        "PUSH does not enter the callee",
        PUSHDOWN,
        "                self.extend(t, entry, entry, Stepped(g, l, (push.choice,)))\n",
        "",
        SUMMARIES,
    ),
    Fault(
        "ENV1 is not applied to later actions",
        PUSHDOWN,
        "                    self.disturb(u, entry, (h, m), t, step.action)\n",
        "                    pass\n",
        SUMMARIES,
    ),
    Fault(
        "post# moves nobody else",
        "cartesian.py",
        "                if t != e:  # step of another",
        "                if t == e:  # step of another",
        MPR,
    ),
    Fault(
        "post# forgets own steps",
        "cartesian.py",
        "                    result[e].add((step.g, step.l))  # own step\n",
        "",
        MPR,
    ),
    Fault(
        "a store of one thread is enough for gamma",
        "cartesian.py",
        "    everywhere = set(at[0]).intersection(*at[1:])",
        "    everywhere = set(at[0])",
        MPR,
    ),
    Fault(
        "the fixpoint forgets the initial states",
        "cartesian.py",
        "        after = union([start, post_sharp(system, sets, tick)])",
        "        after = union([sets, post_sharp(system, sets, tick)])",
        MPR,
    ),
    Fault(
        "frontier search stops one step early",
        "cartesian.py",
        "        if len(seen) == known:\n            return\n        yield frontier",
        "        yield frontier\n        if len(seen) == known:\n            return",
        MPR,
    ),
    Fault(
        "the frontiers are united",
        "cartesian.py",
        "        frontier = post_sharp(system, frontier, tick)",
        "        frontier = union([frontier, post_sharp(system, frontier, tick)])",
        MPR,
    ),
    Fault(
        "alpha forgets the last thread",
        "cartesian.py",
        "frozenset((g, ls[t]) for g, ls in states) for t in system.roles)",
        "frozenset((g, ls[0]) for g, ls in states) for t in system.roles)",
        MPR,
    ),
    Fault(
        "conflicts with reads do not count",
        CLASSIFY,
        "        clash = mine.reads & others_write | mine.writes & others_touch\n",
        "        clash = mine.writes & others_write\n",
        MOVERS,
    ),
    Fault(
        "locks held by both are no matter",
        CLASSIFY,
        "if not locks & other for l in found]",
        "for l in found]",
        MOVERS,
    ),
    Fault(
        "all annotations are believed",
        CLASSIFY,
        "        if clash is None:\n            right, left",
        "        if clash is not None:\n            right, left",
        MOVERS,
    ),
    Fault(
        "what R does not confirm is refuted",
        CLASSIFY,
        "        real = self._clash(self.reachable, t, l, edge, claim, inferred)\n",
        "        real = clash\n",
        MOVERS,
    ),
    Fault(
        "what an invariant sees moves",
        CLASSIFY,
        "self.visibility.sees(edge, template)",
        "not self.visibility.sees(edge, template)",
        REDUCTION,
    ),
    Fault(
        "R is never looked at",
        CLASSIFY,
        "    if not classify(own, tick=tick).may_improve:",
        "    if True:",
        MOVERS,
    ),
    Fault(
        "unbounded variables stay",
        "movers/sources.py",
        "_unbounded(system.program) if has_unbounded_data(system.program) else ()\n",
        "()\n",
        MOVERS,
    ),
    Fault(
        "a mutex that is read is a lock",
        "movers/locks.py",
        "        found -= touched - ({effect[0]} if effect is not None else set())\n",
        "",
        REDUCTION,
    ),
    Fault(
        "an acquire moves left, too",
        "movers/locks.py",
        "        return self is not LockEffect.ACQUIRE",
        "        return True",
        REDUCTION,
    ),
    Fault(
        "a release moves right, too",
        "movers/locks.py",
        "        return self is not LockEffect.RELEASE",
        "        return True",
        (*REDUCTION, *SUMMARIES),
    ),
    Fault(
        "C3 is not repaired",
        SEARCH,
        "            if not broken:\n                return",
        "            if broken is not None:\n                return",
        REDUCTION,
    ),
    Fault(
        "C2: some step to the left is enough",
        PARTITION,
        "all(mover.left for mover in classes.values())",
        "any(mover.left for mover in classes.values())",
        REDUCTION,
    ),
    Fault(
        "C1: initial stores are inside",
        PARTITION,
        "        if l in self.initial[t] or self.system.is_stopped(l):",
        "        if self.system.is_stopped(l):",
        (*REDUCTION, *SUMMARIES),
    ),
    Fault(
        "the phase never ends",
        PARTITION,
        'mover.right and (part != "L" or not mover.left)',
        'mover.right or (part != "L" or not mover.left)',
        REDUCTION,
    ),
    Fault(
        "a thread goes on while others are inside",
        SEARCH,
        "        return inside or list(self.system.roles)",
        "        return list(self.system.roles)",
        REDUCTION,
    ),
    Fault(
        "a failure hides those of others",
        SEARCH,
        "            after = g if system.is_stopped(step.l) else step.g",
        "            after = step.g",
        REDUCTION,
    ),
    Fault(
        "C3' is not repaired",
        FINISH,
        "        self.broken.update(((t, b.l), None) for b in nodes)",
        "        assert nodes is not None",
        SUMMARIES,
    ),
    Fault(
        "C3': an empty stack returns",
        FINISH,
        "        if a in relations.bottom:\n            self._move(t, left)\n",
        "",
        SUMMARIES,
    ),
    Fault(
        "CFL SUM marks nothing",
        SUMMARY_RULES,
        "        self._mark(t, a, Ends(b))\n",
        "",
        SUMMARIES,
    ),
    Fault(
        "POP leaves the frame on the stack",
        SUMMARY_RULES,
        "        self._reach(Transaction(position, t, *exit_), c, stack[:-1])",
        "        self._reach(Transaction(position, t, *exit_), c, stack)",
        SUMMARIES,
    ),
    Fault(
        "marks do not reach callers",
        SUMMARY_RULES,
        "                        pending.append((caller, EndsInside(n)))\n",
        "",
        SUMMARIES,
    ),
    Fault(
        "summaries are not used at once",
        SUMMARY_RULES,
        "            for b in relations.sum[a]:\n                self._step(position, t, b)\n",
        "",
        SUMMARIES,
    ),
    Fault(
        "R̄_j forgets the guarantee of a thread",
        COMPONENTS,
        "        others = [thread.guarantee for thread in model.threads if thread.thread != j]",
        "        others = [t.guarantee for t in model.threads if t.thread not in (j, 0)]",
        MHWL,
    ),
    Fault(
        "a group that changed something counts as closed",
        COMPONENTS,
        "                    break\n                version += 1",
        "                    break",
        MHWL,
    ),
    Fault(
        "only one value of a subject is exposed",
        ESSENTIAL,
        "                for value in field.values if needing != manager.false else ():",
        "                for value in field.values[:1] if needing != manager.false else ():",
        MHWL,
    ),
    Fault(
        "what R̄ makes essential is exposed",
        REFINEMENT,
        "self.predicates.essential(self.model, error, everybody):",
        "self.predicates.essential(self.model, states, everybody):",
        MHWL,
    ),
    Fault(
        "no predecessors of errors",
        REFINEMENT,
        "        return layers.add_predecessors(last), new",
        "        return False, new",
        MHWL,
    ),
    Fault(
        "refinements are not counted",
        REFINEMENT,
        "        self.rounds += 1\n        exposed",
        "        exposed",
        MHWL,
    ),
    Fault(
        "CFL POP across a boundary",
        SUMMARY_RULES,
        """            if a.part != "N":
                for (caller""",
        """            if a.part:
                for (caller""",
        SUMMARIES,
    ),
    Fault(
        "without stacks, returns do not go where something lies below later",
        "summaries/merged.py",
        "                self._return(*back, t, under)\n",
        "                pass\n",
        SUMMARIES,
    ),
    Fault(
        "guards are no reads",
        "movers/footprints.py",
        "        for whole in action_expressions(edge.action):\n"
        "            for place in read_places",
        "        for whole in action_expressions(edge.action)[1:]:\n"
        "            for place in read_places",
        REDUCTION,
    ),
    Fault(
        "local predicates over shared variables are kept",
        "../systems/predicate/system.py",
        "if not p.variables & path.written}",
        "if p.own_variables or not p.variables & path.written}",
        CORRECTIONS,
    ),
    Fault(
        "havoc is discharged the other way round",
        "tar/loop.py",
        "            havoc.written <= known.get(",
        "            havoc.written >= known.get(",
        CORRECTIONS,
    ),
    Fault(
        "reduction preserves deadlocks",
        "reduction/reduction_engine.py",
        "            if isinstance(checked, FailureProperty):",
        "            if not isinstance(checked, InvariantProperty):",
        CORRECTIONS,
    ),
    Fault(
        "only equal views are compared",
        "../systems/symmetric/errors.py",
        "anonymous = self.system.naming.anonymous(shared)",
        "anonymous = shared",
        CORRECTIONS,
    ),
    Fault(
        "an id of another is never one's own",
        "../systems/symmetric/naming.py",
        "        options = [t for t in known if t not in used and self.members[t] == members]\n",
        "        options: list[int] = []\n",
        CORRECTIONS,
    ),
    Fault(
        "where nothing is refinable R̄ is the proof",
        REFINEMENT,
        "question.holds, question.excluded = True, states",
        "question.holds, question.excluded = True, None",
        CORRECTIONS,
    ),
)
