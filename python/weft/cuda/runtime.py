"""The version of CUDA that kernels are written for: cuda.runtime."""

_VERSION = (11, 0)  # the oldest one whose driver takes the PTX


def get_version() -> tuple[int, int]:
    """The version."""
    return _VERSION


def is_supported_version() -> bool:
    """Whether that will do."""
    return True


supported_versions = (_VERSION,)
