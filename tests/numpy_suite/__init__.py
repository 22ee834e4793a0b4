"""NumPy's own tests, run on weft: make numpy-tests.

The tests that NumPy ships are run twice, once as they are and once with weft as their numpy. What NumPy passes
and weft does not is listed. Each file's count is compared with its row in baseline.txt: fewer are an error, and
NUMPY_TESTS="--update lib/io" writes what was reached. Tests of what no program can rely on are not counted: each is a
line of excluded.txt, "lib/io::TestLoad::test_x[*] -- reason", with the name as the command prints it. A line is taken
out as soon as its tests pass, which NUMPY_TESTS=--excluded and tests/test_numpy_suite.py look for.
"""
