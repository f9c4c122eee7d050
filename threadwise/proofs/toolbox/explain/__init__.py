"""From tables of stores to short formulas."""
