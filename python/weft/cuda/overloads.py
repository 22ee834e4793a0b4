"""What a kernel has been compiled for: kernel.overloads, kernel.inspect_asm() and what else asks for one signature or for all."""

import collections
import sys

from .. import _core
from ..compiled import lacking, types
from ..compiled.errors import CudaAPIError
from . import directives, inspection, limits

Stats = collections.namedtuple("Stats", ["cache_path", "cache_hits", "cache_misses"])

_NO_LLVM = "; weft compiles without LLVM: this is the kernel in weft's own intermediate form, a program of threads\n"


class Overload:
    """A kernel for one signature."""

    def __init__(self, kernel, at, args):
        self._kernel, self._at, self.signature = kernel, at, types.Signature(types.void, args)

    def __repr__(self):
        return f"<kernel {self._kernel.__name__!r} for {self.signature}>"

    @property
    def argument_types(self):
        return self.signature.args

    def _described(self, capability=75):
        return inspection.described(self._kernel.number, self._at, self._kernel.launch_bounds, capability)

    @property
    def entry_name(self):
        """The kernel's name in its PTX."""
        return self._described()[1]

    def inspect_asm(self, cc=None) -> str:
        """Its PTX as threads. Where each thread writes elements of its own, launches fuse it with their neighbours."""
        return self._described(inspection.capability_of(cc))[0]

    inspect_lto_ptx = inspect_asm

    def inspect_llvm(self) -> str:
        """Its program in weft's own form: there is no LLVM."""
        return _NO_LLVM + self._described()[2]

    def inspect_sass(self) -> str:
        """The instructions of a device of compute capability 7.5, where NVIDIA's tools are at hand."""
        return inspection.disassembled(self.inspect_asm(), "-gi")

    def inspect_sass_cfg(self) -> str:
        """The graph of their control flow, in the language of Graphviz."""
        return inspection.disassembled(self.inspect_asm(), "-cfg")

    def inspect_types(self, file=None):
        """Print the function with the type of each name where it is set."""
        file = file or sys.stdout
        names = collections.defaultdict(list)
        for where, line, name, of in self._described()[5]:
            names[where, line].append(f"{name}: {of}")
        print(f"{self._kernel.__name__} {tuple(self.signature.args)}\n{'-' * 80}", file=file)
        where, first, source = self._kernel.source
        for line, text in enumerate(source.splitlines(), first):
            for named in names.pop((where, line), ()):
                print(f"{' ' * (len(text) - len(text.lstrip()))}#  {named}", file=file)
            print(text, file=file)
        for (other, line), called in names.items():
            print(f"# {other}, line {line}: {', '.join(called)}", file=file)

    @property
    def regs_per_thread(self) -> int:
        bounds = self._kernel.launch_bounds or limits.FREE
        made = inspection.described(self._kernel.number, self._at, bounds)
        loaded = inspection.occupancy(made[2], directives.threads_of(bounds))
        return loaded["Registers"] if loaded else inspection.registers(made[0])

    @property
    def shared_mem_per_block(self) -> int:
        return self._described()[3]

    @property
    def local_mem_per_thread(self) -> int:
        return self._described()[4]

    const_mem_size = 0  # constant arrays are parameters

    @property
    def max_threads_per_block(self) -> int:
        return directives.threads_of(self._kernel.launch_bounds)

    def __getattr__(self, name):
        raise lacking.error("Overload", name, repr(self) if "_kernel" in vars(self) else "an overload")

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0) -> int:
        """The most blocks of a launch whose blocks meet: as the GPU's driver has it, where there is a GPU that they meet on."""
        threads = 1
        for n in blockdim if isinstance(blockdim, tuple | list) else (blockdim,):
            threads *= int(n)
        if not 1 <= threads <= limits.THREADS:
            raise CudaAPIError(1, f"{self._kernel.__name__}: a block of {threads} threads; want 1 to {limits.THREADS}")
        loaded = inspection.occupancy(self._described()[2], threads, int(dynsmemsize))
        return loaded["Blocks"] if loaded else limits.RESIDENT // threads


