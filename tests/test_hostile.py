"""A kernel among strangers: they have no key, and do what they like. The owner's cells are answered, and memory is bounded."""

import pathlib

import pytest
import strangers
from conftest import TIMEOUT

LIMIT = 256 << 20  # bytes of the kernel's resident memory under any load without the key


def resident(pid):
    fields = pathlib.Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * 4096


def interrupted(kernel, code):
    """The name of what ends a cell that is interrupted as soon as something of it has been seen."""
    seen = []

    def first(message):
        if message["msg_type"] == "stream" and not seen:
            seen.append(message)
            kernel.client.control_channel.send(kernel.client.session.msg("interrupt_request", {}))

    return kernel.client.execute_interactive(code, output_hook=first, timeout=TIMEOUT)["content"]["ename"]


@pytest.mark.parametrize("attack", strangers.ATTACKS)
def test_strangers_are_bounded(fresh_kernel, attack):
    kernel = fresh_kernel()
    pid = kernel.manager.provisioner.pid
    before = worst = resident(pid)
    with strangers.beside(kernel.manager.get_connection_info(), attack):
        # To subscribers 24 MB of output: more than waits for one of them before its publisher does.
        for _ in range(6 if "subscri" in attack else 1):
            content, _ = kernel.run("print('x' * 4_000_000)")
            assert content["status"] == "ok"
            worst = max(worst, resident(pid))
        assert interrupted(kernel, "while True: print('y' * 1000)") == "KeyboardInterrupt"
        worst = max(worst, resident(pid))
        assert kernel.client.is_alive()
    assert worst <= LIMIT, f"{worst >> 20} MiB, {before >> 20} before"
    assert kernel.text("print('alive')") == "alive\n"
