"""What lines of a program do that arrays are slow at, and the better form: weft.advice().

    print(weft.advice())              # after a run, by what the runtime counts anyway
    with weft.profile.counting():     # single elements too, whose reads are otherwise not counted
        program()
    print(weft.advice())

Nothing is measured: lines are told by how often they do what. What takes its time is in %%prof.
"""

import json

from . import _core, _coverage, _fallback

OFTEN = 1000  # times that a line does something to few elements, from which on it is a loop over elements
FEW = 64  # elements of a result, up to which the call costs more than the elements
GROWS = 50  # times that a line joins arrays, from which on it makes one array bit by bit
ASKS = 100  # times that a line waits for a number
GATHERED = 1 << 24  # bytes that a line hands to NumPy

_JOINS = {"append", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack", "insert", "splice", "block", "resize"}
_DRAWS = {"random"}


class Advice:
    """What to change, the most frequent first. items lists (place, what the line does, the better form, how often)."""

    def __init__(self, items):
        self.items = sorted(items, key=lambda item: -item[3])

    def __repr__(self):
        if not self.items:
            return "nothing to change: no line loops over elements, joins arrays bit by bit, or hands much to NumPy"
        return "\n".join(f"{place}: {does}\n    better: {better}" for place, does, better, _ in self.items)


def advice() -> Advice:
    """Look at what the lines of the program did since its start."""
    _core.start()
    told = json.loads(_core.query("acts"))
    made = _coverage.Coverage({}, _fallback._counts, ())
    return Advice([*_reads(told["reads"]), *_acts(told["acts"]), *_joins(told["acts"], made.sites), *_gathers(made)])


def _reads(rows):
    """Lines that read or write single elements, or ask for numbers."""
    for row in rows:
        n = row["reads"] + row["writes"]
        if n >= OFTEN:
            does = " and ".join(f"{key} {row[key]:,}" for key in ("reads", "writes") if row[key]) + " single elements"
            yield row["place"], does, "one expression over the whole array, with slices for neighbours: a[1:] - a[:-1]; np.where for an if", n
        if row["values"] >= ASKS:
            does = f"asks {row['values']:,} times for a number of an array, and waits for it"
            yield row["place"], does, "keep it an array (axis= for several), or look at it every so many steps: until then nothing has to wait", row["values"]


def _acts(rows):
    """Lines that compute with few elements very often."""
    most = {}
    for row in rows:
        if row["calls"] < OFTEN or not 0 <= row["elements"] <= FEW or row["name"] in _JOINS:
            continue
        at = most.setdefault(row["place"], [0, [], 0])
        at[0] = max(at[0], row["calls"])
        at[1].append(row["name"])
        at[2] = max(at[2], row["elements"])
    for place, (calls, names, elements) in most.items():
        does = f"calls {', '.join(sorted(set(names))[:4])} {calls:,} times, for {elements or 1} element{'s' if elements > 1 else ''} each"
        better = "draw all at once: rng.random(n)" if _DRAWS.issuperset(names) else "one more axis: a single call for what all turns of the loop compute"
        yield place, does, better, calls


def _joins(rows, sites):
    """Lines that make an array longer bit by bit."""
    counts = {}
    for place, name, calls in (*((row["place"], row["name"], row["calls"]) for row in rows), *((place, name, calls) for name, place, calls, _ in sites)):
        if name in _JOINS:
            counts[place, name] = max(calls, counts.get((place, name), 0))
    for (place, name), calls in counts.items():
        if calls >= GROWS:
            does = f"joins arrays {calls:,} times ({name}), each time with a copy of all there is"
            yield place, does, "pieces.append(piece) in the loop and one np.concatenate(pieces) behind it, or an array of the full length that is filled", calls


def _gathers(made):
    """Lines that hand large arrays to NumPy."""
    for name, place, calls, reason in made.sites:
        size = made.handed.get((name, place), 0)
        if size >= GATHERED:
            yield place, f"hands {size / 1e6:,.0f} MB to NumPy ({name}, {calls:,} times), which waits for them", _coverage.better(name, reason), calls
