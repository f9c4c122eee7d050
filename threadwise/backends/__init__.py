"""Bridges to libraries that solve: the only importers of them.

bdd        binary decision diagrams (CUDD)
smt        satisfiability modulo theories (z3, and cvc5 for a second opinion)
exact      linear algebra over the rational numbers (FLINT)
libraries  which of them are installed
"""
