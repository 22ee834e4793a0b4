"""What a kernel may name of cuda: the compiler knows these by name, and they mean nothing outside of kernels."""


class Intrinsic:
    """A function, or a part of the thread's place, that exists in kernels alone."""

    def __init__(self, name):
        self.compiled_name = f"cuda.{name}"

    def __repr__(self):
        return f"<{self.compiled_name}, for kernels>"

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            f"{self.compiled_name} is for kernels, which @cuda.jit compiles; it was called outside of one"
        )


class Axes(Intrinsic):
    """threadIdx and the like: .x, .y and .z."""

    x = property(Intrinsic.__call__)
    y = property(Intrinsic.__call__)
    z = property(Intrinsic.__call__)


threadIdx, blockIdx, blockDim, gridDim = map(Axes, ("threadIdx", "blockIdx", "blockDim", "gridDim"))
grid, gridsize, selp, cbrt = map(Intrinsic, ("grid", "gridsize", "selp", "cbrt"))
warpsize = 32


class Space(Intrinsic):
    """A name of which others hang: shared.array, atomic.add."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Space(f"{self.compiled_name.removeprefix('cuda.')}.{name}")


shared, local, const, atomic, libdevice, fp16, bf16, cg = map(
    Space, ("shared", "local", "const", "atomic", "libdevice", "fp16", "bf16", "cg")
)
syncthreads, syncthreads_count, syncthreads_and, syncthreads_or, syncwarp = map(
    Intrinsic, ("syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or", "syncwarp")
)
threadfence, threadfence_block, threadfence_system = map(
    Intrinsic, ("threadfence", "threadfence_block", "threadfence_system")
)
shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync = map(
    Intrinsic, ("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync")
)
all_sync, any_sync, eq_sync, ballot_sync, match_any_sync, match_all_sync = map(
    Intrinsic, ("all_sync", "any_sync", "eq_sync", "ballot_sync", "match_any_sync", "match_all_sync")
)
activemask, lanemask_lt, laneid, nanosleep = map(Intrinsic, ("activemask", "lanemask_lt", "laneid", "nanosleep"))
popc, clz, ffs, brev, fma, rsqrt = map(Intrinsic, ("popc", "clz", "ffs", "brev", "fma", "rsqrt"))
ldca, ldcg, ldcs, ldlu, ldcv = map(Intrinsic, ("ldca", "ldcg", "ldcs", "ldlu", "ldcv"))
stcg, stcs, stwb, stwt = map(Intrinsic, ("stcg", "stcs", "stwb", "stwt"))

# Vector types: float32x3 and the like, and the names that C has for them.
_NUMBERS = [f"{kind}{bits}x" for kind in ("int", "uint") for bits in (8, 16, 32, 64)] + ["float32x", "float64x"]
_C_NUMBERS = "char short int long longlong uchar ushort uint ulong ulonglong float double".split()
for _number in (*_NUMBERS, *_C_NUMBERS):
    for _n in "1234":
        globals()[_number + _n] = Intrinsic(_number + _n)
