"""Proofs by a formula for all interleavings, where runs are bounded."""
