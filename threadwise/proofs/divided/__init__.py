"""Absence of races, variable by variable: each has a proof of some kind."""
