"""The limits of a launch, as those of CUDA devices."""

THREADS = 1024  # of a block
BLOCKS = 64  # that a multiprocessor has room for at once, more than any has
REGISTERS = 255  # of a thread
FREE = 128  # of a block whose threads may have as many registers as there are
BLOCK = (1024, 1024, 64)
GRID = (2**31 - 1, 65535, 65535)
SHARED = 48 << 10  # bytes of shared memory of a block
RESIDENT = 1 << 18  # threads of a launch whose blocks meet
