"""The kernel: a small checker of race proofs that shares no rule with the engine.

A certificate by locksets says what threads know at each location, in twenty kinds of claims. The
kernel has seven, below, and drops the others (`weaken`, which is not trusted). It verifies edge by
edge that what is left is inductive, computes all accesses and pairs, and says which pairs are
apart by its rules. What it settles needs no other checker. What it has no rules for it refuses,
programs with calls that are left after simplification among them.

claims     claims as data
objects    objects, elements, cells; which cells have which types
points_to  points-to sets, constants, what an edge stores                 INIT, STORE
names      equal values have one name; a claim over the state before a step
view       the claims of a case by kind
threads    pools of threads, spawns, joins                                JOIN, ABSENT
ground     stable claims; what a step or a call changes
rules      KEEP and INTRO: what holds after a step
apart      accesses, and the rules by which two of them are apart
check      the obligations
weaken     from certificates to claims of the kernel (not trusted)
found      what it has verified, for runs
settling   what the kernel settles of a certificate, in the terms of its checker

What is proved is about the reference semantics (`threadwise.semantics`), for pools of any size:
no reachable state has a race between two accesses that are apart. Undefined behaviour of C is
assumed not to happen, indices out of bounds included. A limit of the model is a reason to refuse.

The claims, in a state s and for a thread t that runs, at a location whose case has the claim:

    Fact(c)          c is true, as t sees s
    Holds(m)         m.owner is t. A must-lockset: every m with Holds(m)
    Entered(m)       m.owner was t when the step began that t is inside of (in an atomic region)
    Owns(p)          the object that p points into, if it does, cannot be reached from global
                     variables or variables of other threads: it has not escaped
    Count(e, n)      t has taken the edge e, which spawns a thread, n times
    Handle(x, e, n)  x is the id of the thread that t spawned when it took e the n-th time, from 0
    Over(e, n)       that thread has finished

and in all states

    memory           M(c): the cells that pointers in the cell c lead to: points-to, where all
                     objects of a site and all elements of an array are one
    constants        the values that a cell may have, if these are few
    frozen           the cell is written only by a thread that is alone or owns its object. So what
                     another thread can read there does not change
    spoilt           owners of mutexes that are not only acquired and released
    alone            no two threads of the template run at the same time

A claim is *stable* if steps of other threads keep it true: it reads own variables and frozen cells
only, and a mutex in it is not spoilt. Inside of an atomic region other threads take no steps, so
claims need not be stable there. C[step] is the claim C over the state before the step, by Hoare's
axiom: variables that the step assigns are replaced by the values they get; there is none if it
assigns other things that C reads. case |- C: C is one of the case, up to names of equal values.

    case |- C[step]                 C is stable, or its location is inside of an atomic region
    ---------------- KEEP, ASSIGN   (needed for every rule)
    case, step |- C

    c[step] in the guard            m[step].owner := self
    --------------------- GUARD     ---------------------- ACQUIRE
    case, step |- Fact(c)           case, step |- Holds(m)

    m[step].owner == self in the guard
    ---------------------------------- GUARD      Holds(m) only if the step writes nothing else to
    case, step |- Holds(m)                        what may be the owner of m (RELEASE)

    case |- Holds(m[step]) where the region begins, or case |- Entered(m[step]) inside
    ---------------------------------------------------------------------------------- ENTER
    case, step |- Entered(m)

    x := new                        case |- Owns(p[step]), and nothing that the step stores outside
    -------------------- ALLOCATE   of what t owns leads to objects that p may point into
    case, step |- Owns(x)           ------------------------------------------------------ PUBLISH
                                    case, step |- Owns(p)

    case |- Count(e, n)             case |- Count(e, n)   x := the id of the new thread
    -------------------------- SPAWN ------------------------------------------- SPAWN
    case, e |- Count(e, n + 1)      case, e |- Handle(x, e, n)

    case |- Handle(x, e, n)   the guard says that x has finished
    ------------------------------------------------------------ JOIN
    case, step |- Over(e, n)

    INIT    M and constants include what is in cells before the first step
    STORE   x := e: they include what e may be, for every cell that x may be; and for fresh objects
    BEGIN   a thread begins having spawned nothing, with the values that its variables begin with

Soundness: by induction over the steps of a run, each thread that runs is in a case that is true of
it, and M, constants, frozen and alone are true. The step of t itself: the rules above; KEEP holds
since M bounds what is written, and equal names have equal values. A step of another thread u: it
writes no variable of t; no frozen cell that t can read, for u is not alone while t runs, and t
cannot reach what u owns; no owner of a mutex that t holds, for it is neither free nor u's; it has
no pointer into what t owns, so it cannot publish it; and threads that have finished stay so.

A race is a state in which two threads can take steps that access one cell, one of them writing and
one of them not synchronisation. Two accesses of threads t and u to a cell are apart by

    READS      neither writes
    SYNC       both are synchronisation: of a mutex, of a `sync` variable, or by a `sync` edge
    ALONE      t and u are of one template, and that is alone, or one thread by itself
    ABSENT     t is the first thread, the only one that spawns threads of u's template, and knows
               how often it did, and all of these are over
    OWNED      t owns the object
    CONFINED   pointers to objects of the site are in variables of threads and in cells of confined
               objects only: t has made the object, or else cannot get at it (escape analysis)
    LOCKED     both hold a mutex since before their steps began, and it is one mutex: its name
               means the same to all threads; or it can only be one cell of a global variable; or
               it lies at one distance from the accessed cell; or at one offset in the element that
               the accessed cell is in

The end of an object, by `free` or at the end of a scope, is a write to all of it.
"""
