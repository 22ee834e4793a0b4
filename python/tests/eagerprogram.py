"""Random programs of operations on few elements, for test_eager: the same steps for NumPy and weft.

Whatever is chosen follows from the seed and from shapes and dtypes, which are the same in both. Elements are small multiples of
1/8, so that sums and products are exact and no comparison hangs on a rounding; what is not exact is looked at and dropped.
"""

import random
import warnings

import numpy

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128 float16".split()
USUAL = ("float64", "float64", "int64", "float32", "int32", "bool", "complex128")
SHAPES = (
    (1,),
    (3,),
    (8,),
    (17,),
    (33,),
    (100,),
    (2, 3),
    (3, 3),
    (4, 8),
    (5, 1),
    (1, 6),
    (12, 9),
    (2, 3, 4),
    (40, 40),
    (4097,),
    (70, 70),
)
BINARY = (
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "less",
    "equal",
    "greater_equal",
    "not_equal",
    "divide",
    "floor_divide",
    "remainder",
)
UNARY = ("negative", "absolute", "sqrt", "sin", "isnan", "sign", "floor", "square", "conj")
FOLDS = ("sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax", "count_nonzero")
ERRORS = (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError, AttributeError, numpy.linalg.LinAlgError)
EXACT = True  # what a step tells of its result: it may be computed with


