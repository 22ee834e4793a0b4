"""Pictures of graphs that other programs draw, from DOT text: PNG by weft's own child process, PDF by Graphviz's dot."""

import base64
import shutil
import subprocess

from . import _core

DEADLINE = 30  # seconds; a picture takes a fraction of one


def png(dot: str) -> bytes:
    """The graph as PNG."""
    return base64.b64decode(_core.query("png", dot))


def can_pdf() -> bool:
    """Whether there is a program that draws PDF."""
    return shutil.which("dot") is not None


def pdf(dot: str) -> bytes:
    """The graph as PDF."""
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError('a PDF needs the program "dot" of Graphviz on the PATH, and there is none; save as .svg, or install graphviz')
    try:
        done = subprocess.run([program, "-Tpdf"], input=dot.encode(), capture_output=True, timeout=DEADLINE, check=False)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{program} took longer than {DEADLINE} s and was stopped; save as .svg instead") from None
    if done.returncode != 0 or not done.stdout:
        said = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
        raise RuntimeError(f"{program} drew nothing: {said[:500]}; save as .svg instead")
    return done.stdout


# By suffix of the file.
DRAWN = {".png": png, ".pdf": pdf}
