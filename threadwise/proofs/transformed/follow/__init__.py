"""Whether a program follows threads of another one by their creation indices: `check` begins."""
