"""Proofs as evidence for SAFE: one folder per kind, and what they share.

In each folder `certificate` is the data that a proof leaves behind, `check` decides whether to
believe it, `files` writes and reads it, `explain` tells it to people. `base` says what a kind of
proof is and knows them all by name; `toolbox` serves several checkers. Nothing here imports an
engine or a system: whatever found a proof, it is checked by this package and the reference
semantics.
"""
