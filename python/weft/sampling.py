"""What the samples of a profile by lines mean: whose code a file has, and what is called at an instruction.

The extension's sampler (python/core/sampler.c) knows code objects and instructions only.
"""

import ast
import dis
import linecache
import os
import re
import sysconfig

USER, LIBRARY, RUNTIME, SHELL = range(4)  # as in sampler.c

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_FOLDERS = sysconfig.get_paths()
_PACKAGES = tuple(sorted({os.path.join(_FOLDERS[name], "") for name in ("purelib", "platlib")}))
_STANDARD = tuple(sorted({os.path.join(_FOLDERS[name], "") for name in ("stdlib", "platstdlib")}))


def whose(file):
    """(whose code a file's is, the name of the library)."""
    if file.startswith(_HERE):
        return RUNTIME, "weft"
    for folder in (*_PACKAGES, *_STANDARD):  # packages lie in the standard library's folder
        if file.startswith(folder):
            return _library(file[len(folder) :])
    if file.startswith("<frozen "):
        return LIBRARY, file[len("<frozen ") : -1].split(".")[0]
    if f"{os.sep}site-packages{os.sep}" in file or f"{os.sep}dist-packages{os.sep}" in file:
        return _library(file.replace("dist-packages", "site-packages").split("site-packages" + os.sep)[-1])
    return USER, ""


def _library(path):
    name = path.split(os.sep)[0].removesuffix(".py")
    return (SHELL if name in ("IPython", "weft_kernel") else LIBRARY), name


def names(sites):
    """What is called at each site of sample_end(): the library, or the function as the program writes it."""
    return [library or called(code, instruction) for code, instruction, library, _ in sites]


def modules(sites):
    """The shared object that ran at each site, without the ends that say its version: libopenblas64p, _umath_linalg."""
    return [re.split(r"[.-]", file)[0] if file else "" for *_, file in sites]


def called(code, instruction):
    """The function that is called at an instruction, or the expression that is evaluated there, in the program's words."""
    positions = list(code.co_positions())
    at = instruction // 2
    if not 0 <= at < len(positions) or None in positions[at]:
        return code.co_name
    text = _source(code.co_filename, *positions[at])
    if "CALL" not in dis.opname[code.co_code[2 * at]]:  # CALL, PRECALL, CALL_FUNCTION_EX
        return _short(text)
    try:
        tree = ast.parse(f"({text})", mode="eval").body
    except SyntaxError:  # a with statement's call of __exit__, or a decorator
        return _short(text)
    if isinstance(tree, ast.Call):
        return _short(ast.unparse(tree.func))
    return _short(text)


def _source(file, line, end_line, start, end):
    """The text between two places; columns count bytes."""
    rows = [linecache.getline(file, n).encode() for n in range(line, end_line + 1)]
    rows[-1] = rows[-1][:end]
    rows[0] = rows[0][start:]
    return b"".join(rows).decode(errors="replace")


def _short(text):
    text = " ".join(text.split())
    return text if len(text) <= 40 else text[:39] + "\u2026"
