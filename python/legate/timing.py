"""Legate's clock: it tells the time at which everything before it has run."""

import time as _time

import weft

__all__ = ("Time", "time")

_NANOSECONDS = {"us": 1000, "ns": 1}


class Time(int):
    """A point in time. The difference of two is a number."""

    @property
    def value(self) -> int:
        """The number."""
        return int(self)


def time(units: str = "us") -> Time:
    """The time in microseconds ("us") or nanoseconds ("ns"), once all array operations before have run."""
    if units not in _NANOSECONDS:
        raise ValueError(f'time() takes units "us" or "ns", got {units!r}')
    weft.sync()
    return Time(_time.perf_counter_ns() // _NANOSECONDS[units])
