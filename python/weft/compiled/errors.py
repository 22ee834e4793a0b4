"""What is wrong with compiled functions, under Numba's names.

Where Numba is loaded, its classes are the bases of these, so that programs that catch those, or ignore warnings by them, have these
caught and ignored as well.
"""

import sys

# Numba's errors and warnings that nothing of weft's raises, by what they are beside: programs name them to catch or to ignore them.
_UNRAISED = {
    "NumbaError": (
        "ByteCodeSupportError", "CompilerError", "ConstantInferenceError", "ForceLiteralArg", "IRError", "InternalError", "LoweringError",
        "NumbaRuntimeError", "UnsupportedBytecodeError", "UnsupportedParforsError",
    ),
    "LoweringError": ("ForbiddenConstruct",),
    "IRError": ("NotDefinedError", "RedefinedError", "VerificationError"),
    "InternalError": ("InternalTargetMismatchError", "NonexistentTargetError"),
    "TypingError": (
        "LiteralTypingError", "NumbaAssertionError", "NumbaAttributeError", "NumbaIndexError", "NumbaKeyError", "NumbaNotImplementedError",
        "NumbaTypeError", "NumbaValueError", "RequireLiteralValue", "UntypedAttributeError",
    ),
    "UnsupportedError": ("UnsupportedRewriteError",),
    "NumbaWarning": (
        "NumbaDebugInfoWarning", "NumbaExperimentalFeatureWarning", "NumbaParallelSafetyWarning", "NumbaPedanticWarning", "NumbaSystemWarning",
        "NumbaTypeSafetyWarning",
    ),
    "NumbaPedanticWarning": ("NumbaIRAssumptionWarning",),
}  # fmt: skip

__all__ = [  # noqa: PLE0604 - names of _UNRAISED
    "CudaAPIError",
    "CudaSupportError",
    "DeprecationError",
    "KernelRuntimeError",
    "LinkerError",
    "NumbaDeprecationWarning",
    "NumbaError",
    "NumbaInvalidConfigWarning",
    "NumbaPendingDeprecationWarning",
    "NumbaPerformanceWarning",
    "NumbaWarning",
    "NvvmSupportError",
    "TypingError",
    "UnsupportedError",
    *(name for names in _UNRAISED.values() for name in names),
]


def _base(name):
    """Numba's class of a name as a base, where Numba is loaded."""
    errors = sys.modules.get("numba.core.errors")
    found = getattr(errors, name, None)
    return (found,) if isinstance(found, type) else ()


class NumbaError(*(_base("NumbaError") or (Exception,))):
    """Something is wrong with a function that is to be compiled."""


class TypingError(NumbaError, *_base("TypingError")):
    """An expression has no type, or one that cannot be used there."""


class UnsupportedError(NumbaError, *_base("UnsupportedError")):
    """The function is written in a way that is not compiled."""


class NumbaWarning(*(_base("NumbaWarning") or (Warning,))):
    """Something may be wrong."""


class NumbaPerformanceWarning(NumbaWarning, *_base("NumbaPerformanceWarning")):
    """Something is slower than it could be."""


class NumbaInvalidConfigWarning(NumbaWarning, *_base("NumbaInvalidConfigWarning")):
    """Options that do not go together."""


class DeprecationError(NumbaError, *_base("DeprecationError")):
    """An option that is no more."""


class NumbaDeprecationWarning(NumbaWarning, *_base("NumbaDeprecationWarning"), DeprecationWarning):
    """What is deprecated in Numba. Nothing warns of it here."""


class NumbaPendingDeprecationWarning(NumbaWarning, *_base("NumbaPendingDeprecationWarning"), PendingDeprecationWarning):
    """What will be. Nothing warns of it here."""


for _above, _names in _UNRAISED.items():
    for _name in _names:
        _said = {"__doc__": "What Numba raises or warns of, and weft does not.", "__module__": __name__}
        globals()[_name] = type(_name, (globals()[_above], *_base(_name)), _said)


class CudaSupportError(ImportError):
    """There is no GPU to do it on."""


class NvvmSupportError(ImportError):
    """There is no NVVM. Nothing raises it: kernels are compiled without."""


class LinkerError(RuntimeError):
    """A kernel could not be linked with the code of other compilers."""


class KernelRuntimeError(RuntimeError):
    """A kernel could not be launched."""


class CudaAPIError(RuntimeError):
    """What CUDA's driver would have answered: a code, and what was wrong."""

    def __init__(self, code, msg):
        super().__init__(code, msg)
        self.code, self.msg = code, msg

    def __str__(self):
        return f"[{self.code}] {self.msg}"
