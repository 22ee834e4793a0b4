//go:build cgo && linux

package libraries

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile makes a library of C text.
func compile(t *testing.T, path, text string, flags ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cc", append([]string{"-shared", "-fPIC", "-o", path, "-x", "c", "-", "-x", "none"}, flags...)...)
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
}

// TestFind has a library that is there, one that lacks another, and one that is none of NVIDIA's, where wheels put
// them.
func TestFind(t *testing.T) {
	nvidia := t.TempDir()
	blas := filepath.Join(nvidia, "cublas", "lib", "libcublas.so.12")
	compile(t, blas, "int cublasGetProperty(int part, int *value) { *value = (int[]){12, 9, 1}[part]; return 0; }")
	needed := filepath.Join(t.TempDir(), "libcusparse.so.12")
	compile(t, needed, "int cusparse(void) { return 0; }", "-Wl,-soname,libcusparse.so.12")
	solver := filepath.Join(nvidia, "cusolver", "lib", "libcusolver.so.11")
	compile(t, solver, "int cusparse(void); int cusolverGetProperty(int part, int *value) { return cusparse(); }",
		"-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", needed, "-Wl,-z,lazy")
	fft := filepath.Join(nvidia, "cufft", "lib", "libcufft.so.11")
	compile(t, fft, "int nothing;")
	folders := Folders([]string{nvidia, "/nowhere"})
	if len(folders) < 3 || folders[0] != filepath.Dir(blas) {
		t.Errorf("folders %q; want those of the package nvidia first", folders)
	}
	want := []string{
		"cuBLAS 12.9.1 (" + blas + ")",
		"cuSOLVER (" + solver + "): libcusparse.so.12: cannot open shared object file",
		"cuFFT (" + fft + "): has no cufftGetProperty",
	}
	for i, l := range Find(folders[:3], 13) {
		if !strings.HasPrefix(l.String(), want[i]) {
			t.Errorf("found %q; want %q", l, want[i])
		}
	}
	// A property that cannot be had is a problem of the library's.
	broken := filepath.Join(nvidia, "broken")
	compile(t, filepath.Join(broken, "libcublas.so.13"), "int cublasGetProperty(int part, int *value) { return 7; }")
	if l := Find([]string{broken}, 13)[0]; !strings.Contains(l.String(), "cublasGetProperty(0) fails with 7") {
		t.Errorf("found %q; want why it cannot be used", l)
	}
	// One that the driver cannot run is left for an older one; where there is none, it says so.
	newer := filepath.Join(nvidia, "newer")
	compile(t, filepath.Join(newer, "libcublas.so.13"), "int cublasGetProperty(int part, int *value) { *value = (int[]){13, 0, 2}[part]; return 0; }")
	if l := Find([]string{newer, filepath.Dir(blas)}, 12)[0]; l.Path != blas || l.Problem != "" {
		t.Errorf("found %q; want the one of the driver's CUDA", l)
	}
	if l := Find([]string{newer}, 12)[0]; !strings.Contains(l.Problem, "it is for CUDA 13, and the driver for 12") {
		t.Errorf("found %q; want why it cannot be used", l)
	}
	if _, err := OpenBlas(filepath.Join(newer, "libcublas.so.13"), nil, 12); err == nil || !strings.Contains(err.Error(), "is for CUDA 13") {
		t.Errorf("opened with %v; want why it cannot be used", err)
	}
	// The one that can be used is taken, whatever lies before it.
	if l := Find([]string{broken, filepath.Dir(blas)}, 13)[0]; l.Path != blas || l.Problem != "" {
		t.Errorf("found %q; want the one that can be used", l)
	}
}

// TestFindNothing says what to do.
func TestFindNothing(t *testing.T) {
	for i, l := range Find([]string{t.TempDir()}, 13) {
		if l.Problem == "" {
			continue // this machine has one
		}
		if s := l.String(); l.Path == "" && !strings.Contains(s, "pip install "+table[i].wheel) {
			t.Errorf("%q does not say how to get it", s)
		}
	}
}
