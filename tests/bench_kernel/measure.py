"""What is measured of a kernel. Each function gets a running one and returns figures by name."""

import statistics
import time

from jupyter_client import BlockingKernelClient

PRINTS = 100_000


def quantile(times, share):
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


def start(kernel):
    """Seconds from the launch to the first answers."""
    kernel.kernel_info()
    info = time.perf_counter() - kernel.started
    number = kernel.send("shell", "execute_request", {"code": "1", "silent": False, "allow_stdin": False})
    kernel.reply("shell", number)
    first = time.perf_counter() - kernel.started
    kernel.subscribed()
    return {"kernel_info after the start": info, "start to the first reply": first}


def idle_memory(kernel):
    return {"resident memory, idle (MB)": kernel.resident() / 1e6}


def round_trips(kernel, count=300):
    times = []
    for _ in range(count):
        begun = time.perf_counter()
        kernel.execute("pass")
        times.append(time.perf_counter() - begun)
    return {"execute pass, p50": quantile(times, 0.5), "execute pass, p99": quantile(times, 0.99)}


def with_jupyter_client(kernel, count=200):
    client = BlockingKernelClient(connection_file=kernel.file)
    client.load_connection_file()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        times = []
        for _ in range(count):
            begun = time.perf_counter()
            number = client.execute("pass", store_history=False, allow_stdin=False)
            while client.get_shell_msg(timeout=60)["parent_header"].get("msg_id") != number:
                pass
            while True:
                message = client.get_iopub_msg(timeout=60)
                if message["parent_header"].get("msg_id") == number and message["content"].get("execution_state") == "idle":
                    break
            times.append(time.perf_counter() - begun)
    finally:
        client.stop_channels()
    return {"execute pass by jupyter_client, p50": quantile(times, 0.5)}


def info_while_busy(kernel, count=50):
    """A cell computes and holds the interpreter's lock; the control channel is asked."""
    number = kernel.send(
        "shell", "execute_request",
        {"code": "import time\nend = time.time() + 1.5\nwhile time.time() < end: pass", "silent": False, "allow_stdin": False},
    )  # fmt: skip
    kernel.until_busy(number)
    times, end = [], time.perf_counter() + 1.2
    while len(times) < count and time.perf_counter() < end:
        begun = time.perf_counter()
        kernel.kernel_info("control")
        times.append(time.perf_counter() - begun)
    kernel.reply("shell", number)
    kernel.until_idle(number)
    return {"kernel_info while a cell runs": statistics.median(times)}


def prints(kernel):
    begun = time.perf_counter()
    published = kernel.execute(f"for i in range({PRINTS}): print(i)")
    took = time.perf_counter() - begun
    text = "".join(m.content["text"] for m in published if m.kind == "stream")
    lost = PRINTS - len(text.splitlines())
    if text != "".join(f"{i}\n" for i in range(PRINTS)):
        lost = lost or -1  # all there, but not as they were printed
    return {"100,000 prints": took, "prints lost": lost}


def displays(kernel, count=5000):
    kernel.execute("from IPython.display import HTML, display")
    begun = time.perf_counter()
    published = kernel.execute(f"for i in range({count}): display(HTML('<b>x</b>'))")
    took = time.perf_counter() - begun
    found = sum(m.kind == "display_data" for m in published)
    if found != count:
        raise RuntimeError(f"{count} displays, and {found} arrive")
    return {"displays per second": count / took}


PARTS = (start, idle_memory, round_trips, with_jupyter_client, info_while_busy, prints, displays)
