/* What the two halves of the fake driver know of each other.

     driver half                               machine half
     device.c, module.c, launch.c,             parse.c  PTX text to instructions
     streams.c, graph.c, plan.c, capture.c     forms.c  the table of instructions
     allocations.c, pools.c, pages.c,          check.c  the type rules of the PTX ISA
     copies.c, codes.c                         warp.c   lanes in lockstep, run.c blocks of a launch
       the cu... entry points
     state.c   what every call does first and last, handles
     queue.c, turns.c  queues, and which of them goes on
     arena.c   what lies where, touch.c what a lane may touch
     shadow.c  who wrote and read a byte
     faults.c, ledger.c
              fake_module_load ------------------->
              fake_run (on a queue's thread) ----->
              <------------------- fake_touch (each access of a lane)

   A device address is the host's own address of the byte, so that a pointer needs no translation; whether a kernel may touch it is the
   driver half's to say. Neither half knows how weft's emitter writes PTX: the rules are those of the PTX ISA, and of the driver API. */
#ifndef FAKE_H
#define FAKE_H

#include <stddef.h>
#include <stdint.h>

/* ---- the machine half ---- */

typedef struct fake_module fake_module; /* parsed and checked PTX */
typedef struct fake_kernel fake_kernel; /* one .entry of a module, owned by it */

/* Where a compilation writes what it has to say; either may be NULL with room 0. */
typedef struct {
	char *errors, *infos;
	size_t error_room, info_room;
} fake_logs;

/* fake_module_load parses and checks PTX for a device of compute capability cc (90 for sm_90). It returns a CUresult: 0; 218 with a line
   of ptxas's form ("ptxas application ptx input, line 3; error   : ...") in the error log; 222 for a .version that is too new;
   209 where .target is above cc. */
int fake_module_load(fake_module **m, const char *ptx, int cc, fake_logs logs);
void fake_module_free(fake_module *m);
const fake_kernel *fake_entry(const fake_module *m, const char *name); /* NULL where there is none */
const char *fake_entry_name(const fake_kernel *k);
size_t fake_param_count(const fake_kernel *k);
/* offset and size of parameter i in the parameter block, by the rules of alignment. */
void fake_param(const fake_kernel *k, size_t i, size_t *offset, size_t *size);
size_t fake_param_bytes(const fake_kernel *k); /* of the whole block */
uint32_t fake_shared_bytes(const fake_kernel *k); /* static */
void fake_max_threads(const fake_kernel *k, uint32_t n[3]); /* .maxntid; 0 where it says nothing */
int fake_registers(const fake_kernel *k);
/* fake_global returns a module variable's address, which is its device address, and size; 0 when it exists. The variables are the
   module's own memory: the machine half does not ask fake_touch about them. */
int fake_global(const fake_module *m, const char *name, void **at, size_t *bytes);

typedef struct {
	const fake_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared;     /* dynamic */
	const void *params;  /* fake_param_bytes of them; a copy that lives as long as the run */
	uint64_t seed;       /* in which order blocks and warps take turns */
	uint64_t launch;     /* its number, from 1: names the writer in shadow memory */
	int device;
	int cc;
} fake_launch;

/* fake_run runs a launch to its end on the calling thread and returns a CUresult: 0, or what a device would fail with: 700 illegal
   address, 716 misaligned address, 715 illegal instruction, 719 launch failure (a barrier that not all threads reach, a trap), 702 (too
   many turns: limit from FAKECUDA_TURNS). why gets a sentence: kernel, line of PTX, block, thread, address. stop is looked at now and then; a
   run whose *stop is not 0 ends with 719. instructions counts what lanes executed. */
int fake_run(const fake_launch *l, char *why, size_t room, const volatile int *stop, uint64_t *instructions);

/* ---- the driver half ---- */

enum { FAKE_READ = 1, FAKE_WRITE = 2, FAKE_ATOMIC = 4 };

/* Who touches memory: enough to tell two blocks of a launch apart. */
typedef struct {
	int device;
	uint64_t launch;
	uint32_t block;  /* linear */
	uint32_t thread; /* linear */
	uint32_t line;   /* of the PTX text */
	const fake_kernel *kernel;
} fake_who;

/* fake_touch asks whether n bytes at address may be touched by a kernel: inside one live allocation of that device (or mapped host
   memory, or a peer's with access enabled). It returns 0 or 700, and notes in the ledger: a read of bytes that nothing has written, a
   write that races with another block of the launch or with work on another queue that no event orders. The machine half has checked the
   alignment. It is called from several threads. FAKE_ATOMIC stands beside READ, WRITE or both, for atomics and for accesses that are
   .volatile, .relaxed, .acquire or .release: they do not race with each other. */
int fake_touch(const fake_who *who, uint64_t address, uint32_t n, int how);

#endif
