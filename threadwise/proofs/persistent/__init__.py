"""Proofs by states that are closed under persistent sets."""
