"""Proofs about a transformed program: a step, and an inner proof."""
