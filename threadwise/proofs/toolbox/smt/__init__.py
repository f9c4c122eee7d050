"""For checkers that ask a solver: what programs mean, as formulas, from the reference semantics.

terms         the solver's terms, obvious ones decided
values        what a variable is made of: cells, tables, records
environments  threads and stores; initial ones, and those of the right types
arithmetic    integer operations, as the reference semantics defines them
encoder       expressions: their value, and whether they have one
edges         commands, calls, returns, and steps with the accesses they make
steps         steps through atomic regions that exclude impossible paths early
obligations   threads in slots, and whether formulas follow from each other

Nothing here is shared with engines, which have an encoder in `threadwise.backends.smt`: a wrong
line in one of the two makes a proof fail, not pass.
"""
