"""What weft computed of a run and what NumPy did, by line of the program, and what to change: what weft.coverage() returns."""

import functools
import json

from . import _core, _fallback


class Coverage:
    """How often weft did a function itself, and how often NumPy did.

    native and fallback map names to calls; sites lists (name, place, calls, reason) for
    each place in the program's code, the most frequent first; seconds and handed map (name, place) to the time that NumPy took, and to
    the bytes that it was handed, where that is known.

    Which of the two did a draw can depend on the machine: many numbers are drawn in parts on all processors, in no table, where that takes long
    enough to be worth it there, and by NumPy's loop, in fallback, where it does not.
    """

    def __init__(self, native, counts, few, names=dict):
        self._names = names
        self.native = dict(sorted(native.items(), key=lambda item: -item[1]))
        self.fallback = {}
        self.sites = []
        self.seconds, self.handed = {}, {}
        for (name, file, line), (calls, reason, took, size) in counts.items():
            at = _fallback.place(file, line)
            self.fallback[name] = self.fallback.get(name, 0) + calls
            self.sites.append((name, at, calls, reason))
            self.seconds[name, at] = took / 1e9
            self.handed[name, at] = size
        for name, where, calls in few:
            self.fallback[name] = self.fallback.get(name, 0) + calls
            self.sites.append((name, where, calls, _fallback.FEW))
        self.sites.sort(key=lambda site: -site[2])

    @functools.cached_property
    def names(self):
        """The callable names of NumPy by namespace and class: native, composed, unseeded, fallback, apart. See weft.covered."""
        return self._names()

    def report(self):
        """What NumPy computed at which line of the program, and what to change: a text. What took most time stands first."""
        return report(self)

    def __repr__(self):
        done, left = sum(self.native.values()), sum(self.fallback.values())
        total = done + left
        lines = [f"{done} calls native, {left} by NumPy" + (f" ({done / total:.1%} native)" if total else "")]
        lines += [f"  weft   {calls:8} x {name}" for name, calls in self.native.items()]
        for name, where, calls, reason in self.sites:
            lines.append(f"  NumPy  {calls:8} x {name}  at {where}" + (f": {reason}" if reason else ""))
        return "\n".join(lines)


def coverage(names=dict):
    """What coverage() of the package returns. names() is to give the names of NumPy, with who computes them."""
    _core.start()
    # The last are the calls with few elements that NumPy answered, by name and place.
    return Coverage(json.loads(_core.query("counts")), _fallback._counts, json.loads(_core.query("delegated")), names)


# The better form of what NumPy computes whatever its arguments are; names end with a dot for all of a module.
_BETTER = {
    "apply_along_axis": "call the function once, with axis=, or write it over the whole array",
    "vectorize": "write the function over arrays, with np.where for its ifs: it is called for every element",
    "frompyfunc": "write the function over arrays, with np.where for its ifs: it is called for every element",
    "fromiter": "make the array by arange, linspace and an expression",
    "ndarray.tolist": "keep the array: lists are read element by element",
    "ndarray.tofile": "nothing: files are the host's",
    "linalg.tensorsolve": "np.linalg.solve of a matrix that reshape makes",
    "ma.": "np.where and the nan functions in place of masked arrays, which are NumPy's",
    "random.": "an unseeded np.random.default_rng() where the numbers need not be the same in each run: weft then draws on all processors",
    "strings.": "nothing: strings are NumPy's",
    "char.": "nothing: strings are NumPy's",
    "lib.scimath.": "np.sqrt(x.astype(complex)) and the like: what the result is then follows from no value",
}


def better(name: str, reason: str) -> str:
    """What to change where NumPy computes a function, for a reason that weft gives, or none."""
    if reason == _fallback.FEW:
        return "nothing, but for a loop: one call for all elements"
    for begin, form in _BETTER.items():
        if name == begin or begin.endswith(".") and name.startswith(begin):
            return form
    if reason:
        return f"weft has {name}, but not so: {reason}"
    return "nothing that weft knows of: it has no function of its own for this"


def report(made: Coverage) -> str:
    """What NumPy computed in a run, by line of the program, with what to change."""
    done, left = sum(made.native.values()), sum(made.fallback.values())
    lines = [f"{done:,} calls by weft, {left:,} by NumPy" + (", which took:" if left else "")]
    rows = [(made.seconds.get((name, place)), *site) for site in made.sites for name, place in [site[:2]]]
    for seconds, name, place, calls, reason in sorted(rows, key=lambda row: -(row[0] or 0)):
        took = f"{seconds * 1e3:.3g} ms" if seconds is not None else "not timed"
        lines.append(f"  {place}: np.{name}, {calls:,} x, {took}\n      {better(name, reason)}")
    return "\n".join(lines)
