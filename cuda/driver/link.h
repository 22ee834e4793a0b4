/* What a program of PTX becomes for one kind of device; see link.c. */
#ifndef WEFT_CUDA_LINK_H
#define WEFT_CUDA_LINK_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Compiles PTX, whose last byte is 0, into an image that modules are loaded from, which the caller frees. Returns the driver's result; of
   a failure the log has what the compiler said, and there is no image. */
uint32_t weft_cuda_link(uint64_t context, const void *text, size_t bytes, char *log, size_t room, void **image, size_t *size);

#pragma GCC visibility pop

#endif
