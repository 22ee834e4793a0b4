"""cuNumeric's settings: those of cuPyNumeric, with variables of the environment that begin with CUNUMERIC_."""

from cupynumeric.settings import Settings
from weft import settings as _weft

__all__ = ("settings",)

settings = Settings("cunumeric")


def __getattr__(name):
    return getattr(_weft, name)
