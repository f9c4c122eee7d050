"""What every layer needs and no layer owns: source positions, diagnostics, errors, limits, events.

Nothing in here knows what a program is; nothing in here prints or exits.

- `source`       files of text, positions and spans
- `reading`      reading those files, with clear messages
- `grammars`     parsers whose tables are built beforehand
- `memory_orders`  of atomic accesses, by their places
- `diagnostics`  messages about input, collected and rendered with line and caret
- `errors`       the four ways in which work can end early, and who catches each
- `statistics`   named counters of a run
- `progress`     events for observers of a run
- `budget`       limits on time, memory and steps, and the meter that checks them
- `processes`    work in processes of its own: supervisor, workers, memory
"""
