"""HJMQ Table 2 on C: programs beside this file, checked by `tar`."""
