"""By which names a program knows its arrays, for the pictures of what ran."""

import json
import sys

from . import _core


def remember(*namespaces):
    """Tell the core the names of the arrays in namespaces, the most telling namespace first.

    Of several names of one array the first counts; a part of an array has a name for the whole where the whole has none.
    """
    whole, parts = {}, {}
    for namespace in namespaces:
        for name, value in list(namespace.items()):
            if type(value) is _core.ndarray and not name.startswith("_"):
                store = value._store
                if store:
                    (whole if value.base is None else parts).setdefault(store, name)
    if whole or parts:
        _core.query("names", json.dumps(parts | whole))


def from_frames(depth=2):
    """Remember the names in the frames that led here, but for those of modules other than the program's own."""
    frame = sys._getframe(depth)
    namespaces, seen = [], set()
    while frame is not None:
        owner = frame.f_globals.get("__name__", "")
        if owner.partition(".")[0] not in ("weft", "IPython", "ipykernel", "traitlets", "asyncio"):
            for namespace in (frame.f_locals, frame.f_globals):
                if id(namespace) not in seen:
                    seen.add(id(namespace))
                    namespaces.append(namespace)
        frame = frame.f_back
    remember(*namespaces)
