"""The devices, and the context."""

from ..devices import current_context as get_context  # noqa: F401
from ..devices import gpus as gpus
from ..devices import require_context as require_context
