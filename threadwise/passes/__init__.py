"""Programs to programs, each with its way back for traces and proofs.

expose   ghost globals that show predicates over threads' own variables to everybody
"""
