"""Operations that stand alone between two waits, of random shapes: prints the bits of what each comes to, and with "count" how many were planned."""

import random
import sys
import warnings
import zlib

import numpy
import weft

OPERATIONS = [
    lambda np, x, y, k: np.abs(x), lambda np, x, y, k: x + y, lambda np, x, y, k: x > y, lambda np, x, y, k: x * 2.5, lambda np, x, y, k: np.isnan(y),
    lambda np, x, y, k: np.floor(x), lambda np, x, y, k: x / y, lambda np, x, y, k: k // 3, lambda np, x, y, k: k + k, lambda np, x, y, k: np.maximum(x, y),
    lambda np, x, y, k: x.astype(np.float32), lambda np, x, y, k: k.astype(float), lambda np, x, y, k: y.astype(np.int64), lambda np, x, y, k: x.copy(),
    lambda np, x, y, k: np.zeros(x.shape), lambda np, x, y, k: np.full(x.shape, 2.5), lambda np, x, y, k: np.ones_like(k), lambda np, x, y, k: x**2,
    lambda np, x, y, k: np.logical_and(x, k), lambda np, x, y, k: np.exp(x), lambda np, x, y, k: k[::-1].copy(), lambda np, x, y, k: x[1:] - y[:-1],
    lambda np, x, y, k: np.cumsum(k), lambda np, x, y, k: np.cumsum(k.reshape(-1)), lambda np, x, y, k: np.cumprod(k.reshape(-1) * 2 + 1), lambda np, x, y, k: np.append(x.reshape(-1), 1),
    lambda np, x, y, k: np.append(k.reshape(-1), 2.5), lambda np, x, y, k: np.append(k.reshape(-1), -7), lambda np, x, y, k: np.cumsum(x.reshape(-1)),
    lambda np, x, y, k: x + y[:1], lambda np, x, y, k: x[::2] * y[::2],
]  # fmt: skip


def results(np, operands, order):
    for turn in order:
        made = OPERATIONS[turn](np, *operands)
        weft.sync()
        yield made


def main(counts):
    choose, r = random.Random(11), numpy.random.default_rng(12)
    for _ in range(12):
        n = choose.choice([60_000, 131_073, 300_007, 900_001])
        shape = choose.choice([(n,), (n // 300, 300), (3, n // 3)])
        x, y, k = r.normal(size=shape), r.normal(size=shape), r.integers(-50, 50, shape)
        y.reshape(-1)[::999], x.reshape(-1)[::777] = numpy.nan, 0
        order = choose.sample(range(len(OPERATIONS)), 18)
        ours = [weft.array(v) for v in (x, y, k)]
        before = weft.stats()
        for turn, got, want in zip(order, results(weft, ours, order), results(numpy, (x, y, k), order), strict=True):
            got = numpy.asarray(got)
            assert (got.dtype, got.shape) == (want.dtype, want.shape), turn
            numpy.testing.assert_allclose(got, want, 1e-6, 1e-6, err_msg=str(turn))
            print(turn, zlib.crc32(got.tobytes()))
        after = weft.stats()
        if counts:
            print(after["operations"] - before["operations"] - after["small_operations"] + before["small_operations"])
    last = weft.array(x.reshape(-1)[:50_000])
    for _ in range(3):  # alone no more, and then again
        y = (last + 1) * 2 - last
        weft.sync()
        print(zlib.crc32(numpy.asarray(y).tobytes()))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main("count" in sys.argv)
