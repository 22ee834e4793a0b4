"""Waits for what other libraries do with memory of a GPU that they share with weft (tests/test_guests.py): which locks are let go of, what ends them,
and what other threads do meanwhile."""

import pytest


@pytest.fixture
def run(beside_guest):
    return beside_guest


FUNCTIONS = """
    import ctypes, os, signal, threading
    g = guest.Array.of(numpy.arange(20_000.0))
    h = guest.Array.of(numpy.arange(10.0), stream=g.stream)
    x, u, many = np.asarray(g), np.asarray(guest.Array.of(numpy.arange(20_000))), np.arange(20_000.0)
    assert (x == many).all()

    @cuda.jit
    def kernel(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += 0

    def shaped():
        try:
            x.T[::2].reshape(100, 100).shape = 10_000
            x[:100].reshape(10, 10).T.shape = 100
        except AttributeError:
            pass

    def put(index, value):
        x[index] = value

    ops = [
        lambda: x + 1, lambda: x + many, lambda: 1 - x, lambda: x.__iadd__(0), lambda: x.__imul__(np.ones(20_000)), lambda: -x, lambda: ~u, lambda: +x, lambda: abs(x),
        lambda: x > 3, lambda: x**2, lambda: x @ x, lambda: u << 1, lambda: divmod(x, 3), lambda: put(slice(1, None), many[1:]), lambda: put(0, 0), lambda: put(x < 0, 5), lambda: x[x > 3],
        lambda: x[3], lambda: x[5:9] + 1, lambda: x[[3, 4]], lambda: float(x[3]), lambda: x.copy(), lambda: x.astype("f4"), lambda: np.where(x > 3, x, 0), lambda: np.sin(x), lambda: x.sum(),
        lambda: np.sort(x), lambda: str(x), lambda: x.tolist(), lambda: numpy.asarray(x), lambda: numpy.add(x, 1), lambda: np.add(x, 0, out=x), lambda: bool(x[3]), shaped, lambda: kernel[80, 256](x),
        lambda: np.array(h), lambda: np.asarray(h), lambda: x.__cuda_array_interface__, lambda: x.__dlpack__(), lambda: np.fft.fft(x), lambda: x.fill(0) or put(slice(None), many), lambda: cuda.to_device(x),
    ]
"""


@pytest.mark.parametrize("debug", ["noeager", "noeager,nolaunches", ""])
def test_functions_of_pythons_in_streams(run, debug):
    """What a guest was told to do may be a function of Python's, which needs the interpreter's lock: whatever waits for it lets go of the lock."""
    run(
        FUNCTIONS
        + """
    for number, op in enumerate(ops):
        ran = []
        called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: ran.append(number))
        guest.call("cuLaunchHostFunc", ctypes.c_uint64(g.stream), called, None)
        op()
        guest.call("cuStreamSynchronize", ctypes.c_uint64(g.stream))  # without the lock, too
        assert ran == [number]
    assert (g.get() == numpy.arange(20_000.0)).all()
    """,
        debug=debug,
        seeds=range(2),
    )


def test_interrupts_end_waits_for_guests(run):
    """An interrupt that raises ends the wait, and nothing has been written; one that does not has the wait go on."""
    run(
        FUNCTIONS
        + """
    def function(_):
        os.kill(os.getpid(), which)
        caught.wait()

    def noted(*_):
        caught.set()

    signal.signal(signal.SIGUSR1, noted)
    called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function)
    for which in (signal.SIGINT, signal.SIGUSR1):
        for op in (ops[0], ops[1], ops[3], ops[5], ops[7], ops[11], ops[14], ops[22], ops[25], ops[35]):
            caught, interrupted = threading.Event(), False
            try:  # the function runs at once, or in the wait
                guest.call("cuLaunchHostFunc", ctypes.c_uint64(g.stream), called, None)
                op()
            except KeyboardInterrupt:
                interrupted = True
            assert interrupted == (which == signal.SIGINT), op
            caught.set()
            assert float(x[3]) == 3
    assert (g.get() == numpy.arange(20_000.0)).all()
    """,
        seeds=range(2),
    )


