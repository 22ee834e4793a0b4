"""The whole product on GPUs without --emulate: the fake driver (cuda/driver/testdata/fake) runs the PTX that weft writes, and notes every
rule of CUDA's that is broken on the way. On a real one, tests/gpu/check.sh runs."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT, TIMEOUT, Kernel
from test_budgets import BUDGETS, LEAST_UPLOAD, cost, uploads
from test_configurations import CONFIGURATIONS, run
from test_notebooks import EXPECTED, check

PROGRAMS = ROOT / "tests" / "programs"

# fbmem leaves the GPUs so little that arrays do not fit; seed shuffles ready tasks; check verifies the dependences. With tile=1 little work is
# done on GPUs, too, where several launches are a graph, but for nographs.
MACHINES = [
    ("--gpus 1", ""),
    ("--gpus 1", "noeager"),
    ("--gpus 1", "noeager,tile=1,window=8,check"),
    ("--gpus 1", "noeager,tile=1,window=8,nographs"),
    ("--gpus 2", ""),
    ("--gpus 2", "noeager,tile=1,check"),
    ("--gpus 2", "fbmem=40000"),
    ("--gpus 2", "tile=1,seed=3,check"),
    ("--gpus 2 --cpus 1", "window=1,tile=1"),
]


@pytest.fixture
def fake(fakecuda, tmp_path, monkeypatch):
    """Two GPUs of a few multiprocessors. Whatever runs on them leaves the ledger empty."""
    ledger = tmp_path / "ledger.txt"
    variables = {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "4", "FAKECUDA_LEDGER": str(ledger)}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yield variables
    if ledger.exists():
        lines = ledger.read_text().splitlines()
        pytest.fail(f"{len(lines)} lines in the ledger: " + "\n".join(lines[:5]))


def script(text, flags, debug="", **more):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_ARGS", "LEGATE_"))}
    env |= {"WEFT_ARGS": flags, "WEFT_DEBUG": debug, "PYTHONPATH": str(ROOT / "tests"), **more}
    return subprocess.run([sys.executable, *text], env=env, capture_output=True, text=True, timeout=TIMEOUT * 3)


def test_every_configuration_gives_the_same_bits(fake):
    want = run([1, 2], *CONFIGURATIONS[0])
    for order, (flags, debug) in enumerate(MACHINES):
        got = run([1, 2], flags, debug, more=fake | {"FAKECUDA_SEED": str(order)})
        differ = [(a, b) for a, b in zip(want, got, strict=True) if a != b]
        assert not differ, f"{len(differ)} results differ with {flags}, WEFT_DEBUG={debug}: {differ[0]}"


@pytest.mark.parametrize("flags", ["--gpus 1", "--gpus 2"])
def test_programs_as_people_write_them(fake, flags):
    done = script(["-m", "bench.written", "--check", "--scale", "tiny"], flags, "noeager")
    assert done.returncode == 0, done.stdout + done.stderr


def test_single_functions(fake):
    done = script(["-m", "bench.functions", "--check", "--sizes", "3000"], "--gpus 2")
    assert done.returncode == 0, done.stdout + done.stderr


PRODUCTS = """
import importlib
import numpy as np
numpy = importlib.import_module("numpy")
def products(np):
    rng = np.random.default_rng(1)
    for dtype in "f4", "f8", "c8", "c16":
        a, b = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((3, 40, 30), (30, 50)))
        for x, y in (a[0], b), (b.T, a[1].T), (a, b), (a[:, ::2], b[:, ::-1]):
            yield x @ y
results = list(products(np))
for got, want in zip(results, products(numpy), strict=True):
    numpy.testing.assert_array_equal(numpy.asarray(got), want)
