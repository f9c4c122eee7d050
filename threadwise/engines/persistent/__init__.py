"""Explicit search over persistent sets of threads; see `persistent_engine`."""
