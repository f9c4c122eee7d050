"""Whether a program is another one with accounts of finished threads: `check` begins."""
