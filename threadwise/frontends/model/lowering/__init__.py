"""From the syntax tree to the IR."""
