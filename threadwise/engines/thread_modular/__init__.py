"""Thread-modular model checking: `rules` is FQ §2.2, `engine` applies it to a task."""
