"""Ghosts that count threads and sum up what those that have finished have added.

zones       differences of integers
joins       where all threads of a pool were joined: claims, which are verified
accounts    the program with ghosts, and with what they say where all threads were joined
"""
