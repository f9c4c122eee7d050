"""The IR in the logic of SMT solvers, and back.

handle        the bare solver, one call of the library per method
logic         terms of one solver context, as the other modules need them
integers      exact arithmetic: truncating division, wrap-around, shifts, bitwise operators
values        symbolic values of every type: scalars, pointers, cells, tables, records
environments  who executes, and the symbolic values of what it sees; initial and well-typed ones
encode        expressions to terms, places to paths
memory        pointers to global variables, as case splits
fire          one edge as (guard, environment after), or as a transition formula
decode        terms back to expressions of the program
solver        satisfiability with deterministic limits, counters, a cache, cores and models
models        the values that a model gives to symbolic values
second        the same question to cvc5, as SMT-LIB text

Checkers of proofs use `handle`, `solver` and `second` and nothing else: their encoder is their
own (`threadwise.proofs.toolbox.smt`, docs/adr/033-the-checkers-encoder.md).

Integers are mathematical and machine integers wrap explicitly, exactly as the IR says it; see
docs/adr/010-integers-in-smt.md. A term is only ever used in the `Logic` that made it.
"""
