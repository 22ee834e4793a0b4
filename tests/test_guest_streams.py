"""Streams of other libraries that weft is given by their handles, or that a guest's array names (tests/test_guests.py)."""

import pytest


@pytest.fixture
def run(beside_guest):
    return beside_guest


def test_a_destroyed_stream_is_not_waited_for(run):
    """Another machine takes an array over when the guest's stream may be gone: the ledger would tell."""
    run("""
        from weft import settings
        stream = guest.made("cuStreamCreate", 1)
        g = guest.Array.of(numpy.arange(1000.0), stream=stream)
        x = np.asarray(g)
        g.get()
        guest.call("cuStreamDestroy_v2", guest.ctypes.c_uint64(stream))
        settings.configure("--gpus 1 --cpus 1")
        assert float(x[3]) == 3
    """, seeds=range(2))


def test_an_external_stream(run):
    """To wait for it, or for an event in it, is to wait for what another library does there; its handle is the library's."""
    run("""
        import ctypes
        ran = []
        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def called(_):
            ran.append(1)
        streams = []
        for device in 0, 1:
            guest.on(device)
            streams.append(guest.made("cuStreamCreate", 1))
        def calls(device):
            guest.on(device)
            guest.call("cuLaunchHostFunc", ctypes.c_uint64(streams[device]), called, None)
            guest.on(0)
        for device in 0, 1, 1, 0:
            stream = cuda.external_stream(streams[device])
            assert stream.handle == streams[device] and stream
            for wait in (lambda s: s.synchronize()), (lambda s: cuda.event().record(s)):
                calls(device)
                wait(stream)
                assert ran == [1], ran
                ran.clear()
            with stream.auto_synchronize():
                calls(device)
            assert ran == [1], ran
            ran.clear()
        for device in 0, 1:
            guest.on(device)
            guest.call("cuStreamDestroy_v2", ctypes.c_uint64(streams[device]))
        guest.on(0)
    """, gpus=2)
