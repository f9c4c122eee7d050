"""Interleavings as evidence for UNSAFE: `trace` is the data, `replay` runs it in the reference
semantics, `describe` tells what happens, `doubt` whether it rests on values that are not computed,
and `files` writes and reads it.
"""
