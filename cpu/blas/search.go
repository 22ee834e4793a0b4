package blas

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

var errMemory = errors.New("out of memory")

// Search says where to look for a library.
type Search struct {
	Path    string // what the user named, perhaps Gonum; nothing else is tried then
	NumPy   string // folder of the Python environment's numpy package, or empty
	Threads int    // how many it may use at most; 0 means one per core
}

// InEnvironment looks for the NumPy of a Python environment, such as .venv.
func InEnvironment(folder string) Search {
	found, err := filepath.Glob(filepath.Join(folder, "lib/python3*/site-packages/numpy"))
	if err != nil || len(found) == 0 {
		return Search{}
	}
	return Search{NumPy: found[0]}
}

// names are what the system's loader is asked for.
var names = []string{
	"libopenblas64_.so.0", "libopenblas.so.0", "libopenblas.so", "libflexiblas.so.3",
	"libmkl_rt.so.2", "libmkl_rt.so", "liblapack.so.3", "libopenblas.0.dylib",
}

// Open loads the first library that there is; where there is none, gonum stands in for it. The
// library that the user named fails if it cannot be loaded.
func (s Search) Open() (*Library, error) {
	if s.Path == Gonum {
		return openGonum("named by WEFT_BLAS"), nil
	}
	if s.Path != "" {
		l, err := Open(s.Path, s.Threads)
		if err != nil {
			return nil, fmt.Errorf("%w (named by WEFT_BLAS)", err)
		}
		return l, nil
	}
	var tried []string
	for _, path := range append(s.besides(), names...) {
		l, err := Open(path, s.Threads)
		if err == nil {
			return l, nil
		}
		tried = append(tried, path)
	}
	return openGonum("tried " + strings.Join(tried, ", ") + "; install OpenBLAS, or name a library with WEFT_BLAS"), nil
}

// besides lists the libraries that lie with NumPy: beside its folder on Linux, within it on
// macOS, and in the lib folder of a conda environment.
func (s Search) besides() []string {
	if s.NumPy == "" {
		return nil
	}
	var list []string
	for _, pattern := range []string{
		"../numpy.libs/lib*openblas*", ".libs/lib*openblas*", ".dylibs/lib*openblas*",
		"../../../libopenblas.so.0", "../../../libopenblas.dylib",
	} {
		found, err := filepath.Glob(filepath.Join(s.NumPy, pattern))
		if err != nil { // the pattern is malformed, which it is not, but for the folder's name
			continue
		}
		slices.Sort(found)
		list = append(list, found...)
	}
	return list
}
