"""What kernels take of a GPU, as its driver knows it of the function that launches load."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT, TIMEOUT

PROGRAM = """
import json
import weft as np
from weft import cuda
from weft.cuda import inspection
from weft.numba import float32, float64

inspection.tool = lambda *_: None  # NVIDIA's assembler is not asked

@cuda.jit("void(float64[:])")
def meet(a):
    i, grid = cuda.grid(1), cuda.cg.this_grid()
    a[i] += 1
    grid.sync()
    a[i] += 1

@cuda.jit("void(float64[:])", launch_bounds=(256, 2))
def tile(a):
    own = cuda.shared.array(4096, float32)
    own[cuda.threadIdx.x] = a[0]
    cuda.syncthreads()
    a[cuda.threadIdx.x] = own[0]

@cuda.jit("void(float64[:])", debug=True)
def checked(a):
    a[cuda.grid(1)] += 1

def most(kernel, *blocks):
    return kernel.definition.max_cooperative_grid_blocks(*blocks)

def runs(blocks, threads):
    try:
        meet[blocks, threads](np.zeros(blocks * threads))
        cuda.synchronize()
    except Exception as error:
        return str(error)

found = {
    "all": [most(meet, 64), most(meet, (16, 2, 2)), most(meet, 1024), most(tile, 64), most(tile, 64, 40000)],
    "registers": [meet.get_regs_per_thread(), tile.get_regs_per_thread()],
    "threads": [meet.get_max_threads_per_block(), tile.get_max_threads_per_block()],
    "checked": most(checked, 64),
    "runs": [runs(most(meet, 512), 512), runs(most(meet, 512) + 1, 512)],
}
for block in 1025, 0:
    try:
        most(meet, block)
    except cuda.CudaAPIError as error:
        found[str(block)] = str(error)
print(json.dumps(found))
"""


@pytest.fixture
def found(fakecuda, tmp_path):
    ledger = tmp_path / "ledger.txt"
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    fake = {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "2", "FAKECUDA_LEDGER": str(ledger), "WEFT_ARGS": "--gpus 1", "WEFT_DEBUG": "noeager,tile=1"}
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = subprocess.run([sys.executable, script], cwd=ROOT, env=env | fake, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    assert not ledger.exists(), ledger.read_text()
    return json.loads(done.stdout)


def test_blocks_and_registers(found):
    by_threads, in_three, large, shared, more = found["all"]
    assert by_threads == in_three and by_threads % 2 == 0 and 0 < large < by_threads
    assert 0 < more < shared  # arrays of 16 KiB, and then of as much as there is
    assert found["runs"][0] is None and "meet at grid barriers" in found["runs"][1]
    assert all(8 <= n <= 255 for n in found["registers"])
    assert found["threads"] == [1024, 256]
    assert found["checked"] == (1 << 18) // 64  # it runs on CPUs, where all blocks are there at once
    assert "want 1 to 1024" in found["1025"] and "want 1 to 1024" in found["0"]
