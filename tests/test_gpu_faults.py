"""Whatever a driver's call fails with, a cell says what failed where and what to do, or computes all the same; the next cell computes, and
arrays of the host keep their values. One kernel over the fake driver, whose faults a cell switches on and off."""

import os

import pytest
from conftest import Kernel

START = """
import ctypes, os
import numpy as np
driver = ctypes.CDLL(os.environ["WEFT_LIBCUDA"])
kept = np.array([1.0, 2.0] * 1500)

def work(k):
    "A program that no other k has, over what is copied to the device through page-locked memory, and back."
    x = np.array([0.5 + k] * 300_000)
    y = np.sqrt(x) + x[::-1]
    for bit in f"{k:b}":
        y = y + x if bit == "1" else y * x
    return y

def expected(k):
    x = 0.5 + k
    y = x ** 0.5 + x
    for bit in f"{k:b}":
        y = y + x if bit == "1" else y * x
    return y

def right(y, k):
    return bool((y == expected(k)).all()) and bytes(y)[:8] == bytes(np.array([expected(k)])) and float(y[299_999]) == expected(k)
"""

# What each call fails with, and words of the error that the user reads; no words where weft gets on without what failed. The device is opened
# anew before each, so that all that it makes is made while the fault is there.
FAULTS = [
    ("cuLaunchKernel=1@1", ["INVALID_VALUE", "report"]),
    ("cuLaunchKernel=701@1", ["LAUNCH_OUT_OF_RESOURCES", "report"]),
    ("cuMemcpyHtoDAsync_v2=1@1", ["cuMemcpyHtoDAsync", "INVALID_VALUE"]),
    ("cuMemcpyDtoHAsync_v2=1@1", ["cuMemcpyDtoHAsync", "INVALID_VALUE"]),
    ("cuMemcpyDtoHAsync_v2=999@1", ["cuMemcpyDtoHAsync", "dmesg"]),
    ("cuEventRecord=999@3", ["cuEventRecord", "dmesg"]),
    ("cuEventQuery=999@2", ["cuEventQuery", "dmesg"]),
    ("cuEventSynchronize=999@2", ["cuEventSynchronize", "dmesg"]),
    ("cuStreamWaitEvent=1@1", ["cuStreamWaitEvent", "report"]),
    ("cuEventCreate=2@4", ["nvidia-smi"]),
    ("cuModuleLoadDataEx=218@1+", ["INVALID_PTX", "report"]),
    ("cuModuleLoadDataEx=222@1+", ["too old"]),
    ("cuModuleLoadDataEx=221@1+", ["libnvidia-ptxjitcompiler"]),
    ("cuModuleLoadDataEx=2@1+", ["OUT_OF_MEMORY", "nvidia-smi"]),
    ("cuModuleGetFunction=500@1+", ["cuModuleGetFunction"]),
    ("cuMemCreate=2", ["unable to allocate", "nvidia-smi"]),
    ("cuMemCreate=2@1", []),
    ("cuMemCreate=2@3", []),
    ("cuMemMap=1@1", ["cuMemMap", "INVALID_VALUE"]),
    ("cuMemSetAccess=1@2", ["cuMemSetAccess"]),
    ("cuMemHostAlloc=2@4", ["cuMemHostAlloc", "nvidia-smi"]),
    ("cuMemHostAlloc=2@3", ["cuMemHostAlloc", "nvidia-smi"]),
    ("memory=1", ["unable to allocate", "other processes"]),
]
FOR_GOOD = ("cuModuleLoadDataEx=218", "cuModuleLoadDataEx=221", "cuModuleLoadDataEx=222")  # what a driver says of a kernel once, it says each time


@pytest.fixture(scope="module")
def kernel(fakecuda, tmp_path_factory):
    ledger = tmp_path_factory.mktemp("faults") / "ledger.txt"
    fake = {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "4", "FAKECUDA_LEDGER": str(ledger)}
    kernel = Kernel(env={**os.environ, **fake, "WEFT_ARGS": "--gpus 1", "WEFT_DEBUG": "noeager,nocubins"})
    kernel.text(START)
    yield kernel
    kernel.text("%weft_config --gpus 0")
    kernel.close()
    lines = ledger.read_text().splitlines() if ledger.exists() else []
    wrong = [line for line in lines if not line.startswith("unwritten:")]  # work that lies behind what failed runs on what there is
    assert not wrong, wrong[:5]


@pytest.mark.parametrize(("k", "fault", "words"), [(i + 1, *row) for i, row in enumerate(FAULTS)])
def test_fault(kernel, k, fault, words):
    kernel.text("%weft_config --gpus 0")
    kernel.text("%weft_config --gpus 1")
    content, outputs = kernel.run(f"driver.fakecuda_faults(b'{fault}')\ny = work({k})\nprint(right(y, {k}))")
    kernel.text("driver.fakecuda_faults(b'')")
    print(fault, content.get("evalue"), outputs)
    if content["status"] == "ok":
        assert not words, f"{fault}: no error says so"
        assert [out["text"] for kind, out in outputs if kind == "stream"] == ["True\n"]
    else:
        said = content["evalue"]
        assert "gpu0" in said or "device 0" in said
        assert " at In[" in said and " line " in said
        for word in words:
            assert word in said, said
    if fault.partition("@")[0] in FOR_GOOD:  # the driver is not asked again, until the device is opened anew
        content, _ = kernel.run(f"y = work({k})\nprint(right(y, {k}))")
        assert content["status"] == "error" and words[0] in content["evalue"], content
        kernel.text("%weft_config --gpus 0")
        kernel.text("%weft_config --gpus 1")
    assert kernel.text(f"y = work({k})\nprint(right(y, {k}), kept.sum(), int((kept == 2).sum()))") == "True 4500.0 1500\n"
