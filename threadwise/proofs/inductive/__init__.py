"""Proofs by inductive formulas with ghosts (MHWL)."""
