"""JSON for the wire: what IPython and libraries put into messages, as bytes."""

import base64
import datetime
import json
import numbers


def _plain(value):
    """What json cannot encode by itself."""
    if isinstance(value, bytes):  # images come from IPython's formatters as bytes
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, (set, frozenset, tuple)) or hasattr(value, "__iter__"):
        return list(value)
    return repr(value)


def encode(value):
    """The value as JSON bytes. Not-a-number and infinities, which JSON lacks, become null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain).encode("utf-8", "replace")
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _finite(value):
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return _finite(_plain(value))
