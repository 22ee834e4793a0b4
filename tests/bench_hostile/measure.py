"""What one attack does to one kernel. Every figure is of a client that holds the key and was there before."""

import json
import statistics
import threading
import time

import strangers
import zmq

PATIENCE = 20  # s; a kernel that does not answer for so long counts as deaf, and is given up
INTERRUPTS = 5
ENOUGH = 4 << 30  # bytes that a kernel may grow by before it is given up: the machine is shared


class Watch(threading.Thread):
    """Looks at the kernel's resident memory while the attack goes on."""

    def __init__(self, kernel):
        super().__init__(daemon=True)
        self.kernel = kernel
        self.before = self.most = kernel.resident()
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(0.02):
            self.most = max(self.most, self.kernel.resident())
            if self.growth() > ENOUGH:
                self.kernel.process.kill()
                return

    def growth(self):
        return self.most - self.before


def small_cell(kernel):
    """Seconds from a request to its reply and its idle."""
    begun = time.perf_counter()
    number = kernel.send("shell", "execute_request", {"code": "pass", "silent": False, "store_history": False, "allow_stdin": False})
    kernel.until_idle(number, PATIENCE)
    kernel.reply("shell", number)
    return time.perf_counter() - begun


def interrupt(kernel):
    """Seconds from an interrupt on the control channel to the reply of a loop that it ends."""
    number = kernel.send("shell", "execute_request", {"code": "while True: pass", "silent": False, "allow_stdin": False})
    kernel.until_busy(number)
    time.sleep(0.1)  # until the loop runs: what an interrupt of the preparations costs is another question
    begun = time.perf_counter()
    kernel.send("control", "interrupt_request", {})
    reply = kernel.reply("shell", number)
    took = time.perf_counter() - begun
    if reply.content["status"] != "error":
        raise RuntimeError(f"the loop ended with {reply.content}")
    kernel.until_idle(number, PATIENCE)
    return took


def attacked(kernel, name, seconds):
    """Figures by name: growth in bytes, seconds of cells and of interrupts; what was not answered is missing."""
    kernel.kernel_info()
    kernel.subscribed()
    kernel.execute("pass")
    with open(kernel.file) as file:
        connection = json.load(file)
    watch = Watch(kernel)
    watch.start()
    found, cells, interrupts = {}, [], []
    try:
        with strangers.beside(connection, *([name] if name else [])):
            try:
                end = time.monotonic() + seconds
                while time.monotonic() < end:
                    cells.append(small_cell(kernel))
                    time.sleep(0.02)
                interrupts.extend(interrupt(kernel) for _ in range(INTERRUPTS))
            except (zmq.Again, RuntimeError) as e:
                found["given up"] = str(e).splitlines()[0]
    finally:
        watch.over.set()
        watch.join()
    found["growth"] = watch.growth()
    for what, times in (("cell", cells), ("interrupt", interrupts)):
        if times:
            found |= {f"{what}, median": statistics.median(times), f"{what}, most": max(times)}
    return found
