"""Write result_types.txt: the result dtype of every ufunc for every combination of operands.

Run in arrays/ with a Python that has NumPy 2 and SciPy:  python testdata/result_types.py > testdata/result_types.txt

A line is a ufunc, the first operand's type, and one character for each type of the second
operand (ufuncs of one operand have only one line): the result's dtype character, or "!"
where NumPy raises an error. The types are the dtypes, then Python's bool, int, float and
complex as b, i, f and c.
"""

import warnings

import numpy as np
from tables import DTYPES, UFUNCS, ufunc_of

warnings.simplefilter("ignore")
WEAK = {"b": True, "i": 1, "f": 1.0, "c": 1j}
operands = {np.dtype(t).char: np.ones(1, t) for t in DTYPES}
operands |= {"weak " + k: v for k, v in WEAK.items()}


def result(ufunc, *args):
    try:
        return ufunc(*args).dtype.char
    except (TypeError, ValueError):
        return "!"


for name in UFUNCS:
    ufunc = ufunc_of(name)
    if ufunc.nin == 1:
        print(name, "-", "".join(result(ufunc, x) for x in operands.values()))
        continue
    for key, x in operands.items():
        print(name, key.replace(" ", "-"), "".join(result(ufunc, x, y) for y in operands.values()))
