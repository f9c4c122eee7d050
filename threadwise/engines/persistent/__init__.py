"""Explicit search over persistent sets of threads; see `engine`."""