def test_threads_that_adopt_the_same_memory(run):
    """They get views of one array, although none is known yet when they begin to wait for the library's stream."""
    run("""
        import ctypes, threading
        g = guest.Array.of(numpy.arange(20_000.0))
        ran, made = threading.Event(), []
        called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: ran.wait())
        guest.call("cuLaunchHostFunc", ctypes.c_uint64(g.stream), called, None)
        asked = []

        class Shown(guest.Array):
            @property
            def __cuda_array_interface__(self):
                asked.append(1)
                if len(asked) >= 2 * len(threads):
                    ran.set()
                return super().__cuda_array_interface__

        g.__class__ = Shown
        threads = [threading.Thread(target=lambda: made.append(np.asarray(g))) for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        a, b = made
        b[1:] = a[:-1]
        assert g.get()[:4].tolist() == [0, 0, 1, 2] and (g.get()[1:] == numpy.arange(19_999.0)).all()
        assert np.shares_memory(a, b)
    """)


@pytest.mark.parametrize("holds", ["an array", "nothing", "a buffer"])
def test_a_machine_is_replaced_while_a_function_is_to_run(run, holds):
    """Whatever is waited for then, the interpreter's lock is let go of: in what closes the old machine, and before arrays are carried over."""
    run(f"""
        import ctypes
        a = cuda.to_device(np.arange(50_000.0))
        g = guest.asarray(a)
        ran = []
        called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: ran.append(1))
        g.made_stream = False
        if {holds!r} == "a buffer":  # whose last owner closes the machine
            b = memoryview(np.arange(50_000.0))
        stream = g.stream
        guest.call("cuLaunchHostFunc", ctypes.c_uint64(stream), called, None)
        if {holds!r} != "an array":
            del g, a
        import weft.settings
        weft.settings.configure("--gpus 0")
        if {holds!r} == "a buffer":
            guest.call("cuLaunchHostFunc", ctypes.c_uint64(stream), called, None)
            del b
        assert ran[:1] == [1]
        assert float(np.ones(3).sum()) == 3
    """)


def test_a_machine_is_replaced_while_a_call_waits(run):
    """Who replaces it waits for the calls that wait for guests: these have stores of the old one, which are carried over with their arrays."""
    run("""
        import ctypes, os, signal, sys, threading
        import weft.settings
        g, kept = guest.Array.of(numpy.arange(50_000.0)), np.arange(50_000.0)
        b = memoryview(np.arange(50_000.0))  # the old one is not closed before that is gone
        go_on, made, seen, replaced = threading.Event(), [], [], False

        def through(*args):
            global replaced
            reconfigure(*args)
            replaced = True

        def noted(_, frame):
            seen.append(frame.f_code is through.__code__)
            if replaced or sum(seen) > 2:  # one may come before the call of through, and one after
                go_on.set()

        def function(_):
            while not go_on.is_set():
                os.kill(os.getpid(), signal.SIGUSR1)

        signal.signal(signal.SIGUSR1, noted)
        reconfigure, weft._core.reconfigure = weft._core.reconfigure, through
        called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function)
        adopts = threading.Event()

        class Shown(guest.Array):
            @property
            def __cuda_array_interface__(self):
                adopts.set()
                return super().__cuda_array_interface__

        g.__class__ = Shown
        guest.call("cuStreamSynchronize", ctypes.c_uint64(g.stream))
        t = threading.Thread(target=lambda: made.append(np.asarray(g)))
        guest.call("cuLaunchHostFunc", ctypes.c_uint64(g.stream), called, None)
        t.start()
        adopts.wait()
        weft.settings.configure("--gpus 0")
        go_on.set()
        t.join()
        assert (made[0] == kept).all() and float((made[0] + kept)[-1]) == 99_998
    """)


def test_a_signal_handler_gives_an_array_another_shape(run):
    """The wait that it has interrupted goes on with the array as it is then."""
    program = (
        FUNCTIONS
        + """
    def function(_):
        os.kill(os.getpid(), signal.SIGUSR1)
        caught.wait()

    def noted(*_):
        x.shape = (100, 200) if x.ndim == 1 else 20_000
        caught.set()

    signal.signal(signal.SIGUSR1, noted)
    called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function)
    y = np.ones(20_000).sum()
    for op in (lambda: x + y, lambda: y + x, lambda: x.__iadd__(0), lambda: -x, lambda: abs(x), lambda: x.__cuda_array_interface__, lambda: np.sin(x), lambda: x[[3, 4]], lambda: x.tolist(), lambda: numpy.asarray(x)):
        for _ in range(2):
            caught = threading.Event()
            guest.call("cuLaunchHostFunc", ctypes.c_uint64(g.stream), called, None)
            op()
            caught.wait()
    assert (g.get() == numpy.arange(20_000.0)).all()
    """
    )
    run(program, debug="noeager,nolaunches")
    run(program)
