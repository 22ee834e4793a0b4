"""The file names that stand for cells.

A front end sets breakpoints in files. For a cell it computes the name of its file by itself,
from what debugInfo says of prefix, suffix and hash, so that code objects must be named alike,
whether a debugger runs or not. The files come into being when a debugger dumps a cell.
"""

import atexit
import os
import shutil
import struct
import tempfile

SEED = 0x77656674
SUFFIX = ".py"
FACTOR = 0x5BD1E995  # murmur2's
WORD = 0xFFFFFFFF


def murmur2(text, seed=SEED):
    """The 32-bit hash called MurmurHash2 of the text's UTF-8 bytes."""
    data = text.encode("utf-8", "replace")
    whole = len(data) & ~3
    h = seed ^ len(data)
    for k in struct.unpack_from(f"<{whole // 4}I", data):
        k = k * FACTOR & WORD
        h = h * FACTOR & WORD ^ (k ^ k >> 24) * FACTOR & WORD
    if whole < len(data):
        h = (h ^ int.from_bytes(data[whole:], "little")) * FACTOR & WORD
    h = (h ^ h >> 13) * FACTOR & WORD
    return h ^ h >> 15


class CellFiles:
    """One kernel's names. The folder's name cannot be guessed by who else writes to the folder that it is in."""

    def __init__(self):
        # Numba and joblib know the code of notebooks by a folder of that beginning.
        name = f"ipykernel_{os.getpid()}_{os.urandom(6).hex()}"
        self.folder = os.path.join(os.path.realpath(tempfile.gettempdir()), name)
        self.prefix = self.folder + os.sep

    def name(self, code):
        return f"{self.prefix}{murmur2(code)}{SUFFIX}"

    def dump(self, code):
        """Write a cell's file, for those that read the lines around a breakpoint; returns its name."""
        if not os.path.isdir(self.folder):
            os.mkdir(self.folder, mode=0o700)
            atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        name = self.name(code)
        with open(name, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(code)
        return name
