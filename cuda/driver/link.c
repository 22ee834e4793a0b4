//go:build cuda && cgo && linux

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#include "current.h"
#include "link.h"

static CUresult link_in(const void *text, size_t bytes, char *log, size_t room, void **image, size_t *size) {
	CUresult rc;
	/* the buffer for errors, and its size; whether the image is to have lines, where the text tells them */
	CUjit_option names[] = {5, 6, 13};
	void *values[] = {log, (void *)(uintptr_t)room, (void *)(uintptr_t)1};
	unsigned count = strstr(text, "\n.file ") ? 3 : 2;
	CUlinkState link;
	if ((rc = cuLinkCreate(count, names, values, &link)))
		return rc;
	void *made;
	if (!(rc = cuLinkAddData(link, 1 /* PTX */, (void *)text, bytes, "weft", 0, NULL, NULL)) &&
	    !(rc = cuLinkComplete(link, &made, size))) {
		if ((*image = malloc(*size)))
			memcpy(*image, made, *size); /* the driver's goes with the link */
		else
			rc = CUDA_ERROR_OUT_OF_MEMORY;
	}
	CUresult ended = cuLinkDestroy(link);
	if (!rc && ended) {
		free(*image);
		*image = NULL;
	}
	return rc ? rc : ended;
}

uint32_t weft_cuda_link(uint64_t context, const void *text, size_t bytes, char *log, size_t room, void **image, size_t *size) {
	*image = NULL;
	uint64_t before;
	CUresult rc = weft_cuda_enter(context, &before);
	if (rc)
		return rc;
	rc = link_in(text, bytes, log, room, image, size);
	weft_cuda_leave(context, before);
	return rc;
}
