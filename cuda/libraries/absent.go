//go:build !(cgo && linux)

package libraries

import "errors"

var errAbsent = errors.New("built without support for libraries of CUDA")

// ask fails: libraries are loaded on Linux alone.
func ask(string, string) (string, [3]int, error) { return "", [3]int{}, errAbsent }

// Blas and Handle are never made here.
type Blas struct{ Library }

// Handle is a Blas with a stream.
type Handle struct{}

func load(Library) (*Blas, error) { return nil, errAbsent }

// Handle fails.
func (*Blas) Handle(uint64) (*Handle, error) { return nil, errAbsent }

// Multiply fails.
func (*Handle) Multiply(*Product) error { return errAbsent }

// Close does nothing.
func (*Handle) Close() error { return nil }
