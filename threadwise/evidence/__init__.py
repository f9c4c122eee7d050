"""Evidence for verdicts, and the checks that every piece of it passes before it is believed.

A SAFE carries a certificate, an UNSAFE a trace. `trace`, `replay` and `describe` deal with the
latter, `certificate`, `check` and `checkers` with the former, `jsonio` with files. Nothing here
imports an engine, a system or a pass: the reference semantics alone decide.
"""
