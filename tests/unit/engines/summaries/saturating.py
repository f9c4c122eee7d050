"""Running the rules of summaries to their end, without an engine around them."""

from __future__ import annotations

from threadwise.engines.movers.classify import (
    Movers,
    MoversOfOne,
    choose_source,
    classify,
)
from threadwise.engines.reduction.partition import Partition
from threadwise.engines.summaries.finish import Finish
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.ir.program import Program
from threadwise.systems.concrete import ConcreteSystem


def nothing() -> None:
    """A tick that never stops anything."""


def saturate(program: Program, max_depth: int = 50) -> SummaryRules:
    """The least relations, C3' repaired."""
    system = ConcreteSystem(program)
    movers: Movers = MoversOfOne(system)
    if len(system.roles) != 1:
        movers = classify(choose_source(system, nothing))
    partition = Partition(system, movers)
    while True:
        rules = SummaryRules(system, partition, max_depth)
        for _ in rules.run(nothing):
            pass
        broken = Finish(rules).broken
        if not broken:
            return rules
        for t, l in broken:
            partition.move(t, l)
