"""Which threads run when, and which thread is which.

- `creation`       how the program creates and joins its threads, read off its commands
- `starts`         what is known when a thread begins
- `numbering`      how the first thread numbers the threads that it creates and joins in loops
- `thread_arrays`  rosters: threads created in a loop: the id and the argument of each, by number
- `kept_ids`       thread ids that the first thread keeps in global variables
- `spacing`        cells that threads index by their numbers: each thread uses its own
"""
