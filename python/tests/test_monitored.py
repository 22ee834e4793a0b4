"""Calls that a tool of sys.monitoring is told of, which Python has from 3.12 on."""

import sys

import pytest

from .sharing import run_python


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python has no sys.monitoring before 3.12")
def test_a_monitored_call_keeps_its_argument():
    """The tool is told of a call after it, with its first argument, which has its elements then."""
    script = """
import sys
import weft as np
seen = []
def returned(code, offset, function, first):
    if isinstance(first, np.ndarray):
        seen.append(float(first[3]))
monitoring = sys.monitoring
monitoring.use_tool_id(3, "test")
monitoring.register_callback(3, monitoring.events.C_RETURN, returned)
x, y = np.arange(300_000.0), np.ones(300_000)
monitoring.set_events(3, monitoring.events.CALL)  # which brings C_RETURN along
most = np.max(x - y)
monitoring.set_events(3, 0)
assert most == 299_998, most
assert 2.0 in seen, seen
"""
    done = run_python(script)
    assert done.returncode == 0, done.stderr
