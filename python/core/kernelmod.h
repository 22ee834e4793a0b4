// The module functions of the Jupyter kernel; see kernelmod.c.
#ifndef WEFT_KERNELMOD_H
#define WEFT_KERNELMOD_H

#include <stddef.h>
#include <stdint.h>

// A piece of bytes that was allocated with malloc; the receiver frees it.
typedef struct {
	char *data;
	size_t size;
} weft_bytes;

// One request for the evaluator, as weft._core.kernel_next hands it to Python.
typedef struct {
	uint64_t handle;
	weft_bytes shell, type, content, metadata, parent;
	weft_bytes *buffers;
	size_t nbuffers;
} weft_request;

// What goKernelNext and goKernelAwaitInput return.
enum { WEFT_DONE = 0, WEFT_WOKEN = 1, WEFT_END = 2, WEFT_FAILED = 3 };

// Sends the signal to the thread that called kernel_start: Python's main thread.
int weft_interrupt_main(void);

// Ends the system call that this thread waits in, if any, so that Python looks for signals.
int weft_nudge_main(void);

// Of ending.c. Names a file that a signal which ends the process removes; and begins to watch for these signals. crash is the
// path of a file that is removed if it is empty, or "".
void weft_at_end(const char *path);
void weft_end_cleanly(const char *crash);

// Of text.c. Takes what is collected, and returns whether it is of stderr; its bytes are the caller's to free. The caller
// says when it has published them.
int weft_text_take(weft_bytes *taken, uint64_t *handle);
void weft_text_left(void);

// Hands what is collected to Go, before output of another kind, and waits until it is published. Called with the interpreter's lock.
void weft_text_drain(void);

// The ends of the pipes that what is written to descriptors 1 and 2 comes from; -1 and errno where they cannot be watched.
int weft_text_pipes(int out, int err);
void weft_text_no_pipes(void);

// Says that Go begins to read one of the pipes (1), or that what was in it has been shown (-1).
void weft_text_reading(int pipes);

#endif
