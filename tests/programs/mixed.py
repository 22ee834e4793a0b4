"""Random programs that mix small and large arrays, views, writes in place and values that are read, run by NumPy and by weft side by side.

    WEFT_ARGS="--cpus 2" WEFT_DEBUG=check python tests/programs/mixed.py SEED [PROGRAMS]

They are those of aliasing.py, with what else becomes of small work: new arrays on both sides of the sizes up to which operations are
computed at once, and values that the program goes on with, so that work which waits and work which is done meet at each of its arrays.
Every third turn runs three programs in as many threads, which read some arrays together. A program that differs is run alone, and
printed in its shortest form where it differs then too; else the command runs the same threads again, which may come in another order.
"""

import os
import sys
import threading
import traceback

import aliasing
import numpy

AT_ONCE = (16_384, 16_385, 32_768, 32_769, 65_536, 65_537)  # elements of 8, 4 and 1 bytes that are computed at once, and one more: python/core/values.h
WHOLE = (131_072, 131_073, 1_048_576, 1_048_577)  # where their results have one value
TOGETHER = 3  # programs in threads
SHARED = """
s1 = (np.arange(12) * 7 % 5).astype('int64').reshape((3, 4))
s2 = (np.arange(16_384) * 3 % 71).astype('float64') * 2.0
s3 = (np.arange(20_000) * 91 % 23).astype('int32')[::2] + 1
s4 = np.arange(17_000) % 7 > 2
s1.flags.writeable = s2.flags.writeable = s3.flags.writeable = s4.flags.writeable = False
""".strip().splitlines()


