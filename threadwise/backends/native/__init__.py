"""Programs as machine code: the steps of all threads, and a search that stores states as bytes.

    packing       where each cell of a state is among its bytes
    values        numbers with bounds, places, and who looks at them
    expressions   expressions as LLVM values
    pointers      those that have to do with pointers
    steps         one function per template: the successors of a state by one thread
    table         the states found so far, in a hash table
    search        all of it compiled, and driven from Python in slices
    control       what compiled functions and Python share
    jit           the compiler

Everything is computed on 64-bit integers. Whatever does not fit (a number without bound that grows
beyond, a heap, a stack) is refused, when compiling or at run time: the caller then falls back
on the compiled Python of `threadwise.systems`.
"""
