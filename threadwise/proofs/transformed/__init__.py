"""Proofs about a transformed program: the steps of the transformation, and an inner proof."""
