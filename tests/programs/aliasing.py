"""Random programs over arrays that share memory, run by NumPy and by weft side by side: what every name holds must be the same.

    WEFT_ARGS="--cpus 2" WEFT_DEBUG=tile=1 python tests/programs/aliasing.py SEED [PROGRAMS]

runs the programs SEED, SEED+1, ... Where one differs it prints the shortest form of it that still does, the command that
runs it again, and ends with 1. A program is Python: np is NumPy or weft, host is NumPy in both. Only operations are
drawn whose bits NumPy defines; a program ends before it makes a NaN, whose bits are not defined.
"""

import os
import random
import re
import sys
import traceback
import warnings

import numpy

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bool", "complex64", "complex128"]
WHOLE = DTYPES[:8]
NUMBERS = [name for name in DTYPES if name != "bool"]
STEPS = 24
LARGE = 12  # one program of so many has arrays of some ten thousand elements

warnings.simplefilter("ignore")
numpy.seterr(all="ignore")


class Program:
    """Draws statements, with NumPy's arrays before it: what is drawn depends on their shapes and dtypes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.large = self.random.randrange(LARGE) == 0
        self.names = {}  # as NumPy has them
        self.count = 0
        self.statements = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def name(self, letter="v"):
        self.count += 1
        return f"{letter}{self.count}"

    def arrays(self, ndim=None, writable=False):
        """The names of arrays."""
        found = [
            name
            for name, value in self.names.items()
            if isinstance(value, numpy.ndarray) and value.size and (ndim is None or value.ndim == ndim) and (not writable or value.flags.writeable)
        ]
        return found or None

    def index(self, shape):
        """A basic index that leaves something."""
        parts = []
        for n in shape:
            step = self.pick(1, 1, 1, 2, 3, -1, -1, -2)
            kind = self.random.randrange(8)
            if kind == 0 and len(shape) > 1:
                parts.append(str(self.random.randrange(-n, n)))
                continue
            low = self.random.randrange(n) if kind < 5 else 0
            high = self.random.randrange(low, n) + 1 if kind < 5 else n
            if kind > 6:
                parts.append(":")
            elif step > 0:
                parts.append(f"{low}:{high}:{step}")
            else:
                parts.append(f"{high - 1}:{low - 1 if low else ''}:{step}")
        return ", ".join(parts)

    def like(self, shape, writable=False):
        """An expression over an existing array of this shape, or None."""
        options = self.arrays(writable=writable) or []
        self.random.shuffle(options)
        for name in options:
            value = self.names[name]
            if value.shape == shape:
                return name + self.pick("", "", "[::-1]" if shape else "")
            if value.ndim == len(shape) and value.ndim and all(n >= m for n, m in zip(value.shape, shape, strict=True)):
                places = []
                for n, m in zip(value.shape, shape, strict=True):
                    low = self.random.randrange(n - m + 1)
                    back = self.random.randrange(3) == 0
                    places.append(f"{low + m - 1}:{low - 1 if low else ''}:-1" if back else f"{low}:{low + m}")
                return f"{name}[{', '.join(places)}]"
        return None

    def number(self, dtype):
        return {"b": "True", "c": "(2+1j)", "f": self.pick("0.5", "2.0", "3")}.get(dtype.kind, self.pick("1", "2", "3", "7"))

    # Statements. Each returns text, or None where there is nothing to do it with.

    def make(self):
        n = self.pick(4000, 9000, 18000) if self.large else self.pick(1, 5, 6, 12, 24, 30, 64)
        shape = self.pick((n,), (n,), (2, n), (n // 2 or 1, 3), (2, 3, n // 3 or 1))
        count = int(numpy.prod(shape))
        dtype = self.pick(*DTYPES)
        name = self.name()
        module = self.pick("np", "np", "np", "host")
        return f"{name} = (({module}.arange({count}) * {self.pick(3, 7, 91)} + {self.random.randrange(9)}) % {self.pick(2, 23, 71)}).astype('{dtype}').reshape({shape})"

    def buffer(self):
        name, memory = self.name(), self.name("m")
        dtype = self.pick(*WHOLE, "float32", "float64")
        kind = self.random.randrange(3)
        if kind == 0:
            return f"{memory} = bytearray(range(64)); {name} = np.frombuffer({memory}, '{dtype}', offset={self.pick(0, 8)})"
        if kind == 1:
            return f"{memory} = array.array('{self.pick(*'bBhHiIlLfd')}', range(12)); {name} = np.asarray({memory})"
        return f"{memory} = bytes(range(48)); {name} = np.frombuffer({memory}, '{dtype}')"

    def poke(self):
        memories = [name for name, value in self.names.items() if isinstance(value, (bytearray, memoryview)) or type(value).__name__ == "array"]
        if not memories:
            return None
        name = self.pick(*memories)
        return f"{name}[{self.random.randrange(len(self.names[name]))}] = {self.random.randrange(100)}"

    def view(self):
        options = self.arrays()
        if not options:
            return None
        of = self.pick(*options)
        value = self.names[of]
        shape, n = value.shape, value.ndim
        forms = [
            f"{of}[{self.index(shape)}]" if n else of,
            f"{of}.T",
            f"np.ravel({of})",
            f"np.reshape({of}, -1)",
            f"np.asarray({of})",
            f"np.asanyarray({of})",
            f"np.array({of}, copy=None)",
            f"np.squeeze({of})",
            f"np.expand_dims({of}, 0)",
            f"np.atleast_2d({of})",
            f"np.broadcast_to({of}, (2, *{of}.shape))",
            f"np.transpose({of})",
            f"np.real({of})",
            f"{of}.view()",
            f"np.flip({of})",
        ]
        if n > 1:
            forms += [f"np.swapaxes({of}, 0, -1)", f"np.moveaxis({of}, 0, -1)", f"np.diagonal({of})", f"np.rot90({of})"]
        if n:
            # The bytes of a bool are 0 or 1; what others mean is not defined.
            forms += [f"{of}.view('{'bool' if value.dtype == bool else self.pick(*NUMBERS)}')"] * 5
            forms += [f"np.ascontiguousarray({of})"]
        if n == 1 and len(value) > 3:
            forms += [f"np.lib.stride_tricks.sliding_window_view({of}, 3)", f"np.trim_zeros({of})", f"np.split({of}, [2])[1]"]
        return f"{self.name()} = {self.pick(*forms)}"

    def copy(self):
        options = self.arrays()
        if not options:
            return None
        of = self.pick(*options)
        if self.names[of].dtype.kind in "fc" and numpy.abs(self.names[of]).max() >= 100:
            return None  # casts of what an integer cannot hold
        return f"{self.name()} = {self.pick(f'{of}.copy()', f'np.array({of})', f'np.ediff1d({of})')}.astype('{self.pick(*DTYPES)}')"

    def update(self):
        options = self.arrays(writable=True)
        if not options:
            return None
        name = self.pick(*options)
        value = self.names[name]
        # Products of complex numbers are rounded once or twice, by the processor.
        op = "|" if value.dtype == bool else self.pick("+", "+", "-", *{"c": "", "f": "*"}.get(value.dtype.kind, "*|&^"))
        target = name
        if value.ndim and self.random.randrange(2):
            target = f"{name}[{self.index(value.shape)}]"
        shape = eval(target, {}, self.names).shape
        other = self.like(shape) if self.random.randrange(4) else None
        return f"{target} {op}= {other or self.number(value.dtype)}"

    def assign(self):
        options = self.arrays(writable=True)
        if not options:
            return None
        name = self.pick(*options)
        value = self.names[name]
        if not value.ndim:
            return f"{name}[...] = {self.number(value.dtype)}"
        index = self.index(value.shape)
        target = eval(f"{name}[{index}]", {}, self.names)
        other = self.like(target.shape)
        if other and not target.shape and self.names[other.partition("[")[0]].dtype.kind == "c" != value.dtype.kind and self.foreign(name):
            return None  # an element of a NumPy array takes the real part of NumPy's complex arrays, and of no other library's
        if other and (self.wild(other, value.dtype) or self.disordered(target, eval(other, {}, self.names))):
            return None
        return f"{name}[{index}] = {other or self.number(value.dtype)}"

    def foreign(self, name):
        """Whether an array may be NumPy's own where weft runs the program: host's are, and what is made of them by no function of np."""
        made = next((text for text, _ in self.statements if text.startswith(f"{name} = ")), "").partition(" = ")[2]
        return not made.startswith("np.") and ("host." in made or any(self.foreign(of) for of in re.findall(r"\bv\d+\b", made)))

    def disordered(self, target, source):
        """Whether NumPy copies from the front what it should copy from the back: slices of one axis with other steps that overlap."""
        return target.ndim == 1 and source.strides != target.strides and numpy.may_share_memory(target, source)

    def wild(self, text, dtype):
        """Whether an integer would have to hold a float that it cannot."""
        value = eval(text, {}, self.names)
        return value.dtype.kind in "fc" and dtype.kind in "iub" and numpy.abs(value).max() >= 100

    def fancy(self):
        options = [name for name in self.arrays(writable=True) or [] if self.names[name].ndim]
        if not options:
            return None
        name = self.pick(*options)
        value = self.names[name]
        n = len(value)
        at = [self.random.randrange(-n, n) for _ in range(self.pick(1, 2, 5))]
        own = f"{name}[{[self.random.randrange(n) for _ in at]}]"
        forms = [f"{name}[{at}] = {self.number(value.dtype)}", f"{name}[np.array({at})] = {own}"]
        if value.dtype != bool:
            forms += [
                f"np.add.at({name}, {at}, {own})",
                f"np.add.at({name}, np.array({at}), {self.number(value.dtype)})",
                f"np.subtract.at({name}[::-1], {at}, {self.number(value.dtype)})",
                f"{name}[{name} == {name}[::-1]] = {self.number(value.dtype)}",
                f"{name}[{name} != 2] += {self.number(value.dtype)}",
                f"np.putmask({name}, {name} == 1, {name}[::-1])",
                f"np.copyto({name}, {name}[::-1], where={name} != 3)",
                f"{name}.flat[::2] = {self.number(value.dtype)}",
                f"{name}.fill({self.number(value.dtype)})",
            ]
        return self.pick(*forms)

    def out(self):
        options = self.arrays(writable=True)
        if not options:
            return None
        name = self.pick(*options)
        value = self.names[name]
        if value.dtype == bool or not value.ndim:
            return None
        index = self.index(value.shape)
        target = f"{name}[{index}]"
        shape = eval(target, {}, self.names).shape
        x = self.like(shape) or self.number(value.dtype)
        y = self.like(shape) or self.number(value.dtype)
        function = self.pick("add", "subtract", "add" if value.dtype.kind == "c" else "multiply")
        return f"np.{function}({x}, {y}, out={target})"

    def step(self):
        kinds = [self.make, self.buffer, self.poke, self.copy] + [self.view] * 6 + [self.update] * 4 + [self.assign] * 3 + [self.fancy] * 2 + [self.out] * 2
        if len(self.statements) < 2:
            return self.make()
        return self.random.choice(kinds)()


def execute(statement, names):
    """Runs a statement; returns the name of what it raised."""
    try:
        exec(statement, names)
    except Exception as error:
        return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
    return None


def space(np):
    import array

    return {"np": np, "host": numpy, "array": array}


def shown(names):
    """Everything that a program has, as what can be compared."""
    found = {}
    for name, value in names.items():
        if name in ("np", "host", "array") or name.startswith("_"):
            continue
        if hasattr(value, "dtype"):
            array = numpy.asarray(value)
            steps = [step for step, n in zip(array.strides, array.shape, strict=True) if n > 1] if array.size else []  # the others mean nothing
            found[name] = (str(array.dtype), array.shape, steps, bool(getattr(value, "flags", array.flags).writeable) if array.ndim else None, array.tobytes())
        elif isinstance(value, (bool, int, float, list)):
            found[name] = (repr(value),)
        else:
            found[name] = bytes(value)
    return found


class Drawn(list):
    """The statements of a program, each with whether everything is compared behind it, and what NumPy makes of them."""

    wants = None  # what each raises, and everything that there is behind it where that is compared; None where it has to run again


def draw(seed, kind=Program, steps=STEPS):
    """A program of a kind."""
    program, drawn, wants = kind(seed), Drawn(), []
    program.statements = drawn
    names = space(numpy)
    while len(program.statements) < steps:
        program.names = {name: value for name, value in names.items() if name not in ("np", "host", "array") and not name.startswith("_")}
        statement = program.step()
        if statement is None:
            continue
        raised = execute(statement, names)
        if any(isinstance(v, numpy.ndarray) and v.dtype.kind in "fc" and numpy.isnan(v).any() for v in names.values()):
            return drawn  # and what there was before the last is gone
        drawn.append((statement, program.random.randrange(6) == 0))
        wants.append((raised, shown(names) if drawn[-1][1] or len(drawn) == steps else None))
    drawn.wants = wants
    return drawn


def wanted(statements):
    """What NumPy makes of each statement, as in Drawn.wants."""
    names = space(numpy)
    return [(execute(statement, names), shown(names) if compared or i == len(statements) - 1 else None) for i, (statement, compared) in enumerate(statements)]


def differs(statements, ours=None, had=0):
    """What is other in weft than in NumPy when a program has run, in words; None if nothing is. ours is where weft runs it; it has what so
    many statements make."""
    import weft

    ours = ours or space(weft)
    for i, ((statement, _), (raises, want)) in enumerate(zip(statements, getattr(statements, "wants", None) or wanted(statements), strict=True)):
        got = execute(statement, ours) if i >= had else raises
        if raises != got:
            return f"{statement!r} raises {got}, NumPy {raises}"
        if want is not None:
            found = shown(ours)
            for name, value in want.items():
                if found[name] != value:
                    return f"after {statement!r}: {name} is {found[name][:-1]} {ours[name]!r}, NumPy has {value[:-1]} {legible(value)}"
    return None


def legible(value):
    """What is shown of a value, for people."""
    return repr(numpy.frombuffer(value[-1], value[0]).reshape(value[1])) if len(value) == 5 else value[0]


def shorten(statements):
    """The program without what it does not take to differ."""
    for i in reversed(range(len(statements))):
        for fewer in (statements[:i] + statements[i + 1 :], [*statements[:i], (statements[i][0], False), *statements[i + 1 :]]):
            if fewer != statements and fewer and differs(fewer):
                statements = fewer
                break
    return statements


def alone(seed, draw=draw):
    """What is other in weft than in NumPy when a program has run, in words, and its statements."""
    statements = draw(seed)
    try:
        wrong = differs(statements)
    except Exception:
        wrong = traceback.format_exc()
    return wrong and f"program {seed}: {wrong}", statements


def main(arguments, check=alone, count=lambda seed: 1):
    """Runs the programs of the seeds that the command line names; check(seed) says of each what is wrong, and of which statements, if it is theirs
    alone. count(seed) is how many programs a seed has."""
    first, seeds = int(arguments[1]), int(arguments[2]) if len(arguments) > 2 else 1
    for seed in range(first, first + seeds):
        wrong, statements = check(seed)
        if wrong:
            try:
                statements = shorten(statements or [])
            except Exception:
                wrong += f"\nand no shorter form: {traceback.format_exc()}"
            print(wrong + "\n")
            print("\n".join(statement + "  # all are compared" * compared for statement, compared in statements))
            settings = " ".join(f'{name}="{os.environ[name]}"' for name in ("WEFT_ARGS", "WEFT_DEBUG") if os.environ.get(name))
            print(f"\n{settings} {sys.executable} {arguments[0]} {seed} 1".lstrip())
            return 1
    print(f"{sum(map(count, range(first, first + seeds)))} programs from {first} on: as NumPy")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
