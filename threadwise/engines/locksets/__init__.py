"""Races excluded by locksets, by ownership, and by may-happen-in-parallel.

lockset_engine  from a program to a certificate, or to the accesses that may race
fixpoints       the smallest claims that satisfy the rules of `threadwise.proofs.locksets`
"""
