"""Draws of many numbers by NumPy's own methods on several processors, with the bits of one draw after the other.

Most of NumPy's distributions take as many numbers of the generator as they happen to need for an element, so that the place in the
stream where an element begins follows from all that come before it. But a draw that begins at a wrong place soon stands at a right one: as soon
as two draws stand at the same place of the stream, they go on alike. So each part begins where it is likely to, keeps the places between its
first elements, and the part before it draws on, one element after the other, until it stands at one of these.

    stream    |.........|.........|.........
    part 0    a b c d  e  f g h                     stands, after h, where part 1 stood after y
    part 1              x y i j  k l m n o p        x and y are dropped: the elements are a to h, and i to p

What is needed is a generator that can be moved on, and a distribution that takes whole numbers of 64 bits.
"""

import functools
import math
import os
import threading
import time

import numpy.random

from . import _unseeded, settings

LEAST = 1 << 17  # elements: fewer take less time than the parts' beginnings and ends
_WORTH = 4_000_000  # nanoseconds that a part takes, at least
_PILOT = 2048  # elements that tell how many numbers one takes, and how long
_WINDOW = 64  # elements at a part's begin whose places are kept, and
_WIDEST = 16 * _WINDOW  # how many where the part before it stands at none of them
_STEP = 12  # parts begin at multiples: many a method takes two numbers for each try, and would never meet one that begins between
_FREE = 1 << 16  # elements of a part of a draw without a seed
_MASK = (1 << 128) - 1


class _PCG:
    """A generator whose state is a number: each is the last one, times a constant, plus an increment."""

    def __init__(self, kind, multiplier):
        self.kind = kind
        self._multiplier = multiplier

    def at(self, bits):
        """What two generators of one stream have in common where they stand at the same place."""
        return bits["state"]["state"], bits["has_uint32"], bits["uinteger"]

    def distance(self, bits, others):
        """How many numbers come before others does where bits does; negative where others is behind."""
        at, to, add = bits["state"]["state"], others["state"]["state"], bits["state"]["inc"]
        times, count = self._multiplier, 0
        for bit in range(128):
            if at == to:
                break
            if (at ^ to) >> bit & 1:
                at = (at * times + add) & _MASK
                count |= 1 << bit
            times, add = times * times & _MASK, (times + 1) * add & _MASK
        return count - (1 << 128) if count >> 127 else count

    @staticmethod
    def move(generator, count):
        generator.advance(count)


class _Philox:
    """A generator whose state counts blocks of four numbers."""

    kind = numpy.random.Philox

    def move(self, generator, count):
        bits = generator.state
        blocks, rest = divmod(self._count(bits) + count - 4, 4)
        counter = numpy.array([blocks >> 64 * i & (1 << 64) - 1 for i in range(4)], numpy.uint64)
        generator.state = bits | {"state": bits["state"] | {"counter": counter}, "buffer_pos": 4}
        generator.random_raw(rest, output=False)

    def at(self, bits):
        return tuple(bits["state"]["counter"].tolist()), bits["buffer_pos"], bits["has_uint32"], bits["uinteger"]

    def distance(self, bits, others):
        return self._count(others) - self._count(bits)

    @staticmethod
    def _count(bits):
        words = bits["state"]["counter"].tolist()
        return 4 * sum(word << 64 * i for i, word in enumerate(words)) + bits["buffer_pos"]


_ALGORITHMS = {
    numpy.random.PCG64: _PCG(numpy.random.PCG64, 0x2360ED051FC65DA44385DF649FCCF645),
    numpy.random.PCG64DXSM: _PCG(numpy.random.PCG64DXSM, 0xDA942042E4DD58B5),
    numpy.random.Philox: _Philox(),
}
_ALGORITHMS[_unseeded.PCG64] = _ALGORITHMS[numpy.random.PCG64]


class _Stream:
    """A generator at some place of a stream, and a method of it."""

    def __init__(self, algorithm, bits, method, args, options):
        self._algorithm = algorithm
        self._generator = algorithm.kind(0)
        self._generator.state = bits
        self._draw = getattr(numpy.random.Generator(self._generator), method)
        self._args, self._options = args, options

    @property
    def bits(self):
        return self._generator.state

    def at(self):
        return self._algorithm.at(self._generator.state)

    def move(self, bits, count):
        """Stand count numbers behind bits; what of a number is left over stays."""
        self._generator.state = bits
        self._algorithm.move(self._generator, count)
        self._generator.state = self._generator.state | {"has_uint32": bits["has_uint32"], "uinteger": bits["uinteger"]}

    def before(self, bits):
        """How many numbers come before the place that bits tells of."""
        return self._algorithm.distance(self._generator.state, bits)

    def draw(self, count):
        return self._draw(*self._args, size=count, **self._options)


class _Part:
    """A part of a draw: what it drew, and where it stood between its first elements."""

    def __init__(self, stream):
        self.stream = stream
        self.made = []
        self.places = {}  # how many elements had been drawn at each of the first places
        self.dropped = 0  # elements at the begin that are none of the draw's

    def begin(self):
        for i in range(_WINDOW):
            self.places[self.stream.at()] = i
            self.made.append(self.stream.draw(1))

    def more(self, count):
        self.made.append(self.stream.draw(count))

    def look_again(self, stream):
        """Find more places, by a stream that begins where this part did."""
        for i in range(_WIDEST):
            self.places[stream.at()] = i
            stream.draw(1)

    def near(self, end, each):
        """Draw until there are few elements before the place end, where one takes so many numbers."""
        while True:
            left = self.stream.before(end) / each
            count = int(left - 5 * math.sqrt(max(0.0, left)) - 16)
            if count < _WINDOW:
                return
            self.more(count)

    def meet(self, other, far):
        """Draw until this stands where the next part stood between its first elements; False where it does not so soon."""
        for _ in range(far):
            found = other.places.get(self.stream.at())
            if found is not None:
                other.dropped = found
                return True
            self.made.append(self.stream.draw(1))
        return False

    def count(self):
        return sum(map(len, self.made)) - self.dropped

    def copy_to(self, view):
        """Put the elements that are the draw's into an array of as many."""
        skipped, at = self.dropped, 0
        for made in self.made:
            here = made[min(skipped, len(made)) :]
            skipped -= len(made) - len(here)
            view[at : at + len(here)] = here
            at += len(here)


