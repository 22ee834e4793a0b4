//go:build !(cgo && linux)

package libraries

import "errors"

var errAbsent = errors.New("built without support for libraries of CUDA")

// ask fails: libraries are loaded on Linux alone.
func ask(string, string) (string, [3]int, error) { return "", [3]int{}, errAbsent }

// function is of no library.
type function struct{}

// load fails.
func load(string, []string) ([]function, error) { return nil, errAbsent }

// Handle is never made here.
type Handle struct{}

// Handle fails.
func (*Blas) Handle(uint64) (*Handle, error) { return nil, errAbsent }

// Multiply fails.
func (*Handle) Multiply(*Product) error { return errAbsent }

// Close does nothing.
func (*Handle) Close() error { return nil }

func (*Transformer) make(Transform) (*FourierPlan, error) { return nil, errAbsent }

func (*Transformer) end(*FourierPlan) error { return nil }

// Execute fails.
func (*Transformer) Execute(*FourierPlan, uint64, uint64, uint64, bool) error { return errAbsent }

// SolverHandle is never made here.
type SolverHandle struct{}

// Handle fails.
func (*Solver) Handle(uint64) (*SolverHandle, error) { return nil, errAbsent }

// Work fails.
func (*SolverHandle) Work(*Decomposition, *Operands) (int, error) { return 0, errAbsent }

// Solve fails.
func (*SolverHandle) Solve(*Decomposition, *Operands, int) error { return errAbsent }

// Close does nothing.
func (*SolverHandle) Close() error { return nil }
