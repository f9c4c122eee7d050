"""Translation validation: whether a pass of `threadwise.transforms.pipeline` preserved meaning.

The passes are not trusted, and none of their code is imported: the check takes the program before,
the program after, and the facts that the pass claims (docs/adr/031).

    normal    terms in a normal form, so that equal ones are the same
    shared    which variables can be reached by pointers, can race, never change
    facts     what holds at locations: claims of passes, closed under every edge
    flow      which variables are still read; which paths lead through removed locations
    effects   what a path does, seen from where it begins
    compare   every path of the program before is one edge of the program after
    silent    locations that no other thread can observe
    inputs    a few values of an input stand for all
    created   how many threads there can be
    check     the obligations, pass by pass
"""
