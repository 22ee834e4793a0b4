"""The Makefile: what it builds, and what it does not build again."""

import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, TIMEOUT

COMPILES = re.compile(r"^\S*/tool/\S+/compile .*", re.MULTILINE)  # as "go build -x" writes its commands


def make(*words):
    """Run make in the checkout; returns what it and Go's tools said."""
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "--no-print-directory", *words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")
def test_what_is_built_is_not_compiled_again():
    """A build with nothing changed takes Go's answers from its cache, for the command and for the extension."""
    make("compile")
    said = make("compile", "GOFLAGS=-x")
    assert said.count("WORK=") == 2, said  # both builds were looked at
    assert COMPILES.findall(said) == []


def test_a_compilation_would_be_seen(tmp_path):
    """What the test above looks for is what Go writes when it compiles."""
    (tmp_path / "go.mod").write_text("module one\n")
    (tmp_path / "one.go").write_text(f"package main\n\n// {tmp_path} is in no cache.\nfunc main() {{}}\n")
    go = ROOT / ".go" / "bin" / "go"
    done = subprocess.run([go if go.exists() else "go", "build", "-x", "."], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0 and COMPILES.findall(done.stderr), done.stderr
