"""numexpr: expressions over arrays of the frame that calls it."""

import numexpr as ne
import numpy as np

a, b = np.arange(10_000.0), np.linspace(0, 1, 10_000)
m = np.arange(12).reshape(3, 4)
print(ne.evaluate("2*a + b**2").sum().round(5), ne.evaluate("sin(a)*cos(b)")[:3].round(6), ne.evaluate("(a > 5) & (b < 0.5)").sum())
print(ne.evaluate("where(a > 3, a, -1)")[:6], ne.evaluate("sum(a*b)").round(4), ne.evaluate("m * 2 + 1"), ne.evaluate("m % 3"))
out = np.empty_like(a)
ne.evaluate("a * 3", out=out)
print(out[:3], ne.evaluate("x + y", {"x": a[:3], "y": np.float64(2)}), ne.evaluate("exp(1j*b)")[0], ne.evaluate("a / 3", local_dict={"a": np.arange(3)}).round(5), isinstance(out, np.ndarray))
print(ne.NumExpr("q*2 + 1")(a[::2])[:3], ne.evaluate("a + b", order="K").dtype, ne.re_evaluate(local_dict={"a": b, "b": b})[:2].round(6))
