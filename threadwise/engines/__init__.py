"""One module per algorithm, each a least fixpoint over a `ThreadSystem`.

`api` says what an engine is, `registry` lists them with the papers they come from, `auto` is the
strategy that combines them.
"""
