package blas

// #cgo LDFLAGS: -ldl
// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// Library is a loaded library. Its methods may be called from any goroutine.
type Library struct {
	Path    string
	Guessed string // the kernels that it would have used by itself, where that was not right
	Private bool   // loaded from a copy of its own
	loaded

	LastResort string             // of gonum: why it is taken
	own        map[string]routine // of gonum: its routines, by Fortran name

	threads int // at most

	mu    sync.Mutex
	found map[string]unsafe.Pointer // by Fortran name; nil for what it does not have

	turn sync.RWMutex // held for reading by callers with one thread, for writing by one with several
}

// loaded is what the loader gave.
type loaded struct {
	Version string // as the library says: "OpenBLAS 0.3.31 ..."; empty where it doesn't
	Core    string // the kernels that it uses: SkylakeX; empty where it doesn't say
	Wide    bool   // integers have 64 bits
	Copies  bool   // it has no kernels for small products of matrices, which read the factors where they lie

	handle unsafe.Pointer
	dress  decoration
	set    unsafe.Pointer // openblas_set_num_threads, or nil
}

// decoration is how a library spells the Fortran name dgemm_.
type decoration struct{ prefix, suffix string }

func (d decoration) of(name string) string { return d.prefix + name + d.suffix }

// decorations are the spellings that are known: NumPy's and SciPy's wheels, distributions
// with 64-bit integers, and everybody else.
var decorations = [...]decoration{{"scipy_", "64_"}, {"", "64_"}, {"scipy_", ""}, {"", ""}}

// older are the cores without AVX-512, which OpenBLAS takes a processor for that it doesn't know. Small products have
// kernels of their own only on those that have it.
const older = " haswell zen sandybridge nehalem prescott core2 generic "

func isOlder(core string) bool {
	return core != "" && strings.Contains(older, " "+strings.ToLower(core)+" ")
}

// Open loads the library at a path, or of a name that the system's loader knows. threads is
// how many it may use at most; 0 means one per core.
func Open(path string, threads int) (*Library, error) {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	l := &Library{Path: path, threads: threads, found: map[string]unsafe.Pointer{}}
	var err error
	if l.loaded, err = load(path, false, ""); err != nil {
		return nil, err
	}
	force := ""
	if os.Getenv("OPENBLAS_CORETYPE") == "" && isOlder(l.Core) && C.weft_avx512() != 0 {
		force = "SkylakeX"
	}
	// Only what has a thread count and a core type needs a copy. Where none can be had, the
	// library is used as it is, and its threads are left alone: they are NumPy's, too.
	if l.set == nil {
		return l, nil
	}
	l.Path = C.GoString(C.weft_file(l.set))
	private, err := load(l.Path, true, force)
	if err != nil {
		l.set = nil
		return l, nil
	}
	if force != "" && private.Core != l.Core {
		l.Guessed = l.Core
	}
	l.loaded, l.Private = private, true
	C.weft_set(l.set, C.int(threads)) // makes the threads, once
	C.weft_set(l.set, 1)
	return l, nil
}

// load opens a library and finds out what it is.
func load(path string, private bool, coretype string) (loaded, error) {
	name, core := C.CString(path), C.CString(coretype)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(core))
	var why [512]C.char
	copied := C.int(0)
	if private {
		copied = 1
	}
	o := loaded{handle: C.weft_open(name, copied, core, &why[0], C.int(len(why)))}
	if o.handle == nil {
		return o, errors.New("blas: " + C.GoString(&why[0]))
	}
	known := false
	for _, d := range decorations {
		if o.symbol(d.of("dgemm_")) != nil && o.symbol(d.of("dgesv_")) != nil {
			o.dress, known = d, true
			break
		}
	}
	if !known {
		return o, fmt.Errorf("blas: %s has no dgemm and dgesv under a name that is known (%s)", path, decorations[0].of("dgemm_"))
	}
	o.Wide = strings.Contains(o.dress.suffix, "64")
	own := func(name string) unsafe.Pointer {
		if p := o.symbol(o.dress.prefix + name + o.dress.suffix); p != nil {
			return p
		}
		return o.symbol(o.dress.prefix + name + strings.TrimSuffix(o.dress.suffix, "_"))
	}
	if f := own("openblas_get_config"); f != nil {
		o.Version = strings.TrimSpace(C.GoString(C.weft_text(f)))
		o.Wide = o.Wide || strings.Contains(o.Version, "USE64BITINT")
	}
	if f := own("openblas_get_corename"); f != nil {
		o.Core = C.GoString(C.weft_text(f))
		o.Copies = isOlder(o.Core)
	}
	o.set = own("openblas_set_num_threads")
	return o, nil
}

func (o *loaded) symbol(name string) unsafe.Pointer {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return C.weft_symbol(o.handle, text)
}

// String says what the library is, for people.
func (l *Library) String() string {
	if l.own != nil {
		return fmt.Sprintf("%s, pure Go: the last resort, 8 to 18 times slower than OpenBLAS, and without complex factorizations (%s)",
			cmp.Or(l.Version, l.Path), l.LastResort)
	}
	text := l.Path
	if f := strings.Fields(l.Version); len(f) > 1 {
		text = f[0] + " " + f[1] + " (" + l.Path + ")"
	}
	if l.Core != "" {
		text += ", kernels for " + l.Core
	}
	if l.Guessed != "" {
		text += " (by itself it would use those for " + l.Guessed + ")"
	}
	return fmt.Sprintf("%s, %d threads", text, l.threads)
}

// Single runs f, whose calls compute with one thread each. Any number of goroutines may do so
// at once.
func (l *Library) Single(f func() error) error {
	l.turn.RLock()
	defer l.turn.RUnlock()
	return f()
}

// Try is Single for a caller that must not wait: it is false, and f was not run, while a caller with several threads
// computes.
func (l *Library) Try(f func() error) (bool, error) {
	if !l.turn.TryRLock() {
		return false, nil
	}
	defer l.turn.RUnlock()
	return true, f()
}

// Threads is how many the library may use at most.
func (l *Library) Threads() int {
	if l.set == nil {
		return 1
	}
	return l.threads
}

// Together runs f, whose calls compute with n threads, once no other call computes; with one
// thread, others may.
func (l *Library) Together(n int, f func() error) error {
	if n <= 1 || l.set == nil {
		return l.Single(f)
	}
	l.turn.Lock()
	defer l.turn.Unlock()
	C.weft_set(l.set, C.int(min(n, l.threads)))
	defer C.weft_set(l.set, 1)
	return f()
}
