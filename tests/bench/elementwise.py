"""Maps: triad and Black-Scholes."""

import numpy

from .programs import Program

# ---- y = a*b + c ----


def triad_data(s):
    rng = numpy.random.default_rng(1)
    return tuple(rng.random(s.n).astype(s.dtype) for _ in range(3))


def triad(np, s):
    def run(a, b, c):
        return a * b + c

    return run


def triad_numexpr(ne, s):
    return lambda a, b, c: ne.evaluate("a*b + c")


def triad_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a, b, c):
        y = numpy.empty_like(a)
        for i in nb.prange(a.size):
            y[i] = a[i] * b[i] + c[i]
        return y

    return run


def triad_row(dtype, n, label, calls, quick):
    bits = numpy.dtype(dtype).itemsize * 8
    return Program(
        name=f"triad_f{bits}_{label}",
        title=f"triad f{bits} {label}",
        full={"n": n, "dtype": dtype},
        quick={"n": quick},
        tiny={"n": 1003},
        data=triad_data,
        plain=triad,
        peers={"numexpr": triad_numexpr, "numba": triad_numba, "jax": triad, "dask": triad},
        bytes=lambda s: 4 * s.n * numpy.dtype(s.dtype).itemsize,
        flops=lambda s: 2 * s.n,
        calls=lambda s: calls if s.n <= 1_000_000 else 1,
        # XLA and Numba's LLVM may contract to a fused multiply-add, so that the last bit differs.
        rtol=1e-6 if bits == 32 else 1e-14,
        limit=f"triad_f{bits}",
        versus="triad",
    )


# ---- Black-Scholes ----

RATE, VOLATILITY = 0.02, 0.30


def options(s):
    rng = numpy.random.default_rng(2)
    price, strike, years = rng.uniform(5, 30, s.n), rng.uniform(1, 100, s.n), rng.uniform(0.25, 10, s.n)
    return tuple(x.astype(s.dtype) for x in (price, strike, years))


def black_scholes(np, s):
    """Call and put prices; the normal distribution by Abramowitz and Stegun's formula 26.2.17."""

    def normal(d):
        k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
        poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * poly
        return np.where(d > 0, 1.0 - tail, tail)

    def run(price, strike, years):
        spread = VOLATILITY * np.sqrt(years)
        d1 = (np.log(price / strike) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / spread
        d2 = d1 - spread
        n1, n2 = normal(d1), normal(d2)
        discounted = strike * np.exp(-RATE * years)
        call = price * n1 - discounted * n2
        put = discounted * (1.0 - n2) - price * (1.0 - n1)
        return call, put

    return run


def black_scholes_numexpr(ne, s):
    def constant(x):
        return numpy.dtype(s.dtype).type(x)

    # numexpr counts a Python float as float64; constants of the arrays' type keep float32 what it is.
    names = {
        "half": 0.5, "one": 1.0, "k0": 0.2316419, "c1": 0.319381530, "c2": -0.356563782, "c3": 1.781477937,
        "c4": -1.821255978, "c5": 1.330274429, "norm": 0.3989422804014327, "vol": VOLATILITY, "minus_r": -RATE,
        "drift": RATE + 0.5 * VOLATILITY * VOLATILITY,
    }  # fmt: skip
    names = {name: constant(x) for name, x in names.items()}

    def normal(d):
        k = ne.evaluate("one / (one + k0 * abs(d))", {**names, "d": d})
        return ne.evaluate(
            "where(d > 0, one - norm*exp(-half*d*d)*(k*(c1 + k*(c2 + k*(c3 + k*(c4 + k*c5))))),"
            " norm*exp(-half*d*d)*(k*(c1 + k*(c2 + k*(c3 + k*(c4 + k*c5))))))",
            {**names, "d": d, "k": k},
        )

    def run(price, strike, years):
        local = {**names, "S": price, "X": strike, "T": years}
        d1 = ne.evaluate("(log(S / X) + drift * T) / (vol * sqrt(T))", local)
        d2 = ne.evaluate("d1 - vol * sqrt(T)", {**local, "d1": d1})
        local.update(n1=normal(d1), n2=normal(d2))
        call = ne.evaluate("S*n1 - X*exp(minus_r*T)*n2", local)
        put = ne.evaluate("X*exp(minus_r*T)*(one - n2) - S*(one - n1)", local)
        return call, put

    return run


def black_scholes_numba(nb, s):
    f = numpy.dtype(s.dtype).type
    half, one, rate, vol = f(0.5), f(1), f(RATE), f(VOLATILITY)
    drift = f(RATE + 0.5 * VOLATILITY * VOLATILITY)
    k0, norm = f(0.2316419), f(0.3989422804014327)
    c1, c2, c3, c4, c5 = (f(x) for x in (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429))

    @nb.njit
    def normal(d):
        k = one / (one + k0 * abs(d))
        tail = norm * numpy.exp(-half * d * d) * (k * (c1 + k * (c2 + k * (c3 + k * (c4 + k * c5)))))
        return one - tail if d > 0 else tail

    @nb.njit(parallel=True)
    def run(price, strike, years):
        call, put = numpy.empty_like(price), numpy.empty_like(price)
        for i in nb.prange(price.size):
            spread = vol * numpy.sqrt(years[i])
            d1 = (numpy.log(price[i] / strike[i]) + drift * years[i]) / spread
            n1, n2 = normal(d1), normal(d1 - spread)
            discounted = strike[i] * numpy.exp(-rate * years[i])
            call[i] = price[i] * n1 - discounted * n2
            put[i] = discounted * (one - n2) - price[i] * (one - n1)
        return call, put

    return run


def black_scholes_row(dtype):
    bits = numpy.dtype(dtype).itemsize * 8
    return Program(
        name=f"black_scholes_f{bits}",
        title=f"Black-Scholes f{bits}",
        full={"n": 10_000_000, "dtype": dtype},
        quick={"n": 2_000_000},
        tiny={"n": 1001},
        data=options,
        plain=black_scholes,
        peers={
            "numexpr": black_scholes_numexpr, "numba": black_scholes_numba, "jax": black_scholes, "dask": black_scholes,
        },  # fmt: skip
        bytes=lambda s: 5 * s.n * numpy.dtype(s.dtype).itemsize,
        # Absolute as well: the difference of two prices cancels where an option is worth nothing.
        rtol=1e-4 if bits == 32 else 1e-10,
        atol=2e-4 if bits == 32 else 1e-10,
        limit=f"black_scholes_f{bits}",
    )


PROGRAMS = [
    triad_row("float64", 10_000, "1e4", 500, 10_000),
    triad_row("float64", 1_000_000, "1e6", 10, 1_000_000),
    triad_row("float64", 50_000_000, "5e7", 1, 20_000_000),
    triad_row("float32", 10_000, "1e4", 500, 10_000),
    triad_row("float32", 1_000_000, "1e6", 10, 1_000_000),
    triad_row("float32", 50_000_000, "5e7", 1, 20_000_000),
    black_scholes_row("float64"),
    black_scholes_row("float32"),
]
