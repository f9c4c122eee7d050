"""The command line: one file per subcommand, and the only code that prints or exits.

`main` is imported for every `threadwise --help`; it and the subcommands import nothing heavier
than the option parser at module level. What a command needs, it imports when it runs.
"""
