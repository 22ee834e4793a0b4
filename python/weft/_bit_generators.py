"""Bit generators whose numbers are known by their places, and how they move on.

weft draws from PCG64 and Philox by place (arrays/generator.go): it has to know where the generator stands,
and the generator has to go on as if NumPy had drawn. A state, as arrays/ takes it, is the algorithm's
name, how many halves of numbers come before the draw, and four words.

NumPy draws 32 bits as halves of numbers, the low one first, and keeps the half that is left over.
"""

import numpy.random

from . import _unseeded

_MASK = (1 << 64) - 1


class _PCG64:
    kind = numpy.random.PCG64

    @staticmethod
    def find(bits, half):
        at, inc = bits["state"]["state"], bits["state"]["inc"]
        if half:
            before = numpy.random.PCG64(0)
            before.state = bits
            at = before.advance(-1).state["state"]["state"]
            if int(before.random_raw()) >> 32 != bits["uinteger"]:
                return None
        return "PCG64", int(half), at >> 64, at & _MASK, inc >> 64, inc & _MASK

    @staticmethod
    def skip(bit_generator, bits, count):
        numpy.random.PCG64.advance(bit_generator, count)  # forgets what is left over
        if bits["uinteger"]:
            at = _PCG64.kind.state.__get__(bit_generator)["state"]
            _PCG64.kind.state.__set__(bit_generator, bits | {"state": at})


class _Philox:
    kind = numpy.random.Philox

    @staticmethod
    def find(bits, half):
        block, beyond, *counter = bits["state"]["counter"].tolist()
        at, key = bits["buffer_pos"], bits["state"]["key"]
        if beyond or not 0 < block < 1 << 60:  # arrays/ counts halves in 64 bits, and no further
            return None
        if half or at < 4:  # numbers that have been drawn already: they may be any draw's
            drawn = numpy.random.Philox(key=key, counter=[block - 1, 0, *counter]).random_raw(4)
            if at == 0 or (drawn[at - half :] != bits["buffer"][at - half :]).any():
                return None
            if half and int(drawn[at - 1]) >> 32 != bits["uinteger"]:
                return None
        return "Philox", 2 * (4 * block + at) - half, *counter, *key.tolist()

    @staticmethod
    def skip(bit_generator, bits, count):
        block, last = divmod(4 * int(bits["state"]["counter"][0]) + bits["buffer_pos"] + count - 1, 4)
        counter = bits["state"]["counter"].copy()
        counter[0] = block - 1  # NumPy counts before it draws
        _Philox.kind.state.__set__(bit_generator, bits | {"state": bits["state"] | {"counter": counter}, "buffer_pos": 4})
        bit_generator.random_raw(last + 1, output=False)  # the buffer is part of the state


_ALGORITHMS = {numpy.random.PCG64: _PCG64, _unseeded.PCG64: _PCG64, numpy.random.Philox: _Philox}


def known(bit_generator) -> bool:
    """Whether weft draws from this by place."""
    return type(bit_generator) in _ALGORITHMS


def find(bit_generator, halves=False):
    """The state from which the next numbers, or halves of them, come; None where weft cannot draw those.

    Unless the caller holds the generator's lock, it may have gone on.
    """
    algorithm = _ALGORITHMS.get(type(bit_generator))
    if algorithm is None:
        return None
    bits = algorithm.kind.state.__get__(bit_generator)
    return algorithm.find(bits, bool(halves and bits["has_uint32"]))


def skip(bit_generator, count, halves=False) -> None:
    """Move the generator on by count numbers, or halves of them. There are some."""
    algorithm = _ALGORITHMS[type(bit_generator)]
    bits = algorithm.kind.state.__get__(bit_generator)
    if not halves:
        algorithm.skip(bit_generator, bits, count)
        return
    count -= bits["has_uint32"]
    whole = (count - 1) // 2
    if whole:
        algorithm.skip(bit_generator, bits | {"has_uint32": 0, "uinteger": 0}, whole)
    elif bits["has_uint32"]:
        algorithm.kind.state.__set__(bit_generator, bits | {"has_uint32": 0, "uinteger": 0})
    # NumPy draws the last one or two itself, so that it keeps the same half.
    numpy.random.Generator(bit_generator).integers(1 << 32, size=count - 2 * whole, dtype=numpy.uint32)


def take(bit_generator, count, halves=False):
    """find, and skip where there is a state."""
    with bit_generator.lock:
        state = find(bit_generator, halves)
        if state is not None:
            skip(bit_generator, count, halves)
    return state
