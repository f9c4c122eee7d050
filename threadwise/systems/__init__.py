"""Programs as engines see them: the `ThreadSystem` interface and its implementations.

`api` is the interface, `reference` the reference semantics seen through it, `concrete` the same
program compiled to Python code, `symmetric` one representative per class of threads that are
alike.
"""