def _processors():
    return settings.current()["cpus"] or len(os.sched_getaffinity(0))


def together(jobs):
    """Run functions on as many threads as there are processors. What they draw leaves the interpreter's lock to the others."""
    todo, errors = iter(jobs), []
    lock = threading.Lock()

    def work():
        while not errors:
            with lock:
                job = next(todo, None)
            if job is None:
                return
            try:
                job()
            except BaseException as error:
                errors.append(error)

    others = []
    try:
        for _ in range(min(_processors(), len(jobs)) - 1):
            others.append(threading.Thread(target=work, daemon=True))
            try:
                others[-1].start()
            except RecursionError:
                raise
            except RuntimeError:  # the system has no more threads: those that there are do all of it
                others.pop()
                break
        work()
        for thread in others:
            thread.join()
    except BaseException as error:  # an interrupt's
        errors.append(error)
        for thread in others:
            if thread.is_alive():  # until its job is done; one that has not begun finds the error
                thread.join()
        raise
    if errors:
        raise errors[0]


def draw(method, bit_generator, args, options, count, parts=None):
    """The parts of a draw of many elements, and leave the generator where NumPy would; None where NumPy has to draw all of it.

    method is the name of Generator's. parts says how many there are to be, for tests.
    """
    algorithm = _ALGORITHMS.get(type(bit_generator))
    processors = _processors()
    if algorithm is None or (parts is None and (count < LEAST or processors == 1)):
        return None
    with bit_generator.lock:
        state = algorithm.kind.state
        first = state.__get__(bit_generator)
        pilot = _Stream(algorithm, first, method, args, options)
        begun = time.perf_counter_ns()
        try:
            pilot.draw(_PILOT)
        except (MemoryError, RecursionError):
            raise
        except Exception:  # which NumPy raises for all of it
            return None
        took = (time.perf_counter_ns() - begun) / _PILOT
        after = pilot.bits
        if (after["has_uint32"], after["uinteger"]) != (first["has_uint32"], first["uinteger"]):
            return None  # it takes halves of numbers
        if parts is None:
            parts = min(2 * processors, int(count * took / _WORTH))
        each = algorithm.distance(first, after) / _PILOT
        if parts < 2 or each <= 0:
            return None
        made = _drawn(algorithm, first, method, args, options, count, parts, each)
        if made is not None:
            state.__set__(bit_generator, made[-1].stream.bits)
        return made


def draw_freely(method, bit_generator, args, options, count):
    """The parts of a draw by a generator without a seed, from which no certain numbers are due: each from a stream of its own, which begins far behind the others."""
    algorithm = _ALGORITHMS[type(bit_generator)]
    with bit_generator.lock:
        state = algorithm.kind.state
        first = state.__get__(bit_generator)
        parts, jobs = [], []
        for at in range(0, count, _FREE):
            stream = _Stream(algorithm, first, method, args, options)
            stream.move(first, len(parts) + 1 << 64)
            part = _Part(stream)
            parts.append(part)
            jobs.append(functools.partial(part.more, min(_FREE, count - at)))
        try:
            jobs[0]()
        except (MemoryError, RecursionError):
            raise
        except Exception:  # which NumPy raises for all of it
            return None
        together(jobs[1:])
        state.__set__(bit_generator, parts[-1].stream.bits)
        return parts


def _drawn(algorithm, first, method, args, options, count, number, each):
    """Draw by parts, each of which begins where it is likely to."""
    share = count // number

    def stream(i):
        made = _Stream(algorithm, first, method, args, options)
        made.move(first, round(i * share * each / _STEP) * _STEP)
        return made

    parts = [_Part(stream(i)) for i in range(number)]
    places = [part.stream.bits for part in parts]

    # What takes single elements is done here: threads that hand the interpreter's lock to each other at every element wait for it, more than they draw.
    for part in parts[1:]:
        part.begin()
    jobs = [functools.partial(part.near, places[i + 1], each) for i, part in enumerate(parts[:-1])]
    # How many are left for the last one turns out when all others are drawn.
    jobs.append(functools.partial(parts[-1].more, int(share * max(0.5, 0.96 - 0.01 * number))))
    together(jobs)
    for i in range(1, number):
        if parts[i - 1].meet(parts[i], 4 * _WINDOW):
            continue
        parts[i].look_again(stream(i))
        if not parts[i - 1].meet(parts[i], _WIDEST):  # the elements from here on have to be drawn one after the other
            return _rest(parts[:i], count)
    return _rest(parts, count)


def _rest(parts, count):
    """Draw what the parts lack of so many elements, behind the last of them that is not beyond all of these; None if the first one is."""
    while parts and sum(part.count() for part in parts) > count:
        parts = parts[:-1]
    if not parts:
        return None
    lacks = count - sum(part.count() for part in parts)
    if lacks:
        parts[-1].more(lacks)
    return parts


def fill(parts, view):
    """Put the elements of all parts into an array of NumPy's."""
    jobs, at = [], 0
    for part in parts:
        count = part.count()
        jobs.append(functools.partial(part.copy_to, view[at : at + count]))
        at += count
    together(jobs)
