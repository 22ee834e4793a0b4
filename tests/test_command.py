"""The command "weft": what it says of itself, and where it writes."""

import json
import os
import pty
import subprocess

import nbformat
import pytest
from conftest import ROOT, TIMEOUT

WEFT = ROOT / "bin" / "weft"


def weft(*words, status=0, **options):
    done = subprocess.run([WEFT, *words], capture_output=True, timeout=TIMEOUT, **options)
    assert done.returncode == status, done
    return done


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    """The path of a profile with a few tasks."""
    folder = tmp_path_factory.mktemp("profile")
    (folder / "run.py").write_text("import numpy as np\nprint(float(np.arange(1000.0).sum()))\n")
    weft("run", "--cpus", "1", "--profile", "run.py", cwd=folder)
    return folder / "run.weftprof"


def test_version():
    said = weft("--version").stdout
    assert said == weft("version").stdout and said.startswith(b"weft 0.")


@pytest.mark.parametrize("command", ["run", "exec", "install", "kernel", "view", "export", "info", "version"])
def test_help(command, tmp_path):
    """Of Go's commands and of Python's."""
    done = weft(command, "--help", cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path)})
    assert done.stdout.startswith(b"usage: weft " + command.encode()) and not done.stderr
    assert list(tmp_path.iterdir()) == []


def test_install_of_missing_gpus_is_refused(tmp_path):
    done = weft("install", "--prefix", tmp_path, "--", "--gpus", "4", status=2)
    assert b"--gpus 4: " in done.stderr and b"--emulate" in done.stderr and list(tmp_path.iterdir()) == []
    done = weft("install", "--prefix", tmp_path, "--gpus", "4", status=2)
    assert b"unknown option --gpus" in done.stderr and b"[-- FLAGS]" in done.stderr
    weft("install", "--prefix", tmp_path, "--", "--gpus", "4", "--emulate")
    spec = json.loads((tmp_path / "share/jupyter/kernels/weft-4-gpus-emulated/kernel.json").read_text())
    assert spec["display_name"] == "Python (weft, 4 GPUs, emulated)"


def test_export_writes_where_it_should(profile, tmp_path):
    """A dash is standard output, also for what is binary, unless that is a terminal."""
    weft("export", profile, "--perfetto", "-o", "run.pftrace", cwd=tmp_path)
    written = (tmp_path / "run.pftrace").read_bytes()
    assert len(written) > 100
    for words in (["-o", "-"], ["-o=-"], []):
        assert weft("export", profile, "--perfetto", *words, cwd=tmp_path).stdout == written
    assert [path.name for path in tmp_path.iterdir()] == ["run.pftrace"]
    terminal, end = pty.openpty()
    try:
        for words in (["-o", "-"], []):
            done = subprocess.run([WEFT, "export", profile, "--perfetto", *words], stdout=end, stderr=subprocess.PIPE, timeout=TIMEOUT)
            assert done.returncode == 2 and b"--perfetto is binary" in done.stderr and b"-o FILE" in done.stderr
        done = subprocess.run([WEFT, "export", profile, "--check"], stdout=end, stderr=subprocess.PIPE, timeout=TIMEOUT)
        assert done.returncode == 0, done
        assert os.read(terminal, 1000).startswith(b"nothing contradicts itself")
    finally:
        os.close(end)
        os.close(terminal)
    with open(os.devnull, "wb") as nothing:  # a character device, but no terminal
        assert subprocess.run([WEFT, "export", profile, "--perfetto"], stdout=nothing, timeout=TIMEOUT).returncode == 0


def test_exec_to_standard_output(tmp_path):
    """The notebook alone goes there; the profiles of several runs are kept beside the notebook that was read."""
    cells = [nbformat.v4.new_code_cell("import numpy as np, os\nos.write(1, b'raw')\nnp.arange(3) + 1")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "in.ipynb")
    before = (tmp_path / "in.ipynb").read_bytes()
    for _ in range(2):
        done = weft("exec", "--profile", "in.ipynb", "-o", "-", cwd=tmp_path)
        made = nbformat.reads(done.stdout.decode(), as_version=4)
        assert made.cells[0].outputs[-1].data["text/plain"] == "array([1, 2, 3])"
        assert b"cell  1/1" in done.stderr
    assert (tmp_path / "in.ipynb").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "in-2.timeline.html", "in-2.weftprof", "in.ipynb", "in.timeline.html", "in.weftprof",
    ]  # fmt: skip
    table = weft("export", "in.weftprof", "--csv", cwd=tmp_path).stdout.decode()
    assert {line.split(",")[7] for line in table.splitlines() if line.startswith("cell,")} == {"In[1]"}  # saving a profile is no cell
    page = (tmp_path / "in.timeline.html").read_text()
    assert "In[1]" in page and "In[2]" not in page
    weft("exec", "--profile", "--kernel", "no-such-kernel", "in.ipynb", "-o", "out.ipynb", cwd=tmp_path, status=1)
    assert not list(tmp_path.glob("out*"))
