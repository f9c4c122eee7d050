"""Bridges to libraries that solve: the only importers of them.

smt    satisfiability modulo theories (z3, and cvc5 for a second opinion)
exact  linear algebra over the rational numbers (FLINT)
"""