class Program(aliasing.Program):
    """Draws statements of either kind."""

    def __init__(self, seed, shared):
        super().__init__(seed)
        # The checker looks at each element, which takes minutes for a million.
        self.huge = self.large and self.random.randrange(6) == 0 and "check" not in os.environ.get("WEFT_DEBUG", "")
        self.shared = shared

    def make(self):
        if not self.large or self.random.randrange(2):
            return super().make()
        # Where there is little memory the largest are left out: NumPy has all of the machine's.
        n = self.pick(*(AT_ONCE if not self.huge else WHOLE[:2] if "--sysmem" in os.environ.get("WEFT_ARGS", "") else WHOLE))
        shape = self.pick((n,), (n,), (2, n // 2), (n // 4, 4))
        count = int(numpy.prod(shape))
        dtype = self.pick(*aliasing.DTYPES) if not self.huge else self.pick("uint8", "bool", "int32", "float64")
        return f"{self.name()} = ((np.arange({count}) * {self.pick(3, 7, 91)} + {self.random.randrange(9)}) % {self.pick(2, 23, 71)}).astype('{dtype}').reshape({shape})"

    def constructor(self):
        shape = self.pick("3", "(2, 3)", "(5, 5)", "(200,)")
        dtype = self.pick(*aliasing.DTYPES)
        make = self.pick(f"np.zeros({shape}, '{dtype}')", f"np.ones({shape}, '{dtype}')", f"np.full({shape}, 3, '{dtype}')", "np.array([1.5, 2.0, -3.0])", "np.arange(6)", "np.eye(3)")
        return f"{self.name()} = {make}"

    def operand(self, shape, dtype):
        """An array of the shape, or a number, written down or read before."""
        other = self.like(shape) if self.random.randrange(3) else None
        if other:
            return other
        numbers = [name for name, value in self.names.items() if isinstance(value, (int, float)) and abs(value) < 100]
        return self.pick(*numbers) if numbers and dtype.kind in "fc" and self.random.randrange(2) else self.number(dtype)

    def compute(self):
        options = self.arrays()
        if not options:
            return None
        of = self.pick(*options)
        value = self.names[of]
        kind = value.dtype.kind
        other = self.operand(value.shape, value.dtype)
        forms = [f"{of} {self.pick('==', '!=')} {other}", f"np.where({of} != {self.number(value.dtype)}, {of}, {other})"]
        if kind == "b":
            forms += [f"~{of}", f"{of} & {other}", f"{of} | {other}", f"np.logical_not({of})"]
        else:
            forms += [f"{of} + {other}", f"{of} - {other}", f"-{of}" if kind != "u" else f"+{of}", f"np.square({of})" if kind != "c" else f"np.conj({of})"]
        if kind in "iu":
            forms += [f"{of} * {other}", f"{of} // 3", f"{of} % 5", f"np.maximum({of}, {other})", f"np.minimum({of}, {other})", f"np.abs({of})", f"np.clip({of}, 1, 5)"]
            forms += [f"np.cumsum({of})", f"{of} < {other}", f"{of} / 4"]
        if kind == "f":
            forms += [f"{of} * {other}", f"np.sqrt(np.abs({of}))", f"{of} / 4", f"{of} > {other}", f"np.floor({of})"]
        if kind in "iub" and value.ndim:
            forms += [f"{of}.sum(0)", f"{of}.any(-1)", f"{of}.max({self.random.randrange(value.ndim)})"]
        if kind in "iu" and value.ndim == 1:
            forms += [f"np.diff({of})", f"np.sort({of})", f"np.outer({of}[:5], {of}[:3])"]
            forms += [f"np.unique({of})", f"np.searchsorted(np.sort({of}), {of}[:7])", f"np.convolve({of}, [1, 2])" if value.dtype == int else f"np.flip({of})"]
            forms += [f"np.bincount({of} % 7)" if kind == "i" else f"np.argsort({of}, kind='stable')", f"np.lexsort(({of},))", f"np.insert({of}, 0, 3)", f"np.delete({of}, 0)"]
        if kind in "iub" and value.ndim:
            axis = self.random.randrange(-value.ndim, value.ndim)
            forms += [f"{of}.{self.pick('sum', 'max', 'min', 'all', 'argmax', 'argmin')}({axis})", f"np.cumsum({of}, {axis})", f"np.sort({of}, {axis})", f"np.count_nonzero({of}, {axis})"]
            forms += [f"np.argsort({of}, {axis}, kind='stable')", f"np.sum({of}, {axis}, keepdims=True)", f"np.maximum.accumulate({of}, {axis})", f"np.median({of}, {axis})"]
            forms += [f"np.logical_xor({of}, {other})", f"np.isin({of}, [1, 2, 3])", f"np.argwhere({of})[:9]", f"np.maximum.reduce({of}, {axis})", f"np.ptp({of}, {axis})" if kind != "b" else f"{of}.sum()"]
        if kind in "iu":
            forms += [f"np.bitwise_count({of})", f"{of} << 1", f"{of} >> 1", f"np.divmod({of}, 3)[1]", f"np.gcd({of}, 6)", f"np.sign({of})", f"np.power({of}, 2)", f"{of} ** 2", f"~{of}"]
        if value.ndim:
            axis = self.random.randrange(value.ndim)
            small = value.size < 5000
            forms += [f"np.roll({of}, {self.pick(1, -2)}, {self.pick(axis, 'None')})", f"np.take({of}, [0, -1, 0], {axis})", f"np.take_along_axis({of}, np.zeros({value.shape}, int), {axis})"]
            forms += [f"np.pad({of}, 1)" if small else f"{of}.copy('K')", f"np.tile({of}, 2)" if small else f"{of}.copy('F')", f"np.concatenate([{of}, {of}], {axis})", f"np.split({of}, [1], {axis})[0]"]
            forms += [f"np.array([{of}, {of}])" if small else f"{of}.astype('{value.dtype}')", f"np.stack([{of}, {of}], -1)", f"np.repeat({of}, {self.pick(0, 2)}, {axis})" if small else f"{of}.flatten()"]
            forms += [f"np.append({of}, {of}[:1], 0)", f"np.compress([True], {of}, {axis})", f"np.array_split({of}, 2, {axis})[-1]", f"np.zeros_like({of})", f"np.full_like({of}, 2)", f"np.delete({of}, 0, {axis})"]
        if value.ndim == 2:
            forms += [f"np.triu({of})", f"np.tril({of}, -1)", f"np.trace({of})" if kind in "iu" else f"np.diag({of})", f"np.fliplr({of})", f"{of}.T.copy()", f"{of}.T.copy('K')"]
        if value.ndim:
            forms += [f"np.concatenate([{of}, {of}[:2]])", f"np.stack([{of}, {of}])", f"{of}[{[self.random.randrange(len(value)) for _ in range(3)]}]", f"{of}[{of} != 0]"]
            forms += [f"np.repeat({of}, 2)" if value.size < 50 else f"np.flatnonzero({of})"]
        return f"{self.name()} = {self.pick(*forms)}"

    def read(self):
        """A value for the program, which waits for it where it has to be computed."""
        options = self.arrays()
        if not options:
            return None
        of = self.pick(*options)
        value = self.names[of]
        at = ", ".join(str(self.random.randrange(-n, n)) for n in value.shape)
        forms = [f"{of}[{at}]" if value.ndim else f"{of}[()]", f"bool(({of} == {of}).all())", f"int(np.count_nonzero({of}))", f"{of}.reshape(-1)[:3].tolist()", f"bool(np.any({of} != 1))"]
        if value.dtype.kind in "iub":
            forms += [f"int({of}.sum())", f"int({of}.max())", f"int({of}.min())", f"{of}.sum()"]
        if value.dtype.kind in "iubf":
            forms += [f"int(np.argmax({of}))", f"float({of}[{at}])" if value.ndim else f"float({of})"]
        if value.dtype.kind in "iu" and value.ndim == 1:
            forms += [f"int(np.dot({of}, {of}[::-1]))", f"int({of} @ {of})"]
        return f"{self.name('n')} = {self.pick(*forms)}"

    def element(self):
        """A write of one element, of a number that the program has read or written down."""
        options = [name for name in self.arrays(writable=True) or [] if self.names[name].ndim]
        if not options:
            return None
        name = self.pick(*options)
        value = self.names[name]
        at = ", ".join(str(self.random.randrange(-n, n)) for n in value.shape)
        return f"{name}[{at}] {self.pick('=', '=', '+=') if value.dtype != bool else '='} {self.number(value.dtype)}"

    def drop(self):
        """A name less: what it names may live on in views."""
        options = [name for name in self.arrays() or [] if name not in self.shared]
        return f"del {self.pick(*options)}" if len(options) > 4 else None

    def step(self):
        if self.shared and len(self.statements) < len(SHARED):
            return SHARED[len(self.statements)]
        kinds = [super().step] * 4 + [self.compute] * 4 + [self.read] * 3 + [self.element] * 2 + [self.constructor, self.drop]
        if len(self.statements) < (len(SHARED) if self.shared else 0) + 2:
            return self.make()
        return self.random.choice(kinds)()


def draw(seed, shared=()):
    drawn = aliasing.draw(seed, lambda seed: Program(seed, shared), aliasing.STEPS + (len(SHARED) if shared else 0))
    if shared:  # which are there all at once
        drawn[: len(SHARED)] = [(statement, False) for statement in SHARED]
        if drawn.wants:
            drawn.wants[: len(SHARED)] = [(raised, None) for raised, _ in drawn.wants[: len(SHARED)]]
    return drawn


def together(first):
    """What is other in weft than in NumPy when programs run in threads, in words, and the statements of one that is so alone."""
    import weft

    names = ["s1", "s2", "s3", "s4"]
    drawn = [draw(seed, names) for seed in range(first, first + TOGETHER)]
    shared = aliasing.space(weft)
    for line in SHARED:
        exec(line, shared)
    given = {name: shared[name] for name in names}
    start = threading.Barrier(TOGETHER)
    wrong = {}

    def work(seed, statements):
        try:
            ours = aliasing.space(weft) | given
            start.wait()
            wrong[seed] = aliasing.differs(statements, ours, len(SHARED))
        except BaseException:
            wrong[seed] = traceback.format_exc()

    threads = [threading.Thread(target=work, args=(first + i, statements)) for i, statements in enumerate(drawn)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, statements in zip(range(first, first + TOGETHER), drawn, strict=True):
        if wrong[seed]:
            alone = aliasing.differs(statements)
            return f"program {seed} of the threads from {first} on: {wrong[seed]}", statements if alone else None
    return None, None


def check(seed):
    import weft

    try:
        wrong, statements = together(seed) if seed % TOGETHER == 0 else aliasing.alone(seed, draw)
        if not wrong:
            weft.sync()  # tells what the checker has found
    except Exception:
        wrong, statements = f"program {seed}: {traceback.format_exc()}", None
    return wrong, statements


if __name__ == "__main__":
    sys.setswitchinterval(1e-5)
    sys.exit(aliasing.main(sys.argv, check, lambda seed: 1 if seed % TOGETHER else TOGETHER))