print(len(results))
"""


def test_products_by_a_library(fake, tmp_path):
    """cuBLAS's stand-in computes products; where it was named and is not there, the first product says so."""
    library = tmp_path / "libcublas.so.12"
    source = ROOT / "cuda/libraries/standin/testdata/cublas.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    program = tmp_path / "products.py"
    program.write_text(PRODUCTS)
    run = ["-m", "weft.run", str(program)], "--gpus 2", "noeager"
    for named in library, "none":
        done = script(*run, WEFT_CUBLAS=str(named))
        assert done.returncode == 0 and done.stdout.split() == ["16"], done.stderr
    missing = tmp_path / "libcublas.so.13"
    for named, fails, said in (
        (library, "status=13", "CUBLAS_STATUS_EXECUTION_FAILED"),
        (missing, "", f"{missing}: cannot open shared object file"),
    ):  # without a ledger: copies run behind work that fails, and what they read has not been written
        done = script(*run, WEFT_CUBLAS=str(named), STANDIN_CUBLAS=fails, FAKECUDA_LEDGER="")
        assert done.returncode and said in done.stderr, done.stderr


TRANSFORMS = """
import importlib
import numpy as np
numpy = importlib.import_module("numpy")
def transforms(np):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(6, 50))
    z = x + 1j * rng.normal(size=(6, 50))
    for a in x, z, x[:, ::2], z.T, x.astype("f4"):
        yield np.fft.fft(a)
        yield np.fft.ifft(a, norm="ortho")
        yield np.fft.fft2(a, axes=(0, 1))
    for n in 50, 49, 64:
        y = np.fft.rfft(x, n, axis=0)
        yield y
        yield np.fft.irfft(y, n, axis=0)
        yield np.fft.irfft(y * 2, n, axis=0) + y.real.sum()
    yield np.fft.rfftn(x)
results = list(transforms(np))
for got, want in zip(results, transforms(numpy), strict=True):
    assert got.dtype == want.dtype
    numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=0, atol=1e-3 if want.dtype in ("f4", "c8") else 1e-9)
print(len(results))
"""


def test_transforms_by_a_library(fake, tmp_path):
    """cuFFT's stand-in transforms; where it fails, the transform does."""
    library = tmp_path / "libcufft.so.11"
    source = ROOT / "cuda/libraries/standin/testdata/cufft.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lm"], check=True)
    program = tmp_path / "transforms.py"
    program.write_text(TRANSFORMS)
    run = ["-m", "weft.run", str(program)], "--gpus 2", "noeager"
    done = script(*run, WEFT_CUFFT=str(library))
    assert done.returncode == 0 and done.stdout.split() == ["25"], done.stderr
    # Without a ledger: copies run behind work that fails, and what they read has not been written.
    done = script(*run, WEFT_CUFFT=str(library), STANDIN_CUFFT="status=6", FAKECUDA_LEDGER="")
    assert done.returncode and "CUFFT_EXEC_FAILED" in done.stderr, done.stderr


SOLUTIONS = """
import importlib, os
import numpy as np
numpy = importlib.import_module("numpy")
def solutions(np):
    rng = np.random.default_rng(3)
    for n in 7, 40:
        x = rng.normal(size=(n, n))
        z = x + 1j * rng.normal(size=(n, n))
        b = rng.normal(size=(n, 3))
        for a in x, z, x.T, z[::-1], x.astype("f4"):
            yield np.linalg.solve(a, b)
            yield np.linalg.solve(a, b[:, 1])
            h = a @ a.conj().T + n * np.eye(n, dtype=a.dtype)
            yield np.linalg.inv(h)
            yield np.linalg.cholesky(h)
            yield np.linalg.cholesky(h, upper=True)
            yield np.linalg.eigvalsh(h)
            w, v = np.linalg.eigh(h, "U")
            yield (v * w) @ v.conj().T
            for tall in h[:, :5], h[:5], h:
                for mode in "reduced", "complete":
                    q, r = np.linalg.qr(tall, mode)
                    yield q @ r
                    u, s, vh = np.linalg.svd(tall, mode == "complete")
                    yield u[:, : s.size] * s @ vh[: s.size]
                yield np.linalg.svd(tall, compute_uv=False)
                yield np.linalg.pinv(tall)
    yield np.linalg.solve(rng.normal(size=(4, 6, 6)), rng.normal(size=(6, 2)))
results = list(solutions(np))
for got, want in zip(results, solutions(numpy), strict=True):
    assert got.dtype == want.dtype
    close = 2e-3 if want.dtype in ("f4", "c8") else 1e-9
    numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=close, atol=close)
singular = os.environ.get("SINGULAR", "")
for fails, of in singular and ((np.linalg.solve, (np.ones((9, 9)), np.ones(9))), (np.linalg.cholesky, (-np.eye(9),))):
    try:
        fails(*of)
    except np.linalg.LinAlgError as e:
        results.append(e)
print(len(results), *(x for x in results if isinstance(x, Exception)), sep="; ")
"""


