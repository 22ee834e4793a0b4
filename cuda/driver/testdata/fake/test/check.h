/* What the tests of the machine half share. */
#ifndef CHECK_H
#define CHECK_H

#include "../fake.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int failures;

/* What kernels may touch in a test: one array of bytes. */
extern uint8_t touchable[1 << 17];

typedef struct {
	int rc;
	char why[512], log[4096];
	uint64_t lanes;
} outcome;

/* run_text loads a module and runs its entry "k" with one parameter, the address of touchable. */
outcome run_text(const char *text, uint32_t grid, uint32_t block, uint32_t shared, uint64_t seed);

void fail(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

const char *single_code(size_t i); /* of the table; NULL after the last */
void single_text(const char *code, char *text, size_t room); /* a module that runs it on operands 32 bytes apart */

void test_single(void);
void test_refused(void);
void test_together(void);
void test_faults(void);
void test_random(void);
void load_file(const char *name);

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY ".visible .entry k(.param .u64 p)\n{\n"                                              \
	".reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<30>;\n.reg .b64 %l<30>;\n.reg .f32 %f<20>;\n.reg .f64 %d<20>;\n" \
	"ld.param.u64 %l1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %l2, %r1, 4;\nadd.u64 %l3, %l1, %l2;\n"
/* %l1 is the array, %r1 the thread, %l3 the thread's word in it. */

#endif
