package blas

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// libraries runs a test with that of the tree's Python environment, of WEFT_BLAS or of the
// system, and with gonum.
func libraries(t *testing.T, test func(t *testing.T, l *Library)) {
	found := InEnvironment("../../.venv")
	found.Path, found.Threads = os.Getenv("WEFT_BLAS"), 2
	for name, s := range map[string]Search{"found": found, "gonum": {Path: Gonum}} {
		t.Run(name, func(t *testing.T) {
			l, err := s.Open()
			if err != nil {
				t.Fatal(err)
			}
			t.Log(l)
			test(t, l)
		})
	}
}

// determinant factorises a matrix with 2, 3, ... on the diagonal and ones elsewhere in the
// upper triangle, and multiplies what comes out.
func determinant(t *testing.T, l *Library, n int) float64 {
	t.Helper()
	var m Memory
	defer m.Free()
	p, err := m.Bytes(n * n * 8)
	if err != nil {
		t.Fatal(err)
	}
	pivots, err := m.Bytes(n * 8)
	if err != nil {
		t.Fatal(err)
	}
	a := unsafe.Slice((*float64)(p), n*n)
	clear(a)
	for j := range n {
		for i := range j {
			a[j*n+i] = 1
		}
		a[j*n+j] = float64(j + 2)
	}
	info, err := l.Call("dgetrf", Int(n), Int(n), Ptr(p), Int(n), Ptr(pivots), Info())
	if err != nil || info != 0 {
		t.Fatalf("dgetrf: info %d, error %v", info, err)
	}
	product := 1.0
	for i, k := range l.Integers(pivots, n) {
		product *= a[i*n+i]
		if k != i+1 {
			product = -product
		}
	}
	return product
}

func TestCall(t *testing.T) { libraries(t, testCall) }

func testCall(t *testing.T, l *Library) {
	if got := determinant(t, l, 5); got != 720 {
		t.Errorf("the determinant is %v, wanted 720", got)
	}
	// LAPACK's own check of its arguments comes back as it is, sign and all.
	if l.own == nil {
		if info, err := l.Call("dpotrf", Char('X'), Int(1), Ptr(nil), Int(1), Info()); err != nil || info != -1 {
			t.Errorf("dpotrf with a wrong option: info %d, error %v; wanted -1", info, err)
		}
	}
	if l.Has("dnothing") || !l.Has("dgetrf") {
		t.Error("Has does not tell what is there")
	}
	if _, err := l.Call("dnothing", Info()); err == nil || !strings.Contains(err.Error(), "has no dnothing") {
		t.Errorf("an unknown routine: %v", err)
	}
}

// Callers with one thread and callers with several take turns.
func TestTurns(t *testing.T) { libraries(t, testTurns) }

func testTurns(t *testing.T, l *Library) {
	var ended sync.WaitGroup
	for g := range 6 {
		ended.Add(1)
		go func() {
			defer ended.Done()
			for range 20 {
				if err := l.Together(1+g%3, func() error {
					if got := determinant(t, l, 9); got != 3628800 {
						t.Errorf("the determinant is %v, wanted 3628800", got)
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	ended.Wait()
}

// What is no library, and a library of something else, are refused in words; the search says
// what it tried.
func TestRefusals(t *testing.T) {
	text := filepath.Join(t.TempDir(), "libopenblas.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(text, 1); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("a text file: %v", err)
	}
	if runtime.GOOS == "linux" {
		if _, err := Open("libc.so.6", 1); err == nil || !strings.Contains(err.Error(), "has no dgemm") {
			t.Errorf("the C library: %v", err)
		}
	}
	if _, err := (Search{Path: text}).Open(); err == nil || !strings.Contains(err.Error(), "WEFT_BLAS") {
		t.Errorf("a path that the user named: %v", err)
	}
}
