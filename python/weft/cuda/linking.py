"""Functions of other compilers' code. Kernels run wherever weft does, and such code does not: what names it is refused."""

from ..compiled.errors import UnsupportedError
from ..compiled.types import Signature, normalized

_WHY = "it is code of another compiler, which has nothing to run on where there is no GPU"


class Declared:
    """A function that is only declared. Kernels that call it are refused where they do so."""

    def __init__(self, name, args, result):
        self.name, self.sig = name, Signature(result, args)
        self.compiled_refusal = f"{name}, which declare_device declares: {_WHY}"

    def __repr__(self):
        return f"<declared function {self.name!r}: {self.sig}>"

    def __call__(self, *args):
        raise RuntimeError(f"{self.name} is for kernels; it was called outside of one")


def declare_device(name, sig, link=None, use_cooperative=False, abi="numba") -> Declared:
    """Declare a function of PTX or C that kernels are to be linked with. Write it in Python instead, with @cuda.jit(device=True)."""
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"Unsupported ABI: {abi}")
    args, result = normalized(sig)
    if result is None:
        raise TypeError("Return type must be provided for device declarations")
    return Declared(name, args, result)


def refuse(link):
    """Refuse files that a kernel is to be linked with."""
    raise UnsupportedError(
        f"link={link!r}: code of other compilers is not supported: {_WHY}. Write its functions in Python, with @cuda.jit(device=True)"
    )
