"""Names of kernels that are None on some paths: what plain Python makes of the same functions, thread by thread."""

import types

import numpy
import pytest
import weft
from weft import cuda
from weft.numba import vectorize


@cuda.jit(device=True)
def bump(a, i):
    if a[i, 0] < 0:
        return
    a[i, 0] += 1
    return a[i, 0]


@cuda.jit(device=True)
def first_unless_negative(row, n):
    for k in range(n):
        if row[k] < 0:
            return None
    return row[0]


@cuda.jit(device=True)
def five_unless_negative(row, n):
    for k in range(n):
        if row[k] < 0:
            return
        if row[k] == 5:
            return k
    return row[0]


@cuda.jit(device=True)
def position_of_two(row, n):
    k = 0
    while True:
        if row[k] == 2:
            return k
        k += 1
        if k == n:
            break


def of_a_call_as_a_statement(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        bump(a, i)
        out[i] = a[i, 0]


def of_arrays(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        if a[i, 0] > 0:
            x = None if a[i, 1] > 0 else a
        else:
            x = None if a[i, 2] > 0 else a
        y = None if a[i, 3] > 0 else a
        if a[i, 1] > 2:
            y = a
        out[i] = (1 if x is None else x[i, 4]) * 10 + (5 if y is None else 6)


def of_returns_in_loops(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        v = first_unless_negative(a[i], a.shape[1])
        w = five_unless_negative(a[i], a.shape[1])
        out[i] = (-1 if v is None else v) * 100 + (-2 if w is None else w)


def of_loops_that_break(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        v = position_of_two(a[i], a.shape[1])
        out[i] = -1 if v is None else v


def of_items(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        p = (0, None)
        q = None
        for k in range(a.shape[1]):
            p = (k, None)
            q = (k, None)
        out[i] = p[0] * 10 + q[0]


def of_tuples_that_turns_set(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        best = None
        pair = None
        s = 0
        for k in range(a.shape[1]):
            x = a[i, k]
            if x > 0 and (best is None or x < best[0]):
                best = (x, k)
            if pair is not None:
                u, v = pair
                s += u * v + pair[0]
            pair = (k, x)
        out[i] = s * 100 + (-1 if best is None else best[1])


def of_tuples_that_no_turn_sets(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        pair = None
        s = 0
        for _ in range(a.shape[1]):
            if pair is not None:
                s += pair[0]
        for k in range(a.shape[1]):
            for m in range(2):
                if pair is not None and m == 1:
                    s += pair[0] * pair[1]
            pair = (k, a[i, k])
        out[i] = s


def of_what_paths_have_found(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        v = None if a[i, 0] > 0 else a[i, 0]
        w = v or -1
        if v is None:
            v = 0
        out[i] = v * 10 + w


def of_loops_over_tuples(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        x = None if a[i, 0] > 0 else a[i, 0]
        y = None if a[i, 1] > 0 else a[i, 1]
        s = 0
        for v in (x, y):
            if v is not None:
                s += v
        out[i] = s


KERNELS = [value for name, value in list(globals().items()) if name.startswith("of_")]


class Threads:
    """What kernels ask cuda for, in plain Python."""

    def grid(self, _):
        return self.at


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_kernels_of(kernel):
    a = numpy.random.default_rng(0).integers(-3, 8, (200, 6))
    a[:3], a[3:80] = -1, abs(a[3:80])
    out = weft.zeros(len(a), int)
    cuda.jit(kernel)[2, 128](weft.array(a), out)
    want, threads = numpy.zeros(len(a), int), Threads()
    plain = {name: getattr(value, "py_func", value) for name, value in globals().items()}
    function = types.FunctionType(kernel.__code__, plain | {"cuda": threads})
    for threads.at in range(len(a)):
        function(a, want)
    assert out.tolist() == want.tolist()


def test_elements_of_what_paths_have_found():
    @vectorize
    def f(x):
        v = None if x > 0 else x
        if v is None:
            v = 100
        return v + 1

    assert f(weft.arange(-2, 3)).tolist() == [-1, 0, 1, 101, 101]
