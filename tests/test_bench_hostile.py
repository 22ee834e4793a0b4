"""What make bench-hostile measures can be measured: on our own kernel, for one attack."""

import sys

from bench_hostile import measure
from bench_kernel.client import Kernel


def test_a_kernel_under_attack_is_measured():
    with Kernel([sys.executable, "-m", "weft_kernel", "-f", "{connection_file}"]) as kernel:
        found = measure.attacked(kernel, "500 open connections", seconds=0.5)
    assert found.pop("growth") <= 256 << 20
    assert set(found) == {"cell, median", "cell, most", "interrupt, median", "interrupt, most"}, found
