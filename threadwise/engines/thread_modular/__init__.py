"""Thread-modular model checking: `rules` is FQ §2.2, `pushdown` is §3.1, with procedures.

`interference` is the index of rule ENV that both use; `thread_modular_engine` applies them.
"""
