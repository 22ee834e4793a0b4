//go:build cgo && linux

package libraries

/*
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <stdio.h>

// entry finds a function of a library, which stays loaded.
static void *entry(const char *path, const char *name, char *why, size_t n)
{
	void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	void *found = lib ? dlsym(lib, name) : NULL;
	if (!found)
		snprintf(why, n, "%s", dlerror());
	return found;
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// function is a function of a library.
type function = unsafe.Pointer

// load finds functions of the library of a path.
func load(path string, names []string) ([]function, error) {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	var all []function
	for _, name := range names {
		var why [1024]C.char
		n := C.CString(name)
		found := C.entry(p, n, &why[0], C.size_t(len(why)))
		C.free(unsafe.Pointer(n))
		if found == nil {
			return nil, errors.New(C.GoString(&why[0]))
		}
		all = append(all, found)
	}
	return all, nil
}
