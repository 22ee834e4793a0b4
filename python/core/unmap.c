//go:build extension

// The end of mappings, and of the machines that were replaced. A machine whose GPU's memory other libraries have had waits for what these do, which
// may be functions of Python's.
#include "shim.h"
#include "_cgo_export.h"

void weft_close_retired(void)
{
	Py_BEGIN_ALLOW_THREADS
	goCloseRetired();
	Py_END_ALLOW_THREADS
}

void weft_unmap(uint64_t id)
{
	if (goUnmap(id))
		weft_close_retired();
}
