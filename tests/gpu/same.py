"""Whether programs of the benchmark compute the same on two machines, bit for bit.

    same.py run SCALE FOLDER     runs each at a small size on this machine, and leaves what it computes in the folder
    same.py compare FOLDER FOLDER    prints a line for each: same, close, or OTHER

The sums of a product of matrices are a library's on CPUs, which adds in an order of its own, and ours on GPUs. So what a program computes that
calls for products is close where it lies within the tolerance that the benchmark grants it beside NumPy. All else has the same bits or is OTHER.
"""

import pathlib
import sys

import numpy
from bench import programs
from bench.measure import difference

UNSEEDED = ("monte_carlo",)  # other numbers each time

# The functions whose sums are a library's.
PRODUCTS = {"matmul", "dot", "inner", "vdot", "vecdot", "matvec", "vecmat", "einsum", "tensordot"}


def arrays(result):
    """The arrays that a result consists of."""
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from arrays(part)
    elif isinstance(result, dict):
        for name in sorted(result):
            yield from arrays(result[name])
    else:
        yield numpy.asarray(result)


def calls():
    """How often functions have been called whose sums are a library's."""
    import weft

    return sum(n for name, n in weft.coverage().native.items() if name in PRODUCTS)


def run(scale, folder):
    """Run every program, and leave NAME.npz with its results, or NAME.txt with its error."""
    import weft

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for program in programs.table():
        if program.name in UNSEEDED:
            continue
        size, before = program.size(scale), calls()
        try:
            inputs = [weft.array(x) for x in program.data(size)]
            found = list(arrays(program.plain(weft, size)(*inputs)))
        except Exception as error:  # the next programs shall run all the same
            (folder / f"{program.name}.txt").write_text(f"{type(error).__name__}: {error}")
            continue
        numpy.savez(folder / f"{program.name}.npz", products=calls() - before, **{f"r{i}": a for i, a in enumerate(found)})


def load(folder, name):
    """What a program left: whether it calls for products, its results, and what went wrong."""
    file = pathlib.Path(folder) / f"{name}.npz"
    if not file.exists():
        error = file.with_suffix(".txt")
        return False, [], error.read_text().splitlines()[0] if error.exists() else "nothing"
    with numpy.load(file) as left:
        return bool(left["products"]), [left[f"r{i}"] for i in range(len(left.files) - 1)], ""


def same(a, b):
    """Whether two lists of arrays have the same dtypes, shapes and bits."""
    return [(x.dtype, x.shape, x.tobytes()) for x in a] == [(x.dtype, x.shape, x.tobytes()) for x in b]


def verdict(program, one, other):
    """What is to be said of a program's results in two folders."""
    products, want, failed = load(one, program.name)
    _, got, fails = load(other, program.name)
    if failed or fails:
        return f"OTHER {program.name} {failed or 'results'}, {fails or 'results'}"
    if same(want, got):
        return f"same {program.name}"
    apart = difference(program, got, want)
    if products and not apart:
        return f"close {program.name}, whose sums of products have another order"
    return f"OTHER {program.name} {apart or 'has other bits, and no products'}"


def compare(one, other):
    """Print what is to be said of each program; return how many are OTHER."""
    lines = [verdict(program, one, other) for program in programs.table() if program.name not in UNSEEDED]
    counts = {word: sum(line.startswith(word) for line in lines) for word in ("same", "close", "OTHER")}
    print(*lines, ", ".join(f"{n} {word}" for word, n in counts.items()), sep="\n")
    return counts["OTHER"]


if __name__ == "__main__":
    what = {"run": run, "compare": compare}.get(sys.argv[1] if len(sys.argv) == 4 else "")
    sys.exit(__doc__ if what is None else bool(what(*sys.argv[2:])))
