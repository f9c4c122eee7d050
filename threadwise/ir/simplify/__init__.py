"""Transformations of programs that keep their meaning and make them smaller.

    privacy        which variables only one thread can ever touch
    dead_values    values that nobody will read are forgotten
    quiet_steps    steps that no other thread can notice join the step before them

A front end applies them before it hands over its program; they are not applied to models, where
every statement is a step.
"""