def test_linear_algebra_by_a_library(fake, tmp_path):
    """cuSOLVER's stand-in decomposes matrices, of which some have no result; where it fails, what it is asked for does."""
    library = tmp_path / "libcusolver.so.11"
    source = ROOT / "cuda/libraries/standin/testdata/cusolver.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lm"], check=True)
    program = tmp_path / "solutions.py"
    program.write_text(SOLUTIONS)
    run = ["-m", "weft.run", str(program)], "--gpus 2", "noeager"
    done = script(*run, WEFT_CUSOLVER=str(library))
    assert done.returncode == 0 and done.stdout.split() == ["251"], done.stderr
    # Without a ledger: copies run behind work that fails, and what they read has not been written.
    done = script(*run, WEFT_CUSOLVER=str(library), SINGULAR="1", FAKECUDA_LEDGER="")
    assert done.stdout.strip() == "253; Singular matrix; Matrix is not positive definite", done.stderr
    done = script(*run, WEFT_CUSOLVER=str(library), STANDIN_CUSOLVER="status=7", FAKECUDA_LEDGER="")
    assert done.returncode and "CUSOLVER_STATUS_INTERNAL_ERROR" in done.stderr, done.stderr


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_notebook_equals_numpy(fake, name, tmp_path):
    """The notebooks as they are, but for what takes the fake driver long (18 s, and 6 minutes), and for the emulated GPUs that they ask for."""
    edits = {"--gpus 4 --emulate": "--gpus 2", "OPTIONS = 1_000_000": "OPTIONS = 250_000", "STEPS = 3000": "STEPS = 15"}
    check(name, tmp_path, {"WEFT_ARGS": "--gpus 2", "WEFT_DEBUG": ""}, edits)


def test_arrays_that_fit_no_gpu(fake):
    """Out of core, as tests/programs/out_of_core.py checks by itself."""
    done = script([str(PROGRAMS / "out_of_core.py")], "--gpus 2 --fbmem 3")
    assert done.returncode == 0, done.stdout + done.stderr


STREAMED = """
import weft as np
x = np.arange(2_000_000, dtype=np.float32)
y = np.zeros(2_000_000, dtype=np.float32)
for i in range(3):
    y = np.sqrt(x + i) * 2 + y
    s = float(y.sum())
print(s)
"""


def together(first, second):
    """For how much of the first spans of time one of the second runs as well."""
    return sum(max(0, min(end, other[1]) - max(start, other[0])) for start, end in first for other in second)


def test_copies_overlap_kernels_and_each_other(fake, tmp_path):
    """Arrays that do not fit come and go while kernels run, by the driver's virtual clock: what waits for each other shares no time at all. How much
    it is depends on how far ahead of the device the host is, so that the bound is low; half of the copies' time is usual."""
    path = tmp_path / "timeline"
    done = script(["-c", STREAMED], "--gpus 1", "noeager", FAKECUDA_MEMORY=str(24_000_000), FAKECUDA_KERNEL_NS="20000", FAKECUDA_TIMELINE=str(path))
    assert done.returncode == 0 and done.stdout == script(["-c", STREAMED], "--cpus 1", "noeager").stdout, done.stderr
    spans = {"HtoD": [], "DtoH": [], "kernel": []}
    for line in path.read_text().splitlines():
        _device, _stream, what, start, end = line.split()
        way = next((way for way in ("HtoD", "DtoH") if way in what), None if what.startswith("cu") else "kernel")
        if way:
            spans[way].append((int(start), int(end)))
    for one, other in (("HtoD", "kernel"), ("DtoH", "kernel"), ("HtoD", "DtoH")):
        length = sum(end - start for start, end in spans[one])
        assert together(spans[one], spans[other]) > length / 20, (one, other, length)


