// Package standin makes a library that stands in for cuBLAS in tests: it computes products by kernels of its own, on
// the stream of its handle, so that the fake driver sees in which order they run and what they touch.
//
// It must not know who calls the library.
package standin

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed testdata/cublas.c
var source string

// Variable names what the library is to fail at: "create=3" makes handles fail with status 3, "status=13" products.
const Variable = "STANDIN_CUBLAS"

// Build compiles the library into a folder, and returns its path.
func Build(dir string) (string, error) {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	path := filepath.Join(dir, "libcublas.so.12")
	cmd := exec.Command(cc, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", path, "-x", "c", "-", "-ldl")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return path, nil
}
