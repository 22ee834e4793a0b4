"""Write signatures.txt: the parameter names of NumPy's functions and methods that weft has.

Run in arrays/ with a Python that has NumPy 2 and SciPy, names on standard input:
    go test . -run TestPrintNames -v | python testdata/signatures.py > testdata/signatures.txt
"""

import inspect
import sys

import numpy as np
import scipy.special


def params(f):
    try:
        names = [("**" if p.kind == p.VAR_KEYWORD else "") + p.name for p in inspect.signature(f).parameters.values()]
    except ValueError:
        return None
    return " ".join(n for n in names if n != "self")


for line in sys.stdin:
    _, found, name = line.strip().partition(" name ")
    if not found:
        continue
    f = scipy if name.startswith("special.") else np
    for part in name.split("."):
        f = getattr(f, part)
    got = params(f)
    if got is not None:
        print(f"{name}: {got}")
