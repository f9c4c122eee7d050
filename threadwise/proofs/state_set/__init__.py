"""Proofs by all reachable states."""
