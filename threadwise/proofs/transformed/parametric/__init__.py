"""Whether a program is the parametric abstraction of another one: `check` begins."""
