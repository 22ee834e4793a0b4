//go:build cuda && cgo && linux

package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// machineFiles are the machine half of the executing fake driver, testdata/fake/fake.h.
var machineFiles = []string{
	"atomic.c", "barrier.c", "bits.c", "call.c", "check.c", "compare.c", "convert.c", "declare.c", "decode.c", "exchange.c", "floats.c", "forms.c", "frames.c",
	"halves.c", "ints.c", "lex.c", "link.c", "match.c", "memory.c", "names.c", "operand.c", "parse.c", "run.c", "statement.c", "step.c", "types.c", "warp.c",
}

// fakeFlags compile it. Neither half may contract a product and a sum.
var fakeFlags = []string{"-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-pthread"}

// buildMachine compiles the tests of the machine half with it, and returns the program.
func buildMachine(t *testing.T) string {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	dir := filepath.Join("testdata", "fake")
	program := filepath.Join(t.TempDir(), "machine")
	args := append([]string{}, fakeFlags...)
	args = append(args, "-o", program)
	tests, err := filepath.Glob(filepath.Join(dir, "test", "*.c"))
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, tests...)
	for _, f := range machineFiles {
		args = append(args, filepath.Join(dir, f))
	}
	if out, err := exec.Command(cc, append(args, "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("the C compiler %q is needed to build the fake driver: %v\n%s", cc, err, out)
	}
	return program
}

// TestMachine runs the tests of the machine half, testdata/fake/test, and has it read every program that the emitter's
// tests assemble.
func TestMachine(t *testing.T) {
	program := buildMachine(t)
	t.Run("rules", func(t *testing.T) {
		if out, err := exec.Command(program).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("emitted", func(t *testing.T) {
		files := emittedPrograms(t)
		if out, err := exec.Command(program, files...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%.4000s", err, out)
		}
	})
}

// emittedPrograms are files with the programs of the emitter's tests, which that package's tests write.
func emittedPrograms(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	emit := exec.Command("go", "test", "-tags", "cuda", "-count=1", "-run", "^TestTexts$", "weft/cuda/ptx")
	emit.Env = append(os.Environ(), "WEFT_PTX_TEXTS="+dir)
	if out, err := emit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.ptx"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the emitter's tests wrote no programs into %s: %v", dir, err)
	}
	return files
}
