"""What the functions of the C library do: a table, read by us and by `--library`.

One TOML file per family; the format is described in docs/user/c-library.md.

    headers = ["pthread.h"]                     what the effects need
    [functions.pthread_self]
    signature = "pthread_t pthread_self(void)"
    description = "the calling thread"
    effect = "return __tw_self();"              a C body over headers/threadwise.h
    test = "thread_self.c"                      ours: a program in tests/library

`read` turns files into `entry.Entry`s, with located errors; `shorthand` writes the effects of
entries that only say of what kind they are (`acquire = "argument 0"`, `returns = "any"`). `models`
gives the C text of those entries that a program needs, to be parsed like another file of it;
`unknown` decides about functions without a description.

    program = parse(files)
    text = models_for(program, options)         -> parse it too, `Function.library = True`
    complete(program, options)                  -> bodies for what is still undefined
"""

from threadwise.frontends.c.library.entry import OPAQUE_TYPES, Entry, Table
from threadwise.frontends.c.library.models import Models, models_for
from threadwise.frontends.c.library.read import read_table
from threadwise.frontends.c.library.unknown import complete

__all__ = ["OPAQUE_TYPES", "Entry", "Models", "Table", "complete", "models_for", "read_table"]
