"""Proofs by linear equations between shared cells and numbers of threads."""
