"""Running the interleaving of a trace in the user's own C program, with the user's compiler.

    trace ── schedule ──▶ events ──┐
                                   ├── forcing ──▶ the runtime's schedule ── running ──▶ Outcome
    sources ── building ──▶ program ── machine_code ──▶ its scheduling points, with their lines

`schedule` replays the trace in the reference semantics and lists what has to happen in which
order: accesses to memory, operations of the thread library, inputs. `building` compiles the
sources, unchanged, with `-fsanitize=thread`, and links them with our runtime (`runtime/`, C), to
which the compiler's calls before each access and the calls of the thread library go.
`machine_code` finds these calls in the linked program, and the lines they belong to. `forcing`
writes what the runtime reads. `running` starts the program and watches it; `observing` says what
counts as having seen the violation: nothing that the runtime says, but a signal with the message
of the C library, a report of ThreadSanitizer, or threads that sleep. `debugging` writes a script
for gdb that walks the same way.
"""
