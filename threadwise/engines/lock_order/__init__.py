"""Deadlocks excluded by the order of locks: `lock_order_engine` finds the order."""
