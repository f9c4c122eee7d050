"""Objects in containers: the lock of the container protects them.

- `guarded_lists` objects protected by the lock of the list they are in
- `list_locks`    which lock goes with the cell in which a list begins
- `handover`      objects taken out of a container under its lock and then used without it
- `pools`         elements of arrays that are such objects
- `unused`        what is known of those that nobody refers to yet
"""
