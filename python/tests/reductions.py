"""The sums of blocks in shared memory, as a kernel: with the barriers between its steps, or without them."""

from weft import cuda
from weft.numba import float64

THREADS = 64


def sums_of_blocks(meets=True):
    def sums(x, out):
        s = cuda.shared.array(THREADS, float64)
        i, t = cuda.grid(1), cuda.threadIdx.x
        s[t] = x[i] if i < x.size else 0.0
        cuda.syncthreads()
        step = cuda.blockDim.x // 2
        while step > 0:
            if t < step:
                s[t] += s[t + step]
            if meets:
                cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x] = s[0]

    return sums
