"""Deadlocks excluded by the order of locks: `engine` finds the order."""
