"""One kernel for each row of what programs for CUDA may use. Each runs on the emulator, where plain Python and NumPy say what it gives, and on
whatever devices WEFT_ARGS names, where it has to give the same bits; its PTX is in golden/.

    python -m kernels.rows            the digest of what each gives, as JSON
    python -m kernels.rows --write    writes golden/ anew
"""

import json
import pathlib
import sys

from . import arithmetic, decorators, functions, structures, threads, words

GOLDEN = pathlib.Path(__file__).parent / "golden"
CONTENTS = threads.ROWS | words.ROWS | arithmetic.ROWS | functions.ROWS | structures.ROWS | decorators.ROWS


def main():
    if "--write" in sys.argv:
        GOLDEN.mkdir(exist_ok=True)
    answers = {}
    for name, row in CONTENTS.items():
        answers[name] = row.digest()
        if "--write" in sys.argv:
            (GOLDEN / f"{name}.ptx").write_text(row.ptx())
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
