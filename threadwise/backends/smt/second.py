"""A second opinion: the same question, as SMT-LIB text, to cvc5 if it is installed."""

from __future__ import annotations

from importlib.util import find_spec

import z3

from threadwise.backends.smt.handle import Handle, Term
from threadwise.backends.smt.solver import Answer

DEFAULT_LIMIT = 20_000_000


def is_available() -> bool:
    """Whether the second solver is installed."""
    return find_spec("cvc5") is not None


def smtlib(logic: Handle, formula: Term) -> str:
    """The question whether a formula is satisfiable, as a text that any solver understands."""
    solver = z3.Solver(ctx=logic.context)
    solver.add(formula)
    text: str = solver.to_smt2()
    return "(set-logic ALL)\n" + text


def second_opinion(logic: Handle, formula: Term, limit: int = DEFAULT_LIMIT) -> Answer:
    """What cvc5 says about the satisfiability of a formula."""
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("rlimit", str(limit))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, smtlib(logic, formula), "question")
    symbols = parser.getSymbolManager()
    said = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        said = command.invoke(solver, symbols).strip() or said
    answers = {answer.value: answer for answer in Answer}
    return answers.get(said, Answer.UNKNOWN)
