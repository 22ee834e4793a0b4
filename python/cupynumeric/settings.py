"""cuPyNumeric's settings, which programs read and assign to.

weft takes none of them: what it runs on is said by flags (weft.settings), which names that are not cuPyNumeric's mean
here too. A program finds those that it knows, with what its environment says or with cuPyNumeric's defaults, and what
it assigns it reads again.
"""

import os

from weft import settings as _weft

__all__ = ("settings",)

_UNSET = object()


def _flag(text):
    """A word of the environment as True or False."""
    word = text.lower()
    if word in ("yes", "y", "1", "on", "t", "true"):
        return True
    if word in ("no", "n", "0", "off", "f", "false"):
        return False
    raise ValueError(f"got {text!r} where true or false was expected")


# name: (variable of the environment behind the package's name, default, what makes a value of the variable's text).
_TABLE = {
    "doctor": ("DOCTOR", False, _flag),
    "doctor_format": ("DOCTOR_FORMAT", "plain", str),
    "doctor_filename": ("DOCTOR_FILENAME", None, str),
    "doctor_traceback": ("DOCTOR_TRACEBACK", False, _flag),
    "preload_cudalibs": ("PRELOAD_CUDALIBS", False, _flag),
    "warn": ("WARN", False, _flag),
    "report_coverage": ("REPORT_COVERAGE", False, _flag),
    "report_dump_callstack": ("REPORT_DUMP_CALLSTACK", False, _flag),
    "report_dump_csv": ("REPORT_DUMP_CSV", None, str),
    "numpy_compat": ("NUMPY_COMPATIBILITY", False, _flag),
    "fallback_stacktrace": ("FALLBACK_STACKTRACE", False, _flag),
    "fast_math": ("FAST_MATH", False, _flag),
    "max_eager_volume": ("MAX_EAGER_VOLUME", 8192, int),
    "force_thunk": ("FORCE_THUNK", None, str),
    "min_gpu_chunk": ("MIN_GPU_CHUNK", 65536, int),
    "min_cpu_chunk": ("MIN_CPU_CHUNK", 1024, int),
    "min_omp_chunk": ("MIN_OMP_CHUNK", 8192, int),
    "matmul_cache_size": ("MATMUL_CACHE_SIZE", 134217728, int),
    "take_default": ("TAKE_DEFAULT", "auto", str),
    "disable_bounds_checking": ("DISABLE_BOUNDS_CHECKING", "none", str),
    "test": ("TEST", False, _flag),
}


class Setting:
    """One setting: called, it gives what was assigned, or the environment's word, or the default."""

    def __init__(self, name, variable, default, convert):
        self.name, self.env_var, self.default = name, variable, default
        self._convert, self._value = convert, _UNSET

    def __call__(self, value=None, default=None):
        """The value; that of an argument where it is given, and default where nothing else says one."""
        if value is not None:
            return value
        if self._value is not _UNSET:
            return self._value
        if self.env_var in os.environ:
            return self._convert(os.environ[self.env_var])
        return self.default if default is None else default

    def set_value(self, value):
        """What the setting is from now on."""
        self._value = self._convert(value) if isinstance(value, str) else value

    def unset_value(self):
        """Take back what was assigned."""
        self._value = _UNSET


class Settings:
    """The settings as attributes. Assigning to one gives it a value; an unknown one is an AttributeError."""

    def __init__(self, package="cupynumeric"):
        for name, (variable, default, convert) in _TABLE.items():
            variable = "LEGATE_TEST" if name == "test" else f"{package.upper()}_{variable}"
            self.__dict__[name] = Setting(name, variable, default, convert)

    def __setattr__(self, name, value):
        if name not in self.__dict__:
            raise AttributeError(f"cuPyNumeric has no setting {name!r}; its settings are {', '.join(self.__dict__)}")
        self.__dict__[name].set_value(value)

    def __iter__(self):
        return iter(self.__dict__.values())


settings = Settings()


def __getattr__(name):
    return getattr(_weft, name)
