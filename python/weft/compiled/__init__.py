"""Functions of the user's that are compiled, with Numba's rules: what weft.cuda and weft.numba give names to.

The compiler is weft's package jit; this reads functions as the text that it takes, and calls what it makes.
"""
