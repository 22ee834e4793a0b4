//go:build cgo && linux

package nvtx

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A process has one tool, so each case runs in a process of its own: this test binary, with NVTX_TEST set.
func TestMain(m *testing.M) {
	if os.Getenv("NVTX_TEST") == "" {
		os.Exit(m.Run())
	}
	tool, err := Open()
	fmt.Println("tool:", tool != nil, "overlapping:", tool.Overlapping())
	if err != nil {
		fmt.Println("error:", err)
	}
	outer := tool.Begin("outer")
	inner := tool.Begin("inner \u2713 %s")
	if tool.Overlapping() {
		var done sync.WaitGroup
		done.Go(func() { tool.End(outer) })
		done.Wait()
		tool.End(inner)
	} else {
		tool.End(inner)
		tool.End(outer)
	}
}

func build(t *testing.T, source string) string {
	t.Helper()
	lib := filepath.Join(t.TempDir(), "libtool.so")
	out, err := exec.Command(cmp.Or(os.Getenv("CC"), "cc"), "-shared", "-fPIC", "-pthread", "-o", lib, "-x", "c", source).CombinedOutput()
	if err != nil {
		t.Fatalf("the C compiler is needed to build %s: %v\n%s", source, err, out)
	}
	return lib
}

func TestOpen(t *testing.T) {
	tool, other := build(t, "testdata/faketool.c"), build(t, os.DevNull)
	for _, c := range []struct {
		name, path, mode string
		said, log        []string
	}{
		{"no tool", "", "", []string{"tool: false overlapping: false"}, nil},
		{"a tool", tool, "", []string{"tool: true overlapping: true"}, []string{"version 3", "start 1 outer", "start 2 inner \u2713 %s", "end 1", "end 2"}},
		{"only nesting", tool, "nesting", []string{"tool: true overlapping: false"}, []string{"version 3", "push outer", "push inner \u2713 %s", "pop", "pop"}},
		{"deaf", tool, "deaf", []string{"tool: false", "filled neither nvtxRangeStartA"}, []string{"version 3"}},
		{"broken", tool, "broken", []string{"tool: false", "returned 0"}, []string{"version 3"}},
		{"missing", "/nowhere/libtool.so", "", []string{"tool: false", "names /nowhere/libtool.so", "cannot open shared object file"}, nil},
		{"another library", other, "", []string{"tool: false", "no function InitializeInjectionNvtx2"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "NVTX_TEST=1", "NVTX_INJECTION64_PATH="+c.path, "FAKETOOL="+c.mode, "FAKETOOL_LOG="+log)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range c.said {
				if !strings.Contains(string(out), want) {
					t.Errorf("it said\n%swanted %q in it", out, want)
				}
			}
			text, err := os.ReadFile(log)
			if err != nil && c.log != nil {
				t.Fatal(err)
			}
			lines := regexp.MustCompile(`(?m)^\d+ `).ReplaceAllString(string(text), "") // of the threads
			if want := strings.Join(c.log, "\n"); strings.TrimSpace(lines) != want {
				t.Errorf("the tool heard\n%s\nwanted\n%s", lines, want)
			}
		})
	}
}
