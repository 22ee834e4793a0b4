//go:build cgo && linux

package libraries

/*
#cgo LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// ask_version loads a library and has it tell the three parts of its version. It returns 0, or writes down why it
// cannot: 1 where the library is not there, 2 where it is and cannot be used. where is the file that was loaded.
static int ask_version(const char *path, const char *property, int version[3], char *where, char *why, size_t n)
{
	void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!lib) {
		snprintf(why, n, "%s", dlerror());
		return 1;
	}
	int (*get)(int, int *) = (int (*)(int, int *))dlsym(lib, property);
	if (!get) {
		snprintf(where, n, "%s", path);
		snprintf(why, n, "has no %s", property);
		return 2;
	}
	Dl_info from;
	snprintf(where, n, "%s", dladdr((void *)get, &from) && from.dli_fname ? from.dli_fname : path);
	for (int part = 0; part < 3; part++) {
		int rc = get(part, &version[part]);
		if (rc) {
			snprintf(why, n, "%s(%d) fails with %d", property, part, rc);
			return 2;
		}
	}
	return 0;
}
*/
import "C"

import (
	"errors"
	"path/filepath"
	"strings"
	"unsafe"
)

// ask loads the library of a path, or of a name that the loader looks for, and returns its file and its version. Where
// there is no such file, where is "". The library stays loaded.
func ask(path, property string) (where string, version [3]int, err error) {
	var file, why [1024]C.char
	var parts [3]C.int
	p, f := C.CString(path), C.CString(property)
	defer C.free(unsafe.Pointer(p))
	defer C.free(unsafe.Pointer(f))
	rc := C.ask_version(p, f, &parts[0], &file[0], &why[0], C.size_t(len(file)))
	for i, v := range parts {
		version[i] = int(v)
	}
	if rc == 0 {
		return C.GoString(&file[0]), version, nil
	}
	err = errors.New(C.GoString(&why[0]))
	where = C.GoString(&file[0])
	// The loader names the file that it lacks: the library itself, or another one that the library needs.
	if where == "" && (filepath.IsAbs(path) || !strings.HasPrefix(err.Error(), path+":")) {
		where = path
	}
	return where, version, err
}
