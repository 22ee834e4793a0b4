// Package standin makes libraries that stand in for NVIDIA's in tests: they compute by kernels of their own, on the
// stream that they are given, so that the fake driver sees in which order these run and what they touch; cuSOLVER's
// waits for the stream, and computes on the host.
//
// It must not know who calls the libraries.
package standin

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Library is one of them.
type Library struct {
	Variable string // names what it is to fail at: status=13 is the calls that compute, with this status
	file     string
	source   string
}

//go:embed testdata/cublas.c
var blasSource string

//go:embed testdata/cufft.c
var fourierSource string

//go:embed testdata/cusolver.c
var solverSource string

// Blas is cuBLAS; "create=3" makes handles fail.
func Blas() Library { return Library{"STANDIN_CUBLAS", "libcublas.so.12", blasSource} }

// Fourier is cuFFT; "plan=8" makes plans fail.
func Fourier() Library { return Library{"STANDIN_CUFFT", "libcufft.so.11", fourierSource} }

// Solver is cuSOLVER; "create=3" makes handles fail, "diverge=1" has eigenvalues not converge, and "refuse=-4" second
// steps refuse an argument.
func Solver() Library { return Library{"STANDIN_CUSOLVER", "libcusolver.so.11", solverSource} }

// Build compiles the library into a folder, and returns its path.
func (l Library) Build(dir string) (string, error) {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	path := filepath.Join(dir, l.file)
	cmd := exec.Command(cc, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", path, "-x", "c", "-", "-ldl", "-lm")
	cmd.Stdin = strings.NewReader(l.source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return path, nil
}
