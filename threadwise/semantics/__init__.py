"""The reference semantics: what a program means, in the shortest obvious form.

`state` has the stores, `evaluate` the meaning of expressions and places, `step` the relations T,
T+ and T- (FQ §2.1, §3), `properties` what it means to violate a property and `oracle` the
brute-force search. Engines are compared with this package; evidence is checked by it.
"""
