"""What is done to the kernel, and what must come of it. Every function returns what it counted, for the report."""

import os
import random
import signal
import statistics
import tempfile
import time
from queue import Empty

import strangers
from jupyter_client.manager import KernelManager

TIMEOUT = 120  # seconds; only ever reached by something that hangs


class Soaked:
    """A kernel under load, and its client."""

    def __init__(self, kernel_name="weft", seed=0):
        self.random = random.Random(seed)
        self.manager = KernelManager(kernel_name=kernel_name)
        self.history = tempfile.TemporaryDirectory(prefix="weft-soak-")  # not the user's
        self.manager.start_kernel(env=os.environ | {"IPYTHONDIR": self.history.name})
        self.connect()

    def connect(self):
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=TIMEOUT)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()
        self.history.cleanup()

    @property
    def pid(self):
        return self.manager.provisioner.pid

    def memory(self):
        """Resident bytes of the kernel's process."""
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def children(self):
        """Processes that the kernel has started and that are alive."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as file:
            return [int(word) for word in file.read().split()]

    def send(self, code, **options):
        return self.client.execute(code, **options)

    def outputs(self, msg_id, hook=None):
        """The request's messages up to its idle."""
        found = []
        while True:
            try:
                msg = self.client.get_iopub_msg(timeout=TIMEOUT)
            except Empty:
                os.kill(self.pid, signal.SIGUSR2)  # the stacks of its threads, to its log
                raise AssertionError(f"the kernel is stuck; so far the request has {found}") from None
            if msg["parent_header"].get("msg_id") != msg_id:
                continue
            kind, content = msg["msg_type"], msg["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return found
            if hook:
                hook(kind, content)
            else:
                found.append((kind, content))

    def reply(self, msg_id):
        while True:
            msg = self.client.get_shell_msg(timeout=TIMEOUT)
            if msg["parent_header"].get("msg_id") == msg_id:
                return msg["content"]

    def interrupt(self):
        """Interrupt and wait for the confirmation: it must not hit what is sent next."""
        msg = self.client.session.msg("interrupt_request", {})
        self.client.control_channel.send(msg)
        while self.client.get_control_msg(timeout=TIMEOUT)["parent_header"].get("msg_id") != msg["header"]["msg_id"]:
            pass

    def run(self, code, **options):
        msg_id = self.send(code, **options)
        outputs = self.outputs(msg_id)
        return self.reply(msg_id), outputs


def said(outputs):
    return "".join(
        c["text"] if kind == "stream" else c["data"].get("text/plain", "")
        for kind, c in outputs
        if kind in ("stream", "execute_result", "display_data")
    )


# Cells and what they must show; {i} is the cell's number in the loop.
CELLS = (
    ("print({i})", "{i}\n"),
    ("{i} * 2", None),
    ("import sys; n = sys.stderr.write('{i}')", "{i}"),
    ("display('{i}')", "'{i}'"),
    ("import numpy as np; x = np.arange(50.0) + {i}; print(int(x[0]))", "{i}\n"),
    ("import os; os.write(1, b'{i}'); None", "{i}"),
    ("raise ValueError({i})", ""),
    ("import threading; t = threading.Thread(target=print, args=({i},)); t.start(); t.join()", "{i}\n"),
    ("await __import__('asyncio').sleep(0); print({i})", "{i}\n"),
)


def cells(kernel, count):
    """Cells of many kinds, one after the other. Returns the bytes that the memory grew by after the first tenth."""
    # IPython keeps a thousand results, and says so once.
    first = kernel.run("import warnings; warnings.filterwarnings('ignore', 'Output cache limit')")[0]["execution_count"]
    early = 0
    for i in range(count):
        code, shown = CELLS[i % len(CELLS)]
        reply, outputs = kernel.run(code.format(i=i))
        wanted = str(2 * i) if shown is None else shown.format(i=i)
        assert said(outputs) == wanted, f"{code.format(i=i)} showed {outputs}"
        failed = "raise" in code
        assert reply["status"] == ("error" if failed else "ok"), reply
        assert reply["execution_count"] == first + 1 + i
        assert [kind for kind, _ in outputs].count("error") == failed
        if i == count // 10:
            early = kernel.memory()
    return kernel.memory() - early


class Lines:
    """Checks numbered lines of one length as they arrive in pieces."""

    def __init__(self, length):
        self.length = length
        self.seen = self.count = 0
        self.rest = ""

    def arrives(self, kind, content):
        if kind != "stream":
            return
        self.seen += len(content["text"])
        *whole, self.rest = (self.rest + content["text"]).split("\n")
        for line in whole:
            assert line.startswith(f"{self.count:010d}") and len(line) == self.length - 1, f"line {self.count} is {line[:40]!r}"
            self.count += 1


def flood(kernel, size):
    """Output in lines and blocks of all lengths, some of it through the descriptor; every byte must arrive, in order."""
    early = kernel.memory()
    sent = got = 0
    while sent < size:
        block = kernel.random.choice((80, 5_000, 200_000, 1_500_000))
        times = max(1, min(40_000_000, size - sent) // block)
        by = kernel.random.choice(("print(line)", "sys.stdout.write(line + '\\n')", "os.write(1, line.encode() + b'\\n')"))
        code = f"import os, sys\nfor n in range({times}):\n    line = f'{{n:010d}}'.ljust({block} - 1, 'x')\n    {by}"
        if "os.write" in by:  # a write to a pipe may take less than it was given
            code = code.replace(by, "rest = line.encode() + b'\\n'\n    while rest: rest = rest[os.write(1, rest):]")
        lines = Lines(block)
        msg_id = kernel.send(code)
        kernel.outputs(msg_id, lines.arrives)
        assert kernel.reply(msg_id)["status"] == "ok"
        assert (lines.seen, lines.count, lines.rest) == (block * times, times, ""), f"{times} lines of {block} were written, {lines.count} came"
        sent += block * times
        got += lines.seen
    return {"bytes": got, "growth": kernel.memory() - early}


# What an interrupt may hit. They last longer than any random moment, but the last ones.
STUCK = (
    "while True: pass",
    "import time; time.sleep(1000)",
    "import numpy as np\nx = np.ones(1000)\nwhile True: x = x * 1.0 + 1.0",
    "import numpy as np\nx = np.ones((1200, 1200))\nwhile True:\n    x = (x @ x) * 1e-4\n    float(x[0, 0])",
    "import subprocess; subprocess.run(['sleep', '1000'])",
    "await __import__('asyncio').sleep(1000)",
    "import threading; threading.Event().wait(1000)",
    "while True: print('y' * 1000)",
    "while True: display(1)",
    "def f(n): return f(n - 1) if n else 0\nwhile True: f(500)",
    "import os; os.system('sleep 1000');",  # the C library ignores the signal meanwhile: only the child ends, as in a terminal
    "sum(range(100000))",
    "1 + 1",
)
ENDS = 3  # how many at the end of STUCK may end without an error


def interrupts(kernel, count):
    """Interrupts at random moments. Returns how many hit."""
    hits = 0
    for i in range(count):
        which = kernel.random.randrange(len(STUCK))
        msg_id = kernel.send(STUCK[which])
        time.sleep(kernel.random.choice((0, 0, 0.001, 0.005, 0.02)) * kernel.random.random())
        # One that comes before the cell runs has nothing to stop: so until it is over, once more.
        names = []
        while True:
            kernel.interrupt()
            if ended(kernel, msg_id, names):
                break
        reply = kernel.reply(msg_id)
        status = reply["status"], reply.get("ename")
        assert status == ("error", "KeyboardInterrupt") or which >= len(STUCK) - ENDS and status == ("ok", None), f"{STUCK[which]}: {reply}"
        hits += status[0] == "error"
        # One that hits what IPython does after a cell is shown, and the cell is as it was.
        assert names == ["KeyboardInterrupt"] or status[0] == "ok" and not names, f"{STUCK[which]}: errors {names}"
        after = kernel.run(f"print({i} + 1)")
        assert said(after[1]) == f"{i + 1}\n", f"after {STUCK[which]}: {after}"
    left = [child for child in kernel.children() if alive(child)]
    assert not left, f"processes {left} are left"
    return hits


def ended(kernel, msg_id, names):
    """Whether idle of a request comes; False where nothing does for half a second, or a thousand messages of other kinds."""
    for _ in range(1000):
        try:
            msg = kernel.client.get_iopub_msg(timeout=0.5)
        except Empty:
            return False
        if msg["parent_header"].get("msg_id") != msg_id:
            continue
        if msg["msg_type"] == "error":
            names.append(msg["content"]["ename"])
        if msg["msg_type"] == "status" and msg["content"]["execution_state"] == "idle":
            return True
    return False


def restarts(kernel, count):
    """Restarts, every other one while a cell runs that has a child process. No process may be left."""
    for i in range(count):
        if i % 2:
            msg_id = kernel.send("import subprocess\np = subprocess.Popen(['sleep', '1000'])\nprint(p.pid, flush=True)\np.wait()")
            child = None
            while child is None:
                msg = kernel.client.get_iopub_msg(timeout=TIMEOUT)
                if msg["msg_type"] == "stream" and msg["parent_header"].get("msg_id") == msg_id:
                    child = int(msg["content"]["text"])
        kernel.run("left = 1") if not i % 2 else None
        old = kernel.pid
        kernel.manager.restart_kernel(now=False)
        kernel.client.wait_for_ready(timeout=TIMEOUT)
        assert not os.path.exists(f"/proc/{old}"), f"the old kernel {old} still runs"
        if i % 2:
            assert not alive(child), f"the child {child} of the old kernel still runs"
        assert said(kernel.run("'left' in globals()")[1]) == "False"
    return count


def alive(pid):
    """Whether a process runs; one that has ended and is only kept for its parent does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def reconnects(kernel, count):
    """Clients that come, run a cell and go, some of them in the middle of its output. Returns the threads more at the end."""
    threads = len(os.listdir(f"/proc/{kernel.pid}/task"))
    for i in range(count):
        kernel.client.stop_channels()
        kernel.connect()
        if i % 3 == 0:
            kernel.send("for n in range(2000): print(n)")  # and goes without reading it
        else:
            outputs = kernel.run(f"print({i})")[1]
            assert said(outputs) == f"{i}\n", f"cell {i} has {outputs}"
    assert said(kernel.run("print('still here')")[1]) == "still here\n"
    return len(os.listdir(f"/proc/{kernel.pid}/task")) - threads


LIMIT = 256 << 20  # bytes that a kernel may grow by under any load without the key


def neighbours(kernel, count, each=True):
    """Cells and interrupts under each attack of strangers.py, and under all of them at once, which alone is done where not each is asked for. No
    output may be lost. Returns the most that the memory grew by, and the median and the most of the seconds that a cell, and one that is
    interrupted, took."""
    begun = most = kernel.memory()
    taken = {"cell": [], "interrupt": []}
    alone = [((name,), 0) for name in strangers.ATTACKS if each]
    for names, connections in (*alone, (tuple(strangers.ATTACKS), 4)):
        with strangers.beside(kernel.manager.get_connection_info(), *names, count=connections):
            for i in range(count):
                since = time.monotonic()
                _, outputs = kernel.run(f"print({i})")
                taken["cell"].append(time.monotonic() - since)
                assert said(outputs) == f"{i}\n", f"{names}: cell {i} showed {outputs}"
                most = max(most, kernel.memory())
            since = time.monotonic()
            msg_id = kernel.send("while True: pass")
            while True:
                kernel.interrupt()
                if ended(kernel, msg_id, []):
                    break
            assert kernel.reply(msg_id)["ename"] == "KeyboardInterrupt"
            taken["interrupt"].append(time.monotonic() - since)
            most = max(most, kernel.memory())
        assert most - begun <= LIMIT, f"{names}: the memory grew by {most - begun} bytes"
    return {"growth": most - begun} | {what: (round(statistics.median(found), 3), round(max(found), 3)) for what, found in taken.items()}
