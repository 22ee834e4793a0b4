"""What recording costs the programs of make bench: the same process, with recording on and off by turns.

A turn is some milliseconds, and four turns, on off off on or the other way round, are one comparison: what else happens on
the machine, and what drifts, meets both sides alike. The middle half of the comparisons is averaged: a median would leave out the
collector's cycles, which are in some turns only, and a mean would not leave out what else the machine did. "Off" leaves out the records, the looks at the clock for them, and
the log that graphs are made from.
"""

import json
import statistics
import sys
import time

from bench import libraries, programs

LEAST_TURN = 10e-3  # seconds: in shorter turns it shows that what was unused while recording was off has left the caches


class Contestant:
    """A program of make bench on weft's arrays."""

    def __init__(self, program, scale):
        self.weft = libraries.Weft()
        self.weft.setup()
        self.query = self.weft.module._core.query
        self.program, self.size = program, program.size(scale)
        self.run = self.weft.make(program, self.size)
        self.data = program.data(self.size)
        self.inputs = [self.weft.place(x) for x in self.data]
        self.calls = 1

    def turn(self, recorded):
        """Seconds of one turn, and how often recording looked at the clock."""
        calls = [self.inputs] * self.calls
        if self.program.written:
            calls = [[self.weft.place(x) if i in self.program.written else self.inputs[i] for i, x in enumerate(self.data)] for _ in calls]
        self.query("recording", "on" if recorded else "off")
        looks = self.weft.module.stats()["clock_looks"]
        start = time.perf_counter()
        for inputs in calls:
            self.weft.wait(self.run(*inputs))
        took = time.perf_counter() - start
        return took, self.weft.module.stats()["clock_looks"] - looks

    def ratio(self, seconds):
        """The time with recording by that without, from so many seconds' comparisons; looks at the clock for each second of it;
        and how many comparisons these were."""
        end = time.perf_counter() + seconds / 10
        took, _ = self.turn(True)
        while time.perf_counter() < end:  # until what there is to remember is known
            took = min(took, self.turn(True)[0])
        self.calls = max(1, int(LEAST_TURN / took))
        found, without, looks = [], 0.0, 0
        end = time.perf_counter() + seconds
        while len(found) < 5 or time.perf_counter() < end:
            order = (True, False, False, True) if len(found) % 2 else (False, True, True, False)
            times = {True: 0.0, False: 0.0}
            for recorded in order:
                took, looked = self.turn(recorded)
                times[recorded] += took
                looks += looked
            without += times[False]
            found.append(times[True] / times[False])
        self.query("recording", "on")
        quarter = len(found) // 4
        return statistics.fmean(sorted(found)[quarter : len(found) - quarter]), looks / without, len(found)


def main(arguments):
    scale, seconds, *only = arguments
    found = {}
    for p in programs.table():
        if not only or any(word in p.name for word in only):
            ratio, looks, turns = Contestant(p, scale).ratio(float(seconds))
            found[p.title] = {"share": ratio - 1, "looks": looks}
            print(f"{p.title:28} {100 * (ratio - 1):+6.2f} %  {turns} comparisons  {looks:9.0f} looks at the clock a second", file=sys.stderr, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