@pytest.mark.parametrize("free", [23 << 20, 40 << 20])
def test_what_other_processes_leave(fake, free):
    """Of a GPU on which little is free, as much is used as can be had."""
    text = "import weft as np\na = np.arange(2_000_000.0)\nb = np.sqrt(a) * 2 + 1\nc = b * b - a\nprint(float(c.sum()), float((c - a).max()))"
    want = script(["-c", text], "--cpus 1", "noeager").stdout
    done = script(["-c", text], "--gpus 1", "noeager", FAKECUDA_MEMORY=str(free))
    assert done.returncode == 0 and done.stdout == want != "", done.stderr


def calls(path):
    """How often the program made each call of the driver."""
    return {name: int(n) for name, n in (line.split() for line in path.read_text().splitlines())}


def steps(tmp_path, mode, debug, bad="", **more):
    counts = tmp_path / f"{mode} {debug} {bad} {len(more)}"
    env = {"FAKECUDA_CALLS": str(counts), "PYTHONHASHSEED": "0", **more}
    done = script([str(PROGRAMS / "replayed.py"), mode, bad], "--gpus 1", debug, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout, calls(counts)


@pytest.mark.parametrize("mode", ["each", "last"])
def test_a_loop_is_replayed(fake, tmp_path, mode):
    """100 steps: where each is looked at, each is a graph; else a window of two steps is one. Twin: nographs."""
    said, made = steps(tmp_path, mode, "noeager,tile=1")
    want, plain = steps(tmp_path, mode, "noeager,tile=1,nographs")
    assert said == want != ""
    assert "cuGraphLaunch" not in plain
    assert made["cuGraphInstantiateWithFlags"] <= (4 if mode == "each" else 8)  # the last window, which is shorter, has graphs of its own
    assert made["cuGraphLaunch"] >= (90 if mode == "each" else 45)
    assert made["cuLaunchKernel"] <= 10 + 8  # warm-up: what makes the arrays, and the first of the windows that are alike
    assert plain["cuLaunchKernel"] > 200


def test_what_is_compiled_is_kept(fake, tmp_path):
    """Another process links nothing, one with nocubins keeps nothing, and one whose cache is no folder says so once, and computes."""
    home = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    env = {"PYTHONHASHSEED": "0", "FAKECUDA_CALLS": str(tmp_path / "calls")}
    text = [str(PROGRAMS / "replayed.py"), "each"]
    said, links = [], []
    for debug in ("noeager,tile=1,nocubins", "noeager,tile=1", "noeager,tile=1"):
        done = script(text, "--gpus 1", debug, **env, **home)
        assert (done.returncode, done.stderr) == (0, "")
        said.append(done.stdout)
        links.append(calls(tmp_path / "calls").get("cuLinkComplete", 0))
        (tmp_path / "calls").unlink()
    assert said[0] == said[1] == said[2] != ""
    assert links[0] == links[2] == 0 < links[1] == len(list((tmp_path / "cache" / "weft" / "cubins").glob("*.cubin")))
    (tmp_path / "file").write_text("")
    done = script(text, "--gpus 1", "noeager,tile=1", **env, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert done.returncode == 0 and done.stdout == said[0]
    assert done.stderr.count("weft: ") == done.stderr.count("not a directory") == 1, done.stderr


@pytest.mark.parametrize("mode", ["each", "last"])
def test_an_error_within_a_replay_leaves_the_same_arrays(fake, tmp_path, mode):
    """An index out of bounds in step 40, and a driver that refuses graphs: from the third on, and for each node's parameters."""
    want, plain = steps(tmp_path, mode, "noeager,tile=1,nographs", "bad")
    assert "index 3000 is out of bounds" in want and "cuGraphLaunch" not in plain
    said, made = steps(tmp_path, mode, "noeager,tile=1", "bad")
    assert said == want
    assert made["cuGraphLaunch"] > 10
    for order, fault in enumerate(["cuGraphLaunch=2@3+", "cuGraphExecKernelNodeSetParams=1@2+", "cuGraphInstantiateWithFlags=2"]):
        said, _ = steps(tmp_path, mode, "noeager,tile=1", "bad", FAKECUDA_FAIL=fault, FAKECUDA_SEED=str(order))
        assert said == want, fault


SMALL = """
import weft as np
xs = [np.full(131072, float(i)) for i in range(150)]
for x in xs:
    float((x * 1).sum())
xs = xs[::2]
y = np.sqrt(np.arange(8_000_000.0))
print(float(y[5]), [float(x[7]) for x in xs] == [float(i) for i in range(0, 150, 2)])
"""


def test_small_arrays_make_room_for_a_large_one(fake):
    """Arrays of half a page leave gaps that no page fits into. They leave the GPU for an array that needs their pages, and come back."""
    done = script(["-c", SMALL], "--gpus 1 --fbmem 170", "noeager", FAKECUDA_MEMORY="200000000")
    assert done.returncode == 0 and done.stdout == "2.23606797749979 True\n", done.stderr


@pytest.mark.parametrize("flags", ["--gpus 1", "--gpus 2"])
def test_random_programs_over_shared_memory(fake, flags):
    """Views of bytes at odd offsets among them: a device's loads want addresses that are multiples of their size."""
    env = {**os.environ, "WEFT_DEBUG": "noeager"}
    command = [str(ROOT / "bin" / "weft"), "run", *flags.split(), str(PROGRAMS / "aliasing.py"), "1", "12"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT * 3)
    assert done.returncode == 0, done.stdout + done.stderr


WORK = "import numpy as np\nx = np.arange(2_000_000.0)\nfor _ in range(3):\n    x = np.sqrt(x * 2 + 1)\nprint(float(x.sum()), np.__name__)"


# The fifth kernel reads where nothing is; the first one fails otherwise; the device falls off the bus at the 900th call.
LOST = [
    ("--gpus 1", "launch=700@5", "ILLEGAL_ADDRESS", "cpu"),
    ("--gpus 2", "launch=700@5", "ILLEGAL_ADDRESS", "cpu, gpu"),
    ("--gpus 1", "launch=719@1", "LAUNCH_FAILED", "cpu"),
    ("--gpus 1", "gone=0@900", "UNKNOWN", "cpu"),
]


@pytest.mark.parametrize(("flags", "fault", "code", "left"), LOST)
def test_a_lost_gpu_is_an_error_of_one_cell(fakecuda, monkeypatch, flags, fault, code, left):
    """The cell says so, and the next one runs on what is left."""
    for name, value in {
        "WEFT_LIBCUDA": fakecuda,
        "FAKECUDA_SMS": "4",
        "FAKECUDA_FAIL": fault,
        "WEFT_DEBUG": "nofuse",
        "WEFT_ARGS": flags,
    }.items():
        monkeypatch.setenv(name, value)
    kernel = Kernel(env=dict(os.environ))
    try:
        kernel.text("import numpy as np\nkept = np.array([1.0, 2.0] * 1500)")  # in the host's memory
        failed = None
        for _ in range(5):
            content, _ = kernel.run(WORK)
            if content["status"] == "error":
                failed = content
                break
        assert failed, "no kernel failed"
        assert (
            "is lost" in failed["evalue"]
            and code in failed["evalue"]
            and "In[" in "".join(failed["traceback"])
        )
        content, outputs = kernel.run(WORK)
        assert content["status"] == "ok", content
        said = "".join(out["text"] for kind, out in outputs if kind == "stream")
        assert f"From here on the work is done by: {left}" in said and "weft" in said
        assert kernel.text("print(kept.sum())") == "4500.0\n"
        content, _ = kernel.run("%weft_config --gpus 2")
        assert content["status"] == "error" and "was lost" in content["evalue"] and "restart the kernel" in content["evalue"]
        kernel.text("%weft_config --gpus 0")
        assert kernel.text("print(kept.sum())") == "4500.0\n"
    finally:
        kernel.close()


@pytest.mark.parametrize(("debug", "said"), [("nofuse", "WEFT_DEBUG=sync"), ("nofuse,sync", "It was lost by multiply at In[1] line 5")])
def test_what_a_gpu_was_lost_by(fakecuda, debug, said):
    """All that is under way fails with one error. Where the GPU does one thing at a time, it names the operation; else, how to know."""
    lines = "import weft as np\na = np.arange(2_000_000.0)\nb, c = a + 1, np.sqrt(a)\nd = a - 1\ne = c * 2\nf = b * d\nprint(float(f.sum()))"
    environment = {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "4", "FAKECUDA_FAIL": "launch=700@5", "WEFT_ARGS": "--gpus 1", "WEFT_DEBUG": debug}
    kernel = Kernel(env={**os.environ, **environment})
    try:
        content, _ = kernel.run(lines)
        assert content["status"] == "error" and "gpu0 is lost" in content["evalue"] and said in content["evalue"], content
    finally:
        kernel.close()


# What a driver can say instead of having a device, and what the user is told beside it.
ABSENT = [
    ({"FAKECUDA_INIT": "100"}, ["CUDA_VISIBLE_DEVICES"]),
    ({"FAKECUDA_INIT": "803"}, ["reboot"]),
    ({"FAKECUDA_INIT": "34"}, ["stub"]),
    ({"FAKECUDA_INIT": "46"}, ["exclusive mode"]),
    ({"FAKECUDA_INIT": "304"}, ["OPERATING_SYSTEM", "/dev/nvidiactl", "read and write"]),
    ({"FAKECUDA_INIT": "999"}, ["dmesg"]),
    ({"FAKECUDA_FAIL": "cuDevicePrimaryCtxRetain=800"}, ["NOT_PERMITTED", "restrict"]),
    ({"FAKECUDA_DEVICES": "0"}, ["no devices"]),
    ({"FAKECUDA_DEVICES": "1"}, ["this machine has 1", "at most 1"]),
    ({"FAKECUDA_MEMORY": "9000000"}, ["too few for arrays", "nvidia-smi"]),
    ({"WEFT_DEBUG": "fbmem=2000000000"}, ["gpu0", "--fbmem asks for 1907 MB", "which has 1024"]),
    ({"FAKECUDA_FAIL": "cuDevicePrimaryCtxRetain=2"}, ["OUT_OF_MEMORY", "nvidia-smi"]),
    ({"FAKECUDA_FAIL": "cuModuleLoadDataEx=222"}, ["too old"]),
    ({"FAKECUDA_FAIL": "cuModuleLoadDataEx=221"}, ["libnvidia-ptxjitcompiler"]),
    ({"WEFT_LIBCUDA": "/nowhere/libcuda.so.1"}, ["/nowhere/libcuda.so.1"]),
]


@pytest.mark.parametrize(("variables", "words"), ABSENT)
def test_a_driver_without_a_device_says_why(fakecuda, variables, words):
    """The error says what is wrong and what to do; the import itself never fails."""
    text = "import weft as np\nprint('imported')\nprint(np.ones(2_000_000).sum() + np.ones(2_000_000).max())"
    done = script(["-c", text], "--gpus 2", "noeager,nocubins", **({"WEFT_LIBCUDA": fakecuda} | variables))
    assert done.stdout == "imported\n" and done.returncode == 1
    for word in words:
        assert word in done.stderr, done.stderr


def test_the_check_of_a_gpu(fakecuda):
    """The script that looks at a GPU runs, says that there was none, and what it compares on the fake driver is right."""
    make = ["make", "-s", "gpu-check-brief"]
    env = {**os.environ, "WEFT_GPU_SECONDS": "3600"}
    done = subprocess.run(make, cwd=ROOT, env=env, capture_output=True, text=True, timeout=TIMEOUT * 3)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"no GPU: the driver {fakecuda} answers in its place" in done.stdout
    for step in ("machine", "transcript", "load", "fault", "hello", "same_bits", "functions"):
        assert f"{step}: ok" in done.stdout, done.stdout
    assert "no GPU\n" in (ROOT / "out" / "gpu-brief" / "machine.txt").read_text()


@pytest.mark.parametrize("program", ["heat", "stencil", "gray_scott"])
def test_budgets(fake, program, tmp_path):
    """A GPU of a driver costs what an emulated one does (tests/budgets.txt), and is sent no scalars."""
    line = cost("--gpus 1", program, tmp_path, fake)
    assert line.replace("--gpus 1:", "--gpus 1 --emulate:") in BUDGETS.read_text().splitlines()
    assert all(n >= LEAST_UPLOAD for n in uploads(tmp_path))


COLD = """
import importlib
import numpy as np
import weft
numpy = importlib.import_module("numpy")
x = np.asarray(numpy.linspace(0, 1, 300_000))
want = numpy.sqrt(numpy.asarray(x)) * 3
for turn in range(100_000):
    y = np.sqrt(x) * 3
    assert numpy.asarray(y).tobytes() == want.tobytes(), turn
    plan = str(weft.plan("*"))
    if "no copies" not in plan.splitlines()[0]:
        break
    assert "on a CPU: its kernel for the GPU is compiled meanwhile" in plan, plan
print("the first turn" if turn == 0 else "a later one")
"""


def test_the_first_turn_does_not_wait_for_the_compiler(fake, tmp_path):
    """What the host has, the CPUs compute while the GPU's kernel is compiled, with the same bits. The plan says so."""
    (tmp_path / "script.py").write_text(COLD)
    command = [str(ROOT / "bin" / "weft"), "run", "--gpus", "1", "--profile", "script.py"]
    home = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}  # where no process has left the kernel
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT, env=home)
    assert done.stdout == "a later one\n", done.stderr
    export = [str(ROOT / "bin" / "weft"), "export", "script.weftprof", "--csv"]
    table = subprocess.run(export, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT).stdout
    assert all(any(line.startswith(f"run,{lane},") for line in table.splitlines()) for lane in ("cpu0", "gpu0")), table
    # A search for faults needs the same plan each time: with any key of WEFT_DEBUG, the GPU runs it at once.
    env = {**home, "WEFT_DEBUG": "noeager"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT, env=env)
    assert done.stdout == "the first turn\n", done.stderr


def test_copies_each_way_have_a_lane(fake, tmp_path):
    """What comes from the host and what goes there pass each other on two queues."""
    (tmp_path / "script.py").write_text(
        "import numpy as np\nx = np.array(list(range(400_000)), float)\ny = np.sqrt(x) + 1\nprint(y[5:400_000:7].sum(), bytes(y)[:1])\n"
    )
    command = [str(ROOT / "bin" / "weft"), "run", "--gpus", "1", "--profile", "script.py"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env={**os.environ, "WEFT_DEBUG": "noeager"},
    )
    assert done.returncode == 0, done.stderr
    export = [str(ROOT / "bin" / "weft"), "export", "script.weftprof", "--csv"]
    table = subprocess.run(export, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT)
    assert table.returncode == 0, table.stderr
    lanes = {lane: [line for line in table.stdout.splitlines() if f"gpu0 {lane}," in line] for lane in ("in", "out")}
    assert any("upload" in line for line in lanes["in"]) and any("gather" in line for line in lanes["out"]), (
        table.stdout
    )
    assert not any("gather" in line for line in lanes["in"]) and not any("upload" in line for line in lanes["out"])
