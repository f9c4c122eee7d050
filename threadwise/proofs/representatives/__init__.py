"""Proofs by formulas about k threads at a time."""
