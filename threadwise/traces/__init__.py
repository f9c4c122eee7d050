"""Interleavings as evidence for UNSAFE.

`trace` is the data, `replay` runs it in the reference semantics, `describe` says what happens,
`doubt` whether it rests on values that are not computed, `files` writes and reads it. `schedule`
extracts `events`, for native runs and for the `story`, the dynamic slice that reports show
(`dependence` computes it).
"""
