"""NumPy's own tests, run on weft: make numpy-tests.

The tests that NumPy ships are run twice, once as they are and once with weft as their numpy. What NumPy passes
and weft does not is listed. This is a measure and a place to look, not a test: a good part of what is left asks
for dtypes, subclasses or internals that weft leaves to NumPy.
"""