class Program:
    def __init__(self, np, seed):
        self.np, self.r, self.pool = np, random.Random(seed), []
        for _ in range(6):
            self.pool.append(self.new())

    def values(self, shape, dtype):
        r, size = self.r, int(numpy.prod(shape))
        low, high = (0, 9) if dtype.startswith(("u", "b")) else (-9, 9)
        whole = [r.randint(low, high) for _ in range(size)]
        if dtype.startswith(("f", "c")):
            whole = [n / 8 for n in whole]
        if dtype.startswith("c"):
            whole = [complex(n, r.randint(-3, 3)) for n in whole]
        return whole

    def new(self, shape=None, dtype=None):
        """An array: of lists, or a constructor's, in one of the layouts that arrays have."""
        np, r = self.np, self.r
        shape = shape or r.choice(SHAPES)
        dtype = dtype or (r.choice(USUAL) if r.random() < 0.7 else r.choice(DTYPES))
        how = r.randrange(6)
        made = np.zeros(shape, dtype)
        if how == 1 and len(shape) > 1:
            made = np.zeros(shape[::-1], dtype).T
        if how == 2:
            made = np.zeros(tuple(2 * n for n in shape), dtype)[tuple(slice(None, None, 2) for _ in shape)]
        if how == 3:
            made = made[::-1]
        if how == 4 and len(shape) > 1:
            made = np.zeros((*shape, 2), dtype)[..., 1]
        flat = self.values(shape, dtype)
        if len(flat) > 200:
            made[...] = numpy.array(flat, dtype).reshape(shape)
        else:
            made[...] = np.array(flat, dtype).reshape(shape)
        return made

    def any(self, test=None):
        found = [a for a in self.pool if test is None or test(a)]
        return self.r.choice(found) if found else self.new()

    def number(self):
        r = self.r
        kind = r.randrange(6)
        if kind < 2:
            return r.randint(-4, 9)
        if kind == 2:
            return r.randint(-20, 20) / 8
        if kind == 3:
            return r.random() < 0.5
        if kind == 4:
            return numpy.dtype(r.choice(DTYPES)).type(r.randint(0, 5))
        return complex(r.randint(-2, 2), 1) if r.random() < 0.3 else 2

    def like(self, a):
        """An operand that fits."""
        r = self.r
        if r.random() < 0.3:
            return self.number()
        same = [b for b in self.pool if b.shape == a.shape or b.shape == a.shape[-1:]]
        return r.choice(same) if same and r.random() < 0.7 else self.new(a.shape)

    def index(self, a):
        r, n = self.r, a.shape[0]
        kind = r.randrange(10)
        if kind == 0:
            return r.randint(-n, n - 1)
        if kind == 1:
            return slice(r.randint(0, n), r.randint(0, n), r.choice((1, 1, 2, -1)))
        if kind == 2:
            return (Ellipsis, r.randint(-a.shape[-1], a.shape[-1] - 1))
        if kind == 3:
            return [r.randint(-n, n - 1) for _ in range(r.randint(1, 6))]
        if kind == 4:
            shape = r.choice(((1,), (5,), (2, 3)))
            flat = [r.randint(-n, n - 1) for _ in range(int(numpy.prod(shape)))]
            return (
                self.np.array(flat)
                .reshape(shape)
                .astype(r.choice(("int64", "int32", "int8") if n < 100 else ("int64",)))
            )
        if kind == 5:
            return a > 0 if a.dtype.kind in "iufb" else self.new(a.shape, "bool")
        if kind == 6:
            return self.new(a.shape[:1], "bool")
        if kind == 7 and a.ndim == 2:
            m = a.shape[1]
            rows = [r.randint(-n, n - 1) for _ in range(3)]
            columns = self.np.array([r.randint(-m, m - 1) for _ in range(3)])
            return (rows, columns) if r.random() < 0.5 else (r.randint(-n, n - 1), columns)
        if kind == 8:
            return r.choice(((None, slice(None)), self.mixed(a), self.mixed(a)))
        return self.np.array([n + 3]) if r.random() < 0.3 else (slice(None), None, 0)

    def mixed(self, a):
        """Integers or a mask, beside slices and new axes."""
        r, last = self.r, a.shape[-1]
        places = [r.randint(-last, last - 1) for _ in range(r.randint(1, 4))]
        chosen = places if r.random() < 0.5 else self.np.array(places)
        if a.ndim == 1:
            return r.choice(((None, chosen), (chosen, None), [places]))
        rows = [r.randint(-a.shape[0], a.shape[0] - 1) for _ in range(len(places))]
        holds = self.np.array([r.random() < 0.5 for _ in range(last)])
        grid = self.np.array(places + places).reshape(2, -1)
        return r.choice(((slice(None), chosen), (Ellipsis, chosen), (rows, slice(0, 2)), (slice(None, None, -1), chosen), (rows, Ellipsis, chosen), (0, chosen),
            (Ellipsis, holds), (Ellipsis, grid), (slice(None), None, [0, -1]), (slice(0, 2), rows) if a.shape[1] >= a.shape[0] else (rows, slice(None)), (Ellipsis, rows, slice(None))))

    def axis(self, a):
        last = tuple(range(self.r.randrange(a.ndim), a.ndim))
        return self.r.choice((None, 0, -1, self.r.randint(-a.ndim, a.ndim - 1), last, last[::-1], (0, -1), tuple(range(max(1, a.ndim - 1)))))

    # The steps. Each returns its result, and whether it is exact.

    def step_binary(self):
        name, a = self.r.choice(BINARY), self.any()
        b = self.like(a)
        if self.r.random() < 0.2:
            a, b = b, a
        return getattr(self.np, name)(a, b), name not in ("divide", "floor_divide", "remainder")

    def step_unary(self):
        name, a = self.r.choice(UNARY), self.any()
        rounds = name in ("sqrt", "sin") or name in ("abs", "absolute") and a.dtype.kind == "c"
        return getattr(self.np, name)(a), not rounds

    def step_power(self):
        return self.any() ** self.r.choice((2, 2.0, 3, 0.5, 1, -1)), False

    def step_fold(self):
        name, a = self.r.choice(FOLDS), self.any()
        axis = self.axis(a)
        if self.r.random() < 0.3:
            return getattr(self.np, name)(a, axis=axis, keepdims=True), False
        if self.r.random() < 0.1 and name in ("sum", "prod", "mean"):
            return getattr(self.np, name)(a, axis=axis, dtype=self.r.choice((float, int, "f4"))), False
        return getattr(self.np, name)(a, axis=axis), name not in ("mean", "prod")

    def step_out(self):
        """A ufunc into an array that is there: another one, an operand, or one that overlaps it."""
        a, r = self.any(), self.r
        same = [b for b in self.pool if b.shape == a.shape and b.flags.writeable]
        out = r.choice([*same, self.new(a.shape), self.new(a.shape, "float64")])
        if r.random() < 0.3:
            name = r.choice([name for name in UNARY if name != "sin"])  # which has the bits of floats of the operand's size
            return getattr(self.np, name)(a, out=out), name not in ("sqrt", "absolute")
        name, b = r.choice(BINARY), self.like(a)
        if r.random() < 0.2:
            mask = self.any(lambda m: m.dtype == bool and m.shape == a.shape)
            return getattr(self.np, name)(a, b, out=out, where=mask), False
        if r.random() < 0.2 and a.ndim == 1 and a.size > 2 and out.size == a.size:
            return getattr(self.np, name)(a[1:], a[:-1], out=out[:-1]), False
        return getattr(self.np, name)(a, b, out if r.random() < 0.5 else None), False

    def step_sort(self):
        a, r = self.any(lambda a: a.flags.writeable), self.r
        kind, axis = r.choice(("sort", "argsort", "in place")), r.choice((-1, 0, r.randint(-a.ndim, a.ndim - 1)))
        if kind == "in place":
            a.sort(axis=axis, kind="stable")
            return a, EXACT
        return getattr(self.np, kind)(a, axis=axis, kind="stable"), EXACT

    def step_scan(self):
        a, name = self.any(), self.r.choice(("add", "multiply", "maximum", "minimum"))
        made = getattr(self.np, name).accumulate(a, axis=self.r.choice((0, -1)))
        return made, name in ("maximum", "minimum")

    def step_round(self):
        a = self.any(lambda a: a.dtype != bool)
        decimals = self.r.choice((0, 1, -1) if a.dtype.kind == "c" else (0, 1, 2, 5, -1, -2))
        if self.r.random() < 0.2:
            return self.np.round(self.r.choice((2.675, 12, numpy.float64(0.125), numpy.float32(1.5), numpy.int32(15))), decimals), False
        return (a.round(decimals) if self.r.random() < 0.5 else self.np.round(a, decimals) if self.r.random() < 0.7 else self.np.around(a, decimals)), False

    def step_selected(self):
        """Reductions with initial= and where=."""
        name, a, r = self.r.choice(("sum", "prod", "min", "max", "any", "all", "mean", "amax")), self.any(), self.r
        if name == "prod" and a.size > 50:  # which goes beyond the range, in this order or another
            name = "sum"
        options = {"axis": r.choice((None, None, None, 0, -1))}
        if r.random() < 0.6:
            same = [b for b in self.pool if b.dtype == bool and b.shape == a.shape]
            options["where"] = r.choice(same) if same else a > 0 if a.dtype.kind in "iuf" else self.new(a.shape, "bool")
        if name in ("sum", "prod", "min", "max", "amax") and r.random() < 0.8:
            options["initial"] = r.choice((0, 2, -3, 1.5, -0.0, numpy.inf, self.number()))
        if r.random() < 0.2:
            options["keepdims"] = True
        return getattr(self.np, name)(a, **options), False

    def step_empty(self):
        """What programs do with arrays of no elements, and choose by them."""
        np, r, a = self.np, self.r, self.any(lambda a: a.ndim < 3)
        none = a[r.choice((slice(0, 0), slice(3, 3), np.zeros(a.shape[0], bool)))]
        kind = r.randrange(12)
        if kind == 0:
            return getattr(none, r.choice(("sum", "prod", "any", "all", "min", "max")))(), EXACT
        if kind == 1:
            return np.array(none.tolist()), EXACT
        if kind == 2:
            return none.copy() if r.random() < 0.5 else none.astype(r.choice(USUAL[:4])) if a.dtype.kind != "c" else none.copy(), EXACT
        if kind == 3:
            return a[np.nonzero(np.zeros(a.shape[0], bool))[0]], EXACT
        if kind == 4:
            return a[[]] * 2, EXACT
        if kind == 5:
            a[np.zeros(a.shape, bool)] = r.choice((none.ravel(), 1, none[:0].ravel() * 2))
            return a, EXACT
        if kind == 6:
            a[np.zeros(0, int)] = none
            return a, EXACT
        if kind == 7:
            a[self.new(a.shape[:1], "bool")] = none  # what is chosen may be more
            return a, EXACT
        if kind == 8:
            return np.array([], r.choice((None, float, int))), EXACT
        if kind == 9:
            return np.max(none, initial=r.choice((0, 2.5))) if a.dtype.kind in "iuf" else np.any(none), EXACT
        if kind == 10:
            return np.concatenate([none, a, none]), EXACT
        return np.sort(none, axis=0) if a.dtype.kind != "c" else none, EXACT

    def step_in_place(self):
        a = self.any()
        b = self.like(a)
        kind = self.r.randrange(4)
        if kind == 0:
            a += b
        elif kind == 1:
            a *= b
        elif kind == 2 and a.ndim == 1:  # an overlap
            a[1:] -= a[:-1]
        else:
            a[...] = b
        return a, EXACT

    def step_get(self):
        a = self.any()
        return a[self.index(a)], EXACT

    def step_set(self):
        a = self.any()
        index = self.index(a)
        how = self.r.random()
        value = self.number() if how < 0.5 else a[index] * 2
        if how > 0.85 and getattr(value, "ndim", 0):
            value = value.tolist()
        a[index] = value
        return a, EXACT

    def step_view(self):
        a, r = self.any(), self.r
        kind = r.randrange(8)
        if kind == 0:
            return a.T, EXACT
        if kind == 1:
            return a.reshape(-1), EXACT
        if kind == 2:
            return a.reshape(r.choice(((-1, 1), (1, -1), (a.size,), (2, -1), (-1, 2, 1)))), EXACT
        if kind == 3:
            return a.ravel(), EXACT
        if kind == 4:
            return self.np.expand_dims(a, r.randint(-a.ndim - 1, a.ndim)), EXACT
        if kind == 5:
            return self.np.squeeze(a), EXACT
        if kind == 6:
            return a.swapaxes(0, -1), EXACT
        return a.transpose(*r.sample(range(a.ndim), a.ndim)), EXACT

    def step_copy(self):
        a = self.any()
        kind = self.r.randrange(3)
        return (
            a.copy()
            if kind == 0
            else a.flatten()
            if kind == 1
            else a.astype(self.r.choice(USUAL[:5]) if a.dtype.kind != "c" else "complex64")
        ), EXACT

    def step_product(self):
        a = self.any(lambda a: a.ndim < 3 and a.size < 2000)
        name = self.r.choice(("dot", "matmul", "inner", "vdot", "outer"))
        b = (
            self.any(lambda b: b.ndim < 3 and b.shape[0] == a.shape[-1])
            if self.r.random() < 0.8
            else self.new((a.shape[-1], self.r.choice((1, 3, 20))))
        )
        if name == "outer":
            return self.np.outer(a.ravel()[:20], b.ravel()[:20]), EXACT
        return getattr(self.np, name)(a, b), False

    def step_where(self):
        a = self.any()
        b = self.like(a)
        m = self.any(lambda m: m.dtype == bool and m.shape == a.shape)
        if m.shape != a.shape:
            m = self.new(a.shape, "bool")
        return self.np.where(m, *((a, b) if self.r.random() < 0.7 else (b, self.number()))), EXACT

    def step_clip(self):
        least, most, kind = self.r.choice((-1, 0, 0.25)), self.r.choice((1, 2.5, 1)), self.r.randrange(6)
        if kind == 0:
            return self.np.clip(self.any(), *self.r.choice(((least, None), (None, most), (None, None)))), EXACT
        if kind == 1:
            return self.any().clip(**self.r.choice(({"min": least}, {"max": most}, {"min": least, "max": None}))), EXACT
        if kind == 2:
            return self.any().clip(least), EXACT
        return self.np.clip(self.any(), least, most), EXACT

    def step_find(self):
        a = self.any()
        name = self.r.choice(("nonzero", "flatnonzero", "take"))
        if name == "take":
            axis = self.r.choice((None, 0, a.ndim - 1, -1))
            n = a.size if axis is None else a.shape[axis]
            return self.np.take(a, [self.r.randint(-n, n - 1) for _ in range(4)], axis=axis), EXACT
        made = getattr(self.np, name)(a)
        return (made[0] + 0 if name == "nonzero" else made), EXACT

    def step_join(self):
        name, a = self.r.choice(("concatenate", "stack", "vstack", "hstack", "column_stack")), self.any()
        others = [b for b in self.pool if b.shape == a.shape]
        parts = [self.r.choice(others) for _ in range(self.r.randint(0, 3))] + [a] if others else [a]
        if self.r.random() < 0.2 and a.ndim == 1:
            parts.append([self.r.randint(0, 3) for _ in range(a.size)])
        if self.r.random() < 0.2 and a.ndim == 1 and name in ("concatenate", "hstack"):
            parts.insert(self.r.randrange(len(parts) + 1), self.np.zeros(0, self.r.choice(USUAL)))
        if name in ("concatenate", "stack"):
            return getattr(self.np, name)(parts, axis=self.r.choice((0, -1))), EXACT
        return getattr(self.np, name)(parts), EXACT

    def step_running(self):
        a = self.any()
        name = self.r.choice(("cumsum", "cumprod", "diff", "diff from", "roll"))
        if name == "diff":
            return self.np.diff(a, axis=self.r.choice((-1, 0))), EXACT
        if name == "diff from":
            return self.np.diff(a, prepend=self.r.choice((self.number(), 0, 2.5, a.flat[0], True))), EXACT
        if name == "roll":
            return self.np.roll(a, self.r.choice((1, -1, 3, -70, 12345)), self.axis(a)), EXACT
        return getattr(self.np, name)(a, axis=self.axis(a)), False

    def step_einsum(self):
        r = self.r
        extents = {label: r.randint(1, 9) for label in "ijk"}
        text = r.choice(("i,i->", "ij,j->i", "ij,i->j", "ij,jk->ik", "ij,kj->ik", "ij,jk", "ij,ij->i", "ij,ij->j", "ij,ij->ij", "i,j->ij", "ij->j", "ij->i", "ij->", "ij,ij", "ij,jk->ki"))
        made = [self.new([extents[label] for label in part], r.choice(("float64", "float64", "int64"))) for part in text.split("->")[0].split(",")]
        return (self.np.einsum(text, *made) + 0).copy(), EXACT  # NumPy has orders of axes of its own, and adds to 0.0

    def step_make(self):
        np, r = self.np, self.r
        kind = r.randrange(12)
        dtype = r.choice((*USUAL, float, int, numpy.float32))
        if kind == 0:
            return np.full(r.choice(SHAPES[:10]), self.number()), EXACT
        if kind == 1:
            return np.arange(r.randint(1, 40), dtype=r.choice((None, dtype))), EXACT
        if kind == 2:
            return np.arange(r.randint(-5, 5) / 4, 7.5, r.choice((0.25, 0.5, 1))), EXACT
        if kind == 3:
            return np.linspace(
                r.randint(-3, 3), r.randint(4, 9) / 2, r.randint(1, 30), endpoint=r.random() < 0.5
            ), False
        if kind == 4:
            return np.eye(r.randint(1, 6), r.choice((None, 4)), r.randint(-2, 2), dtype), EXACT
        if kind == 5:
            return getattr(np, r.choice(("zeros_like", "ones_like")))(self.any(), r.choice((None, dtype))), EXACT
        if kind == 6:
            return np.full_like(self.any(), r.randint(0, 3)), EXACT
        if kind == 7:
            a = self.any(lambda a: a.ndim == 1 and a.dtype in ("float64", "int64"))
            return np.array([a[0], 2.0, a[-1]] if r.random() < 0.5 else [[a[0], 1], [3, a[-1]]]), EXACT
        if kind == 8:
            a = self.any()
            return np.array(r.choice(([a], [a, a], (a, self.like(a)), [self.any(), a]))), EXACT
        if kind == 9:
            return r.choice((np.array, np.asarray))(self.any(lambda a: a.dtype.kind != "c"), dtype), EXACT
        if kind == 10:
            flat = [self.number() for _ in range(r.randint(1, 4))]
            return np.array(flat, r.choice((None, float, "f8", numpy.float64, "c16"))), False
        return np.ones(r.choice(SHAPES[:12]), dtype), EXACT

    def step_transform(self):
        a = self.any(lambda a: a.dtype != "float16")  # which NumPy transforms with fewer bits
        name = self.r.choice(("fft", "ifft", "rfft", "irfft"))
        return getattr(self.np.fft, name)(a, axis=self.r.choice((-1, 0, a.ndim - 1, self.r.randrange(a.ndim)))), False

    def step_fill(self):
        """Assignments that are functions."""
        np, r, a = self.np, self.r, self.any(lambda a: a.flags.writeable)
        mask = self.any(lambda m: m.dtype == bool and m.shape == a.shape)
        kind = r.choice(("copyto", "putmask", "place", "put"))
        if kind == "copyto":
            np.copyto(a, self.like(a))
        elif kind == "put":
            places = [r.randint(-a.size, a.size - 1) for _ in range(3)]
            np.put(a, places, r.choice(([1, 2, 3], [1.5, 2, 0.25], 4, [1, 2])))
        elif mask.shape == a.shape:
            getattr(np, kind)(a, mask, self.number() if kind == "place" or r.random() < 0.6 else self.like(a))
        return a, EXACT

    def step_divmod(self):
        a = self.any(lambda a: a.dtype.kind != "c")
        return self.np.divmod(a, self.like(a))[self.r.randrange(2)], False

    def step_interp(self):
        a, r = self.any(lambda a: a.dtype.kind != "c"), self.r
        n = r.choice((1, 2, 5, 40, 3000))
        x, y = self.np.arange(n) / 4, self.new((n,), r.choice(("float64", "float64", "int32")))
        if r.random() < 0.2 and n <= 40:
            x, y = x.tolist(), y.tolist()
        at = a.reshape(-1)[0] if r.random() < 0.2 else a
        return self.np.interp(at, x, y, left=r.choice((None, -1, 0.5))), False

    def step_norm(self):
        a, r = self.any(lambda a: a.dtype != "float16"), self.r  # whose squares NumPy lets overflow
        if r.random() < 0.4:
            return self.np.linalg.norm(a), False
        axis = r.choice((None, 0, -1, a.ndim - 1)) if a.ndim > 1 else r.choice((None, 0))
        return self.np.linalg.norm(a, r.choice((None, 1, 2, numpy.inf, -numpy.inf, 0)) if axis is not None or a.ndim == 1 else r.choice((1, -1, numpy.inf)), axis, r.random() < 0.3), False

    def step_matrices(self):
        np, r = self.np, self.r
        n = r.randint(1, 6)
        m = self.new((n, n), r.choice(("float64", "float64", "float32", "int64")))
        kind = r.choice(("det", "power", "stack"))
        if kind == "det":
            return np.linalg.det(m), False
        if kind == "power":
            return np.linalg.matrix_power(m, r.choice((2, 3, 5))), False
        k = r.randint(1, 5)
        return np.matmul(self.new((3, n, k), r.choice(("float64", "float32"))), self.new((3, k, 2), r.choice(("float64", "float64", "float32")))), EXACT

    def step_part(self):
        """Views that are no index, and what NumPy answers for few elements, between operations on the same memory."""
        np, r, a = self.np, self.r, self.any(lambda a: a.ndim < 3)
        kind = r.choice(("flip", "real", "imag", "diagonal", "fill", "fill_diagonal", "append", "repeat", "unique", "median", "power", "put", "shape", "conj"))
        if kind == "flip" and a.ndim < 3:
            return np.flip(a), EXACT
        if kind in ("unique", "median", "shape", "real"):
            return getattr(np, kind)(a), kind != "median" and EXACT
        if kind == "imag":
            return (a.imag if a.dtype.kind == "c" else a.real), EXACT
        if kind == "diagonal":
            return a.diagonal(), EXACT
        if kind == "append":
            return np.append(a, self.number()), EXACT
        if kind == "repeat":
            return a.repeat(r.randint(0, 3), axis=r.choice((None, 0, -1))), EXACT
        if kind == "power":
            return np.power(a if a.dtype != bool else 3, r.choice((2, 2.0, 3))), False
        if kind == "conj":
            return a.conj(), EXACT
        if kind == "put":
            np.put(a, [0, -1, r.randrange(-a.size, a.size) if a.size else 0], r.randint(0, 9))
        elif kind == "fill":
            a.fill(r.randint(0, 9))
        else:
            np.fill_diagonal(a, r.choice((3, a.flat[0])))
        return a, EXACT

    def step_spread(self):
        a, r = self.any(lambda a: a.dtype not in ("float16", "complex64", "complex128", "float32")), self.r
        if r.random() < 0.4:
            return getattr(self.np, r.choice(("std", "var")))(a, axis=r.choice((0, -1)), ddof=r.choice((0, 1)), keepdims=r.random() < 0.3), False
        if r.random() < 0.2:
            return getattr(self.np, r.choice(("sum", "max", "mean")))([a, a], axis=r.choice((0, None))), False
        return getattr(self.np, self.r.choice(("std", "var", "ptp", "trace")))(a), False

    def step_read(self):
        a = self.any()
        kind = self.r.randrange(4)
        if kind == 0:
            return numpy.array(a.tolist()).shape, EXACT
        if kind == 1:
            return repr(list(a.flat if a.dtype.kind == "c" else a.reshape(-1)[:3])), EXACT
        return (float(a.reshape(-1)[0]) if a.dtype.kind != "c" else complex(a.reshape(-1)[0])), EXACT

    def run(self, steps):
        """The steps, with what came of each; at the end, what became of the arrays."""
        names = [name for name in dir(self) if name.startswith("step_")]
        for _ in range(steps):
            name = self.r.choice(names)
            exact = False
            try:
                made, exact = getattr(self, name)()
            except ERRORS as error:
                made = type(error).__name__
            if hasattr(made, "strides") and getattr(made, "ndim", 0) and 0 < made.size <= 5000 and made.ndim < 5:
                if exact and self.kept(made):
                    self.pool.append(made)
                if len(self.pool) > 12:
                    self.pool.pop(self.r.randrange(12))
            yield name, made
        for a in self.pool:
            yield "pool", a

    def kept(self, made):
        values = numpy.asarray(made)
        if values.dtype.kind in "biu":
            return values.size == 0 or (values.astype(float) < 1e5).all()
        return bool(
            numpy.isfinite(values).all()
            and (abs(values) < 1e4).all()
            and (values * 64 == numpy.round(values * 64)).all()
        )


def run(np, seed, steps):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield from Program(np, seed).run(steps)


def steps(array):
    """The strides of axes along which there is a step."""
    return [stride for stride, extent in zip(array.strides, array.shape, strict=True) if extent > 1]


def told(made):
    """A result in one line, with its bits."""
    if hasattr(made, "dtype"):
        value = numpy.asarray(made)
        return f"{value.dtype} {made.shape} {steps(made)} {type(made).__name__} {value.tobytes().hex()}"
    return repr(made)


if __name__ == "__main__":
    import sys

    import weft

    for first in sys.argv[2:]:
        for number, (name, made) in enumerate(run(weft, int(first), int(sys.argv[1]))):
            print(first, number, name, told(made))
