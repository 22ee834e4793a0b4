"""What inspect.signature and help say of weft's functions and methods: what they say of NumPy's.

Their own defaults only mark what was not given, and functions that hand all over to NumPy have *args. NumPy keeps the
signature of a function in one of three places, and programs look in each: the same place has it here.
"""

import inspect
import types


def tell(function, original, signature=None):
    """Give a function the text of NumPy's function, method or ufunc that it stands for, and its signature where NumPy tells one."""
    function.__doc__ = original.__doc__
    signature = signature or getattr(original, "__signature__", None)
    if signature is not None:
        function.__signature__ = signature
        return
    told = inspect.unwrap(original)
    text = getattr(told, "__text_signature__", None)
    if text:
        function.__text_signature__ = text
    elif not isinstance(told, (types.FunctionType, types.MethodType)):
        return
    function.__wrapped__ = getattr(original, "__wrapped__", original)
