"""Races excluded by the locks that threads hold, by ownership, and by who runs when.

lockset_engine  from a program to a certificate, or to the accesses that may race
fixpoints       the smallest claims that satisfy the rules of `threadwise.proofs.locksets`
"""
