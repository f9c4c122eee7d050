"""Programs as engines see them: the `ThreadSystem` interface and its implementations.

`api` is the interface, `reference` the reference semantics seen through it, `concrete` the same
program compiled to Python code.
"""
