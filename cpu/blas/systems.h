// Stacks of small square matrices, whose factorisations are calls of LAPACK that take less time than a call of C from Go.
#ifndef WEFT_BLAS_SYSTEMS_H
#define WEFT_BLAS_SYSTEMS_H
#include <stdint.h>

// Members are the matrices of a stack: step bytes from one to the next, down and right from row to row and from column to column.
typedef struct {
	char *p;
	int64_t step, down, right;
} weft_members;

// weft_solve_members solves count systems of n equations with so many right sides, elements being of 8 or 16 bytes. It returns the
// number of the first that is singular, or count. room is for n*(n+sides) elements and n integers.
int64_t weft_solve_members(void *getrf, void *getrs, int size, int64_t n, int64_t sides, int64_t count, weft_members a, weft_members b, weft_members x, char *room);

// weft_signs_and_logs finds the sign of the determinant of each of count matrices of float64, and the logarithm of its size.
void weft_signs_and_logs(void *getrf, int wide, int64_t n, int64_t count, weft_members a, weft_members sign, weft_members log, char *room);
#endif
