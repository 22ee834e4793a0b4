"""Jupyter's face of weft: the Python side of the kernel, IPython's shell in it, its magics, and the debugger.

It stands on the package above it, NumPy's face, which knows nothing of it: a script loads no module of this one.
"""
