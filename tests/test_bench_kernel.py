"""What make bench-kernel measures can be measured: on our own kernel, few times."""

import sys

from bench_kernel import measure
from bench_kernel.client import Kernel


def test_each_measurement():
    with Kernel([sys.executable, "-m", "weft_kernel", "-f", "{connection_file}"]) as kernel:
        found = measure.start(kernel)
        found |= measure.round_trips(kernel, count=5)
        found |= measure.with_jupyter_client(kernel, count=5)
        found |= measure.displays(kernel, count=20)
        found |= measure.prints(kernel)
        found |= measure.info_while_busy(kernel, count=3)
        assert found.pop("prints lost") == 0
        assert all(value > 0 for value in found.values()), found
        assert found["kernel_info after the start"] < found["start to the first reply"]