class Inspected:
    """The methods of a kernel that tell of its overloads. It has number, source and launch_bounds."""

    @property
    def signatures(self):
        """What it has been compiled for: a tuple of types each."""
        return list(self.overloads)

    @property
    def nopython_signatures(self):
        """The same as signatures of functions that return nothing."""
        return [types.Signature(types.void, args) for args in self.overloads]

    @property
    def overloads(self):
        """An Overload for each tuple of types that it has been compiled for."""
        made = [tuple(map(types.of_name, args)) for args in _core.compiled("signatures", self.number)]
        return {args: Overload(self, at, args) for at, args in enumerate(made)}

    definitions = overloads

    @property
    def definition(self):
        """The Overload of a kernel that is specialized."""
        self._want_one("definition")
        return next(iter(self.overloads.values()))

    def _want_one(self, what):
        if not self.specialized:
            raise RuntimeError(f"{what} is that of kernels of one signature: {self.__name__} has {len(self.overloads)}")

    def _told(self, signature, tell):
        """What one signature's overload tells; that of the only one where it is specialized; otherwise a dict of all."""
        known = self.overloads
        if signature is not None:
            args = types.normalized(signature)[0]
            if args not in known:
                raise KeyError(f"{self.__name__} has not been compiled for {args}; it has been for {list(known)}")
            return tell(known[args])
        if self.specialized and len(known) == 1:
            return tell(next(iter(known.values())))
        return {args: tell(overload) for args, overload in known.items()}

    def inspect_asm(self, signature=None):
        """The PTX for a signature, or a dict of that for all."""
        return self._all(signature, Overload.inspect_asm)

    def inspect_llvm(self, signature=None):
        """The program for a signature, or a dict of that for all: weft's own form, since there is no LLVM."""
        return self._all(signature, Overload.inspect_llvm)

    inspect_lto_ptx = inspect_asm

    def __getattr__(self, name):
        raise lacking.error("Dispatcher", name, "a kernel")

    def inspect_sass(self, signature=None):
        """The machine's instructions for a signature, or a dict of these for all; needs ptxas and nvdisasm."""
        return self._all(signature, Overload.inspect_sass)

    def inspect_sass_cfg(self, signature=None):
        """The graph of their control flow."""
        return self._all(signature, Overload.inspect_sass_cfg)

    def _all(self, signature, tell):
        """As _told, but for a kernel of one signature a dict, too: what Numba's inspection gives."""
        if signature is not None:
            return self._told(signature, tell)
        return {args: tell(overload) for args, overload in self.overloads.items()}

    def inspect_types(self, file=None):
        """Print the function, for each signature, with the types of its names."""
        for overload in self.overloads.values():
            overload.inspect_types(file)

    def get_regs_per_thread(self, signature=None):
        """The registers of a thread in blocks of launch_bounds threads, or of at most 128: those of larger blocks have to share, and may get fewer.

        The GPU's driver knows them; without a GPU, NVIDIA's assembler counts them for compute capability 7.5."""
        return self._told(signature, lambda o: o.regs_per_thread)

    def get_const_mem_size(self, signature=None):
        """The bytes of constant memory."""
        return self._told(signature, lambda o: o.const_mem_size)

    def get_shared_mem_per_block(self, signature=None):
        """The bytes of a block's shared arrays, without those that a launch gives."""
        return self._told(signature, lambda o: o.shared_mem_per_block)

    def get_local_mem_per_thread(self, signature=None):
        """The bytes of a thread's own arrays."""
        return self._told(signature, lambda o: o.local_mem_per_thread)

    def get_max_threads_per_block(self, signature=None):
        """The most threads of a block."""
        return self._told(signature, lambda o: o.max_threads_per_block)

    @property
    def stats(self):
        """Counts of a cache of compiled kernels on disk, of which there is none: compiling takes less than reading one."""
        return Stats(None, {}, {})
