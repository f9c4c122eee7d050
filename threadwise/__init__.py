"""Proves multithreaded programs one thread at a time."""

__version__ = "0.1.0"
