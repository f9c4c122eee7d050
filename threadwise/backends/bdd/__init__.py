"""Finite programs as binary decision diagrams.

manager      the library (dd with CUDD, or dd.autoref), its limits and its figures
fields       the finite values of a cell as bits; sets of values as BDDs
values       what an expression can be worth: for each value, the states that give it
space        the fields of a whole program: shared cells, and per thread its location and own cells
expressions  expressions and places of the IR as such values
big_steps    one step of a thread, atomic regions included, as guarded constant assignments
threads      the steps of one thread, restricted to local stores that it can be in by itself
order        the variable order, computed from who writes what
model        all of it together: a program ready for the engines
diagrams     BDDs as plain data, for certificates
"""
