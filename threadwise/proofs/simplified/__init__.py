"""Whether what a pass of `threadwise.transforms.pipeline` made of a program is believed.

Nothing here knows how a pass works, and nothing of a pass is imported: it looks at the program
before, at the program after, and at what the pass says it found out (docs/adr/031).

    normal    terms in a normal form, so that equal ones look alike
    shared    which variables can be reached by pointers, can race, never change
    facts     what holds at locations: claims of passes, closed under every edge
    flow      which variables are still read; which paths lead through removed locations
    effects   what a path does, seen from where it begins
    compare   every path of the program before is one edge of the program after
    silent     locations that nobody else can notice
    check     the obligations, pass by pass
"""
