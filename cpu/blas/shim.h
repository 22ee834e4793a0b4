// The C side of package blas: it loads a library and calls Fortran routines in it, and knows
// nothing else.
#ifndef WEFT_BLAS_SHIM_H
#define WEFT_BLAS_SHIM_H
#include <stdint.h>

// An argument of a Fortran routine, all of which are passed by address.
enum { WEFT_ADDRESS, WEFT_INT, WEFT_CHAR, WEFT_INFO };
typedef struct {
	int64_t kind;
	uint64_t bits; // the address, the integer, or the character; WEFT_INFO: the integer that came back
} weft_arg;

#define WEFT_MAX_ARGS 20

// weft_open loads a library; private_copy loads one of its own from a copy in memory, with
// OPENBLAS_CORETYPE set to coretype unless that is empty. NULL is no, and the reason in why.
void *weft_open(const char *path, int private_copy, const char *coretype, char *why, int n);
void *weft_symbol(void *library, const char *name);
const char *weft_file(void *symbol); // the file that a symbol is from
void weft_blas_call(void *routine, weft_arg *args, int n);
int weft_blas_watched(void *routine, weft_arg *args, int n); // the same; gives the floating-point flags that this thread's part raised, which are afterwards as they were

// Where an operand of a stack's calls begins: argument which, so many bytes behind the one of the call before.
enum { WEFT_STEPS = 3 };
typedef struct {
	int64_t which[WEFT_STEPS], by[WEFT_STEPS];
} weft_blas_steps;

// weft_blas_stack calls a routine so many times, and says which flags that raised where it is watched.
int weft_blas_stack(void *routine, weft_arg *args, int n, int64_t calls, const weft_blas_steps *steps, int watched);

// Calls of one routine that differ in how many units they have of all, and in where two operands begin.
typedef struct {
	void *routine;
	weft_arg args[WEFT_MAX_ARGS];
	int64_t n;                // arguments
	int64_t count, from, to;  // which of them is the number of units, and which are the operands
	int64_t reads, writes;    // bytes from unit to unit
	int64_t all, most;        // units, and those of one call
} weft_blas_parts;

// weft_blas_part makes call i; of is a weft_blas_parts.
void weft_blas_part(void *of, int64_t i);

// The functions of OpenBLAS that are no Fortran.
const char *weft_text(void *function);
void weft_set(void *function, int n);
int weft_get(void *function);

// weft_avx512 reports whether the processor and the system have AVX-512 as Skylake-X has it.
int weft_avx512(void);
#endif
