"""A kernel among strangers: they have no key, and do what they like. The owner's cells are answered, and memory is bounded."""

import pathlib
import threading

import pytest
import strangers

LIMIT = 256 << 20  # bytes of the kernel's resident memory under any load without the key


def resident(pid):
    fields = pathlib.Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * 4096


@pytest.mark.parametrize("attack", strangers.ATTACKS)
def test_strangers_are_bounded(fresh_kernel, attack):
    kernel = fresh_kernel()
    pid = kernel.manager.provisioner.pid
    before = worst = resident(pid)
    with strangers.beside(kernel.manager.get_connection_info(), attack):
        # 24 MB of output: more than waits for a subscriber before its publisher does.
        for _ in range(6):
            content, _ = kernel.run("print('x' * 4_000_000)")
            assert content["status"] == "ok"
            worst = max(worst, resident(pid))
        stop = threading.Timer(0.5, kernel.manager.interrupt_kernel)
        stop.start()
        content, _ = kernel.run("while True: print('y' * 1000)")
        assert content["ename"] == "KeyboardInterrupt"
        worst = max(worst, resident(pid))
        assert kernel.client.is_alive()
    assert worst <= LIMIT, f"{worst >> 20} MiB, {before >> 20} before"
    assert kernel.text("print('alive')") == "alive\n"
