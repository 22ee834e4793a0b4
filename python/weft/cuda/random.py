"""Random numbers in kernels: the generator xoroshiro128p with Numba's seeding, so that the numbers are the same.

    states = create_xoroshiro128p_states(blocks * threads, seed=1)

    @cuda.jit
    def kernel(states, out):
        i = cuda.grid(1)
        out[i] = xoroshiro128p_uniform_float32(states, i)
"""

import math

import numpy

from ..compiled.operands import ours
from .dispatch import jit
from .records import DeviceRecords

xoroshiro128p_dtype = numpy.dtype([("s0", numpy.uint64), ("s1", numpy.uint64)], align=True)

_MASK = (1 << 64) - 1
_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)  # the polynomial of 2**64 steps
_PI_32, _PI_64 = numpy.float32(2 * math.pi), 2 * math.pi


@jit(device=True)
def rotl(x, k):
    """x with its bits turned left by k."""
    return (x << k) | (x >> (64 - k))


@jit(device=True)
def init_xoroshiro128p_state(states, index, seed):
    """Set a state to that of a seed: both of its words are what SplitMix64 gives, as in _seeded."""
    z = numpy.uint64(seed) + numpy.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    z = z ^ (z >> numpy.uint64(31))
    states[index]["s0"] = z
    states[index]["s1"] = z


@jit(device=True)
def xoroshiro128p_next(states, index):
    """The next number of a state, a uint64, which moves the state on."""
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    result = s0 + s1
    s1 ^= s0
    states[index]["s0"] = rotl(s0, 55) ^ s1 ^ (s1 << 14)
    states[index]["s1"] = rotl(s1, 36)
    return result


@jit(device=True)
def xoroshiro128p_jump(states, index):
    """Move a state on by 2**64 numbers."""
    s0 = numpy.uint64(0)
    s1 = numpy.uint64(0)
    for i in range(2):
        for b in range(64):
            if (_JUMP[i] >> numpy.uint64(b)) & numpy.uint64(1) != 0:
                s0 ^= states[index]["s0"]
                s1 ^= states[index]["s1"]
            xoroshiro128p_next(states, index)
    states[index]["s0"] = s0
    states[index]["s1"] = s1


@jit(device=True)
def uint64_to_unit_float64(x):
    """A number from 0 up to 1 of the upper 53 bits."""
    return (x >> 11) * (1.0 / (1 << 53))


@jit(device=True)
def uint64_to_unit_float32(x):
    """The same as a float32, which may be 1."""
    return numpy.float32(uint64_to_unit_float64(x))


@jit(device=True)
def xoroshiro128p_uniform_float32(states, index):
    """A float32 from 0 to 1, uniformly distributed."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@jit(device=True)
def xoroshiro128p_uniform_float64(states, index):
    """A float64 from 0 up to 1, uniformly distributed."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


@jit(device=True)
def xoroshiro128p_normal_float32(states, index):
    """A float32, normally distributed with mean 0 and standard deviation 1: one of the two of Box and Muller."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(numpy.float32(-2) * math.log(u1)) * math.cos(_PI_32 * u2)


@jit(device=True)
def xoroshiro128p_normal_float64(states, index):
    """A float64, normally distributed with mean 0 and standard deviation 1, of two uniform float32 as in Numba."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-2.0 * math.log(u1)) * math.cos(_PI_64 * u2)


def _seeded(seed):
    """The word of SplitMix64 that a seed gives: both words of the first state."""
    z = (seed + 0x9E3779B97F4A7C15) & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


def _step(state):
    """The state one number on; of 128 bits, s0 in the lower half."""
    s0, s1 = state & _MASK, state >> 64
    s1 ^= s0
    turned = (s0 << 55 | s0 >> 9) & _MASK
    return turned ^ s1 ^ (s1 << 14) & _MASK | ((s1 << 36 | s1 >> 28) & _MASK) << 64


def _jumped(state):
    """The state 2**64 numbers on."""
    made = 0
    for word in _JUMP:
        for b in range(64):
            if word >> b & 1:
                made ^= state
            state = _step(state)
    return made


def _times(matrix, state):
    """A state that a linear map makes of one: of the map's columns."""
    made = 0
    while state:
        low = state & -state
        made ^= matrix[low.bit_length() - 1]
        state ^= low
    return made


def _all_times(matrix, s0, s1):
    """The map of many states."""
    halves = numpy.zeros_like(s0), numpy.zeros_like(s1)
    for b, column in enumerate(matrix):
        chosen = -((s1 if b >= 64 else s0) >> numpy.uint64(b % 64) & numpy.uint64(1))
        for half, shift in zip(halves, (0, 64), strict=True):
            half ^= chosen & numpy.uint64(column >> shift & _MASK)
    return halves


def _states(n, seed, subsequence_start):
    """The words of n states that are 2**64 numbers apart. Jumps are linear: each round doubles how many there are."""
    jump = [_jumped(1 << b) for b in range(128)]
    first, start, power = _seeded(int(seed) & _MASK) * (1 | 1 << 64), int(subsequence_start), jump
    while start:
        if start & 1:
            first = _times(power, first)
        start >>= 1
        if start:
            power = [_times(power, column) for column in power]
    words = [numpy.array([first >> shift & _MASK], numpy.uint64) for shift in (0, 64)]
    while len(words[0]) < n:
        more = _all_times(jump, *words)
        words = [numpy.concatenate(pair) for pair in zip(words, more, strict=True)]
        jump = [_times(jump, column) for column in jump]
    return [w[:n] for w in words]


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0) -> DeviceRecords:
    """n states on the device for as many threads, 2**64 numbers apart; the first is subsequence_start such jumps on."""
    s0, s1 = _states(n, seed, subsequence_start)
    return DeviceRecords(xoroshiro128p_dtype, {"s0": ours(s0, "the states"), "s1": ours(s1, "the states")})


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0) -> None:
    """Set states, on the device or not, to those of a seed."""
    s0, s1 = _states(len(states), seed, subsequence_start)
    if isinstance(states, DeviceRecords):
        states.fields["s0"][...], states.fields["s1"][...] = s0, s1
    else:
        states["s0"], states["s1"] = s0, s1
