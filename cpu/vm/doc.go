// Package vm is the block machine in C: the loops over elements that package cpu's programs are
// made of, and the walks over rows, blocks and lanes that call them. One call from Go runs a
// whole launch.
//
// It must not know package tile, programs, devices or buffers: it gets steps whose operands are
// addresses, and trusts them. Opcodes and dtypes are names to it.
//
// # Primitives
//
// A primitive computes n elements that lie side by side, for one opcode and dtype (table.h). Those
// that programs use most have more loops: for scalars among the operands, and for results
// that should not fill the caches. Any other arrangement is packed 128 elements at a time (steps.h),
// so that a stride costs a copy in the L1 cache, but never a second loop to write.
//
// # Strips
//
// A primitive reads its operands from the L1 cache and writes its result there, which for an addition
// takes several times as long as adding. A strip (strip.h, striptype.h, striprun.h) is a
// whole expression: a little program for a machine with three accumulators of 8 vectors each, which
// the compiler keeps in registers while a computed jump leads from one operation to the next.
// It costs a jump for each operation and 512 bytes, and so comes near to loops that a compiler
// made for the expression, without a compiler.
//
// # Instruction sets
//
// The headers are the bodies; base.c, v3.c and v4.c compile them once for each instruction
// set. Plain C is what every processor runs. All give the same bits: nothing is
// contracted (-std=c11 means that), and vectors follow the lanes of the canonical order.
//
// # Elementary functions
//
// functions64.h and its neighbours are our own exp, log, sin and the rest: branch-free bodies of
// IEEE operations and fused multiply-adds, which the loops around them inline and vectorise.
// elementary.h makes the primitives. Package cuda/ptx emits the same steps, and cpu/ACCURACY.md
// states the errors. Large angles are computed one at a time (angles64.h).
//
// # Control flow
//
// Some steps are jumps, which the machine takes for a whole block of lanes, or gathers, which check
// every index (flow.h). They are the only ones after which a launch may end before its time; its
// Fault says why.
//
// # Memory
//
// The caller owns everything that a Launch points to. It is mapped memory outside the Go heap,
// as the rules of cgo demand of pointers within pointers. The machine allocates nothing.
package vm
