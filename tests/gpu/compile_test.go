//go:build cuda && cgo && linux

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"weft/cuda/driver/fakecuda"
)

// TestCompiling measures on the fake driver, in a process of its own: all programs differ, and one that the driver
// refuses is an error.
func TestCompiling(t *testing.T) {
	const here = "WEFT_TEST_COMPILING"
	if os.Getenv(here) != "" {
		if err := compiling(os.Stdout); err != nil {
			t.Fatal(err)
		}
		return
	}
	lib, err := fakecuda.Build()
	if err != nil {
		t.Fatal(err)
	}
	for faults, want := range map[string]string{"": "", "cuModuleLoadDataEx=218": "does not run"} {
		c := exec.Command(os.Args[0], "-test.run=^TestCompiling$")
		c.Env = append(os.Environ(), here+"=1", "FAKECUDA_FAIL="+faults, "WEFT_LIBCUDA="+lib)
		out, err := c.CombinedOutput()
		if (err != nil) != (want != "") || !strings.Contains(string(out), want) || want == "" && strings.Count(string(out), " ms\n") != 3 {
			t.Errorf("with faults %q: %v\n%s", faults, err, out)
		}
	}
}

// TestConstantsDiffer asks for many, and for programs of one and the same number.
func TestConstantsDiffer(t *testing.T) {
	n := numbers{base: 1<<32 - 1, texts: map[string]bool{}}
	seen := map[float64]bool{}
	for range 4000 {
		seen[n.next()] = true
	}
	if len(seen) != 4000 {
		t.Errorf("4000 constants are %d numbers", len(seen))
	}
	n.made = 0
	if _, err := n.program(); err != nil {
		t.Error(err)
	}
	n.made = 0
	if _, err := n.program(); err == nil {
		t.Error("the same program is compiled twice")
	}
}
