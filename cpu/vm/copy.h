// vm_copy is memcpy, which copies a few kilobytes and more by one instruction of the processor (rep movsb). On AMD's that takes thirteen times as long
// where the destination is some bytes ahead of the source in the last twelve bits of its address, as if the one were read back before the other was
// written. Arrays begin at lines and pages, so that a shift by an element is just that: insert, roll, pad, a[1:] = b[:-1]. Other processors copy so in half of
// the time that the loop takes.
#ifndef WEFT_COPY_H
#define WEFT_COPY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define VM_REPEATS_SLOWLY __builtin_cpu_is("amd")
#else
#define VM_REPEATS_SLOWLY 0
#endif

static inline void vm_copy(void *to, const void *from, size_t n)
{
	enum { PAGE = 4096, AHEAD = 64, STEP = 64, SHORT = 1024 };
	typedef char step __attribute__((vector_size(STEP), aligned(1), may_alias));
	const size_t ahead = ((uintptr_t)to - (uintptr_t)from) % PAGE;
	char *d = (char *)to;
	const char *s = (const char *)from;
	if (n >= SHORT && ahead - 1 < AHEAD - 1 && VM_REPEATS_SLOWLY)
		for (; n >= STEP; n -= STEP, d += STEP, s += STEP) {
			*(step *)d = *(const step *)s;
			__asm__ volatile("" ::: "memory"); // or the compiler makes a memcpy of it
		}
	__builtin_memcpy(d, s, n);
}

#endif
